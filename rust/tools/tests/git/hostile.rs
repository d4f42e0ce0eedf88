//! Arguments, repositories and machines that mean trouble.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;
use siderail_workspace::outcome::ToolErrorCode as Code;

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
        text.contains("is not in a git repository; `git init`"),
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
        text.contains("not in a git repository") || text.contains("git said"),
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

#[tokio::test]
async fn a_wrong_path_is_answered_with_the_one_that_was_meant() {
    let scene = Scene::new();
    scene.put("lib/two\nlines", "x\n");
    for (tool, wrong, code, meant) in [
        (
            "git_log",
            "/a.txt",
            Code::OutsideProject,
            "did you mean a.txt?",
        ),
        (
            "git_blame",
            "\u{fffd}.txt",
            Code::InvalidParam,
            "nearest: a.txt",
        ),
        (
            "git_diff",
            r"lib/two\nlines",
            Code::InvalidParam,
            r#": "lib/two\nlines""#,
        ),
    ] {
        let text = scene.fails(tool, json!({"path": wrong}), code).await;
        assert!(text.contains(meant), "{text}");
    }
}

/// Every setting by which a repository could name a program, but filters, about which a person is asked before.
const NAMING: [&str; 27] = [
    "core.fsmonitor",
    "core.sshCommand",
    "core.gitProxy",
    "core.askPass",
    "core.editor",
    "core.pager",
    "core.alternateRefsCommand",
    "sequence.editor",
    "pager.status",
    "pager.diff",
    "pager.log",
    "credential.helper",
    "diff.external",
    "diff.evil.command",
    "diff.evil.textconv",
    "diff.tool",
    "merge.evil.driver",
    "merge.tool",
    "gpg.program",
    "gpg.openpgp.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultKeyCommand",
    "uploadpack.packObjectsHook",
    "interactive.diffFilter",
    "alias.status",
    "submodule.sub.update",
    "remote.origin.uploadpack",
];

const HOOKS: [&str; 8] = [
    "post-index-change",
    "pre-commit",
    "post-checkout",
    "reference-transaction",
    "fsmonitor-watchman",
    "post-rewrite",
    "pre-auto-gc",
    "prepare-commit-msg",
];

#[tokio::test]
async fn no_program_that_a_repository_names_runs_unasked() {
    let scene = Scene::new();
    scene.put(".gitattributes", "*.txt diff=evil merge=evil\n");
    scene.put("c.txt", "c\n");
    scene.commit_all("Attributes");
    let ran = scene.path(".git/ran");
    let touch = format!("touch {} ; cat", ran.display());
    for name in HOOKS {
        scene.hook(name, &touch);
        scene.put(&format!("hooks/{name}"), format!("#!/bin/sh\n{touch}\n"));
    }
    scene.git(&["add", "--chmod=+x", "hooks"]);
    scene.git(&["checkout-index", "--force", "--all"]);
    let _ = fs::remove_file(&ran);
    let is_run = |what: &str| {
        assert!(!ran.exists(), "{what}: {:?}", fs::read_to_string(&ran));
    };
    let mut config = scene.text(".git/config");
    for name in NAMING {
        let (section, key) = name.rsplit_once('.').unwrap();
        let section = match section.split_once('.') {
            Some((section, sub)) => format!("[{section} \"{sub}\"]"),
            None => format!("[{section}]"),
        };
        config.push_str(&format!("{section}\n\t{key} = \"{touch}\"\n"));
    }
    config.push_str(&format!(
        "[core]\n\thooksPath = {}\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = origin\n\
         [remote \"origin\"]\n\turl = ssh://localhost/x\n\tpromisor = true\n\tpartialclonefilter = blob:none\n\
         [protocol]\n\tallow = always\n[protocol \"ssh\"]\n\tallow = always\n[log]\n\tshowSignature = true\n\
         [format]\n\tpretty = \"%G? %h\"\n[commit]\n\tgpgSign = true\n",
        scene.path("hooks").display()
    ));
    scene.put(".git/config", config);
    scene.put("a.txt", "x\n");
    scene.put("b.txt", "new\n");
    // Something that only the remote has: what looks at it would fetch it.
    let object = scene.git(&["-c", "core.fsmonitor=false", "rev-parse", "HEAD:c.txt"]);
    let _ = fs::remove_file(&ran);
    let (folder, name) = object.split_at(2);
    fs::remove_file(scene.path(&format!(".git/objects/{folder}/{name}"))).unwrap();
    scene.put("c.txt", "other\n");
    for (tool, arguments) in [
        ("git_status", json!({})),
        ("git_diff", json!({"path": "a.txt"})),
        ("git_diff", json!({})),
        ("git_diff", json!({"ref": "HEAD"})),
        ("git_log", json!({})),
        ("git_log", json!({"path": "c.txt"})),
        ("git_show", json!({})),
        ("git_show", json!({"ref": "HEAD:a.txt"})),
        ("git_show", json!({"ref": "HEAD:c.txt"})),
        ("git_blame", json!({"path": "a.txt"})),
        ("git_blame", json!({"path": "c.txt"})),
        ("git_branch", json!({"action": "list"})),
        ("git_stash", json!({"action": "list"})),
        ("git_stage", json!({"paths": ["a.txt", "b.txt", "c.txt"]})),
        ("git_diff", json!({"staged": true})),
        ("git_unstage", json!({"paths": ["a.txt", "b.txt", "c.txt"]})),
        ("git_status", json!({})),
    ] {
        // Some cannot do their work without what is missing here.
        let cancel = siderail_tools::CancelFlag::new();
        let _ = scene.call(tool, arguments.clone(), &cancel).await;
        is_run(&format!("{tool} {arguments}"));
    }
    let staged = scene.ok("git_stage", json!({"paths": ["a.txt"]})).await;
    assert!(staged.contains("staged: a.txt"), "{staged}");
    is_run("git_stage");
}
