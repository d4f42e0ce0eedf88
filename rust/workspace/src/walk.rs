//! Walks a folder of the project as a person sees it: ignore files respected, nothing of git's own.
//!
//! Each folder is opened from the project's root on without following a link, and of ignore files only regular ones are
//! read: neither a pipe called `.gitignore` nor a link that comes in the way leads anywhere. That is why the `ignore`
//! crate reads the rules here and does not walk itself: it opens by name whatever is there.
//!
//! Several threads walk, each with a visitor of its own, in no order; the caller sorts what was met.

mod ignored;
mod queue;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::thread;

use crate::confine::{Confinement, Folder, Kind, on_one_line, written};
use crate::outcome::ToolFailure;

use ignored::{Ignored, Rules, is_never_shown};
use queue::{Job, Queue, Subfolder};

/// More threads only wait for the disk, or for each other.
const MOST_THREADS: usize = 12;
/// Asked for once: the answer is in a dozen files of the system, whose reading takes longer than a small folder.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));
/// Entries of one folder that one thread takes at a time.
const SHARE: usize = 128;
/// Files in a folder without subfolders that are met sooner than another thread would have begun.
const FEW: usize = 8;

/// The content root whose files are walked.
#[derive(Clone, Copy)]
struct Top<'a> {
    path: &'a Path,
    /// It is the project's own folder.
    is_base: bool,
}

impl Top<'_> {
    fn named(self, below: PathBuf) -> PathBuf {
        match self.is_base {
            true => below,
            false => self.path.join(below),
        }
    }

    /// What to say of a folder that cannot be read.
    fn unread(self, below: PathBuf, error: &io::Error) -> String {
        let named = self.named(below);
        let shown = match named.as_os_str().is_empty() {
            true => ".".to_owned(),
            false => written(&named),
        };
        on_one_line(&format!("{shown}: {error}"))
    }
}

/// Something that a walk has met.
pub(crate) struct Met<'a> {
    top: Top<'a>,
    /// What it is in; none if it is a folder.
    folder: Option<&'a Folder>,
    /// The path of its folder, from there.
    inside: &'a Path,
    name: &'a OsStr,
    pub(crate) kind: Kind,
}

impl Met<'_> {
    /// Whether it is a regular file: neither folder nor link nor device.
    pub(crate) fn is_file(&self) -> bool {
        self.kind == Kind::File
    }

    /// Its path from the content root.
    pub(crate) fn below(&self) -> PathBuf {
        self.inside.join(self.name)
    }

    /// Its path as tools name it: from the project's folder, absolute where another content root is walked.
    pub(crate) fn named(&self) -> PathBuf {
        self.top.named(self.below())
    }

    /// Its path, canonical and absolute.
    pub(crate) fn path(&self) -> PathBuf {
        let mut path = self.top.path.join(self.inside);
        path.push(self.name);
        path
    }

    /// Folders between it and the content root, itself counted.
    pub(crate) fn depth(&self) -> usize {
        self.inside.iter().count() + 1
    }

    /// Opens it for reading, if it still is a regular file.
    pub(crate) fn open(&self) -> io::Result<File> {
        let no_file = || io::Error::from(io::ErrorKind::IsADirectory);
        self.folder.ok_or_else(no_file)?.listed_file(self.name)
    }
}

/// Takes what one thread of a walk meets.
pub(crate) trait Visitor: Send {
    /// A file, a folder, a link or something else.
    fn meet(&mut self, met: &Met<'_>);
    /// Something that could not be read, in words.
    fn miss(&mut self, problem: String);
    /// Whether the walk is to end before all has been met; asked now and then.
    fn is_done(&self) -> bool;
}

/// Which of some folders, all absolute, a project leaves out beside what ignore files exclude. Asked by several threads,
/// and may wait.
pub(crate) type LeftOut<'a> =
    dyn Fn(&[PathBuf]) -> Result<HashSet<PathBuf>, ToolFailure> + Sync + 'a;

/// Walks all below `folder`, itself left out. Links are not followed. Ignore files count from its content root down,
/// none above it, and what `left_out` says, if anybody does. A folder that is itself excluded was named on purpose and is
/// walked on its own. From another content root no walk comes into the project's own folder, which has walks of its own.
pub(crate) fn walk<V: Visitor>(
    project: &Confinement,
    folder: &Path,
    left_out: Option<&LeftOut<'_>>,
    visitor: impl Fn() -> V + Sync,
) -> Vec<V> {
    let path = project.root_of(folder).unwrap_or_else(|| project.root());
    let is_base = path == project.root();
    let top = Top { path, is_base };
    let (walk, below) = match project.folder_of(folder) {
        Ok((root, below)) => {
            let walk = Walk {
                top,
                apart: (!is_base).then(|| project.root()),
                ignored: Ignored::new(path, root),
                left_out: left_out.filter(|ask| !is_left_out(*ask, folder)),
                queue: Queue::default(),
            };
            (walk, below)
        }
        Err(error) => {
            let mut alone = visitor();
            alone.miss(top.unread(PathBuf::new(), &error));
            return vec![alone];
        }
    };
    let above = walk.ignored.rules_above(&below);
    let mut here = visitor();
    if here.is_done() {
        return vec![here];
    }
    let Some((level, entries)) = walk.list(Subfolder { below, above }, &mut here) else {
        return vec![here];
    };
    let is_deeper =
        |(name, kind): &(OsString, Kind)| *kind == Kind::Folder && !is_never_shown(name);
    if entries.len() <= FEW && !entries.iter().any(is_deeper) {
        walk.meet(&level, entries, &mut here);
        return vec![here];
    }
    walk.queue.put([Job::Share { level, entries }]);
    // One that asks waits for the answer.
    let n_threads = *PROCESSORS + usize::from(left_out.is_some());
    let work = || walk.work(visitor());
    thread::scope(|scope| {
        let others: Vec<_> = (1..n_threads.min(MOST_THREADS))
            // Where no thread can be had, fewer do it.
            .filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut visitors = vec![walk.work(here)];
        for other in others {
            match other.join() {
                Ok(visitor) => visitors.push(visitor),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        visitors
    })
}

/// The paths below `folder`, absolute and in their order, at most `most`.
pub(crate) fn paths(project: &Confinement, folder: &Path, most: usize) -> Vec<PathBuf> {
    struct Collected(Vec<PathBuf>, usize);
    impl Visitor for Collected {
        fn meet(&mut self, met: &Met<'_>) {
            self.0.push(met.path());
        }
        fn miss(&mut self, _: String) {}
        fn is_done(&self) -> bool {
            self.0.len() > self.1
        }
    }
    let visitors = walk(project, folder, None, || Collected(Vec::new(), most));
    let mut paths: Vec<PathBuf> = visitors.into_iter().flat_map(|all| all.0).collect();
    paths.sort_unstable();
    paths.truncate(most);
    paths
}

struct Walk<'a> {
    top: Top<'a>,
    /// A folder that has a walk of its own.
    apart: Option<&'a Path>,
    ignored: Ignored<'a>,
    /// None where nobody leaves anything out, or all.
    left_out: Option<&'a LeftOut<'a>>,
    queue: Queue,
}

/// The names in a folder, or some of them.
type Entries = Vec<(OsString, Kind)>;

/// A folder that is being walked.
struct Level {
    /// From the content root.
    below: PathBuf,
    folder: Folder,
    rules: Option<Arc<Rules>>,
}

/// Ends the walk for all threads where one of them panics, since the others would wait for it.
struct Ending<'a>(&'a Queue);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end();
        }
    }
}

impl Walk<'_> {
    fn work<V: Visitor>(&self, mut visitor: V) -> V {
        let _ending = Ending(&self.queue);
        while let Some(job) = self.queue.take() {
            if visitor.is_done() {
                self.queue.end();
                break;
            }
            match job {
                Job::Folder(folder) => {
                    if let Some((level, entries)) = self.list(folder, &mut visitor) {
                        self.meet(&level, entries, &mut visitor);
                    }
                }
                Job::Share { level, entries } => self.meet(&level, entries, &mut visitor),
                Job::Ask(folders) => {
                    if let Some(ask) = self.left_out {
                        self.ask(ask, folders, &mut visitor);
                    }
                    self.queue.asked();
                }
            }
            self.queue.done();
        }
        visitor
    }

    /// What is in a folder. Of a large one other threads get the rest.
    fn list<V: Visitor>(
        &self,
        folder: Subfolder,
        visitor: &mut V,
    ) -> Option<(Arc<Level>, Entries)> {
        let Subfolder { below, above } = folder;
        let opened = self.ignored.root().folder(&below);
        let listed = opened.and_then(|folder| Ok((folder.entries()?, folder)));
        let (mut entries, folder) = match listed {
            Ok(listed) => listed,
            // It was there a moment ago, or the call would not have come here.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                visitor.miss(self.top.unread(below, &error));
                return None;
            }
        };
        let has_rules = entries
            .iter()
            .any(|(name, _)| name == ".ignore" || name == ".gitignore" || name == ".git");
        let rules = match has_rules {
            true => self.ignored.rules_of(&below, above),
            false => above,
        };
        let level = Arc::new(Level {
            below,
            folder,
            rules,
        });
        while entries.len() > SHARE {
            let rest = entries.split_off(entries.len() - SHARE);
            let level = Arc::clone(&level);
            let entries = rest;
            self.queue.put([Job::Share { level, entries }]);
        }
        Some((level, entries))
    }

    fn meet<V: Visitor>(&self, level: &Level, entries: Entries, visitor: &mut V) {
        let mut folders = Vec::new();
        for (index, (name, kind)) in entries.into_iter().enumerate() {
            if index % 16 == 15 && visitor.is_done() {
                break;
            }
            let is_folder = kind == Kind::Folder;
            let met = Met {
                top: self.top,
                folder: (!is_folder).then_some(&level.folder),
                inside: &level.below,
                name: &name,
                kind,
            };
            let rules = level.rules.as_ref();
            if self
                .ignored
                .excludes(rules, &name, is_folder, || met.path())
            {
                continue;
            }
            if is_folder {
                let (below, above) = (met.below(), level.rules.clone());
                if self.apart.is_none_or(|apart| apart != met.path()) {
                    folders.push(Subfolder { below, above });
                }
            } else {
                visitor.meet(&met);
            }
        }
        match self.left_out {
            _ if folders.is_empty() => {}
            Some(_) => self.queue.ask(folders),
            None => self.go_into(folders, visitor),
        }
    }

    /// Goes into those of some folders that are not left out.
    fn ask<V: Visitor>(&self, ask: &LeftOut<'_>, mut folders: Vec<Subfolder>, visitor: &mut V) {
        let path = |folder: &Subfolder| self.top.path.join(&folder.below);
        match ask(&folders.iter().map(path).collect::<Vec<_>>()) {
            Ok(left_out) => {
                folders.retain(|folder| !left_out.contains(&path(folder)));
                self.go_into(folders, visitor);
            }
            Err(failure) => {
                for folder in &folders {
                    let problem = {
                        let named = self.top.named(folder.below.clone());
                        format!("{}: {}", written(&named), failure.text)
                    };
                    visitor.miss(on_one_line(&problem));
                }
            }
        }
    }

    fn go_into<V: Visitor>(&self, folders: Vec<Subfolder>, visitor: &mut V) {
        for Subfolder { below, .. } in &folders {
            visitor.meet(&Met {
                top: self.top,
                folder: None,
                inside: below.parent().unwrap_or(Path::new("")),
                name: below.file_name().unwrap_or_default(),
                kind: Kind::Folder,
            });
        }
        self.queue.put(folders.into_iter().map(Job::Folder));
    }
}

/// If nobody knows, each folder in it is asked about, and reported.
fn is_left_out(ask: &LeftOut<'_>, folder: &Path) -> bool {
    ask(&[folder.to_owned()]).is_ok_and(|left_out| !left_out.is_empty())
}
