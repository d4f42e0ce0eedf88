//! Project runners whose subcommand runs another command: `poetry run`, `npx`, `bundle exec`.

use crate::analysis::Dialect;
use crate::args::Grammar;
use crate::ir::{Arg, Stream};
use crate::judge::Judge;
use crate::program::Call;

/// Programs, the subcommands that run something, and how many operands stand before the command.
#[rustfmt::skip]
pub(super) const RUNNERS: &[(&[&str], &[&str], usize)] = &[
    (&["poetry", "pipenv", "uv", "rye", "pdm", "hatch", "pixi", "volta", "devbox"], &["run"], 0),
    (&["op", "doppler", "infisical", "dotenvx", "chamber", "aws-vault"], &["run", "exec"], 0),
    (
        &["bundle", "pnpm", "yarn", "npm", "mise", "rtx", "asdf", "pyenv", "rbenv", "nodenv"],
        &["exec"],
        0,
    ),
    (&["pnpm", "yarn"], &["dlx"], 0),
    (&["mise", "rtx", "npm", "bun"], &["x"], 0),
    (&["conda", "mamba", "micromamba", "fnm"], &["run", "exec"], 0),
    (&["lerna"], &["exec"], 0),
    (&["rustup"], &["run"], 1),
    (&["direnv"], &["exec"], 1),
    (&["nvm"], &["exec"], 1),
    (&["npm"], &["explore"], 1),
    (&["coverage", "kernprof"], &["run"], 0),
    (&["perf"], &["stat", "record", "trace"], 0),
    (&["nix"], &["develop", "shell"], 0),
];

#[rustfmt::skip]
const OPTIONS: Grammar = Grammar::wrapper(
    "CpnwFe",
    &[
        "directory", "project", "prefix", "with", "with-editable", "with-requirements", "python",
        "extra", "group", "only-group", "env-file", "package", "filter", "workspace", "name", "cwd",
        "using", "no-group", "index", "index-url", "env", "config",
    ],
);

#[rustfmt::skip]
const NPM: Grammar = Grammar::of(
    "Ccmw",
    &[
        "prefix", "call", "message", "workspace", "loglevel", "registry", "userconfig", "globalconfig", "cache",
        "cafile", "ca", "cert", "key", "proxy", "https-proxy", "noproxy", "script-shell", "shell", "scope", "tag",
        "otp", "auth-type", "audit-level", "access", "before", "browser", "cpu", "os", "libc", "depth", "diff",
        "editor", "viewer", "fetch-retries", "fetch-timeout", "git", "include", "omit", "install-strategy",
        "local-address", "location", "lockfile-version", "logs-dir", "logs-max", "maxsockets", "node-options",
        "pack-destination", "package", "save-prefix", "tag-version-prefix", "umask", "user-agent",
        "expect-result-count", "init-module", "preid", "replace-registry-host", "sbom-format", "sbom-type",
    ],
);
#[rustfmt::skip]
const YARN: Grammar = Grammar::of(
    "j",
    &[
        "cwd", "modules-folder", "cache-folder", "registry", "network-timeout", "network-concurrency", "mutex",
        "proxy", "https-proxy", "preferred-cache-folder", "global-folder", "link-folder", "otp", "use-yarnrc",
        "include", "exclude", "from", "jobs",
    ],
);
#[rustfmt::skip]
const PNPM: Grammar = Grammar::of(
    "CF",
    &[
        "dir", "filter", "filter-prod", "loglevel", "reporter", "workspace-concurrency", "test-pattern",
        "changed-files-ignore-pattern", "resume-from", "store-dir", "virtual-store-dir", "modules-dir",
        "lockfile-dir", "registry", "script-shell", "package",
    ],
);
#[rustfmt::skip]
const BUN: Grammar = Grammar::of(
    "rF",
    &["cwd", "filter", "preload", "env-file", "elide-lines", "shell", "timeout", "test-name-pattern", "workspace"],
);

/// The options of npm and its relatives that take a value; `-w` and `-C` mean something else to each of them.
pub(super) fn node_options(program: &str) -> Grammar {
    match program {
        "yarn" => YARN,
        "pnpm" => PNPM,
        "bun" => BUN,
        _ => NPM,
    }
}

impl Judge<'_> {
    pub(crate) fn runner(&mut self, call: Call<'_>) -> Option<Stream> {
        match call.name {
            "npx" | "bunx" | "uvx" | "pipx" => return Some(self.package_runner(call.args, call)),
            "nix-shell" => {
                let options = Grammar::of("pIA", &["run", "command", "packages"]).split(call.args);
                let text = options
                    .value("", "run")
                    .or_else(|| options.value("", "command"))?;
                return Some(self.run_code(&text.text, text.unknown, Dialect::Bash, call, false));
            }
            "ip" if call.word(0) == "netns" && call.word(1) == "exec" => {
                let inner = call.args.get(3..).unwrap_or_default();
                return Some(self.command(inner, call.text));
            }
            _ => {}
        }
        let programs = RUNNERS
            .iter()
            .filter(|(programs, _, _)| programs.contains(&call.name));
        let grammar = match call.name {
            "npm" | "yarn" | "pnpm" | "bun" => Grammar {
                operands_last: true,
                ..node_options(call.name)
            },
            _ => OPTIONS,
        };
        for (_, subcommands, skipped) in programs {
            let before = grammar.split(call.args).operands;
            let Some((subcommand, rest)) = before.split_first() else {
                continue;
            };
            if !subcommands.contains(&subcommand.text.as_str()) {
                continue;
            }
            return match call.name {
                "npm" if *skipped == 1 => {
                    let inner = rest.get(1..).unwrap_or_default();
                    Some(self.command(behind_dashes(inner), call.text))
                }
                "npm" | "bun" => Some(self.package_runner(rest, call)),
                "coverage" => Some(self.covered(rest, call)),
                "nix" => self.nix_command(rest, call),
                _ => {
                    let inner = grammar.split(rest);
                    let module =
                        inner.flags.iter().any(|flag| flag.name == "m") && call.name == "uv";
                    if module {
                        return Some(self.run_python(rest, call));
                    }
                    let operands = behind_dashes(inner.operands);
                    // A script on the standard input.
                    if call.name == "uv" && operands.first().is_some_and(|arg| arg.is("-")) {
                        return Some(self.run_python(operands, call));
                    }
                    Some(self.command(operands.get(*skipped..).unwrap_or_default(), call.text))
                }
            };
        }
        None
    }

    /// `npx [options] package arguments…`, or a text with -c.
    fn package_runner(&mut self, args: &[Arg], call: Call<'_>) -> Stream {
        let options = Grammar::wrapper(
            "pcw",
            &[
                "package",
                "call",
                "workspace",
                "from",
                "with",
                "python",
                "spec",
            ],
        );
        let options = options.split(args);
        if let Some(text) = options.value("c", "call") {
            return self.run_code(&text.text, text.unknown, Dialect::Bash, call, false);
        }
        let mut operands = behind_dashes(options.operands).to_vec();
        if call.name == "pipx" && operands.first().is_some_and(|arg| arg.is("run")) {
            operands.remove(0);
        }
        if let Some(first) = operands.first_mut() {
            // The version is no part of the name, and a scope is no folder.
            let at = first.text.get(1..).and_then(|rest| rest.find('@'));
            if let Some(at) = at {
                first.text.truncate(at + 1);
            }
            if first.text.starts_with('@') {
                first.text = first.text.replace("/", "-");
            }
        }
        self.command(&operands, call.text)
    }

    /// `coverage run -m module` or a script.
    fn covered(&mut self, rest: &[Arg], call: Call<'_>) -> Stream {
        self.run_python(rest, call)
    }

    fn run_python(&mut self, rest: &[Arg], call: Call<'_>) -> Stream {
        let argv: Vec<Arg> = std::iter::once(Arg::new("python"))
            .chain(rest.iter().cloned())
            .collect();
        self.command(&argv, call.text)
    }

    fn nix_command(&mut self, rest: &[Arg], call: Call<'_>) -> Option<Stream> {
        let at = rest
            .iter()
            .position(|arg| arg.is("-c") || arg.is("--command"))?;
        Some(self.command(&rest[at + 1..], call.text))
    }
}

fn behind_dashes(operands: &[Arg]) -> &[Arg] {
    match operands.split_first() {
        Some((first, rest)) if first.is("--") => rest,
        _ => operands,
    }
}
