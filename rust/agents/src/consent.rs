//! Changes to files of the user's that a person agreed to, journalled so that they can always be undone.
//!
//! Before a file is changed, what it was is written down (0600) beside who needs the change. It is restored, byte for
//! byte, when the last of those sessions ends, or at the next start after a crash, unless it is kept. If the file was
//! changed by others meanwhile, only what is ours is taken out of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use siderail_os::process::started;
use siderail_state::private;

mod file;

pub use file::laid_over;
use file::{followed, read, without, write_atomic};

/// Where consents of one agent are written down.
#[derive(Clone, Debug)]
pub struct Journal {
    folder: PathBuf,
}

/// One changed file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    agent: String,
    /// The file itself: links that lead to it are followed, and stay.
    path: PathBuf,
    /// The text before; absent when there was no file.
    before: Option<String>,
    /// Folders that were made for the file, innermost first.
    made_folders: Vec<PathBuf>,
    /// What was laid over it.
    ours: Value,
    /// The text after.
    after: String,
    /// Who needs the change: one for each session, so several of one process are the same thing
    /// several times.
    users: Vec<User>,
    /// Stays after the last session.
    kept: bool,
}

/// The process of a session that needs a change. Its number alone is given to others later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct User {
    pid: u32,
    /// When it was started, in the system's own count; 0 if that is unknown.
    started: u64,
}

/// Why a file of the user's was not changed.
#[derive(Debug, thiserror::Error)]
pub enum Unchanged {
    /// What it was cannot be written down.
    #[error(transparent)]
    Journal(io::Error),
    /// It cannot be read or written, or is no JSON object.
    #[error(transparent)]
    File(io::Error),
}

impl Journal {
    /// A journal in the platform's state folder of this program.
    pub fn new(state_folder: &Path) -> Self {
        Self {
            folder: state_folder.join("consent"),
        }
    }

    /// Lays JSON over a file of the user's for one more session, after writing down what it was. A file
    /// that holds it already stays as it is; a link is followed, and stays a link.
    ///
    /// # Errors
    /// The journal or the file cannot be written; then nothing was changed. A file that is no JSON object is
    /// not touched.
    pub fn apply(
        &self,
        agent: &str,
        path: &Path,
        ours: &Value,
        keep: bool,
    ) -> Result<(), Unchanged> {
        let _alone = self.lock().map_err(Unchanged::Journal)?;
        let path = &followed(path);
        let now = read(path).map_err(Unchanged::File)?;
        let known = self.entry(agent, path).map_err(Unchanged::Journal)?;
        let mut entry = match known {
            Some(entry) if entry.ours == *ours && now.as_ref() == Some(&entry.after) => entry,
            known => Entry::new(agent, path, now.clone(), ours, known).map_err(Unchanged::File)?,
        };
        entry.users.retain(|user| user.is_alive());
        entry.users.push(User::this_process());
        entry.kept |= keep;
        self.write(&entry).map_err(Unchanged::Journal)?;
        if now.as_ref() == Some(&entry.after) {
            return Ok(());
        }
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
        folder
            .and_then(|()| write_atomic(path, &entry.after))
            .map_err(Unchanged::File)
    }

    /// One session of this process needs no change of that agent's any more; the last one undoes them.
    ///
    /// # Errors
    /// A file could not be restored, or what it was cannot be read; its entry stays for the next start. All the others
    /// are restored.
    pub fn release(&self, agent: &str) -> io::Result<Vec<PathBuf>> {
        self.undo_where(
            Some(agent),
            |entry| entry.agent == agent && !entry.kept,
            |users| {
                let this = User::this_process();
                if let Some(at) = users.iter().position(|user| *user == this) {
                    users.remove(at);
                }
                users.retain(|user| user.is_alive());
            },
        )
    }

    /// Undoes what processes that are gone left behind.
    ///
    /// # Errors
    /// As [`Self::release`].
    pub fn sweep(&self) -> io::Result<Vec<PathBuf>> {
        self.undo_where(
            None,
            |entry| !entry.kept,
            |users| users.retain(|user| user.is_alive()),
        )
    }

    /// Undoes every change of an agent's files, kept or not.
    ///
    /// # Errors
    /// As [`Self::release`].
    pub fn untrust(&self, agent: &str) -> io::Result<Vec<PathBuf>> {
        self.undo_where(Some(agent), |entry| entry.agent == agent, Vec::clear)
    }

    /// Agents with changed files, and the files. Entries that cannot be read are named where files are restored.
    ///
    /// # Errors
    /// The journal cannot be read, or is not this user's.
    pub fn list(&self) -> io::Result<Vec<(String, PathBuf)>> {
        if !self.folder.is_dir() {
            return Ok(Vec::new());
        }
        private::check_folder(&self.folder)?;
        let entries = self.files(None)?.into_iter();
        let entries = entries.filter_map(|file| read_entry(&file).ok().flatten());
        Ok(entries.map(|entry| (entry.agent, entry.path)).collect())
    }

    /// What of the journal cannot be read: what those files of an agent were before is not known.
    pub fn damaged(&self, agent: &str) -> Vec<io::Error> {
        let files = self.files(Some(agent)).unwrap_or_default().into_iter();
        files.filter_map(|file| read_entry(&file).err()).collect()
    }

    fn undo_where(
        &self,
        agent: Option<&str>,
        concerns: impl Fn(&Entry) -> bool,
        leave: impl Fn(&mut Vec<User>),
    ) -> io::Result<Vec<PathBuf>> {
        if !self.folder.is_dir() {
            return Ok(Vec::new());
        }
        let _alone = self.lock()?;
        let mut undone = Vec::new();
        let mut failed: Vec<io::Error> = Vec::new();
        for file in self.files(agent)? {
            // One file that stays does not keep the others.
            match self.undo_one(&file, &concerns, &leave) {
                Ok(path) => undone.extend(path),
                Err(error) => failed.push(error),
            }
        }
        let Some(first) = failed.first() else {
            return Ok(undone);
        };
        let texts: Vec<String> = failed.iter().map(ToString::to_string).collect();
        Err(io::Error::new(first.kind(), texts.join("; ")))
    }

    /// The file that was restored, if its time has come.
    fn undo_one(
        &self,
        file: &Path,
        concerns: &impl Fn(&Entry) -> bool,
        leave: &impl Fn(&mut Vec<User>),
    ) -> io::Result<Option<PathBuf>> {
        let Some(mut entry) = read_entry(file)?.filter(concerns) else {
            return Ok(None);
        };
        leave(&mut entry.users);
        let is_over = entry.users.is_empty();
        let done = if is_over {
            entry.undo().and_then(|()| fs::remove_file(file))
        } else {
            self.write(&entry)
        };
        let path = entry.path;
        match done {
            Ok(()) => Ok(is_over.then_some(path)),
            Err(error) => {
                let text = format!("{}: {error}", path.display());
                Err(io::Error::new(error.kind(), text))
            }
        }
    }

    /// Other processes read and write the same entries; held while the file lives.
    fn lock(&self) -> io::Result<fs::File> {
        private::make_folder(&self.folder)?;
        private::lock(&self.folder.join("lock"))
    }

    /// Two paths never share a file, whatever characters they are of.
    fn file_of(&self, agent: &str, path: &Path) -> PathBuf {
        let named = [agent.as_bytes(), path.as_os_str().as_encoded_bytes()].join(&0);
        let hash = HEXLOWER.encode(&Sha256::digest(named)[..8]);
        self.folder.join(format!("{}{hash}.json", prefix(agent)))
    }

    fn entry(&self, agent: &str, path: &Path) -> io::Result<Option<Entry>> {
        let file = self.file_of(agent, path);
        // What the file was before is kept nowhere else: it is not overwritten.
        match read_entry(&file)? {
            Some(entry) if entry.path != path || entry.agent != agent => {
                Err(damaged(&file, "it is of another file"))
            }
            entry => Ok(entry),
        }
    }

    /// The entries' files, of one agent or all.
    fn files(&self, agent: Option<&str>) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        let prefix = agent.map(prefix).unwrap_or_default();
        for listed in fs::read_dir(&self.folder)? {
            let file = listed?.path();
            let name = file.file_name().unwrap_or_default().as_encoded_bytes();
            if name.starts_with(prefix.as_bytes()) && file.extension().is_some_and(|e| e == "json")
            {
                files.push(file);
            }
        }
        files.sort();
        Ok(files)
    }

    fn write(&self, entry: &Entry) -> io::Result<()> {
        let file = self.file_of(&entry.agent, &entry.path);
        let text = serde_json::to_string(entry).map_err(io::Error::other)?;
        write_atomic(&file, &text)
    }
}

/// What the names of an agent's entries begin with.
fn prefix(agent: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let plain: String = agent
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect();
    format!("{plain}.")
}

/// An entry, unless it has gone meanwhile.
fn read_entry(file: &Path) -> io::Result<Option<Entry>> {
    let Some(text) = private::read_file(file)? else {
        return Ok(None);
    };
    let entry = serde_json::from_str(&text);
    entry.map(Some).map_err(|error| damaged(file, error))
}

fn damaged(file: &Path, why: impl std::fmt::Display) -> io::Error {
    let text = format!("{} is damaged: {why}", file.display());
    io::Error::new(io::ErrorKind::InvalidData, text)
}

impl Entry {
    /// What a file becomes. `known` is what was laid over it before and is no longer there as it was: others have
    /// changed the file, or our part of it is another one now.
    fn new(
        agent: &str,
        path: &Path,
        now: Option<String>,
        ours: &Value,
        known: Option<Self>,
    ) -> io::Result<Self> {
        let before = match (&known, now) {
            (Some(known), Some(now)) if now == known.after => known.before.clone(),
            (Some(known), Some(now)) => Some(without(&now, &known.ours)?.unwrap_or(now)),
            (_, now) => now,
        };
        let missing = path
            .ancestors()
            .skip(1)
            .take_while(|folder| !folder.exists());
        let mut made_folders: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        let (users, kept) = match known {
            Some(known) => {
                made_folders.extend(known.made_folders);
                (known.users, known.kept)
            }
            None => (Vec::new(), false),
        };
        Ok(Self {
            agent: agent.to_owned(),
            path: path.to_owned(),
            made_folders,
            after: laid_over(before.as_deref(), ours)?,
            before,
            ours: ours.clone(),
            users,
            kept,
        })
    }

    fn undo(&self) -> io::Result<()> {
        match (&self.before, read(&self.path)?) {
            (_, None) => {}
            (Some(before), Some(now)) if now == self.after => write_atomic(&self.path, before)?,
            (None, Some(now)) if now == self.after => fs::remove_file(&self.path)?,
            (before, Some(now)) => match without(&now, &self.ours) {
                Ok(Some(text)) if before.is_none() && text == "{}" => fs::remove_file(&self.path)?,
                Ok(Some(text)) => write_atomic(&self.path, &text)?,
                Ok(None) => {}
                Err(_) => tracing::warn!(
                    path = %self.path.display(),
                    "another program changed the file and it is no longer JSON; it was left as it is"
                ),
            },
        }
        for folder in &self.made_folders {
            // A folder that has got other files meanwhile stays.
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }
}

impl User {
    fn this_process() -> Self {
        let pid = std::process::id();
        Self {
            pid,
            started: started(pid).unwrap_or_default(),
        }
    }

    /// Where the system does not say when it was started, a process counts as gone: its change is undone, and made
    /// again when needed.
    fn is_alive(&self) -> bool {
        *self == Self::this_process() || started(self.pid) == Some(self.started)
    }
}

#[cfg(test)]
mod tests;
