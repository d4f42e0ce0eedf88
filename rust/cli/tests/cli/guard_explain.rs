//! `siderail guard explain`: the stream survives every line, and people get sentences.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::Value;

use crate::process::{Place, wait};

fn stream(input: &[u8]) -> Vec<Value> {
    let ended = Place::new().run_with(&["guard", "explain", "--json"], input);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    ended.lines()
}

fn question(id: &str, command: &str) -> String {
    serde_json::json!({"id": id, "command": command, "root": "/p", "cwd": "/p"}).to_string() + "\n"
}

#[test]
fn every_line_is_answered_in_order_and_bad_ones_do_not_end_the_stream() {
    let mut input = Vec::new();
    input.extend(question("1", "date").bytes());
    input.extend(b"not json\n\n{\"id\":\"2\"}\n\xff\xfe\n[1]\n{\"id\":3,\"command\":7}\n");
    input.extend(b"{\"id\":\"nul\",\"command\":\"a\\u0000b\",\"root\":\"/p\"}\r\n");
    input.extend(question("last", "echo 'a\tb'").trim_end().bytes());
    let answers = stream(&input);
    let ids: Vec<String> = answers
        .iter()
        .map(|answer| answer["id"].to_string())
        .collect();
    assert_eq!(
        ids,
        [
            "\"1\"", "null", "\"2\"", "null", "null", "3", "\"nul\"", "\"last\""
        ]
    );
    let verdicts: Vec<bool> = answers.iter().map(|a| a["verdict"].is_string()).collect();
    assert_eq!(
        verdicts,
        [true, false, false, false, false, false, true, true]
    );
    for answer in answers
        .iter()
        .filter(|answer| answer.get("verdict").is_none())
    {
        assert!(
            answer["error"]
                .as_str()
                .is_some_and(|error| !error.is_empty()),
            "{answer}"
        );
    }
}

#[test]
fn a_line_past_the_limit_is_an_error_and_the_next_one_is_judged() {
    let mut input = question("big", &"x".repeat(17 << 20)).into_bytes();
    input.extend(question("15", &format!("echo {}", "x".repeat(15 << 20))).bytes());
    input.extend(question("next", "date").bytes());
    let answers = stream(&input);
    assert_eq!(answers.len(), 3);
    assert!(
        answers[0]["error"].as_str().unwrap().contains("too long"),
        "{}",
        answers[0]
    );
    assert!(answers[1]["verdict"].is_string());
    assert_eq!(answers[2]["id"], "next");
}

#[test]
fn a_peer_that_waits_for_each_answer_gets_it() {
    let place = Place::new();
    let mut command = place.siderail(&["guard", "explain", "--json"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for id in ["a", "b", "c"] {
        input.write_all(question(id, "date").as_bytes()).unwrap();
        let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["id"], id);
    }
    drop(input);
    assert_eq!(wait(&mut child), Some(0));
}

#[test]
fn a_reader_that_goes_away_ends_the_stream_quietly() {
    let place = Place::new();
    let mut command = place.siderail(&["guard", "explain", "--json"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    let lines = question("a", "date").repeat(2000);
    // it may be gone before all is written
    let _ = input.write_all(lines.as_bytes());
    drop(input);
    assert_eq!(wait(&mut child), Some(0));
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    assert_eq!(said, "");
}

#[test]
fn people_get_the_verdict_and_the_reason() {
    let place = Place::new();
    let ended = place.run(&["guard", "explain", "--root", "/p", "cat src/App.java"]);
    assert_eq!(ended.code, Some(0));
    assert!(
        ended.out.starts_with("redirect: cat src/App.java\n"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("intellij_read_file"), "{}", ended.out);
    let json = place.run(&[
        "guard",
        "explain",
        "--json",
        "--root",
        "/p",
        "cat /etc/hosts",
    ]);
    assert_eq!(json.lines()[0]["verdict"], "allow");
    let shell = [
        "guard",
        "explain",
        "--shell",
        "powershell",
        "--root",
        r"C:\p",
        "Get-Content a.txt",
    ];
    assert!(
        place.run(&shell).out.starts_with("redirect"),
        "the shell's language is passed on"
    );
}

#[test]
fn the_project_folder_is_the_current_one_unless_given() {
    let place = Place::new();
    let ended = place.run(&["guard", "explain", "cat a.txt"]);
    assert!(ended.out.starts_with("redirect"), "{}", ended.out);
    let elsewhere = place.run(&["guard", "explain", "--cwd", "/etc", "cat hosts"]);
    assert!(elsewhere.out.starts_with("allow"), "{}", elsewhere.out);
}

#[test]
fn a_line_that_writes_outside_of_the_project_says_so_to_people_and_programs() {
    let place = Place::new();
    let line = "gcc -o /opt/x a.c";
    let words = ["guard", "explain", "--project", "/p"];
    let ended = place.run(&[&words[..], &[line]].concat());
    assert!(
        ended.out.starts_with("ask: gcc") && ended.out.contains("outside: /opt/x\n"),
        "{}",
        ended.out
    );
    let ended = place.run(&[&words[..], &["--json", line]].concat());
    assert_eq!(ended.lines()[0]["outside"], serde_json::json!(["/opt/x"]));
    let ended = place.run(&["guard", "explain", "--project", "/opt", line]);
    assert!(ended.out.starts_with("allow: gcc"), "{}", ended.out);
}

#[test]
fn explaining_nothing_or_in_no_place_is_wrong_usage() {
    let place = Place::new();
    let ended = place.run(&["guard", "explain"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("hint: "), "{}", ended.err);
    let ended = place.run(&["guard", "explain", "--root", "p", "date"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.err.contains("--root `p` is not an absolute path"),
        "{}",
        ended.err
    );
}

#[test]
fn people_are_told_of_tools_that_a_run_offers_and_see_no_control_characters() {
    let place = Place::new();
    let ended = place.run(&["guard", "explain", "git status; cat a\u{1b}[2J.rs"]);
    assert!(ended.out.contains("use git_status"), "{}", ended.out);
    assert!(
        ended.out.contains("use intellij_read_file"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains(r"\u{1b}[2J") && !ended.out.contains('\u{1b}'));
    let ended = place.run(&["guard", "explain", "--json", "git status"]);
    assert_eq!(ended.lines()[0]["findings"][0]["tool"], "git_status");
}

#[test]
fn what_configures_an_agent_is_protected_also_one_that_the_user_has_added() {
    let place = Place::new();
    let folder = place.path("home/.config/siderail/agents");
    std::fs::create_dir_all(&folder).expect("made");
    let profile = "name = \"mine\"\nprogram = \"sh\"\nconfig_places = [\".mine\"]\n";
    std::fs::write(folder.join("x.toml"), profile).expect("written");
    let mut input = question("known", "cp x .kilo/mcp.json");
    input += &question("added", "cp x .mine/y");
    input += &question("other", "cp x .others/y");
    let answers = place.run_with(&["guard", "explain", "--json"], input.as_bytes());
    let protected: Vec<Value> = answers
        .lines()
        .iter()
        .map(|a| a["protected"].clone())
        .collect();
    let expected = serde_json::json!([[".kilo/mcp.json"], [".mine/y"], null]);
    assert_eq!(Value::from(protected), expected);
    let told = place.run(&["guard", "explain", "cp x .mine/y"]);
    assert!(told.out.contains("protected: .mine/y"), "{told:?}");
}

#[test]
fn a_profile_that_is_broken_is_named() {
    let place = Place::new();
    let folder = place.path("home/.config/siderail/agents");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(
        folder.join("mine.toml"),
        "name = \"mine\"\nconfig_place = 1\n",
    )
    .expect("a file");
    let ended = place.run(&["guard", "explain", "--root", "/p", "ls"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.err.contains("mine.toml") && ended.err.contains("config_place"),
        "{ended:?}"
    );
}
