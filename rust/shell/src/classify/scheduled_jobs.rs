//! Jobs for another time: what `at` is fed, and the lines of a crontab. Nothing that they print is shown to
//! anybody, so that only their dangers matter.

use crate::analysis::Dialect;
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::program::Call;

/// Where the jobs of cron are kept, which is outside of every project.
const CRONTABS: &str = "/var/spool/cron";

impl Judge<'_> {
    /// `at`, which is fed its job or has it in a file.
    pub(crate) fn at_later(&mut self, call: Call<'_>) -> Option<Stream> {
        let since = self.findings.since();
        let options = call.options();
        if !options.has("lrdcV", "") {
            let input = match options.value("f", "").cloned() {
                Some(file) => self.saved_as(&file)?,
                None => self.io.stdin.clone(),
            };
            self.run_stream(&input, Dialect::Bash, call, false);
        }
        self.findings.keep_dangers(since);
        Some(Stream::printed(Origin::Program))
    }

    pub(crate) fn crontab(&mut self, call: Call<'_>) -> Option<Stream> {
        let since = self.findings.since();
        let options = call.options();
        let file = options.files().first().copied();
        let file = file.filter(|file| !file.is("-"));
        let asks = options.has("lreiTV", "") && file.is_none();
        if asks {
            return None;
        }
        self.leaves_at(&[&Arg::new(CRONTABS)]);
        let input = match file {
            Some(file) => self.saved_as(file)?,
            None => self.io.stdin.clone(),
        };
        self.jobs(&input, call);
        self.findings.keep_dangers(since);
        Some(Stream::printed(Origin::Program))
    }

    /// `crontab -r`
    pub(crate) fn loses_crontab(&mut self, call: Call<'_>) {
        if call.options().has("r", "remove") {
            self.loses(call.text, "Removes every job of a crontab.", &[]);
        }
    }

    fn jobs(&mut self, input: &Stream, call: Call<'_>) {
        let Stream::Text(text) = input else { return };
        for line in text.text.lines() {
            let job = job(line);
            if !job.is_empty() {
                self.run_code(job, text.unknown, Dialect::Bash, call, false);
            }
        }
    }
}

/// The command of a line: what follows five fields, or one that begins with `@`.
fn job(line: &str) -> &str {
    let mut rest = line.trim_start();
    let times = match rest.chars().next() {
        Some('@') => 1,
        Some('*' | '0'..='9') => 5,
        _ => return "",
    };
    for _ in 0..times {
        rest = match rest.split_once([' ', '\t']) {
            Some((_, behind)) => behind.trim_start(),
            None => return "",
        };
    }
    rest
}
