//! The file with the lines that were typed in a project, readable by its user alone. It knows nothing of keys.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use siderail_os::private;

/// Lines that are kept.
const MOST: usize = 1_000;
/// A longer line is not kept, and a file is read no further than this many of them go.
const LINE: usize = 64 << 10;

/// The lines of a project.
pub(super) struct InputHistory {
    file: Option<PathBuf>,
}

impl InputHistory {
    /// A history in a file; without one nothing is kept.
    pub(super) fn new(file: Option<PathBuf>) -> Self {
        Self { file }
    }

    /// True where lines are kept.
    pub(super) fn is_kept(&self) -> bool {
        self.file.is_some()
    }

    /// The lines, the oldest first. A file that has grown is cut to the newest.
    pub(super) fn load(&self) -> io::Result<Vec<String>> {
        let Some(file) = &self.file else {
            return Ok(Vec::new());
        };
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let read = |line: &str| serde_json::from_str::<String>(line).ok();
        let mut lines: Vec<String> = text.lines().filter_map(read).collect();
        if lines.len() > 2 * MOST {
            lines.drain(..lines.len() - MOST);
            let folder = file.parent().unwrap_or(Path::new("."));
            let mut newer = tempfile::NamedTempFile::new_in(folder)?;
            for line in &lines {
                writeln!(newer, "{}", serde_json::json!(line))?;
            }
            newer.persist(file)?;
        }
        Ok(lines)
    }

    /// Adds a line. After a failure nothing more is kept.
    pub(super) fn add(&mut self, line: &str) -> io::Result<()> {
        let Some(file) = self.file.as_deref().filter(|_| line.len() <= LINE) else {
            return Ok(());
        };
        let written = append(file, line);
        if written.is_err() {
            self.file = None;
        }
        written
    }
}

fn append(file: &Path, line: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        private_folder(folder)?;
    }
    let line = format!("{}\n", serde_json::json!(line));
    private_file(file)?.write_all(line.as_bytes())
}

fn private_folder(folder: &Path) -> io::Result<()> {
    private::folder().recursive(true).create(folder)
}

fn private_file(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    private::file(&mut options).open(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_whole_for_their_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/lines");
        let mut history = InputHistory::new(Some(file.clone()));
        assert_eq!(history.load().unwrap(), Vec::<String>::new());
        history.add("one\n  two").unwrap();
        history.add("日本").unwrap();
        assert_eq!(history.load().unwrap(), ["one\n  two", "日本"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut history = InputHistory::new(Some(folder.path().to_owned()));
        assert!(history.add("one").is_err());
        assert!(history.add("two").is_ok(), "it is known by now");
    }
}
