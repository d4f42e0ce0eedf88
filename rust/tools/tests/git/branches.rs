//! `git_branch` and `git_stash`.

use serde_json::json;
use siderail_guard::Tool;
use siderail_workspace::outcome::ToolErrorCode as Code;

use crate::scene::Scene;

fn on(scene: &Scene) -> String {
    scene.git(&["symbolic-ref", "--short", "HEAD"])
}

#[tokio::test]
async fn branches_are_listed_with_where_they_stand() {
    let scene = Scene::new();
    scene.git(&["branch", "-q", "--track", "dev", "main"]);
    scene.git(&["update-ref", "refs/remotes/origin/far", "HEAD"]);
    scene.put("a.txt", "x\n");
    scene.commit_all("Second");
    let text = scene.ok("git_branch", json!({"action": "list"})).await;
    assert!(text.starts_with("on branch main\n"), "{text}");
    assert!(
        text.contains("\n* main ") && text.contains(" Second\n"),
        "{text}"
    );
    assert!(text.contains("[main behind 1] First\n"), "{text}");
    assert!(text.contains("of remotes:\n  origin/far "), "{text}");
}

#[tokio::test]
async fn a_branch_is_created_switched_to_and_deleted_once_merged() {
    let scene = Scene::new();
    scene.put("a.txt", "comes along\n");
    let text = scene
        .ok(
            "git_branch",
            json!({"action": "create", "name": "feature/ü"}),
        )
        .await;
    assert!(
        text.starts_with("created and on branch feature/ü: "),
        "{text}"
    );
    assert!(text.contains("1 not staged"), "{text}");
    scene
        .ok("git_commit", json!({"message": "Work", "paths": ["a.txt"]}))
        .await;
    scene
        .ok("git_branch", json!({"action": "switch", "name": "main"}))
        .await;
    assert_eq!(on(&scene), "main");
    let delete = json!({"action": "delete", "name": "feature/ü"});
    let text = scene
        .fails("git_branch", delete.clone(), Code::GitCommandFailed)
        .await;
    assert!(text.contains("would be lost"), "{text}");
    scene.git(&["merge", "-q", "feature/ü"]);
    let text = scene.ok("git_branch", delete.clone()).await;
    assert!(text.contains("its last commit was "), "{text}");
    let text = scene
        .fails("git_branch", delete, Code::GitCommandFailed)
        .await;
    assert!(text.contains("there is no branch"), "{text}");
    scene
        .fails(
            "git_branch",
            json!({"action": "delete", "name": "main"}),
            Code::GitCommandFailed,
        )
        .await;
    let from = json!({"action": "create", "name": "old", "from": "HEAD~1"});
    scene.ok("git_branch", from).await;
    assert_eq!(scene.git(&["log", "--format=%s"]), "First");
}

#[tokio::test]
async fn switching_never_writes_over_changes() {
    let scene = Scene::new();
    scene.git(&["switch", "-qc", "dev"]);
    scene.put("a.txt", "dev\n");
    scene.commit_all("Dev");
    scene.put("a.txt", "not committed\n");
    let arguments = json!({"action": "switch", "name": "main"});
    let text = scene
        .fails("git_branch", arguments, Code::GitCommandFailed)
        .await;
    assert!(text.contains("local changes are in the way"), "{text}");
    assert_eq!(scene.text("a.txt"), "not committed\n");
    assert_eq!(on(&scene), "dev");
}

#[tokio::test]
async fn commits_of_a_detached_head_are_not_left_behind() {
    let scene = Scene::new();
    scene.git(&["switch", "-q", "--detach"]);
    scene
        .ok("git_branch", json!({"action": "switch", "name": "main"}))
        .await;
    scene.git(&["switch", "-q", "--detach"]);
    scene.put("a.txt", "lost?\n");
    scene.commit_all("Nobody's");
    for arguments in [
        json!({"action": "switch", "name": "main"}),
        json!({"action": "create", "name": "x", "from": "main"}),
    ] {
        let text = scene
            .fails("git_branch", arguments, Code::GitCommandFailed)
            .await;
        assert!(text.contains("1 commits here are on no branch"), "{text}");
    }
    scene
        .ok("git_branch", json!({"action": "create", "name": "kept"}))
        .await;
    scene
        .ok("git_branch", json!({"action": "switch", "name": "main"}))
        .await;
    assert_eq!(scene.git(&["log", "-1", "--format=%s", "kept"]), "Nobody's");
}

#[tokio::test]
async fn a_stash_goes_and_comes_back_with_what_was_staged() {
    let scene = Scene::new();
    scene.put("b.txt", "staged\n");
    scene.git(&["add", "b.txt"]);
    scene.put("a.txt", "changed\n");
    scene.put("new.txt", "unknown\n");
    let push = json!({"action": "push", "message": "-half done"});
    let text = scene.ok("git_stash", push).await;
    assert!(text.starts_with("stashed as 0 ("), "{text}");
    assert_eq!(scene.git(&["status", "--porcelain"]), "?? new.txt");
    let text = scene.ok("git_stash", json!({"action": "list"})).await;
    assert!(
        text.starts_with("0: ") && text.ends_with("On main: -half done\n"),
        "{text}"
    );
    scene.ok("git_stash", json!({"action": "apply"})).await;
    assert_eq!(scene.text("a.txt"), "changed\n");
    assert_eq!(scene.git(&["diff", "--cached", "--name-only"]), "b.txt");
    scene.git(&["reset", "-q", "--hard"]);
    scene.ok("git_stash", json!({"action": "pop"})).await;
    assert_eq!(scene.text("a.txt"), "changed\n");
    assert_eq!(
        scene.ok("git_stash", json!({"action": "list"})).await,
        "nothing is stashed\n"
    );
}

#[tokio::test]
async fn stashing_nothing_and_taking_what_is_not_there_are_told() {
    let scene = Scene::new();
    scene.put("new.txt", "unknown\n");
    let text = scene.ok("git_stash", json!({"action": "push"})).await;
    assert!(text.starts_with("nothing to stash"), "{text}");
    let all = json!({"action": "push", "include_untracked": true});
    scene.ok("git_stash", all).await;
    assert!(!scene.path("new.txt").exists());
    let third = json!({"action": "pop", "index": 3});
    let text = scene
        .fails("git_stash", third, Code::GitCommandFailed)
        .await;
    assert!(text.contains("there is no stash 3"), "{text}");
    let text = scene
        .ok("git_stash", json!({"action": "drop", "index": 0}))
        .await;
    let commit = text.split("is commit ").nth(1).unwrap().trim();
    scene.git(&["cat-file", "-e", commit]);
    let text = Scene::empty()
        .fails(
            "git_stash",
            json!({"action": "push"}),
            Code::GitCommandFailed,
        )
        .await;
    assert!(text.contains("no commit yet"), "{text}");
}

#[tokio::test]
async fn a_stash_that_comes_back_in_conflict_is_kept() {
    let scene = Scene::new();
    scene.put("a.txt", "stashed\n");
    scene.ok("git_stash", json!({"action": "push"})).await;
    scene.put("a.txt", "since\n");
    scene.commit_all("Since");
    let text = scene
        .fails(
            "git_stash",
            json!({"action": "pop"}),
            Code::GitCommandFailed,
        )
        .await;
    assert!(text.contains("with conflicts and is kept"), "{text}");
    assert_eq!(scene.git(&["stash", "list"]).lines().count(), 1);
}

#[tokio::test]
async fn actions_that_do_not_exist_are_refused_with_those_that_do() {
    let scene = Scene::new();
    let text = scene
        .fails("git_stash", json!({"action": "clear"}), Code::InvalidParam)
        .await;
    assert!(text.contains("list, push, pop, apply, drop"), "{text}");
    scene
        .fails("git_branch", json!({}), Code::MissingParam)
        .await;
}

#[tokio::test]
async fn a_question_about_deleting_a_branch_says_which_commits_it_alone_holds() {
    let scene = Scene::new();
    scene.git(&["branch", "same"]);
    let text = scene.to_lose(Tool::GitBranch, json!({"action": "delete", "name": "same"}));
    let text = text.await.unwrap();
    assert!(
        text.starts_with("the branch same is deleted, its last commit is ")
            && text.ends_with(" First: other branches or tags hold all its commits"),
        "{text}"
    );
    scene.git(&["switch", "-q", "-c", "side"]);
    for n in 1..=7 {
        scene.put("b.txt", format!("{n}\n"));
        scene.commit_all(&format!("Side {n}"));
    }
    scene.git(&["switch", "-q", "main"]);
    let delete = json!({"action": "delete", "name": "side"});
    let text = scene
        .to_lose(Tool::GitBranch, delete.clone())
        .await
        .unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("the branch side is deleted: 7 commits are on no other branch or tag")
    );
    assert!(lines.next().unwrap().ends_with(" Side 7"), "{text}");
    assert_eq!(lines.last(), Some("  … and 2 more"));
    scene.git(&["tag", "kept", "side"]);
    let text = scene.to_lose(Tool::GitBranch, delete).await.unwrap();
    assert!(text.ends_with("hold all its commits"), "{text}");
    let switch = json!({"action": "switch", "name": "side"});
    assert_eq!(scene.to_lose(Tool::GitBranch, switch).await, None);
    let missing = json!({"action": "delete", "name": "nowhere"});
    assert_eq!(scene.to_lose(Tool::GitBranch, missing).await, None);
}

#[tokio::test]
async fn a_question_about_dropping_a_stash_says_what_is_in_it() {
    let scene = Scene::new();
    scene.put("a.txt", "changed\n");
    scene.put("new.txt", "unknown\n");
    scene.git(&["stash", "push", "-q", "--include-untracked", "-m", "older"]);
    scene.put("a.txt", "one\ntwo\n");
    scene.git(&["stash", "push", "-q", "-m", "newer"]);
    let lost = |arguments| scene.to_lose(Tool::GitStash, arguments);
    assert_eq!(
        lost(json!({"action": "drop"})).await.unwrap(),
        "stash 0 is dropped: On main: newer (1 file changed, 1 deletion(-))"
    );
    assert_eq!(
        lost(json!({"action": "drop", "index": 1})).await.unwrap(),
        "stash 1 is dropped: On main: older (1 file changed, 1 insertion(+), 3 deletions(-), \
         1 file that git did not know)"
    );
    assert_eq!(lost(json!({"action": "drop", "index": 2})).await, None);
    assert_eq!(lost(json!({"action": "pop"})).await, None);
    scene.git(&["config", "diff.relative", "true"]);
    scene.put("sub/known.txt", "known\n");
    scene.git(&["add", "sub"]);
    scene.git(&["commit", "-q", "-m", "sub"]);
    let below = scene.to_lose_below("sub", Tool::GitStash, json!({"action": "drop", "index": 1}));
    assert_eq!(
        below.await.unwrap(),
        "stash 1 is dropped: On main: older (1 file changed, 1 insertion(+), 3 deletions(-), \
         1 file that git did not know)"
    );
}

#[tokio::test]
async fn a_branch_or_a_stash_that_is_not_there_needs_no_question() {
    let scene = Scene::new();
    scene.git(&["branch", "side"]);
    scene.put("a.txt", "changed\n");
    scene.git(&["stash", "push", "-q"]);
    for (tool, arguments, why) in [
        (
            Tool::GitBranch,
            json!({"action": "delete", "name": "nowhere"}),
            "there is no branch nowhere here; git_branch {\"action\":\"list\"} lists them",
        ),
        (
            Tool::GitStash,
            json!({"action": "drop", "index": 1}),
            "there is no stash 1; git_stash {\"action\":\"list\"} lists them",
        ),
        (
            Tool::GitStash,
            json!({"action": "pop", "index": 7}),
            "there is no stash 7; git_stash {\"action\":\"list\"} lists them",
        ),
    ] {
        let said = scene.not_there(tool, arguments.clone()).await;
        assert_eq!(said.as_deref(), Some(why), "{arguments}");
    }
    for (tool, arguments) in [
        (Tool::GitBranch, json!({"action": "delete", "name": "side"})),
        (Tool::GitBranch, json!({"action": "create", "name": "new"})),
        (Tool::GitStash, json!({"action": "drop"})),
        (Tool::GitStash, json!({"action": "push"})),
    ] {
        let said = scene.not_there(tool, arguments.clone()).await;
        assert_eq!(said, None, "{arguments}");
    }
}
