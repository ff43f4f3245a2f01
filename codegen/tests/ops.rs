//! Each scalar op, compiled, gives the bits of its row in the table: on special values in all pairs and
//! on random ones, with operands from memory and constant operands.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use pullback_ir::interp::Arg;
use pullback_ir::{
    Access, AtomicOp, BoolOp, Builder, Compare, Constant, Element, FloatOp, IntOp, Kernel, OpKind, Scalar, Value,
};
use support::{ALL, CHECKED, FULL, Random, Variant, array, check};

const TWO: [Variant; 2] = [FULL, CHECKED];
const INTS: [Scalar; 8] =
    [Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16, Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64];
const FLOATS: [Scalar; 2] = [Scalar::F32, Scalar::F64];

/// Values at which an op of this type may go wrong.
fn specials(scalar: Scalar) -> Vec<Constant> {
    match scalar {
        Scalar::Bool => vec![Constant::Bool(false), Constant::Bool(true)],
        Scalar::F32 => {
            let mut all = vec![
                0.0,
                1.0,
                0.5,
                1.5,
                2.5,
                0.49999997,
                2.0,
                3.0,
                10.0,
                1e-3,
                f32::MIN_POSITIVE,
                f32::from_bits(1),
                1e-42,
                88.7,
                89.0,
                104.0,
                8388607.5,
                8388609.0,
                16777216.0,
                2147483648.0,
                4294967296.0,
                9223372036854775808.0,
                18446744073709551616.0,
                2147483520.0,
                1e10,
                f32::MAX,
                f32::INFINITY,
                std::f32::consts::FRAC_PI_2,
                std::f32::consts::PI,
                std::f32::consts::LN_2,
            ];
            all.extend(all.clone().iter().map(|v| -v));
            all.push(f32::NAN);
            all.into_iter().map(Constant::F32).collect()
        }
        Scalar::F64 => {
            let mut all = vec![
                0.0,
                1.0,
                0.5,
                1.5,
                2.5,
                0.49999999999999994,
                2.0,
                3.0,
                10.0,
                1e-3,
                f64::MIN_POSITIVE,
                f64::from_bits(1),
                1e-310,
                709.5,
                710.0,
                745.2,
                4503599627370495.5,
                4503599627370497.0,
                2147483647.5,
                2147483648.0,
                4294967295.5,
                4294967296.0,
                9223372036854775808.0,
                18446744073709551616.0,
                1e17,
                f64::MAX,
                f64::INFINITY,
                std::f64::consts::FRAC_PI_2,
                std::f64::consts::PI,
                1e39,
            ];
            all.extend(all.clone().iter().map(|v| -v));
            all.push(f64::NAN);
            all.into_iter().map(Constant::F64).collect()
        }
        _ => {
            let words = [
                0,
                1,
                2,
                3,
                7,
                31,
                32,
                33,
                63,
                64,
                65,
                1 << 24 | 1,
                (1 << 31) - 1,
                1 << 31,
                (1 << 31) + 1,
                (1 << 32) - 1,
                (1 << 53) + 1,
                (1 << 63) - 1,
                1 << 63,
                u64::MAX - 1,
                u64::MAX,
                (1 << 40) + 3,
            ];
            words.iter().map(|&w| Constant::from_bits(scalar, w)).collect()
        }
    }
}

fn random(random: &mut Random, scalar: Scalar) -> Constant {
    match (scalar, random.word() % 4) {
        (Scalar::F32 | Scalar::F64, 0) => Constant::from_bits(scalar, random.word()),
        (Scalar::F32 | Scalar::F64, 1) => Constant::from_f64(scalar, random.between(-100.0, 100.0)),
        (Scalar::F32 | Scalar::F64, _) => Constant::from_f64(scalar, random.between(-2.0, 2.0)),
        (Scalar::Bool, _) => Constant::Bool(random.word() & 1 == 1),
        (_, 0) => Constant::from_i64(scalar, (random.word() % 100) as i64 - 50),
        _ => Constant::from_bits(scalar, random.word()),
    }
}

/// Operands of these types: specials in all pairs (a third takes turns), then random ones. Columns.
fn operands(types: &[Scalar], seed: u64) -> Vec<Vec<Constant>> {
    let mut source = Random(seed);
    let mut columns = vec![Vec::new(); types.len()];
    let lists: Vec<Vec<Constant>> = types.iter().map(|&s| specials(s)).collect();
    let second = lists.get(1).map_or(1, Vec::len);
    for i in 0..lists[0].len() {
        for j in 0..second {
            columns[0].push(lists[0][i]);
            if types.len() > 1 {
                columns[1].push(lists[1][j]);
            }
            if types.len() > 2 {
                columns[2].push(lists[2][(3 * i + 7 * j) % lists[2].len()]);
            }
        }
    }
    for _ in 0..3000 {
        for (column, &scalar) in columns.iter_mut().zip(types) {
            column.push(random(&mut source, scalar));
        }
    }
    columns
}

/// `out[i] = op(x0[i], x1[i], …)`, where an operand may be a constant instead.
fn kernel(
    name: &str,
    types: &[Scalar],
    out: Scalar,
    constants: &[Option<Constant>],
    op: impl Fn(&mut Builder, &[Value]) -> Value,
) -> Kernel {
    let mut b = Builder::new(name, 1);
    let arrays: Vec<u32> = types
        .iter()
        .enumerate()
        .map(|(k, &s)| b.array_param(format!("x{k}"), Element::scalar(s), 1, Access::Read))
        .collect();
    let y = b.array_param("y", Element::scalar(out), 1, Access::Write);
    let i = b.thread_id(0);
    let mut x = Vec::new();
    for (k, &a) in arrays.iter().enumerate() {
        x.push(match constants.get(k).copied().flatten() {
            Some(c) => b.constant(c),
            None => b.load(a, &[i])[0],
        });
    }
    let value = op(&mut b, &x);
    b.store(y, &[i], &[value]);
    let mut kernel = b.finish();
    kernel.order = pullback_ir::access::order(&kernel);
    kernel
}

fn args(columns: &[Vec<Constant>], types: &[Scalar], out: Scalar) -> Vec<Arg> {
    let n = columns[0].len();
    let mut args: Vec<Arg> =
        columns.iter().zip(types).map(|(column, &s)| array(Element::scalar(s), &[n], column)).collect();
    args.push(array(Element::scalar(out), &[n], &[]));
    args
}

#[track_caller]
fn compare(
    name: &str,
    types: &[Scalar],
    out: Scalar,
    variants: &[Variant],
    op: impl Fn(&mut Builder, &[Value]) -> Value,
) {
    let columns = operands(types, 7);
    let n = columns[0].len();
    check(&kernel(name, types, out, &[], op), &[n], &args(&columns, types, out), variants);
}

#[test]
fn float_ops() {
    for &op in FloatOp::ALL {
        for scalar in FLOATS {
            let name = format!("{}_{scalar}", op.name());
            compare(&name, &vec![scalar; op.arity()], scalar, &TWO, |b, x| b.float(op, x));
        }
    }
}

/// `y[i].k = op(x[i], constant k)` for all the constants, and the other way round.
fn with_constants(name: &str, scalar: Scalar, list: &[Constant], op: impl Fn(&mut Builder, &[Value]) -> Value) {
    let column = &operands(&[scalar], 3)[0];
    let n = column.len().min(400);
    for first in [true, false] {
        let mut b = Builder::new(format!("{name}_{scalar}_{first}"), 1);
        let x = b.array_param("x", Element::scalar(scalar), 1, Access::Read);
        let element = Element::packed(scalar, list.len() as u32);
        let y = b.array_param("y", element.clone(), 1, Access::Write);
        let i = b.thread_id(0);
        let v = b.load(x, &[i])[0];
        let mut results = Vec::new();
        for &c in list {
            let c = b.constant(c);
            results.push(op(&mut b, &if first { [c, v] } else { [v, c] }));
        }
        b.store(y, &[i], &results);
        let mut kernel = b.finish();
        kernel.order = pullback_ir::access::order(&kernel);
        let args = [array(Element::scalar(scalar), &[n], column), array(element, &[n], &[])];
        check(&kernel, &[n], &args, &[FULL]);
    }
}

#[test]
fn ops_of_one_constant() {
    for scalar in FLOATS {
        let list =
            [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, f64::INFINITY, f64::NAN].map(|v| Constant::from_f64(scalar, v));
        for &op in FloatOp::ALL.iter().filter(|op| op.arity() == 2) {
            with_constants(op.name(), scalar, &list, |b, x| b.float(op, x));
        }
        with_constants("fma", scalar, &list, |b, x| b.float(FloatOp::Fma, &[x[0], x[1], x[0]]));
    }
    for scalar in INTS {
        for &op in IntOp::ALL.iter().filter(|op| op.arity() == 2) {
            with_constants(op.name(), scalar, &specials(scalar), |b, x| b.int(op, x));
        }
    }
}

#[test]
fn sums_of_products_are_rounded_twice() {
    for scalar in FLOATS {
        compare("no_contraction", &[scalar; 3], scalar, &TWO, |b, x| {
            let product = b.float(FloatOp::Mul, &x[..2]);
            b.float(FloatOp::Add, &[product, x[2]])
        });
        compare("no_reassociation", &[scalar; 3], scalar, &TWO, |b, x| {
            let sum = b.float(FloatOp::Add, &x[..2]);
            b.float(FloatOp::Sub, &[sum, x[1]])
        });
        compare("no_reciprocals", &[scalar; 3], scalar, &TWO, |b, x| {
            let (p, q) = (b.float(FloatOp::Div, &[x[0], x[2]]), b.float(FloatOp::Div, &[x[1], x[2]]));
            b.float(FloatOp::Mul, &[p, q])
        });
    }
}

#[test]
fn int_ops() {
    for &op in IntOp::ALL {
        for scalar in INTS {
            let name = format!("{}_{scalar}", op.name());
            compare(&name, &vec![scalar; op.arity()], scalar, &ALL, |b, x| b.int(op, x));
        }
    }
}

#[test]
fn logic() {
    for &op in BoolOp::ALL {
        compare(op.name(), &vec![Scalar::Bool; op.arity()], Scalar::Bool, &TWO, |b, x| b.bool(op, x));
    }
}

#[test]
fn comparisons() {
    for &op in Compare::ALL {
        for scalar in Scalar::ALL {
            let name = format!("{}_{scalar}", op.name());
            let mut b = Builder::new("probe", 1);
            let (p, q) = (b.scalar_param("p", scalar), b.scalar_param("q", scalar));
            b.compare(op, p, q);
            if pullback_ir::verify(&b.finish()).is_ok() {
                compare(&name, &[scalar; 2], Scalar::Bool, &TWO, |b, x| b.compare(op, x[0], x[1]));
            }
        }
    }
}

#[test]
fn conversions() {
    for from in Scalar::ALL {
        for to in Scalar::ALL {
            compare(&format!("{from}_to_{to}"), &[from], to, &ALL, |b, x| {
                b.push(OpKind::Convert(to), vec![x[0]], &[to], vec![]);
                let op = b.kernel().ops.iter().next_back().unwrap().0;
                b.kernel().ops[op].results[0]
            });
        }
    }
}

#[test]
fn selects() {
    for scalar in Scalar::ALL {
        let types = [Scalar::Bool, scalar, scalar];
        compare(&format!("select_{scalar}"), &types, scalar, &TWO, |b, x| b.select(x[0], x[1], x[2]));
    }
}

#[test]
fn constants() {
    for scalar in Scalar::ALL {
        for c in specials(scalar) {
            let kernel = kernel("constant", &[scalar], scalar, &[Some(c)], |_, x| x[0]);
            let columns = [vec![c; 3]];
            check(&kernel, &[3], &args(&columns, &[scalar], scalar), &[FULL]);
        }
    }
}

#[test]
fn scalar_parameters() {
    for scalar in Scalar::ALL {
        let mut b = Builder::new("parameter", 1);
        let p = b.scalar_param("p", scalar);
        let y = b.array_param("y", Element::scalar(scalar), 1, Access::Write);
        let i = b.thread_id(0);
        b.store(y, &[i], &[p]);
        let kernel = b.finish();
        for c in specials(scalar) {
            check(&kernel, &[3], &[Arg::Scalar(c), array(Element::scalar(scalar), &[3], &[])], &[FULL]);
        }
    }
}

#[test]
fn atomics() {
    let mut source = Random(11);
    for &op in AtomicOp::ALL {
        for scalar in Scalar::ALL.into_iter().filter(|&s| s != Scalar::Bool && s != Scalar::F16) {
            if op.is_bitwise() && scalar.is_float() {
                continue;
            }
            // Thread i updates the cell of its choice, and keeps what was there.
            let mut b = Builder::new(format!("{}_{scalar}", op.name()), 1);
            let cell = b.array_param("cell", Element::scalar(Scalar::I64), 1, Access::Read);
            let x = b.array_param("x", Element::scalar(scalar), 1, Access::Read);
            let sum = b.array_param("sum", Element::packed(scalar, 2), 1, Access::ReadWrite);
            let old = b.array_param("old", Element::scalar(scalar), 1, Access::Write);
            let i = b.thread_id(0);
            let (at, v) = (b.load(cell, &[i])[0], b.load(x, &[i])[0]);
            let found = match op {
                // Half of the threads find what they expect.
                AtomicOp::CompareExchange => {
                    let there = b.load_component(sum, &[at], 1);
                    let (two, zero) = (b.index_constant(2), b.index_constant(0));
                    let odd = b.int(IntOp::Rem, &[i, two]);
                    let odd = b.compare(Compare::Ne, odd, zero);
                    let expected = b.select(odd, there, v);
                    b.compare_exchange(sum, &[at], 1, expected, v)
                }
                _ => b.atomic(op, sum, &[at], 1, v),
            };
            b.store(old, &[i], &[found]);
            let kernel = b.finish();
            let n = 500;
            let cells: Vec<Constant> = (0..n).map(|_| Constant::I64((source.word() % 4) as i64)).collect();
            let values: Vec<Constant> = (0..n)
                .map(|_| match scalar.is_float() {
                    true => Constant::from_f64(scalar, source.between(-9.0, 9.0)),
                    false => random(&mut source, scalar),
                })
                .collect();
            let args = [
                array(Element::scalar(Scalar::I64), &[n], &cells),
                array(Element::scalar(scalar), &[n], &values),
                support::random_array(&mut source, Element::packed(scalar, 2), &[4]),
                array(Element::scalar(scalar), &[n], &[]),
            ];
            check(&kernel, &[n], &args, &ALL);
        }
    }
}
