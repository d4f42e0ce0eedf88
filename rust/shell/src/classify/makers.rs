//! Programs that copy, move, pack or build files: where they leave what they make.

use crate::judge::Judge;
use crate::program::{Call, Putting};

impl Judge<'_> {
    /// Where a copy, a link or a moved file is then.
    pub(super) fn puts_files(&mut self, putting: Putting, call: Call<'_>) {
        let options = call.options();
        let files = options.files();
        match putting {
            Putting::Installs if options.has("d", "directory") => self.leaves_at(files),
            _ if options.has("t", "target-directory") => {
                self.leaves_at(options.value("t", "target-directory").as_slice());
                if putting == Putting::Moves {
                    self.takes_away(files);
                }
            }
            Putting::Moves => {
                if let [from @ .., to] = files {
                    self.takes_away(from);
                    self.leaves_at(&[to]);
                }
            }
            _ if files.len() > 1 => self.leaves_at(&files[files.len() - 1..]),
            _ => {}
        }
        if putting != Putting::Installs {
            self.note_links(putting, &options);
        }
    }

    /// The last operand of a program that copies, unless it is `host:path`, which is another file system.
    pub(crate) fn leaves_last(&mut self, call: Call<'_>) {
        let options = call.options();
        if let [_, .., to] = options.files()
            && !to.text.contains(':')
        {
            self.leaves_at(&[to]);
        }
    }

    pub(crate) fn go_builds(&mut self, call: Call<'_>) {
        if call.word(0) == "build" {
            self.builds_at("-o", call);
        }
    }

    /// The file or folder behind a compiler's option, whose other options are words with one dash as well.
    pub(crate) fn builds_at(&mut self, option: &str, call: Call<'_>) {
        let mut args = call.args.iter().skip_while(|arg| !arg.is(option));
        if let Some(file) = args.nth(1) {
            self.leaves_at(&[file]);
        }
    }
}
