//! What a line writes outside of the project. That is no finding, since no tool serves it: it only makes a
//! command one that a person is asked about, whatever else is allowed.
//!
//! As everywhere, a path that cannot be told counts as inside. Devices are no files, and temporary folders
//! are nobody's, unless the project or the home folder itself lies in one.

use super::args::Grammar;
use super::commands::Call;
use super::ir::Arg;
use super::judge::Judge;
use super::paths::{Place, Target};

impl Judge<'_> {
    /// The line writes there.
    pub(super) fn leaves(&mut self, target: &Target) {
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
        if target.place == Place::Inside && !self.links.is_empty() {
            self.names_place(target);
        }
        for from in self.links.moved_from(&self.places, target) {
            self.leaves(&from);
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

    /// Programs that copy, move or make files, and are nothing else to the guard.
    pub(super) fn makes_files(&mut self, call: Call<'_>) {
        let options = match call.name {
            "cp" | "mv" | "ln" | "install" => Grammar::gnu(
                "tSmgo",
                &["target-directory", "suffix", "mode", "owner", "group"],
            ),
            "rsync" | "scp" => {
                Grammar::gnu("efBFiJloPSTM", &["rsh", "exclude", "include", "filter"])
            }
            "mkdir" | "touch" | "mkfifo" | "rmdir" => {
                Grammar::gnu("mdrt", &["mode", "date", "reference"])
            }
            "chmod" | "chown" | "chgrp" => Grammar::gnu("", &["reference", "from"]),
            "tar" => Grammar::gnu("Cf", &["directory", "file"]),
            "unzip" => Grammar::of("dx", &[]),
            "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "rustc" | "ld" | "as" => {
                return self.builds_at("-o", call);
            }
            "go" if call.word(0) == "build" => return self.builds_at("-o", call),
            "javac" | "kotlinc" | "scalac" => return self.builds_at("-d", call),
            _ => return,
        }
        .split(call.args);
        let files = options.files();
        match call.name {
            "chmod" | "chown" | "chgrp" => self.leaves_at(files.get(1..).unwrap_or_default()),
            "mkdir" => {
                self.makes_folders(files.iter().copied());
                self.leaves_at(files);
            }
            "touch" | "mkfifo" | "rmdir" => self.leaves_at(files),
            "install" if options.has("d", "directory") => self.leaves_at(files),
            "tar" => self.leaves_at(options.value("C", "directory").as_slice()),
            "unzip" => self.leaves_at(options.value("d", "").as_slice()),
            "cp" | "mv" | "ln" | "install" if options.has("t", "target-directory") => {
                self.leaves_at(options.value("t", "target-directory").as_slice());
            }
            // What is moved is gone from where it was.
            "mv" => self.leaves_at(files),
            // `host:path` is another file system.
            "rsync" | "scp" if files.last().is_some_and(|to| to.text.contains(':')) => {}
            _ if files.len() > 1 => self.leaves_at(&files[files.len() - 1..]),
            _ => {}
        }
        if matches!(call.name, "cp" | "mv" | "ln") {
            self.puts(call, &options);
        }
    }

    /// The file or folder behind a compiler's option, whose other options are words with one dash as well.
    fn builds_at(&mut self, option: &str, call: Call<'_>) {
        let mut args = call.args.iter().skip_while(|arg| !arg.is(option));
        if let Some(file) = args.nth(1) {
            self.leaves_at(&[file]);
        }
    }
}
