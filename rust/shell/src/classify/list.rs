//! Tools that list folders.

use crate::ir::{Arg, Origin, Stream, UNKNOWN};
use crate::judge::Judge;
use crate::paths::Target;
use crate::program::Call;

impl Judge<'_> {
    /// A finding if one of the folders, or the current one, is the project's.
    pub(crate) fn list(&mut self, call: Call<'_>, folders: &[&Arg]) -> Stream {
        let targets: Vec<Target> = if folders.is_empty() {
            vec![self.around()]
        } else {
            folders
                .iter()
                .map(|folder| self.read_target(folder))
                .collect()
        };
        let inside: Vec<Target> = targets.into_iter().filter(Target::is_inside).collect();
        self.lists(call.text, "Lists a project folder.", &inside);
        // Patterns are listed with the folder in front, folders are not.
        let named = folders.first().filter(|folder| folder.text.contains('*'));
        let folder = named
            .and_then(|arg| arg.text.rsplit_once('/'))
            .map(|(folder, _)| folder.to_owned());
        names_below(folder.as_deref())
    }
}

/// A list of unknown names, below a folder that is known.
pub(crate) fn names_below(folder: Option<&str>) -> Stream {
    let unknown = Some(Origin::Program);
    match folder {
        Some(folder) => {
            let text = format!("{}/{UNKNOWN}\n", folder.trim_end_matches('/'));
            Stream::answered(text, unknown)
        }
        None => Stream::answered("\0\n", unknown),
    }
}
