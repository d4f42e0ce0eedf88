//! What the walk keeps for all states alike, so that a loop knows whether another round could be another one.
//!
//! It knows nothing of loops.

use super::judge::Judge;
use super::saved_files::Saved;

/// How much is kept for all states alike.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    n_saved: usize,
    n_links: usize,
    n_lasting: usize,
}

impl Judge<'_> {
    /// What has been kept so far for all states alike: files, links, and redirections of the shell itself.
    pub(super) fn kept(&self) -> Kept {
        Kept {
            n_saved: self.saved.len(),
            n_links: self.links.len(),
            n_lasting: self.n_lasting,
        }
    }

    /// Whether there is more of it since then, so that another round may be another one.
    pub(super) fn keeps_more(&self, since: Kept, pass: usize) -> bool {
        let (before, new) = self.saved.split_at(since.n_saved.min(self.saved.len()));
        let is_new = |saved: &Saved| !before.iter().any(|known| known.says_the_same(saved));
        // A round ends where the one before it did, so that its redirections are those of all others.
        let redirects = pass == 0 && self.n_lasting > since.n_lasting;
        new.iter().any(is_new) || self.links.len() > since.n_links || redirects
    }
}
