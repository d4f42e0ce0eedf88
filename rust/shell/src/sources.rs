//! Files that a command only reads and folders that it only lists: all that counts of them is that they are the
//! project's, so that a look at one is the same look from every ordinary folder of the project.

use super::classify::is_build_output;
use super::ir::{Arg, UNKNOWN};
use super::judge::Judge;
use super::paths::{Place, Target, parts};

impl Judge<'_> {
    /// Where an argument leads that is only read or listed.
    pub(super) fn read_target(&self, arg: &Arg) -> Target {
        let path = arg.text.as_str();
        let is_ordinary = |folder: &str| is_below(path) && self.is_ordinary(folder, path);
        match self.scope.cwd_above(path, is_ordinary) {
            Some(folder) => self.places.target(arg, folder),
            None => self.target(arg),
        }
    }

    /// The current folder, where all that counts is whether it is the project's.
    pub(super) fn around(&self) -> Target {
        let folder = self
            .scope
            .cwd_above("", |folder| self.is_ordinary(folder, ""));
        match folder {
            Some(folder) => Target {
                place: Place::Inside,
                path: folder.to_owned(),
                way: None,
            },
            None => self.here(),
        }
    }

    /// Whether a path below a folder leads to one of the project's files like any other: through no link and nothing
    /// that is protected or made by a build, and to nothing that the line has written.
    pub(super) fn is_ordinary(&self, folder: &str, path: &str) -> bool {
        if !self.links.is_untouched() || self.places.place(folder, false) != Place::Inside {
            return false;
        }
        let means =
            |name: &str| name.starts_with('.') || name.contains(UNKNOWN) || is_build_output(name);
        if parts(self.places.below_root(folder)).any(means) {
            return false;
        }
        self.saved.is_empty() || !self.is_saved(&self.places.absolute(path, folder))
    }
}

/// Whether a path goes down from the current folder, whatever that is.
fn is_below(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=,+@*?".contains(&byte);
    !path.is_empty() && !path.starts_with('/') && !path.contains("..") && path.bytes().all(is_plain)
}
