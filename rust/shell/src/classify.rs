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
pub(super) use network::{carries, is_connection, starts_shell};
pub(super) use read::{filtered, is_own_text};

use runners::node_options;

use super::commands::Call;
use super::ir::{Origin, Stream};
use super::judge::Judge;

impl Judge<'_> {
    /// Judges a command by its name. Returns what it prints.
    pub(super) fn classify(&mut self, call: Call<'_>) -> Stream {
        self.fetches(call);
        self.prompted(call);
        self.outputs(call);
        let inner = self
            .builtin(call)
            .or_else(|| self.wrapper(call))
            .or_else(|| self.runner(call))
            .or_else(|| self.shell(call))
            .or_else(|| self.terminal(call))
            .or_else(|| self.later(call))
            .or_else(|| self.connector(call))
            .or_else(|| self.cmake_tool(call))
            .or_else(|| self.interpreter(call));
        if let Some(output) = inner {
            return output;
        }
        if options::asks_for_help(call) {
            return Stream::printed(Origin::Program);
        }
        self.makes_files(call);
        self.copies_from_elsewhere(call);
        self.loses_copying(call);
        self.loses_service(call);
        self.loses_packed(call);
        self.loses_disk(call);
        self.runs_recipes(call);
        let known = self
            .reader(call)
            .or_else(|| self.searcher(call))
            .or_else(|| self.lister(call))
            .or_else(|| self.writer(call))
            .or_else(|| self.remover(call))
            .or_else(|| self.container(call))
            .or_else(|| self.downloader(call))
            .or_else(|| self.filter(call))
            .or_else(|| self.fish_string(call))
            .or_else(|| self.test_runner(call));
        match (known, call.name) {
            (Some(output), _) => output,
            (None, "git") => self.git(call),
            (None, _) => {
                self.told_outputs(call);
                self.carried_commands(call);
                Stream::printed(origin_of(call))
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
