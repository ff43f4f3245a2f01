//! Launches on a stream: in one to four dimensions, over views, over cores, and what is refused.
use pullback_lang::*;
use pullback_runtime::{Array, Device, Error, Launch, Stream};

type Result<T = ()> = std::result::Result<T, Error>;

#[kernel]
fn add(x: &Array<f64>, y: &mut Array<f64>) {
    let i = thread_id();
    y[i] += x[i];
}

#[kernel]
fn index2(out: &mut Array<i64, 2>) {
    let (i, j) = thread_id2();
    out[(i, j)] = 100 * i + j;
}

#[kernel]
fn index3(out: &mut Array<i64, 3>) {
    let (i, j, k) = thread_id3();
    out[(i, j, k)] = 10_000 * i + 100 * j + k;
}

#[kernel]
fn index4(out: &mut Array<i64, 4>) {
    let (i, j, k, l) = thread_id4();
    out[(i, j, k, l)] = 1_000_000 * i + 10_000 * j + 100 * k + l;
}

#[kernel]
fn shift(x: &Array<f64>, y: &mut Array<f64>, by: i64) {
    let i = thread_id();
    y[i] = x[i + by];
}

#[kernel]
fn divide(x: &mut Array<i32>) {
    let i = thread_id();
    x[i] = 12 / x[i];
}

#[kernel]
fn prefix(x: &mut Array<f64>) {
    let i = thread_id();
    if i > 0 {
        x[i] += x[i - 1];
    }
}

fn cpu() -> (Device, Stream) {
    let device = Device::cpu();
    (device.clone(), Stream::new(&device))
}

#[test]
fn one_to_four_dimensions() -> Result {
    let (device, mut stream) = cpu();
    let mut two = Array::zeros(&device, [3, 5]);
    stream.launch(&index2([3, 5], &mut two))?;
    assert_eq!(two.get([2, 4])?, 204);
    assert_eq!(two.row(1)?.to_vec()?, [100, 101, 102, 103, 104]);
    let mut three = Array::zeros(&device, [2, 3, 4]);
    stream.launch(&index3((2, 3, 4), &mut three))?;
    assert_eq!(three.get([1, 2, 3])?, 10_203);
    // Enough threads for several calls of the compiled code.
    let mut four = Array::zeros(&device, [9, 20, 21, 22]);
    stream.launch(&index4([9, 20, 21, 22], &mut four))?;
    let all = four.to_vec()?;
    for (n, &found) in (0i64..).zip(&all) {
        let (i, j, k, l) = (n / (20 * 21 * 22), n / (21 * 22) % 20, n / 22 % 21, n % 22);
        assert_eq!(found, 1_000_000 * i + 10_000 * j + 100 * k + l);
    }
    Ok(())
}

#[test]
fn strided_and_transposed_views() -> Result {
    let (device, mut stream) = cpu();
    let x = Array::<i64, 2>::zeros(&device, [4, 6]);
    stream.launch(&index2([6, 4], &mut x.permute([1, 0])?))?;
    assert_eq!(x.get([3, 5])?, 503);
    let x = Array::from_slice(&device, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let y = Array::<f64, 2>::zeros(&device, [3, 3]);
    stream.launch(&add(3, &x.slice_step(0, 1..6, 2)?, &mut y.permute([1, 0])?.row(1)?))?;
    assert_eq!(y.to_vec()?, [0.0, 1.0, 0.0, 0.0, 3.0, 0.0, 0.0, 5.0, 0.0]);
    Ok(())
}

#[test]
fn parts_of_one_array_side_by_side() -> Result {
    let (device, mut stream) = cpu();
    let x = Array::from_slice(&device, &[1.0, 2.0, 10.0, 20.0]);
    stream.launch(&add(2, &x.slice(0, 0..2)?, &mut x.slice(0, 2..4)?))?;
    assert_eq!(x.to_vec()?, [1.0, 2.0, 11.0, 22.0]);
    // Every other element, columns, and blocks of columns.
    stream.launch(&add(2, &x.slice_step(0, 0..4, 2)?, &mut x.slice_step(0, 1..4, 2)?))?;
    assert_eq!(x.to_vec()?, [1.0, 3.0, 11.0, 33.0]);
    let m = x.reshape([2, 2])?;
    stream.launch(&add(2, &m.permute([1, 0])?.row(1)?, &mut m.permute([1, 0])?.row(0)?))?;
    assert_eq!(x.to_vec()?, [4.0, 3.0, 44.0, 33.0]);
    let wide = Array::from_shape(&device, [2, 4], &[1, 2, 3, 4, 5, 6, 7, 8])?;
    stream.copy(&wide.slice(1, 0..2)?, &mut wide.slice(1, 2..4)?)?;
    assert_eq!(wide.to_vec()?, [1, 2, 1, 2, 5, 6, 5, 6]);
    assert!(stream.copy(&wide.slice(1, 0..2)?, &mut wide.slice(1, 1..3)?).is_err());
    assert!(stream.copy(&wide.slice_step(1, 0..4, 2)?, &mut wide.slice_step(1, 0..3, 2)?).is_err());
    Ok(())
}

#[test]
fn overlapping_arguments_are_refused_by_name() -> Result {
    let (device, mut stream) = cpu();
    let x = Array::from_slice(&device, &[1.0, 2.0, 3.0]);
    for (a, b) in [(x.clone(), x.clone()), (x.slice(0, 0..2)?, x.slice(0, 1..3)?)] {
        let error = stream.launch(&add(2, &a, &mut b.clone())).unwrap_err();
        let Error::Aliasing { kernel, first, second, written, .. } = &error else { panic!("{error}") };
        assert_eq!((kernel.as_str(), first.as_str(), second.as_str(), written.as_str()), ("add", "x", "y", "y"));
    }
    assert_eq!(x.to_vec()?, [1.0, 2.0, 3.0]);
    // Read twice is no trouble.
    #[kernel]
    fn both(x: &Array<f64>, y: &Array<f64>, out: &mut Array<f64>) {
        let i = thread_id();
        out[i] = x[i] * y[i];
    }
    let mut out = Array::zeros(&device, [3]);
    stream.launch(&both(3, &x, &x, &mut out))?;
    assert_eq!(out.to_vec()?, [1.0, 4.0, 9.0]);
    Ok(())
}

#[test]
fn an_index_out_of_range_names_everything() -> Result {
    let (device, mut stream) = cpu();
    let x = Array::from_slice(&device, &[1.0, 2.0, 3.0]);
    let mut y = Array::zeros(&device, [3]);
    let error = stream.launch(&shift(3, &x, &mut y, 1)).unwrap_err();
    let Error::OutOfRange { kernel, loc, array, axis, index, len, thread } = &error else { panic!("{error}") };
    assert_eq!((kernel.as_str(), array.as_str()), ("shift", "x"));
    assert_eq!((*axis, *index, *len, *thread), (0, 3, 3, 2));
    assert!(loc.is_some_and(|l| l.to_string().contains("launches.rs:")), "{error}");
    let error = stream.launch(&shift(3, &x, &mut y, -2)).unwrap_err();
    assert!(matches!(error, Error::OutOfRange { index: -2, thread: 0, .. }), "{error}");
    // More threads than elements, where the index is the thread itself.
    let error = stream.launch(&add(70_000, &x, &mut y)).unwrap_err();
    assert!(matches!(&error, Error::OutOfRange { index: 3, len: 3, thread: 3, .. }), "{error}");
    assert!(error.to_string().contains("launches.rs:"), "{error}");
    let mut wide = Array::zeros(&device, [3, 5]);
    let error = stream.launch(&index2([3, 6], &mut wide)).unwrap_err();
    assert!(matches!(&error, Error::OutOfRange { axis: 1, index: 5, len: 5, thread: 5, .. }), "{error}");
    Ok(())
}

#[test]
fn the_first_fault_is_reported_on_any_number_of_cores() -> Result {
    let n = 200_000;
    for cores in [1, 3] {
        let device = Device::cpu_with_threads(cores);
        let mut x = Array::full(&device, [n], 1);
        x.slice(0, 150_000..150_001)?.fill(0)?;
        x.slice(0, 77_777..77_778)?.fill(0)?;
        let error = Stream::new(&device).launch(&divide(n, &mut x)).unwrap_err();
        assert!(matches!(&error, Error::DivisionByZero { thread: 77_777, .. }), "{error}");
        assert!(error.to_string().contains("division by zero"), "{error}");
    }
    Ok(())
}

#[test]
fn launches_of_no_size_and_arrays_of_no_length() -> Result {
    let (device, mut stream) = cpu();
    let empty = Array::<f64>::zeros(&device, [0]);
    let mut y = Array::zeros(&device, [2]);
    stream.launch(&add(0, &empty, &mut y))?;
    stream.launch(&index2([0, 7], &mut Array::zeros(&device, [0, 7])))?;
    let error = stream.launch(&add(1, &empty, &mut y)).unwrap_err();
    assert!(matches!(&error, Error::OutOfRange { len: 0, index: 0, .. }), "{error}");
    Ok(())
}

#[test]
fn wrong_rank_device_and_freed() -> Result {
    let (device, mut stream) = cpu();
    let x = Array::from_slice(&device, &[1.0]);
    let mut y = Array::from_slice(&device, &[1.0]);
    let error = stream.launch(&add([1, 1], &x, &mut y)).unwrap_err();
    assert!(matches!(&error, Error::LaunchRank { expected: 1, found: 2, .. }), "{error}");
    let other = Device::cpu_with_threads(1);
    let error = stream.launch(&add(1, &x.to_device(&other)?, &mut y)).unwrap_err();
    assert!(matches!(&error, Error::Device { array, .. } if array == "x"), "{error}");
    assert!(stream.fill(&mut x.to_device(&other)?, 1.0).is_err());
    assert!(stream.copy(&x.to_device(&other)?, &mut y).is_err());
    x.clone().free();
    for threads in [0, 1] {
        let error = stream.launch(&add(threads, &x, &mut y)).unwrap_err();
        assert!(error.to_string().contains("`x` of kernel `add`"), "{error}");
    }
    assert!(matches!(stream.copy(&x, &mut y), Err(Error::Freed { .. })));
    assert_eq!(y.to_vec()?, [1.0]);
    Ok(())
}

#[test]
fn arguments_that_do_not_fit_the_parameters() -> Result {
    let (device, mut stream) = cpu();
    let mut y = Array::from_slice(&device, &[1.0]);
    let good = shift(1, &Array::from_slice(&device, &[1.0]), &mut y, 0);
    let other = divide(1, &mut Array::from_slice(&device, &[1]));
    let mut call = good.clone();
    call.args = other.args.clone();
    let error = stream.launch(&call).unwrap_err();
    assert!(error.to_string().contains("1 arguments given, but it has 3"), "{error}");
    call.args = Default::default();
    for i in [0, 2, 2] {
        call.args.push(good.args.as_slice()[i].clone());
    }
    let error = stream.launch(&call).unwrap_err();
    assert!(error.to_string().contains("argument `y` is a scalar, but the parameter is an array"), "{error}");
    call.args = Default::default();
    call.args.push(good.args.as_slice()[0].clone());
    call.args.push(other.args.as_slice()[0].clone());
    call.args.push(good.args.as_slice()[2].clone());
    let error = stream.launch(&call).unwrap_err();
    assert!(error.to_string().contains("argument `y` is an array of i32"), "{error}");
    Ok(())
}

#[test]
fn fill_copy_and_write() -> Result {
    let (device, mut stream) = cpu();
    let mut x = Array::<f64, 2>::zeros(&device, [2, 3]);
    let mut y = Array::<f64, 2>::zeros(&device, [3, 2]);
    stream.write(&mut x, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    stream.copy(&x.permute([1, 0])?, &mut y)?;
    assert_eq!(y.to_vec()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    stream.copy(&y, &mut x.permute([1, 0])?)?;
    assert_eq!(x.to_vec()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let (t, mut u) = (y.permute([1, 0])?, Array::<f64, 2>::zeros(&device, [3, 2]));
    stream.copy(&t, &mut u.permute([1, 0])?)?;
    assert_eq!(u.to_vec()?, y.to_vec()?);
    stream.fill(&mut u, 2.0)?;
    assert_eq!(u.to_vec()?, [2.0; 6]);
    assert!(matches!(stream.copy(&x, &mut y), Err(Error::Shape { .. })));
    assert!(matches!(stream.copy(&x.clone(), &mut x), Err(Error::Aliasing { .. })));
    assert!(matches!(stream.write(&mut x, &[1.0]), Err(Error::Shape { .. })));
    Ok(())
}

#[test]
fn threads_that_share_an_array_run_in_order() -> Result {
    let (device, mut stream) = cpu();
    let n = 100_000;
    let mut x = Array::full(&device, [n], 1.0);
    stream.launch(&prefix(n, &mut x))?;
    assert!(x.to_vec()?.iter().enumerate().all(|(i, &v)| v == 1.0 + i as f64));
    Ok(())
}

#[kernel]
fn histogram(x: &Array<f64>, sums: &mut Array<Vec3<f64>, 2>, all: &mut Array<f32>) {
    let i = thread_id();
    let v = x[i];
    atomic_add(sums, (i % 3, i % 2), vec3(v, v * v, sin(v)));
    atomic_add(all, 0, v as f32);
}

#[test]
fn shared_sums_are_the_same_on_any_number_of_cores() -> Result {
    let n = 300_000;
    let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.37).sin()).collect();
    let mut seen = Vec::new();
    for cores in [1, 2, 5] {
        let device = Device::cpu_with_threads(cores);
        // As a contiguous array and as a view with gaps.
        for transposed in [false, true] {
            let shape = if transposed { [4, 3] } else { [3, 2] };
            let whole = Array::full(&device, shape, Vec3::splat(0.5));
            let mut sums = if transposed { whole.permute([1, 0])?.slice_step(1, 0..4, 2)? } else { whole };
            let mut all = Array::from_slice(&device, &[2.0f32]);
            let x = Array::from_slice(&device, &x);
            Stream::new(&device).launch(&histogram(n, &x, &mut sums, &mut all))?;
            seen.push((sums.to_vec()?, all.to_vec()?));
        }
    }
    assert!(seen.iter().all(|s| *s == seen[0]), "{seen:?}");
    for i in 0..3 {
        for j in 0..2 {
            let part = (0..n).filter(|k| k % 3 == i && k % 2 == j).map(|k| x[k]);
            let found = seen[0].0[2 * i + j];
            let want = part.fold([0.5; 3], |s, v| [s[0] + v, s[1] + v * v, s[2] + v.sin()]);
            for (found, want) in [(found.x, want[0]), (found.y, want[1]), (found.z, want[2])] {
                assert!((found - want).abs() < 1e-8, "{found} {want}");
            }
        }
    }
    Ok(())
}

#[test]
fn launches_from_threads_of_another_pool() -> Result {
    use rayon::prelude::*;
    let device = Device::cpu_with_threads(2);
    let n = 300_000;
    let x = Array::full(&device, [n], 1.0);
    let sums: Vec<f64> = (0..16)
        .into_par_iter()
        .map(|k| {
            let mut y = Array::full(&device, [n], k as f64);
            Stream::new(&device).launch(&add(n, &x, &mut y)).unwrap();
            y.get([n - 1]).unwrap()
        })
        .collect();
    assert_eq!(sums, (1..17).map(|k| k as f64).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn a_thread_frees_what_another_launches() {
    let device = Device::cpu();
    for _ in 0..200 {
        let x = Array::<f64>::zeros(&device, [4096]);
        let mut y = Array::<f64>::zeros(&device, [4096]);
        let call = add(4096, &x, &mut y);
        std::thread::scope(|scope| {
            scope.spawn(|| x.free());
            let outcome = Stream::new(&device).launch(&call);
            assert!(matches!(outcome, Ok(()) | Err(Error::Freed { .. })));
        });
    }
}

#[kernel]
fn stencil(a: &Array<f32, 2>, b: &mut Array<f32, 2>) {
    let (i, j) = thread_id2();
    if i > 0 && j > 0 && i < a.shape(0) - 1 && j < a.shape(1) - 1 {
        b[(i, j)] = a[(i - 1, j)] + a[(i + 1, j)] + a[(i, j - 1)] + a[(i, j + 1)];
    }
}

#[kernel]
fn stencil_too_far(a: &Array<f32, 2>, b: &mut Array<f32, 2>) {
    let (i, j) = thread_id2();
    b[(i, j)] = a[(i, j)] + a[(i, j + 1)];
}

/// Checks inside a vectorised loop: they let what is right pass, and find the first thread that is not.
#[test]
fn checks_in_vectorised_loops() {
    let device = Device::cpu();
    let mut stream = Stream::new(&device);
    let (rows, columns) = (37, 501);
    let at = |i: usize, j: usize| (i * columns + j) as f32;
    let values: Vec<f32> = (0..rows * columns).map(|k| k as f32).collect();
    let a = Array::from_shape(&device, [rows, columns], &values).unwrap();
    let mut b = Array::zeros(&device, [rows, columns]);
    stream.launch(&stencil([rows, columns], &a, &mut b)).unwrap();
    let found = b.to_vec().unwrap();
    for i in 0..rows {
        for j in 0..columns {
            let inside = i > 0 && j > 0 && i < rows - 1 && j < columns - 1;
            let sum = if inside { at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) } else { 0.0 };
            assert_eq!(found[i * columns + j], sum, "{i} {j}");
        }
    }
    match stream.launch(&stencil_too_far([rows, columns], &a, &mut b)) {
        Err(Error::OutOfRange { array, axis, index, len, thread, .. }) => {
            assert_eq!((array.as_str(), axis, index, len, thread), ("a", 1, 501, 501, 500));
        }
        other => panic!("{other:?}"),
    }
}
