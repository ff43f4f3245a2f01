//! Part of Pullback.
