//! The bounds that make an analysis total: how deep, and how much work in proportion to the line.

/// The deepest nesting that is followed: brackets, substitutions, scripts inside scripts, calls.
pub(super) const DEPTH_LIMIT: u32 = 64;
/// The longest line that is looked at.
pub(super) const LENGTH_LIMIT: usize = 2 << 20;
/// The largest number of findings that are kept.
pub(super) const FINDINGS_LIMIT: usize = 64;

const WORK_PER_BYTE: usize = 24;
const WORK_AT_LEAST: usize = 60_000;

/// What is left of the work and depth that a line may cost.
#[derive(Debug)]
pub(super) struct Budget {
    work: usize,
    whole: usize,
    depth: u32,
    exceeded: bool,
}

impl Budget {
    pub(super) fn for_line(length: usize) -> Self {
        Self {
            work: WORK_AT_LEAST + WORK_PER_BYTE * length,
            whole: WORK_AT_LEAST + WORK_PER_BYTE * length,
            depth: 0,
            exceeded: false,
        }
    }

    /// Pays for some work; once it cannot be paid everything is over.
    pub(super) fn pay(&mut self, amount: usize) -> bool {
        match self.work.checked_sub(amount) {
            Some(rest) if !self.exceeded => self.work = rest,
            _ => self.exceeded = true,
        }
        !self.exceeded
    }

    pub(super) fn is_half_spent(&self) -> bool {
        self.work < self.whole / 2
    }

    pub(super) fn exceed(&mut self) {
        self.exceeded = true;
    }

    pub(super) fn is_exceeded(&self) -> bool {
        self.exceeded
    }

    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// One level deeper; every success is paired with [`Self::leave`].
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= DEPTH_LIMIT {
            self.exceeded = true;
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }
}
