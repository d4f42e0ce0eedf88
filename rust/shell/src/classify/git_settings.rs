//! What git is told to run later: hooks, aliases and programs that a setting names.

use crate::analysis::Dialect;
use crate::args::Grammar;
use crate::ir::{Arg, Origin};
use crate::judge::Judge;
use crate::program::Call;
use crate::scope::Variable;

/// Whether a setting, in small letters, holds a command line that git runs.
pub(super) fn names_program(name: &str) -> bool {
    matches!(
        name,
        "core.pager"
            | "core.editor"
            | "core.sshcommand"
            | "core.fsmonitor"
            | "core.askpass"
            | "sequence.editor"
            | "diff.external"
            | "core.gitproxy"
            | "credential.helper"
            | "gpg.program"
            | "interactive.difffilter"
            | "uploadpack.packobjectshook"
            | "core.alternaterefscommand"
    ) || name.starts_with("pager.")
        || [
            ".textconv",
            ".cmd",
            ".clean",
            ".smudge",
            ".process",
            ".driver",
            ".command",
            ".program",
            ".update",
            ".uploadpack",
            ".receivepack",
        ]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Whether a setting says that `git clean` need not be forced, or may say so.
pub(super) fn cleans_unforced(setting: &Arg) -> bool {
    let Some((name, value)) = setting.text.split_once('=') else {
        return false;
    };
    let value = value.to_ascii_lowercase();
    let is_number = || value.parse::<i64>().is_ok_and(|number| number != 0);
    let is_on = matches!(value.as_str(), "true" | "yes" | "on") || is_number();
    name.eq_ignore_ascii_case("clean.requireForce") && !is_on
}

/// Whether a setting, in small letters, names the folder of hooks.
pub(super) fn names_hooks(name: &str) -> bool {
    name == "core.hookspath"
}

impl Judge<'_> {
    /// Which scripts a folder of hooks holds is unknown; where it can hold none, none will run.
    pub(super) fn hooks_from(&mut self, folder: &str, call: Call<'_>) {
        if !matches!(folder, "" | "/dev/null" | "nul" | "NUL") {
            let why = "Sets a folder whose scripts git runs from now on.";
            self.cannot_tell(call.text, why);
        }
    }

    /// The settings that `GIT_CONFIG_COUNT`, `GIT_CONFIG_KEY_0` and so on give to git, as `name=value`.
    pub(super) fn environment_settings(&mut self) -> Vec<Arg> {
        let mut settings = Vec::new();
        if let Some(text) = self.environment_value("GIT_CONFIG_PARAMETERS") {
            // `'name=value'`, or `'name'='value'`.
            let pairs = text.text.split("' '");
            settings.extend(
                pairs.map(|pair| text.with_text(pair.replace("'='", "=").trim_matches('\''))),
            );
        }
        if self.environment_value("GIT_CONFIG_COUNT").is_none() {
            return settings;
        }
        for number in 0_usize.. {
            let key = self.environment_value(&format!("GIT_CONFIG_KEY_{number}"));
            let value = self.environment_value(&format!("GIT_CONFIG_VALUE_{number}"));
            let (Some(key), Some(value)) = (key, value) else {
                break;
            };
            self.budget.pay(8 + key.text.len() + value.text.len());
            let mut setting = key;
            setting.text.push('=');
            setting.join(&value);
            settings.push(setting);
        }
        settings
    }

    /// `--config-env=name=VARIABLE`
    pub(super) fn setting_from_environment(&self, setting: &Arg) -> Arg {
        let (name, variable) = setting.text.split_once('=').unwrap_or((&setting.text, ""));
        let value = self.environment_value(variable);
        let mut setting = setting.with_text(&format!("{name}="));
        setting.join(&value.unwrap_or_else(|| Arg::unknown(Origin::Variable)));
        setting
    }

    /// A variable that the line has set, as the shells name it.
    fn environment_value(&self, name: &str) -> Option<Arg> {
        let found = self.scope.variable(name);
        let found = match found {
            None if self.dialect == Dialect::PowerShell => {
                let lower = format!("env:{}", name.to_ascii_lowercase());
                self.scope.variable(&lower)
            }
            found => found,
        };
        match found? {
            Variable::Scalar(value) => Some(value.clone()),
            Variable::List(list) => list.first().cloned(),
            Variable::Reference(_) => None,
        }
    }

    /// `git config [set] [options] name value`; `outer` is the whole call of git.
    pub(super) fn git_config(&mut self, call: Call<'_>, outer: Call<'_>) {
        let long = &["file", "blob", "type", "default", "comment", "value"];
        let options = Grammar::of("ft", long).split(call.args);
        let asks = ["get", "get-all", "get-regexp", "get-urlmatch", "list"];
        if asks.iter().any(|asks| options.has("", asks)) || options.has("l", "") {
            return;
        }
        let mut words: Vec<&Arg> = options.files().to_vec();
        match words.first().map(|word| word.text.as_str()) {
            Some("set") => drop(words.remove(0)),
            Some("get" | "list") => return,
            _ => {}
        }
        let removes = words.first().is_some_and(|word| word.is("unset"))
            || options
                .flags
                .iter()
                .any(|flag| flag.name.starts_with("unset"));
        if words.len() < 2 && !removes && !options.has("e", "edit") {
            return;
        }
        self.leaves_settings(options.has("", "global"), options.has("", "system"));
        self.leaves_at(options.value("f", "file").as_slice());
        if let ([name, value, ..], false) = (words.as_slice(), removes) {
            self.noted_program(&name.text.to_ascii_lowercase(), value, outer);
        }
    }

    fn leaves_settings(&mut self, global: bool, system: bool) {
        let home = format!("{}/.gitconfig", self.places.home());
        let files = [(global, home.as_str()), (system, "/etc/gitconfig")];
        for (_, file) in files.iter().filter(|(writes, _)| *writes) {
            self.leaves_at(&[&Arg::new(*file)]);
        }
    }

    /// A command that a setting keeps runs another day, so that only its dangers matter today.
    pub(super) fn noted_program(&mut self, name: &str, value: &Arg, call: Call<'_>) {
        if names_hooks(name) {
            return self.hooks_from(&value.text, call);
        }
        let command = match (name.starts_with("alias."), value.text.strip_prefix('!')) {
            (_, Some(command)) => command.to_owned(),
            (true, None) => format!("git {}", value.text),
            (false, None) if names_program(name) => value.text.to_string(),
            _ => return,
        };
        let since = self.findings.since();
        let io = std::mem::take(&mut self.io);
        self.run_code(&command, value.unknown, Dialect::Bash, call, false);
        self.io = io;
        self.findings.keep_dangers(since);
    }
}
