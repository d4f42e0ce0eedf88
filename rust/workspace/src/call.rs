//! One call of a file tool: the project, whose call it is, and who holds the texts.

use std::path::PathBuf;

use crate::cancel::CancelFlag;
use crate::confine::Confined;
use crate::place::Place;
use crate::primitives::{Primitives, Target};
use crate::recent::RecentTexts;
use crate::walk::{LeftOut, Visitor, walk};

#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) place: &'a Place,
    /// Whose agent asks; 0 for none.
    pub(crate) session: u64,
    pub(crate) cancel: &'a CancelFlag,
    pub(crate) primitives: &'a dyn Primitives,
    pub(crate) recent: &'a RecentTexts,
}

impl<'a> Call<'a> {
    /// Walks a folder as the project's person sees it.
    pub(crate) fn walk<V: Visitor>(
        &self,
        folder: &Confined,
        visitor: impl Fn() -> V + Sync,
    ) -> Vec<V> {
        let target = self.target(folder);
        let left_out = |folders: &[PathBuf]| self.primitives.left_out(&target, folders);
        let left_out: Option<&LeftOut<'_>> = match self.primitives.has_documents() {
            true => Some(&left_out),
            false => None,
        };
        walk(
            self.place.confinement(),
            &folder.absolute,
            left_out,
            visitor,
        )
    }

    pub(crate) fn target(&self, confined: &'a Confined) -> Target<'a> {
        Target {
            place: self.place,
            confined,
            session: self.session,
            cancel: self.cancel,
        }
    }
}
