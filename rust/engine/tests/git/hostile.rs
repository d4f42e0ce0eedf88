//! Arguments, repositories and machines that mean trouble.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;
use siderail_engine::host::ToolErrorCode as Code;

use crate::scene::Scene;

#[tokio::test]
async fn nothing_that_is_given_is_taken_for_an_option() {
    let scene = Scene::new();
    scene.put("a.txt", "x\n");
    let out = scene.path("written");
    let option = format!("--output={}", out.display());
    for (tool, arguments) in [
        ("git_diff", json!({"ref": option})),
        ("git_log", json!({"ref": option})),
        ("git_show", json!({"ref": option})),
        ("git_show", json!({"ref": "--help"})),
        (
            "git_branch",
            json!({"action": "switch", "name": "--orphan=x"}),
        ),
        ("git_branch", json!({"action": "create", "name": "-f"})),
        (
            "git_branch",
            json!({"action": "create", "name": "x", "from": "--orphan"}),
        ),
        ("git_branch", json!({"action": "delete", "name": "-D"})),
        ("git_branch", json!({"action": "delete", "name": "@{-1}"})),
        ("git_log", json!({"ref": "main\n--all"})),
        ("git_log", json!({"since": "--all"})),
    ] {
        scene.fails(tool, arguments, Code::InvalidParam).await;
    }
    for (tool, arguments) in [
        ("git_log", json!({"author": option})),
        ("git_status", json!({"path": option})),
        ("git_diff", json!({"path": "--no-index"})),
    ] {
        scene.ok(tool, arguments).await;
    }
    scene
        .fails(
            "git_stage",
            json!({"paths": ["--force"]}),
            Code::FileNotFound,
        )
        .await;
    assert!(!out.exists());
}

#[tokio::test]
async fn programs_of_the_configuration_do_not_run_for_reading() {
    let scene = Scene::new();
    scene.put(".gitattributes", "*.txt diff=evil\n");
    scene.commit_all("Attributes");
    let touch = format!("touch {} ; cat", scene.path("ran").display());
    for name in [
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "core.fsmonitor",
        "core.pager",
        "gpg.program",
    ] {
        scene.git(&["config", name, &touch]);
    }
    scene.git(&["config", "log.showSignature", "true"]);
    scene.put("a.txt", "x\n");
    for (tool, arguments) in [
        ("git_status", json!({})),
        ("git_diff", json!({})),
        ("git_log", json!({})),
        ("git_show", json!({})),
        ("git_show", json!({"ref": "HEAD:a.txt"})),
        ("git_blame", json!({"path": "a.txt"})),
        ("git_branch", json!({"action": "list"})),
        ("git_stash", json!({"action": "list"})),
    ] {
        scene.ok(tool, arguments).await;
        assert!(!scene.path("ran").exists(), "{tool}");
    }
}

#[tokio::test]
async fn what_a_clean_filter_takes_out_is_no_change() {
    let scene = Scene::new();
    scene.put(".gitattributes", "*.nb filter=strip\n");
    let clean = format!("touch {} ; grep -v ^output", scene.path("ran").display());
    scene.git(&["config", "filter.strip.clean", &clean]);
    scene.put("a.nb", "code\noutput 1\n");
    scene.commit_all("A notebook");
    scene.remove("ran");
    scene.put("a.nb", "code\noutput 2\n");
    let status = scene.ok("git_status", json!({})).await;
    assert!(!status.contains("a.nb"), "{status}");
    assert!(scene.path("ran").exists(), "docs/architecture.md says so");
    let diff = scene.ok("git_diff", json!({})).await;
    assert!(!diff.contains("a.nb"), "{diff}");
}

#[tokio::test]
async fn reading_leaves_the_index_alone() {
    let scene = Scene::new();
    // The same text with another time: git would like to note that down.
    scene.put("a.txt", "one\ntwo\nthree\n");
    let before = fs::read(scene.path(".git/index")).unwrap();
    scene.put(".git/index.lock", "");
    scene.ok("git_status", json!({})).await;
    scene.ok("git_diff", json!({})).await;
    assert_eq!(fs::read(scene.path(".git/index")).unwrap(), before);
    let text = scene
        .fails(
            "git_stage",
            json!({"paths": ["a.txt"]}),
            Code::GitCommandFailed,
        )
        .await;
    assert!(text.contains("another git program"), "{text}");
}

#[tokio::test]
async fn variables_of_another_call_of_git_do_not_lead_astray() {
    let mut scene = Scene::new();
    let text = scene.ok("git_status", json!({})).await;
    scene.set_env("GIT_DIR", "/nonexistent");
    scene.set_env("GIT_INDEX_FILE", "/nonexistent/index");
    scene.set_env("GIT_TRACE", "2");
    assert_eq!(scene.ok("git_status", json!({})).await, text);
}

#[tokio::test]
async fn other_languages_change_nothing() {
    let mut scene = Scene::bare();
    scene.set_env("LC_ALL", "de_DE.UTF-8");
    scene.set_env("LANGUAGE", "de:fr");
    let text = scene
        .fails("git_status", json!({}), Code::GitCommandFailed)
        .await;
    assert!(
        text.contains("is in no git repository; `git init`"),
        "{text}"
    );
}

#[tokio::test]
async fn a_machine_without_git_says_so() {
    let mut scene = Scene::new();
    scene.set_env("PATH", "/nonexistent");
    let text = scene
        .fails("git_status", json!({}), Code::GitCommandFailed)
        .await;
    assert!(text.contains("`git` was not found on PATH"), "{text}");
}

#[tokio::test]
async fn a_broken_repository_is_told_with_gits_own_words() {
    let scene = Scene::new();
    fs::write(scene.path(".git/HEAD"), "garbage").unwrap();
    let text = scene
        .fails("git_status", json!({}), Code::GitCommandFailed)
        .await;
    assert!(
        text.contains("in no git repository") || text.contains("git said"),
        "{text}"
    );
}

#[tokio::test]
async fn links_do_not_lead_out_of_the_project() {
    let scene = Scene::new();
    let outside = scene.project().with_file_name("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("x"), "secret\n").unwrap();
    symlink(&outside, scene.path("link")).unwrap();
    scene
        .fails(
            "git_stage",
            json!({"paths": ["link/x"]}),
            Code::OutsideProject,
        )
        .await;
    scene
        .fails("git_blame", json!({"path": "link/x"}), Code::OutsideProject)
        .await;
    scene.ok("git_stage", json!({"paths": ["link"]})).await;
    assert_eq!(
        scene.git(&["ls-files", "-s", "link"]).split(' ').next(),
        Some("120000")
    );
}

/// As every tool prints and reads such names.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_name_that_is_no_text_is_printed_as_it_reads_back_in() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    const SHOWN: &str = "\"bad\\377 ä.txt\"";
    let scene = Scene::new();
    let file = scene
        .project()
        .join(OsStr::from_bytes(b"bad\xff \xc3\xa4.txt"));
    fs::write(&file, "one\n").unwrap();
    scene.put("other.txt", "x\n");
    let status = scene.ok("git_status", json!({})).await;
    assert!(status.contains(&format!("  {SHOWN}\n")), "{status}");
    let staged = scene.ok("git_stage", json!({"paths": [SHOWN]})).await;
    assert_eq!(staged, format!("staged: {SHOWN}\n"));
    let diff = scene.ok("git_diff", json!({"staged": true})).await;
    assert!(diff.contains("+++ \"b/bad\\377 \\303\\244.txt\""), "{diff}");
    let unstaged = scene.ok("git_unstage", json!({"paths": [SHOWN]})).await;
    assert!(
        unstaged.starts_with(&format!("no longer staged: {SHOWN};")),
        "{unstaged}"
    );
    let message = json!({"message": "Odd", "paths": [SHOWN]});
    let committed = scene.ok("git_commit", message).await;
    assert!(committed.contains("1 file changed"), "{committed}");
    let log = scene.ok("git_log", json!({"path": SHOWN})).await;
    assert!(log.contains("Odd") && log.lines().count() == 1, "{log}");
    let blame = scene.ok("git_blame", json!({"path": SHOWN})).await;
    assert!(blame.starts_with(SHOWN) && blame.contains("one"), "{blame}");
    let shown = scene
        .ok("git_show", json!({"ref": format!("HEAD:{SHOWN}")}))
        .await;
    assert_eq!(shown, format!("{SHOWN} in HEAD:\none\n"));
    fs::write(&file, "two\n").unwrap();
    let status = scene.ok("git_status", json!({"path": SHOWN})).await;
    assert!(status.contains(&format!("modified {SHOWN}\n")), "{status}");
}

#[tokio::test]
async fn what_is_too_long_or_no_text_is_told_as_that_and_not_as_a_missing_program() {
    let scene = Scene::new();
    scene.put("a.txt", "x\n");
    let long = "x".repeat(200 * 1024);
    let message = json!({"message": long, "paths": ["a.txt"]});
    let text = scene.fails("git_commit", message, Code::InvalidParam).await;
    assert!(
        text.contains("204800 bytes") && text.contains("32768"),
        "{text}"
    );
    for (tool, arguments) in [
        ("git_stash", json!({"action": "push", "message": long})),
        ("git_log", json!({"author": long})),
        ("git_log", json!({"author": "a\0b"})),
    ] {
        let text = scene.fails(tool, arguments, Code::InvalidParam).await;
        assert!(!text.contains("install"), "{text}");
    }
}

#[tokio::test]
async fn a_path_is_named_in_a_message_as_the_call_has_named_it() {
    let scene = Scene::new();
    let missing = json!({"paths": ["none.txt"]});
    let text = scene.fails("git_stage", missing, Code::FileNotFound).await;
    assert!(
        text.contains("'none.txt'") && !text.contains(":("),
        "{text}"
    );
}
