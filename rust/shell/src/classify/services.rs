//! Subcommands that do nothing else than to take away what a service, a database or a disk keeps.
//!
//! What is said to a service in a language of its own, as in `psql -c 'drop table x'`, is text and not judged.

use crate::args::{Grammar, Options};
use crate::judge::Judge;
use crate::program::Call;

const WHY: &str = "Deletes data that a service keeps and that cannot be restored from here.";

/// Programs of which a subcommand loses something.
pub(super) struct Keeper {
    pub(super) programs: &'static [&'static str],
    /// Options with a value in front of the subcommand.
    options: Grammar,
    /// The words of each subcommand; none where the program does nothing else.
    losing: &'static [&'static str],
}

const fn keeper(
    programs: &'static [&'static str],
    options: Grammar,
    losing: &'static [&'static str],
) -> Keeper {
    Keeper {
        programs,
        options,
        losing,
    }
}

const NONE: Grammar = Grammar::of("", &[]);

#[rustfmt::skip]
pub(super) const KEEPERS: &[Keeper] = &[
    keeper(&["terraform", "tofu", "terragrunt"], NONE, &["destroy", "run-all destroy"]),
    keeper(
        &["pulumi", "cdk", "vagrant"],
        Grammar::of("Csac", &["cwd", "stack", "app", "context"]),
        &["destroy"],
    ),
    keeper(
        &["kubectl", "oc"],
        Grammar::of("ns", &["namespace", "context", "kubeconfig", "cluster", "user", "server"]),
        &["delete"],
    ),
    keeper(
        &["helm"],
        Grammar::of("n", &["namespace", "kube-context", "kubeconfig"]),
        &["uninstall", "delete", "del", "un"],
    ),
    keeper(&["dropdb", "dropuser"], NONE, &[]),
    keeper(
        &["mysqladmin", "mariadb-admin"],
        Grammar::of("uhPS", &["user", "host", "port"]),
        &["drop"],
    ),
    keeper(
        &["redis-cli", "valkey-cli"],
        Grammar::of("hpnaus", &["user", "pass"]),
        &["flushall", "flushdb"],
    ),
    keeper(&["gh"], Grammar::of("R", &["repo"]), &["repo delete"]),
    keeper(&["zfs", "zpool"], NONE, &["destroy"]),
    keeper(&["lvremove", "vgremove", "pvremove"], NONE, &[]),
];

impl Judge<'_> {
    pub(crate) fn loses_service(&mut self, call: Call<'_>) {
        if call.name == "crontab" {
            if Grammar::of("u", &[]).split(call.args).has("r", "remove") {
                self.loses(call.text, "Removes every job of a crontab.", &[]);
            }
            return;
        }
        let mut keepers = KEEPERS.iter();
        let Some(keeper) = keepers.find(|keeper| keeper.programs.contains(&call.name)) else {
            return;
        };
        let options = keeper.options.split(call.args);
        let begins_with = |words: &&str| {
            let mut files = options.files().iter();
            let mut words = words.split(' ');
            words.all(|word| {
                let file = files.next();
                file.is_some_and(|file| file.text.eq_ignore_ascii_case(word))
            })
        };
        let loses = keeper.losing.is_empty() || keeper.losing.iter().any(begins_with);
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
            // Where it is no host and stands by itself.
            ("h", None) => call.has("-h") || call.has("-help"),
            _ => false,
        })
}
