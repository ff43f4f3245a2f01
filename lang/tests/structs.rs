//! Structs and enums of the user's in kernels, run on the reference interpreter.

mod common;

use common::{Array, floats, interpret};
use pullback_ir::interp::{Arg, ArrayData};
use pullback_ir::{Constant, Kernel, OpKind};
use pullback_lang::*;

#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, KernelEnum)]
enum Kind {
    Free,
    Fixed = 4,
    Pushed,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
struct Material {
    stiff: f64,
    on: bool,
    gains: [f64; 3],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
struct Body<R: Real> {
    kind: Kind,
    position: Vec3<R>,
    inner: Material,
    mass: R,
    frames: [Mat22<R>; 2],
}

fn ir(handle: &KernelHandle) -> &Kernel {
    handle.kernel().unwrap_or_else(|e| panic!("{e}"))
}

fn f64s(arg: &Arg) -> Vec<f64> {
    match arg {
        Arg::Array(a) => a.to_f64s(),
        Arg::Scalar(_) => panic!("an array"),
    }
}

/// The arguments that a call would have.
fn scalars<T: KernelType>(value: T) -> Vec<Arg> {
    let mut args = Args::default();
    args.value(value);
    let scalar = |a: &ArgValue| match a {
        ArgValue::Scalar(c) => Arg::Scalar(*c),
        ArgValue::Array(_) => panic!("a scalar"),
    };
    args.as_slice().iter().map(scalar).collect()
}

const MATERIAL: Material = Material { stiff: 2.0, on: true, gains: [1.0, 10.0, 100.0] };

fn body() -> Body<f64> {
    let frame = |k: f64| Mat22::from_rows(Vec2::new(k, k + 1.0), Vec2::new(k + 2.0, k + 3.0));
    Body {
        kind: Kind::Pushed,
        position: Vec3::new(1.0, 2.0, 3.0),
        inner: MATERIAL,
        mass: 5.0,
        frames: [frame(0.0), frame(10.0)],
    }
}

#[test]
fn enums_are_numbers() {
    #[func]
    fn next(kind: Kind) -> Kind {
        match kind {
            Kind::Free => Kind::Fixed,
            Kind::Fixed => Kind::Pushed,
            Kind::Pushed => Kind::Free,
        }
    }
    #[kernel]
    fn enums(kinds: &mut Array<Kind>, y: &mut Array<f64>, given: Kind) {
        let mut k = given;
        for i in 0..3 {
            k = next(k);
            y[i] = if k == Kind::Fixed { 1.0 } else { k as i32 as f64 };
        }
        kinds[0] = k;
        if kinds[1] != Kind::Free {
            kinds[1] = select(y[0] > 0.5, Kind::Pushed, Kind::Free);
        }
        let before = atomic_exchange(kinds, 2, Kind::Fixed);
        y[3] = match (before, given) {
            (Kind::Free, Kind::Fixed | Kind::Pushed) => 7.0,
            _ => 8.0,
        };
    }
    let kernel = enums::ir();
    assert_eq!(Kind::element().to_string(), "i32");
    let mut kinds = ArrayData::zeros(Kind::element(), &[3]);
    kinds.set_at(1, 0, Constant::I32(4));
    let mut args = vec![Arg::Array(kinds), Arg::Array(floats(&[0.0; 4]))];
    args.extend(scalars(Kind::Fixed));
    let args = interpret(ir(&kernel), args);
    assert_eq!(f64s(&args[1]), [5.0, 0.0, 1.0, 7.0]);
    let Arg::Array(kinds) = &args[0] else { panic!() };
    assert_eq!([0, 1, 2].map(|i| kinds.get_at(i, 0).as_i64()), [Some(4), Some(5), Some(4)]);
}

#[test]
fn the_layout_is_that_of_repr_c() {
    let element = Body::<f32>::element();
    assert_eq!(element.size() as usize, size_of::<Body<f32>>());
    let offsets: Vec<_> = element.components().iter().map(|c| (c.scalar.to_string(), c.offset)).collect();
    let at = |scalar: &str, offset: u32| (scalar.to_owned(), offset);
    // kind, position, then the f64s of `inner` at a multiple of 8.
    assert_eq!(offsets[..5], [at("i32", 0), at("f32", 4), at("f32", 8), at("f32", 12), at("f64", 16)]);
    assert_eq!(offsets[5..9], [at("bool", 24), at("f64", 32), at("f64", 40), at("f64", 48)]);
    assert_eq!(offsets[9..11], [at("f32", 56), at("f32", 60)]);
    assert_eq!(offsets.len(), 9 + 1 + 8);
    assert_eq!(<[Vec3<f32>; 2]>::element().to_string(), "f32x6");
}

#[func]
fn energy<R: Real>(b: Body<R>) -> (R, Body<R>) {
    let mut c = b;
    c.mass *= 2.0;
    c.position.x += c.mass;
    (0.5 * b.mass * b.position.length_sq(), c)
}

#[test]
fn structs_by_value() {
    #[kernel]
    fn values<R: Real>(b: Body<R>, y: &mut Array<R>, n: i64) {
        let (e, mut c) = energy(b);
        y[0] = e;
        y[1] = c.position.x;
        for i in 0..n {
            c.inner.gains[i] += c.inner.stiff;
            if c.kind == Kind::Pushed {
                c.kind = Kind::Fixed;
                c.frames[i][(0, 1)] = c.mass;
            }
        }
        y[2] = (c.inner.gains[0] + c.inner.gains[1] + c.inner.gains[2]) as R;
        y[3] = c.frames[0][(0, 1)] + c.frames[1][(0, 1)];
        y[4] = c.kind as i32 as R;
        let chosen = select(n > 1, b, c);
        y[5] = chosen.position.x;
        let inner = Material { stiff: 3.0f64, gains: [0.25f64; 3], on: false };
        let d = if n > 5 {
            b
        } else {
            let position = Vec3 { x: 1.0, z: 3.0, y: b.mass };
            Body { position, kind: Kind::Free, mass: 1.5, inner, frames: [Mat22::identity(), c.frames[1]] }
        };
        y[6] = d.mass + d.position.y;
        y[7] = if d.inner.on { 1.0 } else { d.inner.gains[2] as R };
        y[8] = MATERIAL.gains[n] as R;
    }
    let (wide, narrow) = (values::ir::<f64>(), values::ir::<f32>());
    assert!(narrow.kernel().is_ok());
    let kernel = ir(&wide);
    let names: Vec<_> = kernel.params.iter().take(6).map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["b.kind", "b.position_x", "b.position_y", "b.position_z", "b.inner.stiff", "b.inner.on"]);
    assert_eq!(pullback_ir::parse(&kernel.to_string()).unwrap().to_string(), kernel.to_string());
    let mut args = scalars(body());
    args.extend([Arg::Array(floats(&[0.0; 9])), Arg::Scalar(Constant::I64(2))]);
    let y = f64s(&interpret(kernel, args)[18]);
    assert_eq!(y, [35.0, 11.0, 115.0, 10.0 + 11.0, 4.0, 1.0, 6.5, 0.25, 100.0]);
}

#[test]
fn structs_in_arrays() {
    #[kernel]
    fn arrays(bodies: &mut Array<Body<f64>>, y: &mut Array<f64>) {
        let i = thread_id();
        bodies[i].position.y += 1.0;
        bodies[i].inner.gains[i + 1] = bodies[i].inner.stiff;
        bodies[i].frames[1].rows[0].x = 8.0;
        bodies[i].kind = Kind::Fixed;
        let (e, c) = energy(bodies[i]);
        y[i] = e + c.inner.gains[1];
        bodies[i + 1] = c;
    }
    let handle = arrays::ir();
    let mut bodies = ArrayData::zeros(<Body<f64>>::element(), &[2]);
    for (k, arg) in scalars(body()).into_iter().enumerate() {
        let Arg::Scalar(c) = arg else { continue };
        bodies.set_at(0, k as u32, c);
    }
    let args = interpret(ir(&handle), vec![Arg::Array(bodies), Arg::Array(floats(&[0.0]))]);
    assert_eq!(f64s(&args[1]), [2.5 * (1.0 + 9.0 + 9.0) + 2.0]);
    let Arg::Array(bodies) = &args[0] else { panic!() };
    assert_eq!(bodies.get_at(0, 0), Constant::I32(4));
    let at = |i, k| bodies.get_at(i, k).as_f64();
    let (y, stiff, gain, mass, x) = (2, 4, 7, 9, 1);
    assert_eq!([at(0, y), at(0, stiff), at(0, gain), at(0, mass), at(0, x)], [3.0, 2.0, 2.0, 5.0, 1.0].map(Some));
    assert_eq!([at(1, y), at(1, gain), at(1, mass), at(1, x), at(1, 14)], [3.0, 2.0, 10.0, 11.0, 8.0].map(Some));
}

#[derive(KernelStruct)]
struct Springs {
    rest: Array<f64>,
    scale: f64,
    ends: Array<[i64; 2], 2>,
    material: Material,
}

#[derive(KernelStruct)]
struct World<R: Real> {
    bodies: Array<Body<R>>,
    #[arrays]
    springs: Springs,
    wind: Vec3<R>,
}

#[func]
fn length_at(s: &Springs, i: i64) -> f64 {
    s.rest[i] * s.scale
}

#[func]
fn shrink(#[arrays] s: &mut Springs, i: i64) {
    if s.rest[i] > 1.0 {
        s.rest[i] -= length_at(s, i);
    }
    s.ends[(i, 0)][1] += 1;
}

#[func]
fn total(x: &Array<f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += x[i];
    }
    s
}

#[test]
fn arrays_inside_of_structs() {
    #[kernel]
    fn inside(world: &mut World<f64>, springs: &Springs, y: &mut Array<f64>) {
        let n = springs.rest.len();
        for i in 0..n {
            world.springs.rest[i] = springs.rest[i] + world.wind.z;
            shrink(&mut world.springs, i);
        }
        let scale = world.springs.scale;
        let rest = &mut world.springs.rest;
        rest[0] *= scale;
        let ends = &springs.ends;
        y[0] = total(&springs.rest) + ends[(1, 0)][0] as f64;
        y[1] = length_at(springs, 1) + springs.material.gains[n];
        world.bodies[0].position += world.wind;
        atomic_add(&mut world.springs.rest, 1, 0.5);
        y[2] = world.springs.ends.shape(1) as f64;
    }
    let handle = inside::ir();
    let kernel = ir(&handle);
    let names: Vec<_> = kernel.params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names[..4], ["world.bodies", "world.springs.rest", "world.springs.scale", "world.springs.ends"]);
    assert_eq!(names[names.len() - 2..], ["springs.material.gains_2", "y"]);
    assert_eq!(pullback_ir::parse(&kernel.to_string()).unwrap().to_string(), kernel.to_string());

    let ends = ArrayData::zeros(<[i64; 2]>::element(), &[2, 1]);
    let springs = |rest: &[f64], scale: f64, ends: ArrayData| {
        let mut all = vec![Arg::Array(floats(rest)), Arg::Scalar(Constant::F64(scale)), Arg::Array(ends)];
        all.extend(scalars(MATERIAL));
        all
    };
    let mut args = vec![Arg::Array(ArrayData::zeros(<Body<f64>>::element(), &[1]))];
    args.extend(springs(&[0.0; 2], 0.25, ends.clone()));
    args.extend(scalars(Vec3::new(1.0, 2.0, 0.5)));
    let mut more = ends;
    more.set_at(1, 0, Constant::I64(6));
    args.extend(springs(&[0.25, 3.5], 2.0, more));
    args.push(Arg::Array(floats(&[0.0; 3])));
    let count = args.len();
    let args = interpret(kernel, args);
    assert_eq!(f64s(&args[1]), [0.75 * 0.25, 3.0 + 0.5]);
    assert_eq!(f64s(&args[count - 1]), [3.75 + 6.0, 7.0 + 100.0, 1.0]);
    let Arg::Array(ends) = &args[3] else { panic!() };
    assert_eq!([0, 1].map(|i| ends.get_at(i, 1).as_i64()), [Some(1), Some(1)]);
    let read = |k: usize| {
        matches!(&kernel.params[k].kind, pullback_ir::ParamKind::Array { access: pullback_ir::Access::Read, .. })
    };
    assert!(!read(1) && read(12), "{names:?}");
    let stores = kernel.params.len();
    assert!(stores > 0 && kernel.values.iter().count() > 0);
    let mut atomics = 0;
    kernel.walk(kernel.body, &mut |_, data| atomics += matches!(data.kind, OpKind::Atomic { .. }) as usize);
    assert_eq!(atomics, 1);
}

#[test]
fn sizes_are_constants() {
    const TWO: usize = 2;
    #[kernel]
    fn sized<const N: usize>(y: &mut Array<f64>, table: [f64; N]) {
        let mut a = [[0.5; N]; TWO];
        for i in 0..N {
            a[i % TWO][i] += table[N - 1 - i] * i as f64;
        }
        y[0] = a[0][0] + a[1][1] + a[0][N - 1];
        y[1] = (N * TWO) as f64;
    }
    let handle = sized::ir::<3>();
    let mut args = vec![Arg::Array(floats(&[0.0; 2]))];
    args.extend(scalars([1.0, 10.0, 100.0]));
    assert_eq!(f64s(&interpret(ir(&handle), args)[0]), [0.5 + 10.5 + 2.5, 6.0]);
    assert!(sized::ir::<5>().kernel().is_ok());
}
