//! Numbers from a seed, so that a printed seed brings a run back. Not for secrets.

use std::hash::{BuildHasher, RandomState};

/// A stream of numbers that depends on its seed alone.
#[derive(Clone, Debug)]
pub struct Random(fastrand::Rng);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// The stream of one item of a series: an item can be made again without those before it.
    pub fn of(seed: u64, index: u64) -> Self {
        // Neighbouring items must not have neighbouring seeds.
        let mut items = fastrand::Rng::with_seed(seed ^ index.wrapping_mul(0xd134_2543_de82_ef95));
        Self(items.fork())
    }

    /// A number below a bound; 0 where the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.usize(..bound.max(1))
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
        self.0.u8(..)
    }
}

/// A seed that no run had before.
pub fn fresh_seed() -> u64 {
    RandomState::new().hash_one(std::process::id())
}
