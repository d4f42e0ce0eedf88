//! Commits by our own tool, one after the other, with a hook that takes its time. Whoever is killed: the repository is
//! whole, each commit that is there is a version as it was written, and the next run commits again. Only a git that
//! was itself killed, or whose guardian was, leaves its lock, and then the model reads which file it is and what to do.
//! Any git may leave the lock of a partial commit: it removes at the end what it has noted, and it notes a lock just after it
//! has made the file. That one bears the number of its process, so that no other git waits for it.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::turn::version;
use crate::chance::Chance;
use crate::kill::scene::Victim;
use crate::kill::task::{Left, Start, Work, prompted};
use crate::place::{Place, paths_below};

/// Commits of a run.
const COMMITS: usize = 4;
/// Seconds that the hook takes.
const HOOK_TAKES: [&str; 4] = ["0", "0.1", "0.3", "0.8"];

/// Committing.
pub(super) struct Committing {
    hook_takes: &'static str,
}

impl Committing {
    pub(super) fn new(chance: &mut Chance) -> Self {
        Self {
            hook_takes: chance.one_of(&HOOK_TAKES),
        }
    }
}

impl Work for Committing {
    fn prepare(&mut self, place: &Place, _program: &Path, _shape: &str) -> Result<(), String> {
        place.write("project/src/App.java", &version(0));
        for words in [
            &["init", "--quiet", "--initial-branch=main"][..],
            &["config", "user.name", "A Person"],
            &["config", "user.email", "a.person@example.org"],
            &["add", "."],
            &["commit", "--quiet", "--message=version 0"],
        ] {
            git(place, words)?;
        }
        let marker = place.path("in-hook");
        let hook = format!(
            "touch '{0}'; sleep {1}; rm -f '{0}'",
            marker.display(),
            self.hook_takes
        );
        place.write_program("project/.git/hooks/pre-commit", &hook);
        let commits: String = (1..=COMMITS).map(steps).collect();
        place.write("script.toml", &format!("[[prompt]]\nstep = [{commits}]\n"));
        let next = steps(COMMITS + 1);
        place.write("next.toml", &format!("[[prompt]]\nstep = [{next}]\n"));
        Ok(())
    }

    fn busy(&self) -> Start {
        prompted("script.toml")
    }

    fn next(&self) -> Start {
        prompted("next.toml")
    }

    fn has_come(&self, place: &Place) -> bool {
        place.path("in-hook").exists() || place.path("project/.git/index.lock").exists()
    }

    fn killed(&mut self, left: &Left<'_>) -> Result<Option<&'static str>, String> {
        is_whole(left.place)?;
        let locks = locks(left.place);
        // A guardian's program ends with it, without a word.
        let ends_git = matches!(left.victim, Victim::Git | Victim::Guardian);
        if let (Some(lock), false) = (locks.iter().find(|lock| !is_of_one_process(lock)), ends_git)
        {
            return Err(format!("a lock is left: {}", lock.display()));
        }
        Ok((!locks.is_empty()).then_some("locks left by a killed git"))
    }

    fn mended(&self, left: &Left<'_>) -> Result<(), String> {
        is_whole(left.place)?;
        let told = left.place.read("next.jsonl");
        let subjects = subjects(left.place)?;
        if subjects.first() == Some(&subject(COMMITS + 1)) {
            return Ok(());
        }
        let locks = locks(left.place);
        let is_named = |lock: &&PathBuf| told.contains(&lock.display().to_string());
        let Some(lock) = locks.iter().find(is_named) else {
            return Err(format!("not committed: {subjects:?}; locks: {locks:?}"));
        };
        if !told.contains("ask the user to remove the lock file") {
            return Err(format!("nobody is told what to do about {locks:?}"));
        }
        // What was said helps.
        std::fs::remove_file(lock).map_err(|error| error.to_string())?;
        let words = ["commit", "--all", "--quiet", "--message=version 9"];
        git(left.place, &words).map(drop)
    }
}

fn subject(number: usize) -> String {
    format!("version {number}")
}

/// Writes a version and commits it.
fn steps(number: usize) -> String {
    let (text, subject) = (version(number).replace('\n', "\\n"), subject(number));
    format!(
        "{{ call = 'intellij_write_file', arguments = {{ path = 'src/App.java', content = \"{text}\" }} }},\n\
         {{ call = 'git_commit', arguments = {{ message = '{subject}', paths = ['src/App.java'] }} }},\n"
    )
}

/// The objects are sound, the files can be compared, and each commit has its own version.
fn is_whole(place: &Place) -> Result<(), String> {
    git(place, &["fsck", "--strict", "--no-dangling"])?;
    git(place, &["status", "--porcelain"])?;
    for (back, subject) in subjects(place)?.iter().enumerate() {
        let text = git(place, &["show", &format!("HEAD~{back}:src/App.java")])?;
        if !text.starts_with(&format!("// {subject}\n")) || !is_version(&text) {
            return Err(format!("the commit of {subject} holds another text"));
        }
    }
    match is_version(&place.read("project/src/App.java")) {
        true => Ok(()),
        false => Err("the file is no whole version".to_owned()),
    }
}

fn is_version(text: &str) -> bool {
    (0..=COMMITS + 1).any(|number| text == version(number))
}

/// Subjects of all commits, the last one first, none of them twice.
fn subjects(place: &Place) -> Result<Vec<String>, String> {
    let log = git(place, &["log", "--format=%s"])?;
    let subjects: Vec<String> = log.lines().map(str::to_owned).collect();
    match subjects.is_sorted_by(|later, earlier| later > earlier) {
        true => Ok(subjects),
        false => Err(format!("commits are out of order: {subjects:?}")),
    }
}

fn locks(place: &Place) -> Vec<PathBuf> {
    let mut paths = paths_below(&place.path("project/.git"));
    paths.retain(|path| path.extension().is_some_and(|end| end == "lock"));
    paths
}

/// `next-index-NUMBER.lock`, beside the index while some of the files are committed.
fn is_of_one_process(lock: &Path) -> bool {
    let name = lock.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with("next-index-"))
}

fn git(place: &Place, words: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    command
        .args(["--no-optional-locks", "-c", "core.hooksPath=/dev/null"])
        .args(words)
        .current_dir(place.path("project"))
        .env_clear()
        .envs(place.env());
    let output = command.output().map_err(|error| format!("git: {error}"))?;
    let (out, said) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    match output.status.success() {
        true => Ok(out.into_owned()),
        false => Err(format!("git {words:?}: {said}{out}")),
    }
}
