//! Small square matrices as flat lists, row by row: what the decompositions are made of.
//!
//! Nothing here branches on values, so that it traces to straight code; the loops over rows and columns
//! run while a kernel is traced.

use crate::scalar::{Float, Select};

/// A square matrix of size `n`.
#[derive(Clone, Debug)]
pub(super) struct Small<S> {
    pub(super) n: usize,
    pub(super) a: Vec<S>,
}

impl<S: Float> Small<S> {
    pub(super) fn new(n: usize, a: &[S]) -> Self {
        debug_assert_eq!(a.len(), n * n);
        Small { n, a: a.to_vec() }
    }
    #[track_caller]
    pub(super) fn from_fn(n: usize, f: impl Fn(usize, usize) -> S) -> Self {
        Small { n, a: (0..n * n).map(|k| f(k / n, k % n)).collect() }
    }
    #[track_caller]
    pub(super) fn identity(n: usize) -> Self {
        let (zero, one) = (S::lit(0.0), S::lit(1.0));
        Small::from_fn(n, |i, j| if i == j { one } else { zero })
    }
    pub(super) fn at(&self, i: usize, j: usize) -> S {
        self.a[i * self.n + j]
    }
    pub(super) fn set(&mut self, i: usize, j: usize, v: S) {
        self.a[i * self.n + j] = v;
    }
    pub(super) fn transposed(&self) -> Self {
        Small { n: self.n, a: (0..self.n * self.n).map(|k| self.at(k % self.n, k / self.n)).collect() }
    }
    #[track_caller]
    pub(super) fn times(&self, b: &Self) -> Self {
        Small::from_fn(self.n, |i, j| sum((0..self.n).map(|k| self.at(i, k) * b.at(k, j))))
    }
    /// selfᵀ b.
    #[track_caller]
    pub(super) fn transposed_times(&self, b: &Self) -> Self {
        Small::from_fn(self.n, |i, j| sum((0..self.n).map(|k| self.at(k, i) * b.at(k, j))))
    }
    /// self bᵀ.
    #[track_caller]
    pub(super) fn times_transposed(&self, b: &Self) -> Self {
        Small::from_fn(self.n, |i, j| sum((0..self.n).map(|k| self.at(i, k) * b.at(j, k))))
    }
    /// The largest magnitude of an entry.
    #[track_caller]
    pub(super) fn largest(&self) -> S {
        self.a[1..].iter().fold(self.a[0].magnitude(), |m, &x| m.maximum(x.magnitude()))
    }
    /// Columns `i` and `j` change places where `cond` holds.
    #[track_caller]
    pub(super) fn swap_columns(&mut self, cond: S::Bool, i: usize, j: usize) {
        for r in 0..self.n {
            let (a, b) = swapped(cond, self.at(r, i), self.at(r, j));
            self.set(r, i, a);
            self.set(r, j, b);
        }
    }
    /// Columns `p` and `q` turned by the angle of cosine `c` and sine `s`: p' = c p − s q, q' = s p + c q.
    #[track_caller]
    pub(super) fn turn_columns(&mut self, p: usize, q: usize, c: S, s: S) {
        for r in 0..self.n {
            let (a, b) = (self.at(r, p), self.at(r, q));
            self.set(r, p, c * a - s * b);
            self.set(r, q, s * a + c * b);
        }
    }
}

/// The sum, from the left.
#[track_caller]
pub(super) fn sum<S: Float>(terms: impl Iterator<Item = S>) -> S {
    let mut total = None;
    for term in terms {
        total = Some(match total {
            None => term,
            Some(so_far) => so_far + term,
        });
    }
    total.unwrap_or_else(|| S::lit(0.0))
}

/// (b, a) where `cond` holds, else (a, b).
#[track_caller]
pub(super) fn swapped<S: Select>(cond: S::Bool, a: S, b: S) -> (S, S) {
    (S::pick(cond, b, a), S::pick(cond, a, b))
}

/// a / b, 0 where b is 0.
#[track_caller]
pub(super) fn safe_ratio<S: Float>(a: S, b: S) -> S {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let none = b.equals(zero);
    S::pick(none, zero, a / S::pick(none, one, b))
}

/// P A = L U with partial pivoting, kept for solving.
pub(super) struct Lu<S: Select> {
    /// U, and below the diagonal L without its ones.
    pub(super) lu: Small<S>,
    /// The exchanges of rows in order: where the condition holds the two rows changed places.
    swaps: Vec<(S::Bool, usize, usize)>,
}

impl<S: Float> Lu<S> {
    #[track_caller]
    pub(super) fn new(a: &Small<S>) -> Self {
        let n = a.n;
        let mut lu = a.clone();
        let mut swaps = Vec::new();
        for k in 0..n {
            for r in k + 1..n {
                let larger = lu.at(k, k).magnitude().less(lu.at(r, k).magnitude());
                for j in 0..n {
                    let (x, y) = swapped(larger, lu.at(k, j), lu.at(r, j));
                    lu.set(k, j, x);
                    lu.set(r, j, y);
                }
                swaps.push((larger, k, r));
            }
            // With a pivot 0 there is nothing below it to eliminate.
            let pivot = S::pick(lu.at(k, k).equals(S::lit(0.0)), S::lit(1.0), lu.at(k, k));
            for r in k + 1..n {
                let factor = lu.at(r, k) / pivot;
                lu.set(r, k, factor);
                for j in k + 1..n {
                    lu.set(r, j, lu.at(r, j) - factor * lu.at(k, j));
                }
            }
        }
        Lu { lu, swaps }
    }

    /// P b.
    #[track_caller]
    pub(super) fn permuted(&self, b: &[S]) -> Vec<S> {
        let mut x = b.to_vec();
        for &(cond, i, j) in &self.swaps {
            (x[i], x[j]) = swapped(cond, x[i], x[j]);
        }
        x
    }

    /// A⁻¹ b.
    #[track_caller]
    pub(super) fn solve(&self, b: &[S]) -> Vec<S> {
        let n = self.lu.n;
        let mut x = self.permuted(b);
        for i in 0..n {
            for j in 0..i {
                x[i] = x[i] - self.lu.at(i, j) * x[j];
            }
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                x[i] = x[i] - self.lu.at(i, j) * x[j];
            }
            x[i] /= self.lu.at(i, i);
        }
        x
    }

    /// A⁻¹.
    #[track_caller]
    pub(super) fn inverse(&self) -> Small<S> {
        let n = self.lu.n;
        let unit = Small::identity(n);
        let columns: Vec<Vec<S>> = (0..n).map(|j| self.solve(&unit.a[j * n..][..n])).collect();
        Small { n, a: (0..n * n).map(|k| columns[k % n][k / n]).collect() }
    }

    /// The determinant of A.
    #[track_caller]
    pub(super) fn determinant(&self) -> S {
        let one = S::lit(1.0);
        let mut det = one;
        for &(cond, ..) in &self.swaps {
            det = S::pick(cond, -det, det);
        }
        (0..self.lu.n).fold(det, |det, i| det * self.lu.at(i, i))
    }

    /// A⁻ᵀ b.
    #[track_caller]
    pub(super) fn solve_transposed(&self, b: &[S]) -> Vec<S> {
        let n = self.lu.n;
        let mut x = b.to_vec();
        for i in 0..n {
            for j in 0..i {
                x[i] = x[i] - self.lu.at(j, i) * x[j];
            }
            x[i] /= self.lu.at(i, i);
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                x[i] = x[i] - self.lu.at(j, i) * x[j];
            }
        }
        for &(cond, i, j) in self.swaps.iter().rev() {
            (x[i], x[j]) = swapped(cond, x[i], x[j]);
        }
        x
    }
}

/// The adjugate, which is a polynomial of the entries: by Faddeev's and Le Verrier's recurrence.
#[track_caller]
pub(super) fn adjugate<S: Float>(a: &Small<S>) -> Small<S> {
    let n = a.n;
    let mut m = Small::identity(n);
    for k in 1..n {
        let product = a.times(&m);
        let c = -sum((0..n).map(|i| product.at(i, i))) / S::lit(k as f64);
        m = product;
        for i in 0..n {
            m.set(i, i, m.at(i, i) + c);
        }
    }
    // Its sign is that of (−1)ⁿ⁻¹.
    if n.is_multiple_of(2) { Small { n, a: m.a.into_iter().map(|x| -x).collect() } } else { m }
}

/// The lower triangular L with L Lᵀ = (A + Aᵀ)/2.
#[track_caller]
pub(super) fn cholesky<S: Float>(a: &Small<S>) -> Small<S> {
    let n = a.n;
    let half = S::lit(0.5);
    let mut l = Small::from_fn(n, |_, _| S::lit(0.0));
    for j in 0..n {
        let mut d = a.at(j, j);
        for k in 0..j {
            d -= l.at(j, k) * l.at(j, k);
        }
        let root = d.sqrt();
        l.set(j, j, root);
        for i in j + 1..n {
            let mut v = (a.at(i, j) + a.at(j, i)) * half;
            for k in 0..j {
                v -= l.at(i, k) * l.at(j, k);
            }
            l.set(i, j, v / root);
        }
    }
    l
}

/// L⁻ᵀ L⁻¹ b.
#[track_caller]
pub(super) fn cholesky_solve<S: Float>(l: &Small<S>, b: &[S]) -> Vec<S> {
    let x = lower_solve(l, b);
    lower_solve_transposed(l, &x)
}

/// L⁻¹ b of a lower triangular L.
#[track_caller]
pub(super) fn lower_solve<S: Float>(l: &Small<S>, b: &[S]) -> Vec<S> {
    let mut x = b.to_vec();
    for i in 0..l.n {
        for j in 0..i {
            x[i] = x[i] - l.at(i, j) * x[j];
        }
        x[i] /= l.at(i, i);
    }
    x
}

/// L⁻ᵀ b of a lower triangular L.
#[track_caller]
pub(super) fn lower_solve_transposed<S: Float>(l: &Small<S>, b: &[S]) -> Vec<S> {
    let mut x = b.to_vec();
    for i in (0..l.n).rev() {
        for j in i + 1..l.n {
            x[i] = x[i] - l.at(j, i) * x[j];
        }
        x[i] /= l.at(i, i);
    }
    x
}

/// A = Q R by Householder's reflections, the diagonal of R not negative.
///
/// A column that is 0 below the diagonal is left as it is.
#[track_caller]
pub(super) fn qr<S: Float>(a: &Small<S>) -> (Small<S>, Small<S>) {
    let n = a.n;
    let (zero, one, two) = (S::lit(0.0), S::lit(1.0), S::lit(2.0));
    let mut r = a.clone();
    let mut q = Small::identity(n);
    for k in 0..n.saturating_sub(1) {
        let below = sum((k + 1..n).map(|i| r.at(i, k) * r.at(i, k)));
        let head = r.at(k, k);
        let norm = (head * head + below).sqrt();
        // The reflection that takes the column to ±norm, away from cancellation.
        let mut v: Vec<S> = (k..n).map(|i| r.at(i, k)).collect();
        v[0] = S::pick(head.less(zero), head - norm, head + norm);
        let square = v[0] * v[0] + below;
        let idle = below.equals(zero);
        let factor = S::pick(idle, zero, two / S::pick(idle, one, square));
        for j in k..n {
            let dot = factor * sum((k..n).map(|i| v[i - k] * r.at(i, j)));
            for i in k..n {
                r.set(i, j, r.at(i, j) - dot * v[i - k]);
            }
        }
        for i in 0..n {
            let dot = factor * sum((k..n).map(|j| q.at(i, j) * v[j - k]));
            for j in k..n {
                q.set(i, j, q.at(i, j) - dot * v[j - k]);
            }
        }
    }
    for k in 0..n {
        let sign = S::pick(r.at(k, k).less(zero), zero - one, one);
        for j in 0..n {
            let entry = if j < k { zero } else { r.at(k, j) * sign };
            r.set(k, j, entry);
            q.set(j, k, q.at(j, k) * sign);
        }
    }
    (q, r)
}

/// The tangent of the angle that turns two columns or rows so that what couples them goes, from half the
/// difference of their weights over the coupling: Rutishauser's formula. 0 where nothing couples them.
#[track_caller]
fn rotation<S: Float>(difference: S, coupling: S) -> (S, S) {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let idle = coupling.equals(zero);
    let theta = difference / S::pick(idle, one, coupling + coupling);
    let size = theta.magnitude() + (theta * theta + one).sqrt();
    let t = S::pick(theta.less(zero), zero - one, one) / size;
    let t = S::pick(idle, zero, t);
    let c = one / (t * t + one).sqrt();
    (c, t * c)
}

/// Sweeps of Jacobi's rotations that are enough for a size: they converge quadratically.
fn sweeps(n: usize) -> usize {
    match n {
        0..=1 => 0,
        2 => 2,
        3 => 6,
        4 => 8,
        _ => 10,
    }
}

/// Brings columns in the order of their weights: `before(a, b)` says that a weight `b` may not stand after
/// a smaller (or larger) `a`.
#[track_caller]
fn sort<S: Float>(weights: &mut [S], columns: &mut [&mut Small<S>], wrong: impl Fn(S, S) -> S::Bool) {
    for end in (1..weights.len()).rev() {
        for j in 0..end {
            let cond = wrong(weights[j], weights[j + 1]);
            (weights[j], weights[j + 1]) = swapped(cond, weights[j], weights[j + 1]);
            for matrix in columns.iter_mut() {
                matrix.swap_columns(cond, j, j + 1);
            }
        }
    }
}

/// (A + Aᵀ)/2 = V diag(λ) Vᵀ, λ ascending: Jacobi's method.
#[track_caller]
pub(super) fn eigen<S: Float>(a: &Small<S>) -> (Vec<S>, Small<S>) {
    let n = a.n;
    let (half, one) = (S::lit(0.5), S::lit(1.0));
    let symmetric = Small::from_fn(n, |i, j| if i == j { a.at(i, i) } else { (a.at(i, j) + a.at(j, i)) * half });
    let start = [symmetric.a, Small::identity(n).a].concat();
    let state = S::repeat(sweeps(n), &start, |state| {
        let mut a = Small::new(n, &state[..n * n]);
        let mut v = Small::new(n, &state[n * n..]);
        for p in 0..n {
            for q in p + 1..n {
                let (c, s) = rotation(a.at(q, q) - a.at(p, p), a.at(p, q));
                a.turn_columns(p, q, c, s);
                let mut rows = a.transposed();
                rows.turn_columns(p, q, c, s);
                a = rows;
                v.turn_columns(p, q, c, s);
            }
        }
        [a.a, v.a].concat()
    });
    let a = Small::new(n, &state[..n * n]);
    let mut v = Small::new(n, &state[n * n..]);
    let mut values: Vec<S> = (0..n).map(|i| a.at(i, i) * one).collect();
    sort(&mut values, &mut [&mut v], |x, y| y.less(x));
    (values, v)
}

/// U, s and V of a singular value decomposition.
pub(super) type Factors<S> = (Small<S>, Vec<S>, Small<S>);

/// A = U diag(s) Vᵀ, s descending and not negative: Hestenes' one-sided rotations, then a QR of the columns,
/// which also completes U where singular values are 0.
#[track_caller]
pub(super) fn svd<S: Float>(a: &Small<S>) -> Factors<S> {
    let n = a.n;
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    // Squares of entries must not leave the type's range.
    let largest = a.largest();
    let scale = S::pick(largest.equals(zero), one, largest);
    let start = [a.a.iter().map(|&x| x / scale).collect(), Small::identity(n).a].concat();
    let state = S::repeat(sweeps(n), &start, |state| {
        let mut b = Small::new(n, &state[..n * n]);
        let mut v = Small::new(n, &state[n * n..]);
        for p in 0..n {
            for q in p + 1..n {
                let dot = |b: &Small<S>, i, j| sum((0..n).map(|r| b.at(r, i) * b.at(r, j)));
                let (c, s) = rotation(dot(&b, q, q) - dot(&b, p, p), dot(&b, p, q));
                b.turn_columns(p, q, c, s);
                v.turn_columns(p, q, c, s);
            }
        }
        [b.a, v.a].concat()
    });
    let mut b = Small::new(n, &state[..n * n]);
    let mut v = Small::new(n, &state[n * n..]);
    let mut weights: Vec<S> = (0..n).map(|j| sum((0..n).map(|r| b.at(r, j) * b.at(r, j)))).collect();
    sort(&mut weights, &mut [&mut b, &mut v], |x, y| x.less(y));
    let (u, r) = qr(&b);
    let values = (0..n).map(|i| r.at(i, i) * scale).collect();
    (u, values, v)
}

/// Values in descending order, moved apart where they are closer than the gap at which derivatives of the
/// factors are taken, relative to `scale`.
#[track_caller]
pub(super) fn spread<S: Float>(values: &[S], scale: S) -> Vec<S> {
    // Of zeros, by what no product of two makes vanish.
    let scale = scale.maximum(S::by_precision(1e-100, 1e-14));
    let gap = S::by_precision(1e-8, 4e-4) * scale;
    let mut apart = values.to_vec();
    for i in (0..apart.len().saturating_sub(1)).rev() {
        apart[i] = apart[i].maximum(apart[i + 1] + gap);
    }
    apart
}
