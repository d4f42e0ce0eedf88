//! Three formats of coverage reports: JaCoCo's XML, lcov's text, Cobertura's XML.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use siderail_workspace::confine::regular_file;

/// Bytes from which a format is recognised.
const HEAD: u64 = 4_096;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Jacoco,
    Lcov,
    Cobertura,
}

/// The lines of a file that tests could run, and whether they did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines(BTreeMap<u32, bool>);

impl Lines {
    fn add(&mut self, line: u32, is_covered: bool) {
        *self.0.entry(line).or_default() |= is_covered;
    }

    pub(super) fn n_lines(&self) -> usize {
        self.0.len()
    }

    pub(super) fn n_covered(&self) -> usize {
        self.0.values().filter(|is_covered| **is_covered).count()
    }

    pub(super) fn uncovered(&self) -> impl Iterator<Item = u32> {
        let lines = self.0.iter();
        lines
            .filter(|(_, is_covered)| !**is_covered)
            .map(|(line, _)| *line)
    }
}

impl Format {
    /// Whether a file of that name, in small letters, is worth a look.
    pub(super) fn may_be(name: &str) -> bool {
        let is_xml = name.ends_with(".xml")
            && ["jacoco", "cobertura", "coverage"]
                .iter()
                .any(|word| name.contains(word));
        is_xml || name == "lcov.info" || name.ends_with(".lcov")
    }

    /// The format of a file by its beginning; none if it is not a report.
    pub(super) fn of(file: &Path) -> io::Result<Option<Self>> {
        let mut head = Vec::new();
        regular_file(file)?.take(HEAD).read_to_end(&mut head)?;
        let head = String::from_utf8_lossy(&head);
        Ok(
            if head.contains("JACOCO") || head.contains("<report name=") {
                Some(Self::Jacoco)
            } else if head.contains("<coverage") && head.contains("line-rate") {
                Some(Self::Cobertura)
            } else if head.lines().any(|line| line.starts_with("SF:")) {
                Some(Self::Lcov)
            } else {
                None
            },
        )
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Jacoco => "JaCoCo",
            Self::Lcov => "lcov",
            Self::Cobertura => "Cobertura",
        }
    }

    /// The files of a report, as it names them; none if it is damaged.
    pub(super) fn read(self, text: &str) -> Option<BTreeMap<String, Lines>> {
        match self {
            Self::Lcov => lcov(text),
            Self::Jacoco | Self::Cobertura => xml(self, text),
        }
    }
}

fn lcov(text: &str) -> Option<BTreeMap<String, Lines>> {
    let mut files: BTreeMap<String, Lines> = BTreeMap::new();
    let mut open = None;
    for line in text.lines() {
        if let Some(file) = line.strip_prefix("SF:") {
            open = Some(file.trim().to_owned());
        } else if line == "end_of_record" {
            open = None;
        } else if let (Some(file), Some(data)) = (&open, line.strip_prefix("DA:")) {
            let mut parts = data.split(',').map(str::trim);
            let number = parts.next().and_then(|number| number.parse().ok());
            let hits = parts.next().and_then(|hits| hits.parse::<i64>().ok());
            if let (Some(number), Some(hits)) = (number, hits) {
                files.entry(file.clone()).or_default().add(number, hits > 0);
            }
        }
    }
    // Without the end of its last record the file was cut off.
    open.is_none().then_some(files)
}

fn xml(format: Format, text: &str) -> Option<BTreeMap<String, Lines>> {
    let mut reader = Reader::from_str(text);
    let mut files: BTreeMap<String, Lines> = BTreeMap::new();
    let (mut package, mut open) = (String::new(), None);
    let mut depth = 0_usize;
    loop {
        let tag = match reader.read_event() {
            Err(_) => return None,
            // A file that was cut off ends inside.
            Ok(Event::Eof) => return (depth == 0).then_some(files),
            Ok(Event::Start(tag)) => {
                depth += 1;
                tag
            }
            Ok(Event::Empty(tag)) => tag,
            Ok(Event::End(_)) => {
                depth = depth.saturating_sub(1);
                continue;
            }
            Ok(_) => continue,
        };
        match (format, tag.name().as_ref()) {
            (Format::Jacoco, "package") => package = attribute(&tag, "name").unwrap_or_default(),
            (Format::Jacoco, "sourcefile") => {
                let name = attribute(&tag, "name").unwrap_or_default();
                open = Some(match package.is_empty() {
                    true => name,
                    false => format!("{package}/{name}"),
                });
            }
            (Format::Cobertura, "class") => open = attribute(&tag, "filename"),
            (_, "line") => {
                let number = |name: &str| attribute(&tag, name)?.parse::<u64>().ok();
                let (at, hits) = match format {
                    Format::Jacoco => (number("nr"), number("ci")),
                    _ => (number("number"), number("hits")),
                };
                if let (Some(file), Some(at), Some(hits)) = (&open, at, hits) {
                    let lines = files.entry(file.clone()).or_default();
                    lines.add(u32::try_from(at).unwrap_or(u32::MAX), hits > 0);
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
