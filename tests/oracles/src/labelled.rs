//! Labelled command lines: `kinds | command`, in the format of `rust/guard/tests/corpus/README.md`.
//!
//! It reads what the label says and what the guard answers, and leaves it to the caller to compare.

use siderail_guard::shell::{Analysis, Dialect, FindingKind, ShellInput, ShellVerdict, analyse};
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
    /// The user's home folder, if it is told.
    pub home: Option<String>,
    /// The offered tools; `None` for all.
    pub tools: Option<Vec<String>>,
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
        let tools: Option<Vec<&str>> = self
            .tools
            .as_ref()
            .map(|tools| tools.iter().map(String::as_str).collect());
        analyse(&ShellInput {
            command,
            dialect: self.dialect,
            root: &self.root,
            cwd: &self.cwd,
            home: self.home.as_deref(),
            tools: tools.as_deref(),
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
                "tools" => setting.tools = Some(value.split(',').map(str::to_owned).collect()),
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
}

impl Labelled {
    /// The verdict that follows from the label.
    pub fn expected(&self) -> ShellVerdict {
        let verdicts = self.kinds.iter().map(|kind| kind.verdict());
        verdicts.max().unwrap_or(ShellVerdict::Allow)
    }

    /// What the guard says of it.
    pub fn analyse(&self) -> Analysis {
        self.setting.analyse(self.command.as_bytes())
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

/// The folder of lines that are kept in this package.
pub fn fresh() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fresh")
}

/// The guard's own corpus, which others have written.
pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rust/guard/tests/corpus")
}

/// Reads all `.txt` files of a folder, in the order of their names.
///
/// # Panics
/// Where a file cannot be read or a line is malformed: these are files of this repository.
pub fn read(folder: &Path) -> Vec<Labelled> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
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
        let (label, command) = line
            .split_once('|')
            .unwrap_or_else(|| panic!("{place}: no bar"));
        let command = match command.strip_prefix(' ').unwrap_or(command) {
            blank if blank.trim().is_empty() => body(&mut lines),
            command => command.to_owned(),
        };
        all.push(Labelled {
            kinds: label_kinds(label, &place),
            place,
            command,
            setting: setting.clone(),
        });
    }
}

fn label_kinds(label: &str, place: &str) -> BTreeSet<FindingKind> {
    let names = label.split(',').map(str::trim).filter(|name| *name != "-");
    names
        .map(|name| {
            let name = name.split('=').next().unwrap_or(name);
            FindingKind::ALL
                .into_iter()
                .find(|kind| kind.as_str() == name)
                .unwrap_or_else(|| panic!("{place}: kind {name:?}"))
        })
        .collect()
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
