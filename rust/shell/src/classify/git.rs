//! git: what comes before the subcommand, and which IDE tool covers it.

use super::{git_changes, git_settings, options};
use crate::analysis::Dialect;
use crate::args::{Grammar, Options};
use crate::ir::{Arg, Origin, Stream, UNKNOWN};
use crate::judge::Judge;
use crate::kinds::{FindingKind, Instead};
use crate::program::Call;

#[rustfmt::skip]
const BEFORE: Grammar = Grammar::wrapper(
    "Cc",
    &[
        "git-dir", "work-tree", "namespace", "super-prefix", "exec-path", "config-env",
        "attr-source",
    ],
);

/// What `rev-parse` is asked for the repository's own folder with.
#[rustfmt::skip]
const GIT_DIR: [&str; 4] = [
    "--git-dir", "--git-common-dir", "--absolute-git-dir", "--git-path",
];

/// Options of subcommands whose value may be the next argument.
#[rustfmt::skip]
const LONG: &[&str] = &[
    "extcmd", "tool", "upload-pack", "receive-pack", "config", "branch",
];

/// Subcommands with options whose value is a command: the letter and the long names.
#[rustfmt::skip]
const COMMAND_OPTIONS: &[(&[&str], &str, &[&str])] = &[
    (&["difftool", "mergetool"], "x", &["extcmd"]),
    (&["clone"], "u", &["upload-pack"]),
    (&["fetch", "pull", "ls-remote", "fetch-pack"], "", &["upload-pack"]),
    (&["push", "send-pack"], "", &["receive-pack", "exec"]),
    (&["archive"], "", &["exec"]),
    (&["grep"], "O", &["open-files-in-pager"]),
];

impl Judge<'_> {
    pub(crate) fn git(&mut self, call: Call<'_>) -> Stream {
        let options = BEFORE.split(call.args);
        if options.has("hv", "help") || options.has("", "version") {
            return Stream::printed(Origin::Program);
        }
        let mark = self.scope.mark();
        for flag in &options.flags {
            let folder = match (
                flag.is("C", "work-tree"),
                flag.is("", "git-dir"),
                flag.value.as_deref(),
            ) {
                (true, _, Some(value)) => Some(self.target(value).path),
                // The folder itself is `.git` or is beside nothing that is known.
                (_, true, Some(value)) => {
                    let path = self.target(value).path;
                    Some(
                        path.strip_suffix("/.git")
                            .map_or(path.clone(), str::to_owned),
                    )
                }
                _ => None,
            };
            if let Some(folder) = folder {
                self.scope.enter_folder(folder);
            }
        }
        let output = match options.operands.split_first() {
            Some((subcommand, args)) => {
                let mut configured = self.environment_settings();
                configured.extend(options.values("c", "").cloned());
                let named = options.values("", "config-env");
                configured.extend(named.map(|setting| self.setting_from_environment(setting)));
                self.configured(&configured, subcommand, args, call)
            }
            None => Stream::printed(Origin::Program),
        };
        self.scope.undo_to(mark);
        output
    }

    /// Aliases and programs that `-c name=value` sets.
    fn configured(
        &mut self,
        settings: &[Arg],
        subcommand: &Arg,
        args: &[Arg],
        call: Call<'_>,
    ) -> Stream {
        for setting in settings {
            let Some((name, value)) = setting.text.split_once('=') else {
                continue;
            };
            let name = name.to_ascii_lowercase();
            if let Some(alias) = name.strip_prefix("alias.") {
                if alias == subcommand.text.to_ascii_lowercase() {
                    return self.git_alias(value, setting.unknown, args, call);
                }
                continue;
            }
            if git_settings::names_hooks(&name) {
                self.hooks_from(value, call);
            } else if git_settings::names_program(&name) && setting.unknown.is_none() {
                let outer = std::mem::take(&mut self.io);
                self.run_code(
                    value.trim_start_matches('!'),
                    None,
                    Dialect::Bash,
                    call,
                    false,
                );
                self.io = outer;
            }
        }
        if subcommand.is("clean") && settings.iter().any(git_settings::cleans_unforced) {
            let forced = [&[Arg::new("--force")], args].concat();
            return self.git_subcommand(&subcommand.text, &forced, call);
        }
        self.git_subcommand(&subcommand.text, args, call)
    }

    fn git_alias(
        &mut self,
        value: &str,
        unknown: Option<Origin>,
        args: &[Arg],
        call: Call<'_>,
    ) -> Stream {
        if value.starts_with(UNKNOWN) {
            self.unknown_code(unknown, call.text);
            return Stream::printed(Origin::Program);
        }
        let text = match value.strip_prefix('!') {
            Some(command) => format!("{command} \"$@\""),
            None => format!("git {value} \"$@\""),
        };
        let outer = self.scope.arguments();
        self.scope.set_arguments(Some(args.into()));
        let output = self.run_code(&text, unknown, Dialect::Bash, call, false);
        self.scope.restore_arguments(outer);
        output
    }

    /// `git clean … paths` of which no loss would hurt.
    fn cleans_output(&self, options: &Options<'_>) -> bool {
        let mut files = options.files().iter();
        !options.files().is_empty() && !files.any(|file| self.hurts(&self.target(file)))
    }

    fn git_subcommand(&mut self, subcommand: &str, args: &[Arg], call: Call<'_>) -> Stream {
        let inner = Call { args, ..call };
        let options = options::git(subcommand, args);
        if options::git_asks_for_help(subcommand, &options) {
            return Stream::printed(Origin::Program);
        }
        self.git_commands_inside(subcommand, inner);
        if let Some(why) = git_changes::loses(subcommand, args, &options) {
            let here = self.here();
            let is_temporary = self.places.is_temporary(&here.path);
            if is_temporary {
                self.leaves(&here);
            }
            let cleans_output = subcommand == "clean" && self.cleans_output(&options);
            if !is_temporary && !cleans_output {
                self.loses(call.text, why, &[]);
            }
            return Stream::printed(Origin::Program);
        }
        let here = self.around();
        if subcommand == "rev-parse"
            && inner.has("--show-toplevel")
            && self.places.is_at_home(&here)
        {
            return self.top_level();
        }
        if subcommand == "rev-parse" && GIT_DIR.iter().any(|word| inner.has(word)) {
            return self.git_folder(inner);
        }
        match subcommand {
            "apply" => self.git_apply(inner),
            "grep" => self.git_grep(inner),
            "config" => self.git_config(inner, call),
            "clone" => self.cloned(args, false),
            "worktree" if inner.word(0) == "add" => {
                let options = Grammar::gnu("bB", &["reason", "orphan"]).split(&args[1..]);
                self.leaves_at(&options.files()[..options.files().len().min(1)]);
            }
            _ => self.git_outputs(subcommand, inner),
        }
        let tool = git_tool(subcommand, args, &options);
        if let Some(file) = options.value("", "output").filter(|_| tool.is_some()) {
            self.edits(call, &[file]);
        }
        if let Some(tool) = tool
            && self.places.is_at_home(&here)
            && !(self.is_silent() && git_changes::only_looks(subcommand, args, &options))
        {
            let why = "There is a tool for this part of git.";
            self.report(FindingKind::Git, Some(tool), call.text, why, &[]);
        }
        Stream::printed(Origin::Program)
    }

    fn top_level(&self) -> Stream {
        let root = self.places.root_path();
        Stream::answered(format!("{root}\n"), None)
    }

    /// Where git keeps a repository, and what lies there by the name that is asked for.
    fn git_folder(&self, call: Call<'_>) -> Stream {
        let here = self.here();
        let folder = match self.places.is_at_home(&here) {
            true => self.places.root_path().to_owned(),
            false => here.path,
        };
        let mut args = call.args.iter().skip_while(|arg| !arg.is("--git-path"));
        let below = args.nth(1).map(|arg| format!("/{}", arg.text));
        Stream::answered(
            format!("{folder}/.git{}\n", below.unwrap_or_default()),
            None,
        )
    }

    fn git_apply(&mut self, call: Call<'_>) {
        let options =
            Grammar::gnu("pC", &["exclude", "include", "directory", "whitespace"]).split(call.args);
        let looks = ["check", "stat", "numstat", "summary", "cached"];
        let only_looks =
            looks.iter().any(|look| options.has("", look)) && !options.has("", "apply");
        let here = self.here();
        if !only_looks && here.is_inside() {
            let why = "Edits project files through a patch.";
            self.writes(call.text, why, &[here]);
        }
    }

    fn git_grep(&mut self, call: Call<'_>) {
        let options = options::git("grep", call.args);
        let here = self.here();
        let quiet = options.has("q", "quiet") || self.is_silent();
        if here.is_inside() && !quiet {
            self.searches(call.text, &[here]);
        }
    }

    /// Subcommands that run commands of their own.
    fn git_commands_inside(&mut self, subcommand: &str, call: Call<'_>) {
        let after = |word: &str| call.args.iter().position(|arg| arg.is(word));
        match subcommand {
            "rebase" => {
                let options = Grammar::gnu("xsXC", &["exec", "onto", "strategy"]).split(call.args);
                let texts: Vec<Arg> = options.values("x", "exec").cloned().collect();
                for text in texts {
                    self.run_line(&text, call);
                }
            }
            "bisect" => {
                if let Some(at) = after("run") {
                    self.command(&call.args[at + 1..], call.text);
                }
            }
            "submodule" => {
                let Some(at) = after("foreach") else { return };
                let rest = call.args.get(at + 1..).unwrap_or_default();
                let rest: Vec<Arg> = rest
                    .iter()
                    .skip_while(|arg| arg.text.starts_with('-'))
                    .cloned()
                    .collect();
                match rest.as_slice() {
                    [text] => {
                        self.run_line(text, call);
                    }
                    // A shell reads the first word, and the others are its arguments.
                    [text, words @ ..] if text.text.contains(' ') => {
                        let outer = self.scope.arguments();
                        self.scope.set_arguments(Some(words.into()));
                        let line = format!("{} \"$@\"", text.text);
                        self.run_code(&line, text.unknown, Dialect::Bash, call, false);
                        self.scope.set_arguments(outer);
                    }
                    words => {
                        self.command(words, call.text);
                    }
                }
            }
            _ => self.git_options(subcommand, call),
        }
        // An address may be a command, in which a sign comes before its blanks.
        let addresses = call.args.iter().filter_map(|arg| arg.strip_prefix("ext::"));
        for address in addresses.collect::<Vec<_>>() {
            let text = address.text.replace("% ", "\t");
            let words = text
                .split(' ')
                .map(|word| Arg::partly(word.replace('\t', " "), address.unknown));
            self.command(&words.collect::<Vec<_>>(), call.text);
        }
    }

    /// Options whose value is a command.
    fn git_options(&mut self, subcommand: &str, call: Call<'_>) {
        let mut rows = COMMAND_OPTIONS.iter();
        let Some((_, short, long)) = rows.find(|(names, _, _)| names.contains(&subcommand)) else {
            return;
        };
        let grammar = Grammar {
            attached: "O",
            ..Grammar::gnu(if subcommand == "clone" { "ucbo" } else { "xtm" }, LONG)
        };
        let options = grammar.split(call.args);
        let texts: Vec<Arg> = options
            .flags
            .iter()
            .filter(|flag| long.iter().any(|long| flag.is(short, long)))
            .filter_map(|flag| flag.value.as_deref().cloned())
            .collect();
        for text in texts {
            self.run_line(&text, call);
        }
        if subcommand == "clone" {
            let settings: Vec<Arg> = options.values("c", "config").cloned().collect();
            for setting in settings {
                if let Some((name, value)) = setting.text.split_once('=') {
                    let value = setting.with_text(value);
                    self.noted_program(&name.to_ascii_lowercase(), &value, call);
                }
            }
        }
    }
}

/// What does the same as a subcommand as it is used here.
fn git_tool(subcommand: &str, args: &[Arg], options: &Options<'_>) -> Option<Instead> {
    match subcommand {
        "status" => Some(Instead::GitStatus),
        "diff" if options.has("", "quiet") => None,
        "diff" => Some(Instead::GitDiff),
        "log" => Some(Instead::GitLog),
        "blame" => Some(Instead::GitBlame),
        "commit" => Some(Instead::GitCommit),
        "add" | "stage" => Some(Instead::GitStage),
        "show" => Some(Instead::GitShow),
        "branch" => git_changes::is_branch_tool(options).then_some(Instead::GitBranch),
        "stash" => git_changes::is_stash_tool(args).then_some(Instead::GitStash),
        "restore" | "reset" => Some(Instead::GitUnstage),
        _ => None,
    }
}
