//! Tests.
use super::*;
use pullback_ir::*;
#[test]
fn show() {
    let mut b = Builder::new("attract", 1);
    let e = Element::packed(Scalar::F32, 3);
    let pos = b.array_param("pos", e.clone(), 1, Access::ReadWrite);
    let vel = b.array_param("vel", e, 1, Access::ReadWrite);
    let dt = b.scalar_param("dt", Scalar::F32);
    let g = b.scalar_param("g", Scalar::F32);
    let m = b.scalar_param("m", Scalar::F32);
    let i = b.thread_id(0);
    let p = b.load(pos, &[i]);
    let mut sum = None;
    for &c in &p {
        let s = b.float(FloatOp::Mul, &[c, c]);
        sum = Some(match sum {
            None => s,
            Some(t) => b.float(FloatOp::Add, &[t, s]),
        });
    }
    let r = b.float(FloatOp::Sqrt, &[sum.unwrap()]);
    let lim = b.float_constant(Scalar::F32, 1e-6);
    let c = b.compare(Compare::Lt, r, lim);
    b.open(&[]);
    let r1 = b.close(&[]);
    b.open(&[]);
    let gm = b.float(FloatOp::Mul, &[g, m]);
    let rr = b.float(FloatOp::Mul, &[r, r]);
    let s = b.float(FloatOp::Div, &[gm, rr]);
    let v = b.load(vel, &[i]);
    let mut nv = vec![];
    for k in 0..3 {
        let n = b.float(FloatOp::Neg, &[p[k]]);
        let n = b.float(FloatOp::Div, &[n, r]);
        let a = b.float(FloatOp::Mul, &[n, s]);
        let a = b.float(FloatOp::Mul, &[a, dt]);
        nv.push(b.float(FloatOp::Add, &[v[k], a]));
    }
    b.store(vel, &[i], &nv);
    let p = b.load(pos, &[i]);
    let v = b.load(vel, &[i]);
    let mut np = vec![];
    for k in 0..3 {
        let a = b.float(FloatOp::Mul, &[v[k], dt]);
        np.push(b.float(FloatOp::Add, &[p[k], a]));
    }
    b.store(pos, &[i], &np);
    let r2 = b.close(&[]);
    b.if_op(c, r1, r2);
    let k = b.finish();
    let adj = reverse(&verify(&k).unwrap(), &Request::default()).unwrap();
    assert_eq!(adj.reads, [true, false, false, false, false]);
    assert!(adj.augmented.is_none());
    assert_eq!(adj.kernel.order, Order::Parallel);
}
