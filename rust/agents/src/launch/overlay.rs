//! A folder that replaces one of the user's: links to everything in it, and our file beside them.
//!
//! For agents that read hooks from their home only. What the agent writes through the links is at home at once;
//! what is born in the overlay, or takes the place of a link, is brought home when the session ends. It lies in
//! the state folder with a record of what it was built from, so that after a crash the next start does the same.
//!
//! Where an agent knows its folder only as one of the user's home, the whole home has an overlay, too, in which
//! that folder is the overlay of the folder. Shells that the agent starts get the real home back.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use super::Filler;
use super::applied_recipes::{entry, not_written, users_text};
use crate::consent::laid_over;
use crate::error::AgentError;
use crate::profile::{HookEntry, OverlaySpec};
use crate::quoting::shell_word;
use siderail_os::links;
use siderail_state::private;

mod restore;

use restore::{Stamp, bring};

/// Overlays in the state folder.
const FOLDER: &str = "overlays";
/// In each of them: the stand-in itself.
const STAND_IN: &str = "home";
/// What it was built from.
const RECORD: &str = "record.json";
/// Held while the session lives.
const LOCK: &str = "lock";
/// What an interactive bash reads at its start.
const BASHRC: &str = ".bashrc";
/// Overlays of one process that could not be brought home, at most.
const MOST: u32 = 1000;

/// A built overlay. One that is dropped is brought home.
#[derive(Debug)]
pub struct Overlay {
    place: Place,
    record: Record,
    /// The one of the home that this one is a folder of.
    of_home: Option<Box<Self>>,
}

/// What lies in an overlay instead of the link to the user's.
enum Ours<'a> {
    Text(&'a str),
    /// Another overlay.
    Folder(&'a Path),
}

/// Its folder, kept from other processes.
#[derive(Debug)]
struct Place {
    folder: PathBuf,
    lock: Option<File>,
}

/// What is known of it after a crash.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    /// The user's own folder.
    home: PathBuf,
    /// The file that is ours.
    ours: String,
    /// What else is.
    #[serde(default)]
    more_of_ours: Vec<String>,
    /// The user's files at the time when the links were made, by name.
    links: BTreeMap<String, Stamp>,
}

impl Overlay {
    /// Builds it in the state folder and points the agent's variable at it.
    pub(super) fn build(
        spec: &OverlaySpec,
        hook: &HookEntry,
        filler: &Filler,
        state_folder: &Path,
        env: &mut BTreeMap<String, String>,
    ) -> Result<Self, AgentError> {
        let home = env
            .get(&spec.env)
            .cloned()
            .unwrap_or_else(|| filler.text(&spec.home));
        let home = PathBuf::from(home);
        let folder = match spec.folder.as_str() {
            "" => home.clone(),
            folder => home.join(folder),
        };
        let text = match spec.text.as_str() {
            "" => with_entry(&folder.join(&spec.file), hook, filler)?,
            text => extended(&folder, &spec.file, &filler.text(text))?,
        };
        let failed = |e: io::Error| not_written(&spec.file, state_folder, &e);
        let ours = [(spec.file.as_str(), Ours::Text(&text))];
        let mut overlay = Self::fill(folder, &ours, state_folder).map_err(failed)?;
        let mut stand_in = overlay.stand_in();
        if !spec.folder.is_empty() {
            let of_home = Self::fill_home(&home, &spec.folder, &stand_in, state_folder);
            let of_home = of_home.map_err(failed)?;
            stand_in = of_home.stand_in();
            overlay.of_home = Some(Box::new(of_home));
        }
        env.insert(spec.env.clone(), stand_in.display().to_string());
        for (name, folder) in &spec.real {
            let real = || home.join(folder).display().to_string();
            env.entry(name.clone()).or_insert_with(real);
        }
        Ok(overlay)
    }

    /// The home around a folder that has an overlay of its own.
    fn fill_home(home: &Path, name: &str, folder: &Path, state_folder: &Path) -> io::Result<Self> {
        let shells = shells_home(home);
        let ours = [(name, Ours::Folder(folder)), (BASHRC, Ours::Text(&shells))];
        Self::fill(home.to_owned(), &ours, state_folder)
    }

    fn fill(home: PathBuf, ours: &[(&str, Ours<'_>)], state_folder: &Path) -> io::Result<Self> {
        let mut links = BTreeMap::new();
        let mut names = Vec::new();
        for entry in entries(&home)? {
            let name = entry.file_name();
            if ours.iter().any(|(ours, _)| name == *ours) {
                continue;
            }
            // A folder needs none, and one on a dead mount would not answer.
            let is_folder = entry.file_type()?.is_dir();
            if let (Some(name), false) = (name.to_str(), is_folder)
                && let Ok(stamp) = Stamp::of(&entry.path())
            {
                links.insert(name.to_owned(), stamp);
            }
            names.push(name);
        }
        let mut names_of_ours = ours.iter().map(|(name, _)| (*name).to_owned());
        let record = Record {
            home,
            ours: names_of_ours.next().unwrap_or_default(),
            more_of_ours: names_of_ours.collect(),
            links,
        };
        let place = Place::claim(&state_folder.join(FOLDER))?;
        let text_of_record = serde_json::to_string(&record).map_err(io::Error::other)?;
        private::write_file(&place.folder.join(RECORD), &text_of_record)?;
        let overlay = Self {
            place,
            record,
            of_home: None,
        };
        let stand_in = overlay.stand_in();
        private::make_folder(&stand_in)?;
        for name in names {
            links::make(&overlay.record.home.join(&name), &stand_in.join(&name))?;
        }
        for (name, ours) in ours {
            let name = stand_in.join(name);
            match ours {
                Ours::Text(text) => private::write_file(&name, text)?,
                Ours::Folder(folder) => links::make(folder, &name)?,
            }
        }
        Ok(overlay)
    }

    fn stand_in(&self) -> PathBuf {
        self.place.folder.join(STAND_IN)
    }

    /// Brings home what the agent left in it and removes it. Both versions of a file that was changed here and
    /// there are kept; the paths are of those that had to give way.
    ///
    /// # Errors
    /// Something cannot be brought home; it stays where the text says, and the next start tries again.
    pub fn bring_home(mut self) -> Result<Vec<PathBuf>, String> {
        self.put_away()
    }

    fn put_away(&mut self) -> Result<Vec<PathBuf>, String> {
        let folder = &self.place.folder;
        let stays = |error: io::Error| {
            let home = self.record.home.display();
            let folder = folder.display();
            format!("what the agent wrote for {home} is still in {folder}: {error}")
        };
        let mut kept = self.record.bring_home(folder).map_err(stays)?;
        self.place.remove();
        if let Some(of_home) = self.of_home.take() {
            kept.extend(of_home.bring_home()?);
        }
        Ok(kept)
    }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        if self.place.lock.is_some()
            && let Err(why) = self.put_away()
        {
            tracing::error!("{why}");
        }
    }
}

impl Record {
    /// What the agent left goes to where it belongs.
    fn bring_home(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut kept = Vec::new();
        for entry in entries(&folder.join(STAND_IN))? {
            let name = entry.file_name();
            let at_home = self.home.join(&name);
            let is_link = links::leads_to(&entry.path(), &at_home);
            let is_ours = name == *self.ours || self.more_of_ours.iter().any(|ours| name == **ours);
            if !is_link && !is_ours {
                let before = name.to_str().and_then(|name| self.links.get(name));
                bring(&entry.path(), &at_home, before, &mut kept)?;
            }
        }
        Ok(kept)
    }
}

impl Place {
    /// Makes a folder that no other process takes for a leftover.
    fn claim(overlays: &Path) -> io::Result<Self> {
        private::make_folder(overlays)?;
        for n in 0..MOST {
            let name = format!("{}-{n}", std::process::id());
            let (folder, new) = (overlays.join(&name), overlays.join(format!(".{name}")));
            if folder.exists() || new.exists() {
                continue;
            }
            private::make_folder(&new)?;
            let lock = File::create(new.join(LOCK))?;
            lock.try_lock()?;
            fs::rename(&new, &folder)?;
            let lock = Some(lock);
            return Ok(Self { folder, lock });
        }
        Err(io::Error::other("too many overlays are left over"))
    }

    /// Takes one over whose process is gone.
    fn take_over(folder: PathBuf) -> Option<Self> {
        let lock = File::open(folder.join(LOCK)).ok()?;
        lock.try_lock().ok()?;
        let lock = Some(lock);
        Some(Self { folder, lock })
    }

    fn remove(&mut self) {
        // Some systems remove no folder with an open file in it.
        self.lock = None;
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            tracing::warn!(%error, "an overlay cannot be removed: {}", self.folder.display());
        }
    }
}

/// Brings home what processes that are gone left in their overlays; a line for each that could not be.
pub fn sweep(state_folder: &Path) -> Vec<String> {
    let overlays = state_folder.join(FOLDER);
    if !overlays.exists() {
        return Vec::new();
    }
    let listed = private::check_folder(&overlays).and_then(|()| entries(&overlays));
    let found = match listed {
        Ok(found) => found,
        Err(error) => return vec![error.to_string()],
    };
    let mut said = Vec::new();
    for entry in found {
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let Some(place) = Place::take_over(entry.path()) else {
            continue;
        };
        let read = private::read_file(&place.folder.join(RECORD));
        let record = read.and_then(|text| match text {
            Some(text) => serde_json::from_str(&text).map_err(io::Error::other),
            None => Err(io::ErrorKind::NotFound.into()),
        });
        match record {
            Ok(record) => {
                let overlay = Overlay {
                    place,
                    record,
                    of_home: None,
                };
                said.extend(overlay.bring_home().err());
            }
            // Another start has just brought it home.
            Err(_) if !place.folder.exists() => {}
            Err(error) => said.push(format!("{}: {error}", place.folder.display())),
        }
    }
    said
}

/// What is in a folder; nothing where there is none.
fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The user's own text with ours behind it. Where the two do not go together, an agent would read neither.
fn extended(home: &Path, name: &str, ours: &str) -> Result<String, AgentError> {
    let file = home.join(name);
    let what = format!("the file {}", file.display());
    let text = format!("{}\n{ours}", users_text(&what, &file)?);
    if file
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        DeTable::parse(&text).map_err(|error| AgentError::UsersOwn {
            what,
            why: format!("with our part it is not valid TOML: {error}"),
        })?;
    }
    Ok(text)
}

/// The user's own JSON with the hook's entry in it.
fn with_entry(file: &Path, hook: &HookEntry, filler: &Filler) -> Result<String, AgentError> {
    let what = format!("the file {}", file.display());
    let users = users_text(&what, file)?;
    let ours = entry(file, hook, filler)?;
    laid_over(Some(&users), &ours).map_err(|error| AgentError::UsersOwn {
        what,
        why: error.to_string(),
    })
}

/// What gives shells the real home back, and then does what the user's own file says.
fn shells_home(home: &Path) -> String {
    let home = shell_word(&home.display().to_string());
    format!("export HOME={home}\nif [ -r ~/{BASHRC} ]; then . ~/{BASHRC}; fi\n")
}

#[cfg(test)]
mod tests;
