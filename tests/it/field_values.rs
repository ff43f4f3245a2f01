//! Variables that change, branches, ties, singular points, structs, integers and casts.
//!
//! What does not compile is a test of `lang/tests/ui`: a name bound in one arm only, a field of the wrong
//! rank.

use crate::support::{outcome, right, zeros};
use pullback::Error;
use pullback::prelude::*;

type Result<T> = std::result::Result<T, Error>;

/// A program of one launch: of some threads, over all inputs, with an output of some length.
macro_rules! program {
    ($name:ident, $threads:expr, $kernel:ident($($x:literal),*; out $len:expr $(, $arg:expr)*)) => {
        fn $name<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
            let mut out = zeros($len);
            tape.launch(&$kernel($threads, $(&x[$x],)* &mut out $(, $arg)*))?;
            Ok(out)
        }
    };
}

#[kernel]
fn renamed<R: Real>(a: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    let a = a[i];
    let mut b = a;
    if b > 0.0 {
        b = a * a;
    } else {
        b = a * a * a;
    }
    out[i] = b;
}
program!(reassigned, 3, renamed(0; out 3));

#[test]
fn copy_of_a_variable_assigned_in_a_branch() {
    right!(reassigned at [-1.0, 2.0, 3.0]; out [-1.0, 4.0, 9.0]; grad [3.0, 4.0, 6.0]);
}

#[kernel]
fn by_component<R: Real>(a: &Array<R>, out: &mut Array<R>) {
    let mut v = Vec3::new(a[0], a[1], a[2]);
    v.x = v.x * v.y;
    v.x = v.x * v.z;
    v.y = v.x + v.y;
    out[0] = v.x * v.y;
}
#[kernel]
fn by_index<R: Real>(a: &Array<R>, out: &mut Array<R>) {
    let mut v = [a[0], a[1], a[2]];
    for k in 1..3 {
        v[0] *= v[k];
    }
    v[1] += v[0];
    out[0] = v[0] * v[1];
}
program!(components, 1, by_component(0; out 1));
program!(elements, 1, by_index(0; out 1));

#[test]
fn component_assigned_twice() {
    right!(components at [2.0, 3.0, 0.5]; out [18.0]; grad [13.5, 12.0, 54.0]);
    right!(elements at [2.0, 3.0, 0.5]; out [18.0]; grad [13.5, 12.0, 54.0]);
}

#[kernel]
fn one_by_one<R: Real>(x: &Array<R>, y: &mut Array<Vec3<R>>) {
    let i = thread_id();
    y[i].x = 2.0 * x[i];
    y[i].y = x[i] * x[i];
    y[i].z = sin(x[i]);
}

fn output_components<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let out = zeros(6);
    tape.launch(&one_by_one(2, &x[0], &mut out.cast_elements()?))?;
    Ok(out)
}

#[test]
fn output_written_by_component() {
    let x = [1.0f64, 2.0];
    right!(output_components at x; out [2.0, 1.0, x[0].sin(), 4.0, 4.0, x[1].sin()];
        grad x.map(|x| 2.0 + 2.0 * x + x.cos()));
}

#[kernel]
fn parts_of_a_matrix<R: Real>(x: &Array<R>, m: &mut Array<Mat33<R>>) {
    m[0][(0, 1)] = x[0] * x[0];
    m[0][(2, 2)] += x[0];
}

fn matrix_parts<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let m = zeros(9);
    tape.launch(&parts_of_a_matrix(1, &x[0], &mut m.cast_elements()?))?;
    Ok(m)
}

#[test]
fn parts_of_a_matrix_in_an_array() {
    right!(matrix_parts at [3.0]; out [0.0, 9.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0]; grad [7.0]);
}

#[kernel]
fn either<R: Real>(a: &Array<R>, d: &Array<R>, out: &mut Array<R>, divide: bool) {
    let i = thread_id();
    out[i] = if divide { a[i] / d[i] } else { a[i] };
}
program!(divided, 2, either(0, 1; out 2, true));
program!(passed_on, 2, either(0, 1; out 2, false));

#[test]
fn conditional_expression() {
    let (a, d) = ([2.0, 3.0], [4.0, 5.0]);
    right!(divided at a, d; out [0.5, 0.6]; grad [0.25, 0.2], [-0.125, -0.12]);
    right!(passed_on at a, d; out [2.0, 3.0]; grad [1.0, 1.0], [0.0, 0.0]);
}

#[kernel]
fn guarded<R: Real>(v: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    let l = length(Vec3::new(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
    let mut r = 0.0;
    if l > 0.0 {
        r = 1.0 / l;
    }
    out[i] = r;
}
#[kernel]
fn selected<R: Real>(v: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    let l = length(Vec3::new(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
    out[i] = select(l > 0.0, 1.0 / l, 0.0);
}
program!(guarded_arm, 2, guarded(0; out 2));
program!(selected_arm, 2, selected(0; out 2));

#[test]
fn singular_arm() {
    let v = [3.0, 4.0, 0.0, 0.0, 0.0, 0.0];
    right!(guarded_arm at v; out [0.2, 0.0]; grad [-0.024, -0.032, 0.0, 0.0, 0.0, 0.0]);
    // `select` computes both; what is not chosen still counts for nothing.
    right!(selected_arm at v; out [0.2, 0.0]; grad [-0.024, -0.032, 0.0, 0.0, 0.0, 0.0]);
}

#[kernel]
fn fraction<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    let f = if x[i] > 0.0 { x[i] - floor(x[i]) } else { x[i] - ceil(x[i]) };
    out[i] = f * f;
}
program!(fractions, 3, fraction(0; out 3));

#[test]
fn fractional_part_by_sign() {
    right!(fractions at [-1.3, 0.4, 2.75]; out [0.09, 0.16, 0.5625]; grad [-0.6, 0.8, 1.5]);
}

#[kernel]
fn kinks<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    out[0] = max(x[0], x[0]);
    out[1] = abs(x[1]);
    out[2] = max(x[2], 0.0);
    out[3] = min(x[3], 0.0);
    out[4] = clamp(x[4], -2.0, 1.0);
    out[5] = clamp(x[5], -2.0, 1.0);
    out[6] = sign(x[6]);
}
program!(all_kinks, 1, kinks(0; out 7));

#[test]
fn scalar_kinks() {
    // Each of a tie has half; at a kink of one operand against a constant, so has that operand.
    right!(all_kinks at [2.0, 0.0, 0.0, 0.0, 1.0, -2.0, 0.0]; out [2.0, 0.0, 0.0, 0.0, 1.0, -2.0, 0.0];
        grad [1.0, 0.0, 0.5, 0.5, 0.5, 0.5, 0.0]);
}

#[kernel]
fn remainder<R: Real>(x: &Array<R>, y: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    out[i] = x[i] % y[i];
}
program!(remainders, 2, remainder(0, 1; out 2));

#[test]
fn floating_remainder() {
    right!(remainders at [7.5, -7.5], [2.0, 2.0]; out [1.5, -1.5]; grad [1.0, 1.0], [-3.0, 3.0]);
}

#[kernel]
fn lengths<R: Real>(v: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    out[i] = length(Vec3::new(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
}
program!(two_lengths, 2, lengths(0; out 2));

#[test]
fn length_at_zero() {
    right!(two_lengths at [0.0, 0.0, 0.0, 3.0, 4.0, 0.0]; out [0.0, 5.0]; grad [0.0, 0.0, 0.0, 0.6, 0.8, 0.0]);
}

#[kernel]
fn directions<R: Real>(v: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    let d = normalize(Vec3::new(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
    out[3 * i] = d.x;
    out[3 * i + 1] = d.y;
    out[3 * i + 2] = d.z;
}
program!(two_directions, 2, directions(0; out 6));

#[test]
fn normalize_at_zero() {
    right!(two_directions at [0.0, 0.0, 0.0, 0.0, 2.0, 0.0]; weights [1.0, 2.0, 3.0, 1.0, 2.0, 3.0];
        out [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]; grad [0.0, 0.0, 0.0, 0.5, 0.0, 1.5]);
}

#[kernel]
fn roots<R: Real>(x: &Array<R>, w: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    out[i] = w[i] * sqrt(x[i]);
}
program!(weighted_roots, 2, roots(0, 1; out 2));

#[test]
fn no_cotangent_at_the_root_of_zero() {
    right!(weighted_roots at [0.0, 4.0], [0.0, 1.0]; out [0.0, 2.0]; grad [0.0, 0.25], [0.0, 2.0]);
    // Nor is it infinite where there is a cotangent.
    let found = outcome::<f64>(weighted_roots, &[&[0.0, 4.0], &[1.0, 1.0]], &[]).1;
    assert!(found[0][0].is_finite() && found[0][1] == 0.25, "{found:?}");
}

#[kernel]
fn arcs<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    out[i] = acos(x[i]);
    out[i + 3] = asin(x[i]);
}
program!(both_arcs, 3, arcs(0; out 6));

#[test]
fn arcs_at_their_ends() {
    let (x, slope) = ([1.0f64, -1.0, 0.5], 1.0 / 0.75f64.sqrt());
    let [a, b, c] = x.map(f64::acos);
    let [d, e, f] = x.map(f64::asin);
    right!(both_arcs at x; weights [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]; out [a, b, c, d, e, f]; grad [0.0, 0.0, -slope]);
    right!(both_arcs at x; weights [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]; out [a, b, c, d, e, f]; grad [0.0, 0.0, slope]);
    let ends = outcome::<f64>(both_arcs, &[&x], &[1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert!(ends.1[0].iter().all(|g| g.is_finite()), "{ends:?}");
}

#[kernel]
fn cube_roots<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    out[i] = cbrt(x[i]);
}
program!(negative_cube_root, 1, cube_roots(0; out 1));

#[test]
fn cube_root_of_a_negative_number() {
    right!(negative_cube_root at [-8.0]; out [-2.0]; grad [1.0 / 12.0]);
}

#[kernel]
fn constant_powers<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    out[i] = pow(x[i], 2.0);
    out[i + 3] = pow(x[i], 2.0) + pow(x[i], 3.0);
}
program!(powers, 3, constant_powers(0; out 6));

#[test]
fn constant_exponent_and_a_base_that_is_not_positive() {
    let out = [0.0, 9.0, 4.0, 0.0, 9.0 - 27.0, 12.0];
    right!(powers at [0.0, -3.0, 2.0]; weights [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]; out out; grad [0.0, -6.0, 4.0]);
    right!(powers at [0.0, -3.0, 2.0]; weights [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]; out out; grad [0.0, 21.0, 16.0]);
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
struct Sample<R: Real> {
    a: R,
    v: Vec3<R>,
}

#[kernel]
fn fill_samples<R: Real>(x: &Array<R>, s: &mut Array<Sample<R>>) {
    let i = thread_id();
    s[i].a = x[i] * x[i];
    s[i].v = Vec3::new(x[i], 2.0 * x[i], 1.0);
}
#[kernel]
fn use_samples<R: Real>(s: &Array<Sample<R>>, out: &mut Array<R>) {
    let i = thread_id();
    out[i] = s[i].a * s[i].v.y;
}

fn samples<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let (mut s, mut out) = (Array::zeros(&Device::cpu(), [2]), zeros(2));
    tape.launch(&fill_samples(2, &x[0], &mut s))?;
    tape.launch(&use_samples(2, &s, &mut out))?;
    Ok(out)
}

#[test]
fn array_of_structs_written_by_field() {
    right!(samples at [1.0, 2.0]; out [2.0, 16.0]; grad [6.0, 24.0]);
}

#[derive(KernelStruct)]
struct Inner<R: Real> {
    w: Array<R>,
}
#[derive(KernelStruct)]
struct Outer<R: Real> {
    k: Array<R>,
    #[arrays]
    inner: Inner<R>,
}

#[kernel]
fn dotted<R: Real>(arrays: &Outer<R>, out: &mut Array<R>) {
    let i = thread_id();
    atomic_add(out, 0, arrays.k[i] * arrays.inner.w[i]);
}

fn nested_arrays<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let arrays = Outer { k: x[0].clone(), inner: Inner { w: x[1].clone() } };
    let mut out = zeros(1);
    tape.launch(&dotted(2, &arrays, &mut out))?;
    Ok(out)
}

#[test]
fn arrays_in_nested_structs() {
    right!(nested_arrays at [2.0, 3.0], [5.0, 7.0]; out [31.0]; grad [5.0, 7.0], [2.0, 3.0]);
    // After a reset nothing is left of the gradients.
    let device = Device::cpu();
    let mut x = [Array::from_slice(&device, &[2.0, 3.0]), Array::from_slice(&device, &[5.0, 7.0])];
    let mut tape = Tape::new(&device);
    let loss = nested_arrays(&mut tape, &mut x).unwrap();
    tape.backward(&loss).unwrap();
    tape.reset();
    assert!(matches!(tape.grad(&x[0]), Err(Error::NoBackward)));
    let mut out = zeros(1);
    tape.launch(&cube_roots(1, &x[1], &mut out)).unwrap();
    tape.launch(&cube_roots(0, &x[0], &mut loss.clone())).unwrap();
    tape.backward(&out).unwrap();
    assert_eq!(tape.grad(&x[0]).unwrap().to_vec().unwrap(), [0.0, 0.0]);
}

#[kernel]
fn copy_of_a_struct<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    let s = Sample { a: x[i], v: Vec3::new(x[i], 0.0, 0.0) };
    let mut p = s;
    p.a *= 3.0;
    p.v.x = 10.0 * x[i];
    out[i] = s.a * s.v.x + p.a;
}
program!(structs_are_values, 2, copy_of_a_struct(0; out 2));

/// A struct is a value: p is a copy, and s stays as it is. o = x² + 3 x.
#[test]
fn a_struct_is_copied_by_value() {
    right!(structs_are_values at [2.0, 5.0]; out [10.0, 40.0]; grad [7.0, 13.0]);
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
struct Point<R: Real> {
    mass: R,
    pos: Vec2<R>,
}

#[kernel]
fn moments<R: Real>(points: &Array<Point<R>>, out: &mut Array<R>) {
    let i = thread_id();
    atomic_add(out, 0, points[i].mass * dot(points[i].pos, points[i].pos));
}

fn moment<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut out = zeros(1);
    tape.launch(&moments(2, &x[0].cast_elements::<Point<R>>()?, &mut out))?;
    Ok(out)
}

#[test]
fn fields_of_structs() {
    right!(moment at [2.0, 1.0, 2.0, 5.0, 3.0, 4.0]; out [135.0]; grad [5.0, 4.0, 8.0, 25.0, 30.0, 40.0]);
}

#[kernel]
fn look_up<R: Real>(u: &Array<R>, t: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    let k = floor(u[i]) as i64;
    let w = u[i] - k as R;
    out[i] = (1.0 - w) * t[k] + w * t[k + 1];
}
program!(table, 2, look_up(0, 1; out 2));

#[test]
fn table_look_up() {
    right!(table at [1.25, 0.0], [1.0, 4.0, 9.0, 16.0]; out [5.25, 1.0]; grad [5.0, 3.0], [1.0, 0.75, 0.25, 0.0]);
}

#[kernel]
fn detours<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    out[i] = (x[i] as f32) as R * x[i] + (x[i] as i32) as R * x[i];
}
program!(there_and_back, 1, detours(0; out 1));

#[test]
fn detours_by_other_types() {
    right!(there_and_back at [1.5]; out [3.75]; grad [4.0]);
}

const TENTH: f64 = 0.1;

#[kernel]
fn named_constant(x: &Array<f64>, out: &mut Array<f64>) {
    out[0] = -TENTH * x[0] + 0.3 * x[0];
    out[1] = 0.1 * x[1] + 1.0 / 3.0;
}

fn constants(tape: &mut Tape, x: &mut [Array<f64>]) -> Result<Array<f64>> {
    let mut out = zeros(2);
    tape.launch(&named_constant(1, &x[0], &mut out))?;
    Ok(out)
}

/// To the last bit: no constant has been through f32.
#[test]
fn constants_of_64_bits() {
    for x in [1.0, 7.3, -2.0e5] {
        let found = outcome::<f64>(constants, &[&[x, x]], &[]);
        assert_eq!(found.0, [-0.1 * x + 0.3 * x, 0.1 * x + 1.0 / 3.0]);
        assert_eq!(found.1[0], [-0.1 + 0.3, 0.1]);
    }
}
