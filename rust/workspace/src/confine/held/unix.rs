//! Unix: descriptors of folders, and the calls that take a name in one of them.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::fs::{Access, AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use siderail_os::files::FileId;

use super::entry_kind::{Found, Kind, link_in_the_way, no_file};

/// Folders in folders that are deleted; deeper ones are some program's mistake.
const MOST_DEPTH: usize = 400;
/// To continue from a folder, no right to list it is needed.
#[cfg(target_os = "linux")]
const STEP: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const STEP: OFlags = OFlags::RDONLY;
/// Opening waits for nobody and makes nothing our terminal.
const AT_ONCE: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

/// A folder that is held open.
#[derive(Clone, Debug)]
pub struct Folder {
    fd: Arc<OwnedFd>,
    way: Way,
}

/// A name in a folder that is held open. Nothing need be there.
#[derive(Clone, Debug)]
pub struct Entry {
    folder: Folder,
    name: OsString,
}

/// How a path of several components is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By the kernel in one call, where it can.
    Kernel,
    /// Component by component.
    ByHand,
}

impl Folder {
    /// Opens a folder by its canonical path.
    ///
    /// # Errors
    /// It is not there, or is not a folder.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut folder = Self::open_by(path, Way::Kernel)?;
        if !folder.kernel_can() {
            folder.way = Way::ByHand;
        }
        Ok(folder)
    }

    pub(super) fn open_by(path: &Path, way: Way) -> io::Result<Self> {
        let flags = STEP | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Self {
            fd: Arc::new(fd),
            way,
        })
    }

    /// A folder below this one; the folder itself for an empty path.
    ///
    /// # Errors
    /// It does not exist, is not a folder, or a link is on the way.
    pub fn folder(&self, below: &Path) -> io::Result<Self> {
        if below.as_os_str().is_empty() {
            return Ok(self.clone());
        }
        let fd = self.walk(below, STEP | OFlags::DIRECTORY)?;
        Ok(Self {
            fd: Arc::new(fd),
            way: self.way,
        })
    }

    /// A name below this folder, in its own folder.
    ///
    /// # Errors
    /// That folder does not exist, or a link is on the way.
    pub fn entry(&self, below: &Path) -> io::Result<Entry> {
        let Some(name) = below.file_name() else {
            // The folder itself.
            return Ok(Entry {
                folder: self.clone(),
                name: ".".into(),
            });
        };
        Ok(Entry {
            folder: self.folder(below.parent().unwrap_or(Path::new("")))?,
            name: name.to_owned(),
        })
    }

    /// Opens a regular file below this folder for reading.
    ///
    /// # Errors
    /// It does not exist, cannot be opened, is not a regular file, or a link is on the way.
    pub fn file(&self, below: &Path) -> io::Result<File> {
        self.entry(below)?.file()
    }

    /// Opens a file of this folder that was listed as a regular one, without looking at it again first.
    ///
    /// # Errors
    /// It is not there, cannot be opened, or is something else by now.
    pub fn listed_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | AT_ONCE;
        match rustix::fs::openat(self.fd.as_fd(), name, flags, Mode::empty()) {
            Ok(fd) => Ok(File::from(fd)),
            Err(Errno::LOOP) => Err(link_in_the_way()),
            Err(Errno::NXIO) => Err(no_file()),
            Err(error) => Err(error.into()),
        }
    }

    /// What is in the folder, in no order, without `.` and `..`.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn entries(&self) -> io::Result<Vec<(OsString, Kind)>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let listed = rustix::fs::openat(self.fd.as_fd(), ".", flags, Mode::empty())?;
        let mut entries = Vec::new();
        for entry in Dir::new(listed)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                // Not every file system says it here.
                FileType::Unknown => match self.stat(name) {
                    Ok(stat) => found(&stat).kind,
                    Err(_) => continue,
                },
                known => kind_of(known),
            };
            entries.push((name.to_owned(), kind));
        }
        Ok(entries)
    }

    /// Brings the names in it to disk, where the system can.
    pub fn sync(&self) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        if let Ok(folder) = rustix::fs::openat(self.fd.as_fd(), ".", flags, Mode::empty()) {
            let _ = rustix::fs::fsync(folder);
        }
    }

    fn stat(&self, name: &OsStr) -> io::Result<Stat> {
        Ok(rustix::fs::statat(
            self.fd.as_fd(),
            name,
            AtFlags::SYMLINK_NOFOLLOW,
        )?)
    }

    /// An old kernel, or a sandbox that does not know the call, cannot.
    #[cfg(target_os = "linux")]
    fn kernel_can(&self) -> bool {
        let flags = STEP | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let resolve = rustix::fs::ResolveFlags::BENEATH;
        let opened = rustix::fs::openat2(self.fd.as_fd(), ".", flags, Mode::empty(), resolve);
        !matches!(opened, Err(Errno::NOSYS | Errno::PERM))
    }

    #[cfg(not(target_os = "linux"))]
    fn kernel_can(&self) -> bool {
        false
    }

    fn walk(&self, below: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let is_plain = |component| matches!(component, Component::Normal(_));
        if !below.components().all(is_plain) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        #[cfg(target_os = "linux")]
        if self.way == Way::Kernel {
            use rustix::fs::ResolveFlags;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            match rustix::fs::openat2(self.fd.as_fd(), below, flags, Mode::empty(), resolve) {
                Err(Errno::LOOP) => return Err(link_in_the_way()),
                // A link where a folder is wanted, in the last place.
                Err(Errno::NOTDIR) => {}
                result => return Ok(result?),
            }
        }
        self.walk_by_hand(below, flags)
    }

    fn walk_by_hand(&self, below: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let mut current: Option<OwnedFd> = None;
        let mut names = below.iter().peekable();
        while let Some(name) = names.next() {
            let at = current.as_ref().map_or(self.fd.as_fd(), |fd| fd.as_fd());
            let step = match names.peek() {
                Some(_) => STEP | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
                None => flags,
            };
            match rustix::fs::openat(at, name, step, Mode::empty()) {
                Ok(fd) => current = Some(fd),
                Err(Errno::LOOP) => return Err(link_in_the_way()),
                Err(Errno::NOTDIR) if is_link(at, name) => return Err(link_in_the_way()),
                Err(error) => return Err(error.into()),
            }
        }
        current.ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

impl Entry {
    /// Another name in the same folder.
    #[must_use]
    pub fn beside(&self, name: impl Into<OsString>) -> Self {
        Self {
            folder: self.folder.clone(),
            name: name.into(),
        }
    }

    /// The folder that it is in.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The name.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// What is there, a link itself.
    ///
    /// # Errors
    /// Nothing is there, or it cannot be asked.
    pub fn found(&self) -> io::Result<Found> {
        self.folder.stat(&self.name).map(|stat| found(&stat))
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// It is not there, cannot be opened, or is something else.
    pub fn file(&self) -> io::Result<File> {
        self.regular(OFlags::RDONLY)
    }

    /// Opens a regular file for reading and writing; its text stays.
    ///
    /// # Errors
    /// As [`Self::file`].
    pub fn file_to_change(&self) -> io::Result<File> {
        self.regular(OFlags::RDWR)
    }

    /// Makes a file where nothing is, for writing. `is_private`: only for its owner; else as usual.
    ///
    /// # Errors
    /// Something is there, or it cannot be made.
    pub fn create(&self, is_private: bool) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let mode = Mode::from_raw_mode(if is_private { 0o600 } else { 0o666 });
        self.openat(flags, mode).map(File::from)
    }

    /// Makes a folder.
    ///
    /// # Errors
    /// Something is there, or it cannot be made.
    pub fn create_folder(&self) -> io::Result<()> {
        let mode = Mode::from_raw_mode(0o777);
        Ok(rustix::fs::mkdirat(self.fd(), &self.name, mode)?)
    }

    /// Renames it; an existing target is replaced.
    ///
    /// # Errors
    /// The system refuses.
    pub fn rename(&self, to: &Self) -> io::Result<()> {
        Ok(rustix::fs::renameat(
            self.fd(),
            &self.name,
            to.fd(),
            &to.name,
        )?)
    }

    /// Renames it onto nothing.
    ///
    /// # Errors
    /// The target exists, or the system refuses.
    pub fn rename_onto_nothing(&self, to: &Self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            let flags = RenameFlags::NOREPLACE;
            match renameat_with(self.fd(), &self.name, to.fd(), &to.name, flags) {
                // Not every file system knows the flag.
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                result => return Ok(result?),
            }
        }
        match to.found() {
            Ok(there) if !self.is_same_name(to, &there) => Err(io::ErrorKind::AlreadyExists.into()),
            _ => self.rename(to),
        }
    }

    /// Deletes a file, a link, a pipe.
    ///
    /// # Errors
    /// The system refuses.
    pub fn remove(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(
            self.fd(),
            &self.name,
            AtFlags::empty(),
        )?)
    }

    /// Deletes an empty folder.
    ///
    /// # Errors
    /// It is not empty, or the system refuses.
    pub fn remove_folder(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(
            self.fd(),
            &self.name,
            AtFlags::REMOVEDIR,
        )?)
    }

    /// Deletes a folder with all that is in it; links are deleted, not followed.
    ///
    /// # Errors
    /// The system refuses something; what was deleted before stays so.
    pub fn remove_all(&self) -> io::Result<()> {
        self.remove_below(MOST_DEPTH)
    }

    fn remove_below(&self, depth: usize) -> io::Result<()> {
        if depth == 0 {
            return Err(io::Error::other("the folders are too deep"));
        }
        let inside = self.folder.folder(Path::new(&self.name))?;
        for (name, kind) in inside.entries()? {
            let entry = Self {
                folder: inside.clone(),
                name,
            };
            let removed = match kind {
                Kind::Folder => entry.remove_below(depth - 1),
                _ => entry.remove(),
            };
            match removed {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.remove_folder()
    }

    /// Whether the system would let us write to it.
    pub fn is_writable(&self) -> bool {
        rustix::fs::accessat(self.fd(), &self.name, Access::WRITE_OK, AtFlags::empty()).is_ok()
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.folder.fd.as_fd()
    }

    fn regular(&self, flags: OFlags) -> io::Result<File> {
        // Looked at before it is opened, since opening alone does something to some devices.
        match self.found()?.kind {
            Kind::File => {}
            Kind::Link => return Err(link_in_the_way()),
            Kind::Folder => return Err(io::ErrorKind::IsADirectory.into()),
            Kind::Other => return Err(no_file()),
        }
        let file = File::from(self.openat(flags | AT_ONCE, Mode::empty())?);
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(no_file()),
        }
    }

    fn openat(&self, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(self.fd(), &self.name, flags, mode) {
            Err(Errno::LOOP) => Err(link_in_the_way()),
            // A pipe without a reader, or a socket, that came meanwhile.
            Err(Errno::NXIO) => Err(no_file()),
            result => Ok(result?),
        }
    }

    /// A name that differs in case only may be the same entry.
    fn is_same_name(&self, to: &Self, there: &Found) -> bool {
        let folded = |name: &OsStr| name.to_string_lossy().to_lowercase();
        let here = self.found();
        folded(&self.name) == folded(&to.name) && here.is_ok_and(|here| here.id == there.id)
    }
}

fn is_link(at: BorrowedFd<'_>, name: &OsStr) -> bool {
    rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

fn kind_of(kind: FileType) -> Kind {
    match kind {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    }
}

#[expect(
    clippy::unnecessary_cast,
    reason = "the widths of these fields differ between systems"
)]
fn found(stat: &Stat) -> Found {
    let seconds = stat.st_mtime as i64;
    let since = Duration::new(seconds.unsigned_abs(), 0);
    let whole = match seconds < 0 {
        true => SystemTime::UNIX_EPOCH.checked_sub(since),
        false => SystemTime::UNIX_EPOCH.checked_add(since),
    };
    let part = Duration::from_nanos(stat.st_mtime_nsec as u64);
    Found {
        kind: kind_of(FileType::from_raw_mode(stat.st_mode)),
        length: u64::try_from(stat.st_size).unwrap_or_default(),
        modified: whole.and_then(|whole| whole.checked_add(part)),
        id: FileId {
            device: stat.st_dev as u64,
            number: stat.st_ino as u64,
        },
    }
}
