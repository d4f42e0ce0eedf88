//! What `siderail demo` prints is what is promised to its readers: with `--json` by
//! `docs/events.schema.json`, else by the README.

use std::process::{Command, Stdio};

use serde_json::Value;

const SCHEMA: &str = include_str!("../../docs/events.schema.json");
const README: &str = include_str!("../../README.md");

#[test]
fn every_line_of_the_demo_is_what_the_schema_says() {
    let schema = serde_json::from_str(SCHEMA).expect("the demo runs and prints lines of JSON");
    let validator =
        jsonschema::draft202012::new(&schema).expect("the demo runs and prints lines of JSON");
    let lines = demo();
    for line in &lines {
        assert!(validator.is_valid(line), "not what the schema says: {line}");
    }
    let numbers: Vec<u64> = lines
        .iter()
        .map(|line| {
            line["seq"]
                .as_u64()
                .expect("the demo runs and prints lines of JSON")
        })
        .collect();
    assert_eq!(
        numbers,
        (1..=lines.len() as u64).collect::<Vec<_>>(),
        "no line is lost"
    );
    let last = lines
        .last()
        .expect("the demo runs and prints lines of JSON");
    assert_eq!(last["event"], "SUMMARY", "the summary comes last");
    assert_eq!(last["files_written"], serde_json::json!(["src/App.java"]));
}

#[test]
fn the_readme_shows_what_the_demo_prints() {
    let (_, behind) = README.split_once("## See it").expect("the heading");
    let (section, _) = behind.split_once("\n## ").expect("the next one");
    let (_, excerpt) = section.split_once("it prints:").expect("the introduction");
    let lines = |text: &str, indent: &str| -> Vec<String> {
        let lines = text
            .lines()
            .map(|line| line.strip_prefix(indent).unwrap_or(line));
        lines.map(|line| line.trim_end().to_owned()).collect()
    };
    let excerpt = lines(excerpt.trim_matches('\n'), "    ");
    let printed = lines(&printed(&["demo"]), "");
    assert!(excerpt.len() >= 7, "{excerpt:?}");
    assert!(
        printed.windows(excerpt.len()).any(|part| part == excerpt),
        "the README shows\n{}\n\nthe demo prints\n{}",
        excerpt.join("\n"),
        printed.join("\n")
    );
}

fn printed(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_siderail_under_test"))
        .args(words)
        .env("LANG", "C.UTF-8")
        .env_remove("LC_ALL")
        .stdin(Stdio::null())
        .output()
        .expect("the demo runs");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {complaints}", output.status);
    String::from_utf8(output.stdout).expect("the demo prints text")
}

fn demo() -> Vec<Value> {
    printed(&["demo", "--json"])
        .lines()
        .map(|line| serde_json::from_str(line).expect("the demo runs and prints lines of JSON"))
        .collect()
}
