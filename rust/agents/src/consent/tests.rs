//! Files of the user through agreeing, ending, crashing and others that write them.

use serde_json::json;

use super::*;

/// More than any system's highest process number.
const DEAD: User = User {
    pid: u32::MAX,
    started: 0,
};

fn ours() -> Value {
    json!({"hooks": {"PreToolUse": [{"matcher": "*", "command": "relay hook openhands"}]}})
}

fn setting() -> (tempfile::TempDir, Journal, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::new(&dir.path().join("state"));
    let file = dir.path().join("home/.openhands/hooks.json");
    (dir, journal, file)
}

fn only_entry(journal: &Journal) -> Entry {
    let file = journal.files(None).unwrap().pop().unwrap();
    read_entry(&file).unwrap().unwrap()
}

#[test]
fn a_file_is_byte_for_byte_what_it_was_after_the_last_session() {
    let (_dir, journal, file) = setting();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before = "{ \"hooks\" : {\"PreToolUse\":[ {\"mine\":1} ]} }\n";
    fs::write(&file, before).unwrap();
    journal.apply("openhands", &file, &ours(), false).unwrap();
    let during = fs::read_to_string(&file).unwrap();
    assert!(
        during.contains("relay hook") && during.contains("mine"),
        "{during}"
    );
    journal.release("openhands").unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    assert!(journal.list().unwrap().is_empty());
}

#[test]
fn a_file_that_was_not_there_goes_with_the_folders_made_for_it() {
    let (dir, journal, file) = setting();
    journal.apply("openhands", &file, &ours(), false).unwrap();
    assert!(file.exists());
    journal.release("openhands").unwrap();
    assert!(!dir.path().join("home").exists());
}

#[test]
fn what_a_killed_process_left_is_undone_at_the_next_start_and_kept_consents_stay() {
    let (_dir, journal, file) = setting();
    journal.apply("openhands", &file, &ours(), false).unwrap();
    let mut entry = only_entry(&journal);
    entry.users = vec![DEAD];
    journal.write(&entry).unwrap();
    assert_eq!(journal.sweep().unwrap(), std::slice::from_ref(&file));
    assert!(!file.exists());
    journal.apply("openhands", &file, &ours(), true).unwrap();
    journal.release("openhands").unwrap();
    assert!(file.exists(), "kept");
    journal.untrust("openhands").unwrap();
    assert!(!file.exists());
}

#[test]
fn without_a_place_to_write_down_what_a_file_was_it_is_not_changed() {
    let (dir, journal, file) = setting();
    fs::write(dir.path().join("state"), "a file in the way").unwrap();
    let refused = journal.apply("openhands", &file, &ours(), false);
    assert!(matches!(refused, Err(Unchanged::Journal(_))), "{refused:?}");
    assert!(!dir.path().join("home").exists());
}

#[test]
fn a_file_that_cannot_be_put_back_is_named_and_keeps_no_other_from_it() {
    let (dir, journal, file) = setting();
    let other = dir.path().join("home/other.json");
    for (broken, intact) in [(&file, &other), (&other, &file)] {
        for file in [&file, &other] {
            journal.apply("openhands", file, &ours(), false).unwrap();
        }
        fs::remove_file(broken).unwrap();
        fs::create_dir(broken).unwrap();
        let error = journal.untrust("openhands").unwrap_err().to_string();
        assert!(error.contains(&broken.display().to_string()), "{error}");
        assert!(!intact.exists(), "the other one is put back");
        fs::remove_dir(broken).unwrap();
    }
}

#[test]
fn what_others_wrote_meanwhile_stays() {
    let (_dir, journal, file) = setting();
    journal.apply("openhands", &file, &ours(), false).unwrap();
    let mut now: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    now["theirs"] = json!(true);
    fs::write(&file, now.to_string()).unwrap();
    journal.release("openhands").unwrap();
    let left: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(left["theirs"], true);
    assert!(!left.to_string().contains("relay hook"), "{left}");
}

#[test]
fn a_file_that_is_no_json_object_is_refused_and_untouched() {
    let (_dir, journal, file) = setting();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "not json").unwrap();
    assert!(journal.apply("openhands", &file, &ours(), false).is_err());
    assert_eq!(fs::read_to_string(&file).unwrap(), "not json");
    assert!(journal.list().unwrap().is_empty());
}

#[test]
fn the_first_of_two_sessions_to_end_leaves_the_hook_to_the_other() {
    let (_dir, journal, file) = setting();
    journal.apply("openhands", &file, &ours(), false).unwrap();
    journal.apply("openhands", &file, &ours(), false).unwrap();
    assert!(journal.release("openhands").unwrap().is_empty());
    assert!(file.exists(), "the second session still needs it");
    journal.release("openhands").unwrap();
    assert!(!file.exists());
}

#[test]
fn a_process_that_got_the_number_of_a_dead_one_keeps_nothing_alive() {
    let (_dir, journal, file) = setting();
    journal.apply("openhands", &file, &ours(), false).unwrap();
    let mut entry = only_entry(&journal);
    entry.users[0].started = 1;
    journal.write(&entry).unwrap();
    assert_eq!(journal.sweep().unwrap(), std::slice::from_ref(&file));
}

#[test]
fn a_hook_stands_in_the_file_once_however_often_it_is_agreed_to() {
    let (_dir, journal, file) = setting();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mine = r#"{"hooks": {"PreToolUse": [{"mine": 1}]}}"#;
    fs::write(&file, mine).unwrap();
    let count = || {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains("mine"), "{text}");
        text.matches("relay hook").count()
    };
    journal.apply("openhands", &file, &ours(), true).unwrap();
    journal.apply("openhands", &file, &ours(), true).unwrap();
    assert_eq!(count(), 1, "agreed to twice");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text + "\n").unwrap();
    journal.apply("openhands", &file, &ours(), true).unwrap();
    assert_eq!(count(), 1, "after another has written the file");
    let moved = json!({"hooks": {"PreToolUse": [{"command": "/new/relay hook openhands"}]}});
    journal.apply("openhands", &file, &moved, true).unwrap();
    assert_eq!(count(), 1, "after the program has moved");
    fs::remove_dir_all(&journal.folder).unwrap();
    journal.apply("openhands", &file, &moved, true).unwrap();
    assert_eq!(count(), 1, "after the journal is lost");
}

#[test]
fn what_others_wrote_before_the_second_session_outlives_both() {
    let (_dir, journal, file) = setting();
    journal.apply("openhands", &file, &ours(), false).unwrap();
    fs::write(&file, r#"{"theirs": true}"#).unwrap();
    journal.apply("openhands", &file, &ours(), false).unwrap();
    assert!(fs::read_to_string(&file).unwrap().contains("relay hook"));
    journal.release("openhands").unwrap();
    journal.release("openhands").unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), r#"{"theirs": true}"#);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_what_it_leads_to_is_put_back() {
    let (dir, journal, link) = setting();
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    let kept = dir.path().join("dotfiles.json");
    fs::write(&kept, "{\"mine\":1}\n").unwrap();
    std::os::unix::fs::symlink("../../dotfiles.json", &link).unwrap();
    journal.apply("openhands", &link, &ours(), false).unwrap();
    assert!(link.is_symlink());
    assert!(fs::read_to_string(&kept).unwrap().contains("relay hook"));
    journal.release("openhands").unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&kept).unwrap(), "{\"mine\":1}\n");
}

#[test]
fn a_damaged_journal_is_said_and_the_file_left_alone() {
    let (_dir, journal, file) = setting();
    journal.apply("openhands", &file, &ours(), true).unwrap();
    let entry = journal.file_of("openhands", &file);
    fs::write(&entry, "{").unwrap();
    let before = fs::read_to_string(&file).unwrap();
    let error = journal
        .apply("openhands", &file, &ours(), true)
        .unwrap_err();
    assert!(error.to_string().contains("is damaged"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}
