//! Conversations that cannot be listed: named with the reason, and removed on request.

use std::os::unix::fs::PermissionsExt;

use crate::history::{SCRIPT, files, talk};
use crate::process::Place;

#[test]
fn a_conversation_that_cannot_be_listed_is_named_with_the_reason_and_can_still_be_forgotten() {
    let place = Place::new();
    for prompt in ["the first\n", "the second\n"] {
        talk(&place, SCRIPT, &["--answer", "allow"], prompt);
    }
    let mut files = files(&place);
    files.sort();
    let rights = std::fs::Permissions::from_mode(0o666);
    std::fs::set_permissions(&files[0], rights).expect("they can be set");
    std::fs::write(&files[1], "").expect("it can be emptied");
    let ended = place.run(&["history", "list"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for (file, why) in files
        .iter()
        .zip(["others can write to it", "it contains nothing readable"])
    {
        let line = ended
            .err
            .lines()
            .find(|line| line.contains(&*file.to_string_lossy()));
        let line = line.unwrap_or_else(|| panic!("no line names {file:?}: {ended:?}"));
        assert!(line.contains(why), "{line}");
        let id = line.split("history remove ").nth(1).expect("the id");
        let id = id.split('`').next().expect("the id");
        let gone = place.run(&["history", "remove", id]);
        assert_eq!(gone.code, Some(0), "{gone:?}");
        assert!(!file.exists());
    }
    let rest = place.run(&["history", "list"]);
    assert!(!rest.err.contains("left out"), "{rest:?}");
}
