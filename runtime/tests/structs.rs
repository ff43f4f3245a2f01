//! Structs, enums, local arrays and functions with rules of their own, run and differentiated.
use pullback_lang::*;
use pullback_runtime::{Array, Device, Error, Launch, Stream, Tape};
use std::sync::{Arc, Mutex};

type Result<T = ()> = std::result::Result<T, Error>;

#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, KernelEnum)]
enum Kind {
    Free,
    Fixed,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
struct Link {
    gain: f64,
    other: i64,
    on: bool,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
struct Body {
    kind: Kind,
    position: Vec3<f64>,
    links: [Link; 2],
    mass: f64,
}

fn body(k: f64, kind: Kind, to: [i64; 2]) -> Body {
    Body {
        kind,
        position: Vec3::new(k, 0.5 - k, 0.25 * k),
        links: [Link { gain: 0.5 + k, other: to[0], on: true }, Link { gain: -1.5, other: to[1], on: k > 1.0 }],
        mass: 2.0 - 0.25 * k,
    }
}

fn bodies() -> Vec<Body> {
    vec![body(0.3, Kind::Free, [1, 2]), body(1.1, Kind::Fixed, [0, 2]), body(1.7, Kind::Free, [1, 0])]
}

#[func]
fn pull(a: Body, b: Body, gain: f64) -> Vec3<f64> {
    (b.position - a.position) * (gain * b.mass)
}

#[kernel]
fn step(from: &Array<Body>, to: &mut Array<Body>, dt: f64) {
    let i = thread_id();
    let mut b = from[i];
    match b.kind {
        Kind::Fixed => {}
        Kind::Free => {
            for k in 0..2 {
                let link = b.links[k];
                if link.on {
                    b.position += pull(b, from[link.other], link.gain) * dt;
                    b.links[k].gain *= 1.0 + dt * b.position.x;
                }
            }
        }
    }
    b.mass += dt * b.links[1].gain * b.mass;
    to[i] = b;
}

#[kernel]
fn outcome(bodies: &Array<Body>, y: &mut Array<f64>) {
    let b = bodies[thread_id()];
    atomic_add(y, 0, b.position.length_sq() * b.mass + sin(b.links[0].gain) * b.links[1].gain);
}

fn run(launch: &mut impl Launch, bodies: &mut Array<Body>, y: &mut Array<f64>) -> Result {
    let mut next = bodies.duplicate()?;
    for _ in 0..3 {
        launch.launch(&step(3, bodies, &mut next, 0.125))?;
        launch.launch(&step(3, &next, bodies, 0.0625))?;
    }
    launch.launch(&outcome(3, bodies, y))
}

fn value(start: &[Body]) -> Result<f64> {
    let device = Device::cpu();
    let (mut x, mut y) = (Array::from_slice(&device, start), Array::zeros(&device, [1]));
    run(&mut Stream::new(&device), &mut x, &mut y)?;
    Ok(y.to_vec()?[0])
}

#[test]
fn the_gradient_of_an_array_of_structs_is_one() -> Result {
    let device = Device::cpu();
    let start = bodies();
    let (mut x, mut y) = (Array::from_slice(&device, &start), Array::zeros(&device, [1]));
    assert_eq!(x.to_vec()?, start);
    let mut tape = Tape::new(&device);
    run(&mut tape, &mut x, &mut y)?;
    tape.backward(&y)?;
    let grad = tape.grad(&x)?.to_vec()?;
    let change = |at: usize, f: &dyn Fn(&mut Body, f64)| -> Result<f64> {
        let h = 1e-5;
        let (mut a, mut b) = (start.clone(), start.clone());
        f(&mut a[at], -h);
        f(&mut b[at], h);
        Ok((value(&b)? - value(&a)?) / (2.0 * h))
    };
    for (i, g) in grad.iter().enumerate() {
        let expected = [
            (g.position.x, change(i, &|b, h| b.position.x += h)?),
            (g.position.z, change(i, &|b, h| b.position.z += h)?),
            (g.links[0].gain, change(i, &|b, h| b.links[0].gain += h)?),
            (g.links[1].gain, change(i, &|b, h| b.links[1].gain += h)?),
            (g.mass, change(i, &|b, h| b.mass += h)?),
        ];
        for (got, wanted) in expected {
            assert!((got - wanted).abs() < 1e-8 * (1.0 + wanted.abs()), "{i}: {got} {wanted}");
        }
        assert_eq!((g.kind, g.links[0].other, g.links[0].on), (Kind::Free, 0, false));
    }
    assert!(grad[0].mass != 0.0 && grad[2].links[0].gain != 0.0);
    Ok(())
}

#[test]
fn arrays_of_structs_as_arrays() -> Result {
    let device = Device::cpu();
    let mut x = Array::full(&device, [4], body(1.0, Kind::Fixed, [7, 8]));
    let view = x.slice(0, 1..3)?;
    let mut stream = Stream::new(&device);
    x.fill(body(2.0, Kind::Free, [1, 1]))?;
    assert_eq!(view.to_vec()?, [body(2.0, Kind::Free, [1, 1]); 2]);
    stream.fill(&mut x, body(0.0, Kind::Fixed, [0, 1]))?;
    assert_eq!(x.get([3])?, body(0.0, Kind::Fixed, [0, 1]));
    let zeros: Array<Body> = Array::zeros(&device, [2]);
    assert_eq!(zeros.to_vec()?[1].kind, Kind::Free);
    Ok(())
}

#[derive(KernelStruct)]
struct Springs {
    rest: Array<f64>,
    ends: Array<[i64; 2]>,
    stiffness: f64,
}

#[derive(KernelStruct)]
struct Net {
    position: Array<Vec3<f64>>,
    #[arrays]
    springs: Springs,
    anchor: Vec3<f64>,
}

#[func]
fn force(springs: &Springs, position: &Array<Vec3<f64>>, i: i64) -> f64 {
    let e = springs.ends[i];
    springs.stiffness * (length(position[e[1]] - position[e[0]]) - springs.rest[i])
}

#[kernel]
fn relax(net: &mut Net, y: &mut Array<f64>) {
    let i = thread_id();
    let f = force(&net.springs, &net.position, i);
    net.springs.rest[i] += 0.5 * f * length(net.position[i] - net.anchor);
    atomic_add(y, 0, net.springs.rest[i] * f);
}

#[test]
fn structs_of_arrays() -> Result {
    let device = Device::cpu();
    let place = |k: usize| Vec3::new(k as f64, 0.5 * (k * k) as f64, 0.25);
    let start: Vec<_> = (0..4).map(place).collect();
    let net = |rest: &[f64], device: &Device| Net {
        position: Array::from_slice(device, &start),
        springs: Springs {
            rest: Array::from_slice(device, rest),
            ends: Array::from_slice(device, &[[0, 1], [1, 3], [2, 0]]),
            stiffness: 1.5,
        },
        anchor: Vec3::new(0.0, -1.0, 0.0),
    };
    let rest = [0.5, 0.75, 1.25];
    let value = |rest: &[f64]| -> Result<f64> {
        let (mut net, mut y) = (net(rest, &device), Array::zeros(&device, [1]));
        Stream::new(&device).launch(&relax(3, &mut net, &mut y))?;
        Ok(y.to_vec()?[0])
    };
    let (mut net, mut y) = (net(&rest, &device), Array::zeros(&device, [1]));
    let mut tape = Tape::new(&device);
    tape.launch(&relax(3, &mut net, &mut y))?;
    tape.backward(&y)?;
    assert!(net.springs.rest.to_vec()? != rest);
    for (i, g) in tape.grad(&net.springs.rest)?.to_vec()?.into_iter().enumerate() {
        let (mut a, mut b) = (rest, rest);
        (a[i], b[i]) = (a[i] - 1e-5, b[i] + 1e-5);
        let wanted = (value(&b)? - value(&a)?) / 2e-5;
        assert!((g - wanted).abs() < 1e-8 * wanted.abs(), "{g} {wanted}");
    }
    Ok(())
}

#[kernel]
fn local_arrays(x: &Array<f64>, k: &Array<i64>, y: &mut Array<f64>) {
    let i = thread_id();
    let mut a = [x[0], x[1], 0.5];
    let mut grid = [[1.0; 3]; 2];
    for j in 0..a.len() {
        a[k[j]] += a[j] * x[j];
        grid[k[j] % 2][j] *= a[k[i]];
        grid[1][(k[j] + i) % 3] -= 0.5;
    }
    let mut v = [Vec3::splat(x[2]); 2];
    v[k[i] % 2].y = a[2];
    let mut s = 0.0;
    for j in 0..3 {
        s += grid[0][j] * grid[1][j] + a[j];
    }
    y[i] = s * length(v[0] + v[1]);
}

/// Central differences of what `kernel` makes of `x`, against the tape.
fn check(x: &[f64], weights: &[f64], kernel: impl Fn(&Array<f64>, &mut Array<f64>) -> Call) -> Result<Vec<f64>> {
    let device = Device::cpu();
    let n = weights.len();
    let value = |x: &[f64]| -> Result<Vec<f64>> {
        let mut y = Array::zeros(&device, [n]);
        Stream::new(&device).launch(&kernel(&Array::from_slice(&device, x), &mut y))?;
        y.to_vec()
    };
    let (array, mut y) = (Array::from_slice(&device, x), Array::zeros(&device, [n]));
    let mut tape = Tape::new(&device);
    tape.launch(&kernel(&array, &mut y))?;
    tape.backward_with(&[(&y, &Array::from_slice(&device, weights))])?;
    let grad = tape.grad(&array)?.to_vec()?;
    for (i, g) in grad.iter().enumerate() {
        let h = 1e-6;
        let at = |d: f64| {
            let mut x = x.to_vec();
            x[i] += d;
            value(&x)
        };
        let (a, b) = (at(-h)?, at(h)?);
        let wanted: f64 = (0..n).map(|k| weights[k] * (b[k] - a[k]) / (2.0 * h)).sum();
        assert!((g - wanted).abs() < 1e-7 * (1.0 + wanted.abs()), "{i}: {g} {wanted}");
    }
    Ok(grad)
}

#[test]
fn local_arrays_are_differentiated() -> Result {
    let device = Device::cpu();
    let k = Array::from_slice(&device, &[2, 0, 1]);
    check(&[0.7, -1.2, 0.4], &[1.0, -0.5, 2.0], |x, y| local_arrays(3, x, &k, y))?;
    let k = Array::from_slice(&device, &[0, 3, 1]);
    let (x, mut y) = (Array::from_slice(&device, &[1.0, 2.0, 3.0]), Array::zeros(&device, [3]));
    let message = match Stream::new(&device).launch(&local_arrays(3, &x, &k, &mut y)) {
        Ok(()) => panic!("index 3 of three"),
        Err(e) => e.to_string(),
    };
    assert!(message.contains("structs.rs:") && message.contains('3'), "{message}");
    Ok(())
}

/// The root of z³ + a z = b for positive a, by Newton's method.
#[func]
#[adjoint(root_adjoint)]
fn root(a: f64, b: f64, steps: i64) -> f64 {
    let mut z = 0.0;
    for _ in 0..steps {
        z -= (z * z * z + a * z - b) / (3.0 * z * z + a);
    }
    z
}

/// By the implicit function theorem.
#[func]
fn root_adjoint(a: f64, _b: f64, _steps: i64, z: f64, dz: f64) -> (f64, f64) {
    let w = dz / (3.0 * z * z + a);
    (-z * w, w)
}

/// x in polar form; its rule gives twice the gradient, to be told from the usual one.
#[func]
#[adjoint(polar_adjoint)]
fn polar(x: Vec2<f64>) -> (f64, Vec2<f64>, i64) {
    let r = length(x);
    (r, x / r, if x.x > 0.0 { 1 } else { -1 })
}

#[func]
fn polar_adjoint(_x: Vec2<f64>, r: f64, n: Vec2<f64>, _side: i64, dr: f64, dn: Vec2<f64>) -> Vec2<f64> {
    2.0 * (n * dr + (dn - n * dot(n, dn)) / r)
}

#[func]
#[no_grad]
fn frozen(x: f64) -> (f64, i64) {
    (x * x, 3)
}

#[kernel]
fn rules(x: &Array<f64>, y: &mut Array<f64>) {
    let z = root(x[0] * x[0], x[1], 30);
    y[0] = z * sin(x[0]);
    for k in 0..3 {
        if k > 0 {
            y[0] += root(x[2], z, 20 + k);
        }
    }
}

#[kernel]
fn doubled(x: &Array<f64>, y: &mut Array<f64>) {
    let (r, n, side) = polar(Vec2::new(x[0], x[1]));
    y[0] = r * r + side as f64 * n.y;
    let (f, three) = frozen(x[2]);
    y[1] = f * detach(Vec2::new(x[0], x[1])).x * three as f64 + x[0] * detach(x[0]);
}

#[test]
fn functions_with_rules_of_their_own() -> Result {
    check(&[1.3, 0.7, 2.1], &[1.5], |x, y| rules(1, x, y))?;
    let device = Device::cpu();
    let (x, mut y) = (Array::from_slice(&device, &[3.0, 4.0, 2.0]), Array::zeros(&device, [2]));
    let mut tape = Tape::new(&device);
    tape.launch(&doubled(1, &x, &mut y))?;
    tape.backward_with(&[(&y, &Array::from_slice(&device, &[1.0, 1.0]))])?;
    assert_eq!(y.to_vec()?, [25.8, 36.0 + 9.0]);
    // d(r²) = 2 x, d(n_y) = (-x y, x²) / r³.
    let wanted = [2.0 * (6.0 - 12.0 / 125.0) + 3.0, 2.0 * (8.0 + 9.0 / 125.0), 0.0];
    for (g, w) in tape.grad(&x)?.to_vec()?.into_iter().zip(wanted) {
        assert!((g - w).abs() < 1e-12, "{g} {w}");
    }
    Ok(())
}

#[kernel]
fn chatty(x: &Array<f64>, limit: f64) {
    let i = thread_id();
    let v = Vec2::new(x[i], 0.5);
    println!("{} at {i}: {v:.2}, {{{1:?}}}", x[i] > 0.0, v.y as f32);
    println!("done");
    assert!(x[i] < limit, "x is below the limit");
    assert_eq!(i, i + 0);
}

#[test]
fn prints_and_assertions() -> Result {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    pullback_runtime::set_printer(Some(Box::new(move |line| {
        if let Ok(mut lines) = sink.lock() {
            lines.push(line.to_owned());
        }
    })));
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[1.0, -2.0]);
    Stream::new(&device).launch(&chatty(2, &x, 5.0))?;
    let error = Stream::new(&device).launch(&chatty(2, &x, 0.0));
    pullback_runtime::set_printer(None);
    let lines = lines.lock().map(|l| l.clone()).unwrap_or_default();
    let message = error.map_err(|e| e.to_string());
    assert!(lines[0].contains("true at 0: [1.00, 0.50], {0.5}"), "{lines:?}");
    assert!(lines[2].contains("false at 1: [-2.00, 0.50]") && lines[3].contains("done"), "{lines:?}");
    let Err(message) = message else { panic!("1 is not below 0") };
    for part in ["chatty", "structs.rs:", "x is below the limit"] {
        assert!(message.contains(part), "{message}");
    }
    Ok(())
}
