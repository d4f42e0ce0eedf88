//! The current folder of a state, and the folders to go back to.

use super::{Scope, unknown_folder};
use std::rc::Rc;

/// The longest path of a current folder that is followed.
const FOLDER_LIMIT: usize = 1_024;

impl Scope {
    pub(crate) fn cwd(&self) -> &Rc<str> {
        self.looks.borrow_mut().place();
        &self.state.cwd
    }

    /// The current folder for one look at a path below it, where all that counts is that it is one of the project's.
    /// None where nobody wants to know what is looked at, or this may not be said of the folder.
    pub(crate) fn cwd_above(&self, path: &str, is_ordinary: impl Fn(&str) -> bool) -> Option<&str> {
        let mut looks = self.looks.borrow_mut();
        (looks.is_watched() && is_ordinary(&self.state.cwd)).then(|| looks.below(path))?;
        Some(&self.state.cwd)
    }

    pub(crate) fn previous(&self) -> &Rc<str> {
        self.looks.borrow_mut().place();
        &self.state.previous
    }

    pub(crate) fn enter_folder(&mut self, folder: impl Into<Rc<str>>) {
        let folder = folder.into();
        self.looks.get_mut().place();
        if folder == self.state.cwd {
            return;
        }
        // A path that grows with each step is not worth its letters.
        let is_long = folder.len() > FOLDER_LIMIT;
        let folder = if is_long { unknown_folder() } else { folder };
        self.state.previous = std::mem::replace(&mut self.state.cwd, folder);
    }

    /// `pushd`; only the last few folders are kept.
    pub(crate) fn push_folder(&mut self) {
        self.looks.get_mut().place();
        let folders = self.state.folders.as_deref().unwrap_or_default();
        let kept = folders[folders.len().saturating_sub(15)..].iter().cloned();
        self.state.folders = Some(kept.chain([Rc::clone(&self.state.cwd)]).collect());
    }

    /// `popd`: the folder to go back to.
    pub(crate) fn pop_folder(&mut self) -> Rc<str> {
        self.looks.get_mut().place();
        let folders = self.state.folders.as_deref().unwrap_or_default();
        let Some((last, rest)) = folders.split_last() else {
            return unknown_folder();
        };
        let last = Rc::clone(last);
        self.state.folders = (!rest.is_empty()).then(|| rest.into());
        last
    }
}
