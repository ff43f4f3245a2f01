//! Branches, loops, the stack and records, compiled, against the interpreter.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use pullback_ir::interp::{Arg, Records};
use pullback_ir::{
    Access, AtomicOp, Builder, Compare, Constant, Element, FloatOp, IntOp, Kernel, OpKind, Order, Scalar, Value, access,
};
use support::{ALL, Random, array, check, check_with, random_array};

fn ordered(b: Builder) -> Kernel {
    let mut kernel = b.finish();
    kernel.order = access::order(&kernel);
    kernel
}

const F64: Scalar = Scalar::F64;

fn floats(random: &mut Random, n: usize) -> Arg {
    random_array(random, Element::scalar(F64), &[n])
}

/// An `if` whose arms are given.
fn branch(
    b: &mut Builder,
    cond: Value,
    then: impl FnOnce(&mut Builder) -> Vec<Value>,
    otherwise: impl FnOnce(&mut Builder) -> Vec<Value>,
) -> Vec<Value> {
    b.open(&[]);
    let yields = then(b);
    let then = b.close(&yields);
    b.open(&[]);
    let yields = otherwise(b);
    let otherwise = b.close(&yields);
    b.if_op(cond, then, otherwise)
}

#[test]
fn nested_branches_with_stores() {
    let mut random = Random(1);
    let mut b = Builder::new("branches", 1);
    let x = b.array_param("x", Element::scalar(F64), 1, Access::Read);
    let y = b.array_param("y", Element::packed(F64, 2), 1, Access::ReadWrite);
    let w = b.array_param("w", Element::scalar(F64), 1, Access::Write);
    let i = b.thread_id(0);
    let v = b.load(x, &[i])[0];
    let zero = b.float_constant(F64, 0.0);
    let two = b.float_constant(F64, 2.0);
    let above = b.compare(Compare::Gt, v, zero);
    let out = branch(
        &mut b,
        above,
        |b| {
            let large = b.compare(Compare::Gt, v, two);
            let inner = branch(
                b,
                large,
                |b| {
                    b.store(y, &[i], &[v, two]);
                    vec![b.float(FloatOp::Mul, &[v, two])]
                },
                |b| {
                    let old = b.atomic(AtomicOp::Add, y, &[i], 1, v);
                    b.store_component(y, &[i], 0, old);
                    vec![old]
                },
            );
            let again = b.load(y, &[i]);
            vec![inner[0], again[1]]
        },
        |b| {
            let root = b.float(FloatOp::Sqrt, &[v]);
            b.atomic(AtomicOp::Max, y, &[i], 0, v);
            b.store_component(y, &[i], 1, root);
            let low = b.compare(Compare::Lt, root, v);
            branch(
                b,
                low,
                |_| vec![],
                |b| {
                    b.store_component(y, &[i], 1, v);
                    vec![]
                },
            );
            let below = b.float(FloatOp::Add, &[v, two]);
            let near = b.compare(Compare::Gt, below, zero);
            branch(
                b,
                near,
                |b| {
                    b.store_component(y, &[i], 0, below);
                    vec![]
                },
                |_| vec![],
            );
            vec![root, v]
        },
    );
    let sum = b.float(FloatOp::Add, &[out[0], out[1]]);
    b.store(w, &[i], &[sum]);
    let kernel = ordered(b);
    assert_eq!(kernel.order, Order::Parallel);
    let args = [
        floats(&mut random, 203),
        random_array(&mut random, Element::packed(F64, 2), &[203]),
        floats(&mut random, 203),
    ];
    check(&kernel, &[203], &args, &ALL);
}

#[test]
fn a_store_in_a_branch_to_a_write_only_array() {
    let mut random = Random(2);
    let mut b = Builder::new("masked", 1);
    let x = b.array_param("x", Element::scalar(F64), 1, Access::Read);
    let w = b.array_param("w", Element::scalar(F64), 1, Access::Write);
    let i = b.thread_id(0);
    let v = b.load(x, &[i])[0];
    let zero = b.float_constant(F64, 0.0);
    let above = b.compare(Compare::Gt, v, zero);
    branch(
        &mut b,
        above,
        |b| {
            b.store(w, &[i], &[v]);
            vec![]
        },
        |_| vec![],
    );
    let args = [floats(&mut random, 101), floats(&mut random, 101)];
    check(&ordered(b), &[101], &args, &ALL);
}

#[test]
fn a_division_in_the_arm_not_taken_is_no_fault() {
    let mut random = Random(3);
    let ints = Element::scalar(Scalar::I32);
    let mut b = Builder::new("guarded", 1);
    let x = b.array_param("x", ints.clone(), 1, Access::Read);
    let y = b.array_param("y", ints.clone(), 1, Access::ReadWrite);
    let i = b.thread_id(0);
    let v = b.load(x, &[i])[0];
    let zero = b.constant(Constant::I32(0));
    let hundred = b.constant(Constant::I32(100));
    let fine = b.compare(Compare::Ne, v, zero);
    let out = branch(&mut b, fine, |b| vec![b.int(IntOp::Div, &[hundred, v])], |_| vec![zero]);
    b.store(y, &[i], &out);
    let kernel = ordered(b);
    let args = [random_array(&mut random, ints.clone(), &[300]), random_array(&mut random, ints, &[300])];
    assert_eq!(check(&kernel, &[300], &args, &ALL).1, None);
}

/// A type, and loops' low, high and step.
type Bounds<'a> = (Scalar, &'a [(i64, i64, i64)]);

#[test]
fn counted_loops_of_every_type() {
    let cases: [Bounds<'_>; 4] = [
        (
            Scalar::I32,
            &[
                (0, 7, 1),
                (3, 3, 1),
                (5, 2, 1),
                (-4, 9, 3),
                (-4, 8, 3),
                (i64::from(i32::MAX) - 5, i64::from(i32::MAX), 1),
                (i64::from(i32::MAX) - 5, i64::from(i32::MAX), 3),
                (i64::from(i32::MIN), i64::from(i32::MAX), i64::from(i32::MAX)),
                (i64::from(i32::MIN), i64::from(i32::MIN) + 3, 2),
            ],
        ),
        // These wrap to the top of the unsigned range.
        (Scalar::U32, &[(0, 7, 1), (5, 2, 1), (-4, -1, 1), (-9, -1, 5), (0, -1, 1 << 31), (0, -1, -2)]),
        (
            Scalar::I64,
            &[
                (0, 7, 2),
                (i64::MAX - 4, i64::MAX, 1),
                (i64::MAX - 4, i64::MAX, 3),
                (i64::MIN, i64::MAX, i64::MAX),
                (-3, 100, 50),
            ],
        ),
        (Scalar::U64, &[(0, 9, 4), (-7, -1, 1), (-7, -1, 4), (0, -1, i64::MIN), (4, 1, 1)]),
    ];
    for (scalar, bounds) in cases {
        for constant in [false, true] {
            for &(low, high, step) in bounds {
                // Counts and folds the counter into a hash.
                let mut b = Builder::new(format!("count_{scalar}"), 1);
                let mut limits = Vec::new();
                let mut args = Vec::new();
                for (name, v) in [("low", low), ("high", high), ("step", step)] {
                    let c = Constant::from_i64(scalar, v);
                    limits.push(match constant {
                        true => b.constant(c),
                        false => {
                            args.push(Arg::Scalar(c));
                            b.scalar_param(name, scalar)
                        }
                    });
                }
                let y = b.array_param("y", Element::packed(scalar, 2), 1, Access::Write);
                let zero = b.constant(Constant::zero(scalar));
                let inner = b.open(&[scalar; 3]);
                let factor = b.constant(Constant::from_i64(scalar, 31));
                let one = b.constant(Constant::from_i64(scalar, 1));
                let hash = b.int(IntOp::Mul, &[inner[2], factor]);
                let hash = b.int(IntOp::Add, &[hash, inner[0]]);
                let count = b.int(IntOp::Add, &[inner[1], one]);
                let body = b.close(&[count, hash]);
                let out = b.for_op(limits[0], limits[1], limits[2], &[zero, zero], body);
                let i = b.thread_id(0);
                b.store(y, &[i], &out);
                args.push(array(Element::packed(scalar, 2), &[3], &[]));
                check(&ordered(b), &[3], &args, &ALL);
            }
        }
    }
}

/// `while` over (v, count): halves v while it is above 1, with an `if` and an inner `for` in the body.
fn wandering(b: &mut Builder, v: Value) -> Vec<Value> {
    let zero = b.index_constant(0);
    let carried = b.open(&[F64, Scalar::I64]);
    let limit = b.float_constant(F64, 1.0);
    let size = b.float(FloatOp::Abs, &[carried[0]]);
    let go = b.compare(Compare::Gt, size, limit);
    let cond = b.close(&[go]);
    let carried = b.open(&[F64, Scalar::I64]);
    let zero_float = b.float_constant(F64, 0.0);
    let below = b.compare(Compare::Lt, carried[0], zero_float);
    let factor = branch(b, below, |b| vec![b.float_constant(F64, -0.75)], |b| vec![b.float_constant(F64, 0.5)]);
    let next = b.float(FloatOp::Mul, &[carried[0], factor[0]]);
    let (low, three, one) = (b.index_constant(0), b.index_constant(3), b.index_constant(1));
    let inner = b.open(&[Scalar::I64, Scalar::I64]);
    let sum = b.int(IntOp::Add, &[inner[1], inner[0]]);
    let inside = b.close(&[sum]);
    let count = b.for_op(low, three, one, &[carried[1]], inside);
    let body = b.close(&[next, count[0]]);
    b.while_op(&[v, zero], cond, body)
}

#[test]
fn loops_whose_length_is_found_as_they_run() {
    let mut random = Random(4);
    let mut b = Builder::new("wander", 1);
    let x = b.array_param("x", Element::scalar(F64), 1, Access::ReadWrite);
    let n = b.array_param("n", Element::scalar(Scalar::I64), 1, Access::Write);
    let i = b.thread_id(0);
    let v = b.load(x, &[i])[0];
    let scale = b.float_constant(F64, 1e3);
    let v = b.float(FloatOp::Mul, &[v, scale]);
    let out = wandering(&mut b, v);
    b.store(x, &[i], &out[..1]);
    b.store(n, &[i], &out[1..]);
    let args = [floats(&mut random, 77), array(Element::scalar(Scalar::I64), &[77], &[])];
    check(&ordered(b), &[77], &args, &ALL);
}

#[test]
fn carried_values_that_change_places() {
    // (a, b, c) -> (b, c, a + c), so that each phi comes from another.
    let mut random = Random(5);
    let mut b = Builder::new("rotate", 1);
    let x = b.array_param("x", Element::packed(F64, 3), 1, Access::ReadWrite);
    let trips = b.scalar_param("trips", Scalar::I32);
    let i = b.thread_id(0);
    let v = b.load(x, &[i]);
    let (zero, one) = (b.constant(Constant::I32(0)), b.constant(Constant::I32(1)));
    let inner = b.open(&[Scalar::I32, F64, F64, F64]);
    let sum = b.float(FloatOp::Add, &[inner[1], inner[3]]);
    let body = b.close(&[inner[2], inner[3], sum]);
    let out = b.for_op(zero, trips, one, &v, body);
    b.store(x, &[i], &out);
    let kernel = ordered(b);
    for trips in [-1, 0, 1, 2, 3, 10] {
        let args = [random_array(&mut random, Element::packed(F64, 3), &[20]), Arg::Scalar(Constant::I32(trips))];
        check(&kernel, &[20], &args, &ALL);
    }
}

#[test]
fn faults_inside_loops_and_branches() {
    // Sums x[0..m[i]], where m may be more than there is.
    let mut random = Random(6);
    let mut b = Builder::new("sums", 1);
    let m = b.array_param("m", Element::scalar(Scalar::I64), 1, Access::Read);
    let x = b.array_param("x", Element::scalar(F64), 1, Access::Read);
    let y = b.array_param("y", Element::scalar(F64), 1, Access::ReadWrite);
    let i = b.thread_id(0);
    let high = b.load(m, &[i])[0];
    let (zero, one) = (b.index_constant(0), b.index_constant(1));
    let start = b.float_constant(F64, 0.0);
    let inner = b.open(&[Scalar::I64, F64]);
    let v = b.load(x, &[inner[0]])[0];
    let sum = b.float(FloatOp::Add, &[inner[1], v]);
    let body = b.close(&[sum]);
    let out = b.for_op(zero, high, one, &[start], body);
    b.store(y, &[i], &out);
    let kernel = ordered(b);
    for worst in [10, 11, 14] {
        let mut list: Vec<Constant> = (0..30).map(|_| Constant::I64((random.word() % 11) as i64)).collect();
        list[17] = Constant::I64(worst);
        let args =
            [array(Element::scalar(Scalar::I64), &[30], &list), floats(&mut random, 10), floats(&mut random, 30)];
        let (_, fault) = check(&kernel, &[30], &args, &ALL);
        assert_eq!(fault.is_some(), worst > 10);
    }
}

#[test]
fn the_stack_keeps_every_type_and_grows() {
    // Pushes (iv, x, flag, …) n times, then pops them into a hash in reverse order.
    let mut random = Random(7);
    let types = [Scalar::I64, F64, Scalar::Bool, Scalar::F32, Scalar::I32, Scalar::U32, Scalar::U64];
    let mut b = Builder::new("stack", 1);
    let m = b.array_param("m", Element::scalar(Scalar::I64), 1, Access::Read);
    let x = b.array_param("x", Element::scalar(F64), 1, Access::Read);
    let y = b.array_param("y", Element::packed(F64, 7), 1, Access::Write);
    let i = b.thread_id(0);
    let (high, v) = (b.load(m, &[i])[0], b.load(x, &[i])[0]);
    let (zero, one) = (b.index_constant(0), b.index_constant(1));
    let inner = b.open(&[Scalar::I64, F64]);
    let half = b.float_constant(F64, -0.5);
    let next = b.float(FloatOp::Mul, &[inner[1], half]);
    let kept: Vec<Value> = types
        .iter()
        .map(|&s| match s {
            Scalar::I64 => inner[0],
            Scalar::Bool => {
                let nought = b.float_constant(F64, 0.0);
                b.compare(Compare::Gt, inner[1], nought)
            }
            s => b.convert(s, inner[1]),
        })
        .collect();
    b.push(OpKind::Push { site: 3 }, kept, &[], vec![]);
    let body = b.close(&[next]);
    b.for_op(zero, high, one, &[v], body);
    let nothing: Vec<Value> = (0..7).map(|_| b.float_constant(F64, 0.0)).collect();
    let inner = b.open(&[Scalar::I64, F64, F64, F64, F64, F64, F64, F64]);
    let pop = b.push(OpKind::Pop { site: 3 }, vec![], &types, vec![]);
    let popped = b.kernel().ops[pop].results.clone();
    let factor = b.float_constant(F64, 0.3);
    let sums: Vec<Value> = popped
        .iter()
        .zip(&inner[1..])
        .map(|(&p, &sum)| {
            let p = b.convert(F64, p);
            let sum = b.float(FloatOp::Mul, &[sum, factor]);
            b.float(FloatOp::Add, &[sum, p])
        })
        .collect();
    let body = b.close(&sums);
    let out = b.for_op(zero, high, one, &nothing, body);
    b.store(y, &[i], &out);
    let kernel = ordered(b);
    let list: Vec<Constant> = (0..40).map(|k| Constant::I64(k * 37 % 101)).collect();
    let args = [
        array(Element::scalar(Scalar::I64), &[40], &list),
        floats(&mut random, 40),
        random_array(&mut random, Element::packed(F64, 7), &[40]),
    ];
    check(&kernel, &[40], &args, &ALL);
}

/// Records, of thread i, i % 4 times (its id, x, a flag, x as f32), and reads them back.
fn recorder(rank: u8, read: bool, order: Order) -> Kernel {
    let types = [Scalar::I64, F64, Scalar::Bool, Scalar::F32];
    let mut b = Builder::new(if read { "reader" } else { "recorder" }, rank);
    let x = b.array_param("x", Element::scalar(F64), rank, Access::Read);
    let y = b.array_param("y", Element::packed(F64, 4), rank, Access::Write);
    let ids: Vec<Value> = (0..rank).map(|axis| b.thread_id(axis)).collect();
    let last = ids[rank as usize - 1];
    let v = b.load(x, &ids)[0];
    let (zero, one, four) = (b.index_constant(0), b.index_constant(1), b.index_constant(4));
    let trips = b.int(IntOp::Rem, &[last, four]);
    if read {
        let base = b.push(OpKind::ResidualBase, vec![], &[Scalar::I64], vec![]);
        let base = b.kernel().ops[base].results[0];
        let nothing: Vec<Value> = (0..4).map(|_| b.float_constant(F64, 0.0)).collect();
        let inner = b.open(&[Scalar::I64, Scalar::I64, F64, F64, F64, F64]);
        let op = b.push(OpKind::Residual, vec![inner[1]], &types, vec![]);
        let kept = b.kernel().ops[op].results.clone();
        let next = b.int(IntOp::Add, &[inner[1], four]);
        let mut yields = vec![next];
        for (&k, &sum) in kept.iter().zip(&inner[2..]) {
            let k = b.convert(F64, k);
            let k = b.float(FloatOp::Mul, &[k, v]);
            yields.push(b.float(FloatOp::Add, &[sum, k]));
        }
        let body = b.close(&yields);
        let out = b.for_op(zero, trips, one, &[&[base], &nothing[..]].concat(), body);
        b.store(y, &ids, &out[1..]);
    } else {
        let inner = b.open(&[Scalar::I64, F64]);
        let nought = b.float_constant(F64, 0.0);
        let flag = b.compare(Compare::Lt, inner[1], nought);
        let narrow = b.convert(Scalar::F32, inner[1]);
        b.push(OpKind::Record, vec![last, inner[1], flag, narrow], &[], vec![]);
        let factor = b.float_constant(F64, -1.25);
        let next = b.float(FloatOp::Mul, &[inner[1], factor]);
        let body = b.close(&[next]);
        b.for_op(zero, trips, one, &[v], body);
    }
    let mut kernel = b.finish();
    kernel.order = order;
    kernel
}

#[test]
fn records_are_appended_and_read_back() {
    let mut random = Random(8);
    let shapes: [&[usize]; 3] = [&[50], &[6, 9], &[2, 3, 7]];
    for shape in shapes {
        let rank = shape.len() as u8;
        let args = [
            random_array(&mut random, Element::scalar(F64), shape),
            random_array(&mut random, Element::packed(F64, 4), shape),
        ];
        let writer = recorder(rank, false, Order::Ascending);
        let (_, _, records) = check_with(&writer, shape, &args, Records::default(), &ALL);
        assert!(!records.values.is_empty());
        for order in [Order::Parallel, Order::Ascending, Order::Descending] {
            check_with(&recorder(rank, true, order), shape, &args, records.clone(), &ALL);
        }
    }
}
