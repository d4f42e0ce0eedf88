//! Where a path really leads, and whether that is inside the project.
//!
//! A path is followed component by component as the system would follow it: links (dangling ones too) are replaced by
//! what they point to, `..` goes to the real parent, and what does not exist yet is appended as written. The result is
//! compared with the canonical project folder by component, and with the content roots that an IDE has named beside it
//! (`root`). Whatever cannot be followed counts as outside. It reads the file system and never changes it. Between the
//! answer and its use somebody else may put a link in the way: so what was found is opened by [`Confinement::hold`],
//! which follows no link (`held`).

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use percent_encoding::percent_decode_str;

pub use held::regular_text;
pub use held::{Entry, Folder, Found, Kind, regular_file};
pub use links::{FoundLink, Looks};
pub(crate) use quoting::quoted;
#[cfg(test)]
pub(crate) use quoting::unquoted;
pub use quoting::{on_one_line, written};
pub use root::Private;
use root::Root;
use siderail_os::System;
use siderail_os::files::is_there_by_memory;
use win32::Trouble;

mod held;
mod links;
mod quoting;
mod root;
mod win32;

/// As many links as Linux follows in one path.
const MOST_LINKS: usize = 40;

/// The folders of a project that paths are compared with.
#[derive(Clone, Debug)]
pub struct Confinement {
    /// The project's own.
    base: Root,
    /// Content roots that lie elsewhere; one may be above the project's folder.
    further: Vec<Root>,
}

/// A path inside the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confined {
    /// Absolute, without links.
    pub absolute: PathBuf,
    /// From the project folder as it is printed ([`written`]); `.` for the folder itself. In another content root
    /// absolute.
    pub relative: String,
    /// Whether something is there.
    pub exists: bool,
}

/// Why a path is not accepted. Lower-case fragments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nothing was given.
    #[error("the path is empty")]
    Empty,
    /// A `file:` address that names no path on this machine.
    #[error("`{0}` is not a usable file address")]
    BadAddress(String),
    /// Windows has no file of that name in any folder, though it opens something by it.
    #[error("`{given}` is not a valid file name on Windows: {why}")]
    NoName {
        /// As given.
        given: String,
        /// The reason.
        why: &'static str,
    },
    /// It leads out of the project.
    #[error("`{given}` is outside the project folder {}{}", root.display(), and_others(further))]
    Outside {
        /// As given.
        given: String,
        /// The project folder.
        root: PathBuf,
        /// The project's other content roots.
        further: Vec<PathBuf>,
    },
    /// It cannot be followed, and so counts as outside.
    #[error("`{given}` cannot be followed ({why}) and counts as outside the project")]
    Unfollowable {
        /// As given.
        given: String,
        /// The system's error.
        why: String,
    },
}

impl Confinement {
    /// Takes a project folder, which must exist.
    pub fn new(project: &Path) -> io::Result<Self> {
        Ok(Self {
            base: Root::new(project)?,
            further: Vec::new(),
        })
    }

    /// Takes a project folder as [`Self::root`] named it before.
    ///
    /// # Errors
    /// It is gone, or a link has come on the way to it: it would be another folder.
    pub fn known(project: &Path) -> io::Result<Self> {
        let confinement = Self::new(project)?;
        let base = Root {
            path: project.to_owned(),
            ..confinement.base.clone()
        };
        // A path that leads to itself has no link on it.
        match confinement.base.path == base.path || base.is_in_place() {
            true => Ok(confinement),
            false => Err(replaced()),
        }
    }

    /// The same with the content roots that an IDE has named beside the project's folder, and why some are not taken,
    /// in sentences.
    pub fn with_named_roots(self, named: &[PathBuf], private: Private<'_>) -> (Self, Vec<String>) {
        let mut confinement = self.with_roots(&[]);
        let refused = root::taken(&confinement.base, named, private, &mut confinement.further);
        (confinement, refused)
    }

    /// The same with roots that were taken before, as [`Self::further`] names them. One that is gone, or has become a
    /// link, is left out.
    #[must_use]
    pub fn with_roots(self, roots: &[PathBuf]) -> Self {
        let root = |path: &PathBuf| Root::new(path).ok().filter(|root| root.path() == path);
        Self {
            further: roots.iter().filter_map(root).collect(),
            ..self
        }
    }

    /// The same without content roots that are in none of `other`.
    #[must_use]
    pub fn narrowed_to(mut self, other: &Self) -> Self {
        let is_in = |root: &Root| {
            let mut outer = other.further.iter();
            outer.any(|outer| outer.below(&root.path).is_some())
        };
        self.further.retain(is_in);
        self
    }

    /// The canonical project folder.
    pub fn root(&self) -> &Path {
        self.base.path()
    }

    /// The project's content roots that are not in its folder, canonical.
    pub fn further(&self) -> impl Iterator<Item = &Path> {
        self.further.iter().map(Root::path)
    }

    /// The folder of the project that a canonical path lies in; the project's own goes first.
    pub fn root_of(&self, absolute: &Path) -> Option<&Path> {
        Some(self.placed(absolute)?.0.path())
    }

    /// Follows a path to what it names, through all links. Accepts paths relative to the project,
    /// absolute ones, both also as they are printed ([`written`]), and `file://` addresses.
    pub fn resolve(&self, given: &str) -> Result<Confined, Refusal> {
        self.confine(given, Last::Followed)
    }

    /// Answers as [`Self::resolve`] without waiting for a disk. `None` if that is not possible, and for a path outside of the
    /// project, with `..` or through a link; on other systems than Linux always.
    pub fn resolve_at_once(&self, given: &str) -> Option<Confined> {
        let path = self.root().join(written_path(given).ok()?);
        if path.components().any(|step| step == Component::ParentDir) {
            return None;
        }
        let absolute: PathBuf = path.components().collect();
        Some(Confined {
            relative: self.relative(&absolute)?,
            exists: is_there_by_memory(&absolute)?,
            absolute,
        })
    }

    /// As [`Self::resolve`], but a link at the end is the thing itself: what deleting and moving act on.
    pub fn resolve_entry(&self, given: &str) -> Result<Confined, Refusal> {
        self.confine(given, Last::Itself)
    }

    /// The rest of a canonical path below the folder of the project that contains it; empty for that folder itself.
    pub fn below(&self, absolute: &Path) -> Option<PathBuf> {
        Some(self.placed(absolute)?.1)
    }

    /// One of the project's folders, held open, and the rest of a canonical path below it; the project's own for paths
    /// that are in none of them.
    ///
    /// # Errors
    /// It is gone, or is a link now.
    pub fn folder_of(&self, absolute: &Path) -> io::Result<(Folder, PathBuf)> {
        let (root, below) = self
            .placed(absolute)
            .unwrap_or_else(|| (&self.base, PathBuf::new()));
        Ok((Folder::open(root.path())?, below))
    }

    /// What a path was found to name, in its folder, which is held open: no link that came meanwhile is followed.
    ///
    /// # Errors
    /// Its parent folder is missing, or a link is on the way by now.
    pub fn hold(&self, confined: &Confined) -> io::Result<Entry> {
        let (folder, below) = self.folder_of(&confined.absolute)?;
        folder.entry(&below)
    }

    /// A canonical absolute path as the project's tools print it, if it is inside.
    pub fn relative(&self, absolute: &Path) -> Option<String> {
        let (root, below) = self.placed(absolute)?;
        Some(match below.as_os_str().is_empty() {
            _ if !self.is_base(root) => written(&root.path().join(below)),
            true => ".".to_owned(),
            false => written(&below),
        })
    }

    /// From its content root on, for comparing names: never quoted, and bytes that are not text are replaced.
    pub fn unquoted(&self, absolute: &Path) -> Option<String> {
        let (_, below) = self.placed(absolute)?;
        let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
        Some(match names.is_empty() {
            true => ".".to_owned(),
            false => names.join("/"),
        })
    }

    fn confine(&self, given: &str, last: Last) -> Result<Confined, Refusal> {
        let unfollowable = |error: io::Error| Refusal::Unfollowable {
            given: given.to_owned(),
            why: error.to_string(),
        };
        let outside = || Refusal::Outside {
            given: given.to_owned(),
            root: self.root().to_owned(),
            further: self.further().map(Path::to_owned).collect(),
        };
        let mut path = written_path(given)?;
        if System::HERE.is_windows() {
            let plain = self.plain(&path.to_string_lossy());
            path = plain.map(PathBuf::from).map_err(|trouble| match trouble {
                Trouble::NoName(why) => Refusal::NoName {
                    given: given.to_owned(),
                    why,
                },
                Trouble::Away => outside(),
            })?;
        }
        let (absolute, exists) = follow(self.root(), &path, last).map_err(unfollowable)?;
        let relative = self.relative(&absolute).ok_or_else(outside)?;
        let root = self.placed(&absolute).map(|(root, _)| root);
        if !root.is_some_and(Root::is_in_place) {
            return Err(unfollowable(replaced()));
        }
        Ok(Confined {
            absolute,
            relative,
            exists,
        })
    }

    /// A written path of Windows on a drive, or on a share that one of the project's folders is on.
    fn plain(&self, given: &str) -> Result<String, Trouble> {
        let plain = |root: &Root| win32::plain(given, &root.path().to_string_lossy());
        let of_others = || self.further.iter().find_map(|root| plain(root).ok());
        plain(&self.base).or_else(|trouble| of_others().ok_or(trouble))
    }

    fn placed(&self, absolute: &Path) -> Option<(&Root, PathBuf)> {
        let mut roots = std::iter::once(&self.base).chain(&self.further);
        roots.find_map(|root| Some((root, root.below(absolute)?)))
    }

    fn is_base(&self, root: &Root) -> bool {
        std::ptr::eq(root, &raw const self.base)
    }
}

fn replaced() -> io::Error {
    io::Error::other(
        "a link has replaced a folder of the project (its own or a content root), or one above it",
    )
}

fn and_others(further: &[PathBuf]) -> String {
    let names: Vec<_> = further
        .iter()
        .map(|root| root.display().to_string())
        .collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(" and its other content roots {}", names.join(", ")),
    }
}

/// What becomes of a link in the last place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Followed,
    Itself,
}

/// The path in a given text, still relative or absolute.
fn written_path(given: &str) -> Result<PathBuf, Refusal> {
    if given.is_empty() {
        return Err(Refusal::Empty);
    }
    if let Some(path) = quoting::unquoted(given) {
        return match path.as_os_str().is_empty() {
            true => Err(Refusal::Empty),
            false => Ok(path),
        };
    }
    let Some(address) = given.strip_prefix("file:") else {
        return Ok(PathBuf::from(given));
    };
    let bad = || Refusal::BadAddress(given.to_owned());
    let path = match address.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => address,
    };
    if !path.starts_with('/') {
        return Err(bad());
    }
    let decoded = percent_decoded(path).ok_or_else(bad)?;
    let drive = decoded.as_bytes().get(2) == Some(&b':');
    Ok(PathBuf::from(if System::HERE.is_windows() && drive {
        &decoded[1..]
    } else {
        decoded.as_ref()
    }))
}

/// An address with a `%` that encodes nothing is refused: which file is meant is anybody's guess.
fn percent_decoded(text: &str) -> Option<Cow<'_, str>> {
    let is_byte = |piece: &str| {
        let digits = piece.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let is_whole = text.split('%').skip(1).all(is_byte);
    let decoded = is_whole.then(|| percent_decode_str(text).decode_utf8());
    decoded?.ok()
}

/// Follows `path` from `root`; answers where it ends and whether something is there.
fn follow(root: &Path, path: &Path, last: Last) -> io::Result<(PathBuf, bool)> {
    let mut current = root.to_owned();
    let mut steps = VecDeque::new();
    enqueue(path, &mut current, &mut steps);
    let mut n_missing = 0;
    let mut n_links = 0;
    while let Some(step) = steps.pop_front() {
        if step == ".." {
            current.pop();
            n_missing = usize::saturating_sub(n_missing, 1);
            continue;
        }
        current.push(&step);
        if n_missing > 0 {
            n_missing += 1;
            continue;
        }
        let is_link = match fs::symlink_metadata(&current) {
            Ok(metadata) => metadata.is_symlink(),
            Err(error) if is_missing(&error) => {
                n_missing = 1;
                false
            }
            Err(error) => return Err(error),
        };
        if is_link && (last == Last::Followed || !steps.is_empty()) {
            n_links += 1;
            if n_links > MOST_LINKS {
                return Err(io::Error::other("too many links"));
            }
            let mut target = fs::read_link(&current)?;
            current.pop();
            if System::HERE.is_windows() {
                let plain = win32::plain(&target.to_string_lossy(), &root.to_string_lossy());
                target = plain
                    .map_err(|_| io::Error::other("it leads to another computer or a device"))?
                    .into();
            }
            enqueue(&target, &mut current, &mut steps);
        }
    }
    if System::HERE != System::Linux {
        current = listed(&current, n_missing, last)?;
    }
    Ok((current, n_missing == 0))
}

/// A path with the names that its folders list: on Windows a file has more, `GIT~1` and `.GIT` beside `.git`, and on
/// macOS spellings that differ in case or in how letters are composed. Its last `n_missing` names are of nothing that is there.
fn listed(path: &Path, n_missing: usize, last: Last) -> io::Result<PathBuf> {
    let is_link = || fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    let n_kept = match n_missing {
        0 if last == Last::Itself && is_link() => 1,
        n_missing => n_missing,
    };
    let Some(there) = path.ancestors().nth(n_kept) else {
        return Ok(path.to_owned());
    };
    let mut found = simplified(fs::canonicalize(there)?);
    found.extend(path.strip_prefix(there).unwrap_or(Path::new("")));
    Ok(found)
}

/// Puts the steps of `path` before the others; an absolute path starts over at its own root.
fn enqueue(path: &Path, current: &mut PathBuf, steps: &mut VecDeque<OsString>) {
    let mut front = Vec::new();
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => current.push(component.as_os_str()),
            Component::CurDir => {}
            Component::ParentDir => front.push(OsString::from("..")),
            Component::Normal(name) => front.push(name.to_owned()),
        }
    }
    for step in front.into_iter().rev() {
        steps.push_front(step);
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// A canonical Windows path without its `\\?\`, which no written path has.
pub fn simplified(path: PathBuf) -> PathBuf {
    if System::HERE.is_windows() {
        let text = path.to_string_lossy();
        if let Some(share) = text.strip_prefix(r"\\?\UNC\") {
            return PathBuf::from(format!(r"\\{share}"));
        }
        if let Some(rest) = text.strip_prefix(r"\\?\")
            && rest.as_bytes().get(1) == Some(&b':')
        {
            return PathBuf::from(rest);
        }
    }
    path
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
