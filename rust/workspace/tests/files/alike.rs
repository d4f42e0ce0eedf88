//! Calls and answers that every host gives alike: the IDE's tests read the same file.
//!
//! With `SIDERAIL_BLESS=1` the answers of this host become the expected ones.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::questions::{Answer, Question, Questioner};

use crate::fixture::{Project, stamp_in};

#[derive(Serialize, Deserialize)]
struct Scenario {
    name: String,
    files: BTreeMap<String, String>,
    calls: Vec<Call>,
    #[serde(default)]
    after: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct Call {
    tool: String,
    /// `@first` in a stamp's place is the stamp of the scenario's first answer.
    arguments: Value,
    /// What the person answers where the tool asks one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    person: Option<Said>,
    /// None where the call succeeds.
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    answer: String,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    Given(String),
    Declined(String),
}

/// The person of a scenario, who says what its present call wants them to.
#[derive(Default)]
struct Person(Mutex<Option<Said>>);

impl Questioner for Person {
    fn ask(&self, _: &Question, _: &CancelFlag) -> Answer {
        match self.0.lock().ok().and_then(|said| said.clone()) {
            Some(Said::Given(text)) => Answer::Given(text),
            Some(Said::Declined(why)) => Answer::Declined(why),
            None => Answer::Cancelled,
        }
    }
}

/// Plays a scenario; what it comes to.
fn played(scenario: &Scenario) -> Scenario {
    let person = Arc::new(Person::default());
    let project = Project::asking(person.clone());
    for (path, text) in &scenario.files {
        project.put(path, text);
    }
    let mut first = None;
    let calls = scenario.calls.iter().map(|call| {
        let mut arguments = call.arguments.clone();
        if arguments["expected_stamp"] == "@first" {
            arguments["expected_stamp"] = first.clone().into();
        }
        person.0.lock().unwrap().clone_from(&call.person);
        let (code, answer) = match project.run(&call.tool, &arguments) {
            Ok(outcome) => (None, outcome.text),
            Err(failure) => (Some(failure.code.as_str().to_owned()), failure.text),
        };
        if first.is_none() && answer.contains("stamp ") {
            first = Some(stamp_in(&answer));
        }
        Call {
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            person: call.person.clone(),
            code,
            answer,
        }
    });
    let calls = calls.collect();
    Scenario {
        name: scenario.name.clone(),
        files: scenario.files.clone(),
        calls,
        after: files(project.root()),
    }
}

fn files(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap();
                let name = match cfg!(windows) {
                    true => name.replace('\\', "/"),
                    false => name.to_owned(),
                };
                found.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_model_is_answered_here_as_it_is_in_the_ide() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/alike/tools.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut expected: Vec<Scenario> = serde_json::from_str(&text).unwrap();
    if cfg!(windows) {
        // Names that Windows has not.
        let is_odd = |letter: char| letter.is_control() || "<>:\"|?*".contains(letter);
        expected.retain(|scenario| !scenario.files.keys().any(|name| name.contains(is_odd)));
    }
    let played: Vec<Scenario> = expected.iter().map(played).collect();
    if std::env::var_os("SIDERAIL_BLESS").is_some() {
        let text = serde_json::to_string_pretty(&played).unwrap();
        std::fs::write(&path, text + "\n").unwrap();
        return;
    }
    for (expected, played) in expected.iter().zip(&played) {
        for (wanted, given) in expected.calls.iter().zip(&played.calls) {
            let what = format!("{}: {} {}", expected.name, wanted.tool, wanted.arguments);
            assert_eq!(given.answer, wanted.answer, "{what}");
            assert_eq!(given.code, wanted.code, "{what}");
        }
        assert_eq!(played.after, expected.after, "{}", expected.name);
    }
}
