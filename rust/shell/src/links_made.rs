//! Links that the line itself makes, moves and copies.

use super::args::Options;
use super::ir::Arg;
use super::judge::Judge;
use super::paths::Place;
use super::program::Putting;

impl Judge<'_> {
    /// `cp`, `mv` and `ln` put a thing in a place, or under its own name in a folder; which of both, only the file
    /// system knows.
    pub(super) fn note_links(&mut self, putting: Putting, options: &Options<'_>) {
        let files = options.files();
        let folder = options.value("t", "target-directory");
        let here = Arg::new(".");
        let (from, to) = match (folder, files) {
            (Some(folder), from) => (from, folder),
            (None, [_]) if putting == Putting::Links => (files, &here),
            (None, [from @ .., to]) => (from, *to),
            (None, []) => return,
        };
        let is_folder = folder.is_some()
            || from.len() > 1
            || matches!(to.text.as_str(), "." | "..")
            || to.text.ends_with('/');
        let is_never = options.has("T", "no-target-directory");
        let copies_links = options.has("sl", "symbolic-link") || options.has("", "link");
        let makes_links = match putting {
            Putting::Links => true,
            Putting::Copies => copies_links,
            Putting::Installs | Putting::Moves => false,
        };
        let keeps_links = putting == Putting::Moves || options.has("aPdrR", "recursive");
        let is_symbolic = options.has("s", "symbolic") && !options.has("r", "relative");
        for from in from {
            let name = from.text.trim_end_matches('/').rsplit('/').next();
            let below = to.with_text(&format!("{}/{}", to.text, name.unwrap_or_default()));
            // What lies there may be a link itself, which `cp` writes through.
            if putting == Putting::Copies && !is_never && self.target(to).place != Place::Elsewhere
            {
                self.leaves_at(&[&below]);
            }
            let places = [(to, !is_folder), (&below, !is_never)];
            for (place, _) in places.into_iter().filter(|(_, may_be)| *may_be) {
                if makes_links {
                    self.links_to(place, from, putting == Putting::Links && is_symbolic);
                } else if keeps_links {
                    let (path, to) = (self.named(place).path, self.named(from).path);
                    self.links.learn_moved(path, to);
                }
            }
        }
    }

    /// The line makes a link. What a symbolic one says leads on from its own folder.
    pub(super) fn links_to(&mut self, link: &Arg, to: &Arg, is_symbolic: bool) {
        let path = self.named(link).path;
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let to = match is_symbolic {
            true => self.places.target(to, folder),
            false => self.named(to),
        };
        let to = self.links.followed(&self.places, to, false);
        self.links.learn(path, to.path);
    }
}
