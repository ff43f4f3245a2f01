//! Factors of matrices on the host: what they are, for all sizes, at matrices of all kinds and of any scale.

use pullback_lang::*;

/// Numbers in (-1, 1), the same in every run.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
fn largest<const N: usize>(m: Mat<f64, N, N>) -> f64 {
    m.rows.concat().iter().fold(0.0, |m: f64, x| if x.is_finite() { m.max(x.abs()) } else { f64::INFINITY })
}

/// Matrices of all kinds: of full and of any lower rank, with repeated singular values, symmetric, graded.
fn matrices<const N: usize>() -> Vec<Mat<f64, N, N>> {
    let mut all = vec![Mat::zeros(), Mat::identity(), -Mat::identity()];
    for seed in 1..40 {
        let mut next = numbers(seed);
        let a = Mat::from_rows(std::array::from_fn(|_| std::array::from_fn(|_| next())));
        let (q, _) = qr(a);
        let mut graded = a;
        for i in 0..N {
            for j in 0..N {
                graded.rows[i][j] *= 10f64.powi(-((i * 3 + j) as i32));
            }
        }
        let mut two = VecN::splat(1.0);
        two[0] = 2.0;
        let mut low = VecN::zeros();
        for i in 0..N.div_ceil(2) {
            low[i] = 1.0 + (i / 2) as f64;
        }
        all.extend([
            a,
            q,
            graded,
            graded.transpose(),
            a + a.transpose(),
            q * Mat::diagonal(two),
            q * Mat::diagonal(low),
        ]);
        all.extend([q * Mat::diagonal(two) * q.transpose(), q.transpose() * Mat::diagonal(low) * a]);
    }
    let scaled: Vec<_> = all.iter().flat_map(|&m| [m * 1e-120, m * 1e120]).collect();
    all.extend(scaled);
    all
}

fn hold<const N: usize>() {
    let near = |what: &str, a: Mat<f64, N, N>, b: Mat<f64, N, N>, scale: f64| {
        assert!(largest(a - b) <= 4e-15 * N as f64 * scale, "{what}: {a:?} is not {b:?}");
    };
    let one = Mat::<f64, N, N>::identity();
    let orthogonal = |what: &str, q: Mat<f64, N, N>| near(what, q.transpose() * q, one, 1.0);
    for a in matrices::<N>() {
        let size = largest(a);
        let (u, s, v) = svd(a);
        orthogonal("U", u);
        orthogonal("V", v);
        near("U S Vᵀ", u * Mat::diagonal(s) * v.transpose(), a, size);
        assert!(s.c.iter().all(|&s| s >= 0.0), "{s:?}");
        assert!(s.c.windows(2).all(|w| w[0] >= w[1] - 1e-14 * s.c[0]), "{s:?}");
        let (q, r) = qr(a);
        orthogonal("Q", q);
        near("Q R", q * r, a, size);
        let symmetric = (a + a.transpose()) * 0.5;
        let (values, vectors) = eigen_symmetric(a);
        orthogonal("eigenvectors", vectors);
        near("V D Vᵀ", vectors * Mat::diagonal(values) * vectors.transpose(), symmetric, size);
        assert!(values.c.windows(2).all(|w| w[0] <= w[1]), "{values:?}");
        let (turn, stretch) = polar(a);
        orthogonal("polar", turn);
        near("R P", turn * stretch, a, size);
        near("P is symmetric", stretch, stretch.transpose(), size);
        if s.c[N - 1] > 1e-6 * s.c[0] {
            let (l, u, p) = lu(a);
            near("L U", l * u, p * a, size);
            let x = VecN::from_array(std::array::from_fn(|i| 1.0 + i as f64));
            let b = VecN::from_array((a * Mat::from_columns([x.c])).rows.map(|row| row[0]));
            let far = (solve(a, b) - x).c.iter().fold(0.0, |m: f64, d| m.max(d.abs()));
            assert!(far < 1e-14 * s.c[0] / s.c[N - 1] * (N * N) as f64, "{far}");
            // Of a positive definite matrix.
            let b = (u_times(a, size) + one) * 0.5;
            let l = cholesky(b);
            near("L Lᵀ", l * l.transpose(), b, largest(b));
        }
    }
}
/// A Aᵀ of A scaled to 1.
fn u_times<const N: usize>(a: Mat<f64, N, N>, size: f64) -> Mat<f64, N, N> {
    (a / size) * (a / size).transpose()
}

#[test]
fn factors_of_all_sizes() {
    hold::<1>();
    hold::<2>();
    hold::<3>();
    hold::<4>();
    hold::<5>();
    hold::<6>();
    hold::<8>();
}
