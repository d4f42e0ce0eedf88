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

use runners::node_options;

use super::ir::{Origin, Stream};
use super::judge::Judge;
use super::program::Call;
use super::program::Role;

impl Judge<'_> {
    /// Judges a command by its name. Returns what it prints.
    pub(super) fn classify(&mut self, call: Call<'_>) -> Stream {
        let (first, others) = call.program.roles.split_at(call.program.n_first());
        if let Some(output) = self.told_by(first, call) {
            return output;
        }
        if options::asks_for_help(call) {
            return Stream::printed(Origin::Program);
        }
        if let Some(output) = self.told_by(others, call) {
            return output;
        }
        self.told_outputs(call);
        Stream::printed(origin_of(call))
    }

    /// What the first role says that says something.
    fn told_by(&mut self, roles: &[Role], call: Call<'_>) -> Option<Stream> {
        for role in roles {
            let output = match role {
                Role::First(note) | Role::Notes(note) => noted(note(self, call)),
                Role::Runs(ask) | Role::Does(ask) => ask(self, call),
                Role::Reads(reading) => Some(self.reader(reading, call)),
                Role::Carries(options) => noted(self.run_carried(options, false, call)),
                Role::Sets(options) => noted(self.run_carried(options, true, call)),
                Role::Writes(writing) => noted(self.outputs(writing, call)),
                Role::Packs(packing) => noted(self.loses_packed(packing, call)),
                Role::Looks(_) | Role::LooksIf(..) => return None,
            };
            if output.is_some() {
                return output;
            }
        }
        None
    }
}

fn noted((): ()) -> Option<Stream> {
    None
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
