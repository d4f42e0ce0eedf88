//! Each shape of the scripted agent is denied, guided and answered alike on every system: the same events, with the
//! same texts, as `events/NAME.txt` has them.
//!
//! With `SIDERAIL_BLESS=1` those files are written anew. Left out are events whose number is the agent's own matter
//! (pieces of messages, use of tokens) and the moment at which our own tools and receipts are told.

use std::path::Path;

use serde_json::Value;
use siderail_testkit::shape::NAMES;

use crate::place::{Place, run_of, siderail};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../testkit/scripts/demo.toml");

/// In the order in which they come.
const IN_ORDER: [&str; 10] = [
    "SESSION_STARTED",
    "TURN_STARTED",
    "PERMISSION_REQUEST",
    "PRE_REJECTION_GUIDANCE",
    "PERMISSION_DENIED",
    "PERMISSION_APPROVED",
    "NUDGE",
    "ESCALATION",
    "TURN_ENDED",
    "SUMMARY",
];
/// Told by other tasks: compared without their place.
const SORTED: [&str; 3] = ["OWN_TOOL", "GUIDANCE_FOLLOWED", "ERROR"];
/// What is compared of them.
const FIELDS: [&str; 14] = [
    "tool",
    "kind",
    "channel",
    "by",
    "policy",
    "status",
    "stop_reason",
    "paths",
    "text",
    "instead",
    "denials",
    "guidance",
    "files_written",
    "unguarded",
];

fn line(event: &Value, name: &str, project: &str) -> String {
    let mut line = name.to_owned();
    for field in FIELDS {
        if let Some(value) = event.get(field) {
            line.push_str(&format!(" {field}={value}"));
        }
    }
    let escaped = project.replace('\\', "\\\\");
    // What an agent writes of itself has its system's slashes.
    line.replace(&escaped, "PROJECT")
        .replace(project, "PROJECT")
        .replace(r"PROJECT\\", "PROJECT/")
}

fn told(agent: &str) -> String {
    let place = Place::new();
    let program = &siderail();
    let words = run_of(program, agent, &["--shape", agent, "--script", SCRIPT]);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.push("Please set x to 2.");
    let output = place.command(program, &words).output().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{agent}: {complaints}");
    let project = place.path("project").canonicalize().unwrap();
    let project = project.display().to_string();
    let project = project.trim_start_matches(r"\\?\");
    let (mut in_order, mut sorted) = (Vec::new(), Vec::new());
    for text in String::from_utf8(output.stdout).unwrap().lines() {
        let event: Value = serde_json::from_str(text).unwrap();
        let name = event["event"].as_str().unwrap().to_owned();
        if IN_ORDER.contains(&&*name) {
            in_order.push(line(&event, &name, project));
        } else if SORTED.contains(&&*name) {
            sorted.push(line(&event, &name, project));
        }
    }
    sorted.sort();
    let text = std::fs::read_to_string(place.path("project/src/App.java")).unwrap();
    assert_eq!(text, "class App {\n    int x = 2;\n}\n", "{agent}");
    in_order.extend(sorted);
    in_order.join("\n") + "\n"
}

#[test]
fn every_shape_is_guided_alike_on_every_system() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/systems/events");
    let mut differing = Vec::new();
    for agent in NAMES {
        if cfg!(windows) && agent == "openhands" {
            // Its hook lies in an overlay of the home, of junctions, which Wine has not: it is guided by requests there.
            continue;
        }
        let file = folder.join(format!("{agent}.txt"));
        let told = told(agent);
        if std::env::var_os("SIDERAIL_BLESS").is_some() {
            std::fs::write(&file, &told).unwrap();
        }
        let expected = std::fs::read_to_string(&file)
            .unwrap()
            .replace("\r\n", "\n");
        for (told, expected) in told.lines().zip(expected.lines()) {
            if told != expected {
                differing.push(format!("{agent}\n  told     {told}\n  expected {expected}"));
                break;
            }
        }
        if told.lines().count() != expected.lines().count() {
            differing.push(format!("{agent}: {told}"));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}
