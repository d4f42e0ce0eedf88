//! Numbers from a seed, so that a printed seed brings a run back. Not for secrets.

use std::hash::{BuildHasher, RandomState};

/// A stream of numbers (SplitMix64) that depends on its seed alone.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The stream of one item of a series: an item can be made again without those before it.
    pub fn of(seed: u64, index: u64) -> Self {
        let mut stream = Self(seed ^ index.wrapping_mul(0xd134_2543_de82_ef95));
        stream.next();
        stream
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound; 0 where the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).expect("a length fits into 64 bits");
        usize::try_from(self.next() % bound).expect("below a usize")
    }

    /// Whether something happens that does so in one of `of` cases.
    pub fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// One of some things.
    ///
    /// # Panics
    /// Where there is none.
    pub fn pick<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        &things[self.below(things.len())]
    }

    /// Any byte.
    pub fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
}

/// A seed that no run had before.
pub fn fresh_seed() -> u64 {
    RandomState::new().hash_one(std::process::id())
}
