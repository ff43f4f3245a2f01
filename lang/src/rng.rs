//! `Rng`: the state of a stream of random numbers, on the host and in kernels.

use crate::call::Args;
use crate::scalar::Select;
use crate::traced::Traced;
use crate::types::{KernelType, Traceable, Values};
use crate::word::Word;
use pullback_ir::{Scalar, Value};

/// A stream of random numbers by a counter: Philox 4×32 with ten rounds (Salmon, Moraes, Dror and Shaw 2011,
/// *Parallel random numbers: as easy as 1, 2, 3*). Number n of the stream is a function of the seed, the sequence
/// and n alone, so it is the same on the host, in kernels, on every back end and at any number of threads. Each
/// drawing function takes one block of 128 bits; a stream has 2⁶⁴ of them. There are 2⁶⁴ seeds and for each 2⁶⁴
/// sequences, which never overlap: give every thread its own, such as its id.
///
/// ```
/// use pullback_lang::{rand_init, randf, randn};
/// let mut rng = rand_init(42, 7);
/// let (u, n): (f64, f64) = (randf(&mut rng), randn(&mut rng));
/// assert!((0.0..1.0).contains(&u) && n.is_finite());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rng<W = u32> {
    seed: [W; 2],
    sequence: [W; 2],
    counter: [W; 2],
}

impl<W: Word> Rng<W> {
    pub(crate) fn new(seed: [W; 2], sequence: [W; 2]) -> Self {
        Rng { seed, sequence, counter: [W::word(0); 2] }
    }

    /// The next block of four random words.
    #[track_caller]
    pub(crate) fn block(&mut self) -> [W; 4] {
        let block = philox([self.counter[0], self.counter[1], self.sequence[0], self.sequence[1]], self.seed);
        let [low, high] = self.counter;
        let low = low.plus(W::word(1));
        let carry = W::pick(low.is(W::word(0)), W::word(1), W::word(0));
        self.counter = [low, high.plus(carry)];
        block
    }
}

/// Ten rounds of Philox 4×32.
#[track_caller]
fn philox<W: Word>(mut c: [W; 4], mut key: [W; 2]) -> [W; 4] {
    let (m0, m1) = (W::word(0xD251_1F53), W::word(0xCD9E_8D57));
    for round in 0..10 {
        if round > 0 {
            key = [key[0].plus(W::word(0x9E37_79B9)), key[1].plus(W::word(0xBB67_AE85))];
        }
        c = [m1.times_high(c[2]) ^ c[1] ^ key[0], m1.times(c[2]), m0.times_high(c[0]) ^ c[3] ^ key[1], m0.times(c[0])];
    }
    c
}

impl KernelType for Rng {
    type Traced = Rng<Traced<u32>>;
    #[track_caller]
    fn constant(self) -> Self::Traced {
        Rng { seed: self.seed.constant(), sequence: self.sequence.constant(), counter: self.counter.constant() }
    }
    fn push(self, args: &mut Args) {
        self.seed.push(args);
        self.sequence.push(args);
        self.counter.push(args);
    }
    fn param(name: &str) -> Self::Traced {
        Rng {
            seed: <[u32; 2]>::param(&format!("{name}_seed")),
            sequence: <[u32; 2]>::param(&format!("{name}_sequence")),
            counter: <[u32; 2]>::param(&format!("{name}_counter")),
        }
    }
}
impl Traceable for Rng<Traced<u32>> {
    fn scalars(out: &mut Vec<Scalar>) {
        out.extend([Scalar::U32; 6]);
    }
    fn values(&self, out: &mut Vec<Value>) {
        self.seed.values(out);
        self.sequence.values(out);
        self.counter.values(out);
    }
    fn from_values(values: &mut Values<'_>) -> Self {
        Rng {
            seed: Traceable::from_values(values),
            sequence: Traceable::from_values(values),
            counter: Traceable::from_values(values),
        }
    }
}
impl<W: Word> Select for Rng<W> {
    type Bool = W::Bool;
    #[track_caller]
    fn pick(cond: W::Bool, a: Self, b: Self) -> Self {
        let both = |a: [W; 2], b: [W; 2]| [W::pick(cond, a[0], b[0]), W::pick(cond, a[1], b[1])];
        Rng { seed: both(a.seed, b.seed), sequence: both(a.sequence, b.sequence), counter: both(a.counter, b.counter) }
    }
}

#[cfg(test)]
mod tests {
    use super::philox;

    /// The known answers that the authors publish with Random123 (`kat_vectors`).
    #[test]
    fn known_answers() {
        assert_eq!(philox([0u32; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        assert_eq!(
            philox([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }
}
