//! Programs that copy, move, pack or build files: where they leave what they make.

use crate::args::Grammar;
use crate::call::Call;
use crate::judge::Judge;

impl Judge<'_> {
    /// Programs that copy, move or make files, and are nothing else to the guard.
    pub(crate) fn makes_files(&mut self, call: Call<'_>) {
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
