//! Changes of a prompt alone: what is reported of them, and which can be reverted.

use std::path::PathBuf;

use tokio::sync::mpsc;

use super::*;
use crate::host::FileBefore;
use crate::session::Input;
use crate::session::changes::watched_files::{missing_folders, told};

fn bytes(text: &[u8]) -> Content {
    Content::Bytes(text.to_vec())
}

fn confined(name: &str) -> Option<Confined> {
    Some(Confined {
        absolute: PathBuf::from(format!("/p/{name}")),
        relative: name.to_owned(),
        exists: true,
    })
}

/// Files with what they were and are now.
fn changes<const N: usize>(files: [(&str, Content, Option<Content>); N]) -> Changes {
    let mut changes = Changes::default();
    for (name, before, after) in files {
        let path = PathBuf::from(format!("/p/{name}"));
        changes.watch(vec![(path.clone(), before)]);
        changes.found(after.map(|after| (path, after)).into_iter().collect());
    }
    changes
}

#[test]
fn files_are_told_by_what_became_of_them_and_without_texts_that_are_too_long() {
    let folder = tempfile::tempdir().expect("a folder");
    let confinement = Confinement::new(folder.path()).expect("it is there");
    let long = vec![b'x'; MOST_SHOWN + 1];
    let changes = changes([
        ("created", Content::Absent, Some(bytes(b"new"))),
        ("deleted", bytes(b"old"), Some(Content::Absent)),
        ("long", bytes(b"old"), Some(bytes(&long))),
        ("same", bytes(b"old"), Some(bytes(b"old"))),
        ("unseen", bytes(b"old"), None),
    ]);
    let Some(Effect::Emit(told)) = changes.told(&confinement) else {
        panic!("it is told");
    };
    let EventBody::Changes(event::Changes { files }) = *told else {
        panic!("changes");
    };
    let kinds: Vec<ChangeKind> = files.iter().map(|file| file.kind).collect();
    assert_eq!(
        kinds,
        [
            ChangeKind::Created,
            ChangeKind::Deleted,
            ChangeKind::Changed
        ]
    );
    assert_eq!(
        (files[0].old_text.as_deref(), files[0].new_text.as_deref()),
        (None, Some("new"))
    );
    assert_eq!(
        (files[2].old_text.as_deref(), files[2].new_text.as_deref()),
        (Some("old"), None)
    );
    assert!(Changes::default().told(&confinement).is_none());
}

#[test]
fn only_a_change_whose_texts_are_known_is_taken_back_and_never_in_a_turn() {
    let changed = || Some(bytes(b"new"));
    let changes = changes([
        ("ok", bytes(b"old"), changed()),
        ("created", Content::Absent, changed()),
        ("unseen", bytes(b"old"), None),
        ("large", Content::Unknown(None, 9), changed()),
        ("binary", bytes(&[0xff]), changed()),
    ]);
    let found = |file, entry| {
        Some(Places {
            file: confined(file),
            entry: confined(entry),
        })
    };
    let why = |name| changes.to_take_back(found(name, name), false).err();
    assert_eq!((why("ok"), why("created")), (None, None));
    assert!(why("unseen").is_some_and(|why| why.contains("unknown")));
    assert!(why("large").is_some_and(|why| why.contains("too large")));
    assert!(why("binary").is_some_and(|why| why.contains("UTF-8")));
    assert!(why("other").is_some_and(|why| why.contains("did not change")));
    let moved = changes.to_take_back(found("elsewhere", "ok"), false);
    assert_eq!(moved.err(), Some(CHANGED_SINCE), "a link stands there now");
    let running = changes.to_take_back(found("ok", "ok"), true);
    assert!(running.is_err_and(|why| why.contains("a turn is running")));
    assert_eq!(changes.to_take_back(None, false).err(), Some(NO_ANSWER));
}

#[test]
fn a_path_is_looked_up_where_it_leads_unless_the_disk_gives_no_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a"), "text").expect("a file");
    let confinement = Confinement::new(folder.path()).expect("it is there");
    let found = places(&confinement, "a", Sight::Clear).expect("it was looked up");
    let names = |found: Option<Confined>| found.map(|found| found.relative);
    assert_eq!(names(found.file).as_deref(), Some("a"));
    assert_eq!(names(found.entry).as_deref(), Some("a"));
    assert!(places(&confinement, "a", Sight::Blind).is_none());
    let before = [FileBefore {
        path: "a".to_owned(),
        existed: false,
        text: None,
    }];
    assert_eq!(told(&before, &confinement, Sight::Clear).len(), 1);
    assert!(told(&before, &confinement, Sight::Blind).is_empty());
}

/// Takes a change back with a host that deletes as `delete_file` does; what it was asked to delete.
async fn deleted(change: Change) -> Vec<PathBuf> {
    let (inputs, mut requests) = mpsc::channel(4);
    let host = tokio::spawn(async move {
        let mut deleted = Vec::new();
        while let Some(Input::HostWork {
            request, answer, ..
        }) = requests.recv().await
        {
            if let HostRequest::Tool { arguments, .. } = request {
                assert!(arguments["recursive"].is_null());
                let path = PathBuf::from(arguments["path"].as_str().expect("a path"));
                match path.is_dir() {
                    true => std::fs::remove_dir(&path).expect("an empty folder"),
                    false => std::fs::remove_file(&path).expect("a file"),
                }
                deleted.push(path);
            }
            let _ = answer.send(HostReply::Done);
        }
        deleted
    });
    let host_work = HostWork::new(1, inputs);
    take_back(&host_work, change).await.expect("taken back");
    drop(host_work);
    host.await.expect("the host")
}

#[tokio::test]
async fn folders_that_came_with_new_files_go_with_the_last_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let confinement = Confinement::new(folder.path()).expect("it is there");
    let root = confinement.root().to_owned();
    std::fs::create_dir(root.join("there")).expect("a folder");
    let names = ["there/new/deep/a", "there/new/b", "there/c"];
    let mut changes = Changes::default();
    for path in names.map(|name| root.join(name)) {
        let paths = [path.clone()];
        changes.lack(missing_folders(&paths, Sight::Clear));
        changes.watch(watched_files::before(&paths, 100, Sight::Clear));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(&path, "new").expect("written");
        changes.found(watched_files::now(&paths, Sight::Clear));
    }
    let mut undo = async |name: &str| {
        let found = places(&confinement, name, Sight::Clear);
        let change = changes.to_take_back(found, false).expect("a change");
        let deleted = deleted(change).await;
        changes.taken_back(&root.join(name));
        let names = deleted.iter().filter_map(|path| confinement.relative(path));
        names.collect::<Vec<_>>()
    };
    assert_eq!(undo(names[0]).await, ["there/new/deep/a", "there/new/deep"]);
    assert_eq!(undo(names[1]).await, ["there/new/b", "there/new"]);
    assert_eq!(undo(names[2]).await, ["there/c"], "it was there before");
    let missing = missing_folders(&[root.join("x/y")], Sight::Blind);
    assert!(missing.is_empty());
}
