//! The edges of the runtime: arrays longer than memory but empty, blocks of one array side by side, one
//! array given several times, numbers as Rust has them, loops and chains of many threads.
use pullback_lang::*;
use pullback_runtime::{Array, Device, Error, Launch, Stream, Tape};

type Result<T = ()> = std::result::Result<T, Error>;

#[kernel]
fn triple(a: &Array<f64>, b: &Array<f64>, c: &Array<f64>, out: &mut Array<f64>) {
    let i = thread_id();
    out[i] = a[i] * b[i] * c[i];
}
#[kernel]
fn sum(x: &Array<f64>, total: &mut Array<f64>) {
    atomic_add(total, 0, x[thread_id()]);
}
#[kernel]
fn only_read(a: &mut Array<f64>, b: &mut Array<f64>, out: &mut Array<f64>) {
    let i = thread_id();
    out[i] = a[i] * b[i] * b[i];
}

#[test]
fn one_array_three_times() -> Result {
    let device = Device::cpu();
    let mut tape = Tape::new(&device);
    let x = Array::from_slice(&device, &[1.0, 2.0, 3.0, 4.0, 5.0]);
    let (mut out, mut loss) = (Array::zeros(&device, [3]), Array::zeros(&device, [1]));
    tape.launch(&triple(3, &x.slice(0, 0..3)?, &x.slice(0, 1..4)?, &x.slice(0, 2..5)?, &mut out))?;
    tape.launch(&sum(3, &out, &mut loss))?;
    tape.launch(&triple(3, &x, &x, &x, &mut out))?;
    tape.launch(&sum(3, &out, &mut loss))?;
    tape.backward(&loss)?;
    // d/dx of x0x1x2 + x1x2x3 + x2x3x4, plus 3x^2 for the first three.
    let want = [6.0 + 3.0, 3.0 + 12.0 + 12.0, 2.0 + 8.0 + 20.0 + 27.0, 6.0 + 15.0, 12.0];
    assert_eq!(tape.grad(&x)?.to_vec()?, want);
    // `&mut` that is not written may be given twice.
    tape.reset();
    let mut loss = Array::zeros(&device, [1]);
    tape.launch(&only_read(3, &mut x.clone(), &mut x.clone(), &mut out))?;
    tape.launch(&sum(3, &out, &mut loss))?;
    tape.backward(&loss)?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [3.0, 12.0, 27.0, 0.0, 0.0]);
    Ok(())
}

#[test]
fn huge_and_empty() -> Result {
    let device = Device::cpu();
    let x = Array::<f64, 3>::zeros(&device, [0, 1 << 60, 8]);
    let y = x.slice_step(1, (1 << 59)..(1 << 60), 1 << 58)?;
    assert_eq!(y.shape(), [0, 2, 8]);
    assert!(x.get([0, (1 << 60) - 1, 7]).is_err());
    assert!(x.permute([2, 1, 0])?.get([7, (1 << 60) - 1, 0]).is_err());
    assert_eq!(x.permute([1, 0, 2])?.row((1 << 60) - 1)?.shape(), [0, 8]);
    assert!(x.to_vec()?.is_empty());
    assert_eq!(x.cast_elements::<Vec2<f64>>()?.shape(), [0, 1 << 60, 4]);
    let longer = Array::<f64, 2>::zeros(&device, [0, 1 << 62]).cast_elements::<Vec2<f64>>();
    assert!(matches!(longer, Err(Error::Shape { .. })));
    assert!(matches!(Array::from_shape(&device, [usize::MAX, 2], &[1.0]), Err(Error::Shape { .. })));
    Ok(())
}

#[kernel]
fn heavy_sum(x: &Array<f64>, empty: &mut Array<f64, 3>) {
    let v = x[thread_id()];
    atomic_add(empty, (0, 0, 0), v);
}
#[test]
fn sums_into_nothing() -> Result {
    let device = Device::cpu();
    let x = Array::full(&device, [300_000], 1.0);
    for shape in [[0, 1 << 60, 8], [0, 0, 0], [0, 3, 4]] {
        let mut empty = Array::<f64, 3>::zeros(&device, shape);
        let error = Stream::new(&device).launch(&heavy_sum(300_000, &x, &mut empty)).unwrap_err();
        assert!(matches!(error, Error::OutOfRange { thread: 0, axis: 0, len: 0, .. }), "{error}");
    }
    Ok(())
}

#[kernel]
fn chain(x: &mut Array<f64>) {
    let i = thread_id();
    if i > 0 {
        x[i] = sin(x[i - 1]) * x[i] + 0.3;
    }
}

#[test]
fn a_chain_of_many_threads() -> Result {
    let n = 70_001;
    let start: Vec<f64> = (0..n).map(|i| (i as f64 * 0.61).sin() + 1.0).collect();
    for cores in [1, 2] {
        let device = Device::cpu_with_threads(cores);
        let mut tape = Tape::new(&device);
        let mut x = Array::from_slice(&device, &start);
        tape.launch(&chain(n, &mut x))?;
        let end = x.to_vec()?;
        let mut y = start.clone();
        for i in 1..n {
            y[i] = y[i - 1].sin() * y[i] + 0.3;
        }
        assert_eq!(end, y);
        tape.backward_with(&[(&x, &Array::full(&device, [n], 1.0))])?;
        let mut g = vec![1.0; n];
        for i in (1..n).rev() {
            let ct = g[i];
            g[i] = ct * y[i - 1].sin();
            g[i - 1] += ct * y[i - 1].cos() * start[i];
        }
        let found = tape.grad(&x)?.to_vec()?;
        for i in 0..n {
            assert!((found[i] - g[i]).abs() < 1e-12 * g[i].abs().max(1.0), "{i} {} {}", found[i], g[i]);
        }
    }
    Ok(())
}

#[kernel]
fn looped(x: &mut Array<f64, 2>, steps: &Array<i32>) {
    let (i, j) = thread_id2();
    for k in 0..steps[j] {
        x[(i, j)] = sin(x[(i, j)]) * (1.0 + 0.1 * k as f64);
    }
}

#[test]
fn loops_in_place_in_two_dimensions() -> Result {
    let (r, c) = (300, 301);
    let start: Vec<f64> = (0..r * c).map(|i| (i as f64 * 0.61).sin() + 1.0).collect();
    let steps: Vec<i32> = (0..c as i32).map(|j| j % 5 - 1).collect();
    let mut seen = Vec::new();
    for cores in [1, 2, 3] {
        let device = Device::cpu_with_threads(cores);
        for transposed in [false, true] {
            let mut tape = Tape::new(&device);
            let x = match transposed {
                false => Array::from_shape(&device, [r, c], &start)?,
                true => {
                    let x = Array::<f64, 2>::zeros(&device, [c, r + 5]);
                    let mut view = x.slice(1, 3..r + 3)?.permute([1, 0])?;
                    view.copy_from_slice(&start)?;
                    view
                }
            };
            let mut n = Array::from_slice(&device, &steps);
            tape.launch(&looped([r, c], &mut x.clone(), &n))?;
            // The number of steps changes, on the tape, before the walk back.
            tape.fill(&mut n, 0)?;
            let end = x.to_vec()?;
            tape.backward_with(&[(&x, &Array::full(&device, [r, c], 1.0))])?;
            let g = tape.grad(&x)?.to_vec()?;
            assert_eq!(tape.grad(&n)?.to_vec()?, vec![0; c]);
            seen.push((end, g));
        }
    }
    assert!(seen.iter().all(|s| *s == seen[0]));
    for i in 0..r * c {
        let (mut v, mut d) = (start[i], 1.0);
        for k in 0..steps[i % c].max(0) {
            d *= v.cos() * (1.0 + 0.1 * f64::from(k));
            v = v.sin() * (1.0 + 0.1 * f64::from(k));
        }
        assert_eq!(seen[0].0[i], v);
        assert!((seen[0].1[i] - d).abs() < 1e-13 * d.abs().max(1.0), "{i} {} {d}", seen[0].1[i]);
    }
    Ok(())
}

#[kernel]
fn add3(x: &Array<f64, 3>, y: &mut Array<f64, 3>) {
    let (i, j, k) = thread_id3();
    y[(i, j, k)] += x[(i, j, k)];
}

#[test]
fn blocks_of_a_grid() -> Result {
    let device = Device::cpu();
    let mut stream = Stream::new(&device);
    let x = Array::full(&device, [2, 3, 4], 1.0);
    stream.launch(&add3([2, 3, 2], &x.slice(2, 0..2)?, &mut x.slice(2, 2..4)?))?;
    stream.launch(&add3([2, 3, 2], &x.slice_step(2, 0..4, 2)?, &mut x.slice_step(2, 1..4, 2)?))?;
    assert_eq!(x.row(1)?.row(2)?.to_vec()?, [1.0, 2.0, 2.0, 4.0]);
    Ok(())
}

/// Parts of an array by random slices: what is accepted never shares an element, and what shares one never
/// is.
#[test]
fn what_overlaps_is_refused() -> Result {
    let device = Device::cpu();
    let mut stream = Stream::new(&device);
    let mut s = 7u64;
    let mut random = |n: usize| {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        (s % n as u64) as usize
    };
    let (mut accepted, mut refused, mut needlessly) = (0, 0, 0);
    for _ in 0..4000 {
        let all: Vec<i32> = (0..120).collect();
        let whole = Array::from_slice(&device, &all).reshape([[4, 5, 6], [2, 3, 20], [10, 6, 2]][random(3)])?;
        let mut view = || -> Result<Array<i32, 3>> {
            let mut view = whole.clone();
            for axis in 0..3 {
                let len = view.shape()[axis];
                let start = random(len);
                let end = start + 1 + random(len - start);
                view = view.slice_step(axis, start..end, 1 + random(3))?;
            }
            view.permute([[0, 1, 2], [2, 0, 1], [1, 0, 2]][random(3)])
        };
        let (a, mut b) = (view()?, view()?);
        #[kernel]
        fn one(a: &Array<i32, 3>, b: &mut Array<i32, 3>) {
            b[(0, 0, 0)] += 0 * a[(0, 0, 0)];
        }
        let (of_a, of_b) = (a.to_vec()?, b.to_vec()?);
        let meet = of_a.iter().any(|v| of_b.contains(v));
        match stream.launch(&one(1, &a, &mut b)) {
            Ok(()) => {
                assert!(!meet, "{a:?} {b:?}");
                accepted += 1;
            }
            Err(Error::Aliasing { .. }) => {
                refused += 1;
                needlessly += usize::from(!meet);
            }
            Err(error) => return Err(error),
        }
    }
    assert!(accepted > 3000 && refused > 400 && needlessly < 200, "{needlessly}");
    Ok(())
}

#[kernel]
fn convert(
    f: &Array<f64>,
    g: &Array<f32>,
    u: &Array<u64>,
    a: &mut Array<i32>,
    b: &mut Array<u32>,
    c: &mut Array<i64>,
    d: &mut Array<u64>,
    e: &mut Array<f32>,
    h: &mut Array<f64>,
    t: &mut Array<bool>,
) {
    let i = thread_id();
    a[i] = f[i] as i32 ^ g[i] as i32 ^ u[i] as i32;
    b[i] = f[i] as u32 ^ g[i] as u32 ^ u[i] as u32;
    c[i] = f[i] as i64 ^ g[i] as i64 ^ u[i] as i64;
    d[i] = f[i] as u64 ^ g[i] as u64 ^ (u[i] as i32) as u64 ^ (u[i] as u32) as u64;
    e[i] = u[i] as f32 + (u[i] as i64) as f32 + f[i] as f32;
    h[i] = u[i] as f64 + (u[i] as i64) as f64 + g[i] as f64 + (u[i] as i32) as f64 + (u[i] as u32) as f64;
    t[i] = !t[i] ^ (u[i] as i32 > 0);
}

#[test]
fn conversions_are_rusts() -> Result {
    let device = Device::cpu();
    let mut s = 12345u64;
    let mut random = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        s
    };
    let n = 100_003;
    let u: Vec<u64> = (0..n)
        .map(|_| {
            let r = random();
            let k = random() % 64;
            r >> k
        })
        .collect();
    let f: Vec<f64> = (0..n)
        .map(|i| if i % 3 == 0 { f64::from_bits(random()) } else { (random() as i64 >> (random() % 60)) as f64 * 0.5 })
        .collect();
    let g: Vec<f32> = (0..n)
        .map(|i| {
            if i % 3 == 0 { f32::from_bits(random() as u32) } else { (random() as i64 >> (random() % 60)) as f32 * 0.5 }
        })
        .collect();
    let flags: Vec<bool> = (0..n).map(|_| random() & 1 == 1).collect();
    let (fa, ga, ua) = (Array::from_slice(&device, &f), Array::from_slice(&device, &g), Array::from_slice(&device, &u));
    let (mut a, mut b, mut c, mut d) = (
        Array::zeros(&device, [n]),
        Array::zeros(&device, [n]),
        Array::zeros(&device, [n]),
        Array::zeros(&device, [n]),
    );
    let (mut e, mut h, mut t) =
        (Array::zeros(&device, [n]), Array::zeros(&device, [n]), Array::from_slice(&device, &flags));
    Tape::new(&device).launch(&convert(n, &fa, &ga, &ua, &mut a, &mut b, &mut c, &mut d, &mut e, &mut h, &mut t))?;
    let (a, b, c, d, e, h, t) =
        (a.to_vec()?, b.to_vec()?, c.to_vec()?, d.to_vec()?, e.to_vec()?, h.to_vec()?, t.to_vec()?);
    for i in 0..n {
        let (f, g, u) = (f[i], g[i], u[i]);
        assert_eq!(a[i], f as i32 ^ g as i32 ^ u as i32);
        assert_eq!(b[i], f as u32 ^ g as u32 ^ u as u32);
        assert_eq!(c[i], f as i64 ^ g as i64 ^ u as i64);
        assert_eq!(d[i], f as u64 ^ g as u64 ^ (u as i32) as u64 ^ (u as u32) as u64);
        let want = u as f32 + (u as i64) as f32 + f as f32;
        assert!(e[i].to_bits() == want.to_bits() || want.is_nan() && e[i].is_nan());
        let want = u as f64 + (u as i64) as f64 + g as f64 + (u as i32) as f64 + (u as u32) as f64;
        assert!(h[i].to_bits() == want.to_bits() || want.is_nan() && h[i].is_nan());
        assert_eq!(t[i], !flags[i] ^ (u as i32 > 0));
    }
    Ok(())
}

#[kernel]
fn integers(
    x: &Array<i32>,
    y: &Array<i32>,
    p: &Array<u64>,
    q: &Array<u64>,
    a: &mut Array<i32>,
    b: &mut Array<u64>,
    c: &mut Array<i64>,
) {
    let i = thread_id();
    a[i] = (x[i] / y[i])
        ^ (x[i] % y[i])
        ^ (x[i] << y[i])
        ^ (x[i] >> y[i])
        ^ (x[i] * y[i])
        ^ -x[i]
        ^ !y[i]
        ^ min(x[i], y[i])
        ^ abs(x[i]);
    b[i] = (p[i] / q[i])
        ^ (p[i] % q[i])
        ^ (p[i] << q[i])
        ^ (p[i] >> q[i])
        ^ (p[i] * q[i])
        ^ max(p[i], q[i])
        ^ (p[i] - q[i]);
    let (m, n) = (p[i] as i64, q[i] as i64);
    c[i] = (m / n)
        ^ (m % n)
        ^ (m << n)
        ^ (m >> n)
        ^ (m * n)
        ^ (m & n)
        ^ (m | n)
        ^ (m / -1)
        ^ (m % -1)
        ^ (m / 7)
        ^ (m % 1000);
}

#[test]
fn integers_are_rusts() -> Result {
    let device = Device::cpu();
    let mut s = 99u64;
    let mut random = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        let r = s;
        match r >> 60 {
            0 => 1 << 63,
            1 => u64::MAX,
            2 => 1 << 31,
            3 => 1,
            4 => 7,
            _ => r >> (r % 61),
        }
    };
    let n = 20_011;
    let not_zero = |v: u64| if v as i32 == 0 { 3 } else { v };
    let p: Vec<u64> = (0..n).map(|_| random()).collect();
    let q: Vec<u64> = (0..n).map(|_| not_zero(random())).collect();
    let x: Vec<i32> = p.iter().map(|&v| v as i32).collect();
    let y: Vec<i32> = q.iter().map(|&v| v as i32).collect();
    let (mut a, mut b, mut c) = (Array::zeros(&device, [n]), Array::zeros(&device, [n]), Array::zeros(&device, [n]));
    let f = |v: &[u64]| Array::from_slice(&device, v);
    Stream::new(&device).launch(&integers(
        n,
        &Array::from_slice(&device, &x),
        &Array::from_slice(&device, &y),
        &f(&p),
        &f(&q),
        &mut a,
        &mut b,
        &mut c,
    ))?;
    let (a, b, c) = (a.to_vec()?, b.to_vec()?, c.to_vec()?);
    for i in 0..n {
        let (x, y, p, q) = (x[i], y[i], p[i], q[i]);
        let want = x.wrapping_div(y)
            ^ x.wrapping_rem(y)
            ^ x.wrapping_shl(y as u32)
            ^ x.wrapping_shr(y as u32)
            ^ x.wrapping_mul(y)
            ^ x.wrapping_neg()
            ^ !y
            ^ x.min(y)
            ^ x.wrapping_abs();
        assert_eq!(a[i], want, "{x} {y}");
        let want = (p / q)
            ^ (p % q)
            ^ p.wrapping_shl(q as u32)
            ^ p.wrapping_shr(q as u32)
            ^ p.wrapping_mul(q)
            ^ p.max(q)
            ^ p.wrapping_sub(q);
        assert_eq!(b[i], want, "{p} {q}");
        let (m, n) = (p as i64, q as i64);
        let want = m.wrapping_div(n)
            ^ m.wrapping_rem(n)
            ^ m.wrapping_shl(n as u32)
            ^ m.wrapping_shr(n as u32)
            ^ m.wrapping_mul(n)
            ^ (m & n)
            ^ (m | n)
            ^ m.wrapping_div(-1)
            ^ m.wrapping_rem(-1)
            ^ (m / 7)
            ^ (m % 1000);
        assert_eq!(c[i], want, "{m} {n}");
    }
    Ok(())
}

#[kernel]
fn gather(x: &Array<Vec3<f64>>, at: &mut Array<u32>, out: &mut Array<f64>) {
    let i = thread_id();
    let k = at[i] as i64;
    out[i] += x[k].x * x[k].z;
    at[i] = (at[i] * 5 + 1) % 4;
}

#[test]
fn indices_that_change() -> Result {
    let device = Device::cpu();
    let mut tape = Tape::new(&device);
    let flat: Vec<f64> = (0..12).map(|i| i as f64).collect();
    let x = Array::from_slice(&device, &flat);
    let vectors = x.cast_elements::<Vec3<f64>>()?;
    let mut at = Array::from_slice(&device, &[0u32, 1, 3]);
    let mut out = Array::zeros(&device, [3]);
    let mut want = vec![0.0; 12];
    let mut host = [0u32, 1, 3];
    for _ in 0..10_000 {
        tape.launch(&gather(3, &vectors, &mut at, &mut out))?;
        for k in &mut host {
            let v = 3 * *k as usize;
            want[v] += flat[v + 2];
            want[v + 2] += flat[v];
            *k = (*k * 5 + 1) % 4;
        }
    }
    let seed = Array::full(&device, [3], 1.0);
    tape.backward_with(&[(&out, &seed)])?;
    assert_eq!(tape.grad(&x)?.to_vec()?, want);
    let g = tape.grad(&vectors.slice_step(0, 1..4, 2)?)?.to_vec()?;
    assert_eq!((g[1].x, g[1].y, g[1].z), (want[9], 0.0, want[11]));
    // Only the indices are saved, once a launch.
    assert_eq!(tape.memory().saved, 10_000 * 12);
    Ok(())
}

#[test]
fn copies_between_views_of_one_buffer() -> Result {
    let device = Device::cpu();
    let mut tape = Tape::new(&device);
    let m = Array::from_shape(&device, [3, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])?;
    let t = m.permute([1, 0])?;
    tape.copy(&t.row(0)?, &mut t.row(2)?)?;
    tape.copy(&m.row(1)?, &mut m.row(0)?)?;
    let seed = Array::from_shape(&device, [3, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])?;
    tape.backward_with(&[(&m, &seed)])?;
    // Row 0 adds to row 1 and is cut, then column 2 adds to column 0 and is cut.
    assert_eq!(tape.grad(&m)?.to_vec()?, [0.0, 0.0, 0.0, 5.0 + 9.0, 7.0, 0.0, 7.0 + 9.0, 8.0, 0.0]);
    Ok(())
}

#[kernel]
fn every(x: &mut Array<f64>, n: i64) {
    for i in (0..10).step_by(n) {
        x[0] += i as f64;
    }
}

#[test]
fn a_step_that_is_not_positive_is_an_error() -> Result {
    // Counted as 1 without a word; Rust's own `step_by(0)` panics.
    let device = Device::cpu();
    let mut stream = Stream::new(&device);
    for (n, sum) in [(1, 45.0), (3, 18.0), (11, 0.0)] {
        let mut x = Array::zeros(&device, [1]);
        stream.launch(&every(1, &mut x, n))?;
        assert_eq!(x.to_vec()?, [sum]);
    }
    for n in [0, -2, i64::MIN] {
        let mut x = Array::zeros(&device, [1]);
        let error = stream.launch(&every(1, &mut x, n)).unwrap_err().to_string();
        assert!(error.contains("edges.rs") && error.ends_with("a step must be positive (thread 0)"), "{error}");
    }
    Ok(())
}
