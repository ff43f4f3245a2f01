//! The table of builtins is complete and means what it says.

mod common;

use common::{Array, evaluate};
use pullback_lang::builtins::table::rows;
use pullback_lang::*;
use std::collections::BTreeSet;

/// Builtins that no row can hold, because they are of threads and arrays.
const OF_THREADS: &[&str] = &[
    "thread_id",
    "thread_id2",
    "thread_id3",
    "thread_id4",
    "launch_size",
    "launch_size2",
    "launch_size3",
    "launch_size4",
    "sample_cdf",
    // Of integers; `runtime/tests/effects.rs` compares them with Rust's.
    "count_ones",
    "leading_zeros",
    "trailing_zeros",
    "reverse_bits",
    "rotate_left",
    "rotate_right",
];

/// The names of the public functions in the files of `src/builtins`.
fn public_functions() -> BTreeSet<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/builtins");
    let mut names = BTreeSet::new();
    for file in std::fs::read_dir(folder).expect("the folder of builtins") {
        let path = file.expect("a file").path();
        if path.file_stem().is_some_and(|s| s == "table" || s == "mod") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source file");
        let mut in_list = false;
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("pub fn ") {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                names.insert(rest[..end].to_owned());
            }
            // Lists that a macro makes functions of, one a line.
            let begins = ["unary! {", "component_wise! {", "named! {"].contains(&line);
            in_list = begins || (in_list && line != "}");
            let item = line.strip_prefix("    ").filter(|l| l.starts_with(|c: char| c.is_ascii_lowercase()));
            if let (true, Some(item)) = (in_list, item) {
                let end = item.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(item.len());
                names.insert(item[..end].to_owned());
            }
        }
    }
    names
}

#[test]
fn every_builtin_has_a_row() {
    let rows: BTreeSet<String> = rows().iter().map(|r| r.name.to_owned()).collect();
    let names = public_functions();
    assert!(names.len() > 50, "the names are found: {names:?}");
    let missing: Vec<_> = names.iter().filter(|n| !rows.contains(*n) && !OF_THREADS.contains(&n.as_str())).collect();
    assert!(missing.is_empty(), "builtins without a row in src/builtins/table/: {missing:?}");
}

#[test]
fn kernels_compute_what_the_host_computes() {
    for row in rows() {
        let x: Vec<f64> =
            row.domain.iter().enumerate().map(|(i, (a, b))| a + (b - a) * [0.3, 0.7, 0.55][i % 3]).collect();
        let handle = row.kernel();
        let kernel = handle.kernel().unwrap_or_else(|e| panic!("{}: {e}", row.name));
        assert_eq!(evaluate(kernel, &x, row.outputs()), row.host(&x), "{}", row.name);
        let handle = row.kernel_f32();
        assert!(handle.kernel().is_ok(), "{} in f32", row.name);
        let x: Vec<f32> = x.iter().map(|&v| v as f32).collect();
        assert_eq!(row.host_f32(&x).len(), row.outputs());
        for kink in row.kinks {
            assert_eq!(kink.at.len(), row.inputs(), "{}: a kink is a point", row.name);
            assert_eq!(kink.jacobian.len(), row.inputs() * row.outputs(), "{}: a derivative for each pair", row.name);
            assert!(kink.jacobian.iter().all(|d| d.is_finite()));
        }
    }
}

#[test]
fn names_of_vectors_are_all_there() {
    #[kernel]
    fn all(a: Vec2, b: Vec3, c: Vec4, q: Quat, m: Mat22, n: Mat33, o: Mat44, out: &mut Array<f32>) {
        out[0] = a.length() + b.normalize().dot(b) + c.lerp(c, 0.5).length_sq() + q.inverse().w;
        out[1] = m.determinant() + n.inverse()[(0, 1)] + o.transpose()[(2, 3)] + (n * b).x + (2.0 * o)[(0, 0)];
        out[2] = n.row(1).x + Mat33::identity()[(0, 0)] + (b.cross(b) * b).z + q.rotate(b).y + (q * q).x;
    }
    let handle = all::ir();
    let names: Vec<_> = handle.kernel().expect("a kernel").params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names[..5], ["a_x", "a_y", "b_x", "b_y", "b_z"]);
    assert_eq!(names.len(), 2 + 3 + 4 + 4 + 4 + 9 + 16 + 1);
}

#[test]
fn host_values_are_right() {
    let m = Mat44::from_rows(
        Vec4::new(2.0, 1.0, 0.0, 3.0),
        Vec4::new(0.0, 4.0, 1.0, -1.0),
        Vec4::new(1.0, 0.0, 3.0, 2.0),
        Vec4::new(0.5, 2.0, 0.0, 5.0),
    );
    let product = m * inverse(m);
    for i in 0..4 {
        for j in 0..4 {
            let expected: f64 = if i == j { 1.0 } else { 0.0 };
            assert!(abs(product[(i, j)] - expected) < 1e-14, "{product:?}");
        }
    }
    let m3 = Mat33::from_rows(Vec3::new(2.0, 1.0, 0.5), Vec3::new(0.0, 4.0, 1.0), Vec3::new(1.0, -2.0, 3.0));
    assert!(abs(determinant(m3) - 27.0) < 1e-13);
    assert!(((m3 * m3.inverse()) - Mat33::identity()).rows.iter().all(|r| r.length() < 1e-14));
    let m2 = Mat22::from_columns(Vec2::new(1.0, 2.0), Vec2::new(3.0, 5.0));
    assert_eq!(m2 * inverse(m2), Mat22::<f64>::identity());
    assert_eq!(m2[(0, 1)], 3.0);
    assert_eq!(transpose(m2)[(0, 1)], 2.0);

    let q = quat_from_axis_angle(normalize(Vec3::new(1.0, -2.0, 0.5)), 0.7);
    let p = quat_from_axis_angle(normalize(Vec3::new(0.3, 1.0, 2.5)), -1.9);
    let v = Vec3::new(0.2, 1.5, -3.0);
    let close = |a: Vec3<f64>, b: Vec3<f64>| assert!((a - b).length() < 1e-14, "{a:?} {b:?}");
    close(quat_rotate(q * p, v), quat_rotate(q, quat_rotate(p, v)));
    close(quat_rotate_inv(q, quat_rotate(q, v)), v);
    close(quat_to_matrix(q) * v, quat_rotate(q, v));
    close(quat_rotate(quat_inverse(q), v), quat_rotate_inv(q, v));
    close(skew(v) * v, Vec3::zeros());
    close(cross(Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)), Vec3::new(0.0, 0.0, 1.0));
    assert_eq!(normalize(Vec3::<f64>::zeros()), Vec3::zeros());
    assert_eq!(trace(outer(v, v)), v.length_sq());
}
