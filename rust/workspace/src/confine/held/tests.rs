//! Both ways of opening: the same answers, no waiting, nothing from outside while links change.

use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use std::{fs, thread};

use super::unix::Way;
use super::*;

const WAYS: [Way; 2] = [Way::Kernel, Way::ByHand];

fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.is_ok_and(|status| status.success()));
}

#[test]
fn both_ways_open_the_same_things_and_say_the_same_of_others() {
    let dir = tempfile::tempdir().unwrap();
    let (project, outside) = (dir.path().join("project"), dir.path().join("outside"));
    fs::create_dir_all(project.join("a/b")).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("f"), "outside").unwrap();
    fs::write(project.join("a/b/f"), "inside").unwrap();
    symlink(&outside, project.join("a/out")).unwrap();
    symlink(outside.join("f"), project.join("a/out-file")).unwrap();
    symlink("b", project.join("a/in")).unwrap();
    symlink("nowhere", project.join("a/dangling")).unwrap();
    pipe(&project.join("a/pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(project.join("a/socket")).unwrap();
    let says = |way: Way| {
        let root = Folder::open_by(&project, way).unwrap();
        let paths = [
            "a/b/f",
            "a/b",
            "a/out/f",
            "a/out-file",
            "a/in/f",
            "a/dangling",
            "a/pipe",
            "a/socket",
            "a/b/none",
            "a/none/f",
            "a/b/f/g",
            "../outside/f",
            "a/../a/b/f",
            "/etc/passwd",
            "",
        ];
        paths.map(|path| {
            let mut text = String::new();
            let read = root
                .file(Path::new(path))
                .and_then(|mut file| file.read_to_string(&mut text));
            let folder = root.folder(Path::new(path)).map(drop);
            let says = |error: io::Error| (error.kind(), error.to_string());
            (path, read.map(|_| text).map_err(says), folder.map_err(says))
        })
    };
    let [kernel, by_hand] = WAYS.map(says);
    assert_eq!(kernel, by_hand);
    let read: Vec<&str> = kernel
        .iter()
        .filter(|(_, read, _)| read.is_ok())
        .map(|(path, ..)| *path)
        .collect();
    assert_eq!(read, ["a/b/f"]);
}

#[test]
fn a_pipe_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    pipe(&dir.path().join("pipe"));
    let started = Instant::now();
    for way in WAYS {
        let root = Folder::open_by(dir.path(), way).unwrap();
        let entry = root.entry(Path::new("pipe")).unwrap();
        assert!(entry.file().is_err() && entry.file_to_change().is_err());
    }
    assert!(regular_file(&dir.path().join("pipe")).is_err());
    assert!(regular_file(Path::new("/dev/zero")).is_err());
    assert!(started.elapsed().as_secs() < 5);
}

/// A folder and a file that are links to the outside every other moment, while they are read, written and deleted.
#[test]
fn nothing_outside_is_reached_while_links_come_and_go() {
    let dir = tempfile::tempdir().unwrap();
    let (project, outside) = (dir.path().join("project"), dir.path().join("outside"));
    for folder in [&project, &outside] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::create_dir(project.join("real")).unwrap();
    fs::write(project.join("real/f"), "inside").unwrap();
    fs::write(outside.join("f"), "outside").unwrap();
    symlink(&outside, project.join("link")).unwrap();
    let at = project.join("d");
    fs::rename(project.join("real"), &at).unwrap();
    let is_over = AtomicBool::new(false);
    let swap = || {
        while !is_over.load(Ordering::Relaxed) {
            // The two change places in one step, so that there is always one of them.
            let flags = rustix::fs::RenameFlags::EXCHANGE;
            let (cwd, link) = (rustix::fs::CWD, project.join("link"));
            rustix::fs::renameat_with(cwd, &at, cwd, &link, flags).unwrap();
        }
    };
    thread::scope(|scope| {
        scope.spawn(swap);
        for way in WAYS {
            let root = Folder::open_by(&project, way).unwrap();
            let (mut n_inside, mut n_refused) = (0, 0);
            for round in 0..10_000 {
                let mut text = String::new();
                match root.file(Path::new("d/f")) {
                    Ok(mut file) => {
                        file.read_to_string(&mut text).unwrap();
                        assert_eq!(text, "inside", "{way:?}, round {round}");
                        n_inside += 1;
                    }
                    Err(_) => n_refused += 1,
                }
                if let Ok(entry) = root.entry(Path::new("d/new")) {
                    drop(entry.create(true));
                    let _ = entry.rename(&entry.beside("newer"));
                    let _ = entry.beside("newer").remove();
                }
            }
            // Both were met, or the race was none.
            assert!(
                n_inside > 0 && n_refused > 0,
                "{way:?}: {n_inside}, {n_refused}"
            );
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let outside: Vec<_> = fs::read_dir(&outside).unwrap().collect();
    assert_eq!(outside.len(), 1, "{outside:?}");
}
