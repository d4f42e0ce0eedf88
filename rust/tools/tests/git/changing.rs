//! `git_stage`, `git_unstage`, `git_commit`.

use std::time::{Duration, Instant};

use serde_json::json;
use siderail_tools::CancelFlag;
use siderail_workspace::outcome::ToolErrorCode as Code;

use crate::scene::Scene;

fn staged(scene: &Scene) -> String {
    scene.git(&[
        "-c",
        "core.quotePath=false",
        "diff",
        "--cached",
        "--name-status",
    ])
}

#[tokio::test]
async fn staging_takes_new_changed_and_deleted_files_and_only_those_named() {
    let scene = Scene::new();
    scene.put("gone.txt", "x\n");
    scene.commit_all("More");
    scene.remove("gone.txt");
    scene.put("a.txt", "changed\n");
    scene.put("dir/ñ ü.txt", "new\n");
    scene.put("other.txt", "not named\n");
    let paths = json!({"paths": ["a.txt", "gone.txt", "dir"]});
    let text = scene.ok("git_stage", paths).await;
    assert!(text.starts_with("staged: a.txt, "), "{text}");
    assert_eq!(staged(&scene), "M\ta.txt\nA\tdir/ñ ü.txt\nD\tgone.txt");
    let text = scene
        .ok("git_unstage", json!({"paths": ["dir", "gone.txt"]}))
        .await;
    assert!(text.contains("dir/ñ ü.txt"), "{text}");
    assert_eq!(staged(&scene), "M\ta.txt");
    assert_eq!(scene.text("dir/ñ ü.txt"), "new\n");
}

#[tokio::test]
async fn names_that_look_like_patterns_mean_the_file_of_that_name() {
    let scene = Scene::new();
    scene.put("*.txt", "star\n");
    scene.put("b.txt", "b\n");
    scene.put(":(top)x", "magic\n");
    scene
        .ok("git_stage", json!({"paths": ["*.txt", ":(top)x"]}))
        .await;
    assert_eq!(staged(&scene), "A\t*.txt\nA\t:(top)x");
}

#[tokio::test]
async fn what_was_staged_by_hand_can_be_found_again() {
    let scene = Scene::new();
    scene.put("a.txt", "staged by hand\n");
    scene.git(&["add", "a.txt"]);
    scene.put("a.txt", "and changed since\n");
    let text = scene.ok("git_stage", json!({"paths": ["a.txt"]})).await;
    let object = text
        .split("is object ")
        .nth(1)
        .unwrap()
        .trim_end_matches(".\n");
    assert_eq!(scene.git(&["cat-file", "blob", object]), "staged by hand");
}

#[tokio::test]
async fn staging_what_is_not_there_or_ignored_is_told() {
    let scene = Scene::new();
    scene.put(".gitignore", "*.log\n");
    scene.put("x.log", "");
    let nothing = json!({"paths": ["no.txt"]});
    let text = scene.fails("git_stage", nothing, Code::FileNotFound).await;
    assert!(text.contains("no.txt"), "{text}");
    let ignored = json!({"paths": ["x.log"]});
    let text = scene
        .fails("git_stage", ignored, Code::GitCommandFailed)
        .await;
    assert!(text.contains("ignored on purpose"), "{text}");
    let outside = json!({"paths": ["../x"]});
    scene
        .fails("git_stage", outside, Code::OutsideProject)
        .await;
    scene
        .fails("git_stage", json!({}), Code::MissingParam)
        .await;
}

#[tokio::test]
async fn unstaging_works_before_the_first_commit_and_not_in_a_conflict() {
    let scene = Scene::empty();
    scene.put("a.txt", "one\n");
    scene.git(&["add", "."]);
    scene.ok("git_unstage", json!({"paths": ["."]})).await;
    assert_eq!(scene.git(&["status", "--porcelain"]), "?? a.txt");
    let scene = in_conflict();
    let text = scene
        .fails(
            "git_unstage",
            json!({"paths": ["a.txt"]}),
            Code::GitCommandFailed,
        )
        .await;
    assert!(text.contains("in conflict"), "{text}");
    assert!(scene.git(&["ls-files", "-u"]).lines().count() == 3);
}

fn in_conflict() -> Scene {
    let scene = Scene::new();
    scene.git(&["switch", "-qc", "dev"]);
    scene.put("a.txt", "DEV\n");
    scene.commit_all("Dev");
    scene.git(&["switch", "-q", "main"]);
    scene.put("a.txt", "MAIN\n");
    scene.commit_all("Main");
    assert!(
        !scene
            .try_git(&scene.project(), &["merge", "dev"])
            .status
            .success()
    );
    scene
}

#[tokio::test]
async fn a_commit_takes_what_is_staged_or_exactly_the_named_files() {
    let scene = Scene::new();
    scene.put("a.txt", "changed\n");
    scene.put("b.txt", "new\n");
    scene.put("c.txt", "staged\n");
    scene.git(&["add", "c.txt"]);
    let text = scene
        .ok(
            "git_commit",
            json!({"message": "-x: named files", "paths": ["b.txt"]}),
        )
        .await;
    assert!(text.starts_with("committed on main: "), "{text}");
    assert!(text.contains(" -x: named files\n 1 file changed"), "{text}");
    assert!(text.contains("now: 1 staged, 1 not staged"), "{text}");
    assert_eq!(
        scene.git(&["show", "--name-only", "--format=%s"]),
        "-x: named files\n\nb.txt"
    );
    scene
        .ok("git_commit", json!({"message": "The rest\n\n# kept"}))
        .await;
    assert_eq!(
        scene.git(&["show", "--name-only", "--format=%B"]),
        "The rest\n\n# kept\n\n\nc.txt"
    );
    assert_eq!(scene.git(&["status", "--porcelain"]), "M a.txt");
}

#[tokio::test]
async fn amending_replaces_the_last_commit_with_or_without_a_new_message() {
    let scene = Scene::new();
    scene.put("a.txt", "better\n");
    scene
        .ok("git_commit", json!({"amend": true, "paths": ["a.txt"]}))
        .await;
    assert_eq!(scene.git(&["log", "--format=%s"]), "First");
    assert_eq!(scene.git(&["show", "HEAD:a.txt"]), "better");
    scene
        .ok("git_commit", json!({"amend": true, "message": "Renamed"}))
        .await;
    assert_eq!(scene.git(&["log", "--format=%s"]), "Renamed");
    scene.git(&["branch", "up"]);
    scene.git(&["branch", "-q", "--set-upstream-to", "up"]);
    let text = scene
        .ok("git_commit", json!({"amend": true, "message": "Again"}))
        .await;
    assert!(text.contains("was pushed before"), "{text}");
}

#[tokio::test]
async fn a_commit_that_would_be_empty_says_how_to_fill_it() {
    let scene = Scene::new();
    let text = scene
        .fails(
            "git_commit",
            json!({"message": "x"}),
            Code::GitCommandFailed,
        )
        .await;
    assert!(text.contains("nothing is staged"), "{text}");
    scene.put("a.txt", "changed\n");
    let text = scene
        .fails(
            "git_commit",
            json!({"message": "x"}),
            Code::GitCommandFailed,
        )
        .await;
    assert!(
        text.contains("name the files as paths") && text.contains("1 not staged"),
        "{text}"
    );
    scene
        .fails("git_commit", json!({}), Code::MissingParam)
        .await;
    assert_eq!(scene.git(&["rev-list", "--count", "HEAD"]), "1");
}

#[tokio::test]
async fn hooks_run_as_in_a_terminal_and_what_they_say_is_told() {
    let scene = Scene::new();
    // A hook that would hang on an editor, on input, or on pathspecs that were made literal.
    scene.hook(
        "pre-commit",
        "[ -z \"$(cat)\" ] || exit 9\ngit diff --cached --name-only -- '*.txt' >&2\n\
         echo \"style: $(grep -c bad a.txt) bad words\" >&2\n! grep -q bad a.txt",
    );
    scene.put("a.txt", "bad\n");
    let arguments = json!({"message": "x", "paths": ["a.txt"]});
    let text = scene
        .fails("git_commit", arguments, Code::GitCommandFailed)
        .await;
    assert!(
        text.contains("hook") && text.contains("style: 1 bad words"),
        "{text}"
    );
    assert_eq!(scene.git(&["rev-list", "--count", "HEAD"]), "1");
    scene.put("a.txt", "good\n");
    let text = scene
        .ok("git_commit", json!({"message": "x", "paths": ["a.txt"]}))
        .await;
    assert!(
        text.contains("hooks said:\na.txt\nstyle: 0 bad words\n"),
        "{text}"
    );
}

#[tokio::test]
async fn an_editor_is_never_opened() {
    let mut scene = Scene::new();
    scene.git(&["config", "core.editor", "sh -c 'touch opened; sleep 60'"]);
    scene.git(&["config", "commit.verbose", "true"]);
    scene.set_env("GIT_EDITOR", "sh -c 'touch opened; sleep 60'");
    scene.put("a.txt", "x\n");
    scene
        .ok("git_commit", json!({"message": "x", "paths": ["a.txt"]}))
        .await;
    scene.ok("git_commit", json!({"amend": true})).await;
    assert!(!scene.path("opened").exists());
}

#[tokio::test]
async fn a_merge_is_finished_by_staging_and_committing_all_of_it() {
    let scene = in_conflict();
    let text = scene
        .fails(
            "git_commit",
            json!({"message": "x"}),
            Code::GitCommandFailed,
        )
        .await;
    assert!(text.contains("a.txt is in conflict"), "{text}");
    let part = json!({"message": "x", "paths": ["a.txt"]});
    let text = scene
        .fails("git_commit", part, Code::GitCommandFailed)
        .await;
    assert!(text.contains("without paths"), "{text}");
    scene.put("a.txt", "both\n");
    scene.ok("git_stage", json!({"paths": ["a.txt"]})).await;
    let text = scene
        .ok("git_commit", json!({"message": "Merge dev"}))
        .await;
    assert!(text.contains("committed on main"), "{text}");
    assert_eq!(
        scene.git(&["log", "-1", "--format=%P"]).split(' ').count(),
        2
    );
}

#[tokio::test]
async fn a_commit_on_a_detached_head_says_how_to_keep_it() {
    let scene = Scene::new();
    scene.git(&["switch", "-q", "--detach"]);
    scene.put("a.txt", "x\n");
    let text = scene
        .ok("git_commit", json!({"message": "x", "paths": ["a.txt"]}))
        .await;
    assert!(text.contains("HEAD is detached: git_branch"), "{text}");
}

#[tokio::test]
async fn an_unknown_author_is_the_users_to_set() {
    let scene = Scene::new();
    scene.git(&["config", "user.useConfigOnly", "true"]);
    scene.git(&["config", "user.name", ""]);
    scene.git(&["config", "user.email", ""]);
    scene.put("a.txt", "x\n");
    let arguments = json!({"message": "x", "paths": ["a.txt"]});
    let text = scene
        .fails("git_commit", arguments, Code::GitCommandFailed)
        .await;
    assert!(text.contains("user.name and user.email"), "{text}");
}

#[tokio::test]
async fn cancelling_ends_git_its_hook_and_leaves_no_lock() {
    let scene = Scene::new();
    scene.hook("pre-commit", "echo $$ > started\nsleep 600 &\nwait");
    scene.put("a.txt", "x\n");
    scene.git(&["add", "a.txt"]);
    let cancel = CancelFlag::new();
    let begun = Instant::now();
    let call = scene.call("git_commit", json!({"message": "x"}), &cancel);
    let stop = async {
        while !scene.path("started").exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        cancel.cancel();
    };
    let (failed, ()) = tokio::join!(call, stop);
    assert_eq!(failed.unwrap_err().code, Code::Cancelled);
    assert!(begun.elapsed() < Duration::from_secs(60));
    let pid = scene.text("started");
    let is_running = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        // One that nobody has waited for yet is gone as well.
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    };
    while is_running() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "the hook runs on"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(!scene.path(".git/index.lock").exists());
    assert_eq!(scene.git(&["rev-list", "--count", "HEAD"]), "1");
}
