//! Raw memory: aligned blocks, the buffers that arrays share, and the pool that tapes draw on.

mod block;
mod buffer;
mod pool;

pub(crate) use block::Block;
pub(crate) use buffer::Buffer;
pub(crate) use pool::Pool;
