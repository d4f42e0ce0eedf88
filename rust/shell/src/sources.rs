//! Files that a command only reads and folders that it only lists: all that counts of them is that they are the
//! project's, so that a look at one is the same look from every ordinary folder of the project. What the line has saved
//! in them is another question, which most commands never ask.

use super::classify::is_build_output;
use super::ir::{Arg, UNKNOWN};
use super::judge::Judge;
use super::paths::{Place, Target, parts};
use super::scope::Folders;

impl Judge<'_> {
    /// Where an argument leads that is only read or listed.
    pub(super) fn read_target(&self, arg: &Arg) -> Target {
        let path = arg.text.as_str();
        let is_ordinary = |folder: &str| self.is_plain(path) && self.is_ordinary(folder);
        match self.scope.cwd_above(path, is_ordinary) {
            Some(folder) => self.places.target(arg, folder),
            None => self.target(arg),
        }
    }

    /// The current folder, where all that counts is whether it is the project's.
    pub(super) fn around(&self) -> Target {
        match self.scope.cwd_above("", |folder| self.is_ordinary(folder)) {
            Some(folder) => Target {
                place: Place::Inside,
                path: folder.to_owned(),
                way: None,
            },
            None => self.here(),
        }
    }

    /// Whether a path that a walk has looked at leads to the same from another folder.
    pub(super) fn is_alike(&self, folders: &Folders<'_>, path: &str) -> bool {
        let at = |folder: &str| self.places.absolute(path, folder);
        self.is_ordinary(folders.other)
            && (!folders.asks_saved
                || self.saved.is_empty()
                || self.holds_same(&at(folders.walked), &at(folders.other)))
    }

    /// Whether a folder is the project's like any other: not behind a link, not protected and not made by a build, and not
    /// in another content root, whose git and tests are not the project's.
    fn is_ordinary(&self, folder: &str) -> bool {
        if !self.links.is_untouched() || !self.places.is_in_base(folder) {
            return false;
        }
        let means =
            |name: &str| name.starts_with('.') || name.contains(UNKNOWN) || is_build_output(name);
        !parts(self.places.below_root(folder)).any(means)
    }

    /// Whether a path goes down from the current folder, whatever that is, or from the root of all; on Windows that is the
    /// root of the current folder's drive.
    fn is_plain(&self, path: &str) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=,+@*?\0".contains(&byte);
        let has_drive = path.starts_with('/') && self.places.is_windows();
        !path.is_empty() && !has_drive && !path.contains("..") && path.bytes().all(is_plain)
    }
}
