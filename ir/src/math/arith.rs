//! The primitive operations that the elementary functions are made of, and the machine's own.

/// A machine with 32-bit floats, integers and truth values.
///
/// Each elementary function of [`crate::math`] is one straight line of these operations: the interpreter runs it with
/// [`Native`], code generation runs it with an implementor that appends one instruction per call. Both get the same
/// bits (a NaN's sign and payload aside), provided each operation is what its line here says, with subnormals kept and
/// without contraction or reassociation.
///
/// The names in brackets are LLVM's. All of them take vectors, on x86 from AVX2 on and (scalar) on NVPTX.
pub trait Arith {
    /// An `f32`.
    type F: Copy;
    /// 32 bits, signed or unsigned as the operation says.
    type I: Copy;
    /// A truth value.
    type B: Copy;

    /// The constant `v`.
    fn f32(&self, v: f32) -> Self::F;
    /// The constant `v`.
    fn i32(&self, v: i32) -> Self::I;

    /// x + y (`fadd`).
    fn fadd(&self, x: Self::F, y: Self::F) -> Self::F;
    /// x − y (`fsub`).
    fn fsub(&self, x: Self::F, y: Self::F) -> Self::F;
    /// x y (`fmul`).
    fn fmul(&self, x: Self::F, y: Self::F) -> Self::F;
    /// x / y, correctly rounded (`fdiv`).
    fn fdiv(&self, x: Self::F, y: Self::F) -> Self::F;
    /// x y + z, rounded once (`llvm.fma`, never `llvm.fmuladd`).
    fn fma(&self, x: Self::F, y: Self::F, z: Self::F) -> Self::F;
    /// √x, correctly rounded (`llvm.sqrt`).
    fn sqrt(&self, x: Self::F) -> Self::F;
    /// −x: the sign bit flipped (`fneg`).
    fn fneg(&self, x: Self::F) -> Self::F;
    /// |x|: the sign bit cleared (`llvm.fabs`).
    fn fabs(&self, x: Self::F) -> Self::F;
    /// The integer nearest to x, ties to even, as a float (`llvm.rint`).
    fn rint(&self, x: Self::F) -> Self::F;
    /// x < y, false with a NaN (`fcmp olt`).
    fn flt(&self, x: Self::F, y: Self::F) -> Self::B;
    /// x = y, false with a NaN (`fcmp oeq`).
    fn feq(&self, x: Self::F, y: Self::F) -> Self::B;

    /// The bits of x (`bitcast`).
    fn bits(&self, x: Self::F) -> Self::I;
    /// The float with the bits n (`bitcast`).
    fn float_of_bits(&self, n: Self::I) -> Self::F;
    /// The signed n as a float, rounded to nearest (`sitofp`). There is no operation from float to integer.
    fn float_of_int(&self, n: Self::I) -> Self::F;

    /// m + n, wrapping (`add`).
    fn iadd(&self, m: Self::I, n: Self::I) -> Self::I;
    /// m − n, wrapping (`sub`).
    fn isub(&self, m: Self::I, n: Self::I) -> Self::I;
    /// The low 32 bits of m n (`mul`).
    fn imul(&self, m: Self::I, n: Self::I) -> Self::I;
    /// The high 32 bits of the unsigned product m n (`zext` to 64 bits, `mul`, `lshr` by 32, `trunc`).
    fn umulh(&self, m: Self::I, n: Self::I) -> Self::I;
    /// Bitwise and (`and`).
    fn iand(&self, m: Self::I, n: Self::I) -> Self::I;
    /// Bitwise or (`or`).
    fn ior(&self, m: Self::I, n: Self::I) -> Self::I;
    /// Bitwise exclusive or (`xor`).
    fn ixor(&self, m: Self::I, n: Self::I) -> Self::I;
    /// m shifted left by n; n is in 0..32 (`shl`).
    fn shl(&self, m: Self::I, n: Self::I) -> Self::I;
    /// m shifted right by n, zeros coming in; n is in 0..32 (`lshr`).
    fn lshr(&self, m: Self::I, n: Self::I) -> Self::I;
    /// m shifted right by n, copies of the sign coming in; n is in 0..32 (`ashr`).
    fn ashr(&self, m: Self::I, n: Self::I) -> Self::I;
    /// m = n (`icmp eq`).
    fn ieq(&self, m: Self::I, n: Self::I) -> Self::B;
    /// m < n, unsigned (`icmp ult`).
    fn ult(&self, m: Self::I, n: Self::I) -> Self::B;

    /// Both (`and`).
    fn and(&self, p: Self::B, q: Self::B) -> Self::B;
    /// Either (`or`).
    fn or(&self, p: Self::B, q: Self::B) -> Self::B;
    /// Not (`xor` with true).
    fn not(&self, p: Self::B) -> Self::B;
    /// x where p holds, else y (`select`).
    fn fselect(&self, p: Self::B, x: Self::F, y: Self::F) -> Self::F;
    /// m where p holds, else n (`select`).
    fn iselect(&self, p: Self::B, m: Self::I, n: Self::I) -> Self::I;
}

/// The machine this program runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Native;

impl Arith for Native {
    type F = f32;
    type I = i32;
    type B = bool;

    #[inline(always)]
    fn f32(&self, v: f32) -> f32 {
        v
    }
    #[inline(always)]
    fn i32(&self, v: i32) -> i32 {
        v
    }
    #[inline(always)]
    fn fadd(&self, x: f32, y: f32) -> f32 {
        x + y
    }
    #[inline(always)]
    fn fsub(&self, x: f32, y: f32) -> f32 {
        x - y
    }
    #[inline(always)]
    fn fmul(&self, x: f32, y: f32) -> f32 {
        x * y
    }
    #[inline(always)]
    fn fdiv(&self, x: f32, y: f32) -> f32 {
        x / y
    }
    #[inline(always)]
    fn fma(&self, x: f32, y: f32, z: f32) -> f32 {
        x.mul_add(y, z)
    }
    #[inline(always)]
    fn sqrt(&self, x: f32) -> f32 {
        x.sqrt()
    }
    #[inline(always)]
    fn fneg(&self, x: f32) -> f32 {
        -x
    }
    #[inline(always)]
    fn fabs(&self, x: f32) -> f32 {
        x.abs()
    }
    #[inline(always)]
    fn rint(&self, x: f32) -> f32 {
        x.round_ties_even()
    }
    #[inline(always)]
    fn flt(&self, x: f32, y: f32) -> bool {
        x < y
    }
    #[inline(always)]
    fn feq(&self, x: f32, y: f32) -> bool {
        x == y
    }
    #[inline(always)]
    fn bits(&self, x: f32) -> i32 {
        x.to_bits().cast_signed()
    }
    #[inline(always)]
    fn float_of_bits(&self, n: i32) -> f32 {
        f32::from_bits(n.cast_unsigned())
    }
    #[inline(always)]
    fn float_of_int(&self, n: i32) -> f32 {
        n as f32
    }
    #[inline(always)]
    fn iadd(&self, m: i32, n: i32) -> i32 {
        m.wrapping_add(n)
    }
    #[inline(always)]
    fn isub(&self, m: i32, n: i32) -> i32 {
        m.wrapping_sub(n)
    }
    #[inline(always)]
    fn imul(&self, m: i32, n: i32) -> i32 {
        m.wrapping_mul(n)
    }
    #[inline(always)]
    fn umulh(&self, m: i32, n: i32) -> i32 {
        let product = u64::from(m.cast_unsigned()) * u64::from(n.cast_unsigned());
        (product >> 32) as i32
    }
    #[inline(always)]
    fn iand(&self, m: i32, n: i32) -> i32 {
        m & n
    }
    #[inline(always)]
    fn ior(&self, m: i32, n: i32) -> i32 {
        m | n
    }
    #[inline(always)]
    fn ixor(&self, m: i32, n: i32) -> i32 {
        m ^ n
    }
    #[inline(always)]
    fn shl(&self, m: i32, n: i32) -> i32 {
        m << n
    }
    #[inline(always)]
    fn lshr(&self, m: i32, n: i32) -> i32 {
        (m.cast_unsigned() >> n).cast_signed()
    }
    #[inline(always)]
    fn ashr(&self, m: i32, n: i32) -> i32 {
        m >> n
    }
    #[inline(always)]
    fn ieq(&self, m: i32, n: i32) -> bool {
        m == n
    }
    #[inline(always)]
    fn ult(&self, m: i32, n: i32) -> bool {
        m.cast_unsigned() < n.cast_unsigned()
    }
    #[inline(always)]
    fn and(&self, p: bool, q: bool) -> bool {
        p & q
    }
    #[inline(always)]
    fn or(&self, p: bool, q: bool) -> bool {
        p | q
    }
    #[inline(always)]
    fn not(&self, p: bool) -> bool {
        !p
    }
    #[inline(always)]
    fn fselect(&self, p: bool, x: f32, y: f32) -> f32 {
        if p { x } else { y }
    }
    #[inline(always)]
    fn iselect(&self, p: bool, m: i32, n: i32) -> i32 {
        if p { m } else { n }
    }
}
