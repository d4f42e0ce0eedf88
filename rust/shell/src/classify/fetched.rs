//! Programs that come by their address: repositories that are cloned, and packages that are named by a URL and
//! not by their name in a registry.
//!
//! A registry's packages are the business of package managers, which are not judged.

use crate::args::{Grammar, Options};
use crate::ir::{Arg, Origin};
use crate::judge::Judge;
use crate::program::{Call, Registry};

#[rustfmt::skip]
const CLONE: Grammar = Grammar::gnu(
    "bocjuT",
    &[
        "branch", "origin", "config", "jobs", "upload-pack", "depth", "reference", "template",
        "filter", "separate-git-dir", "shallow-since", "shallow-exclude", "revision",
    ],
);

/// Options of package managers whose value may look like a package and is not one, or is one.
#[rustfmt::skip]
const LONG: &[&str] = &[
    "package", "from", "with", "git", "requirement", "editable", "call", "registry", "index",
    "index-url", "extra-index-url", "default-index", "find-links", "proxy", "https-proxy",
    "trusted-host", "constraint", "target", "prefix", "root", "cache-dir", "cache", "python",
    "source", "group", "extras", "extra", "branch", "tag", "rev", "features", "bin", "filter",
    "workspace", "cwd", "dir", "userconfig", "platform", "timeout", "retries", "spec", "pip-args",
];
const PYTHON: Grammar = Grammar::of("icftreGEp", LONG);
const OTHERS: Grammar = Grammar::of("wFjZp", LONG);

impl Judge<'_> {
    /// `python -m pip`
    pub(crate) fn fetches_by_module(&mut self, call: Call<'_>) {
        if let Some(at) = call.args.iter().position(|arg| arg.is("-m"))
            && call.word(at + 1) == "pip"
        {
            let args = call.args.get(at + 2..).unwrap_or_default();
            self.fetches(&["install"], &[], Registry::Python, Call { args, ..call });
        }
    }

    /// `gh repo clone owner/name`
    pub(crate) fn clones_hosted(&mut self, call: Call<'_>) {
        if call.word(0) == "repo" && call.word(1) == "clone" {
            self.cloned(call.args.get(2..).unwrap_or_default(), true);
        }
    }

    /// A package manager that is given an address installs or runs what is there; with the subcommands that
    /// install, and those that run their first operand. `""` is the program by itself.
    pub(super) fn fetches(
        &mut self,
        installs: &[&str],
        runs: &[&str],
        registry: Registry,
        call: Call<'_>,
    ) {
        let behind = |subcommands: &[&str]| {
            let mut found = subcommands
                .iter()
                .filter_map(|words| behind(call.args, words));
            found.next()
        };
        let grammar = match registry {
            Registry::Python => PYTHON,
            _ => OTHERS,
        };
        let fetched = if let Some(args) = behind(installs) {
            let options = grammar.split(args);
            let mut named = options.files().iter();
            named.any(|name| is_address(name, registry)) || has_address(&options, registry)
        } else if let Some(args) = behind(runs) {
            let options = Grammar {
                operands_last: true,
                ..grammar
            }
            .split(args);
            let first = options.operands.iter().find(|arg| !arg.is("--"));
            // Behind a package that is named apart comes a command.
            let first = first.filter(|_| !options.has("p", "package") && !options.has("", "from"));
            first.is_some_and(|first| is_address(first, registry))
                || has_address(&options, registry)
        } else {
            false
        };
        if fetched {
            self.unknown_code(Some(Origin::Download), call.text);
        }
    }

    /// `git clone address [folder]`; what runs from there afterwards was downloaded.
    pub(super) fn cloned(&mut self, args: &[Arg], is_hosted: bool) {
        let options = CLONE.split(args);
        let [from, rest @ ..] = options.files() else {
            return;
        };
        let folder = match rest.first() {
            Some(folder) => self.target(folder),
            None => {
                let mut path = from.text.trim_end_matches('/');
                while let Some(shorter) = path.strip_suffix(".git") {
                    path = shorter;
                }
                let name = path.rsplit(['/', ':']).next().unwrap_or_default();
                self.target(&Arg::new(name))
            }
        };
        self.leaves(&folder);
        if is_hosted || from.unknown.is_some() || is_remote(&from.text) {
            self.fetched(folder.path);
        }
    }
}

/// What follows the words of a subcommand.
fn behind<'a>(args: &'a [Arg], words: &str) -> Option<&'a [Arg]> {
    let mut rest = args;
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        let (first, more) = rest.split_first()?;
        if !first.is(word) {
            return None;
        }
        rest = more;
    }
    Some(rest)
}

/// Whether an option names a package, or a list of them, by its address.
fn has_address(options: &Options<'_>, registry: Registry) -> bool {
    let named = options.flags.iter().filter(|flag| match flag.name {
        "package" | "from" | "with" | "git" | "requirement" | "editable" | "spec" => true,
        "p" => registry != Registry::Python,
        "r" | "e" => registry == Registry::Python,
        _ => false,
    });
    let mut values = named.filter_map(|flag| flag.value.as_deref());
    values.any(|value| is_address(value, registry))
}

/// Whether a package is named by where it lies in the network.
fn is_address(arg: &Arg, registry: Registry) -> bool {
    let text = arg.text.as_str();
    let hosts = ["github:", "gitlab:", "bitbucket:", "gist:"];
    let to_colons = || text.match_indices(':').map(|(at, _)| &text[..=at]);
    let hosted = hosts.iter().any(|host| {
        let before = to_colons().find_map(|start| start.strip_suffix(host));
        before.is_some_and(|before| before.is_empty() || before.ends_with('@'))
    });
    is_remote(text) || hosted || (registry == Registry::Npm && is_shorthand(text))
}

/// An address of the network: `https://…`, `git+ssh://…`, `user@host:path`.
fn is_remote(text: &str) -> bool {
    let scheme = text.as_bytes().windows(3).position(|three| three == b"://");
    if let Some(before) = scheme.map(|end| &text[..end]) {
        let letters = |c: char| !c.is_ascii_alphanumeric();
        let scheme = before.rsplit(letters).next().unwrap_or_default();
        return matches!(scheme, "http" | "https" | "ssh" | "git" | "ftp" | "rsync");
    }
    let host = text.split_once(':').map(|(host, _)| host);
    host.is_some_and(|host| host.contains('@') && !host.contains('/'))
}

/// `owner/repository`, which npm and its likes look for at GitHub.
fn is_shorthand(text: &str) -> bool {
    let plain = !text.starts_with(['.', '/', '@', '~', '-', crate::ir::UNKNOWN]);
    let parts = text.split_once('/');
    plain
        && parts.is_some_and(|(owner, name)| {
            !owner.contains([':', '\\']) && !name.is_empty() && !name.contains('/')
        })
}
