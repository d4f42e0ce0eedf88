//! `git_status`, `git_diff`, `git_log`, `git_blame`, `git_show`.

use std::fs;

use serde_json::{Value, json};
use siderail_tools::CancelFlag;
use siderail_workspace::outcome::ToolErrorCode as Code;

use crate::scene::Scene;

/// The arguments in the call that an answer's last line names.
fn next_call(answer: &str) -> Option<Value> {
    let line = answer.lines().last()?.strip_prefix("Next: ")?;
    serde_json::from_str(line.split_once(' ')?.1).ok()
}

#[tokio::test]
async fn status_tells_staged_from_changed_from_unknown_files() {
    let scene = Scene::new();
    scene.put("b.txt", "b\n");
    scene.put("gone.txt", "g\n");
    scene.put(
        "old name.txt",
        "a file that is long enough to be found again\n",
    );
    scene.commit_all("More");
    scene.put("a.txt", "one\n");
    scene.put("b.txt", "staged\n");
    scene.git(&["add", "b.txt"]);
    scene.put("b.txt", "changed again\n");
    scene.remove("gone.txt");
    fs::create_dir(scene.path("neu")).unwrap();
    scene.git(&["mv", "old name.txt", "neu/ä b.txt"]);
    scene.put("tab\tnew.txt", "");
    let text = scene.ok("git_status", json!({})).await;
    let (head, listed) = text.split_once('\n').unwrap();
    assert!(head.starts_with("on branch main, at "), "{text}");
    assert_eq!(
        listed,
        "staged (2):\n  modified b.txt\n  renamed neu/ä b.txt (from old name.txt)\n\
         not staged (3):\n  modified a.txt\n  modified b.txt\n  deleted gone.txt\n\
         untracked (1):\n  \"tab\\tnew.txt\"\n"
    );
    let one = scene.ok("git_status", json!({"path": "neu"})).await;
    assert!(
        one.contains("neu/ä b.txt") && !one.contains("a.txt\n  "),
        "{one}"
    );
}

#[tokio::test]
async fn a_clean_and_an_empty_repository_say_so() {
    let text = Scene::new().ok("git_status", json!({})).await;
    assert!(text.starts_with("on branch main, at "), "{text}");
    assert!(
        text.ends_with("nothing is changed, nothing is staged\n"),
        "{text}"
    );
    let empty = Scene::empty();
    let text = empty.ok("git_status", json!({})).await;
    assert!(
        text.starts_with("on branch main, no commits yet\n"),
        "{text}"
    );
    for arguments in [
        json!({}),
        json!({"path": "."}),
        json!({"since": "2 weeks ago", "author": "me", "page": 2}),
    ] {
        let text = empty.ok("git_log", arguments).await;
        assert_eq!(text, "there are no commits yet\n");
    }
    let code = Code::GitCommandFailed;
    let text = empty.fails("git_log", json!({"ref": "nope"}), code).await;
    assert!(!text.contains("no commits yet"), "{text}");
}

#[tokio::test]
async fn status_says_what_is_under_way_and_how_it_goes_on() {
    let scene = Scene::new();
    scene.git(&["switch", "-qc", "dev"]);
    scene.put("a.txt", "one\nDEV\nthree\n");
    scene.commit_all("Dev");
    scene.git(&["switch", "-q", "main"]);
    scene.put("a.txt", "one\nMAIN\nthree\n");
    scene.commit_all("Main");
    assert!(
        !scene
            .try_git(&scene.project(), &["merge", "dev"])
            .status
            .success()
    );
    let text = scene.ok("git_status", json!({})).await;
    assert!(text.contains("a merge is under way: git_stage"), "{text}");
    assert!(
        text.contains("in conflict (1):\n  changed on both sides a.txt\n"),
        "{text}"
    );
    scene.git(&["merge", "--abort"]);
    assert!(
        !scene
            .try_git(&scene.project(), &["rebase", "dev"])
            .status
            .success()
    );
    let text = scene.ok("git_status", json!({})).await;
    assert!(
        text.contains("a rebase is under way") && text.contains("detached"),
        "{text}"
    );
}

#[tokio::test]
async fn status_tells_how_far_the_branch_is_from_its_upstream() {
    let scene = Scene::new();
    scene.git(&["branch", "up"]);
    scene.git(&["branch", "-q", "--set-upstream-to", "up"]);
    scene.put("a.txt", "x\n");
    scene.commit_all("Second");
    let text = scene.ok("git_status", json!({})).await;
    assert!(text.contains(", 1 ahead of up\n"), "{text}");
}

#[tokio::test]
async fn diff_shows_what_is_wanted_and_says_where_the_rest_is() {
    let scene = Scene::new();
    scene.put("a.txt", "one\nTWO\nthree\n");
    scene.put("ü.txt", "new\n");
    let text = scene.ok("git_diff", json!({})).await;
    assert!(text.starts_with(" a.txt | 2 +-\n"), "{text}");
    assert!(text.contains("--- a/a.txt\n+++ b/a.txt\n"), "{text}");
    assert!(text.contains("-two\n+TWO\n"), "{text}");
    scene.git(&["add", "."]);
    let text = scene.ok("git_diff", json!({})).await;
    assert!(
        text.contains("what is staged: git_diff {\"staged\":true}"),
        "{text}"
    );
    let text = scene.ok("git_diff", json!({"staged": true})).await;
    assert!(
        text.contains("+TWO") && text.contains("+++ b/ü.txt"),
        "{text}"
    );
    let text = scene
        .ok("git_diff", json!({"staged": true, "path": "ü.txt"}))
        .await;
    assert!(
        !text.contains("+TWO") && text.contains("+++ b/ü.txt"),
        "{text}"
    );
    scene.git(&["commit", "-qm", "Second"]);
    let text = scene
        .ok("git_diff", json!({"ref": "HEAD~1..HEAD", "path": "a.txt"}))
        .await;
    assert!(text.contains("+TWO"), "{text}");
    let text = scene.ok("git_diff", json!({"ref": "HEAD"})).await;
    assert!(text.starts_with("no differences to HEAD\n"), "{text}");
}

#[tokio::test]
async fn a_long_diff_comes_in_pages_that_together_are_all_of_it() {
    let scene = Scene::new();
    let lines: String = (0..2_000)
        .map(|n| format!("line {n} of a long file\n"))
        .collect();
    scene.put("a.txt", lines);
    let mut arguments = json!({"path": "a.txt"});
    let mut whole = String::new();
    let mut n_pages = 0;
    loop {
        let text = scene.ok("git_diff", arguments).await;
        assert!(text.len() <= 10_000, "{}", text.len());
        n_pages += 1;
        whole.push_str(&text);
        match next_call(&text) {
            Some(next) => arguments = next,
            None => break,
        }
    }
    assert!(n_pages > 4);
    for n in [0, 1, 999, 1_998, 1_999] {
        assert!(
            whole.contains(&format!("+line {n} of a long file\n")),
            "{n}"
        );
    }
    let past = json!({"path": "a.txt", "page": 1_000});
    let text = scene.fails("git_diff", past, Code::InvalidParam).await;
    assert!(text.contains(&format!("{n_pages} pages")), "{text}");
}

#[tokio::test]
async fn one_line_of_a_minified_file_does_not_fill_the_answer() {
    let scene = Scene::new();
    scene.put("a.txt", "x".repeat(400_000));
    let text = scene.ok("git_diff", json!({})).await;
    assert!(text.len() < 10_000, "{}", text.len());
    assert!(text.contains("more bytes]"), "{text}");
}

#[tokio::test]
async fn log_lists_commits_by_page_path_author_and_range() {
    let scene = Scene::new();
    for n in 0..5 {
        scene.put("b.txt", format!("{n}\n"));
        scene.commit_all(&format!("Change {n} of b"));
    }
    scene.git(&["mv", "a.txt", "c.txt"]);
    scene.git(&[
        "commit",
        "-qm",
        "Rename",
        "--author",
        "Grace <grace@example.org>",
    ]);
    let text = scene.ok("git_log", json!({"max_count": 2})).await;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].ends_with("Grace: (HEAD -> main) Rename"), "{text}");
    assert!(lines[1].ends_with("Ada Ämter: Change 4 of b"), "{text}");
    let next = next_call(&text).unwrap();
    assert_eq!(next, json!({"max_count": 2, "page": 2}));
    let text = scene.ok("git_log", next).await;
    assert!(
        text.contains("Change 3") && text.contains("Change 2"),
        "{text}"
    );
    let text = scene.ok("git_log", json!({"path": "c.txt"})).await;
    assert!(
        text.contains("Rename") && text.contains("First") && !text.contains("Change"),
        "{text}"
    );
    let text = scene.ok("git_log", json!({"author": "grace@"})).await;
    assert_eq!(text.lines().count(), 1, "{text}");
    let text = scene.ok("git_log", json!({"ref": "HEAD~3..HEAD~1"})).await;
    assert_eq!(text.lines().count(), 2, "{text}");
    let text = scene.ok("git_log", json!({"author": "nobody"})).await;
    assert!(text.contains("complete answer"), "{text}");
}

#[tokio::test]
async fn a_date_that_is_none_and_a_page_beyond_the_end_do_not_pass_for_a_history_without_commits() {
    let scene = Scene::new();
    for since in ["2 weeks ago", "yesterday", "2020-01-31"] {
        let text = scene.ok("git_log", json!({"since": since})).await;
        assert!(text.contains("First"), "{since}: {text}");
    }
    for (arguments, told) in [
        (
            json!({"since": "garbage"}),
            "not a date that git understands",
        ),
        (json!({"page": 99}), "there is no page 99"),
        (
            json!({"max_count": 0}),
            "`max_count` must be 1 or more, not 0",
        ),
        (json!({"page": -1}), "`page` must be 1 to 1000000, not -1"),
    ] {
        let text = scene.fails("git_log", arguments, Code::InvalidParam).await;
        assert!(text.contains(told), "{text}");
    }
    let pop = json!({"action": "pop", "index": -1});
    let text = scene.fails("git_stash", pop, Code::InvalidParam).await;
    assert!(
        text.contains("`index` must be 0 to 100000, not -1"),
        "{text}"
    );
    let text = scene
        .fails("git_status", json!({"page": 0}), Code::InvalidParam)
        .await;
    assert!(text.contains("`page` must be 1 or more, not 0"), "{text}");
}

#[tokio::test]
async fn blame_names_the_commit_of_each_line_and_the_next_call() {
    let scene = Scene::new();
    scene.put("a.txt", "one\nTWO\nthree\n");
    scene.commit_all("Second");
    let text = scene
        .ok("git_blame", json!({"path": "a.txt", "start_line": 2}))
        .await;
    assert!(text.starts_with("a.txt lines 2-3 of 3\n"), "{text}");
    let second = scene.git(&["rev-parse", "--short=8", "HEAD"]);
    assert!(text.lines().nth(1).unwrap().starts_with(&second), "{text}");
    assert!(text.contains("Ada Ämter") && text.contains("TWO"), "{text}");
    let lines: String = (0..400).map(|n| format!("{n}\n")).collect();
    scene.put("long.txt", lines);
    scene.commit_all("Long");
    let mut arguments = json!({"path": "long.txt"});
    let mut n_lines = 0;
    loop {
        let text = scene.ok("git_blame", arguments).await;
        n_lines += text.lines().filter(|line| line.contains("Ada")).count();
        match next_call(&text) {
            Some(next) => arguments = next,
            None => break,
        }
    }
    assert_eq!(n_lines, 400);
    scene
        .fails("git_blame", json!({"path": "no.txt"}), Code::FileNotFound)
        .await;
    let beyond = json!({"path": "a.txt", "start_line": 4});
    let text = scene.fails("git_blame", beyond, Code::InvalidParam).await;
    assert!(text.contains("3 lines"), "{text}");
    scene.put("fresh.txt", "x\n");
    let fresh = json!({"path": "fresh.txt"});
    let text = scene
        .fails("git_blame", fresh, Code::GitCommandFailed)
        .await;
    assert!(text.contains("in no commit yet"), "{text}");
}

#[tokio::test]
async fn show_gives_a_commit_or_a_file_as_it_was() {
    let scene = Scene::new();
    scene.put("a.txt", "changed\n");
    scene.put("b.txt", "b\n");
    scene.commit_all("Second\n\nWith a body.");
    let text = scene.ok("git_show", json!({})).await;
    assert!(
        text.contains("With a body.") && text.contains("+changed"),
        "{text}"
    );
    let text = scene
        .ok("git_show", json!({"ref": "HEAD", "stat_only": true}))
        .await;
    assert!(
        text.contains("2 files changed") && !text.contains("+changed"),
        "{text}"
    );
    let text = scene
        .ok("git_show", json!({"ref": "HEAD", "path": "b.txt"}))
        .await;
    assert!(!text.contains("+changed") && text.contains("+b"), "{text}");
    let text = scene.ok("git_show", json!({"ref": "HEAD~1:a.txt"})).await;
    assert_eq!(text, "a.txt in HEAD~1:\none\ntwo\nthree\n");
    let missing = json!({"ref": "HEAD~1:b.txt"});
    let text = scene
        .fails("git_show", missing, Code::GitCommandFailed)
        .await;
    assert!(text.contains("not part of that commit"), "{text}");
    let unknown = json!({"ref": "nowhere"});
    let text = scene
        .fails("git_show", unknown, Code::GitCommandFailed)
        .await;
    assert!(text.contains("no such branch, tag or commit"), "{text}");
    let outside = json!({"ref": "HEAD:../secret"});
    scene.fails("git_show", outside, Code::OutsideProject).await;
}

#[tokio::test]
async fn a_merge_is_shown_as_what_it_brought() {
    let scene = Scene::new();
    scene.git(&["switch", "-qc", "dev"]);
    scene.put("dev.txt", "dev\n");
    scene.commit_all("Dev");
    scene.git(&["switch", "-q", "main"]);
    scene.put("main.txt", "main\n");
    scene.commit_all("Main");
    scene.git(&["merge", "-q", "--no-edit", "dev"]);
    let text = scene.ok("git_show", json!({"ref": "HEAD"})).await;
    assert!(text.contains("+dev") && !text.contains("+main"), "{text}");
}

#[tokio::test]
async fn a_project_inside_a_larger_repository_sees_its_own_part() {
    let scene = Scene::new();
    scene.put("app/in.txt", "in\n");
    scene.commit_all("App");
    scene.put("app/in.txt", "changed in\n");
    scene.put("a.txt", "changed out\n");
    let app = scene.path("app");
    let told = async |tool: &str, arguments: Value| {
        let outcome = scene
            .call_in(&app, tool, arguments, &CancelFlag::new())
            .await;
        outcome.map(|outcome| outcome.text).unwrap()
    };
    let text = told("git_status", json!({})).await;
    assert!(
        text.contains("  modified in.txt\n") && !text.contains("a.txt"),
        "{text}"
    );
    let text = told("git_diff", json!({})).await;
    assert!(
        text.contains("+++ b/in.txt") && !text.contains("changed out"),
        "{text}"
    );
    let text = told("git_log", json!({})).await;
    assert_eq!(text.lines().count(), 1, "{text}");
    let text = told("git_show", json!({"ref": "HEAD:in.txt"})).await;
    assert!(text.ends_with("\nin\n"), "{text}");
    told("git_stage", json!({"paths": ["in.txt"]})).await;
    assert_eq!(
        scene.git(&["diff", "--cached", "--name-only"]),
        "app/in.txt"
    );
}

#[tokio::test]
async fn files_of_a_submodule_are_its_own_repositorys() {
    let scene = Scene::new();
    let library = scene.project().with_file_name("library");
    fs::create_dir(&library).unwrap();
    scene.git_in(&library, &["init", "-q"]);
    fs::write(library.join("lib.txt"), "lib\n").unwrap();
    scene.git_in(&library, &["add", "."]);
    scene.git_in(&library, &["commit", "-qm", "Lib"]);
    scene.git(&[
        "submodule",
        "--quiet",
        "add",
        library.to_str().unwrap(),
        "libs/sub",
    ]);
    scene.commit_all("Add a submodule");
    scene.put("libs/sub/lib.txt", "changed\n");
    let text = scene.ok("git_status", json!({})).await;
    assert!(
        text.contains("libs/sub (submodule with changes of its own)"),
        "{text}"
    );
    let text = scene
        .ok("git_status", json!({"path": "libs/sub/lib.txt"}))
        .await;
    assert!(text.contains("  modified libs/sub/lib.txt\n"), "{text}");
    let text = scene
        .ok("git_diff", json!({"path": "libs/sub/lib.txt"}))
        .await;
    assert!(text.contains("+++ b/libs/sub/lib.txt"), "{text}");
    scene
        .ok("git_stage", json!({"paths": ["libs/sub/lib.txt"]}))
        .await;
    let text = scene
        .ok(
            "git_commit",
            json!({"message": "In it", "paths": ["libs/sub/lib.txt"]}),
        )
        .await;
    assert!(text.contains("In it"), "{text}");
    scene
        .ok(
            "git_commit",
            json!({"message": "Move on", "paths": ["libs/sub"]}),
        )
        .await;
    assert!(scene.git(&["status", "--porcelain"]).is_empty());
    scene.put("libs/sub/lib.txt", "again\n");
    let both = json!({"paths": ["a.txt", "libs/sub/lib.txt"]});
    let text = scene.fails("git_stage", both, Code::InvalidParam).await;
    assert!(text.contains("several repositories"), "{text}");
}

#[tokio::test]
async fn a_linked_worktree_is_a_repository_like_any_other() {
    let scene = Scene::new();
    let other = scene.project().with_file_name("other");
    scene.git(&[
        "worktree",
        "add",
        "-q",
        "-b",
        "side",
        other.to_str().unwrap(),
    ]);
    fs::write(other.join("a.txt"), "side\n").unwrap();
    let arguments = json!({"message": "On the side", "paths": ["a.txt"]});
    let outcome = scene
        .call_in(&other, "git_commit", arguments, &CancelFlag::new())
        .await;
    assert!(outcome.unwrap().text.contains("committed on side"));
    assert_eq!(
        scene.git(&["log", "-1", "--format=%s", "side"]),
        "On the side"
    );
}
