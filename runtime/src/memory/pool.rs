//! Blocks kept for reuse: fresh memory costs a page fault for every 4 KiB, more than filling it.

use super::Block;
use std::collections::HashMap;

/// Free blocks by size.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    free: HashMap<usize, Vec<Block>>,
}

impl Pool {
    /// A block of exactly this length with any contents.
    pub(crate) fn take(&mut self, len: usize) -> Block {
        match self.free.get_mut(&len).and_then(Vec::pop) {
            Some(block) => block,
            None => Block::uninit(len),
        }
    }
    /// A block of exactly this length, all zero.
    pub(crate) fn take_zeroed(&mut self, len: usize) -> Block {
        match self.free.get_mut(&len).and_then(Vec::pop) {
            Some(mut block) => {
                block.clear();
                block
            }
            None => Block::zeroed(len),
        }
    }
    /// Takes a block back.
    pub(crate) fn give(&mut self, block: Block) {
        self.free.entry(block.len()).or_default().push(block);
    }
    /// Bytes that lie ready.
    pub(crate) fn bytes(&self) -> usize {
        self.free.iter().map(|(len, blocks)| len * blocks.len()).sum()
    }
}
