//! The tape: versions of arrays, what is saved and what is not, views, writes behind its back.
use pullback_lang::*;
use pullback_runtime::{Array, Device, Error, Launch, Stream, Tape};

type Result<T = ()> = std::result::Result<T, Error>;

#[kernel]
fn square(x: &mut Array<f64>) {
    let i = thread_id();
    x[i] = x[i] * x[i];
}

#[kernel]
fn double(x: &mut Array<f64>) {
    let i = thread_id();
    x[i] *= 2.0;
}

#[kernel]
fn product(x: &Array<f64>, y: &Array<f64>, out: &mut Array<f64>) {
    let i = thread_id();
    out[i] = x[i] * y[i];
}

#[kernel]
fn sum(x: &Array<f64>, total: &mut Array<f64>) {
    atomic_add(total, 0, x[thread_id()]);
}

#[kernel]
fn sum_of_squares(x: &Array<f64>, total: &mut Array<f64>) {
    let v = x[thread_id()];
    atomic_add(total, 0, v * v);
}

fn tape() -> (Device, Tape) {
    let device = Device::cpu();
    (device.clone(), Tape::new(&device))
}

fn cell() -> Array<f64> {
    Array::zeros(&Device::cpu(), [1])
}

#[test]
fn in_place_three_times() -> Result {
    let (device, mut tape) = tape();
    let start = [0.9, -1.1, 1.2];
    let (mut x, mut loss) = (Array::from_slice(&device, &start), cell());
    for _ in 0..3 {
        tape.launch(&square(3, &mut x))?;
    }
    tape.launch(&sum(3, &x, &mut loss))?;
    tape.backward(&loss)?;
    for (g, x) in tape.grad(&x)?.to_vec()?.into_iter().zip(start) {
        assert!((g - 8.0 * x.powi(7)).abs() < 1e-12);
    }
    Ok(())
}

#[test]
fn only_what_an_adjoint_reads_is_saved_and_once() -> Result {
    let (device, mut tape) = tape();
    let (mut x, mut y, mut out, mut loss) =
        (Array::full(&device, [100], 1.5), Array::full(&device, [100], 2.0), Array::zeros(&device, [100]), cell());
    // Linear: nothing is read.
    for _ in 0..10 {
        tape.launch(&double(100, &mut x))?;
    }
    tape.launch(&sum(100, &x, &mut loss))?;
    assert_eq!((tape.memory().saved, tape.memory().records, tape.memory().operations), (0, 0, 11));
    // x and y are read by three launches before x is overwritten: one version of x, none of y.
    for _ in 0..3 {
        tape.launch(&product(100, &x, &y, &mut out))?;
    }
    assert_eq!(tape.memory().saved, 0);
    tape.launch(&square(100, &mut x))?;
    let memory = tape.memory();
    assert_eq!(memory.saved, 800);
    assert_eq!(memory.arrays.len(), 1);
    assert_eq!((memory.arrays[0].array.as_str(), memory.arrays[0].versions), ("x", 1));
    // Only the half of y that is overwritten... is part of one version, which is saved whole.
    tape.fill(&mut y.slice(0, 0..50)?, 0.0)?;
    assert_eq!(tape.memory().saved, 1600);
    assert!(tape.memory().to_string().contains("saved contents"));
    // Nobody reads the new y.
    tape.fill(&mut y, 1.0)?;
    assert_eq!(tape.memory().saved, 1600);
    tape.backward_with(&[(&out, &Array::full(&device, [100], 1.0))])?;
    assert_eq!(tape.grad(&y)?.to_vec()?, [1.5 * 1024.0; 100]);
    assert_eq!(tape.grad(&x)?.to_vec()?, [2.0 * 1024.0; 100]);
    // All of it serves the next recording.
    let pooled = tape.memory().total();
    assert_eq!((pooled, tape.memory().peak), (1600 + 3 * 800, 1600 + 3 * 800));
    tape.reset();
    assert_eq!((tape.memory().total(), tape.memory().pooled), (0, pooled));
    assert!(tape.is_empty());
    Ok(())
}

#[test]
fn parts_of_an_array_have_versions_of_their_own() -> Result {
    let (device, mut tape) = tape();
    // A trajectory in the rows of one array: each step reads a row and writes the next.
    let steps = 20;
    let path = Array::<f64, 2>::zeros(&device, [steps + 1, 3]);
    path.row(0)?.copy_from_slice(&[0.3, 0.5, 0.7])?;
    let factor = Array::from_slice(&device, &[1.1, 0.9, 1.2]);
    for t in 0..steps {
        tape.launch(&product(3, &path.row(t)?, &factor, &mut path.row(t + 1)?))?;
    }
    assert_eq!(tape.memory().saved, 0);
    let mut loss = cell();
    tape.launch(&sum_of_squares(3, &path.row(steps)?, &mut loss))?;
    tape.backward(&loss)?;
    let n = steps as i32;
    let start = tape.grad(&path)?.row(0)?.to_vec()?;
    let by_factor = tape.grad(&factor)?.to_vec()?;
    for (i, (x, f)) in [(0.3f64, 1.1f64), (0.5, 0.9), (0.7, 1.2)].into_iter().enumerate() {
        let (a, b) = (2.0 * x * f.powi(2 * n), 2.0 * x * x * n as f64 * f.powi(2 * n - 1));
        assert!((start[i] - a).abs() < 1e-12 * a.abs(), "{} {a}", start[i]);
        assert!((by_factor[i] - b).abs() < 1e-12 * b.abs(), "{} {b}", by_factor[i]);
    }
    // Rows that were written do not bear on the result.
    assert_eq!(tape.grad(&path)?.row(5)?.to_vec()?, [0.0; 3]);
    assert_eq!(tape.grad(&path.row(0)?)?.to_vec()?, start);
    Ok(())
}

#[test]
fn a_long_path_in_one_array_is_recorded_quickly() -> Result {
    let (device, mut tape) = tape();
    let steps = 30_000;
    let path = Array::<f64, 2>::full(&device, [steps + 1, 2], 0.5);
    let factor = Array::full(&device, [2], 1.0);
    let start = std::time::Instant::now();
    for t in 0..steps {
        tape.launch(&product(2, &path.row(t)?, &factor, &mut path.row(t + 1)?))?;
    }
    // Well above what is linear in the steps, well below what is quadratic.
    assert!(start.elapsed().as_secs_f64() < 3.0, "{:?}", start.elapsed());
    tape.backward(&path.row(steps)?.slice(0, 0..1)?)?;
    assert_eq!(tape.grad(&path.row(0)?)?.to_vec()?, [1.0, 0.0]);
    assert_eq!(tape.grad(&factor)?.to_vec()?, [0.5 * steps as f64, 0.0]);
    Ok(())
}

#[test]
fn strided_views_are_saved_and_differentiated() -> Result {
    let (device, mut tape) = tape();
    let x = Array::from_shape(&device, [2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    let mut loss = cell();
    let column = |k: usize| x.permute([1, 0])?.row(k);
    tape.launch(&product(2, &column(0)?, &column(2)?, &mut column(1)?))?;
    tape.launch(&square(2, &mut column(0)?))?;
    tape.launch(&sum(2, &column(1)?, &mut loss))?;
    tape.launch(&sum(2, &column(0)?, &mut loss))?;
    tape.backward(&loss)?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [3.0 + 2.0, 0.0, 1.0, 6.0 + 8.0, 0.0, 4.0]);
    assert_eq!(tape.grad(&column(2)?)?.to_vec()?, [1.0, 4.0]);
    Ok(())
}

#[test]
fn one_array_read_through_two_arguments() -> Result {
    let (device, mut tape) = tape();
    let x = Array::from_slice(&device, &[1.0, 2.0, 3.0, 4.0]);
    let (mut out, mut loss) = (Array::zeros(&device, [3]), cell());
    tape.launch(&product(3, &x.slice(0, 0..3)?, &x.slice(0, 1..4)?, &mut out))?;
    tape.launch(&sum(3, &out, &mut loss))?;
    tape.launch(&product(3, &x, &x, &mut out))?;
    tape.launch(&sum(3, &out, &mut loss))?;
    tape.backward(&loss)?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [2.0 + 2.0, 4.0 + 4.0, 6.0 + 6.0, 3.0]);
    Ok(())
}

#[test]
fn overwriting_cuts_and_copying_moves() -> Result {
    let (device, mut tape) = tape();
    let x = Array::from_slice(&device, &[1.0, 2.0, 3.0]);
    let (mut y, mut loss) = (Array::full(&device, [3], 5.0), cell());
    tape.copy(&x, &mut y)?;
    tape.fill(&mut x.slice(0, 0..1)?, 10.0)?;
    tape.write(&mut x.slice(0, 2..3)?, &[20.0])?;
    tape.launch(&sum_of_squares(3, &y, &mut loss))?;
    tape.launch(&sum_of_squares(3, &x, &mut loss))?;
    tape.copy(&x.slice(0, 0..2)?, &mut y.slice(0, 1..3)?)?;
    tape.launch(&sum_of_squares(3, &y, &mut loss))?;
    tape.backward(&loss)?;
    let first = [2.0, 4.0, 6.0];
    let last = [2.0, 0.0, 0.0];
    let second_of_x = 4.0 + 4.0;
    assert_eq!(tape.grad(&x)?.to_vec()?, [first[0] + last[0], first[1] + second_of_x, first[2]]);
    assert_eq!(tape.grad(&y)?.to_vec()?, [0.0; 3]);
    Ok(())
}

#[test]
fn writes_behind_the_tapes_back_are_errors_where_they_matter() -> Result {
    let (device, mut tape) = tape();
    let (mut x, mut loss) = (Array::from_slice(&device, &[1.0, 2.0]), cell());
    // After the recording, where the contents are needed.
    tape.launch(&sum_of_squares(2, &x, &mut loss))?;
    x.fill(7.0)?;
    let error = tape.backward(&loss).unwrap_err();
    let Error::Overwritten { kernel, array, loc } = &error else { panic!("{error}") };
    assert_eq!((kernel.as_str(), array.as_str()), ("sum_of_squares", "x"));
    assert!(loc.is_some() && error.to_string().contains("tapes.rs:"), "{error}");
    assert!(matches!(tape.grad(&x), Err(Error::NoBackward)));
    // By a launch on a stream.
    tape.reset();
    tape.launch(&sum_of_squares(2, &x, &mut loss))?;
    Stream::new(&device).launch(&double(2, &mut x))?;
    assert!(matches!(tape.backward(&loss), Err(Error::Overwritten { .. })));
    // Where they are not needed.
    tape.reset();
    tape.launch(&sum(2, &x, &mut loss))?;
    x.fill(3.0)?;
    tape.backward(&loss)?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [1.0; 2]);
    // Between two recorded uses, by every means, and for every kind of use.
    let mut y = Array::zeros(&device, [2]);
    for use_again in 0..4 {
        tape.reset();
        tape.launch(&double(2, &mut x))?;
        match use_again {
            0 => x.copy_from_slice(&[1.0, 1.0])?,
            1 => x.copy_from(&y)?,
            2 => Stream::new(&device).fill(&mut x, 1.0)?,
            _ => Stream::new(&device).launch(&double(2, &mut x))?,
        }
        let error = match use_again {
            0 => tape.launch(&double(2, &mut x)),
            1 => tape.fill(&mut x, 0.0),
            2 => tape.copy(&x, &mut y),
            _ => tape.copy(&y, &mut x),
        };
        let error = error.unwrap_err();
        assert!(matches!(error, Error::WrittenOutside { .. }), "{error}");
    }
    // A saved version does not care what happens to the array.
    tape.reset();
    tape.write(&mut x, &[3.0, 4.0])?;
    tape.launch(&sum_of_squares(2, &x, &mut loss))?;
    tape.fill(&mut x, 0.0)?;
    x.fill(9.0)?;
    x.clone().free();
    tape.backward(&loss)?;
    Ok(())
}

#[test]
fn freed_contents_that_are_needed() -> Result {
    let (device, mut tape) = tape();
    let (x, mut loss) = (Array::from_slice(&device, &[1.0, 2.0]), cell());
    tape.launch(&sum_of_squares(2, &x, &mut loss))?;
    x.free();
    let error = tape.backward(&loss).unwrap_err();
    assert!(matches!(&error, Error::Freed { name } if name.contains("`x` of kernel `sum_of_squares`")), "{error}");
    Ok(())
}

#[test]
fn arrays_may_be_dropped_after_they_were_used() -> Result {
    let (device, mut tape) = tape();
    let (x, mut loss) = (Array::from_slice(&device, &[1.0, 2.0]), cell());
    {
        let mut out = Array::zeros(&device, [2]);
        tape.launch(&product(2, &x, &Array::from_slice(&device, &[3.0, 4.0]), &mut out))?;
        tape.launch(&sum(2, &out, &mut loss))?;
    }
    tape.backward(&loss)?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [3.0, 4.0]);
    Ok(())
}

#[test]
fn backward_again_and_from_elsewhere() -> Result {
    let (device, mut tape) = tape();
    let (mut x, mut loss) = (Array::from_slice(&device, &[1.0, 2.0]), cell());
    assert!(matches!(tape.backward(&loss), Err(Error::NotRecorded)));
    tape.launch(&square(2, &mut x))?;
    tape.launch(&sum(2, &x, &mut loss))?;
    assert!(matches!(tape.grad(&x), Err(Error::NoBackward)));
    for _ in 0..3 {
        tape.backward(&loss)?;
        assert_eq!(tape.grad(&x)?.to_vec()?, [2.0, 4.0]);
        assert_eq!(tape.grad(&loss)?.to_vec()?, [1.0]);
    }
    let seed = Array::from_slice(&device, &[10.0, 100.0]);
    tape.backward_with(&[(&x, &seed), (&x.slice(0, 0..1)?, &seed.slice(0, 1..2)?)])?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [220.0, 400.0]);
    assert_eq!(tape.grad(&loss)?.to_vec()?, [0.0]);
    tape.backward(&x.slice(0, 1..2)?)?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [0.0, 4.0]);
    // More of it, and then again.
    tape.launch(&square(2, &mut x))?;
    assert!(matches!(tape.grad(&x), Err(Error::NoBackward)));
    tape.backward_with(&[(&x, &Array::full(&device, [2], 1.0))])?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [4.0, 32.0]);
    // What does not fit.
    let error = tape.backward(&x).unwrap_err();
    assert!(matches!(error, Error::NotScalar { count: 2 }) && error.to_string().contains("backward_with"));
    assert!(matches!(tape.backward_with(&[(&x, &cell())]), Err(Error::Shape { .. })));
    assert!(matches!(tape.grad(&cell()), Err(Error::NotRecorded) | Err(Error::NoBackward)));
    tape.backward(&loss)?;
    assert!(matches!(tape.grad(&cell()), Err(Error::NotRecorded)));
    // A second recording starts from what the arrays hold now.
    tape.reset();
    assert!(matches!(tape.grad(&x), Err(Error::NoBackward)));
    tape.launch(&sum_of_squares(2, &x, &mut loss))?;
    tape.backward(&loss)?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [2.0, 32.0]);
    Ok(())
}

#[test]
fn two_tapes_and_one_array() -> Result {
    let device = Device::cpu();
    let (mut first, mut second) = (Tape::new(&device), Tape::new(&device));
    let (x, mut a, mut b) = (Array::from_slice(&device, &[2.0, 3.0]), cell(), cell());
    for _ in 0..2 {
        first.launch(&sum(2, &x, &mut a))?;
        second.launch(&sum_of_squares(2, &x, &mut b))?;
    }
    first.backward(&a)?;
    second.backward(&b)?;
    assert_eq!(first.grad(&x)?.to_vec()?, [2.0, 2.0]);
    assert_eq!(second.grad(&x)?.to_vec()?, [8.0, 12.0]);
    Ok(())
}

#[test]
fn a_launch_that_failed_spoils_the_recording() -> Result {
    let (device, mut tape) = tape();
    let (x, mut loss) = (Array::from_slice(&device, &[2.0]), cell());
    assert!(matches!(tape.launch(&sum(2, &x, &mut loss)), Err(Error::OutOfRange { .. })));
    let error = tape.backward(&loss).unwrap_err();
    assert!(matches!(error, Error::FailedRecording { .. }), "{error}");
    tape.reset();
    // One that was refused before it ran does not.
    tape.launch(&sum(1, &x, &mut loss))?;
    assert!(tape.launch(&product(1, &x, &x, &mut x.clone())).is_err());
    tape.backward(&loss)?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [1.0]);
    Ok(())
}

#[test]
fn nothing_to_do() -> Result {
    let (device, mut tape) = tape();
    let (empty, mut loss) = (Array::<f64>::zeros(&device, [0]), cell());
    tape.launch(&sum_of_squares(0, &empty, &mut loss))?;
    tape.copy(&empty, &mut Array::zeros(&device, [0]))?;
    tape.fill(&mut empty.clone(), 1.0)?;
    tape.backward(&loss)?;
    assert_eq!(tape.grad(&empty)?.to_vec()?, []);
    assert_eq!(tape.grad(&loss)?.to_vec()?, [1.0]);
    tape.backward_with(&[(&empty, &empty)])?;
    Ok(())
}

#[kernel]
fn scatter(x: &Array<f64>, grid: &mut Array<f64>) {
    let i = thread_id();
    let u = x[i];
    let cell = floor(u) as i64;
    atomic_add(grid, cell, (1.0 - (u - cell as f64)) * u);
    atomic_add(grid, cell + 1, (u - cell as f64) * u);
}

#[kernel]
fn gather(grid: &Array<f64>, x: &mut Array<f64>) {
    let i = thread_id();
    let u = x[i];
    let cell = floor(u) as i64;
    let w = u - cell as f64;
    x[i] = u + 0.01 * sin((1.0 - w) * grid[cell] + w * grid[cell + 1]);
}

#[test]
fn a_grid_zeroed_and_refilled_in_every_step() -> Result {
    let device = Device::cpu();
    let start = [0.3, 0.6, 1.2, 2.45, 2.7, 3.1];
    fn run(launch: &mut impl Launch, x: &mut Array<f64>, loss: &mut Array<f64>) -> Result {
        let mut grid = Array::zeros(launch.device(), [8]);
        let n = x.len();
        for _ in 0..20 {
            launch.fill(&mut grid, 0.0)?;
            launch.launch(&scatter(n, x, &mut grid))?;
            launch.launch(&gather(n, &grid, x))?;
        }
        launch.launch(&sum_of_squares(n, x, loss))
    }
    let at = |x: &[f64]| -> Result<f64> {
        let mut loss = cell();
        run(&mut Stream::new(&device), &mut Array::from_slice(&device, x), &mut loss)?;
        loss.get([0])
    };
    let mut tape = Tape::new(&device);
    let (mut x, mut loss) = (Array::from_slice(&device, &start), cell());
    run(&mut tape, &mut x, &mut loss)?;
    tape.backward(&loss)?;
    let gradient = tape.grad(&x)?.to_vec()?;
    for i in 0..start.len() {
        let (mut up, mut down) = (start, start);
        (up[i], down[i]) = (start[i] + 1e-6, start[i] - 1e-6);
        let difference = (at(&up)? - at(&down)?) / 2e-6;
        assert!((gradient[i] - difference).abs() < 1e-7 * difference.abs().max(1.0), "{} {difference}", gradient[i]);
    }
    Ok(())
}

#[kernel]
fn pull(x: &Array<f64>, scale: &Array<f64>, out: &mut Array<f64>) {
    // Each thread reads elements of others, and one that all share.
    let i = thread_id();
    let n = x.len();
    let mut force = 0.0;
    for k in 0..16 {
        let d = x[(i + 7 * k) % n] - x[i];
        force += scale[k % 3] * sin(d) / (1.0 + d * d);
    }
    out[i] = force;
}

#[kernel]
fn ranked(x: &Array<f64>, y: &mut Array<f64>, total: &mut Array<f64>) {
    // The value that is overwritten is kept, as an adjoint needs it.
    let i = thread_id();
    let mut v = y[i];
    for _k in 0..20 {
        y[i] = sin(v) * x[i];
        v = y[i] + 0.1 * v;
    }
    atomic_add(total, i % 4, v * y[i]);
}

#[test]
fn what_launches_keep_is_counted_and_used_again() -> Result {
    let (device, mut tape) = tape();
    let x = Array::full(&device, [300], 0.4);
    let mut seen = Vec::new();
    for _ in 0..3 {
        let (mut y, mut total) = (Array::full(&device, [300], 0.7), Array::zeros(&device, [4]));
        tape.reset();
        tape.launch(&ranked(300, &x, &mut y, &mut total))?;
        tape.launch(&ranked(300, &x, &mut y, &mut total))?;
        tape.backward(&total.slice(0, 0..1)?)?;
        seen.push((tape.memory().records, tape.grad(&x)?.to_vec()?));
    }
    assert!(seen[0].0 > 0 && seen.iter().all(|s| *s == seen[0]), "{}", seen[0].0);
    tape.reset();
    assert!(tape.memory().pooled >= seen[0].0);
    Ok(())
}

#[test]
fn large_launches_have_the_same_gradient_on_any_number_of_cores() -> Result {
    let n = 40_000;
    let start: Vec<f64> = (0..n).map(|i| (i as f64 * 0.61).sin()).collect();
    let mut seen = Vec::new();
    for cores in [1, 2, 5] {
        let device = Device::cpu_with_threads(cores);
        let mut tape = Tape::new(&device);
        let x = Array::from_slice(&device, &start);
        let scale = Array::from_slice(&device, &[0.5, -0.2, 0.3]);
        let mut y = Array::full(&device, [n], 0.7);
        let (mut out, mut total, mut loss) =
            (Array::zeros(&device, [n]), Array::zeros(&device, [4]), Array::zeros(&device, [1]));
        tape.launch(&pull(n, &x, &scale, &mut out))?;
        tape.launch(&ranked(n, &out, &mut y, &mut total))?;
        tape.launch(&sum_of_squares(n, &y, &mut loss))?;
        tape.launch(&sum(4, &total, &mut loss))?;
        tape.backward(&loss)?;
        let all = (loss.to_vec()?, tape.grad(&x)?.to_vec()?, tape.grad(&scale)?.to_vec()?, tape.grad(&y)?.to_vec()?);
        seen.push(all);
        // A plain run gives the same bits.
        if cores == 2 {
            let mut stream = Stream::new(&device);
            let mut y = Array::full(&device, [n], 0.7);
            let mut again = Array::zeros(&device, [4]);
            stream.launch(&ranked(n, &out, &mut y, &mut again))?;
            assert_eq!(again.to_vec()?, total.to_vec()?);
        }
    }
    assert!(seen.iter().all(|s| *s == seen[0]));
    // Against differences along one direction.
    let direction: Vec<f64> = (0..n).map(|i| (i as f64 * 1.7).cos()).collect();
    let at = |h: f64| -> Result<f64> {
        let device = Device::cpu();
        let mut stream = Stream::new(&device);
        let moved: Vec<f64> = start.iter().zip(&direction).map(|(x, d)| x + h * d).collect();
        let (x, scale) = (Array::from_slice(&device, &moved), Array::from_slice(&device, &[0.5, -0.2, 0.3 + h]));
        let mut y = Array::full(&device, [n], 0.7);
        let (mut out, mut total, mut loss) = (Array::zeros(&device, [n]), Array::zeros(&device, [4]), cell());
        stream.launch(&pull(n, &x, &scale, &mut out))?;
        stream.launch(&ranked(n, &out, &mut y, &mut total))?;
        stream.launch(&sum_of_squares(n, &y, &mut loss))?;
        stream.launch(&sum(4, &total, &mut loss))?;
        loss.get([0])
    };
    let difference = (at(1e-5)? - at(-1e-5)?) / 2e-5;
    let along: f64 = seen[0].1.iter().zip(&direction).map(|(g, d)| g * d).sum::<f64>() + seen[0].2[2];
    assert!((along - difference).abs() < 1e-6 * difference.abs().max(1.0), "{along} {difference}");
    Ok(())
}
