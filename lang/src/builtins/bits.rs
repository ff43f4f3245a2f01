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
host!(i32 u32 i64 u64);

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

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) = $method:ident;)*) => { $(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Bitwise>(x: T $(, $arg: T)*) -> T {
            x.$method($($arg),*)
        }
    )*
    /// Functions of bits as methods, by Rust's names; each gives the type of its integer.
    impl<T: Int> Traced<T> { $(
        $(#[$doc])*
        #[track_caller]
        pub fn $name(self $(, $arg: Self)*) -> Self {
            self.$method($($arg),*)
        }
    )* }
    };
}
functions! {
    /// How many bits are 1, as an integer of the same type.
    count_ones() = ones;
    /// How many zeros stand above the highest 1; of 0 the width of the type. As an integer of the same type.
    leading_zeros() = zeros_above;
    /// How many zeros stand below the lowest 1; of 0 the width of the type. As an integer of the same type.
    trailing_zeros() = zeros_below;
    /// The bits in the opposite order.
    reverse_bits() = reversed;
    /// The bits turned left, those that leave coming in on the right. The amount counts modulo the width.
    rotate_left(by) = turned_left;
    /// The bits turned right, those that leave coming in on the left. The amount counts modulo the width.
    rotate_right(by) = turned_right;
}
