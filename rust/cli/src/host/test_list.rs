//! `list_tests`: the tests that stand in the project's sources, by the marks of each language's frameworks.
//!
//! Sources are read and nothing is run, so that it answers at once in any state of the project. What a
//! framework makes up at run time (parameters, generated tests) is listed as what makes it.

use std::collections::BTreeMap;
use std::fs;

use regex::Regex;
use serde_json::json;
use siderail_engine::host::{ToolFailure, ToolOutcome};
use siderail_engine::tools::CancelFlag;

use super::arguments::Arguments;
use super::failure::cancelled;
use super::place::Place;
use super::walk;

/// A larger file is generated.
const MOST_BYTES: u64 = 2 * 1024 * 1024;
/// Characters of an answer, and of a test's name.
const ANSWER: usize = 9_500;
const NAME: usize = 200;

/// A test in a file.
struct Test {
    line: usize,
    name: String,
}

/// How tests are marked in one language.
struct Marks {
    /// The line names a test itself.
    named: Option<Regex>,
    /// The next line with a function is a test.
    mark: Option<Regex>,
    function: Regex,
    /// A class that goes in front of the names.
    class: Option<Regex>,
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

pub(super) fn list_tests(
    place: &Place,
    arguments: Arguments<'_>,
    cancel: &CancelFlag,
) -> Result<ToolOutcome, ToolFailure> {
    let start = place.existing(arguments.text("path")?.unwrap_or("."))?;
    let pattern = arguments
        .text("pattern")?
        .unwrap_or_default()
        .to_lowercase();
    let limit = arguments.number("limit", 1, 1_000)?.unwrap_or(200);
    let cursor = arguments.cursor()?;
    let languages = Languages::new();
    let mut found: BTreeMap<String, Vec<Test>> = BTreeMap::new();
    let files: Vec<_> = match start.absolute.is_file() {
        true => vec![start.absolute.clone()],
        false => walk::entries(place.root(), &start.absolute)
            .filter_map(Result::ok)
            .filter(walk::is_file)
            .map(ignore::DirEntry::into_path)
            .collect(),
    };
    for file in files {
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        let path = file.strip_prefix(place.root()).unwrap_or(&file);
        let path = path.to_string_lossy().replace('\\', "/");
        let Some(marks) = languages.of(&path) else {
            continue;
        };
        let is_small = fs::metadata(&file).is_ok_and(|metadata| metadata.len() <= MOST_BYTES);
        let Some(text) = is_small.then(|| fs::read(&file).ok()).flatten() else {
            continue;
        };
        let mut tests = marks.tests(&String::from_utf8_lossy(&text));
        tests.retain(|test| test.name.to_lowercase().contains(&pattern));
        if !tests.is_empty() {
            found.insert(path, tests);
        }
    }
    Ok(ToolOutcome {
        text: told(&found, limit, cursor, &arguments),
        ..ToolOutcome::default()
    })
}

fn told(
    found: &BTreeMap<String, Vec<Test>>,
    limit: usize,
    cursor: usize,
    arguments: &Arguments<'_>,
) -> String {
    let n_tests: usize = found.values().map(Vec::len).sum();
    if n_tests == 0 {
        return "no tests are marked in these sources; this is the complete answer\n".to_owned();
    }
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
            "Next: list_tests {}\n",
            serde_json::Value::Object(call)
        ));
    }
    text
}

impl Marks {
    fn tests(&self, text: &str) -> Vec<Test> {
        let mut tests = Vec::new();
        let (mut class, mut is_marked) = (None, false);
        for (at, line) in text.lines().enumerate() {
            if let Some(found) = self.class.as_ref().and_then(|class| class.captures(line)) {
                class = Some(found[1].to_owned());
            }
            is_marked |= self.mark.as_ref().is_some_and(|mark| mark.is_match(line));
            let name = match &self.named {
                Some(named) => named.captures(line).map(|found| first_group(&found)),
                None if is_marked => self
                    .function
                    .captures(line)
                    .map(|found| first_group(&found)),
                None => None,
            };
            let Some(name) = name else { continue };
            is_marked = false;
            // A method stands further in than its class.
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
}

fn first_group(found: &regex::Captures<'_>) -> String {
    let mut groups = found.iter().skip(1).flatten();
    groups.next().map_or_else(String::new, |group| {
        group.as_str().trim_matches('`').to_owned()
    })
}

impl Languages {
    fn new() -> Self {
        let regex = |pattern: &str| Regex::new(pattern).expect("a constant pattern");
        let marked = |mark: &str, function: &str, class: Option<&str>| Marks {
            named: None,
            mark: Some(regex(mark)),
            function: regex(function),
            class: class.map(regex),
        };
        let named = |named: &str, class: Option<&str>| Marks {
            named: Some(regex(named)),
            mark: None,
            function: regex("^$"),
            class: class.map(regex),
        };
        let class = r"\b(?:class|object|struct|record)\s+(\w+)";
        Self {
            rust: marked(
                r"^\s*#\[(?:\w+::)*(?:test|rstest|test_case|wasm_bindgen_test)\b",
                r"\bfn\s+(\w+)",
                None,
            ),
            jvm: marked(
                r"@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b",
                r"\bfun\s+(?:<[^>]*>\s*)?(`[^`]+`|\w+)\s*\(|^\s*(?:(?:public|protected|private|static|final|\w+(?:<.*>)?)\s+)+(\w+)\s*\(",
                Some(class),
            ),
            dotnet: marked(
                r"\[(?:Fact|Theory|Test|TestCase|TestMethod)\b",
                r"^\s*public\s+(?:async\s+)?[\w<>]+\s+(\w+)\s*\(",
                Some(class),
            ),
            python: named(
                r"^\s*(?:async\s+)?def\s+(test\w*)\s*\(",
                Some(r"^class\s+(\w+)"),
            ),
            go: named(r"^func\s+((?:Test|Benchmark|Fuzz|Example)\w*)\s*\(", None),
            script: named(
                "(?:^|[^\\w.])(?:it|test|Deno\\.test)(?:\\.\\w+)*\\(\\s*(?:'([^']+)'|\"([^\"]+)\"|`([^`]+)`)",
                None,
            ),
        }
    }

    /// The marks for a file; none where such a file holds no tests.
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
