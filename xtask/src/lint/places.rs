//! Nothing in the tree names the machine it was made on: no path of a build machine, no private registry.

use super::finding::Finding;

/// Folders of build machines, right below the file system's root.
const MACHINE_FOLDERS: &[&str] = &["work", "root"];
/// Home folders that mean anybody's.
const ANYBODY: &[&str] = &["user", "u", "me", "you", "dev", "someone"];
/// Data that has such paths as its subject: command lines that an agent might run.
const ABOUT_PATHS: &[&str] = &["rust/shell/tests/corpus/"];

/// What the name of a host that serves packages tends to contain.
const REGISTRY_WORDS: &[&str] = &[
    "registry",
    "mirror",
    "artifactory",
    "nexus",
    "jfrog",
    "pypi",
    "npm",
    "crates",
    "goproxy",
];
/// Hosts of the public registries.
const PUBLIC: &[&str] = &[
    "crates.io",
    "static.crates.io",
    "index.crates.io",
    "registry.npmjs.org",
    "pypi.org",
];
/// The one source that the lock file may name.
const LOCKED: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Absolute paths that mean something on one machine only.
pub(super) fn machine_paths(path: &str, text: &str) -> Vec<Finding> {
    if ABOUT_PATHS.iter().any(|prefix| path.starts_with(prefix)) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if let Some(place) = machine_path(line) {
            findings.push(Finding::new(
                path,
                at + 1,
                format!("names a place on one machine: {place}"),
            ));
        }
    }
    findings
}

fn machine_path(line: &str) -> Option<String> {
    line.match_indices('/').find_map(|(at, _)| {
        let inside = |c: char| c.is_alphanumeric() || "_-./~}>*".contains(c);
        if line[..at].chars().next_back().is_some_and(inside) {
            return None;
        }
        let mut names = line[at + 1..].split('/').map(name);
        let first = names.next()?;
        let named = MACHINE_FOLDERS.contains(&first);
        let home = names
            .next()
            .filter(|who| first == "home" && !who.is_empty());
        match home {
            Some(who) if !ANYBODY.contains(&who) => Some(format!("/home/{who}")),
            _ => named.then(|| format!("/{first}")),
        }
    })
}

/// The beginning of a text that can be a file's name.
fn name(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || "_-.".contains(c)));
    text[..end.unwrap_or(text.len())].trim_end_matches('.')
}

/// Package sources other than the public ones.
pub(super) fn registries(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if path == "Cargo.lock"
            && let Some(source) = line.strip_prefix("source = ")
            && source.trim_matches('"') != LOCKED
        {
            findings.push(Finding::new(
                path,
                at + 1,
                format!("a package comes from {source}"),
            ));
        }
        for host in hosts(line) {
            let serves = REGISTRY_WORDS.iter().any(|word| host.contains(word));
            if serves && !PUBLIC.contains(&host) {
                findings.push(Finding::new(
                    path,
                    at + 1,
                    format!("names the registry {host}"),
                ));
            }
        }
    }
    findings
}

fn hosts(line: &str) -> impl Iterator<Item = &str> {
    line.split("://")
        .skip(1)
        .map(|rest| name(rest.rsplit_once('@').map_or(rest, |(_, host)| host)))
}

#[cfg(test)]
mod tests {
    use super::{machine_paths, registries};

    fn check(place: &str, expected: bool) {
        for line in [
            format!("see {place}"),
            format!("\"{place}/x\""),
            format!("K={place}"),
        ] {
            let found = machine_paths("docs/a.md", &line);
            assert_eq!(!found.is_empty(), expected, "{line:?}: {found:?}");
        }
    }

    #[test]
    fn a_path_of_a_build_machine_fails() {
        // Put together here, so that this file passes its own rule.
        check(&["", "work"].join("/"), true);
        check(&["", "root"].join("/"), true);
        check(&["", "home", "ann"].join("/"), true);
    }

    #[test]
    fn paths_that_mean_the_same_everywhere_pass() {
        for place in [
            "/home/user",
            "/etc/passwd",
            "src/work",
            "/workspace",
            "./root",
            "~/work",
        ] {
            check(place, false);
        }
        assert!(machine_paths("docs/a.md", "https://example.org/work/x").is_empty());
    }

    #[test]
    fn data_about_paths_is_no_place() {
        let line = ["rm -rf ", "root"].join("/");
        assert!(machine_paths("rust/shell/tests/corpus/destructive.txt", &line).is_empty());
        assert_eq!(machine_paths("rust/guard/src/a.rs", &line).len(), 1);
    }

    #[test]
    fn a_lock_file_with_another_source_fails() {
        let public = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
        assert!(registries("Cargo.lock", public).is_empty());
        assert_eq!(
            registries("Cargo.lock", "source = \"git+https://example.org/x\"").len(),
            1
        );
    }

    #[test]
    fn a_private_registry_fails() {
        let private = |host: &str| format!("index = \"sparse+https://{host}/index/\"");
        assert_eq!(
            registries(".cargo/config.toml", &private("me:pw@crates.example.org")).len(),
            1
        );
        assert_eq!(
            registries(
                "tests/live/fleet.py",
                &private("npm-mirror.example.org:8080")
            )
            .len(),
            1
        );
        assert!(registries(".cargo/config.toml", &private("index.crates.io")).is_empty());
        assert!(registries("README.md", "https://example.org/npm").is_empty());
    }
}
