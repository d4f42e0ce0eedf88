//! Labelled command lines: `kinds | command`, in the format of `rust/shell/tests/corpus/README.md`.
//!
//! It reads what the label says and what the guard answers, and leaves it to the caller to compare.

use siderail_shell::{
    Analysis, Dialect, FindingKind, Instead, ProtectedPlaces, ShellInput, ShellVerdict, analyse,
    analyse_patiently,
};
use std::collections::BTreeSet;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

/// Where and for whom a command would run.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The shell that would run it.
    pub dialect: Dialect,
    /// The project's base path.
    pub root: String,
    /// Where the command starts.
    pub cwd: String,
    /// The user's home folder, if it is known.
    pub home: Option<String>,
    /// The offered tools; `None` for all.
    pub tools: Option<Vec<Instead>>,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            dialect: Dialect::Bash,
            root: "/proj".to_owned(),
            cwd: "/proj".to_owned(),
            home: None,
            tools: None,
        }
    }
}

impl Setting {
    /// The default of a shell: a project at `/proj`, or `C:\proj` for the shells of Windows.
    pub fn of(dialect: Dialect) -> Self {
        let root = match dialect {
            Dialect::Bash | Dialect::Fish => "/proj",
            Dialect::PowerShell | Dialect::Cmd => "C:\\proj",
        };
        Self {
            dialect,
            root: root.to_owned(),
            cwd: root.to_owned(),
            ..Self::default()
        }
    }

    /// What the guard says of a command here.
    pub fn analyse(&self, command: &[u8]) -> Analysis {
        self.ask(command, analyse)
    }

    /// The same with much work, with or without walks that speak for several states.
    pub fn analyse_patiently(&self, command: &[u8], repeats: bool) -> Analysis {
        self.ask(command, |input| analyse_patiently(input, repeats))
    }

    fn ask(&self, command: &[u8], analyse: impl FnOnce(&ShellInput<'_>) -> Analysis) -> Analysis {
        analyse(&ShellInput {
            command,
            dialect: self.dialect,
            root: &self.root,
            roots: &[],
            cwd: &self.cwd,
            home: self.home.as_deref(),
            tools: self.tools.as_deref(),
            protected_places: ProtectedPlaces::ours(),
        })
    }

    fn parse(line: &str) -> Self {
        let mut setting = Self::default();
        for item in line.split_whitespace() {
            let (key, value) = item.split_once('=').expect("an option is key=value");
            match key {
                "shell" => setting.dialect = Dialect::from_name(value).expect("a known shell"),
                "root" => setting.root = value.to_owned(),
                "cwd" => setting.cwd = value.to_owned(),
                "home" => setting.home = Some(value.to_owned()),
                "tools" => {
                    setting.tools = Some(value.split(',').filter_map(instead_named).collect())
                }
                _ => panic!("unknown option {key}"),
            }
        }
        setting
    }
}

/// A command line and what it was said to be.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// File and line.
    pub place: String,
    /// The command line itself.
    pub command: String,
    /// Where it would run.
    pub setting: Setting,
    /// The kinds of finding that it was said to have.
    pub kinds: BTreeSet<FindingKind>,
    /// The tools that findings of a kind must point to, where that was said.
    pub tools: Vec<(FindingKind, String)>,
}

impl Labelled {
    /// The verdict that follows from the label.
    pub fn expected(&self) -> ShellVerdict {
        let verdicts = self.kinds.iter().map(|kind| ShellVerdict::of(*kind));
        verdicts.max().unwrap_or(ShellVerdict::Allow)
    }

    /// What the guard says of it.
    pub fn analyse(&self) -> Analysis {
        self.setting.analyse(self.command.as_bytes())
    }

    /// Whether it is one of the third that nobody looks at while mending.
    pub fn is_kept_apart(&self) -> bool {
        let hash = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = self.command.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
        hash.is_multiple_of(3)
    }

    /// What is wrong with an answer, for people.
    pub fn complaint(&self, analysis: &Analysis) -> Option<String> {
        let found = kinds(analysis);
        if found != self.kinds {
            let (expected, found) = (names(&self.kinds), names(&found));
            return Some(format!("{expected} but is {found}"));
        }
        let points = |kind: &FindingKind, tool: &str| {
            let mut findings = analysis.findings.iter();
            findings.any(|finding| {
                finding.kind == *kind && finding.instead.is_some_and(|found| word_of(found) == tool)
            })
        };
        if let Some((kind, tool)) = self.tools.iter().find(|(kind, tool)| !points(kind, tool)) {
            return Some(format!("no {kind} points to {tool}"));
        }
        let mut findings = analysis.findings.iter();
        let odd = findings.find(|finding| !self.command.contains(&finding.text));
        odd.map(|finding| format!("{:?} is no part of the line", finding.text))
    }
}

/// The kinds of finding in an analysis.
pub fn kinds(analysis: &Analysis) -> BTreeSet<FindingKind> {
    analysis
        .findings
        .iter()
        .map(|finding| finding.kind)
        .collect()
}

/// Kinds of finding for people.
pub fn names(kinds: &BTreeSet<FindingKind>) -> String {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    if names.is_empty() {
        "-".to_owned()
    } else {
        names.join(",")
    }
}

/// The folder of lines that are kept in this package.
pub fn fresh() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fresh")
}

/// The guard's own corpus, which others have written.
pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rust/shell/tests/corpus")
}

/// The part of that corpus that was added when a line was misjudged; nothing of it is kept apart.
pub fn later() -> PathBuf {
    corpus().join("later")
}

/// The `.txt` files of a folder, in the order of their names.
///
/// # Panics
/// Where the folder cannot be read: it is one of this repository.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    paths
}

/// Reads all `.txt` files of a folder, in the order of their names.
///
/// # Panics
/// Where a file cannot be read or a line is malformed: these are files of this repository.
pub fn read(folder: &Path) -> Vec<Labelled> {
    let mut all = Vec::new();
    for path in files(folder) {
        read_file(&path, &mut all);
    }
    all
}

fn read_file(path: &Path, all: &mut Vec<Labelled>) {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let mut setting = Setting::default();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let place = format!("{file}:{}", number + 1);
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        if let Some(rest) = line.strip_prefix('%') {
            setting = Setting::parse(rest);
            continue;
        }
        let (label_text, command) = line
            .split_once('|')
            .unwrap_or_else(|| panic!("{place}: no bar"));
        let command = match command.strip_prefix(' ').unwrap_or(command) {
            blank if blank.trim().is_empty() => body(&mut lines),
            command => command.to_owned(),
        };
        let (kinds, tools) = label(label_text, &place);
        all.push(Labelled {
            kinds,
            tools,
            place,
            command,
            setting: setting.clone(),
        });
    }
}

/// The word by which labels name what does the same: `git_status` for [`Instead::GitStatus`].
fn word_of(instead: Instead) -> String {
    let mut word = String::new();
    for letter in format!("{instead:?}").chars() {
        if letter.is_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.extend(letter.to_lowercase());
    }
    word
}

fn instead_named(word: &str) -> Option<Instead> {
    let mut all = Instead::ALL.iter().copied();
    all.find(|instead| word_of(*instead) == word)
}

/// `kind,kind=tool`
fn label(text: &str, place: &str) -> (BTreeSet<FindingKind>, Vec<(FindingKind, String)>) {
    let (mut kinds, mut tools) = (BTreeSet::new(), Vec::new());
    for name in text.split(',').map(str::trim).filter(|name| *name != "-") {
        let (name, tool) = name
            .split_once('=')
            .map_or((name, None), |(name, tool)| (name, Some(tool)));
        let kind = FindingKind::named(name).unwrap_or_else(|| panic!("{place}: kind {name:?}"));
        kinds.insert(kind);
        tools.extend(tool.map(|tool| (kind, tool.to_owned())));
    }
    (kinds, tools)
}

/// A command of several lines: what follows indented, up to the first line that is not.
fn body<'t>(lines: &mut Peekable<impl Iterator<Item = (usize, &'t str)>>) -> String {
    let mut body = Vec::new();
    while let Some((_, line)) = lines.peek() {
        let line = match line.strip_prefix("    ") {
            Some(line) => line,
            None if line.is_empty() => "",
            None => break,
        };
        body.push(
            line.strip_prefix("\\t")
                .map_or(line.to_owned(), |line| format!("\t{line}")),
        );
        lines.next();
    }
    while body.last().is_some_and(String::is_empty) {
        body.pop();
    }
    body.join("\n")
}
