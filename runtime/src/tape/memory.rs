//! What a recording keeps in memory.

use super::{Entry, Tape};
use crate::memory::Block;
use crate::run::Chunk;
use std::fmt;

/// Bytes that a tape holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TapeMemory {
    /// Contents saved before they were overwritten.
    pub saved: usize,
    /// What launches kept of values that cannot be computed again.
    pub records: usize,
    /// Cotangents of the last `backward`.
    pub cotangents: usize,
    /// The most of these three together since the recording began.
    pub peak: usize,
    /// Free blocks kept for later recordings.
    pub pooled: usize,
    /// Operations recorded.
    pub operations: usize,
    /// The arrays of which contents were saved, largest first.
    pub arrays: Vec<ArrayMemory>,
}

/// What a tape saved of one array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrayMemory {
    /// The first kernel that used it.
    pub kernel: String,
    /// The name of its parameter there.
    pub array: String,
    /// Bytes saved.
    pub bytes: usize,
    /// How many versions of it, or of parts of it.
    pub versions: usize,
}

impl TapeMemory {
    /// All bytes but the pool's.
    pub fn total(&self) -> usize {
        self.saved + self.records + self.cotangents
    }
}

impl Tape {
    /// What the tape holds in memory, by purpose and by array.
    pub fn memory(&self) -> TapeMemory {
        let mut arrays: Vec<ArrayMemory> = self
            .buffers
            .iter()
            .map(|t| ArrayMemory { kernel: t.name.0.clone(), array: t.name.1.clone(), ..ArrayMemory::default() })
            .collect();
        for read in &self.reads {
            if let Some(block) = &read.saved {
                arrays[read.buffer].bytes += block.len();
                arrays[read.buffer].versions += 1;
            }
        }
        arrays.retain(|a| a.versions > 0);
        arrays.sort_by_key(|a| std::cmp::Reverse(a.bytes));
        let records = |entry: &Entry| match entry {
            Entry::Launch(recorded) => recorded.records.chunks.iter().map(Chunk::bytes).sum(),
            _ => 0,
        };
        TapeMemory {
            saved: arrays.iter().map(|a| a.bytes).sum(),
            records: self.entries.iter().map(records).sum(),
            cotangents: self.cotangents.iter().flatten().map(Block::len).sum(),
            peak: self.peak,
            pooled: self.pool.bytes() + self.spare.iter().map(Chunk::bytes).sum::<usize>(),
            operations: self.entries.len(),
            arrays,
        }
    }
}

impl fmt::Display for TapeMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kib = |bytes: usize| bytes as f64 / 1024.0;
        let (now, peak) = (kib(self.total()), kib(self.peak));
        writeln!(f, "{} operations, {now:.1} KiB, {peak:.1} KiB at most", self.operations)?;
        writeln!(f, "  saved contents {:>12.1} KiB", kib(self.saved))?;
        for a in &self.arrays {
            let (name, versions) = (format!("{}.{}", a.kernel, a.array), a.versions);
            writeln!(f, "    {name:<24} {:>12.1} KiB in {versions} versions", kib(a.bytes))?;
        }
        writeln!(f, "  records        {:>12.1} KiB", kib(self.records))?;
        write!(f, "  cotangents     {:>12.1} KiB", kib(self.cotangents))
    }
}
