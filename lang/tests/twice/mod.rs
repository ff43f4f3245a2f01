//! Function bodies that are compiled twice, as ordinary Rust over host arrays and as kernels. The file that
//! uses these has `Array`, `Host`, `run`, `Vec3` and a module `constants`.

/// Functions for both worlds.
macro_rules! functions {
    ($($(#[$m:meta])* fn $name:ident $([$($g:tt)*])? ($($params:tt)*) $(-> $out:ty)? { $($body:tt)* })*) => {
        mod native {
            #[allow(unused_imports)]
            use super::{Host as Array, Vec3, constants::*};
            #[allow(unused_imports)]
            use pullback_lang::*;
            $(#[allow(clippy::all)] pub fn $name $(<$($g)*>)? ($($params)*) $(-> $out)? { $($body)* })*
        }
        mod traced {
            #[allow(unused_imports)]
            use super::{Array, Vec3, constants::*};
            #[allow(unused_imports)]
            use pullback_lang::*;
            $(#[func] pub fn $name $(<$($g)*>)? ($($params)*) $(-> $out)? { $($body)* })*
        }
    };
}

macro_rules! cases {
    ($($name:ident($x:ident, $k:ident, $n:ident) { $($body:tt)* })*) => { $(
        #[test]
        fn $name() {
            #[allow(unused, clippy::all)]
            fn host($x: &mut Host<f64>, $k: &mut Host<i64>, $n: i64) {
                use constants::*;
                use native::*;
                use pullback_lang::*;
                $($body)*
            }
            mod kernel {
                #[allow(unused_imports)]
                use super::{Array, constants::*, traced::*};
                #[allow(unused_imports)]
                use pullback_lang::*;
                #[kernel]
                #[allow(unused)]
                pub fn device($x: &mut Array<f64>, $k: &mut Array<i64>, $n: i64) { $($body)* }
            }
            let handle = kernel::device::ir();
            let ir = match handle.kernel() {
                Ok(ir) => ir,
                Err(e) => panic!("{e}"),
            };
            for n in [0, 1, 2, 3, 5] {
                for xs in [[0.5, -1.5, 2.25, 4.0, -0.125, 1.0], [3.0, 0.25, 0.75, -2.0, 9.0, 1.5], [-1.0; 6]] {
                    let (mut x, mut k) = (Host::from(xs), Host::from([3, 1, 4, 1, 5, 9]));
                    let (mut x2, mut k2) = (x.0.clone(), k.0.clone());
                    host(&mut x, &mut k, n);
                    run(ir, &mut x2, &mut k2, n);
                    assert_eq!(k.0, k2, "k for n = {n}, x = {xs:?}");
                    assert_eq!(x.0.iter().map(|v| v.to_bits()).collect::<Vec<_>>(),
                        x2.iter().map(|v| v.to_bits()).collect::<Vec<_>>(),
                        "x for n = {n}, x = {xs:?}: native {:?}, traced {x2:?}", x.0);
                }
            }
        }
    )* };
}
