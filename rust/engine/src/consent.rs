//! Changes to files of the user's that a person agreed to, journalled so that they can always be undone.
//!
//! Before a file is changed, what it was is written down (0600) beside who needs the change. It is put back,
//! byte for byte, when the last of those sessions ends, or at the next start after a crash, unless it is kept.
//! If the file was changed by others meanwhile, only what is ours is taken out of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::launch::{merge, write_private};

/// Where consents of one agent are written down.
#[derive(Clone, Debug)]
pub struct Journal {
    folder: PathBuf,
}

/// One changed file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    agent: String,
    path: PathBuf,
    /// The text before; absent when there was no file.
    before: Option<String>,
    /// Folders that were made for the file, innermost first.
    made_folders: Vec<PathBuf>,
    /// What was laid over it.
    ours: Value,
    /// The text after.
    after: String,
    /// Processes whose sessions need the change.
    users: Vec<u32>,
    /// Stays after the last session.
    kept: bool,
}

impl Journal {
    /// A journal in the platform's state folder of this program.
    pub fn new(state_folder: &Path) -> Self {
        Self {
            folder: state_folder.join("consent"),
        }
    }

    /// Lays JSON over a file of the user's, after writing down what it was.
    ///
    /// # Errors
    /// The journal or the file cannot be written; then nothing was changed. A file that is no JSON object is
    /// not touched.
    pub fn apply(&self, agent: &str, path: &Path, ours: &Value, keep: bool) -> io::Result<()> {
        let pid = std::process::id();
        if let Some(mut entry) = self.entry(agent, path)? {
            entry.users.retain(|user| *user != pid && is_alive(*user));
            entry.users.push(pid);
            entry.kept |= keep;
            self.write(&entry)?;
            if fs::read_to_string(path).is_ok_and(|text| text == entry.after) {
                return Ok(());
            }
            return write_atomic(
                path,
                &laid_over(fs::read_to_string(path).ok().as_deref(), ours)?,
            );
        }
        let before = match fs::read_to_string(path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let after = laid_over(before.as_deref(), ours)?;
        let missing = path
            .ancestors()
            .skip(1)
            .take_while(|folder| !folder.exists());
        let entry = Entry {
            agent: agent.to_owned(),
            path: path.to_owned(),
            made_folders: missing.map(Path::to_owned).collect(),
            before,
            ours: ours.clone(),
            after,
            users: vec![pid],
            kept: keep,
        };
        self.write(&entry)?;
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        write_atomic(path, &entry.after)
    }

    /// This process needs no change of that agent's any more; the last one undoes them.
    ///
    /// # Errors
    /// A file could not be put back; its entry stays for the next start.
    pub fn release(&self, agent: &str) -> io::Result<Vec<PathBuf>> {
        let pid = std::process::id();
        self.undo_where(
            |entry| entry.agent == agent && !entry.kept,
            |user| user != pid && is_alive(user),
        )
    }

    /// Undoes what processes that are gone left behind.
    ///
    /// # Errors
    /// As [`Self::release`].
    pub fn sweep(&self) -> io::Result<Vec<PathBuf>> {
        self.undo_where(|entry| !entry.kept, is_alive)
    }

    /// Undoes every change of an agent's files, kept or not.
    ///
    /// # Errors
    /// As [`Self::release`].
    pub fn untrust(&self, agent: &str) -> io::Result<Vec<PathBuf>> {
        self.undo_where(|entry| entry.agent == agent, |_| false)
    }

    /// Agents with changed files, and the files.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn list(&self) -> io::Result<Vec<(String, PathBuf)>> {
        Ok(self
            .entries()?
            .into_iter()
            .map(|(_, entry)| (entry.agent, entry.path))
            .collect())
    }

    fn undo_where(
        &self,
        concerns: impl Fn(&Entry) -> bool,
        still_used: impl Fn(u32) -> bool,
    ) -> io::Result<Vec<PathBuf>> {
        let mut undone = Vec::new();
        for (file, mut entry) in self.entries()? {
            if !concerns(&entry) {
                continue;
            }
            entry.users.retain(|user| still_used(*user));
            if entry.users.is_empty() {
                entry.undo()?;
                fs::remove_file(file)?;
                undone.push(entry.path);
            } else {
                self.write(&entry)?;
            }
        }
        Ok(undone)
    }

    fn file_of(&self, agent: &str, path: &Path) -> PathBuf {
        let name: String = path
            .display()
            .to_string()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        self.folder.join(format!("{agent}{name}.json"))
    }

    fn entry(&self, agent: &str, path: &Path) -> io::Result<Option<Entry>> {
        match fs::read_to_string(self.file_of(agent, path)) {
            Ok(text) => Ok(serde_json::from_str(&text).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn entries(&self) -> io::Result<Vec<(PathBuf, Entry)>> {
        let listed = match fs::read_dir(&self.folder) {
            Ok(listed) => listed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut entries = Vec::new();
        for file in listed {
            let file = file?.path();
            if file.extension().is_some_and(|e| e == "json")
                && let Ok(entry) = serde_json::from_str(&fs::read_to_string(&file)?)
            {
                entries.push((file, entry));
            }
        }
        Ok(entries)
    }

    fn write(&self, entry: &Entry) -> io::Result<()> {
        let file = self.file_of(&entry.agent, &entry.path);
        let text = serde_json::to_string(entry).map_err(io::Error::other)?;
        fs::create_dir_all(&self.folder)?;
        write_atomic(&file, &text)
    }
}

impl Entry {
    fn undo(&self) -> io::Result<()> {
        let now = fs::read_to_string(&self.path).ok();
        match (&self.before, now) {
            (_, None) => {}
            (Some(before), Some(now)) if now == self.after => write_atomic(&self.path, before)?,
            (None, Some(now)) if now == self.after => fs::remove_file(&self.path)?,
            (_, Some(now)) => match serde_json::from_str::<Value>(&now) {
                Ok(mut value) => {
                    take_out(&mut value, &self.ours);
                    let text = serde_json::to_string_pretty(&value).map_err(io::Error::other)?;
                    write_atomic(&self.path, &text)?;
                }
                Err(_) => tracing::warn!(
                    path = %self.path.display(),
                    "the file was changed by others and is no JSON any more; it stays as it is"
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

fn laid_over(before: Option<&str>, ours: &Value) -> io::Result<String> {
    let users = match before.map(str::trim) {
        None | Some("") => Value::Object(serde_json::Map::new()),
        Some(text) => serde_json::from_str(text).map_err(io::Error::other)?,
    };
    if !users.is_object() {
        return Err(io::Error::other("the file is no JSON object"));
    }
    let mut merged = ours.clone();
    merge(&mut merged, users);
    serde_json::to_string_pretty(&merged).map_err(io::Error::other)
}

/// Takes what was laid over a value out of it again; what others put there stays.
fn take_out(value: &mut Value, ours: &Value) {
    match (value, ours) {
        (Value::Object(value), Value::Object(ours)) => {
            for (name, member) in ours {
                if let Some(found) = value.get_mut(name) {
                    take_out(found, member);
                    if found.is_null() || found.as_array().is_some_and(Vec::is_empty) {
                        value.remove(name);
                    }
                }
            }
        }
        (Value::Array(value), Value::Array(ours)) => value.retain(|item| !ours.contains(item)),
        (value, ours) if value == ours => *value = Value::Null,
        _ => {}
    }
}

fn write_atomic(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".siderail-new");
    let new = path.with_file_name(name);
    write_private(&new, text)?;
    if let Ok(metadata) = fs::metadata(path) {
        fs::set_permissions(&new, metadata.permissions())?;
    }
    fs::rename(&new, path)
}

#[cfg(target_os = "linux")]
fn is_alive(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

/// Without a way to ask, a process counts as gone: its change is undone, and made again when needed.
#[cfg(not(target_os = "linux"))]
fn is_alive(pid: u32) -> bool {
    pid == std::process::id()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// More than any system's highest process number.
    const DEAD: u32 = u32::MAX;

    fn ours() -> Value {
        json!({"hooks": {"PreToolUse": [{"matcher": "*", "command": "relay hook openhands"}]}})
    }

    fn setting() -> (tempfile::TempDir, Journal, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(&dir.path().join("state"));
        let file = dir.path().join("home/.openhands/hooks.json");
        (dir, journal, file)
    }

    #[test]
    fn a_file_is_byte_for_byte_what_it_was_after_the_last_session() {
        let (_dir, journal, file) = setting();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let before = "{ \"hooks\" : {\"PreToolUse\":[ {\"mine\":1} ]} }\n";
        fs::write(&file, before).unwrap();
        journal.apply("openhands", &file, &ours(), false).unwrap();
        let during = fs::read_to_string(&file).unwrap();
        assert!(
            during.contains("relay hook") && during.contains("mine"),
            "{during}"
        );
        journal.release("openhands").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), before);
        assert!(journal.list().unwrap().is_empty());
    }

    #[test]
    fn a_file_that_was_not_there_goes_with_the_folders_made_for_it() {
        let (dir, journal, file) = setting();
        journal.apply("openhands", &file, &ours(), false).unwrap();
        assert!(file.exists());
        journal.release("openhands").unwrap();
        assert!(!dir.path().join("home").exists());
    }

    #[test]
    fn what_a_killed_process_left_is_undone_at_the_next_start_and_kept_consents_stay() {
        let (_dir, journal, file) = setting();
        journal.apply("openhands", &file, &ours(), false).unwrap();
        let (_, mut entry) = journal.entries().unwrap().pop().unwrap();
        entry.users = vec![DEAD];
        journal.write(&entry).unwrap();
        assert_eq!(journal.sweep().unwrap(), std::slice::from_ref(&file));
        assert!(!file.exists());
        journal.apply("openhands", &file, &ours(), true).unwrap();
        journal.release("openhands").unwrap();
        assert!(file.exists(), "kept");
        journal.untrust("openhands").unwrap();
        assert!(!file.exists());
    }

    #[test]
    fn what_others_wrote_meanwhile_stays() {
        let (_dir, journal, file) = setting();
        journal.apply("openhands", &file, &ours(), false).unwrap();
        let mut now: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        now["theirs"] = json!(true);
        fs::write(&file, now.to_string()).unwrap();
        journal.release("openhands").unwrap();
        let left: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(left["theirs"], true);
        assert!(!left.to_string().contains("relay hook"), "{left}");
    }

    #[test]
    fn a_file_that_is_no_json_object_is_refused_and_untouched() {
        let (_dir, journal, file) = setting();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "not json").unwrap();
        assert!(journal.apply("openhands", &file, &ours(), false).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "not json");
        assert!(journal.list().unwrap().is_empty());
    }
}
