//! Files that only the host knows that a tool has changed: they belong to the turn's changes like all others.

use super::*;
use crate::host::FileBefore;

/// What the host says of a rename that changed two files, renamed a third one, and looked at one outside.
fn renamed() -> HostReply {
    let file = |path: &str, text: Option<&str>| FileBefore {
        path: path.to_owned(),
        existed: text.is_some(),
        text: text.map(str::to_owned),
    };
    HostReply::Tool(ToolOutcome {
        text: "renamed".to_owned(),
        files_written: vec!["a.txt".to_owned(), "b.txt".to_owned(), "New.txt".to_owned()],
        before: vec![
            file("a.txt", Some("old\n")),
            file("b.txt", Some("uses old\n")),
            file("Old.txt", Some("the same\n")),
            file("New.txt", None),
            file("../outside.txt", Some("mine\n")),
        ],
        ..ToolOutcome::default()
    })
}

async fn after_a_rename(cancelled: bool) -> Stage {
    let mut stage = Stage::new().await;
    stage.session.carried.options.answer = Some(true);
    let arguments = json!({"path": "a.txt", "line": 1, "column": 1, "new_name": "new"});
    stage.call("rename_symbol", arguments).await;
    let (tool, call) = stage.started().remove(0);
    assert_eq!(tool, Tool::RenameSymbol);
    let root = stage.session.root().to_owned();
    for (name, text) in [
        ("a.txt", "new\n"),
        ("b.txt", "uses new\n"),
        ("New.txt", "the same\n"),
        ("../outside.txt", "theirs\n"),
    ] {
        std::fs::write(root.join(name), text).expect("a file can be written");
    }
    if cancelled {
        stage.pass(Duration::from_secs(51));
    }
    stage
        .session
        .host_replied(call, renamed(), &mut stage.shared);
    stage.settle();
    stage
        .session
        .after_a_look(&mut stage.shared, |session, shared| {
            session.tell_changes(shared)
        });
    stage.settle();
    stage
}

fn told(stage: &Stage) -> Vec<(String, String, Option<String>)> {
    let files = stage.one("CHANGES")["files"].clone();
    let files = files.as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let file = |file: &Value| {
        let path = text(&file["path"]).expect("a path");
        let kind = text(&file["kind"]).expect("a kind");
        (path, kind, text(&file["old_text"]))
    };
    files.iter().map(file).collect()
}

#[tokio::test]
async fn what_a_rename_has_changed_belongs_to_the_turn() {
    let mut stage = after_a_rename(false).await;
    let expected = [
        ("New.txt", "created", None),
        ("Old.txt", "deleted", Some("the same\n")),
        ("a.txt", "changed", Some("old\n")),
        ("b.txt", "changed", Some("uses old\n")),
    ];
    let expected = expected
        .map(|(path, kind, old)| (path.to_owned(), kind.to_owned(), old.map(str::to_owned)));
    assert_eq!(told(&stage), expected);
    assert!(stage.result().await.contains("renamed"));
}

#[tokio::test]
async fn a_rename_that_was_given_up_and_done_all_the_same_is_told_too() {
    let stage = after_a_rename(true).await;
    assert_eq!(told(&stage).len(), 4);
}
