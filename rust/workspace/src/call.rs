//! One call of a file tool: the project, the session, and where the texts are; and the trait that performs a tool.

use std::path::PathBuf;

use siderail_catalog::Tool;

use crate::arguments::Arguments;
use crate::cancel::CancelFlag;
use crate::confine::Confined;
use crate::outcome::{ToolFailure, ToolOutcome};
use crate::place::Place;
use crate::primitives::{Primitives, Target};
use crate::questions::Questions;
use crate::recent::RecentTexts;
use crate::walk::{LeftOut, Visitor, walk};

/// Reports in a few words how far a long call has come.
pub type Progress<'a> = dyn Fn(&str) + Send + Sync + 'a;

/// What performs a tool.
pub(crate) struct Handler {
    pub(crate) tool: Tool,
    /// The arguments that are paths whose order matters to a call.
    pub(crate) ordered_by: &'static [&'static str],
    pub(crate) run: fn(&Call<'_>, Arguments<'_>) -> Result<ToolOutcome, ToolFailure>,
}

#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) place: &'a Place,
    /// Whose agent asks; 0 for none.
    pub(crate) session: u64,
    pub(crate) cancel: &'a CancelFlag,
    pub(crate) primitives: &'a dyn Primitives,
    pub(crate) recent: &'a RecentTexts,
    pub(crate) questions: &'a Questions,
    pub(crate) progress: &'a Progress<'a>,
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
