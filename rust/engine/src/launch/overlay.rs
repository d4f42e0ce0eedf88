//! A folder that stands in for one of the user's: links to everything in it, and our file beside them.
//!
//! For agents that read hooks from their home only. Nothing of the user's is changed: what the agent writes
//! goes through the links, and what is born in the overlay is moved home when the session ends.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Filler, not_written, users_text, write_private};
use crate::error::EngineError;
use crate::profile::OverlaySpec;

/// A built overlay.
#[derive(Debug)]
pub(crate) struct Overlay {
    /// The folder that the agent is given.
    folder: PathBuf,
    /// The user's own folder.
    home: PathBuf,
    /// The file that is ours.
    ours: String,
}

impl Overlay {
    /// Builds it in the session's folder and points the agent's variable at it.
    pub(super) fn build(
        spec: &OverlaySpec,
        filler: &Filler,
        session_folder: &Path,
        env: &mut BTreeMap<String, String>,
    ) -> Result<Self, EngineError> {
        let home = env
            .get(&spec.env)
            .cloned()
            .unwrap_or_else(|| filler.text(&spec.home));
        let overlay = Self {
            folder: session_folder.join("overlay"),
            home: PathBuf::from(home),
            ours: spec.file.clone(),
        };
        let text = overlay.extended(&filler.text(&spec.text))?;
        overlay
            .fill(spec, &text)
            .map_err(|e| not_written(&spec.file, session_folder, &e))?;
        env.insert(spec.env.clone(), overlay.folder.display().to_string());
        Ok(overlay)
    }

    fn fill(&self, spec: &OverlaySpec, text: &str) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        // State folders are born here if they are not at home already.
        for name in &spec.state {
            fs::create_dir_all(self.home.join(name))?;
        }
        for entry in fs::read_dir(&self.home)? {
            let entry = entry?;
            if entry.file_name() != self.ours.as_str() {
                link(&entry.path(), &self.folder.join(entry.file_name()))?;
            }
        }
        write_private(&self.folder.join(&self.ours), text)
    }

    /// The user's own text with ours behind it. Where the two do not go together, an agent would read
    /// neither.
    fn extended(&self, ours: &str) -> Result<String, EngineError> {
        let file = self.home.join(&self.ours);
        let what = format!("the file {}", file.display());
        let text = format!("{}\n{ours}", users_text(&what, &file)?);
        if file
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            toml::from_str::<toml::Table>(&text).map_err(|error| EngineError::UsersOwn {
                what,
                why: format!("with our part it is no valid TOML: {error}"),
            })?;
        }
        Ok(text)
    }

    /// Moves what the agent left in the overlay to where it belongs; what is there already stays.
    pub(crate) fn bring_home(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let target = self.home.join(entry.file_name());
            let is_ours = entry.file_name() == self.ours.as_str();
            if is_ours || entry.file_type()?.is_symlink() || target.symlink_metadata().is_ok() {
                continue;
            }
            if fs::rename(entry.path(), &target).is_err() && entry.file_type()?.is_file() {
                fs::copy(entry.path(), &target)?;
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn link(original: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(original, link)
}

#[cfg(windows)]
fn link(original: &Path, link: &Path) -> io::Result<()> {
    if original.is_dir() {
        std::os::windows::fs::symlink_dir(original, link)
    } else {
        std::os::windows::fs::symlink_file(original, link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_folder_is_seen_through_and_gets_back_what_is_new() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        fs::create_dir_all(&home).unwrap();
        fs::write(home.join("config.toml"), "mine").unwrap();
        fs::write(home.join("hooks.toml"), "# my hooks").unwrap();
        let overlay = Overlay {
            folder: dir.path().join("overlay"),
            home: home.clone(),
            ours: "hooks.toml".to_owned(),
        };
        let spec = OverlaySpec {
            state: vec!["logs".to_owned()],
            ..OverlaySpec::default()
        };
        let text = overlay.extended("[[hooks]]").unwrap();
        overlay.fill(&spec, &text).unwrap();
        fs::write(overlay.folder.join("config.toml"), "changed by the agent").unwrap();
        fs::write(overlay.folder.join("history"), "new").unwrap();
        overlay.bring_home().unwrap();
        assert_eq!(
            fs::read_to_string(home.join("config.toml")).unwrap(),
            "changed by the agent"
        );
        assert_eq!(fs::read_to_string(home.join("history")).unwrap(), "new");
        assert_eq!(
            fs::read_to_string(home.join("hooks.toml")).unwrap(),
            "# my hooks"
        );
        let hooks = fs::read_to_string(overlay.folder.join("hooks.toml")).unwrap();
        assert!(hooks.starts_with("# my hooks") && hooks.ends_with("[[hooks]]"));
    }

    #[test]
    fn hooks_of_the_users_that_cannot_be_extended_are_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let overlay = Overlay {
            folder: dir.path().join("overlay"),
            home: dir.path().to_owned(),
            ours: "hooks.toml".to_owned(),
        };
        let file = dir.path().join("hooks.toml");
        for broken in ["hooks = [ {", "hooks = []\n"] {
            fs::write(&file, broken).unwrap();
            let error = overlay.extended("[[hooks]]\n").unwrap_err().to_string();
            assert!(error.contains("hooks.toml"), "{error}");
        }
        fs::remove_file(&file).unwrap();
        assert!(overlay.extended("[[hooks]]\n").is_ok(), "there is none");
        fs::create_dir(&file).unwrap();
        assert!(overlay.extended("[[hooks]]\n").is_err(), "it is a folder");
    }
}
