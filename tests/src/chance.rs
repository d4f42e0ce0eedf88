//! Chance with a seed: the same seed, the same run, as far as the machine's timing allows.

/// A stream of numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`, which is not zero.
    pub fn below(&mut self, n: u64) -> u64 {
        self.number() % n
    }

    /// True in `n` of 1000 cases.
    pub fn happens(&mut self, n: u64) -> bool {
        self.below(1000) < n
    }

    /// One of these.
    ///
    /// # Panics
    /// There is none.
    pub fn one_of<T: Copy>(&mut self, things: &[T]) -> T {
        let place = usize::try_from(self.below(things.len() as u64)).expect("an index");
        things[place]
    }

    /// A stream of its own, for a part that runs beside others.
    pub fn fork(&mut self) -> Self {
        Self(self.number())
    }
}
