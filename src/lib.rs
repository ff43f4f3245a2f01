//! Pullback: a simulation engine with exact gradients.
