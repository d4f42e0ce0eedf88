//! JUnit XML as Gradle and Maven write it: one file per class, one `testcase` per test.

use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::pattern::regex;
use super::results::{Counts, Failure, Results};

/// The counts and failures of one report; none if it is no such report.
///
/// # Errors
/// Why it cannot be read, as a fragment: a run that crashes leaves half a report.
pub(super) fn results(xml: &str, root: &Path, file: &Path) -> Result<Option<Results>, String> {
    let mut reader = Reader::from_str(xml);
    let mut report = Report::default();
    let mut depth = 0_usize;
    loop {
        match reader.read_event() {
            Err(error) => return Err(error.to_string()),
            Ok(Event::Eof) if depth == 0 => break,
            Ok(Event::Eof) => return Err("it ends in the middle".to_owned()),
            Ok(Event::Start(tag)) => {
                depth += 1;
                report.open(&tag);
            }
            Ok(Event::Empty(tag)) => {
                report.open(&tag);
                report.close(tag.name().as_ref());
            }
            Ok(Event::End(tag)) => {
                depth = depth.saturating_sub(1);
                report.close(tag.name().as_ref());
            }
            Ok(Event::Text(text)) => report.text(&text.xml10_content()),
            Ok(Event::GeneralRef(name)) => match name.resolve_char_ref() {
                Ok(Some(letter)) => report.text(letter.encode_utf8(&mut [0; 4])),
                _ => report.text(entity(name.as_ref())),
            },
            Ok(Event::CData(text)) => report.text(&text.xml10_content()),
            Ok(_) => {}
        }
    }
    let module = module_folder(file).unwrap_or(root);
    for failure in &mut report.results.failures {
        failure.location = location(failure, root, module);
        failure.text = own_lines(failure);
    }
    Ok(report.has_suite.then_some(report.results))
}

#[derive(Default)]
struct Report {
    has_suite: bool,
    results: Results,
    case: Option<Case>,
    /// Whether text belongs to a failure.
    in_failure: bool,
}

/// The open `testcase`.
#[derive(Default)]
struct Case {
    name: String,
    failure: Option<String>,
    is_skipped: bool,
}

impl Report {
    fn open(&mut self, tag: &BytesStart<'_>) {
        match tag.name().as_ref() {
            "testsuite" | "testsuites" => {
                self.has_suite = true;
                self.results.counts.get_or_insert_default();
            }
            "testcase" => {
                let (class, name) = (attribute(tag, "classname"), attribute(tag, "name"));
                let joined = [class, name].into_iter().flatten().collect::<Vec<_>>();
                self.case = Some(Case {
                    name: joined.join("."),
                    ..Case::default()
                });
            }
            "failure" | "error" => {
                if let Some(case) = &mut self.case {
                    let message = attribute(tag, "message").unwrap_or_default();
                    let text = case.failure.get_or_insert_default();
                    if !message.is_empty() {
                        text.push_str(&message);
                        text.push('\n');
                    }
                    self.in_failure = true;
                }
            }
            "skipped" => {
                if let Some(case) = &mut self.case {
                    case.is_skipped = true;
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_failure
            && let Some(failure) = self.case.as_mut().and_then(|case| case.failure.as_mut())
        {
            failure.push_str(text);
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "failure" | "error" => self.in_failure = false,
            "testcase" => {
                let Some(case) = self.case.take() else { return };
                let counts = self.results.counts.get_or_insert_default();
                match case.failure {
                    Some(text) => {
                        counts.failed += 1;
                        self.results.failures.push(Failure {
                            name: case.name,
                            location: None,
                            text: without_repetition(&text),
                        });
                    }
                    None => counts.add(Counts {
                        passed: usize::from(!case.is_skipped),
                        skipped: usize::from(case.is_skipped),
                        failed: 0,
                    }),
                }
            }
            _ => {}
        }
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok()??;
    let value = attribute.normalized_value(quick_xml::XmlVersion::Explicit1_0);
    Some(value.ok()?.into_owned())
}

fn entity(name: &str) -> &'static str {
    match name {
        "lt" => "<",
        "gt" => ">",
        "amp" => "&",
        "quot" => "\"",
        "apos" => "'",
        _ => "",
    }
}

/// The trace begins with the message that is also in the attribute.
fn without_repetition(text: &str) -> String {
    match text.split_once('\n') {
        Some((message, trace)) if trace.contains(message) => trace.to_owned(),
        _ => text.to_owned(),
    }
}

/// The module that wrote a report: the folder above `build` or `target`.
fn module_folder(report: &Path) -> Option<&Path> {
    let folder = report
        .ancestors()
        .find(|folder| folder.ends_with("build/test-results") || folder.ends_with("target"))?;
    let folder = if folder.ends_with("target") {
        folder
    } else {
        folder.parent()?
    };
    folder.parent()
}

/// The deepest line of the trace in the test's own class.
fn location(failure: &Failure, root: &Path, module: &Path) -> Option<String> {
    let frame = regex(r"at (?:[\w.$]+/)?([\w.$]+)\.[^\s(]+\(([\w$-]+\.\w+):(\d+)\)");
    let own = frame
        .captures_iter(&failure.text)
        .find(|frame| is_of_class(failure, &frame[1]))?;
    let (class, file, line) = (&own[1], &own[2], &own[3]);
    let package = class.rsplit_once('.').map_or("", |(package, _)| package);
    let below = format!("{}/{file}", package.replace('.', "/"));
    let path = ["java", "kotlin", "groovy", "scala"]
        .iter()
        .map(|language| module.join("src/test").join(language))
        .map(|sources| sources.join(below.trim_start_matches('/')))
        .find(|path| path.is_file());
    let shown = path
        .as_deref()
        .and_then(|path| path.strip_prefix(root).ok())
        .map_or(file.to_owned(), |path| path.display().to_string());
    Some(format!("{shown}:{line}"))
}

/// Whether a class is the failed test's, or one in the same outer class.
fn is_of_class(failure: &Failure, class: &str) -> bool {
    let outer = class.split('$').next().unwrap_or_default();
    failure
        .name
        .strip_prefix(outer)
        .is_some_and(|rest| rest.starts_with(['.', '$']))
}

/// The failure without the frames of libraries.
fn own_lines(failure: &Failure) -> String {
    let own = failure.text.lines().filter(|line| {
        let line = line.trim_start();
        let frame = line.strip_prefix("at ").map(|frame| {
            let call = frame.split('(').next().unwrap_or_default();
            call.rsplit('/').next().unwrap_or_default()
        });
        match frame.and_then(|call| call.rsplit_once('.')) {
            Some((class, _)) => is_of_class(failure, class),
            None => !line.starts_with("... "),
        }
    });
    own.flat_map(|line| [line, "\n"]).collect()
}
