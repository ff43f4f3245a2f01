//! Sums that the threads of a launch share: loss += f(i), or the cotangents of what all threads read.
//!
//! Threads that share an array have to run one after the other, unless all that they do with it is to
//! add floats. Then a large launch is cut into parts, each adds to an array of its own, and these are
//! added to the shared one in the order of the parts. How it is cut follows from the launch alone, so
//! the bits do not depend on the number of cores.

use crate::memory::Block;
use crate::program::Program;
use crate::view::{MAX_RANK, add_floats, each_offset};
use pullback_ir::Element;

/// Into how many parts at most such a launch is cut (more if a part would have too many threads).
pub(crate) const PARTS: u64 = 32;

/// Parts' own arrays may have this many bytes together; larger ones cost more than they bring.
const LARGEST: usize = 16 << 20;

/// One shared array.
#[derive(Debug)]
struct Sum<'p> {
    element: &'p Element,
    /// Which argument word is its address.
    word: usize,
    shape: [usize; MAX_RANK],
    strides: [usize; MAX_RANK],
    /// Where it lies in a part's memory.
    offset: usize,
}

/// The parts' own arrays.
#[derive(Debug)]
pub(crate) struct Sums<'p> {
    arrays: Vec<Sum<'p>>,
    /// Bytes from one part's memory to the next's.
    stride: usize,
    block: Block,
}

impl<'p> Sums<'p> {
    /// Arrays for `parts` parts of a launch with these arguments that does about `work` operations;
    /// `None` if the kernel shares more than sums, or the arrays are too large for the work.
    pub(crate) fn new(program: &'p Program, args: &[u64], parts: usize, work: usize) -> Option<Self> {
        let shared = program.sums.as_ref()?;
        let mut arrays = Vec::with_capacity(shared.len());
        let (mut word, mut end, mut scalars) = (0, 0usize, 0usize);
        for (i, param) in (0..).zip(&program.kernel.params) {
            let Some((element, rank, _)) = param.array() else {
                word += 1;
                continue;
            };
            let rank = rank as usize;
            if shared.contains(&i) {
                let (mut shape, mut strides) = ([1; MAX_RANK], [0; MAX_RANK]);
                let mut extent = element.size() as usize;
                for axis in 0..rank {
                    shape[axis] = args[word + 1 + axis] as usize;
                    strides[axis] = args[word + 1 + rank + axis] as usize;
                }
                let empty = shape.contains(&0);
                let elements = if empty { 0 } else { shape.iter().product::<usize>() };
                // An array without elements may be said to be longer than memory.
                if !empty {
                    extent += shape.iter().zip(&strides).map(|(n, stride)| (n - 1) * stride).sum::<usize>();
                }
                arrays.push(Sum { element, word, shape, strides, offset: end });
                end += extent.next_multiple_of(64);
                scalars += elements * element.components().len();
            }
            word += 1 + 2 * rank;
        }
        let fits = end.checked_mul(parts).is_some_and(|bytes| bytes <= LARGEST);
        let worth = scalars.saturating_mul(4 * parts) <= work;
        (fits && worth).then(|| Sums { arrays, stride: end, block: Block::zeroed(end * parts) })
    }

    /// Makes a part's arguments of a launch's.
    pub(crate) fn redirect(&self, args: &mut [u64], part: usize) {
        for sum in &self.arrays {
            args[sum.word] = self.block.address().wrapping_add(part * self.stride + sum.offset) as u64;
        }
    }

    /// Adds what the parts have to the shared arrays, part by part.
    ///
    /// # Safety
    /// `args` are those of the launch, its arrays are valid and touched by nobody else, and all parts
    /// have ended.
    pub(crate) unsafe fn add_up(&self, args: &[u64], parts: usize) {
        for part in 0..parts {
            for sum in &self.arrays {
                let to = args[sum.word] as *mut u8;
                let from = self.block.address().wrapping_add(part * self.stride + sum.offset);
                each_offset(&sum.shape, &sum.strides, |offset| {
                    // SAFETY: the offset is that of an element, in the shared array and in the part's,
                    // which has the same strides.
                    unsafe { add_floats(sum.element, to.add(offset), from.add(offset)) }
                });
            }
        }
    }
}
