//! Swizzles: `v.xz()`, `v.zyx()`, all vectors of two or three of a vector's components, and some of four.

use crate::vector::{Vec2, Vec3, Vec4};

macro_rules! swizzles {
    ($($of:ident { $($name:ident = $to:ident($($c:ident),*);)* })*) => { $(
        /// Vectors of some of the components.
        impl<T: Copy> $of<T> { $(
            #[doc = concat!("The vector (", stringify!($($c),*), ").")]
            pub const fn $name(self) -> $to<T> {
                $to::new($(self.$c),*)
            }
        )* }
    )* };
}

#[rustfmt::skip]
swizzles! {
    Vec2 {
        xx = Vec2(x, x); yx = Vec2(y, x); yy = Vec2(y, y); xxx = Vec3(x, x, x); xxy = Vec3(x, x, y);
        xyx = Vec3(x, y, x); xyy = Vec3(x, y, y); yxx = Vec3(y, x, x); yxy = Vec3(y, x, y); yyx = Vec3(y, y, x);
        yyy = Vec3(y, y, y);
    }
    Vec3 {
        xx = Vec2(x, x); xy = Vec2(x, y); xz = Vec2(x, z); yx = Vec2(y, x); yy = Vec2(y, y); yz = Vec2(y, z);
        zx = Vec2(z, x); zy = Vec2(z, y); zz = Vec2(z, z); xxx = Vec3(x, x, x); xxy = Vec3(x, x, y);
        xxz = Vec3(x, x, z); xyx = Vec3(x, y, x); xyy = Vec3(x, y, y); xzx = Vec3(x, z, x); xzy = Vec3(x, z, y);
        xzz = Vec3(x, z, z); yxx = Vec3(y, x, x); yxy = Vec3(y, x, y); yxz = Vec3(y, x, z); yyx = Vec3(y, y, x);
        yyy = Vec3(y, y, y); yyz = Vec3(y, y, z); yzx = Vec3(y, z, x); yzy = Vec3(y, z, y); yzz = Vec3(y, z, z);
        zxx = Vec3(z, x, x); zxy = Vec3(z, x, y); zxz = Vec3(z, x, z); zyx = Vec3(z, y, x); zyy = Vec3(z, y, y);
        zyz = Vec3(z, y, z); zzx = Vec3(z, z, x); zzy = Vec3(z, z, y); zzz = Vec3(z, z, z);
    }
    Vec4 {
        xx = Vec2(x, x); xy = Vec2(x, y); xz = Vec2(x, z); xw = Vec2(x, w); yx = Vec2(y, x); yy = Vec2(y, y);
        yz = Vec2(y, z); yw = Vec2(y, w); zx = Vec2(z, x); zy = Vec2(z, y); zz = Vec2(z, z); zw = Vec2(z, w);
        wx = Vec2(w, x); wy = Vec2(w, y); wz = Vec2(w, z); ww = Vec2(w, w); xxx = Vec3(x, x, x); xxy = Vec3(x, x, y);
        xxz = Vec3(x, x, z); xxw = Vec3(x, x, w); xyx = Vec3(x, y, x); xyy = Vec3(x, y, y); xyz = Vec3(x, y, z);
        xyw = Vec3(x, y, w); xzx = Vec3(x, z, x); xzy = Vec3(x, z, y); xzz = Vec3(x, z, z); xzw = Vec3(x, z, w);
        xwx = Vec3(x, w, x); xwy = Vec3(x, w, y); xwz = Vec3(x, w, z); xww = Vec3(x, w, w); yxx = Vec3(y, x, x);
        yxy = Vec3(y, x, y); yxz = Vec3(y, x, z); yxw = Vec3(y, x, w); yyx = Vec3(y, y, x); yyy = Vec3(y, y, y);
        yyz = Vec3(y, y, z); yyw = Vec3(y, y, w); yzx = Vec3(y, z, x); yzy = Vec3(y, z, y); yzz = Vec3(y, z, z);
        yzw = Vec3(y, z, w); ywx = Vec3(y, w, x); ywy = Vec3(y, w, y); ywz = Vec3(y, w, z); yww = Vec3(y, w, w);
        zxx = Vec3(z, x, x); zxy = Vec3(z, x, y); zxz = Vec3(z, x, z); zxw = Vec3(z, x, w); zyx = Vec3(z, y, x);
        zyy = Vec3(z, y, y); zyz = Vec3(z, y, z); zyw = Vec3(z, y, w); zzx = Vec3(z, z, x); zzy = Vec3(z, z, y);
        zzz = Vec3(z, z, z); zzw = Vec3(z, z, w); zwx = Vec3(z, w, x); zwy = Vec3(z, w, y); zwz = Vec3(z, w, z);
        zww = Vec3(z, w, w); wxx = Vec3(w, x, x); wxy = Vec3(w, x, y); wxz = Vec3(w, x, z); wxw = Vec3(w, x, w);
        wyx = Vec3(w, y, x); wyy = Vec3(w, y, y); wyz = Vec3(w, y, z); wyw = Vec3(w, y, w); wzx = Vec3(w, z, x);
        wzy = Vec3(w, z, y); wzz = Vec3(w, z, z); wzw = Vec3(w, z, w); wwx = Vec3(w, w, x); wwy = Vec3(w, w, y);
        wwz = Vec3(w, w, z); www = Vec3(w, w, w); wzyx = Vec4(w, z, y, x); yzwx = Vec4(y, z, w, x);
        zwxy = Vec4(z, w, x, y); wxyz = Vec4(w, x, y, z); xxxx = Vec4(x, x, x, x); yyyy = Vec4(y, y, y, y);
        zzzz = Vec4(z, z, z, z); wwww = Vec4(w, w, w, w);
    }
}
