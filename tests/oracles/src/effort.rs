//! How much a run does: little by default, much where the environment asks for it.

use crate::random;

/// What one run of a test does.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Where its random choices begin: `SIDERAIL_SEED`, else fresh.
    pub seed: u64,
    /// How many programs are generated, where that was asked for: `SIDERAIL_PROGRAMS`.
    programs: Option<u64>,
}

impl Effort {
    /// Reads what was asked for, and prints the seed.
    pub fn asked() -> Self {
        let number = |name| std::env::var(name).ok()?.parse().ok();
        let seed = number("SIDERAIL_SEED").unwrap_or_else(random::fresh_seed);
        // Told before anything can fail: whatever stops the run, it can be brought back.
        println!("SIDERAIL_SEED={seed}");
        Self {
            seed,
            programs: number("SIDERAIL_PROGRAMS"),
        }
    }

    /// How many programs to generate.
    pub fn programs(&self, by_default: u64) -> u64 {
        self.programs.unwrap_or(by_default)
    }

    /// All things in a long run, else one in so many of them, others each time.
    pub fn some_of<T>(&self, things: Vec<T>, one_in: usize) -> Vec<T> {
        if self.programs.is_some() {
            return things;
        }
        let first = random::Random::new(self.seed).below(one_in);
        things.into_iter().skip(first).step_by(one_in).collect()
    }
}
