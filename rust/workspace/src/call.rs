//! One call of a file tool: the project, whose call it is, and who holds the texts.

use crate::cancel::CancelFlag;
use crate::confine::Confined;
use crate::place::Place;
use crate::primitives::{Primitives, Target};
use crate::recent::RecentTexts;

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
    pub(crate) fn target(&self, confined: &'a Confined) -> Target<'a> {
        Target {
            place: self.place,
            confined,
            session: self.session,
            cancel: self.cancel,
        }
    }
}
