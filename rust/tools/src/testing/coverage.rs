//! `get_coverage`: line coverage from the newest report that lies in the project.
//!
//! Runs nothing. `report` reads the three formats; here a report is found, its files are named as the
//! project's tools name them, and said what is covered, where that comes from and how old it is.

mod report;

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::files::{cancelled, io_failure};
use super::walk;
use crate::amounts::COVERED_FILES;
use report::{Format, Lines};
use siderail_workspace::Place;
use siderail_workspace::arguments::Arguments;
use siderail_workspace::build_tool::BuildTool;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::confine::written;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};

/// Reports of one run of several modules are written within this time.
const SAME_RUN: Duration = Duration::from_secs(600);
/// A larger file is not a report.
const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// Ranges of lines that are named for one file.
const MOST_RANGES: usize = 200;
const DEPTH: usize = 12;

/// A report in the project.
struct Found {
    file: PathBuf,
    format: Format,
    modified: SystemTime,
}

/// A file of the project and its lines.
struct Covered {
    /// As the project's tools name it.
    path: String,
    lines: Lines,
}

pub(super) fn coverage(
    place: &Place,
    arguments: Arguments<'_>,
    cancel: &CancelFlag,
) -> Result<String, ToolFailure> {
    let wanted = arguments.word("path")?;
    let wanted = wanted.map(|path| place.existing(path)).transpose()?;
    let limit = arguments.amount("limit", COVERED_FILES)?;
    let (reports, strange) = newest(place.root(), cancel)?;
    let Some(first) = reports.first() else {
        return Err(none_found(place.root(), &strange));
    };
    let mut files = Vec::new();
    for found in &reports {
        files.extend(read(place, found)?);
    }
    let shown = wanted.as_ref().map_or(".", |wanted| &wanted.relative);
    files.retain(|file| {
        shown == "." || file.path == shown || file.path.starts_with(&format!("{shown}/"))
    });
    let source = sources(place, &reports);
    if files.is_empty() {
        return Err(ToolFailure::new(
            ToolErrorCode::NotApplicable,
            format!("{shown} is in no report ({source}); run its tests with coverage first"),
        ));
    }
    let n_newer = files
        .iter()
        .filter(|file| is_newer(&place.root().join(&file.path), first.modified))
        .count();
    let mut text = total(&files, shown);
    text.push_str(&format!("from {source}\n"));
    if n_newer > 0 {
        text.push_str(&format!(
            "Note: {n_newer} of these files have changed since; run the tests with coverage again for \
             lines that are true\n"
        ));
    }
    text.push_str(&match files.as_slice() {
        [one] if one.path == shown => uncovered(one),
        _ => listed(files, limit),
    });
    Ok(text)
}

/// The newest report, and those of other modules that were written with it; and files that are named like a report and
/// are not one.
fn newest(root: &Path, cancel: &CancelFlag) -> Result<(Vec<Found>, Vec<String>), ToolFailure> {
    let is_walked =
        |name: &str| !matches!(name, ".git" | "node_modules" | ".gradle" | ".venv" | "venv");
    let (mut reports, mut strange) = (Vec::new(), Vec::new());
    for entry in walk::files(root, DEPTH, is_walked) {
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let Some(metadata) = entry.metadata().ok().filter(fs::Metadata::is_file) else {
            continue;
        };
        if !Format::may_be(&name) {
            continue;
        }
        let path = entry.path();
        let shown = written(path.strip_prefix(root).unwrap_or(&path));
        let format = match Format::of(&path) {
            Ok(_) if metadata.len() > MOST_BYTES => Err(format!("{shown} is too large")),
            Ok(Some(format)) => Ok(format),
            Ok(None) if metadata.len() == 0 => Err(format!("{shown} is empty")),
            Ok(None) => Err(format!("{shown} begins like none")),
            Err(error) => Err(format!("{shown} cannot be read: {error}")),
        };
        let format = match format {
            Ok(format) => format,
            Err(why) => {
                strange.push(why);
                continue;
            }
        };
        if let Ok(modified) = metadata.modified() {
            let file = entry.path();
            reports.push(Found {
                file,
                format,
                modified,
            });
        }
    }
    reports.sort_by(|one, other| (other.modified, &one.file).cmp(&(one.modified, &other.file)));
    if let Some(first) = reports.first() {
        let (format, modified) = (first.format, first.modified);
        let name = first.file.file_name().map(ToOwned::to_owned);
        reports.retain(|found| {
            let age = modified.duration_since(found.modified).unwrap_or_default();
            found.format == format
                && found.file.file_name().map(ToOwned::to_owned) == name
                && age <= SAME_RUN
        });
    }
    Ok((reports, strange))
}

fn read(place: &Place, found: &Found) -> Result<Vec<Covered>, ToolFailure> {
    let mut text = Vec::new();
    place
        .file(&found.file)
        .and_then(|file| file.take(MOST_BYTES).read_to_end(&mut text))
        .map_err(|error| io_failure("read", found.file.display(), &error))?;
    let files = found
        .format
        .read(&String::from_utf8_lossy(&text))
        .ok_or_else(|| {
            ToolFailure::new(
                ToolErrorCode::NotApplicable,
                format!(
                    "{} is damaged or was cut off; run the tests with coverage again",
                    written(found.file.strip_prefix(place.root()).unwrap_or(&found.file))
                ),
            )
        })?;
    let named = files.into_iter().map(|(path, lines)| Covered {
        path: in_project(place, &found.file, &path),
        lines,
    });
    Ok(named.filter(|file| file.lines.n_lines() > 0).collect())
}

/// A report's name of a file as the project's: reports name files from a source folder, from where the
/// tests ran, or from the root of the machine.
fn in_project(place: &Place, report: &Path, path: &str) -> String {
    let path = path.replace('\\', "/");
    let given = Path::new(&path);
    if let Ok(below) = given.strip_prefix(place.root()) {
        return below.display().to_string();
    }
    let sources = [
        "",
        "src/main/java",
        "src/main/kotlin",
        "src/main/scala",
        "src/main/groovy",
        "src",
        "src/jvmMain/kotlin",
        "src/commonMain/kotlin",
    ];
    let folders = report.ancestors().skip(1);
    folders
        .take_while(|folder| folder.starts_with(place.root()))
        .flat_map(|folder| sources.map(|source| folder.join(source).join(given)))
        .find(|file| file.is_file())
        .and_then(|file| {
            let below = file.strip_prefix(place.root()).ok()?;
            // `join` with an empty folder leaves no mark.
            Some(
                below
                    .iter()
                    .map(|name| name.to_string_lossy())
                    .collect::<Vec<_>>()
                    .join("/"),
            )
        })
        .unwrap_or(path)
}

fn is_newer(file: &Path, than: SystemTime) -> bool {
    let modified = fs::metadata(file).and_then(|metadata| metadata.modified());
    modified.is_ok_and(|modified| modified > than)
}

fn total(files: &[Covered], shown: &str) -> String {
    let n_lines: usize = files.iter().map(|file| file.lines.n_lines()).sum();
    let n_covered: usize = files.iter().map(|file| file.lines.n_covered()).sum();
    let of = match shown {
        "." => String::new(),
        shown => format!(" of {shown}"),
    };
    format!(
        "line coverage{of}: {} ({n_covered} of {n_lines} lines in {} files)\n",
        percent(n_covered, n_lines),
        files.len()
    )
}

fn listed(mut files: Vec<Covered>, limit: usize) -> String {
    files.sort_by(|one, other| {
        let share = |file: &Covered| file.lines.n_covered() * 100_000 / file.lines.n_lines();
        (share(one), &one.path).cmp(&(share(other), &other.path))
    });
    let mut text: String = files
        .iter()
        .take(limit)
        .map(|file| {
            format!(
                "  {:>6} {} ({} of {})\n",
                percent(file.lines.n_covered(), file.lines.n_lines()),
                file.path,
                file.lines.n_covered(),
                file.lines.n_lines()
            )
        })
        .collect();
    if files.len() > limit {
        text.push_str(&format!(
            "{} more files, all better covered; with a path: the lines that no test has run\n",
            files.len() - limit
        ));
    }
    text
}

/// The lines of one file that no test has run, as ranges.
fn uncovered(file: &Covered) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for line in file.lines.uncovered() {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    if ranges.is_empty() {
        return "every line was run\n".to_owned();
    }
    let shown: Vec<String> = ranges
        .iter()
        .take(MOST_RANGES)
        .map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        })
        .collect();
    format!("no test has run lines {}\n", shown.join(", "))
}

fn percent(n_covered: usize, n_lines: usize) -> String {
    format!("{:.1} %", n_covered as f64 * 100.0 / n_lines.max(1) as f64)
}

fn sources(place: &Place, reports: &[Found]) -> String {
    let Some(first) = reports.first() else {
        return String::new();
    };
    let file = first.file.strip_prefix(place.root()).unwrap_or(&first.file);
    let more = match reports.len() {
        1 => String::new(),
        n_reports => format!(" and {} more like it", n_reports - 1),
    };
    let age = SystemTime::now()
        .duration_since(first.modified)
        .unwrap_or_default();
    let age = match age.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7_200 => format!("{} min", seconds / 60),
        seconds @ 7_200..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    };
    format!(
        "{}{more} ({}, {age} old)",
        file.display(),
        first.format.name()
    )
}

/// How to make a report here.
fn none_found(root: &Path, strange: &[String]) -> ToolFailure {
    let tools = BuildTool::of(root);
    let command = tools
        .first()
        .map_or("cargo llvm-cov, jest --coverage, …", |tool| {
            tool.coverage_command()
        });
    let strange = match strange {
        [] => String::new(),
        [first, rest @ ..] => {
            let more = match rest.len() {
                0 => String::new(),
                n_more => format!(" ({n_more} more files are named like one)"),
            };
            format!(": {first}{more}")
        }
    };
    ToolFailure::new(
        ToolErrorCode::NotApplicable,
        format!(
            "there is no coverage report in the project (JaCoCo XML, lcov, Cobertura){strange}; `{command}` \
             makes one where its plugin is set up, then call again",
        ),
    )
}
