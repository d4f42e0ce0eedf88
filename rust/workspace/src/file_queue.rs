//! Which job may start: jobs that touch the same paths one after the other, all others side by side.
//!
//! Agents call tools in parallel; edits of one file must not interleave, and a move is an edit of two. A job starts
//! when no earlier one touches a path of its own, a folder above it or something below it, so that nobody is overtaken
//! and no two wait for each other. The queue only keeps the order. It starts nothing, looks at no disk, and has no
//! clock.

use std::path::PathBuf;

/// Jobs in the order of their arrival, until they are done.
///
/// ```
/// let mut queue = siderail_workspace::FileQueue::default();
/// assert!(queue.enter(vec!["a.rs".into()], 1));
/// assert!(!queue.enter(vec!["a.rs".into(), "src".into()], 2));
/// assert!(!queue.enter(vec!["src/b.rs".into()], 3));
/// assert!(queue.enter(vec!["c.rs".into()], 4));
/// assert_eq!(queue.remove(&1), [2]);
/// assert_eq!(queue.remove(&2), [3]);
/// ```
#[derive(Debug)]
pub struct FileQueue<T> {
    places: Vec<Place<T>>,
}

#[derive(Debug)]
struct Place<T> {
    paths: Vec<PathBuf>,
    job: T,
    runs: bool,
}

impl<T> Default for FileQueue<T> {
    fn default() -> Self {
        Self { places: Vec::new() }
    }
}

impl<T: Clone + PartialEq> FileQueue<T> {
    /// Adds a job. True when it may start now; it then runs until [`Self::remove`].
    pub fn enter(&mut self, paths: Vec<PathBuf>, job: T) -> bool {
        let runs = is_free(&self.places, &paths);
        self.places.push(Place { paths, job, runs });
        runs
    }

    /// Whether a job has started and is not done.
    pub fn runs(&self, job: &T) -> bool {
        self.places
            .iter()
            .any(|place| place.runs && place.job == *job)
    }

    /// Says which paths a job touches after all, as a rule at or below those that it came with. It keeps its place, and
    /// counts as not started before. Gives the jobs that start now, in order; this one may be among them.
    pub fn narrow(&mut self, job: &T, paths: Vec<PathBuf>) -> Vec<T> {
        if let Some(place) = self.places.iter_mut().find(|place| place.job == *job) {
            place.paths = paths;
            place.runs = false;
        }
        self.start_free()
    }

    /// Takes a job out, because it is done or no longer wanted, and gives those that start now, in order.
    pub fn remove(&mut self, job: &T) -> Vec<T> {
        self.places.retain(|place| place.job != *job);
        self.start_free()
    }

    fn start_free(&mut self) -> Vec<T> {
        let mut started = Vec::new();
        for at in 0..self.places.len() {
            let (before, rest) = self.places.split_at_mut(at);
            let Some(place) = rest.first_mut().filter(|place| !place.runs) else {
                continue;
            };
            if is_free(before, &place.paths) {
                place.runs = true;
                started.push(place.job.clone());
            }
        }
        started
    }

    /// Takes out all jobs that wait. Running ones stay.
    pub fn clear_waiting(&mut self) {
        self.places.retain(|place| place.runs);
    }

    /// Whether no job runs or waits.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

/// True when none of these jobs, running or waiting, touches one of the paths.
fn is_free<T>(places: &[Place<T>], paths: &[PathBuf]) -> bool {
    let meets = |theirs: &PathBuf| {
        let mut mine = paths.iter();
        mine.any(|path| path.starts_with(theirs) || theirs.starts_with(path))
    };
    !places.iter().any(|place| place.paths.iter().any(meets))
}
