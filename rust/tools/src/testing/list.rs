//! `list_tests`: the tests in the project's sources, by the marks of each language's frameworks.
//!
//! Sources are read and nothing is run, so that it answers at once in any state of the project. What a
//! framework makes up at run time (parameters, generated tests) is listed as what makes it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use regex_lite::Regex;
use serde_json::{Value, json};

use super::files::{cancelled, on_files};
use super::pattern::{made_regex, regex};
use super::walk;
use crate::amounts::TESTS;
use crate::git::Git;
use siderail_guard::Tool::{ListTests, RunTests};
use siderail_workspace::Place;
use siderail_workspace::arguments::Arguments;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::confine::written;
use siderail_workspace::outcome::ToolFailure;

/// A larger file is generated.
const MOST_BYTES: u64 = 2 * 1024 * 1024;
/// Characters of an answer, and of a test's name.
const ANSWER: usize = 9_500;
const NAME: usize = 200;

/// Other names that a file gives to what makes a test, and letters of one: more, or longer, are made to be looked for.
const MOST_RENAMED: usize = 20;
const RENAMED: usize = 64;

/// Folders below the project that are looked into.
const DEPTH: usize = 40;

/// `import t from 'node:test'`, `import { test as t } from 'vitest'`, `const t = require('node:test')`.
const RENAMING: &str = concat!(
    r#"^\s*(?:import|const|let|var)\b(?:\s+(\w+)\b|.*?\b(?:test|it)\s*(?:\sas\s|:)\s*(\w+))"#,
    r#".*(?:from|require\()\s*['"](?:node:test|bun:test|vitest|ava|tape|tap|uvu|@[\w/-]*(?:test|globals))['"]"#
);

/// A test in a file.
struct Test {
    line: usize,
    name: String,
}

/// How tests are marked in one language.
struct Marks {
    /// What every line with a mark has: most lines are ruled out by this, at a small part of the cost.
    hint: &'static str,
    /// The line names a test itself.
    named: Option<Regex>,
    /// The next line with a function is a test.
    mark: Option<Regex>,
    function: Regex,
    /// A class that goes in front of the names.
    class: Option<Regex>,
    /// The file gives the function that makes a test a name of its own.
    renaming: Option<Regex>,
}

/// The marks of all languages, made once a call.
struct Languages {
    rust: Marks,
    jvm: Marks,
    dotnet: Marks,
    python: Marks,
    go: Marks,
    script: Marks,
}

pub(super) async fn list_tests(
    project: &Path,
    arguments: &Value,
    git: &Git,
    cancel: &CancelFlag,
) -> Result<String, ToolFailure> {
    let (start, is_folder) = on_files(project, arguments, |place, arguments| {
        let given = arguments.word("path")?.unwrap_or(".");
        let start = place.existing(given)?.absolute;
        let is_folder = start.is_dir();
        Ok((start, is_folder))
    })
    .await?;
    let known = match is_folder {
        true => git.files(&start, cancel).await,
        false => None,
    };
    let cancel = cancel.clone();
    on_files(project, arguments, move |place, arguments| {
        list(place, &sources(&start, known), arguments, &cancel)
    })
    .await
}

/// The files that may hold tests: those that git knows or would take, and without git all but those of builds.
fn sources(start: &Path, known: Option<Vec<PathBuf>>) -> Vec<PathBuf> {
    if start.is_file() {
        return vec![start.to_owned()];
    }
    // A folder that git ignores was named on purpose, or is a project below one that is not.
    let Some(known) = known.filter(|known| !known.is_empty()) else {
        return below(start);
    };
    let mut files = Vec::new();
    for name in known {
        let path = start.join(name);
        match path.is_dir() {
            // A repository inside of this one.
            true => files.extend(below(&path)),
            false => files.push(path),
        }
    }
    files
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let is_walked = |name: &str| {
        !matches!(
            name,
            ".git"
                | ".hg"
                | ".svn"
                | ".gradle"
                | ".venv"
                | "venv"
                | "node_modules"
                | "__pycache__"
                | "target"
                | "build"
                | "dist"
                | "out"
        )
    };
    walk::files(folder, DEPTH, is_walked)
        .map(|entry| entry.path())
        .collect()
}

fn list(
    place: &Place,
    files: &[PathBuf],
    arguments: Arguments<'_>,
    cancel: &CancelFlag,
) -> Result<String, ToolFailure> {
    let pattern = arguments
        .text("pattern")?
        .unwrap_or_default()
        .to_lowercase();
    let limit = arguments.amount("limit", TESTS)?;
    let cursor = arguments.cursor()?;
    let languages = Languages::new();
    let mut found: BTreeMap<String, Vec<Test>> = BTreeMap::new();
    let mut n_marked = 0;
    for file in files {
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        let path = file.strip_prefix(place.root()).unwrap_or(file);
        let Some(marks) = languages.of(&path.to_string_lossy().replace('\\', "/")) else {
            continue;
        };
        // A link could lead out of the project.
        let is_small = fs::symlink_metadata(file)
            .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MOST_BYTES);
        let text = || {
            let mut text = Vec::new();
            let file = place.file(file).ok()?;
            file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
            Some(text)
        };
        let Some(text) = is_small.then(text).flatten() else {
            continue;
        };
        let mut tests = marks.tests(&String::from_utf8_lossy(&text));
        n_marked += tests.len();
        tests.retain(|test| test.name.to_lowercase().contains(&pattern));
        if !tests.is_empty() {
            found.insert(written(path), tests);
        }
    }
    match found.is_empty() {
        true => Ok(none_found(n_marked, &pattern)),
        false => Ok(told(&found, limit, cursor, arguments)),
    }
}

fn none_found(n_marked: usize, pattern: &str) -> String {
    match n_marked {
        0 => format!(
            "no tests are marked in these sources; what makes its tests in a way of its own is not seen: \
             {RunTests} finds them\n"
        ),
        n_tests => format!(
            "none of the {n_tests} tests here has `{pattern}` in its name; without pattern {ListTests} names \
             them\n"
        ),
    }
}

fn told(
    found: &BTreeMap<String, Vec<Test>>,
    limit: usize,
    cursor: usize,
    arguments: Arguments<'_>,
) -> String {
    let n_tests: usize = found.values().map(Vec::len).sum();
    let mut text = format!("{n_tests} tests in {} files\n", found.len());
    let mut last_path = "";
    let mut at = cursor;
    let all = found
        .iter()
        .flat_map(|(path, tests)| tests.iter().map(move |test| (path, test)));
    for (path, test) in all.skip(cursor).take(limit) {
        let mut lines = String::new();
        if path != last_path {
            lines.push_str(&format!("{path}\n"));
        }
        lines.push_str(&format!("  {}: {}\n", test.line, test.name));
        if text.len() + lines.len() > ANSWER && at > cursor {
            break;
        }
        text.push_str(&lines);
        last_path = path;
        at += 1;
    }
    if at < n_tests {
        let mut call = arguments.whole().as_object().cloned().unwrap_or_default();
        call.insert("cursor".to_owned(), json!(at.to_string()));
        text.push_str(&format!(
            "Next: {ListTests} {}\n",
            serde_json::Value::Object(call)
        ));
    }
    text
}

impl Marks {
    fn tests(&self, text: &str) -> Vec<Test> {
        let mut tests = Vec::new();
        let (mut class, mut is_marked) = (None, false);
        let renamed = self.renamed(text);
        for (at, line) in text.lines().enumerate() {
            let class_line = self.class.as_ref().filter(|_| has_class(line));
            if let Some(found) = class_line.and_then(|class| class.captures(line)) {
                class = Some(found[1].to_owned());
            }
            let is_hinted = line.contains(self.hint);
            is_marked |= is_hinted && self.mark.as_ref().is_some_and(|mark| mark.is_match(line));
            let name = match &self.named {
                Some(named) if is_hinted => [Some(named), renamed.as_ref()]
                    .into_iter()
                    .flatten()
                    .find_map(|named| named.captures(line))
                    .map(|found| first_group(&found)),
                None if is_marked => self
                    .function
                    .captures(line)
                    .map(|found| first_group(&found)),
                _ => None,
            };
            let Some(name) = name else { continue };
            is_marked = false;
            // A method is indented further than its class.
            let is_member = line.starts_with([' ', '\t']);
            let name = match &class {
                Some(class) if is_member => format!("{class}.{name}"),
                _ => name,
            };
            tests.push(Test {
                line: at + 1,
                name: name.chars().take(NAME).collect(),
            });
        }
        tests
    }

    /// The calls that make a test under the names that a file has given to that.
    fn renamed(&self, text: &str) -> Option<Regex> {
        let renaming = self.renaming.as_ref()?;
        let lines = text.lines().filter_map(|line| renaming.captures(line));
        let mut names: Vec<String> = Vec::new();
        for name in lines.map(|found| regex_lite::escape(&first_group(&found))) {
            if names.len() < MOST_RENAMED
                && name.chars().count() <= RENAMED
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        let call = (!names.is_empty()).then(|| script_call(&names.join("|")))?;
        made_regex(&call).ok()
    }
}

/// A call of one of these functions with a test's name.
fn script_call(functions: &str) -> String {
    format!("(?:^|[^\\w.])(?:{functions})(?:\\.\\w+)*\\(\\s*(?:'([^']+)'|\"([^\"]+)\"|`([^`]+)`)")
}

fn has_class(line: &str) -> bool {
    ["class", "object", "struct", "record"]
        .iter()
        .any(|word| line.contains(word))
}

fn first_group(found: &regex_lite::Captures<'_>) -> String {
    let mut groups = found.iter().skip(1).flatten();
    groups.next().map_or_else(String::new, |group| {
        group.as_str().trim_matches('`').to_owned()
    })
}

impl Languages {
    fn new() -> Self {
        let marked = |hint, mark: &str, function: &str, class: Option<&str>| Marks {
            hint,
            named: None,
            mark: Some(regex(mark)),
            function: regex(function),
            class: class.map(regex),
            renaming: None,
        };
        let named = |hint, named: &str, class: Option<&str>| Marks {
            hint,
            named: Some(regex(named)),
            mark: None,
            function: regex("^$"),
            class: class.map(regex),
            renaming: None,
        };
        let class = r"\b(?:class|object|struct|record)\s+(\w+)";
        Self {
            rust: marked(
                "#[",
                r"^\s*#\[(?:\w+::)*(?:test|rstest|test_case|wasm_bindgen_test)\b",
                r"\bfn\s+(\w+)",
                None,
            ),
            jvm: marked(
                "@",
                r"@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b",
                r"\bfun\s+(?:<[^>]*>\s*)?(`[^`]+`|\w+)\s*\(|^\s*(?:(?:public|protected|private|static|final|\w+(?:<.*>)?)\s+)+(\w+)\s*\(",
                Some(class),
            ),
            dotnet: marked(
                "[",
                r"\[(?:Fact|Theory|Test|TestCase|TestMethod)\b",
                r"^\s*public\s+(?:async\s+)?[\w<>]+\s+(\w+)\s*\(",
                Some(class),
            ),
            python: named(
                "test",
                r"^\s*(?:async\s+)?def\s+(test\w*)\s*\(",
                Some(r"^class\s+(\w+)"),
            ),
            go: named(
                "func",
                r"^func\s+((?:Test|Benchmark|Fuzz|Example)\w*)\s*\(",
                None,
            ),
            script: Marks {
                renaming: Some(regex(RENAMING)),
                ..named("(", &script_call(r"it|test|Deno\.test"), None)
            },
        }
    }

    /// The marks for a file; none if such a file holds no tests.
    fn of(&self, path: &str) -> Option<&Marks> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (stem, extension) = name.rsplit_once('.')?;
        match extension {
            "rs" => Some(&self.rust),
            "java" | "kt" | "groovy" | "scala" => Some(&self.jvm),
            "cs" | "fs" => Some(&self.dotnet),
            "py" => (stem.starts_with("test_") || stem.ends_with("_test")).then_some(&self.python),
            "go" => stem.ends_with("_test").then_some(&self.go),
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => {
                let is_test = [".test", ".spec", "_test", "-test"]
                    .iter()
                    .any(|end| stem.ends_with(end))
                    || path
                        .split('/')
                        .any(|folder| matches!(folder, "__tests__" | "test" | "tests"));
                is_test.then_some(&self.script)
            }
            _ => None,
        }
    }
}
