//! Seeded randomness, so that a run with the same seed does the same. Good for ids and for choosing faults; no use for
//! secrets.

/// A generator; the same seed yields the same sequence on every platform.
#[derive(Clone, Debug)]
pub(crate) struct Rng(fastrand::Rng);

impl Rng {
    /// A generator that starts at `seed`.
    #[must_use]
    pub(crate) fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// A generator that differs from run to run.
    #[must_use]
    pub(crate) fn fresh() -> Self {
        Self(fastrand::Rng::new())
    }

    /// The next 64 bits.
    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// A number below `bound` (0 where `bound` is 0).
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.usize(..bound.max(1))
    }

    /// True in `per_mille` of 1000 cases.
    pub(crate) fn chance(&mut self, per_mille: u32) -> bool {
        self.0.u32(..1000) < per_mille
    }

    /// 32 hexadecimal digits.
    pub(crate) fn hex(&mut self) -> String {
        format!("{:016x}{:016x}", self.next_u64(), self.next_u64())
    }

    /// An id in the form of a version 4 UUID.
    pub(crate) fn uuid(&mut self) -> String {
        let hex = self.hex();
        format!(
            "{}-{}-4{}-a{}-{}",
            &hex[..8],
            &hex[8..12],
            &hex[13..16],
            &hex[17..20],
            &hex[20..]
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn the_same_seed_gives_the_same_run() {
        let run = |seed| {
            let mut rng = Rng::new(seed);
            (rng.uuid(), rng.below(1000), rng.chance(500), rng.next_u64())
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
        assert_ne!(run(0), run(1));
    }
}
