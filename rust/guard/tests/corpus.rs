//! Judges every labelled command line of `tests/corpus` (the format is in its README).
//!
//! Two thirds are open: each must be judged exactly as labelled, and each failure is shown. One third is kept
//! apart: only its totals are shown, and they are held against the aims.

use siderail_guard::shell::{Dialect, FindingKind, ShellInput, ShellVerdict, analyse};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Clone)]
struct Options {
    dialect: Dialect,
    root: String,
    cwd: String,
    home: Option<String>,
    tools: Option<Vec<String>>,
}

impl Default for Options {
    fn default() -> Self {
        let project = "/proj".to_owned();
        Self {
            dialect: Dialect::Bash,
            root: project.clone(),
            cwd: project,
            home: None,
            tools: None,
        }
    }
}

impl Options {
    fn parse(line: &str) -> Self {
        let mut options = Self::default();
        for (key, value) in line
            .split_whitespace()
            .filter_map(|item| item.split_once('='))
        {
            match key {
                "shell" => options.dialect = Dialect::from_name(value).expect("a known shell"),
                "root" => options.root = value.to_owned(),
                "cwd" => options.cwd = value.to_owned(),
                "home" => options.home = Some(value.to_owned()),
                "tools" => options.tools = Some(value.split(',').map(str::to_owned).collect()),
                _ => panic!("unknown option {key}"),
            }
        }
        options
    }
}

struct Entry {
    place: String,
    command: String,
    options: Options,
    kinds: BTreeSet<&'static str>,
    tools: Vec<(&'static str, String)>,
    kept: bool,
}

impl Entry {
    fn expected(&self) -> ShellVerdict {
        let kinds = FindingKind::ALL
            .into_iter()
            .filter(|kind| self.kinds.contains(kind.as_str()));
        kinds
            .map(FindingKind::verdict)
            .max()
            .unwrap_or(ShellVerdict::Allow)
    }

    fn judge(&self) -> Judged {
        let tools: Option<Vec<&str>> = self
            .options
            .tools
            .as_ref()
            .map(|tools| tools.iter().map(String::as_str).collect());
        let analysis = analyse(&ShellInput {
            command: self.command.as_bytes(),
            dialect: self.options.dialect,
            root: &self.options.root,
            cwd: &self.options.cwd,
            home: self.options.home.as_deref(),
            tools: tools.as_deref(),
        });
        let kinds: BTreeSet<&str> = analysis.findings.iter().map(|f| f.kind.as_str()).collect();
        let mut complaints = String::new();
        if kinds != self.kinds {
            let _ = write!(complaints, "expected {:?}, got {:?}", self.kinds, kinds);
        }
        for (kind, tool) in &self.tools {
            if !analysis
                .findings
                .iter()
                .any(|f| f.kind.as_str() == *kind && f.tool == Some(tool))
            {
                let _ = write!(complaints, "no {kind} finding points to {tool}");
            }
        }
        if let Some(odd) = analysis
            .findings
            .iter()
            .find(|f| !self.command.contains(&f.text))
        {
            let _ = write!(complaints, "text {:?} is no part of the line", odd.text);
        }
        Judged {
            verdict: analysis.verdict,
            kinds,
            complaints,
        }
    }
}

struct Judged {
    verdict: ShellVerdict,
    kinds: BTreeSet<&'static str>,
    complaints: String,
}

fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn known_kind(name: &str, place: &str) -> &'static str {
    let kinds = FindingKind::ALL.into_iter().map(FindingKind::as_str);
    kinds
        .into_iter()
        .find(|kind| *kind == name)
        .unwrap_or_else(|| panic!("{place}: kind {name:?}"))
}

/// A line of a command of several lines, if it belongs to one.
fn body_line(line: &str) -> Option<String> {
    if line.is_empty() {
        return Some(String::new());
    }
    let line = line.strip_prefix("    ")?;
    Some(
        line.strip_prefix("\\t")
            .map_or(line.to_owned(), |line| format!("\t{line}")),
    )
}

fn read_file(path: &Path, entries: &mut Vec<Entry>) {
    let text = std::fs::read_to_string(path).expect("a readable corpus file");
    let open = path
        .parent()
        .is_some_and(|folder| folder.ends_with("later"));
    let mut options = Options::default();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let place = format!(
            "{}:{}",
            path.file_name().unwrap_or_default().to_string_lossy(),
            number + 1
        );
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        if let Some(rest) = line.strip_prefix('%') {
            options = Options::parse(rest);
            continue;
        }
        let (kinds, command) = line
            .split_once('|')
            .unwrap_or_else(|| panic!("{place}: no bar"));
        let mut command = command.strip_prefix(' ').unwrap_or(command).to_owned();
        if command.trim().is_empty() {
            let mut body = Vec::new();
            while let Some(line) = lines.peek().and_then(|(_, line)| body_line(line)) {
                body.push(line);
                lines.next();
            }
            while body.last().is_some_and(String::is_empty) {
                body.pop();
            }
            command = body.join("\n");
        }
        let mut entry = Entry {
            place,
            kept: !open && fnv(&command).is_multiple_of(3),
            command,
            options: options.clone(),
            kinds: BTreeSet::new(),
            tools: Vec::new(),
        };
        for kind in kinds.split(',').map(str::trim).filter(|kind| *kind != "-") {
            let (kind, tool) = kind
                .split_once('=')
                .map_or((kind, None), |(k, t)| (k, Some(t)));
            let kind = known_kind(kind, &entry.place);
            entry.kinds.insert(kind);
            entry.tools.extend(tool.map(|tool| (kind, tool.to_owned())));
        }
        entries.push(entry);
    }
}

fn corpus() -> Vec<Entry> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<PathBuf> = [folder.clone(), folder.join("later")]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("the corpus folder"))
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    let mut entries = Vec::new();
    for path in paths {
        read_file(&path, &mut entries);
    }
    entries
}

#[test]
fn every_open_line_is_judged_exactly_as_labelled() {
    let mut report = String::new();
    let (mut n_lines, mut n_failures) = (0, 0);
    for entry in corpus().iter().filter(|entry| !entry.kept) {
        n_lines += 1;
        let judged = entry.judge();
        if !judged.complaints.is_empty() {
            n_failures += 1;
            let _ = writeln!(
                report,
                "{}: {}\n    {:?}",
                entry.place, judged.complaints, entry.command
            );
        }
    }
    assert!(n_lines > 1_000, "the corpus is gone: {n_lines} lines");
    assert!(
        n_failures == 0,
        "{n_failures} of {n_lines} open lines are misjudged\n{report}"
    );
}

#[test]
fn the_third_kept_apart_meets_the_aims() {
    let (mut n_lines, mut exact, mut hits, mut false_alarms, mut misses) = (0, 0, 0, 0, 0);
    let mut missed_dangers = 0;
    for entry in corpus().iter().filter(|entry| entry.kept) {
        n_lines += 1;
        let judged = entry.judge();
        exact += usize::from(judged.complaints.is_empty());
        match (entry.expected(), judged.verdict) {
            (ShellVerdict::Redirect, ShellVerdict::Redirect) => hits += 1,
            (ShellVerdict::Redirect, _) => misses += 1,
            (_, ShellVerdict::Redirect) => false_alarms += 1,
            _ => {}
        }
        let dangers = ["destructive", "remote_code", "opaque"].into_iter();
        missed_dangers += dangers
            .filter(|kind| entry.kinds.contains(kind) && !judged.kinds.contains(kind))
            .count();
    }
    let precision = f64::from(hits) / f64::from((hits + false_alarms).max(1));
    let recall = f64::from(hits) / f64::from((hits + misses).max(1));
    println!(
        "kept apart: {n_lines} lines, {exact} exact; redirect precision {precision:.4}, recall {recall:.4}; \
         {missed_dangers} dangers missed"
    );
    assert!(n_lines > 500, "the corpus is gone: {n_lines} lines");
    assert!(
        precision >= 0.98 && recall >= 0.98,
        "precision {precision:.4}, recall {recall:.4}"
    );
    assert!(missed_dangers == 0, "{missed_dangers} dangers missed");
}
