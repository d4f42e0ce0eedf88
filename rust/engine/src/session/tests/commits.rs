//! What a question says of a commit, and of what git would lose.

use std::path::Path;

use siderail_guard::decision::Verdict;
use siderail_guard::{Identity, normalize};

use super::super::guidance::tests::facts;
use super::super::permissions::judge::Judge;
use super::*;
use crate::event::RequestChannel;

fn git(root: &Path, words: &[&str]) {
    let done = std::process::Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@x"])
        .args(words)
        .current_dir(root)
        .output()
        .expect("git runs");
    assert!(done.status.success(), "{words:?}");
}

#[tokio::test]
async fn a_judgement_asks_git_once_what_a_commit_would_be() {
    let stage = Stage::new().await;
    let root = stage.session.root().to_owned();
    let git = |words: &[&str]| git(&root, words);
    let stage_file = |name: &str| {
        std::fs::write(root.join(name), name).expect("written");
        git(&["add", name]);
    };
    git(&["init", "-q"]);
    stage_file("one.txt");
    let judge = stage.session.judge(&stage.shared);
    let words = |judge: &Judge| {
        let judge = judge.clone();
        let look = move || judge.commit_words(Tool::GitCommit, &json!({"message": "m"}));
        std::thread::spawn(look).join().expect("it does not panic")
    };
    let first = words(&judge).expect("there is something to commit");
    assert!(first.contains("one.txt"), "{first}");
    stage_file("two.txt");
    assert_eq!(words(&judge), Some(first), "git was asked again");
    let anew = words(&stage.session.judge(&stage.shared)).expect("as before");
    assert!(anew.contains("two.txt"), "{anew}");
}

/// What a question says besides about a call, and about the agent's own request for the same call.
fn destroyed(stage: &Stage, tool: Tool, arguments: Value) -> [String; 2] {
    let judge = stage.session.judge(&stage.shared);
    let look = move || {
        let call = json!({"toolCallId": "1", "title": tool.name(), "rawInput": arguments});
        let mut action = normalize::update(&call, "/p", &facts("gemini").agent_names(&[]));
        action.identity = Identity::OwnTool(tool);
        [
            judge.call(tool, &arguments).judged,
            judge.action(&action, None, RequestChannel::Acp),
        ]
    };
    let judged = std::thread::spawn(look).join().expect("it does not panic");
    judged.map(|judged| judged.requested.shown.destroys.unwrap_or_default())
}

#[tokio::test]
async fn a_question_about_a_deletion_says_what_is_lost_whoever_asks_it() {
    let stage = Stage::new().await;
    let root = stage.session.root().to_owned();
    std::fs::write(root.join("a.txt"), "one\ntwo\n").expect("written");
    git(&root, &["init", "-q"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "First"]);
    git(&root, &["branch", "side"]);
    std::fs::write(root.join("a.txt"), "one\n").expect("written");
    git(&root, &["stash", "push", "-q", "-m", "half \u{1b}[2J done"]);
    let hooks = "git also runs the hooks";
    for (tool, arguments, lost) in [
        (
            Tool::GitBranch,
            json!({"action": "delete", "name": "side"}),
            "the branch side is deleted, its last commit is ",
        ),
        (
            Tool::GitStash,
            json!({"action": "drop"}),
            "stash 0 is dropped: On ",
        ),
        (
            Tool::DeleteFile,
            json!({"path": "a.txt"}),
            "a.txt is deleted, 2 lines: only what is committed in git",
        ),
    ] {
        let [own, agents] = destroyed(&stage, tool, arguments);
        assert!(own.starts_with(lost), "{own}");
        assert!(agents.starts_with(lost), "{agents}");
        assert!(!own.contains('\u{1b}'), "{own}");
        assert_eq!(own.contains(hooks), tool != Tool::DeleteFile, "{own}");
    }
    let [own, agents] = destroyed(&stage, Tool::GitStash, json!({"action": "pop"}));
    assert!(own.starts_with(hooks), "{own}");
    assert_eq!(agents, "");
}

#[tokio::test]
async fn nobody_is_asked_about_a_branch_or_a_stash_that_is_not_there() {
    let stage = Stage::new().await;
    let root = stage.session.root().to_owned();
    git(&root, &["init", "-q"]);
    git(&root, &["commit", "-q", "--allow-empty", "-m", "First"]);
    git(&root, &["branch", "side"]);
    for (tool, arguments, words, why) in [
        (
            Tool::GitBranch,
            json!({"action": "delete", "name": "side"}),
            "delete the branch side",
            None,
        ),
        (
            Tool::GitBranch,
            json!({"action": "delete", "name": "nowhere"}),
            "delete the branch nowhere",
            Some("there is no branch nowhere here"),
        ),
        (
            Tool::GitStash,
            json!({"action": "drop", "index": 3}),
            "drop stash 3",
            Some("there is no stash 3"),
        ),
    ] {
        let mut judge = stage.session.judge(&stage.shared);
        let basis = Arc::get_mut(&mut judge.of).expect("nobody else has it");
        // Then the agent's own request is asked about, too.
        basis.name_trusted = false;
        let look = move || {
            let called = judge.call(tool, &arguments);
            let call = json!({"toolCallId": "1", "title": tool.name(), "rawInput": arguments});
            let mut action = normalize::update(&call, "/p", &facts("gemini").agent_names(&[]));
            action.identity = Identity::OwnTool(tool);
            let agents = judge.action(&action, None, RequestChannel::Acp);
            (called, agents.decision)
        };
        let looked = std::thread::spawn(look).join();
        let (called, agents) = looked.expect("it does not panic");
        assert_eq!(called.judged.requested.text, words);
        let fails = called.cannot_work.map(|failure| failure.text);
        let begins = |text: Option<String>| match (text, why) {
            (Some(text), Some(why)) => text.contains(why),
            (text, why) => text.is_none() && why.is_none(),
        };
        assert!(begins(fails), "{words}");
        let expected = if why.is_some() {
            Verdict::Deny
        } else {
            Verdict::Ask
        };
        assert_eq!(agents.verdict, expected, "{words}");
        assert!(why.is_none() || begins(agents.guidance), "{words}");
    }
}
