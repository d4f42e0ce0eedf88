//! Files and folders that are asked about even through our own tools, however their names are spelled.
//!
//! By name alone: where a path leads is not its business. Which files configure an agent is data of the caller: no agent
//! is known here.

use std::fmt;
use std::sync::LazyLock;

mod marks;

pub(crate) use marks::Marks;

/// Files and folders that decide what runs in a project, or what every agent may do in it.
#[rustfmt::skip]
const OURS: [&str; 6] = [".git", "git~1", ".idea", ".siderail.toml", ".siderail", ".mcp.json"];

/// How the names of an IDE's module files end, and of the one file that an old project is. They say what belongs to the
/// project.
const MODULES: [&str; 2] = [".iml", ".ipr"];

/// Bytes of a place's path.
const MOST_BYTES: usize = 128;
/// Parts of it.
const MOST_PARTS: usize = 4;

/// A file or folder by its name, or by its name behind those of the folders around it: `.claude`, `.github/hooks`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProtectedPlace(Vec<String>);

impl ProtectedPlace {
    /// Reads a relative path with `/`.
    ///
    /// # Errors
    /// Why it names no place that can be protected, as a fragment behind its text.
    pub fn parse(path: &str) -> Result<Self, &'static str> {
        if path.len() > MOST_BYTES {
            return Err("is longer than 128 bytes");
        }
        let is_odd =
            |c: char| c.is_whitespace() || c.is_control() || r#"\'"=:;,|&<>(){}`*?[]"#.contains(c);
        if path.contains(is_odd) {
            return Err("has a character that a protected name cannot have");
        }
        let parts: Vec<String> = path.split('/').map(plain_name).collect();
        if parts.iter().any(String::is_empty) {
            return Err("is not a relative path without `..`");
        }
        if parts.len() > MOST_PARTS {
            return Err("has more than 4 parts");
        }
        // What it begins with is looked for in command lines, and an ordinary word would be everywhere.
        if !Marks::default().add(&parts[0]) {
            return Err("begins with a name without a dot");
        }
        Ok(Self(parts))
    }
}

impl fmt::Display for ProtectedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("/"))
    }
}

/// The places that are protected in a session: ours, and the configuration of agents.
#[derive(Clone, Debug)]
pub struct ProtectedPlaces {
    /// Places of one part.
    names: Vec<String>,
    /// Places of more, as their parts.
    paths: Vec<Vec<String>>,
    marks: Marks,
    /// Bytes that names begin with which have their mark in the middle.
    initials: [bool; 256],
}

impl ProtectedPlaces {
    /// Those that need no agent.
    pub fn ours() -> &'static Self {
        static THEY: LazyLock<ProtectedPlaces> = LazyLock::new(|| ProtectedPlaces::with([]));
        &THEY
    }

    /// Ours and these.
    pub fn with(more: impl IntoIterator<Item = ProtectedPlace>) -> Self {
        let mut all = Self {
            names: Vec::new(),
            paths: Vec::new(),
            marks: Marks::default(),
            initials: [false; 256],
        };
        let ours = OURS.map(|name| ProtectedPlace(vec![name.to_owned()]));
        for ProtectedPlace(mut parts) in ours.into_iter().chain(more) {
            all.marks.add(&parts[0]);
            if let Some(byte) = parts[0].bytes().next() {
                all.initials[usize::from(byte)] = true;
            }
            match parts.len() {
                1 => all.names.append(&mut parts),
                _ => all.paths.push(parts),
            }
        }
        all
    }

    /// True for what is asked about even through our own tools, at any depth. `path` is split at `/` and `\`.
    pub fn has(&self, path: &str) -> bool {
        let mut parts = path.split(['/', '\\']);
        while let Some(part) = parts.next() {
            if !self.may_be(part) {
                continue;
            }
            let name = plain_name(part);
            // Neither an empty part nor a dot leads to another folder.
            let behind = parts.clone().filter(|part| !matches!(*part, "" | "."));
            let goes_on = |rest: &[String]| {
                let mut behind = behind.clone();
                let is_next =
                    |name: &String| behind.next().is_some_and(|part| plain_name(part) == *name);
                rest.iter().all(is_next)
            };
            let is_path = |place: &Vec<String>| place[0] == name && goes_on(&place[1..]);
            if self.names.contains(&name)
                || MODULES.iter().any(|ending| name.ends_with(ending))
                || self.paths.iter().any(is_path)
            {
                return true;
            }
        }
        false
    }

    /// How to find their names in a text.
    pub(crate) fn marks(&self) -> &Marks {
        &self.marks
    }

    /// The names of those of one part.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The parts of the others.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &[String]> {
        self.paths.iter().map(Vec::as_slice)
    }

    /// A look at a few letters, which is enough for most names.
    fn may_be(&self, name: &str) -> bool {
        may_name_module(name) || self.starts_like_one(name)
    }

    fn starts_like_one(&self, name: &str) -> bool {
        match name.as_bytes() {
            [b'.'] | [b'.', b'.'] | [] => false,
            [b'.' | 0x80.., ..] => true,
            [first, rest @ ..] => {
                self.initials[usize::from(first.to_ascii_lowercase())]
                    && rest.iter().any(|byte| matches!(byte, b'.' | b'~' | 0x80..))
            }
        }
    }
}

/// Whether something in a path may be such a file's name.
pub(crate) fn may_name_module(path: &str) -> bool {
    let bytes = path.as_bytes();
    let ends = |part: &[u8]| {
        let mut endings = MODULES.iter();
        endings.any(|ending| part.eq_ignore_ascii_case(ending.as_bytes()))
    };
    bytes.windows(MODULES[0].len()).any(ends) || bytes.contains(&b'.') && !path.is_ascii()
}

/// A name as file systems compare it: letter case, trailing dots and blanks, alternate data streams
/// and characters that show nothing make no difference to some of them.
pub fn plain_name(name: &str) -> String {
    let shown: String = name.chars().filter(|c| !shows_nothing(*c)).collect();
    let stream = shown.split(':').next().unwrap_or_default();
    stream.trim_end_matches(['.', ' ']).to_lowercase()
}

/// Zero-width characters, direction marks and the like.
fn shows_nothing(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> ProtectedPlaces {
        let more = [".agent", "agent.config.yaml", ".github/hooks", "x.d/a/b"];
        ProtectedPlaces::with(more.map(|path| ProtectedPlace::parse(path).expect(path)))
    }

    #[test]
    fn configuration_that_decides_what_runs_is_protected_however_it_is_spelled() {
        let places = places();
        for path in [
            ".git/hooks/pre-commit",
            "sub/.git/config",
            ".GIT/config",
            ".git./config",
            ".git /config",
            ".git::$INDEX_ALLOCATION/config",
            "GIT~1/config",
            ".g\u{200c}it/config",
            ".idea/workspace.xml",
            ".siderail.toml",
            ".siderail/x",
            ".mcp.json",
            ".agent/settings.json",
            r"a\.AGENT\config.toml",
            "sub/Agent.config.yaml",
            "agent\u{200c}.config.yaml",
            ".github/hooks/pre.json",
            ".github//hooks/pre.json",
            ".github/./Hooks./pre.json",
            ".github/x/.github/hooks",
            r"a\x.d\a\b\c",
            "app/app.iml",
            "App.IML",
            "app.i\u{200b}ml",
            "app.iml::$DATA",
        ] {
            assert!(places.has(path), "{path}");
        }
        for path in [
            "",
            "..",
            ".gitignore",
            ".github/workflows/ci.yml",
            ".github",
            ".github/x/hooks",
            "hooks",
            "x.d/a",
            "x.d/b/a",
            "src/git/x",
            "x.idea",
            "app.iml.md",
            "iml",
            "agent/x",
            "agent.config",
        ] {
            assert!(!places.has(path), "{path}");
        }
    }

    #[test]
    fn only_ours_are_known_without_an_agent() {
        let ours = ProtectedPlaces::ours();
        assert!(OURS.iter().all(|name| ours.has(name)));
        assert!(!ours.has(".agent/settings.json") && !ours.has(".github/hooks/x"));
    }

    #[test]
    fn a_place_is_a_relative_path_that_begins_with_a_name_that_can_be_looked_for() {
        for path in [".a", "a.b", "a~1", ".a/b/c/d", ".ü/é"] {
            let place = ProtectedPlace::parse(path).expect(path);
            assert_eq!(place.to_string(), path);
        }
        for (path, why) in [
            ("", "relative"),
            ("/etc/.x", "relative"),
            ("..", "relative"),
            ("../.x", "relative"),
            (".x/../.y", "relative"),
            (".x/", "relative"),
            ("./.x", "relative"),
            ("C:.x", "character"),
            (r"\.x", "character"),
            (".x y", "character"),
            (".x*", "character"),
            ("src", "without a dot"),
            ("src/.x", "without a dot"),
            ("x~", "without a dot"),
            (".a/b/c/d/e", "more than 4"),
        ] {
            let told = ProtectedPlace::parse(path).expect_err(path);
            assert!(told.contains(why), "{path}: {told}");
        }
        let long = format!(".{}", "a".repeat(128));
        assert!(ProtectedPlace::parse(&long).is_err());
    }
}
