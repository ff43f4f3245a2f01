//! Arrays of every rank and layout, launches of every rank, in any number of calls; what is out of range.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use pullback_ir::interp::Arg;
use pullback_ir::{
    Access, AtomicOp, Builder, Compare, Component, Constant, Element, FloatOp, IntOp, Kernel, Loc, Order, Scalar,
    Value, access,
};
use support::{ALL, Random, array, check, random_array};

fn ordered(b: Builder) -> Kernel {
    let mut kernel = b.finish();
    kernel.order = access::order(&kernel);
    kernel
}

/// Scalars of all types, with a gap and an end that is not full.
fn mixed() -> Element {
    let at = |scalar, offset| Component { scalar, offset };
    let components = vec![
        at(Scalar::Bool, 0),
        at(Scalar::F32, 4),
        at(Scalar::F64, 16),
        at(Scalar::I32, 24),
        at(Scalar::Bool, 28),
        at(Scalar::Bool, 29),
        at(Scalar::U64, 32),
        at(Scalar::U32, 40),
    ];
    Element::with_layout(components, 48).unwrap()
}

/// Swaps neighbouring components of one type, and negates the numbers.
fn rearrange(b: &mut Builder, x: &[Value]) -> Vec<Value> {
    let turned: Vec<Value> = x
        .iter()
        .map(|&v| match b.scalar(v) {
            Scalar::Bool => b.bool(pullback_ir::BoolOp::Not, &[v]),
            s if s.is_float() => b.float(FloatOp::Neg, &[v]),
            _ => b.int(IntOp::Neg, &[v]),
        })
        .collect();
    let mut out = turned.clone();
    for k in 1..out.len() {
        if b.scalar(out[k]) == b.scalar(out[k - 1]) {
            out.swap(k, k - 1);
        }
    }
    out
}

#[test]
fn elements_of_every_layout_in_every_rank() {
    let mut random = Random(1);
    let elements = [
        Element::scalar(Scalar::Bool),
        Element::scalar(Scalar::F64),
        Element::packed(Scalar::F32, 2),
        Element::packed(Scalar::F32, 3),
        Element::packed(Scalar::F64, 4),
        Element::packed(Scalar::I32, 9),
        Element::packed(Scalar::Bool, 3),
        mixed(),
    ];
    let shapes: [&[usize]; 4] = [&[67], &[5, 19], &[3, 2, 17], &[2, 3, 2, 9]];
    for element in &elements {
        for shape in shapes {
            let rank = shape.len() as u8;
            let mut b = Builder::new(format!("rearrange_{rank}"), rank);
            let x = b.array_param("x", element.clone(), rank, Access::Read);
            let y = b.array_param("y", element.clone(), rank, Access::ReadWrite);
            let ids: Vec<Value> = (0..rank).map(|axis| b.thread_id(axis)).collect();
            let v = b.load(x, &ids);
            let v = rearrange(&mut b, &v);
            b.store(y, &ids, &v);
            // One component again, alone.
            let c = element.components().len() as u32 - 1;
            let last = b.load_component(y, &ids, c);
            let last = rearrange(&mut b, &[last]);
            b.store_component(y, &ids, c, last[0]);
            let kernel = ordered(b);
            assert_eq!(kernel.order, Order::Parallel);
            let args =
                [random_array(&mut random, element.clone(), shape), random_array(&mut random, element.clone(), shape)];
            check(&kernel, shape, &args, &ALL);
        }
    }
}

#[test]
fn permuted_indices() {
    // y[j, k, i] = x[i, j, k], lengths and launch sizes among the values.
    let mut random = Random(2);
    let mut b = Builder::new("permute", 3);
    let x = b.array_param("x", Element::scalar(Scalar::F32), 3, Access::Read);
    let y = b.array_param("y", Element::packed(Scalar::F32, 2), 3, Access::Write);
    let ids: Vec<Value> = (0..3).map(|axis| b.thread_id(axis)).collect();
    let v = b.load(x, &ids)[0];
    let (n, m) = (b.len(y, 2), b.launch_size(1));
    let nm = b.int(IntOp::Mul, &[n, m]);
    let nm = b.convert(Scalar::F32, nm);
    b.store(y, &[ids[1], ids[2], ids[0]], &[v, nm]);
    let kernel = ordered(b);
    let args = [
        random_array(&mut random, Element::scalar(Scalar::F32), &[4, 5, 21]),
        random_array(&mut random, Element::packed(Scalar::F32, 2), &[5, 21, 4]),
    ];
    check(&kernel, &[4, 5, 21], &args, &ALL);
}

#[test]
fn a_launch_that_is_smaller_or_empty() {
    let mut random = Random(3);
    for (shape, sizes) in
        [([6, 40], [3, 33]), ([6, 40], [0, 5]), ([6, 40], [5, 0]), ([6, 40], [1, 1]), ([1, 1], [1, 1])]
    {
        let mut b = Builder::new("part", 2);
        let x = b.array_param("x", Element::packed(Scalar::F64, 3), 2, Access::ReadWrite);
        let ids = [b.thread_id(0), b.thread_id(1)];
        let v = b.load(x, &ids);
        let v = rearrange(&mut b, &v);
        b.store(x, &ids, &v);
        let args = [random_array(&mut random, Element::packed(Scalar::F64, 3), &shape)];
        check(&ordered(b), &sizes, &args, &ALL);
    }
}

/// `y[at[i]] += x[at[i]]` with places.
fn indirect(order: Option<Order>) -> Kernel {
    let mut b = Builder::new("indirect", 1);
    let at = b.array_param("at", Element::scalar(Scalar::I64), 1, Access::Read);
    let x = b.array_param("x", Element::packed(Scalar::F32, 3), 1, Access::Read);
    let y = b.array_param("y", Element::packed(Scalar::F32, 3), 1, Access::ReadWrite);
    let i = b.thread_id(0);
    let at = b.load(at, &[i])[0];
    b.set_loc(Some(Loc::intern("here.rs", 10, 1)));
    let v = b.load(x, &[at]);
    b.set_loc(Some(Loc::intern("here.rs", 11, 1)));
    let old = b.load(y, &[at]);
    let sum: Vec<Value> = v.iter().zip(&old).map(|(&v, &o)| b.float(FloatOp::Add, &[v, o])).collect();
    b.set_loc(Some(Loc::intern("here.rs", 12, 1)));
    b.store(y, &[at], &sum);
    let mut kernel = ordered(b);
    if let Some(order) = order {
        kernel.order = order;
    }
    kernel
}

#[test]
fn the_first_index_out_of_range_is_named_and_nothing_else_is_touched() {
    let mut random = Random(4);
    let n = 90;
    for order in [None, Some(Order::Descending)] {
        for bad in
            [vec![], vec![(7, 50)], vec![(89, -1), (40, 51)], vec![(0, i64::MIN)], vec![(3, i64::MAX), (4, 1 << 40)]]
        {
            let mut places: Vec<Constant> = (0..n).map(|_| Constant::I64((random.word() % 50) as i64)).collect();
            for &(thread, index) in &bad {
                places[thread] = Constant::I64(index);
            }
            let args = [
                array(Element::scalar(Scalar::I64), &[n], &places),
                random_array(&mut random, Element::packed(Scalar::F32, 3), &[50]),
                random_array(&mut random, Element::packed(Scalar::F32, 3), &[50]),
            ];
            let small = |index: i64| (-(1 << 31)..1 << 31).contains(&index);
            if bad.iter().all(|&(_, index)| small(index)) {
                let (_, fault) = check(&indirect(order), &[n], &args, &ALL);
                assert_eq!(fault.is_some(), !bad.is_empty());
                continue;
            }
            // Such indices are named as the nearest that fits.
            for variant in ALL {
                let mut found = args.clone();
                let fault = support::execute(&indirect(order), &[n], &mut found, &Default::default(), variant).unwrap();
                let first = bad.iter().min().unwrap();
                assert_eq!(fault.thread, first.0 as u64);
                let index = first.1.clamp(-(1 << 31), (1 << 31) - 1);
                assert_eq!(fault.access, Some(("x".to_owned(), 0, index)));
                assert_eq!(fault.loc.unwrap().line, 10);
            }
        }
    }
}

#[test]
fn each_dimension_is_checked() {
    let mut random = Random(5);
    for bad in [[0, 0, 0], [4, 0, 0], [0, -1, 0], [0, 0, 6], [4, 5, 6], [0, 5, -7]] {
        let mut b = Builder::new("dimensions", 1);
        let x = b.array_param("x", Element::scalar(Scalar::F64), 3, Access::ReadWrite);
        let ks: Vec<Value> = (0..3).map(|d| b.scalar_param(format!("k{d}"), Scalar::I64)).collect();
        let i = b.thread_id(0);
        let mut at = Vec::new();
        for &k in &ks {
            // Fine but for thread 2.
            let two = b.index_constant(2);
            let zero = b.index_constant(0);
            let here = b.compare(Compare::Eq, i, two);
            at.push(b.select(here, k, zero));
        }
        let v = b.load(x, &at)[0];
        let one = b.float_constant(Scalar::F64, 1.0);
        let v = b.float(FloatOp::Add, &[v, one]);
        b.store(x, &at, &[v]);
        let kernel = ordered(b);
        let mut args = vec![random_array(&mut random, Element::scalar(Scalar::F64), &[4, 5, 6])];
        args.extend(bad.iter().map(|&k| Arg::Scalar(Constant::I64(k))));
        check(&kernel, &[6], &args, &ALL);
    }
}

#[test]
fn arrays_without_elements() {
    let mut b = Builder::new("nothing", 1);
    let x = b.array_param("x", Element::packed(Scalar::F32, 3), 2, Access::ReadWrite);
    let i = b.thread_id(0);
    let v = b.load(x, &[i, i]);
    b.store(x, &[i, i], &v);
    b.atomic(AtomicOp::Add, x, &[i, i], 2, v[0]);
    let kernel = ordered(b);
    for shape in [[0, 0], [3, 0], [0, 4]] {
        let args = [array(Element::packed(Scalar::F32, 3), &shape, &[])];
        let (_, fault) = check(&kernel, &[5], &args, &ALL);
        assert!(fault.is_some());
    }
}

#[test]
fn a_thread_id_beyond_an_array_is_a_fault_only_where_it_is_used() {
    let mut random = Random(6);
    for used in [true, false] {
        let mut b = Builder::new("beyond", 1);
        let x = b.array_param("x", Element::scalar(Scalar::I32), 1, Access::ReadWrite);
        let i = b.thread_id(0);
        let limit = b.len(x, 0);
        let inside = b.compare(if used { Compare::Le } else { Compare::Lt }, i, limit);
        b.open(&[]);
        let v = b.load(x, &[i])[0];
        let v = b.int(IntOp::Not, &[v]);
        b.store(x, &[i], &[v]);
        let then = b.close(&[]);
        b.open(&[]);
        let otherwise = b.close(&[]);
        b.if_op(inside, then, otherwise);
        let args = [random_array(&mut random, Element::scalar(Scalar::I32), &[31])];
        let (_, fault) = check(&ordered(b), &[50], &args, &ALL);
        assert_eq!(fault.map(|f| f.thread), used.then_some(31));
    }
}

#[test]
fn ordered_threads_see_what_earlier_ones_did() {
    // x[i + 1] = x[i] + x[i + 1] over threads: a running sum, forwards or backwards.
    let mut random = Random(7);
    for order in [Order::Ascending, Order::Descending] {
        for rank in [1, 2] {
            let mut b = Builder::new("running", rank);
            let x = b.array_param("x", Element::scalar(Scalar::F64), rank, Access::ReadWrite);
            let mut at: Vec<Value> = (0..rank).map(|axis| b.thread_id(axis)).collect();
            let v = b.load(x, &at)[0];
            let one = b.index_constant(1);
            at[rank as usize - 1] = b.int(IntOp::Add, &[at[rank as usize - 1], one]);
            let next = b.load(x, &at)[0];
            let sum = b.float(FloatOp::Add, &[v, next]);
            b.store(x, &at, &[sum]);
            let mut kernel = ordered(b);
            assert_eq!(kernel.order, Order::Ascending);
            kernel.order = order;
            let (shape, sizes): (&[usize], &[usize]) = if rank == 1 { (&[40], &[39]) } else { (&[7, 12], &[7, 11]) };
            let args = [random_array(&mut random, Element::scalar(Scalar::F64), shape)];
            check(&kernel, sizes, &args, &ALL);
        }
    }
}
