//! What is kept between runs: believed only where nobody else can have written it, and one bad entry or a process
//! that hangs keeps nothing else.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};
use siderail_engine::consent::Journal;
use siderail_engine::memory::{Allowed, Memory};
use siderail_engine::places::{settings_folder, state_folder};

/// Far longer than anything here takes.
const LIMIT: Duration = Duration::from_secs(60);

fn ours() -> Value {
    json!({"hooks": ["relay hook openhands"]})
}

struct Scene {
    dir: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        Self { dir }
    }

    fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    /// A file of the user's with a text of theirs.
    fn file(&self, name: &str) -> PathBuf {
        let file = self.dir.path().join(name).join("hooks.json");
        let folder = file.parent().expect("a folder");
        fs::create_dir_all(folder).expect("a folder");
        fs::write(&file, before(name)).expect("a file");
        file
    }

    /// The entries of the journal.
    fn entries(&self) -> Vec<PathBuf> {
        let listed = fs::read_dir(self.state().join("consent")).expect("a journal");
        let mut files: Vec<PathBuf> = listed.map(|e| e.expect("an entry").path()).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
        files
    }

    fn entry_of(&self, file: &Path) -> PathBuf {
        let path = file.display().to_string();
        let mut entries = self.entries();
        entries.retain(|entry| fs::read_to_string(entry).is_ok_and(|text| text.contains(&path)));
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries.remove(0)
    }
}

fn before(name: &str) -> String {
    format!("{{ \"mine\" : \"{name}\" }}\n")
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).expect("a file")
}

fn command() -> Allowed {
    Allowed::Command {
        command: "make lint".to_owned(),
        folder: "/p".to_owned(),
    }
}

/// As somebody else could have left it: theirs where this user may give files away, else open to them.
fn give_away(path: &Path) {
    let is_root = fs::metadata(path).expect("it is there").uid() == 0;
    if is_root {
        std::os::unix::fs::chown(path, Some(65_534), None).expect("root gives files away");
    } else {
        let open = fs::Permissions::from_mode(0o666);
        fs::set_permissions(path, open).expect("a mode");
    }
}

#[test]
fn a_damaged_entry_keeps_no_other_file_changed_and_is_named() {
    let scene = Scene::new();
    let journal = Journal::new(&scene.state());
    let files = ["one", "two", "three"].map(|name| scene.file(name));
    for file in &files {
        let applied = journal.apply("openhands", file, &ours(), true);
        applied.expect("the file is changed");
    }
    // The first that is come to.
    let damaged = scene.entries().into_iter().min().expect("entries");
    let said = read(&damaged);
    fs::write(&damaged, "{").expect("written");
    let error = journal
        .untrust("openhands")
        .expect_err("one cannot be put back");
    let told = error.to_string();
    assert!(told.contains(&damaged.display().to_string()), "{told}");
    for (file, name) in files.iter().zip(["one", "two", "three"]) {
        let is_damaged = said.contains(&file.display().to_string());
        assert_eq!(read(file) == before(name), !is_damaged, "{name}");
    }
    assert!(journal.sweep().is_err(), "said at each start");
    let others = journal.untrust("codex");
    assert!(others.is_ok(), "of another agent nothing is damaged");
}

#[test]
fn two_files_whose_paths_differ_by_a_sign_are_two_files() {
    let scene = Scene::new();
    let journal = Journal::new(&scene.state());
    let files = ["a-b", "a_b"].map(|name| scene.file(name));
    for file in &files {
        let applied = journal.apply("openhands", file, &ours(), true);
        applied.expect("the file is changed");
    }
    let (one, other) = (scene.entry_of(&files[0]), scene.entry_of(&files[1]));
    journal.untrust("openhands").expect("both are put back");
    assert_eq!(read(&files[0]), before("a-b"));
    assert_eq!(read(&files[1]), before("a_b"));
    // An entry under another's name is not taken for its own.
    let applied = journal.apply("openhands", &files[0], &ours(), true);
    applied.expect("the file is changed");
    fs::rename(one, other).expect("a name");
    let applied = journal.apply("openhands", &files[1], &ours(), true);
    assert!(
        applied
            .expect_err("refused")
            .to_string()
            .contains("damaged")
    );
    assert_eq!(read(&files[1]), before("a_b"));
}

#[test]
fn a_process_that_was_stopped_with_the_lock_holds_up_nobody() {
    let scene = Scene::new();
    let journal = Journal::new(&scene.state());
    let file = scene.file("home");
    journal
        .apply("openhands", &file, &ours(), true)
        .expect("the file is changed");
    let lock = fs::File::open(scene.state().join("consent/lock")).expect("a lock");
    lock.lock().expect("nobody holds it");
    let (done, finished) = mpsc::channel();
    let of_thread = journal.clone();
    std::thread::spawn(move || {
        let undone = of_thread.untrust("openhands");
        done.send(undone).expect("the test waits");
    });
    let undone = finished
        .recv_timeout(LIMIT)
        .expect("it does not wait for ever");
    assert!(undone.expect_err("not alone").to_string().contains("lock"));
    drop(lock);
    journal.untrust("openhands").expect("now it is alone");
    assert_eq!(read(&file), before("home"));
}

#[test]
fn a_journal_that_others_wrote_puts_nothing_back() {
    let scene = Scene::new();
    let journal = Journal::new(&scene.state());
    let file = scene.file("home");
    journal
        .apply("openhands", &file, &ours(), false)
        .expect("the file is changed");
    let entry = scene.entry_of(&file);
    let planted = read(&entry).replace(&std::process::id().to_string(), "4294967295");
    fs::write(&entry, planted).expect("written");
    give_away(&entry);
    let now = read(&file);
    let error = journal.sweep().expect_err("not trusted").to_string();
    assert!(error.contains("not trusted"), "{error}");
    assert_eq!(read(&file), now);
    assert!(journal.list().expect("a journal").is_empty());
}

#[test]
fn a_memory_that_others_wrote_allows_nothing() {
    let scene = Scene::new();
    let mut memory = Memory::of_project(&scene.state(), Path::new("/p"));
    memory.remember(command()).expect("written down");
    assert!(memory.allows(&command()));
    let folder = scene.state().join("always");
    let listed = fs::read_dir(&folder).expect("a folder");
    let mut files = listed.map(|entry| entry.expect("an entry").path());
    let file = files.find(|file| file.extension().is_some_and(|ending| ending == "json"));
    give_away(&file.expect("a memory"));
    let later = Memory::of_project(&scene.state(), Path::new("/p"));
    assert!(!later.allows(&command()));
    assert!(later.check().expect("a message").contains("damaged"));
}

#[test]
fn nothing_is_kept_in_a_folder_of_somebody_else() {
    let scene = Scene::new();
    let folder = scene.state().join("always");
    fs::create_dir_all(&folder).expect("a folder");
    let is_root = fs::metadata(&folder).expect("it is there").uid() == 0;
    if is_root {
        std::os::unix::fs::chown(&folder, Some(65_534), None).expect("root gives files away");
        let mut memory = Memory::of_project(&scene.state(), Path::new("/p"));
        let error = memory.remember(command()).expect_err("not ours");
        assert!(error.to_string().contains("another user"), "{error}");
    } else {
        // Root's own folder is as good as anybody's.
        let mut memory = Memory::of_project(Path::new("/"), Path::new("/p"));
        assert!(memory.remember(command()).is_err());
    }
}

#[test]
fn a_home_that_is_no_absolute_path_is_none() {
    for home in ["", "relative", "."] {
        let env = [("HOME".to_owned(), home.to_owned())].into();
        assert_eq!(settings_folder(&env), None, "{home:?}");
        let state = state_folder(&env, Path::new("/tmp/own"));
        assert!(
            state.starts_with("/tmp/own"),
            "{home:?}: {}",
            state.display()
        );
    }
}
