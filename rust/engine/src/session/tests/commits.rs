//! What a question says of a commit.

use super::super::permissions::judge::Judge;
use super::*;

#[tokio::test]
async fn a_judgement_asks_git_once_what_a_commit_would_be() {
    let stage = Stage::new().await;
    let root = stage.session.root().to_owned();
    let git = |words: &[&str]| {
        let done = std::process::Command::new("git")
            .args(words)
            .current_dir(&root)
            .output()
            .expect("git runs");
        assert!(done.status.success(), "{words:?}");
    };
    let stage_file = |name: &str| {
        std::fs::write(root.join(name), name).expect("written");
        git(&["add", name]);
    };
    git(&["init", "-q"]);
    stage_file("one.txt");
    let judge = stage.session.judge(&stage.shared);
    let words = |judge: &Judge| {
        let judge = judge.clone();
        let look = move || judge.commit_words("git_commit", &json!({"message": "m"}));
        std::thread::spawn(look).join().expect("it does not panic")
    };
    let first = words(&judge).expect("there is something to commit");
    assert!(first.contains("one.txt"), "{first}");
    stage_file("two.txt");
    assert_eq!(words(&judge), Some(first), "git was asked again");
    let anew = words(&stage.session.judge(&stage.shared)).expect("as before");
    assert!(anew.contains("two.txt"), "{anew}");
}
