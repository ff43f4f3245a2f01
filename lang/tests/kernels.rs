//! What kernels become: their parameters, ops, places, errors and calls.

mod common;

use common::Array;
use pullback_ir::{Access, AtomicOp, Constant, Kernel, OpKind, Order, ParamKind, Scalar};
use pullback_lang::*;
use std::sync::Arc;

/// The ops of a kernel in program order, as `name` or `name line`.
fn ops(kernel: &Kernel) -> Vec<String> {
    let mut all = Vec::new();
    kernel.walk(kernel.body, &mut |_, data| {
        all.push(match &data.kind {
            OpKind::Float(op) => op.name().to_owned(),
            OpKind::Int(op) => op.name().to_owned(),
            OpKind::Load { array, component } => format!("load {array} {component:?}"),
            OpKind::Store { array, component } => format!("store {array} {component:?}"),
            OpKind::Atomic { op, array, component } => format!("{} {array} {component}", op.name()),
            kind => format!("{kind:?}"),
        });
    });
    all
}

fn count(kernel: &Kernel, what: impl Fn(&OpKind) -> bool) -> usize {
    let mut n = 0;
    kernel.walk(kernel.body, &mut |_, data| n += what(&data.kind) as usize);
    n
}

fn traced(handle: &KernelHandle) -> &Kernel {
    handle.kernel().unwrap_or_else(|e| panic!("{e}"))
}

const LIMIT: f32 = 1e-6;

#[kernel]
fn attract(pos: &mut Array<Vec3>, vel: &mut Array<Vec3>, dt: f32, g: f32, mass: f32) {
    let i = thread_id();
    let p = pos[i];
    let r = length(p);
    if r < LIMIT {
        return;
    }
    let accel = -p / r * (g * mass / (r * r));
    vel[i] += accel * dt;
    pos[i] += vel[i] * dt;
}

#[test]
fn the_kernel_of_the_design() {
    let handle = attract::ir();
    let k = traced(&handle);
    assert_eq!(k.name, "attract");
    assert_eq!((k.rank, k.order), (1, Order::Parallel));
    let names: Vec<_> = k.params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["pos", "vel", "dt", "g", "mass"]);
    let ParamKind::Array { element, rank, access } = &k.params[0].kind else { panic!("an array") };
    assert_eq!((element.to_string().as_str(), *rank, *access), ("f32x3", 1, Access::ReadWrite));
    assert!(matches!(k.params[2].kind, ParamKind::Scalar(Scalar::F32, _)));
    assert_eq!(count(k, |o| matches!(o, OpKind::If)), 1);
    assert_eq!(count(k, |o| matches!(o, OpKind::Float(pullback_ir::FloatOp::Sqrt))), 1);
}

#[test]
fn ops_carry_the_place_of_their_expression() {
    #[rustfmt::skip]
    #[kernel]
    fn places(x: &mut Array<f32>) {
        let i = thread_id();
        let a = x[i];
        x[i] = sqrt(a)
            + exp(a);
    }
    let first = line!() - 5;
    let handle = places::ir();
    let k = traced(&handle);
    let mut lines = Vec::new();
    k.walk(k.body, &mut |_, data| {
        let loc = data.loc.expect("a place");
        assert!(loc.file.ends_with("tests/kernels.rs"), "{loc}");
        lines.push((loc.line - first, loc.column));
    });
    // thread_id, load, sqrt, exp, add, store
    assert_eq!(lines[..6], [(0, 17), (1, 17), (2, 16), (3, 15), (2, 16), (2, 9)]);
}

#[test]
fn elements_and_their_parts() {
    #[kernel]
    fn parts(v: &mut Array<Vec3>, m: &mut Array<Mat33>, g: &mut Array<f32, 2>, q: &Array<Quat, 3>) {
        let (i, j) = thread_id2();
        v[i].y += 2.0;
        m[j][(1, 2)] = v[i][0];
        g[(i, j)] -= q[(i, j, 0)].w;
        let mut w = v[j];
        w[2] = 1.0;
        let mut n = m[i];
        n[(0, 0)] *= 3.0;
        n.rows[1].x = w[2];
        m[i] = n;
        m[i].rows[2].z = 4.0;
    }
    let handle = parts::ir();
    let k = traced(&handle);
    assert_eq!(k.rank, 2);
    assert_eq!(count(k, |o| matches!(o, OpKind::Store { .. })), 5);
    assert_eq!(count(k, |o| matches!(o, OpKind::Select)), 0, "constant indices choose at once: {:?}", ops(k));
    let ParamKind::Array { rank, access, .. } = &k.params[3].kind else { panic!("an array") };
    assert_eq!((*rank, *access), (3, Access::Read));
}

#[test]
fn components_by_a_number_of_run_time() {
    #[kernel]
    fn sum(v: &Array<Vec4>, out: &mut Array<f32>) {
        let mut s = 0.0;
        let mut last = v[1];
        for k in 0..4 {
            s += v[0][k];
            last[k] = s;
        }
        out[0] = s + last.w;
    }
    let handle = sum::ir();
    assert_eq!(count(traced(&handle), |o| matches!(o, OpKind::Select)), 3 + 4);
}

#[test]
fn atomics_update_each_component() {
    #[kernel]
    fn scatter(
        to: &Array<i64>,
        x: &Array<Vec2>,
        sums: &mut Array<Vec2>,
        counts: &mut Array<i32>,
        best: &mut Array<f32>,
    ) {
        let i = thread_id();
        let old = atomic_add(sums, to[i], x[i]);
        let slot = atomic_add(counts, 0, 1);
        atomic_max(best, slot as i64, old.x);
        atomic_min(best, 0, 2.0);
    }
    let handle = scatter::ir();
    let k = traced(&handle);
    assert_eq!(k.order, Order::Ascending);
    let atomics: Vec<_> = ops(k).into_iter().filter(|o| o.starts_with("atomic")).collect();
    assert_eq!(atomics, ["atomic_add 2 0", "atomic_add 2 1", "atomic_add 3 0", "atomic_max 4 0", "atomic_min 4 0"]);
    assert_eq!(count(k, |o| matches!(o, OpKind::Atomic { op: AtomicOp::Add, .. })), 3);
}

#[func]
fn energy<R: Real>(v: Vec3<R>, mass: R) -> R {
    0.5 * mass * v.length_sq()
}

#[func]
fn halves<R>(x: &Array<R>, i: i64) -> (R, Vec2<R>)
where
    R: Real,
{
    let h = x[i] * 0.5;
    (h, Vec2::new(h, 1.0))
}

#[test]
fn generic_kernels_are_traced_for_each_argument() {
    #[kernel]
    fn generic<R: Real, const N: i64>(v: &Array<Vec3<R>>, mass: R, out: &mut Array<R>) {
        let mut s = 0.0;
        for i in 0..N {
            s += energy(v[i], mass);
        }
        let (h, w) = halves(out, 0);
        let t: R = 1.5;
        let u: Vec2<R> = w * t;
        out[0] = s + h + u.y + (N as R) * -0.1 + R::PI;
    }
    let (a, b, c) = (generic::ir::<f32, 3>(), generic::ir::<f64, 3>(), generic::ir::<f64, 4>());
    assert!(!Arc::ptr_eq(&a, &b) && !Arc::ptr_eq(&b, &c));
    assert!(Arc::ptr_eq(&b, &generic::ir::<f64, 3>()));
    for (handle, scalar) in [(&a, Scalar::F32), (&b, Scalar::F64)] {
        let k = traced(handle);
        for data in k.values.iter().map(|(_, v)| v) {
            assert!(!data.scalar.is_float() || data.scalar == scalar, "all floats are {scalar}");
        }
        let tenth = if scalar == Scalar::F32 { Constant::F32(-0.1) } else { Constant::F64(-0.1) };
        assert_eq!(count(k, |o| *o == OpKind::Const(tenth)), 1, "literals are rounded once");
    }
    let call = generic::<f64, 4>(7, &Array::new(), 2.0, &mut Array::new());
    assert!(Arc::ptr_eq(&call.kernel, &c));
    assert_eq!(call.dims.as_slice(), [7]);
}

#[test]
fn values_of_calls_are_flat() {
    #[kernel]
    fn flat(x: &mut Array<f64>, v: Vec3<f64>, t: (i64, bool), m: Mat22) {
        if t.1 {
            x[t.0] = v.z + m[(1, 0)] as f64;
        }
    }
    let m = Mat22::from_rows(Vec2::new(4.0, 5.0), Vec2::new(6.0, 7.0));
    let call = flat((2, 3), &mut Array::new(), Vec3::new(1.0, 2.0, 3.0), (9, true), m);
    assert_eq!(call.dims.threads(), 6);
    let handle = &call.kernel;
    let names: Vec<_> = traced(handle).params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["x", "v_x", "v_y", "v_z", "t_0", "t_1", "m_0_x", "m_0_y", "m_1_x", "m_1_y"]);
    assert_eq!(
        format!("{:?}", call.args.as_slice()),
        "[array, F64(1.0), F64(2.0), F64(3.0), I64(9), Bool(true), F32(4.0), F32(5.0), F32(6.0), F32(7.0)]"
    );
    for (arg, param) in call.args.as_slice().iter().zip(&traced(handle).params) {
        match (arg, &param.kind) {
            (ArgValue::Scalar(c), ParamKind::Scalar(s, _)) => assert_eq!(c.scalar(), *s),
            (ArgValue::Array(_), ParamKind::Array { .. }) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn errors_of_tracing_name_kernel_place_and_remedy() {
    #[kernel]
    fn axis(x: &mut Array<f32>, n: i64) {
        x[0] = x.shape(n) as f32;
    }
    #[kernel]
    fn no_such_axis(x: &mut Array<f32, 2>) {
        x[(0, 0)] = x.shape(2) as f32;
    }
    #[kernel]
    fn component(x: &mut Array<Vec2>) {
        x[0] = x[0] * x[0][2];
    }
    #[kernel]
    fn ranks(x: &mut Array<f32>) {
        let i = thread_id();
        let (j, k) = thread_id2();
        x[i + j + k] = 1.0;
    }
    #[func]
    fn ping(x: f32) -> f32 {
        pong(x) + 1.0
    }
    #[func]
    fn pong(x: f32) -> f32 {
        ping(x) * 2.0
    }
    #[kernel]
    fn circle(x: &mut Array<f32>) {
        x[0] = ping(1.0);
    }
    #[kernel]
    fn exponent(x: &mut Array<f32>, n: i32) {
        x[0] = x[0].powi(n);
    }
    #[kernel]
    fn step(x: &mut Array<f32>) {
        for i in (0..4).step_by(0) {
            x[i] = 1.0;
        }
    }
    let message = |handle: Arc<KernelHandle>| match handle.kernel() {
        Ok(_) => panic!("{} has an error", handle.name()),
        Err(e) => e.to_string(),
    };
    for (handle, expected) in [
        (axis::ir(), "the axis of `shape` must be a constant"),
        (no_such_axis::ir(), "axis 2 of an array of 2 dimensions"),
        (component::ir(), "index 2 of something with 2 components"),
        (ranks::ir(), "a kernel has one launch rank"),
        (circle::ir(), "write a loop"),
        (exponent::ir(), "the exponent of `powi` must be a constant"),
        (step::ir(), "a step must be positive"),
    ] {
        let name = handle.name();
        let text = message(handle);
        assert!(text.contains(expected), "{text}");
        assert!(text.starts_with(&format!("kernel `{name}`, ")), "{text}");
        assert!(text.contains("tests/kernels.rs:"), "{text}");
    }
}

#[test]
fn shapes_and_sizes() {
    #[kernel]
    fn sizes(x: &mut Array<i64, 3>) {
        let (n, m) = launch_size2();
        let (i, j) = thread_id2();
        x[(i, j, 0)] = x.shape(1) * x.shape(2) + x.len() + n - m;
    }
    let handle = sizes::ir();
    let k = traced(&handle);
    assert_eq!(k.rank, 2);
    assert_eq!(count(k, |o| matches!(o, OpKind::Len { .. })), 5);
}

#[test]
fn dims_of_all_forms() {
    assert_eq!(Dims::from([1, 2, 3, 4]).as_slice(), [1, 2, 3, 4]);
    assert_eq!(Dims::from((1, 2, 3)).to_string(), "1 × 2 × 3");
    assert_eq!(Dims::from(0).threads(), 0);
    assert_eq!(Dims::from([usize::MAX, 2]).threads(), usize::MAX);
    assert_eq!(format!("{:?}", Dims::from((5, 6))), "[5, 6]");
}

#[test]
fn a_call_costs_little() {
    let (mut pos, mut vel) = (Array::new(), Array::new());
    let _ = attract(1, &mut pos, &mut vel, 0.1, 1.0, 1.0);
    let start = std::time::Instant::now();
    let n = 10_000;
    for _ in 0..n {
        std::hint::black_box(attract(1, &mut pos, &mut vel, 0.1, 1.0, 1.0));
    }
    let each = start.elapsed() / n;
    println!("a call: {each:?}");
    assert!(each.as_nanos() < 20_000, "{each:?}");
}
