//! Subcommands that do nothing else than to take away what a service, a database or a disk keeps.
//!
//! What is said to a service in a language of its own, as in `psql -c 'drop table x'`, is text and not judged.

use crate::args::Options;
use crate::judge::Judge;
use crate::program::Call;

const WHY: &str = "Deletes data that a service keeps and that cannot be restored from here.";

impl Judge<'_> {
    /// With the words of each subcommand that loses something; none where the program does nothing else.
    pub(super) fn loses_service(&mut self, losing: &[&str], call: Call<'_>) {
        let options = call.options();
        let begins_with = |words: &&str| {
            let mut files = options.files().iter();
            let mut words = words.split(' ');
            words.all(|word| {
                let file = files.next();
                file.is_some_and(|file| file.text.eq_ignore_ascii_case(word))
            })
        };
        let loses = losing.is_empty() || losing.iter().any(begins_with);
        let planned = call.word(0) == "apply" && (call.has("-destroy") || call.has("--destroy"));
        if (loses || planned) && !only_tries(&options, call) {
            self.loses(call.text, WHY, &[]);
        }
    }
}

fn only_tries(options: &Options<'_>, call: Call<'_>) -> bool {
    options
        .flags
        .iter()
        .any(|flag| match (flag.name, flag.value.as_deref()) {
            ("dry-run", value) => !value.is_some_and(|value| value.is("none") || value.is("false")),
            // Where it is not a host and is alone.
            ("h", None) => call.has("-h") || call.has("-help"),
            _ => false,
        })
}
