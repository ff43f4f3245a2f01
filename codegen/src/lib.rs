//! Machine code for Pullback IR through LLVM.

pub mod abi;
