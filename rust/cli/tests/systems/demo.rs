//! The demonstration comes to its last line on every system, with the same events.

use serde_json::Value;

use crate::events::{difference, lines};
use crate::place::{Place, siderail};

const LAST: &str = "`siderail demo -v` shows the events underneath.";

fn told() -> String {
    let place = Place::new();
    let output = place
        .command(&siderail(), &["demo", "--json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let events = String::from_utf8(output.stdout).unwrap();
    // It makes a project of its own, which the first call names.
    let project = events.lines().find_map(|line| {
        let event: Value = serde_json::from_str(line).unwrap();
        let path = event["paths"].get(0)?.as_str()?;
        let root = path.replace('\\', "/").find("/src/App.java")?;
        Some(path[..root].to_owned())
    });
    lines(&events, &project.expect("an edit names its file"))
}

#[test]
fn the_demonstration_tells_the_same_events_on_every_system() {
    assert_eq!(difference("demo", told), None);
}

#[test]
fn the_demonstration_ends_with_its_last_line_for_people() {
    let place = Place::new();
    let output = place.command(&siderail(), &["demo"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    // The notes to the reader go another way than what the agent says.
    let shown = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let last = shown.iter().find(|text| text.trim_end().ends_with(LAST));
    assert!(last.is_some(), "{shown:?}");
    assert!(
        shown.concat().contains("written: src/App.java"),
        "{shown:?}"
    );
}
