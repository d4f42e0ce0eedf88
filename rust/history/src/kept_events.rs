//! Which events a conversation keeps, and how their lines are read back.

use serde_json::{Map, Value};

use super::Entry;
use siderail_catalog::Tool;
use siderail_event::{ApprovedBy, EventBody, OwnToolStatus};

/// Whether an event belongs to what is kept: what a person would look for later. Requests and their guidance belong to
/// it once a verdict does.
pub(super) fn is_kept(body: &EventBody) -> bool {
    use EventBody as E;
    match body {
        E::TurnStarted(_)
        | E::AgentMessage(_)
        | E::Plan(_)
        | E::PlanProposed(_)
        | E::PlanApproved(_)
        | E::PlanRejected(_)
        | E::PermissionRequest(_)
        | E::PreRejectionGuidance(_)
        | E::PermissionDenied(_)
        | E::Unguarded(_)
        | E::TurnEnded(_)
        | E::Changes(_)
        | E::Reverted(_)
        | E::Error(_) => true,
        E::Steered(steered) => steered.taken,
        E::PermissionApproved(approved) => approved.by == ApprovedBy::User,
        E::ToolCall(call) => call.status.is_final(),
        // Only the start of a command says which one it is, and only that of a question what was asked.
        E::OwnTool(call) => {
            let is_told_at_start =
                matches!(call.tool.known(), Some(Tool::RunCommand | Tool::AskUser));
            call.status != OwnToolStatus::Started || is_told_at_start
        }
        _ => false,
    }
}

/// An entry out of its line; none if the line is something else or damaged. What is null is missing.
pub(super) fn read(line: &[u8]) -> Option<Entry> {
    let read = serde_json::from_slice(line).or_else(|_| {
        let mut members: Map<String, Value> = serde_json::from_slice(line)?;
        members.retain(|_, value| !value.is_null());
        serde_json::from_value(Value::Object(members))
    });
    read.ok().filter(|entry: &Entry| is_kept(&entry.body))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What every event looks like; that no event is missing here is another test's concern.
    const SCHEMA: &str = include_str!("../../../docs/events.schema.json");

    /// A value that the schema allows, with all that is optional or only with what is needed; of words the one by
    /// which an event is kept.
    fn sample(schema: &Value, name: &str, rule: &Value, all: bool) -> Value {
        if let Some(place) = rule["$ref"].as_str() {
            let place = place.trim_start_matches('#');
            let rule = schema.pointer(place).expect("the schema has what it names");
            return sample(schema, name, rule, all);
        }
        if let Some(words) = rule["oneOf"].as_array() {
            let keeping = words
                .iter()
                .find(|word| [json!("user"), json!("completed")].contains(&word["const"]));
            return keeping.unwrap_or(&words[0])["const"].clone();
        }
        if let Some(words) = rule["enum"].as_array() {
            return words[0].clone();
        }
        if let Some(word) = rule.get("const") {
            return word.clone();
        }
        match rule["type"].as_str().or(rule["type"][0].as_str()) {
            Some("string") if rule["type"].is_array() && !all => Value::Null,
            Some("string") if name == "status" => json!("completed"),
            Some("integer" | "number") => json!(3),
            Some("boolean") => json!(true),
            Some("array") => json!([sample(schema, name, &rule["items"], all)]),
            Some("object") => object(schema, rule, all),
            _ => json!(name),
        }
    }

    fn object(schema: &Value, rule: &Value, all: bool) -> Value {
        let Some(members) = rule["properties"].as_object() else {
            return json!({"event": "PLAN", "entries": []});
        };
        let needed = |name: &String| {
            rule["required"]
                .as_array()
                .is_some_and(|r| r.contains(&json!(name)))
        };
        let members = members.iter().filter(|(name, _)| all || needed(name));
        members
            .map(|(name, rule)| (name.clone(), sample(schema, name, rule, all)))
            .collect()
    }

    #[test]
    fn every_event_that_is_kept_is_read_back_as_it_was() {
        let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
        let events = schema["oneOf"].as_array().expect("a list of events");
        let mut kept = 0;
        for (rule, all) in events.iter().flat_map(|rule| [(rule, true), (rule, false)]) {
            let mut line = sample(&schema, "", rule, all);
            if ["SUMMARY", "HISTORY"]
                .map(Value::from)
                .contains(&line["event"])
            {
                continue;
            }
            let body: EventBody = serde_json::from_value(line.clone()).expect("an event");
            line["at"] = json!(1_700_000_000_000_u64);
            let back = read(line.to_string().as_bytes());
            if is_kept(&body) {
                let back = back.unwrap_or_else(|| panic!("kept and not read: {line}"));
                assert_eq!(
                    (back.at, back.turn, back.body),
                    (1_700_000_000_000, 3, body),
                    "{line}"
                );
                kept += 1;
            }
        }
        assert_eq!(kept, 2 * 18, "other events are kept than were");
    }

    #[test]
    fn a_kind_of_another_version_is_kept_and_read_as_it_is() {
        let verdict =
            json!({"request_id": 1, "tool_call_id": null, "tool": "t", "by": "user", "paths": []});
        for kind in ["edit", "execute", "own", "frobnicate", ""] {
            let mut line = verdict.clone();
            for (name, value) in [
                ("event", "PERMISSION_DENIED"),
                ("kind", kind),
                ("text", "no"),
            ] {
                line[name] = json!(value);
            }
            let body: EventBody = serde_json::from_value(line.clone()).expect("an event");
            assert_eq!(serde_json::to_value(&body).expect("a line"), line);
            (line["at"], line["turn"]) = (json!(1), json!(1));
            let back = read(line.to_string().as_bytes()).expect("an entry");
            assert_eq!(back.body, body, "{kind}");
        }
    }

    #[test]
    fn a_damaged_line_and_one_that_lacks_something_are_no_entries() {
        let whole = json!({"at": 1, "turn": 1, "event": "ERROR", "kind": "spawn", "text": "gone"});
        assert!(read(whole.to_string().as_bytes()).is_some());
        for name in ["at", "turn", "event", "kind", "text"] {
            let mut line = whole.clone();
            line.as_object_mut().expect("an object").remove(name);
            assert!(read(line.to_string().as_bytes()).is_none(), "{line}");
        }
        assert!(read(&whole.to_string().as_bytes()[..20]).is_none());
    }
}
