//! Functions of the bits of integers, on the host and in kernels.

use crate::scalar::Int;
use crate::trace::emit;
use crate::traced::Traced;
use pullback_ir::{IntOp, Loc};

/// An integer of the host or of a kernel, as bits.
pub trait Bitwise: Copy {
    /// How many bits are 1.
    fn ones(self) -> Self;
    /// How many zeros are above the highest 1.
    fn zeros_above(self) -> Self;
    /// How many zeros are below the lowest 1.
    fn zeros_below(self) -> Self;
    /// The bits in the opposite order.
    fn reversed(self) -> Self;
    /// The bits turned left.
    fn turned_left(self, by: Self) -> Self;
    /// The bits turned right.
    fn turned_right(self, by: Self) -> Self;
}

macro_rules! host {
    ($($t:ty)*) => { $(
        impl Bitwise for $t {
            fn ones(self) -> Self {
                self.count_ones() as $t
            }
            fn zeros_above(self) -> Self {
                self.leading_zeros() as $t
            }
            fn zeros_below(self) -> Self {
                self.trailing_zeros() as $t
            }
            fn reversed(self) -> Self {
                self.reverse_bits()
            }
            fn turned_left(self, by: Self) -> Self {
                self.rotate_left((by as u32) % <$t>::BITS)
            }
            fn turned_right(self, by: Self) -> Self {
                self.rotate_right((by as u32) % <$t>::BITS)
            }
        }
    )* };
}
host!(i8 u8 i16 u16 i32 u32 i64 u64);

#[track_caller]
fn one<T: Int>(op: IntOp, x: Traced<T>) -> Traced<T> {
    Traced::from_value(emit(Loc::caller(), |b| b.int(op, &[x.value()])))
}
#[track_caller]
fn two<T: Int>(op: IntOp, x: Traced<T>, by: Traced<T>) -> Traced<T> {
    Traced::from_value(emit(Loc::caller(), |b| b.int(op, &[x.value(), by.value()])))
}

impl<T: Int> Bitwise for Traced<T> {
    #[track_caller]
    fn ones(self) -> Self {
        one(IntOp::CountOnes, self)
    }
    #[track_caller]
    fn zeros_above(self) -> Self {
        one(IntOp::LeadingZeros, self)
    }
    #[track_caller]
    fn zeros_below(self) -> Self {
        one(IntOp::TrailingZeros, self)
    }
    #[track_caller]
    fn reversed(self) -> Self {
        one(IntOp::ReverseBits, self)
    }
    #[track_caller]
    fn turned_left(self, by: Self) -> Self {
        two(IntOp::RotateLeft, self, by)
    }
    #[track_caller]
    fn turned_right(self, by: Self) -> Self {
        two(IntOp::RotateRight, self, by)
    }
}

/// How many bits are 1, as an integer of the same type.
#[track_caller]
pub fn count_ones<T: Bitwise>(x: T) -> T {
    x.ones()
}

/// How many zeros stand above the highest 1; of 0 the width of the type. As an integer of the same type.
#[track_caller]
pub fn leading_zeros<T: Bitwise>(x: T) -> T {
    x.zeros_above()
}

/// How many zeros stand below the lowest 1; of 0 the width of the type. As an integer of the same type.
#[track_caller]
pub fn trailing_zeros<T: Bitwise>(x: T) -> T {
    x.zeros_below()
}

/// The bits in the opposite order.
#[track_caller]
pub fn reverse_bits<T: Bitwise>(x: T) -> T {
    x.reversed()
}

/// The bits turned left, those that leave coming in on the right. The amount counts modulo the width.
#[track_caller]
pub fn rotate_left<T: Bitwise>(x: T, by: T) -> T {
    x.turned_left(by)
}

/// The bits turned right, those that leave coming in on the left. The amount counts modulo the width.
#[track_caller]
pub fn rotate_right<T: Bitwise>(x: T, by: T) -> T {
    x.turned_right(by)
}

/// Functions of bits as methods, by Rust's names; each gives the type of its integer.
impl<T: Int> Traced<T> {
    /// How many bits are 1, as an integer of the same type.
    #[track_caller]
    pub fn count_ones(self) -> Self {
        self.ones()
    }
    /// How many zeros stand above the highest 1; of 0 the width of the type. As an integer of the same type.
    #[track_caller]
    pub fn leading_zeros(self) -> Self {
        self.zeros_above()
    }
    /// How many zeros stand below the lowest 1; of 0 the width of the type. As an integer of the same type.
    #[track_caller]
    pub fn trailing_zeros(self) -> Self {
        self.zeros_below()
    }
    /// The bits in the opposite order.
    #[track_caller]
    pub fn reverse_bits(self) -> Self {
        self.reversed()
    }
    /// The bits turned left, those that leave coming in on the right. The amount counts modulo the width.
    #[track_caller]
    pub fn rotate_left(self, by: Self) -> Self {
        self.turned_left(by)
    }
    /// The bits turned right, those that leave coming in on the left. The amount counts modulo the width.
    #[track_caller]
    pub fn rotate_right(self, by: Self) -> Self {
        self.turned_right(by)
    }
}
