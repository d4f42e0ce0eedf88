//! What the line has saved in files, so that running these is judged by what they hold.

use super::analysis::Dialect;
use super::ir::{Arg, Collected, Origin, Pattern, Stream};
use super::judge::Judge;
use super::program::Call;
use super::saved_files::Saved;

/// How many files are remembered.
const FILES_LIMIT: usize = 64;

/// The longest text that is remembered word for word.
const TEXT_LIMIT: usize = 1 << 16;

impl Judge<'_> {
    /// Remembers what a file holds now, if that decides what running it does.
    pub(super) fn remember(&mut self, path: &str, stream: &Stream) {
        let Stream::Text(text) = stream else { return };
        let matters =
            text.supplied || matches!(text.unknown, Some(Origin::Download | Origin::Decoded));
        if matters {
            let is_long = text.text.len() > TEXT_LIMIT;
            let unknown = || Stream::printed(Origin::Elsewhere);
            let stream = if is_long { unknown() } else { stream.clone() };
            self.keep(Saved::file(path.to_owned(), stream));
        }
    }

    /// Keeps what is saved. Where that is too much, it is forgotten what is in a file, and then which files there are.
    fn keep(&mut self, mut saved: Saved) {
        if self.saved.len() >= FILES_LIMIT {
            let is_known = self.saved.iter().any(|known| known.path == saved.path);
            let unknown = Stream::printed(Origin::Elsewhere);
            if is_known {
                saved.stream = unknown;
            } else {
                saved = Saved::folder(String::new(), unknown);
            }
            let is_said = |known: &Saved| {
                known.path == saved.path && known.stream.origin() == saved.stream.origin()
            };
            if self.saved.iter().any(is_said) {
                return;
            }
        }
        self.saved.push(saved);
    }

    /// Remembers that a program has made a file of unknown text.
    pub(super) fn makes(&mut self, file: Option<&Arg>, origin: Origin) {
        if let Some(file) = file {
            let target = self.target(file);
            self.leaves(&target);
            self.remember(&target.path, &Stream::printed(origin));
        }
    }

    /// Remembers that a file now holds what was downloaded.
    pub(super) fn downloaded(&mut self, path: &str) {
        self.remember(path, &Stream::printed(Origin::Download));
    }

    /// Remembers that everything below a folder was downloaded.
    pub(super) fn fetched(&mut self, folder: String) {
        let is_known = |saved: &Saved| saved.is_folder && saved.path == folder;
        if !self.saved.iter().any(is_known) {
            self.keep(Saved::folder(folder, Stream::printed(Origin::Download)));
        }
    }

    pub(super) fn has_saved(&self) -> bool {
        self.scope.look_at_saved();
        !self.saved.is_empty()
    }

    /// What the line has written to a path: all of it, since it may have been appended.
    pub(super) fn saved_at(&mut self, path: &str) -> Option<Stream> {
        self.scope.look_at_saved();
        let mut found = None;
        for saved in self.saved.iter().filter(|saved| saved.holds(path)) {
            if let Stream::Text(text) = &saved.stream {
                self.budget.pay(text.text.len() / 4);
            }
            found
                .get_or_insert_with(Collected::default)
                .add_lines(&saved.stream);
        }
        found.map(Collected::finish)
    }

    /// Whether the line has saved the same at both paths, as far as that is easily known: they are one, or it has saved
    /// nothing there, or what was downloaded with all that is around it.
    pub(super) fn holds_same(&self, one: &str, other: &str) -> bool {
        if one == other {
            return true;
        }
        let is_fetched = |path: &str| {
            let mut saved = self.saved.iter().filter(|saved| saved.holds(path));
            let is_told =
                |saved: &Saved| saved.is_folder && saved.stream.origin() == Some(Origin::Download);
            let first = saved.next()?;
            Some(is_told(first) && saved.all(is_told))
        };
        match (is_fetched(one), is_fetched(other)) {
            (Some(one), Some(other)) => one && other,
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// The same for an argument that is taken as a path.
    pub(super) fn saved_as(&mut self, arg: &Arg) -> Option<Stream> {
        if !self.has_saved() {
            return None;
        }
        if self.links.is_untouched() {
            let path = self.read_target(arg).path;
            return self.saved_at(&path);
        }
        let named = self.named(arg);
        let found = self.saved_at(&named.path);
        if found.is_some() || self.links.is_empty() {
            return found;
        }
        let is_pattern = arg.pattern != Pattern::None;
        let target = self.links.followed(&self.places, named.clone(), is_pattern);
        match target.path == named.path {
            true => None,
            false => self.saved_at(&target.path),
        }
    }

    /// Runs a file as a program, if the line has written it.
    pub(super) fn run_saved(&mut self, first: &Arg, call: Call<'_>) -> Option<Stream> {
        let named = first.text.contains(['/', '\\']) || self.dialect == Dialect::Cmd;
        let stream = if named {
            self.saved_as(first)?
        } else {
            return None;
        };
        let dialect = match self.dialect {
            Dialect::Fish => Dialect::Bash,
            dialect => dialect,
        };
        let outer = self.scope.arguments();
        self.scope.set_arguments(Some(call.args.into()));
        let output = self.run_stream(&stream, dialect, call, false);
        self.scope.restore_arguments(outer);
        Some(output)
    }
}
