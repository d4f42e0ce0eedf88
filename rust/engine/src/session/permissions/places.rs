//! Where the paths of an action really are: links are followed; what cannot be followed counts as outside, and so does
//! everything if the disk gives no answer.

use std::path::Path;

use siderail_guard::path::{PathFact, Place, below_root, locate_among, make_absolute};

use crate::confine::{Confined, Refusal};
use crate::session::permissions::judge::{Basis, Judge};
use crate::session::worker::Sight;

impl Judge {
    /// What a path names, through all links, if it is inside.
    pub(in crate::session) fn resolve(&self, given: &str) -> Result<Confined, Refusal> {
        if self.sight == Sight::Blind {
            let known = self.known.iter().find(|(path, _)| path == given);
            return known.map_or_else(|| Err(unanswered(given)), |(_, found)| Ok(found.clone()));
        }
        let known = self.of.resolved.lock().get(given).cloned();
        known.unwrap_or_else(|| {
            // Without the lock: it may take as long as it likes.
            let found = self.of.confinement.resolve(given);
            let mut resolved = self.of.resolved.lock();
            resolved.insert(given.to_owned(), found.clone());
            found
        })
    }

    /// The same, where a link at the end is the thing itself.
    pub(in crate::session) fn resolve_entry(&self, given: &str) -> Result<Confined, Refusal> {
        match self.sight {
            Sight::Clear => self.of.confinement.resolve_entry(given),
            Sight::Blind => Err(unanswered(given)),
        }
    }

    pub(in crate::session) fn places(&self, paths: &[String]) -> Vec<PathFact> {
        paths.iter().map(|given| self.place(given)).collect()
    }

    /// Where a path truly lies.
    pub(in crate::session) fn place(&self, given: &str) -> PathFact {
        if given.starts_with('~') {
            let Basis { root, roots, .. } = &*self.of;
            return locate_among(given, root, roots, root, self.of.home.as_deref());
        }
        let place = match self.true_path(given) {
            Some(relative) => Place::Inside { relative },
            None => Place::Outside,
        };
        PathFact {
            given: given.to_owned(),
            place,
        }
    }

    /// The path from the project's folder on, for comparing names, if it is inside; absolute in another content root.
    fn true_path(&self, given: &str) -> Option<String> {
        let found = self.resolve(given).ok()?.absolute;
        let confinement = &self.of.confinement;
        match confinement.root_of(&found)? == confinement.root() {
            true => confinement.unquoted(&found),
            false => Some(found.display().to_string()),
        }
    }

    /// Paths as people read them: from the project's folder on where they are inside.
    pub(in crate::session) fn relative_paths(&self, paths: &[String]) -> Vec<String> {
        let relative = |path: &String| match self.resolve(path) {
            Ok(found) => found.relative,
            Err(_) => path.clone(),
        };
        paths.iter().map(relative).collect()
    }

    /// Where a path leads by this judgement's look: a link that is turned elsewhere is another file.
    pub(in crate::session) fn true_place(&self, path: &str) -> String {
        if self.sight == Sight::Blind {
            return path.to_owned();
        }
        let inside = self.resolve(path).map(|found| found.absolute).ok();
        let found = inside.or_else(|| std::fs::canonicalize(path).ok());
        found.map_or_else(|| path.to_owned(), |found| found.display().to_string())
    }

    /// A folder as it truly is; the project's where none is named.
    pub(in crate::session) fn folder_at(&self, named: &str) -> String {
        match named {
            "" => self.of.root.clone(),
            named => self.true_place(&make_absolute(named, &self.of.root)),
        }
    }

    /// By its name or by where it leads; folders above the project say nothing.
    pub(in crate::session) fn is_protected_file(&self, path: &str) -> bool {
        let roots = &self.of.roots;
        let named = path.strip_prefix(self.of.root.as_str());
        let true_path = self.true_path(path);
        let places = &self.of.protected_places;
        places.has(named.unwrap_or_else(|| below_root(path, roots)))
            || true_path.is_some_and(|path| places.has(below_root(&path, roots)))
    }

    /// The project's base folder.
    pub(in crate::session) fn root(&self) -> &Path {
        self.of.confinement.root()
    }
}

fn unanswered(given: &str) -> Refusal {
    Refusal::Unfollowable {
        given: given.to_owned(),
        why: "the file system gives no answer".to_owned(),
    }
}
