//! The files of the checkout, read once. Build output and folders of tools are left out by name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Folders whose content nobody here wrote.
const SKIPPED: &[&str] = &["target", "dist", "build", "node_modules", "__pycache__"];
/// Names with a leading dot that belong to the project.
const DOTTED: &[&str] = &[".cargo", ".ci", ".editorconfig", ".gitignore"];

/// All text files, and the paths of everything.
pub(super) struct Tree {
    pub(super) files: Vec<File>,
    paths: BTreeSet<String>,
}

/// A text file.
pub(super) struct File {
    /// Relative to the workspace, with `/`.
    pub(super) path: String,
    pub(super) text: String,
}

impl Tree {
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let mut tree = Self {
            files: Vec::new(),
            paths: BTreeSet::new(),
        };
        tree.visit(root, "")?;
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    /// The text of one file.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.files
            .iter()
            .find(|file| file.path == path)
            .map(|file| file.text.as_str())
    }

    /// Is there such a file or folder?
    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.contains(path.trim_end_matches('/'))
    }

    /// Is there a path that ends like this, in whole names?
    pub(super) fn has_end(&self, end: &str) -> bool {
        let mut paths = self.paths.iter();
        paths.any(|path| {
            let before = path.strip_suffix(end);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    }

    fn visit(&mut self, folder: &Path, prefix: &str) -> Result<(), String> {
        let failed = |path: &Path, e| format!("{}: {e}", path.display());
        for entry in fs::read_dir(folder).map_err(|e| failed(folder, e))? {
            let entry = entry.map_err(|e| failed(folder, e))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') && !DOTTED.contains(&name.as_str()) {
                continue;
            }
            let path = format!("{prefix}{name}");
            let kind = entry.file_type().map_err(|e| failed(&entry.path(), e))?;
            if kind.is_dir() {
                if !SKIPPED.contains(&name.as_str()) {
                    self.visit(&entry.path(), &format!("{path}/"))?;
                    self.paths.insert(path);
                }
            } else if kind.is_file() {
                let bytes = fs::read(entry.path()).map_err(|e| failed(&entry.path(), e))?;
                if let Ok(text) = String::from_utf8(bytes) {
                    self.files.push(File {
                        path: path.clone(),
                        text,
                    });
                }
                self.paths.insert(path);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
impl Tree {
    /// A tree of empty files, for the rules' own cases.
    pub(super) fn with(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| File {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        };
        Self {
            files: files.iter().map(file).collect(),
            paths: files.iter().map(|(path, _)| (*path).to_owned()).collect(),
        }
    }

    pub(super) fn of(paths: &[&str]) -> Self {
        let files = paths.iter().map(|&path| File {
            path: path.to_owned(),
            text: String::new(),
        });
        let paths = paths.iter().map(|&path| path.to_owned()).collect();
        Self {
            files: files.collect(),
            paths,
        }
    }
}
