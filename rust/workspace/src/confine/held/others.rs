//! Systems without `openat`: paths, looked at before each step.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use siderail_os::files::{FileId, Named, is_same};

use super::entry_kind::{Found, Kind, link_in_the_way, no_file};

/// A folder.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

/// A name in a folder. Nothing need be there.
#[derive(Clone, Debug)]
pub struct Entry {
    folder: Folder,
    name: OsString,
}

#[expect(missing_docs, clippy::missing_errors_doc, reason = "as in `unix.rs`")]
impl Folder {
    pub fn open(path: &Path) -> io::Result<Self> {
        match fs::symlink_metadata(path)?.is_dir() {
            true => Ok(Self(path.to_owned())),
            false => Err(ErrorKind::NotADirectory.into()),
        }
    }

    pub fn folder(&self, below: &Path) -> io::Result<Self> {
        let mut path = self.0.clone();
        for name in below {
            path.push(name);
            let found = fs::symlink_metadata(&path)?;
            if found.is_symlink() {
                return Err(link_in_the_way());
            }
            if !found.is_dir() {
                return Err(ErrorKind::NotADirectory.into());
            }
        }
        Ok(Self(path))
    }

    pub fn entry(&self, below: &Path) -> io::Result<Entry> {
        let (folder, name) = match below.file_name() {
            Some(name) => (self.folder(below.parent().unwrap_or(Path::new("")))?, name),
            None => (self.clone(), OsStr::new(".")),
        };
        Ok(Entry {
            folder,
            name: name.to_owned(),
        })
    }

    pub fn file(&self, below: &Path) -> io::Result<File> {
        self.entry(below)?.file()
    }

    pub fn listed_file(&self, name: &OsStr) -> io::Result<File> {
        self.file(Path::new(name))
    }

    pub fn entries(&self) -> io::Result<Vec<(OsString, Kind)>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            entries.push((entry.file_name(), Kind::of(entry.file_type()?)));
        }
        Ok(entries)
    }

    pub fn sync(&self) {}
}

#[expect(missing_docs, clippy::missing_errors_doc, reason = "as in `unix.rs`")]
impl Entry {
    #[must_use]
    pub fn beside(&self, name: impl Into<OsString>) -> Self {
        Self {
            folder: self.folder.clone(),
            name: name.into(),
        }
    }

    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    pub fn name(&self) -> &OsStr {
        &self.name
    }

    pub fn found(&self) -> io::Result<Found> {
        let path = self.path();
        let metadata = fs::symlink_metadata(&path)?;
        // One that another program has open for itself is recognised by its entry in the parent folder.
        let id = Named::at(&path).map_or_else(|_| FileId::default(), |named| named.id);
        Ok(Found::told(&metadata, id))
    }

    pub fn file(&self) -> io::Result<File> {
        self.regular(File::options().read(true))
    }

    pub fn file_to_change(&self) -> io::Result<File> {
        self.regular(File::options().read(true).write(true))
    }

    pub fn create(&self, _: bool) -> io::Result<File> {
        File::options()
            .write(true)
            .create_new(true)
            .open(self.path())
    }

    pub fn create_folder(&self) -> io::Result<()> {
        fs::create_dir(self.path())
    }

    pub fn rename(&self, to: &Self) -> io::Result<()> {
        patiently(|| fs::rename(self.path(), to.path()))
    }

    pub fn rename_onto_nothing(&self, to: &Self) -> io::Result<()> {
        match to.found() {
            Ok(_) if !is_same(&self.path(), &to.path()) => Err(ErrorKind::AlreadyExists.into()),
            _ => self.rename(to),
        }
    }

    pub fn remove(&self) -> io::Result<()> {
        patiently(|| fs::remove_file(self.path()))
    }

    pub fn remove_folder(&self) -> io::Result<()> {
        fs::remove_dir(self.path())
    }

    pub fn remove_all(&self) -> io::Result<()> {
        fs::remove_dir_all(self.path())
    }

    pub fn is_writable(&self) -> bool {
        fs::symlink_metadata(self.path()).is_ok_and(|found| !found.permissions().readonly())
    }

    fn path(&self) -> PathBuf {
        self.folder.0.join(&self.name)
    }

    fn regular(&self, options: &fs::OpenOptions) -> io::Result<File> {
        match self.found()?.kind {
            Kind::File => options.open(self.path()),
            Kind::Link => Err(link_in_the_way()),
            Kind::Folder => Err(ErrorKind::IsADirectory.into()),
            Kind::Other => Err(no_file()),
        }
    }
}

/// Does what fails on Windows while another program (a scanner, an indexer, an editor) has the file open for itself.
/// Most of them need it for a moment.
fn patiently(act: impl Fn() -> io::Result<()>) -> io::Result<()> {
    let mut pauses = PAUSES.into_iter();
    loop {
        match act() {
            Err(error)
                if error
                    .raw_os_error()
                    .is_some_and(|code| IN_USE.contains(&code)) =>
            {
                let Some(pause) = pauses.next() else {
                    let text = format!(
                        "another program has the file open, or it may not be written; close it there ({error})"
                    );
                    return Err(io::Error::new(error.kind(), text));
                };
                std::thread::sleep(Duration::from_millis(pause));
            }
            done => return done,
        }
    }
}

/// Access denied, sharing violation, lock violation.
const IN_USE: [i32; 3] = [5, 32, 33];
/// Milliseconds between tries: about a second in all.
const PAUSES: [u64; 6] = [10, 20, 50, 120, 300, 500];
