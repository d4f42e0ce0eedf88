//! Walks of a project of which somebody leaves folders out, and takes its time to say so.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::outcome::ToolErrorCode;

/// The paths of what was met, and what could not be read.
#[derive(Default)]
struct Kept {
    met: Vec<String>,
    missed: Vec<String>,
    /// The walk ends after so much.
    most: Option<usize>,
}

impl Visitor for Kept {
    fn meet(&mut self, met: &Met<'_>) {
        self.met.push(written(&met.below()));
        assert_eq!(met.open().is_ok(), met.is_file());
    }

    fn miss(&mut self, problem: String) {
        self.missed.push(problem);
    }

    fn is_done(&self) -> bool {
        self.most.is_some_and(|most| self.met.len() >= most)
    }
}

/// Thirty folders in each of three, each with one below it, and a file in each.
fn project() -> (tempfile::TempDir, Confinement) {
    let folder = tempfile::tempdir().expect("a folder");
    for top in ["a", "b", "c"] {
        for n in 0..30 {
            let inner = folder.path().join(format!("{top}/f{n}/inner"));
            std::fs::create_dir_all(&inner).expect("folders");
            std::fs::write(inner.join("file"), "text").expect("a file");
            std::fs::write(inner.join("../file"), "text").expect("a file");
        }
    }
    std::fs::write(folder.path().join(".gitignore"), "f7/\n").expect("a file");
    let confinement = Confinement::new(folder.path()).expect("a project");
    (folder, confinement)
}

fn walked(
    project: &Confinement,
    folder: &str,
    left_out: Option<&LeftOut<'_>>,
) -> (Vec<String>, Vec<String>) {
    let folder = project.root().join(folder);
    let (mut met, mut missed) = (Vec::new(), Vec::new());
    for visitor in walk(project, &folder, left_out, Kept::default) {
        met.extend(visitor.met);
        missed.extend(visitor.missed);
    }
    met.sort_unstable();
    (met, missed)
}

/// Leaves out the folders whose names are these.
fn without(names: &'static [&'static str]) -> impl Fn(&[PathBuf]) -> HashSet<PathBuf> {
    move |folders| {
        let is_out = |path: &&PathBuf| {
            path.file_name()
                .is_some_and(|name| names.iter().any(|one| name == *one))
        };
        folders.iter().filter(is_out).cloned().collect()
    }
}

#[test]
fn what_is_left_out_is_not_met_nor_anything_in_it() {
    let (_folder, project) = project();
    let out = without(&["b", "f3", "f7"]);
    let (met, missed) = walked(&project, "", Some(&|folders| Ok(out(folders))));
    let (all, _) = walked(&project, "", None);
    let is_in = |path: &&String| !path.split('/').any(|name| ["b", "f3"].contains(&name));
    let expected: Vec<String> = all.iter().filter(is_in).cloned().collect();
    assert!(all.len() > 300 && expected.len() < all.len());
    assert_eq!((met, missed), (expected, Vec::new()));
}

#[test]
fn slow_answers_make_few_and_long_questions() {
    let (_folder, project) = project();
    let (n_questions, n_folders) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let is_asked = AtomicUsize::new(0);
    let slow = |folders: &[PathBuf]| {
        assert_eq!(is_asked.fetch_add(1, Ordering::SeqCst), 0, "one at a time");
        n_questions.fetch_add(1, Ordering::Relaxed);
        n_folders.fetch_add(folders.len(), Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(60));
        is_asked.fetch_sub(1, Ordering::SeqCst);
        Ok(HashSet::new())
    };
    let (met, _) = walked(&project, "", Some(&slow));
    assert_eq!(met, walked(&project, "", None).0);
    // The folder itself, and each below it but the three that are ignored and those in them.
    let n_folders = n_folders.into_inner();
    assert_eq!(n_folders, 1 + 3 + 2 * 3 * 29);
    // About ten where nothing else keeps the machine busy.
    assert!(n_questions.into_inner() < n_folders / 3);
}

#[test]
fn a_folder_that_was_named_on_purpose_is_walked_though_it_is_left_out() {
    let (_folder, project) = project();
    let out = without(&["b", "f3"]);
    let n_asked = AtomicUsize::new(0);
    let ask = |folders: &[PathBuf]| {
        n_asked.fetch_add(1, Ordering::Relaxed);
        Ok(out(folders))
    };
    let (met, _) = walked(&project, "b", Some(&ask));
    assert!(met.contains(&"b/f3/inner/file".to_owned()));
    assert_eq!(met, walked(&project, "b", None).0);
    assert_eq!(n_asked.into_inner(), 1);
}

#[test]
fn folders_of_which_nobody_says_anything_are_told_and_the_rest_is_walked() {
    let (_folder, project) = project();
    let ask = |folders: &[PathBuf]| match folders.iter().any(|path| path.ends_with("inner")) {
        true => Err(ToolFailure::new(
            ToolErrorCode::ProjectDisposed,
            "the project\nis closed",
        )),
        false => Ok(HashSet::new()),
    };
    let (met, missed) = walked(&project, "c", Some(&ask));
    assert!(
        met.contains(&"c/f1/file".to_owned()) && !met.iter().any(|path| path.contains("inner/"))
    );
    assert!(
        missed
            .iter()
            .all(|problem| problem.contains("/inner: the project"))
    );
    assert_eq!(missed.len(), 29);
}

#[test]
fn a_walk_that_ends_early_waits_for_no_folder() {
    let (_folder, project) = project();
    let ask = |_: &[PathBuf]| Ok(HashSet::new());
    let visitors = walk(&project, project.root(), Some(&ask), || Kept {
        most: Some(20),
        ..Kept::default()
    });
    let n_met: usize = visitors.iter().map(|visitor| visitor.met.len()).sum();
    assert!(n_met < 250, "{n_met}");
}
