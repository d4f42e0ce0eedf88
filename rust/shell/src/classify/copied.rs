//! Files that are copied from another machine: what runs from them afterwards was downloaded.

use crate::ir::{Arg, Stream};
use crate::judge::Judge;
use crate::program::Call;

impl Judge<'_> {
    pub(crate) fn copies_from_elsewhere(&mut self, call: Call<'_>) {
        let options = call.options();
        let Some((to, from)) = options.files().split_last() else {
            return;
        };
        let recurses = options.has("ra", "recursive") || options.has("", "archive");
        if self.is_elsewhere(to) {
            return;
        }
        for file in from {
            if self.is_elsewhere(file) {
                self.arrives(&file.text, to, recurses);
            }
        }
    }

    /// `sftp host:file [to]`, and the lines that it reads.
    pub(crate) fn transfers(&mut self, call: Call<'_>) {
        let options = call.options();
        if let [host, rest @ ..] = options.files()
            && self.is_elsewhere(host)
        {
            let here = Arg::new(".");
            self.arrives(
                &host.text,
                rest.first().copied().unwrap_or(&here),
                options.has("r", ""),
            );
        }
        let input = match options.value("b", "").filter(|file| !file.is("-")).cloned() {
            Some(file) => self.saved_as(&file),
            None => Some(self.io.stdin.clone()),
        };
        let Some(Stream::Text(text)) = input else {
            return;
        };
        for line in text.text.lines() {
            if !self.budget.pay(8 + line.len() / 4) {
                return;
            }
            let mut words = line.split_ascii_whitespace();
            if !matches!(words.next(), Some("get" | "reget" | "mget")) {
                continue;
            }
            let recurses = line.contains(" -r") || line.contains(" -R");
            let mut words = words.filter(|word| !word.starts_with('-'));
            if let Some(file) = words.next() {
                self.arrives(file, &Arg::new(words.next().unwrap_or(".")), recurses);
            }
        }
    }

    /// A file has come, under a name of its own or into a folder.
    fn arrives(&mut self, from: &str, to: &Arg, recurses: bool) {
        let path = self.target(to).path;
        let name = from.rsplit(['/', ':']).next().unwrap_or_default();
        let inside = format!("{path}/{name}");
        match (recurses, name.is_empty()) {
            // What is in a folder, without the folder itself.
            (true, true) => self.fetched(path),
            (true, false) => {
                if path != **self.scope.cwd() {
                    self.fetched(path);
                }
                self.fetched(inside);
            }
            (false, _) => {
                self.downloaded(&path);
                self.downloaded(&inside);
            }
        }
    }

    /// `host:path`, `scheme://…`
    fn is_elsewhere(&self, file: &Arg) -> bool {
        let Some((host, rest)) = file.text.split_once(':') else {
            return false;
        };
        let is_drive = self.places.is_windows() && host.len() == 1;
        !is_drive && !host.contains('/') && (!rest.is_empty() || !host.is_empty())
    }
}
