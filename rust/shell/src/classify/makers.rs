//! Programs that copy, move, pack or build files: where they leave what they make.

use crate::judge::Judge;
use crate::program::Call;

impl Judge<'_> {
    /// Where a copy, a link or a moved file is then.
    pub(crate) fn copies_files(&mut self, call: Call<'_>) {
        let options = call.options();
        let files = options.files();
        match call.name {
            "install" if options.has("d", "directory") => self.leaves_at(files),
            _ if options.has("t", "target-directory") => {
                self.leaves_at(options.value("t", "target-directory").as_slice());
                if call.name == "mv" {
                    self.takes_away(files);
                }
            }
            "mv" => {
                if let [from @ .., to] = files {
                    self.takes_away(from);
                    self.leaves_at(&[to]);
                }
            }
            _ if files.len() > 1 => self.leaves_at(&files[files.len() - 1..]),
            _ => {}
        }
        if call.name != "install" {
            self.puts(call, &options);
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
