//! Which table knows a command. Wrappers, shells and interpreters come first, since their arguments are
//! commands of their own; a program that no table knows has no finding.

mod archives;
mod build_tools;
mod builtins;
mod containers;
mod copied;
mod danger;
mod download;
mod fetched;
mod filters;
mod find;
mod fish_text;
mod git;
mod git_changes;
mod git_settings;
mod later;
mod list;
mod makers;
mod network;
mod options;
mod outputs;
mod print;
mod prompts;
mod read;
mod runners;
mod search;
mod services;
mod shells;
mod terminals;
mod test_line;
mod test_targets;
mod test_tasks;
mod test_tools;
mod tests;
mod windows_shells;
mod wrappers;
mod write;
mod xargs;

pub(super) use danger::{is_build_output, is_disk};
pub(super) use read::READERS;

use runners::node_options;

use super::call::Call;
use super::families::{Families, Family, Index, add_rows};
use super::interpreters;
use super::ir::{Origin, Stream};
use super::judge::Judge;

/// The families of all programs with a name.
static FAMILIES: Index = {
    use Family::*;
    let mut index = Index::EMPTY;
    index.add(Fetches, fetched::NAMES);
    add_rows!(index, Fetches, fetched::MANAGERS, 0);
    add_rows!(index, Prompts, prompts::PROMPTS, names);
    index.add(Outputs, outputs::NAMES);
    add_rows!(index, Outputs, outputs::WRITERS, names);
    index.add(Builtin, builtins::NAMES);
    index.add(Wrapper, wrappers::NAMES);
    index.add(Wrapper, &PREFIXES);
    add_rows!(index, Wrapper, wrappers::PLAIN, 0);
    index.add(Runner, runners::NAMES);
    add_rows!(index, Runner, runners::RUNNERS, 0);
    index.add(Shell, shells::NAMES);
    index.add(Terminal, terminals::NAMES);
    add_rows!(index, Terminal, terminals::WINDOWS, 0);
    index.add(Later, later::NAMES);
    index.add(Connector, network::NAMES);
    index.add(CmakeTool, &["cmake"]);
    index.add(Interpreter, interpreters::NAMES);
    add_rows!(index, Interpreter, interpreters::FOREIGN, names);
    index.add(Makes, makers::NAMES);
    index.add(Copies, copied::NAMES);
    index.add(LosesCopying, danger::COPIERS);
    index.add(LosesService, &["crontab"]);
    add_rows!(index, LosesService, services::KEEPERS, programs);
    add_rows!(index, LosesPacked, archives::ARCHIVERS, names);
    add_rows!(index, LosesDisk, danger::DISK_TOOLS, 0);
    index.add(Recipes, build_tools::MAKERS);
    index.add(Reader, read::LANGUAGES);
    add_rows!(index, Reader, read::READERS, names);
    index.add(Searcher, search::NAMES);
    index.add(Lister, list::NAMES);
    index.add(Writer, write::NAMES);
    index.add(Remover, danger::NAMES);
    index.add(Remover, &PREFIXES);
    index.add(Container, containers::NAMES);
    index.add(Downloader, download::NAMES);
    index.add(Filter, filters::NAMES);
    index.add(FishText, &["string"]);
    index.add(Tests, tests::NAMES);
    add_rows!(index, Tests, test_tools::RUNNERS, names);
    add_rows!(index, Tests, test_tools::PROGRAMS, names);
    let mut at = 0;
    while at < filters::CARRIERS.len() {
        index.add(Carries, &[filters::CARRIERS[at].name]);
        at += 1;
    }
    index
};

/// Names that stand for all that begin with them.
const PREFIXES: [&str; 3] = ["mkfs.", "ld-linux", "ld-musl"];

/// What a family says of a command, and what it notes of one.
type Ask = fn(&mut Judge<'_>, Call<'_>) -> Option<Stream>;
type Note = fn(&mut Judge<'_>, Call<'_>);

const NOTED_FIRST: [(Family, Note); 3] = [
    (Family::Fetches, |judge, call| judge.fetches(call)),
    (Family::Prompts, |judge, call| judge.prompted(call)),
    (Family::Outputs, |judge, call| judge.outputs(call)),
];

/// Those whose arguments are commands of their own.
const INNER: [(Family, Ask); 9] = [
    (Family::Builtin, |judge, call| judge.builtin(call)),
    (Family::Wrapper, |judge, call| judge.wrapper(call)),
    (Family::Runner, |judge, call| judge.runner(call)),
    (Family::Shell, |judge, call| judge.shell(call)),
    (Family::Terminal, |judge, call| judge.terminal(call)),
    (Family::Later, |judge, call| judge.later(call)),
    (Family::Connector, |judge, call| judge.connector(call)),
    (Family::CmakeTool, |judge, call| judge.cmake_tool(call)),
    (Family::Interpreter, |judge, call| judge.interpreter(call)),
];

const NOTED: [(Family, Note); 7] = [
    (Family::Makes, |judge, call| judge.makes_files(call)),
    (Family::Copies, |judge, call| {
        judge.copies_from_elsewhere(call)
    }),
    (Family::LosesCopying, |judge, call| {
        judge.loses_copying(call)
    }),
    (Family::LosesService, |judge, call| {
        judge.loses_service(call)
    }),
    (Family::LosesPacked, |judge, call| judge.loses_packed(call)),
    (Family::LosesDisk, |judge, call| judge.loses_disk(call)),
    (Family::Recipes, |judge, call| judge.runs_recipes(call)),
];

const OUTER: [(Family, Ask); 10] = [
    (Family::Reader, |judge, call| judge.reader(call)),
    (Family::Searcher, |judge, call| judge.searcher(call)),
    (Family::Lister, |judge, call| judge.lister(call)),
    (Family::Writer, |judge, call| judge.writer(call)),
    (Family::Remover, |judge, call| judge.remover(call)),
    (Family::Container, |judge, call| judge.container(call)),
    (Family::Downloader, |judge, call| judge.downloader(call)),
    (Family::Filter, |judge, call| judge.filter(call)),
    (Family::FishText, |judge, call| judge.fish_string(call)),
    (Family::Tests, |judge, call| judge.test_runner(call)),
];

impl Judge<'_> {
    /// Judges a command by its name. Returns what it prints.
    pub(super) fn classify(&mut self, call: Call<'_>) -> Stream {
        let prefix = PREFIXES.iter().find(|lead| call.name.starts_with(**lead));
        let families = FAMILIES.of(prefix.unwrap_or(&call.name));
        self.noted_by(&NOTED_FIRST, families, call);
        if let Some(output) = self.told_by(&INNER, families, call) {
            return output;
        }
        if options::asks_for_help(call) {
            return Stream::printed(Origin::Program);
        }
        self.noted_by(&NOTED, families, call);
        if let Some(output) = self.told_by(&OUTER, families, call) {
            return output;
        }
        if call.name == "git" {
            return self.git(call);
        }
        self.told_outputs(call);
        if families.has(Family::Carries) {
            self.carried_commands(call);
        }
        Stream::printed(origin_of(call))
    }

    /// What the first family says that knows the command.
    fn told_by(
        &mut self,
        known: &[(Family, Ask)],
        families: Families,
        call: Call<'_>,
    ) -> Option<Stream> {
        for (family, ask) in known {
            if families.has(*family) {
                if let Some(output) = ask(self, call) {
                    return Some(output);
                }
            } else if cfg!(debug_assertions) {
                let output = ask(self, call);
                assert!(output.is_none(), "{} is not listed: {family:?}", call.name);
            }
        }
        None
    }

    fn noted_by(&mut self, known: &[(Family, Note)], families: Families, call: Call<'_>) {
        for (family, note) in known {
            if families.has(*family) {
                note(self, call);
            } else if cfg!(debug_assertions) {
                let since = self.findings.since();
                note(self, call);
                let says_nothing = self.findings.since() == since;
                assert!(says_nothing, "{} is not listed: {family:?}", call.name);
            }
        }
    }
}

/// Where the output of a program that no table knows comes from.
fn origin_of(call: Call<'_>) -> Origin {
    let first = call.word(0);
    let has = |words: &[&str]| {
        call.args
            .iter()
            .any(|arg| words.contains(&arg.text.as_str()))
    };
    let sets_up = match call.name {
        "ssh-agent" | "gpg-agent" | "keychain" | "dircolors" | "lesspipe" | "lesspipe.sh"
        | "resize" => true,
        "brew" | "devbox" => has(&["shellenv"]),
        "pyenv" | "rbenv" | "nodenv" | "jenv" | "goenv" | "plenv" | "phpenv" | "nodebrew" => {
            has(&["init", "virtualenv-init", "-"])
        }
        "direnv" => matches!(first, "hook" | "export"),
        "fnm" | "docker-machine" | "vfox" => has(&["env", "activate"]),
        "mise" | "rtx" | "asdf" => matches!(first, "activate" | "env" | "hook-env" | "exec"),
        "conda" | "mamba" | "micromamba" => first.starts_with("shell") || first == "hook",
        "starship" | "zoxide" | "atuin" | "mcfly" | "oh-my-posh" | "sheldon" | "fasd" | "navi" => {
            has(&["init", "--init", "source", "widget"])
        }
        "opam" => matches!(first, "env" | "config"),
        "minikube" => has(&["docker-env", "podman-env"]),
        "luarocks" => first == "path",
        "thefuck" | "hub" => has(&["--alias", "alias"]),
        "fzf" => has(&["--bash", "--zsh", "--fish"]),
        "register-python-argcomplete" | "pip" | "pip3" | "npm" | "rustup" => {
            call.name.starts_with("register") || has(&["completion", "completions"])
        }
        _ => has(&["completion", "completions"]) && has(&["bash", "zsh", "fish", "powershell"]),
    };
    if sets_up {
        Origin::Initialiser
    } else {
        Origin::Program
    }
}
