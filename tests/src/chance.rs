//! Chance with a seed: the same seed, the same run, as far as the machine's timing allows.

/// A stream of numbers.
#[derive(Clone, Debug)]
pub struct Chance(fastrand::Rng);

impl Chance {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// A number below `n`, which is not zero.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0.u64(..n)
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
        *self.0.choice(things).expect("there is one")
    }

    /// A stream of its own, for a part that runs beside others.
    pub fn fork(&mut self) -> Self {
        Self(self.0.fork())
    }
}
