//! Integer arithmetic, logic, comparisons, and how atomics combine.

use crate::types::{Constant, Scalar};
use std::cmp::Ordering;

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$item:meta])* $variant:ident = $text:literal / $arity:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$item])* $variant,)* }
        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];
            /// The name in the text form.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
            /// How many operands it takes.
            pub fn arity(self) -> usize {
                match self { $($name::$variant => $arity,)* }
            }
            /// The one with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                $name::ALL.iter().copied().find(|op| op.name() == name)
            }
        }
    };
}

named! {
    /// Integer arithmetic: operands and result have one integer type; results wrap.
    IntOp {
        /// Sum.
        Add = "iadd" / 2,
        /// Difference.
        Sub = "isub" / 2,
        /// Product.
        Mul = "imul" / 2,
        /// Quotient, towards zero. A zero divisor is an error of the launch.
        Div = "idiv" / 2,
        /// Remainder of that division, with the sign of the dividend. A zero divisor is an error.
        Rem = "irem" / 2,
        /// Two's complement negative.
        Neg = "ineg" / 1,
        /// Absolute value; the least integer stays as it is.
        Abs = "iabs" / 1,
        /// The smaller.
        Min = "imin" / 2,
        /// The larger.
        Max = "imax" / 2,
        /// Bitwise and.
        And = "iand" / 2,
        /// Bitwise or.
        Or = "ior" / 2,
        /// Bitwise exclusive or.
        Xor = "ixor" / 2,
        /// Bitwise complement.
        Not = "inot" / 1,
        /// Left shift; the amount counts modulo the width.
        Shl = "ishl" / 2,
        /// Right shift: arithmetic for signed, logical for unsigned; the amount counts modulo the width.
        Shr = "ishr" / 2,
        /// The bits turned left; the amount counts modulo the width.
        RotateLeft = "irotate_left" / 2,
        /// The bits turned right; the amount counts modulo the width.
        RotateRight = "irotate_right" / 2,
        /// How many bits are 1.
        CountOnes = "icount_ones" / 1,
        /// How many bits above the highest 1; the width for 0.
        LeadingZeros = "ileading_zeros" / 1,
        /// How many bits below the lowest 1; the width for 0.
        TrailingZeros = "itrailing_zeros" / 1,
        /// The bits in the opposite order.
        ReverseBits = "ireverse_bits" / 1,
    }
}

named! {
    /// Logic on bools.
    BoolOp {
        /// Both.
        And = "and" / 2,
        /// Either or both.
        Or = "or" / 2,
        /// One but not the other.
        Xor = "xor" / 2,
        /// The opposite.
        Not = "not" / 1,
    }
}

named! {
    /// Comparison of two values of one type.
    Compare {
        /// Equal.
        Eq = "eq" / 2,
        /// Not equal; the only one that holds with a NaN.
        Ne = "ne" / 2,
        /// Less.
        Lt = "lt" / 2,
        /// Less or equal.
        Le = "le" / 2,
        /// Greater.
        Gt = "gt" / 2,
        /// Greater or equal.
        Ge = "ge" / 2,
    }
}

named! {
    /// How an atomic combines the operand with what the array holds.
    AtomicOp {
        /// Sum (integers wrap).
        Add = "atomic_add" / 2,
        /// The smaller, as `min`.
        Min = "atomic_min" / 2,
        /// The larger, as `max`.
        Max = "atomic_max" / 2,
        /// Bitwise and, of integers.
        And = "atomic_and" / 2,
        /// Bitwise or, of integers.
        Or = "atomic_or" / 2,
        /// Bitwise exclusive or, of integers.
        Xor = "atomic_xor" / 2,
        /// The operand.
        Exchange = "atomic_exchange" / 2,
        /// The second operand if what is there equals the first (`==`), else what is there.
        CompareExchange = "atomic_compare_exchange" / 3,
    }
}

impl Compare {
    /// Whether it holds for operands that compare like this; `None` means that one is a NaN.
    pub fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Compare::Eq => order == Some(Ordering::Equal),
            Compare::Ne => order != Some(Ordering::Equal),
            Compare::Lt => order == Some(Ordering::Less),
            Compare::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Compare::Gt => order == Some(Ordering::Greater),
            Compare::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
    /// Whether it holds for two constants of one type.
    pub fn value(self, a: Constant, b: Constant) -> bool {
        let order = match (a, b) {
            (Constant::F32(a), Constant::F32(b)) => a.partial_cmp(&b),
            (Constant::F64(a), Constant::F64(b)) => a.partial_cmp(&b),
            (Constant::F16(a), Constant::F16(b)) => {
                crate::math::half_to_f32(a).partial_cmp(&crate::math::half_to_f32(b))
            }
            (Constant::I8(a), Constant::I8(b)) => a.partial_cmp(&b),
            (Constant::I16(a), Constant::I16(b)) => a.partial_cmp(&b),
            (Constant::I32(a), Constant::I32(b)) => a.partial_cmp(&b),
            (Constant::I64(a), Constant::I64(b)) => a.partial_cmp(&b),
            (a, b) => a.bits().partial_cmp(&b.bits()),
        };
        self.holds(order)
    }
}

impl BoolOp {
    /// Its value; `b` is ignored by `not`.
    pub fn value(self, a: bool, b: bool) -> bool {
        match self {
            BoolOp::And => a && b,
            BoolOp::Or => a || b,
            BoolOp::Xor => a != b,
            BoolOp::Not => !a,
        }
    }
}

impl IntOp {
    /// Its value for operands of one integer type, given and returned as bits in the low end of the
    /// word; `None` for a zero divisor.
    pub fn value(self, scalar: Scalar, x: &[u64]) -> Option<u64> {
        let bits = scalar.bits();
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let signed = |v: u64| ((v << (64 - bits)) as i64) >> (64 - bits);
        let (a, b) = (x[0] & mask, x.get(1).copied().unwrap_or(0) & mask);
        let (sa, sb) = (signed(a), signed(b));
        let shift = (b % bits as u64) as u32;
        let result = match self {
            IntOp::Add => a.wrapping_add(b),
            IntOp::Sub => a.wrapping_sub(b),
            IntOp::Mul => a.wrapping_mul(b),
            IntOp::Div | IntOp::Rem if b == 0 => return None,
            IntOp::Div if scalar.is_signed() => sa.wrapping_div(sb) as u64,
            IntOp::Div => a / b,
            IntOp::Rem if scalar.is_signed() => sa.wrapping_rem(sb) as u64,
            IntOp::Rem => a % b,
            IntOp::Neg => a.wrapping_neg(),
            IntOp::Abs if scalar.is_signed() => sa.wrapping_abs() as u64,
            IntOp::Abs => a,
            IntOp::Min if scalar.is_signed() => sa.min(sb) as u64,
            IntOp::Min => a.min(b),
            IntOp::Max if scalar.is_signed() => sa.max(sb) as u64,
            IntOp::Max => a.max(b),
            IntOp::And => a & b,
            IntOp::Or => a | b,
            IntOp::Xor => a ^ b,
            IntOp::Not => !a,
            IntOp::Shl => a << shift,
            IntOp::Shr if scalar.is_signed() => (sa >> shift) as u64,
            IntOp::Shr => a >> shift,
            IntOp::RotateLeft => a << shift | a.checked_shr(bits - shift).unwrap_or(0),
            IntOp::RotateRight => a >> shift | a.checked_shl(bits - shift).unwrap_or(0),
            IntOp::CountOnes => u64::from(a.count_ones()),
            IntOp::LeadingZeros => u64::from(a.leading_zeros() - (64 - bits)),
            IntOp::TrailingZeros => u64::from(a.trailing_zeros().min(bits)),
            IntOp::ReverseBits => a.reverse_bits() >> (64 - bits),
        };
        Some(result & mask)
    }
}

impl AtomicOp {
    /// The float and the integer op that it does to what is there and the operand, if it is one.
    pub fn arithmetic(self) -> (Option<crate::ops::FloatOp>, Option<IntOp>) {
        use crate::ops::FloatOp;
        match self {
            AtomicOp::Add => (Some(FloatOp::Add), Some(IntOp::Add)),
            AtomicOp::Min => (Some(FloatOp::Min), Some(IntOp::Min)),
            AtomicOp::Max => (Some(FloatOp::Max), Some(IntOp::Max)),
            AtomicOp::And => (None, Some(IntOp::And)),
            AtomicOp::Or => (None, Some(IntOp::Or)),
            AtomicOp::Xor => (None, Some(IntOp::Xor)),
            AtomicOp::Exchange | AtomicOp::CompareExchange => (None, None),
        }
    }
    /// Whether it is one of integers only.
    pub fn is_bitwise(self) -> bool {
        matches!(self, AtomicOp::And | AtomicOp::Or | AtomicOp::Xor)
    }
    /// What the array holds afterwards.
    pub fn value(self, old: Constant, operands: &[Constant]) -> Constant {
        let scalar = old.scalar();
        let Some(&new) = operands.last() else { return old };
        let (float, int) = self.arithmetic();
        match (self, old, new) {
            (AtomicOp::Exchange, ..) => new,
            (AtomicOp::CompareExchange, ..) => match Compare::Eq.value(old, operands[0]) {
                true => new,
                false => old,
            },
            (_, Constant::F32(a), Constant::F32(b)) => float.map_or(old, |op| Constant::F32(op.value(&[a, b]))),
            (_, Constant::F64(a), Constant::F64(b)) => float.map_or(old, |op| Constant::F64(op.value(&[a, b]))),
            _ => {
                let bits = int.and_then(|op| op.value(scalar, &[old.bits(), new.bits()]));
                Constant::from_bits(scalar, bits.unwrap_or(0))
            }
        }
    }
}
