//! Package managers, and project runners whose subcommand runs another command: `poetry run`, `npx`, `bundle exec`.

use crate::args::Grammar;
use crate::classify::test_tasks::Scripts;
use crate::program::Registry::{Npm, Others, Python};
use crate::program::Role::{Always, Does, Fetches, Is, Runs, SetsUp, Starts, WorksIn};
use crate::program::{Fact, Program, Role, named, roughly};

const RUNS_PACKAGE: Role = Runs(|judge, call| Some(judge.package_runner(call.args, call)));
const SCRIPTS: Scripts = Scripts {
    has_workspace: false,
    installs_and_tests: false,
    runs_by_name: true,
};
const VERSIONS: Role = SetsUp(&["init", "virtualenv-init", "-"]);

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    named(&["npx", "bunx"], &[Fetches(&[], &[""], Npm), RUNS_PACKAGE]),
    named(&["pnpx"], &[Fetches(&[], &[""], Npm)]),
    roughly(&["npm"], NPM, &[
        Fetches(&["install", "i", "add"], &["exec", "x"], Npm), Runs(|judge, call| judge.npm(call)),
        Does(|judge, call| {
            judge.package_script(Scripts { installs_and_tests: true, runs_by_name: false, ..SCRIPTS }, call)
        }),
        WorksIn(&["--prefix", "-C"]),
    ]),
    roughly(&["yarn"], YARN, &[
        Fetches(&["install", "i", "add"], &["dlx"], Npm), Starts(&["exec", "dlx"], 0),
        Does(|judge, call| judge.package_script(Scripts { has_workspace: true, ..SCRIPTS }, call)),
        WorksIn(&["--cwd"]),
    ]),
    roughly(&["pnpm"], PNPM, &[
        Fetches(&["install", "i", "add"], &["dlx"], Npm), Starts(&["exec", "dlx"], 0),
        Does(|judge, call| judge.package_script(Scripts { installs_and_tests: true, ..SCRIPTS }, call)),
        WorksIn(&["-C", "--dir"]),
    ]),
    roughly(&["bun"], BUN, &[
        Fetches(&["install", "i", "add"], &["x"], Npm), Runs(|judge, call| judge.bun(call)),
        Does(|judge, call| judge.package_script(SCRIPTS, call)),
        WorksIn(&["--cwd"]),
    ]),
    named(&["pip", "pip3"], &[Fetches(&["install"], &[], Python), SetsUp(&["completion", "completions"])]),
    named(&["uvx"], &[Fetches(&[], &[""], Python), RUNS_PACKAGE]),
    named(&["pipx"], &[Fetches(&["install"], &["run"], Python), Runs(|judge, call| Some(judge.pipx(call)))]),
    roughly(&["uv"], OPTIONS, &[
        Fetches(&["pip install", "tool install", "add"], &["tool run", "run"], Python),
        Always(|judge, call| judge.python_folder(call, "")), Runs(|judge, call| judge.uv(call)),
    ]),
    roughly(&["poetry", "pdm", "pipenv"], OPTIONS, &[Fetches(&["add", "install"], &[], Python), Starts(&["run"], 0)]),
    roughly(&["rye", "pixi", "volta", "kernprof"], OPTIONS, &[Starts(&["run"], 0)]),
    roughly(&["coverage"], OPTIONS, &[Runs(|judge, call| judge.coverage(call)), Is(&[Fact::Module])]),
    named(&["dnf", "yum", "zypper"], &[Fetches(&["install"], &[], Others)]),
    named(&["brew"], &[Fetches(&["install"], &[], Others), SetsUp(&["shellenv"])]),
    roughly(&["devbox"], OPTIONS, &[Starts(&["run"], 0), SetsUp(&["shellenv"])]),
    roughly(
        &["op", "doppler", "infisical", "dotenvx", "chamber", "aws-vault"], OPTIONS, &[Starts(&["run", "exec"], 0)],
    ),
    roughly(&["conda", "mamba", "micromamba"], OPTIONS, &[
        Starts(&["run", "exec"], 0), SetsUp(&["hook", "shell.bash", "shell.zsh", "shell.fish", "shell.posix", "shell"]),
    ]),
    roughly(&["fnm"], OPTIONS, &[Starts(&["run", "exec"], 0), SetsUp(&["env", "activate"])]),
    roughly(&["bundle"], OPTIONS, &[Starts(&["exec"], 0)]),
    roughly(&["mise", "rtx"], OPTIONS, &[Starts(&["exec", "x"], 0), SetsUp(&["activate", "env", "hook-env"])]),
    roughly(&["asdf"], OPTIONS, &[Starts(&["exec"], 0), SetsUp(&["activate", "env", "hook-env"])]),
    roughly(&["pyenv", "rbenv", "nodenv"], OPTIONS, &[Starts(&["exec"], 0), VERSIONS]),
    named(&["jenv", "goenv", "plenv", "phpenv", "nodebrew"], &[VERSIONS]),
    roughly(&["rustup"], OPTIONS, &[Starts(&["run"], 1), SetsUp(&["completion", "completions"])]),
    roughly(&["direnv"], OPTIONS, &[Starts(&["exec"], 1), SetsUp(&["hook", "export"])]),
    roughly(&["nvm"], OPTIONS, &[Starts(&["exec"], 1)]),
    roughly(&["perf"], OPTIONS, &[Runs(|judge, call| judge.perf(call))]),
    roughly(&["nix"], OPTIONS, &[Runs(|judge, call| judge.nix_command(call))]),
    roughly(
        &["nix-shell"], Grammar::of("pIA", &["run", "command", "packages"]),
        &[Runs(|judge, call| judge.nix_shell(call))],
    ),
    named(&["ip"], &[Runs(|judge, call| judge.in_namespace(call))]),

    // What they print sets up a shell.
    named(
        &["gpg-agent", "keychain", "dircolors", "lesspipe", "lesspipe.sh", "resize", "register-python-argcomplete"],
        &[SetsUp(&[])],
    ),
    named(&["docker-machine", "vfox"], &[SetsUp(&["env", "activate"])]),
    named(
        &["starship", "zoxide", "atuin", "mcfly", "oh-my-posh", "sheldon", "fasd", "navi"],
        &[SetsUp(&["init", "--init", "source", "widget"])],
    ),
    named(&["opam"], &[SetsUp(&["env", "config"])]),
    named(&["minikube"], &[SetsUp(&["docker-env", "podman-env"])]),
    named(&["luarocks"], &[SetsUp(&["path"])]),
    named(&["thefuck", "hub"], &[SetsUp(&["--alias", "alias"])]),
];

#[rustfmt::skip]
pub(super) const OPTIONS: Grammar = Grammar::wrapper(
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
