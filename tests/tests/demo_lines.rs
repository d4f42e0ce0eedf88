//! What `siderail demo --json` prints is what `docs/events.schema.json` promises to its readers.

use std::process::{Command, Stdio};

use serde_json::Value;

const SCHEMA: &str = include_str!("../../docs/events.schema.json");

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

fn demo() -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_siderail_under_test"))
        .args(["demo", "--json"])
        .stdin(Stdio::null())
        .output()
        .expect("the demo runs and prints lines of JSON");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {complaints}", output.status);
    let text = String::from_utf8(output.stdout).expect("the demo runs and prints lines of JSON");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("the demo runs and prints lines of JSON"))
        .collect()
}
