//! What a line writes outside of the project. That is no finding, since no tool serves it: it only makes a
//! command one that a person is asked about, whatever else is allowed.
//!
//! As everywhere, an unknown path counts as inside. Devices are no files, and temporary folders
//! are nobody's, unless the project or the home folder itself lies in one.

use super::ir::Arg;
use super::judge::Judge;
use super::paths::{Place, Target};
use super::protected_places::may_name_module;

impl Judge<'_> {
    /// The line writes there, and where that was before it was moved.
    pub(super) fn leaves(&mut self, target: &Target) {
        self.leaves_one(target);
        for from in self.links.moved_from(&self.places, target) {
            self.leaves_one(&from);
        }
    }

    fn leaves_one(&mut self, target: &Target) {
        let is_outside = match target.place {
            Place::Elsewhere | Place::Above => true,
            Place::Temporary => self.places.is_somebodys(&target.path),
            Place::Inside | Place::Special => false,
        };
        if is_outside {
            self.outside.add(target);
        } else if target.place != Place::Special {
            self.written.add(target);
        }
        if target.place == Place::Inside
            && (!self.links.is_empty() || may_name_module(&target.path))
        {
            self.names_place(target);
        }
    }

    /// What is moved is gone from where it was. Whatever comes in the place of one of the project's own folders would count
    /// as the project, so moving that away is a write outside.
    pub(super) fn takes_away(&mut self, files: &[&Arg]) {
        self.leaves_at(files);
        for file in files {
            let target = self.target(file);
            if self.places.is_root(&target.path) {
                self.outside.add(&target);
            }
        }
    }

    /// Remembers folders that the line makes: nobody fails to enter them.
    pub(super) fn makes_folders<'f>(&mut self, folders: impl IntoIterator<Item = &'f Arg>) {
        const MADE_LIMIT: usize = 64;
        for folder in folders {
            if self.made.len() < MADE_LIMIT {
                let path = self.named(folder).path;
                self.made.push(path);
            }
        }
    }

    pub(super) fn leaves_at(&mut self, files: &[&Arg]) {
        for file in files {
            let target = self.target(file);
            self.leaves(&target);
        }
    }
}
