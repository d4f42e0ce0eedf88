//! Content roots of the project beside its folder, which an IDE names: inside for tools, guard and command lines.

use std::path::PathBuf;

use siderail_engine::command::Command;
use siderail_tests::place::Place;
use siderail_tests::stage::{SESSION, Stage};

use crate::play::{Play, answer, kept_its_script, no, shown_with, traffic};

/// A folder beside the project's, and the same as its files are named.
fn beside(place: &Place) -> PathBuf {
    place.write("more/a.txt", "one word\n");
    place.write("third/b.txt", "one word\n");
    place.path("more").canonicalize().expect("it is there")
}

fn with_more(shape: &str, script: &str) -> Play {
    Play::of(shape, script).with(|options, place| options.content_roots = vec![beside(place)])
}

fn notices(stage: &Stage) -> Vec<String> {
    let logs = stage.all("AGENT_LOG");
    let texts = logs.iter().filter_map(|event| event["text"].as_str());
    texts.map(str::to_owned).collect()
}

#[tokio::test]
async fn tools_work_in_a_content_root_and_nowhere_else() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
            { call = "intellij_read_file", arguments = { path = "../more/a.txt" }, expect_result_contains = "one word" },
            { call = "intellij_write_file", arguments = { path = "../more/new/c.txt", content = "c\n" }, expect_result_contains = "/more/new/c.txt, 1 lines" },
            { call = "search_text", arguments = { query = "one word" }, expect_result_contains = "/more/a.txt:1:1: one word" },
            { call = "list_project_files", arguments = { pattern = "*.txt" }, expect_result_contains = "/more/new/c.txt" },
            { call = "get_project_info", arguments = {}, expect_result_contains = "content root outside of it: " },
            { call = "run_command", arguments = { command = "cp a.txt d.txt", working_dir = "../more" }, expect = "allowed" },
            { call = "git_status", arguments = { paths = ["../more/a.txt"] }, expect = "failed" },
            { call = "intellij_read_file", arguments = { path = "../third/b.txt" }, expect = "denied" },
        ]"#;
    let stage = with_more("claude", SCRIPT).answer(true).run().await;
    assert_eq!(stage.place.read("more/new/c.txt"), "c\n");
    assert_eq!(stage.place.read("more/d.txt"), "one word\n");
    let more = beside(&stage.place).display().to_string();
    let changes = stage.all("CHANGES");
    let path = &changes[0]["files"][0]["path"];
    assert_eq!(path, &format!("{more}/new/c.txt"), "{changes:?}");
    let asked = traffic(&stage)
        .into_iter()
        .find(|line| line.to_string().contains("session/new"));
    assert!(asked.is_some_and(|line| line.to_string().contains(&more)));
}

#[tokio::test]
async fn built_in_tools_are_redirected_in_a_content_root_with_its_paths() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
            { create = "../more/a.txt", content = "x", expect = "denied" },
            { shell = "cat ../more/a.txt", expect = "denied" },
            { shell = "cd ../more && git status", expect = "denied" },
        ]"#;
    let mut stage = with_more("claude", SCRIPT).start();
    stage.prompt("go");
    let git = loop {
        let request = stage.until("PERMISSION_REQUEST").await;
        if request["asks"] == true {
            break request;
        }
    };
    // Our tools for git see the project's own folder alone, so nothing replaces the command.
    let text = git["text"].as_str().unwrap_or_default();
    assert!(text.contains("git status"), "{git}");
    answer(&stage, &git, no(""));
    stage.until("TURN_ENDED").await;
    stage.end().await;
    kept_its_script(&stage);
    let named = format!("{}/a.txt", beside(&stage.place).display());
    for tool in ["intellij_write_file", "intellij_read_file"] {
        let told = shown_with(&stage, tool).text;
        assert!(told.contains(&named), "{tool}: {told}");
    }
}

#[tokio::test]
async fn a_command_that_writes_in_a_content_root_writes_inside() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
            { call = "run_command", arguments = { command = "make > ../more/made.log" } },
            { call = "run_command", arguments = { command = "make > ../more/.git/hooks/x" } },
            { call = "run_command", arguments = { command = "make > ../more/out/made.log" } },
            { call = "run_command", arguments = { command = "make > ../third/made.log" } },
        ]"#;
    let play = with_more("claude", SCRIPT).with(|_, place| {
        std::os::unix::fs::symlink("../third", place.path("more/out")).expect("a link");
    });
    let mut stage = play.start();
    stage.prompt("go");
    let mut told = Vec::new();
    while told.len() < 4 {
        let request = stage.until("PERMISSION_REQUEST").await;
        if request["asks"] == true {
            told.push(request["destroys"].as_str().unwrap_or_default().to_owned());
            answer(&stage, &request, no(""));
        }
    }
    stage.until("TURN_ENDED").await;
    stage.end().await;
    assert_eq!(told[0], "", "{told:?}");
    assert!(told[1].starts_with("Protected: "), "{told:?}");
    for outside in &told[2..] {
        let third = stage.place.path("third/made.log");
        let named = format!("Writes outside of the project: {}", third.display());
        assert!(outside.contains(&named), "{told:?}");
    }
}

#[tokio::test]
async fn while_a_session_runs_a_content_root_can_only_go_and_each_change_is_told() {
    const STEP: &str = r#"
        [[prompt]]
        step = [{ call = "intellij_read_file", arguments = { path = "../PLACE/a.txt" }, expect = "EXPECTED" }]"#;
    let script = [("more", "allowed"), ("third", "denied"), ("more", "denied")]
        .map(|(place, word)| STEP.replace("PLACE", place).replace("EXPECTED", word));
    let mut stage = with_more("claude", &script.concat()).answer(false).start();
    stage.play("with it").await;
    let more = beside(&stage.place);
    let third = more.with_file_name("third");
    let home = stage.place.path("home");
    let set = |roots: Vec<PathBuf>| Command::SetContentRoots {
        session: SESSION,
        roots,
    };
    stage.send(set(vec![more.clone(), third.clone(), home, "/".into()]));
    stage.play("a new one").await;
    let told = notices(&stage).join("\n");
    for part in [
        format!(
            "{} is a content root of the project now. Its files stay outside until",
            third.display()
        ),
        "your home folder is in it".to_owned(),
        "the content root / counts as outside of the project".to_owned(),
    ] {
        assert!(told.contains(&part), "{part}: {told}");
    }
    let came = format!("{} is a content root", third.display());
    stage.send(set(vec![third]));
    stage.play("without it").await;
    stage.end().await;
    kept_its_script(&stage);
    let told = notices(&stage).join("\n");
    let gone = format!(
        "{} is no content root of the project any more",
        more.display()
    );
    assert!(told.contains(&gone), "{told}");
    assert_eq!(told.matches(&came).count(), 1, "{told}");
}

#[tokio::test]
async fn a_home_folder_is_no_content_root_and_the_person_is_told() {
    let script = r#"
        [[prompt]]
        step = [{ call = "intellij_read_file", arguments = { path = "../home/x" }, expect = "denied" }]"#;
    let stage = Play::of("claude", script)
        .with(|options, place| options.content_roots = vec![place.path("home"), place.path("")])
        .answer(false)
        .run()
        .await;
    let told = notices(&stage);
    let refused = told
        .iter()
        .filter(|text| text.contains("your home folder is in it"));
    assert_eq!(refused.count(), 2, "{told:?}");
}
