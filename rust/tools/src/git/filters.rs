//! Whether a repository's own configuration names filters: programs that git runs to compare or to stage files.
//!
//! All else that a repository names is switched off by options (`program`). A filter cannot be: without it git would
//! take files for changed that nobody has touched, and would stage another text. So a person is asked first. Filters of
//! the person's own configuration (git-lfs puts itself there) count as theirs.
//!
//! No program is started for this: the files are read as they are, and what is not understood counts as a filter.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use siderail_guard::Tool;
use siderail_workspace::confine::{Folder, Kind, regular_file};

/// Bytes of a file of git's.
const MOST_BYTES: u64 = 1 << 20;
/// Files of configuration that are looked at, and folders below `modules`.
const MOST_FILES: usize = 400;
const MOST_DEPTH: usize = 6;

/// Tools that need no person, and for which git compares or stages files.
const COMPARING: [Tool; 5] = [
    Tool::GitStatus,
    Tool::GitDiff,
    Tool::GitStage,
    Tool::GitUnstage,
    Tool::GitBlame,
];

/// Whether a call of a tool could run a filter that the repository names of which one of these paths is, or the
/// project's folder where there are none. Paths are absolute.
pub fn may_run(tool: Tool, root: &Path, paths: &[PathBuf]) -> bool {
    if !COMPARING.contains(&tool) {
        return false;
    }
    let mut search = Search::default();
    let mut folders: Vec<&Path> = vec![root];
    folders.extend(paths.iter().map(PathBuf::as_path));
    folders
        .into_iter()
        .filter_map(|folder| folder.ancestors().find(|at| at.join(".git").exists()))
        .any(|top| search.repository(top))
}

#[derive(Default)]
struct Search {
    seen: Vec<PathBuf>,
}

impl Search {
    /// Whether the repository of this work tree names a filter, or one of its submodules.
    fn repository(&mut self, top: &Path) -> bool {
        let dot_git = top.join(".git");
        let git_dir = match text(&dot_git) {
            None => dot_git,
            Some(named) => match named.trim().strip_prefix("gitdir: ") {
                Some(named) => top.join(named),
                None => return false,
            },
        };
        let common = match text(&git_dir.join("commondir")) {
            Some(named) => git_dir.join(named.trim()),
            None => git_dir.clone(),
        };
        self.config(&common.join("config"))
            || self.config(&git_dir.join("config.worktree"))
            || self.modules(&common.join("modules"), MOST_DEPTH)
            || self.submodules(top)
    }

    fn modules(&mut self, folder: &Path, depth: usize) -> bool {
        let entries = Folder::open(folder).and_then(|folder| folder.entries());
        entries.into_iter().flatten().any(|(name, kind)| {
            let path = folder.join(&name);
            match kind {
                Kind::Folder => depth > 0 && name != "objects" && self.modules(&path, depth - 1),
                _ => (name == "config" || name == "config.worktree") && self.config(&path),
            }
        })
    }

    /// Submodules that have their repository in their own folder.
    fn submodules(&mut self, top: &Path) -> bool {
        let named = text(&top.join(".gitmodules")).unwrap_or_default();
        named.lines().any(|line| match value_of(line, "path") {
            Some(path) => self.config(&top.join(path.trim_matches('"')).join(".git/config")),
            None => false,
        })
    }

    fn config(&mut self, file: &Path) -> bool {
        if self.seen.iter().any(|seen| seen == file) {
            return false;
        }
        if self.seen.len() >= MOST_FILES {
            return true;
        }
        self.seen.push(file.to_owned());
        let Some(text) = text(file) else {
            // git cannot read it either, but where it is not a file at all or too large.
            return file.exists() && !file.is_dir();
        };
        let folded = text.to_lowercase();
        if folded.contains("[filter") {
            return true;
        }
        folded.contains("[include") && text.lines().any(|line| self.included(file, line))
    }

    fn included(&mut self, file: &Path, line: &str) -> bool {
        // It may follow its section on the same line.
        let Some(path) = value_of(line.rsplit(']').next().unwrap_or(line), "path") else {
            return false;
        };
        let is_plain = !path.contains(['\\', '~', '%', ';', '#']);
        let path = path.trim_matches('"');
        !is_plain || self.config(&file.parent().unwrap_or(Path::new("/")).join(path))
    }
}

/// The value of a line `name = value`.
fn value_of<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (found, value) = line.split_once('=')?;
    found
        .trim()
        .eq_ignore_ascii_case(name)
        .then(|| value.trim())
}

fn text(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let file = regular_file(file).ok()?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MOST_BYTES).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn asks(config: &str, further: &[(&str, &str)]) -> bool {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path();
        fs::create_dir_all(root.join(".git/modules/a/sub")).expect("made");
        fs::create_dir_all(root.join("sub/.git")).expect("made");
        fs::write(root.join(".git/config"), config).expect("written");
        for (path, text) in further {
            fs::write(root.join(path), text).expect("written");
        }
        may_run(Tool::GitStatus, root, &[])
    }

    #[test]
    fn filters_are_found_wherever_the_configuration_is() {
        let plain = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n";
        let filter = "[Filter \"x\"]\n\tclean = touch y\n";
        assert!(!asks(plain, &[]));
        assert!(asks(filter, &[]));
        assert!(asks(&format!("{plain}{filter}"), &[]));
        assert!(asks("[filter.x] clean = y\n", &[]));
        let include = "[include]\n\tpath = more\n";
        assert!(!asks(include, &[]));
        assert!(!asks(include, &[(".git/more", plain)]));
        assert!(asks(include, &[(".git/more", filter)]));
        assert!(asks("[include] path = \"../more\"\n", &[("more", filter)]));
        assert!(asks("[includeIf \"onbranch:x\"]\npath = ~/x\n", &[]));
        assert!(asks(plain, &[(".git/config.worktree", filter)]));
        assert!(asks(plain, &[(".git/modules/a/sub/config", filter)]));
        assert!(!asks(plain, &[("sub/.git/config", filter)]));
        let modules = "[submodule \"sub\"]\n\tpath = sub\n";
        assert!(asks(
            plain,
            &[("sub/.git/config", filter), (".gitmodules", modules)]
        ));
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(!may_run(Tool::GitStatus, folder.path(), &[]));
    }

    #[test]
    fn what_compares_no_files_runs_no_filter() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join(".git")).expect("made");
        fs::write(folder.path().join(".git/config"), "[filter \"x\"]\n").expect("written");
        for tool in [
            Tool::GitLog,
            Tool::GitShow,
            Tool::GitBranch,
            Tool::SearchText,
        ] {
            assert!(!may_run(tool, folder.path(), &[]), "{tool}");
        }
        let below = folder.path().join("src");
        assert!(may_run(Tool::GitStage, &below, &[]));
    }
}
