//! What may differ between what the agent sent and what the client got: the whole list, and the comparison that knows
//! nothing else.

use serde_json::{Value, json};

/// Everything that may differ. The first words are those of the table in `docs/clients.md`, which has the reasons.
pub(super) const CHANGED: [&str; 19] = [
    "`args` and `env` of a login in a terminal",
    "`sessionCapabilities.close`",
    "ids of requests",
    "session ids",
    "permission requests that the policy answers",
    "`options` of a permission request",
    "`name` of an option",
    "`content` of a permission request's tool call",
    "tool calls that are denied",
    "`content` of a call that runs in a terminal of the client",
    "`current_mode_update`",
    "`UNGUARDED`, escalations, silence",
    "`stopReason` of a turn that the client cancelled",
    "a turn that guidance continues",
    "`fs/*`",
    "`terminal/*`",
    "`elicitation/create`",
    "`session/list`",
    "`session/close`",
];

/// A message of the agent, and what the client got of it.
pub(super) struct Pair {
    pub(super) sent: Value,
    pub(super) got: Value,
}

/// Pairs all that the client got with what was sent, in order.
///
/// # Errors
/// What has no counterpart.
pub(super) fn pairs(sent: &[Value], got: &[Value]) -> Result<Vec<Pair>, String> {
    let mut pairs = Vec::new();
    let notified = |all: &[Value]| -> Vec<Value> {
        let all = all
            .iter()
            .filter(|m| is_notification(m) && !may_come_and_go(m));
        all.cloned().collect()
    };
    let (theirs, ours) = (notified(sent), notified(got));
    if theirs.len() != ours.len() {
        return Err(format!("{} notifications, of {}", ours.len(), theirs.len()));
    }
    for (sent, got) in theirs.into_iter().zip(ours) {
        pairs.push(Pair { sent, got });
    }
    // Some are answered by the policy: the client gets the others, in order.
    let asks = |m: &&Value| m["method"] == "session/request_permission";
    let mut theirs = sent.iter().filter(asks);
    for got in got.iter().filter(asks) {
        let is_it = |sent: &&Value| is_same(sent, got);
        let sent = theirs
            .find(is_it)
            .ok_or_else(|| format!("nobody asked: {got}"))?;
        pairs.push(Pair {
            sent: sent.clone(),
            got: got.clone(),
        });
    }
    for pair in &pairs {
        if !is_same(&pair.sent, &pair.got) {
            return Err(format!("{}\nbecame\n{}", pair.sent, pair.got));
        }
    }
    Ok(pairs)
}

pub(super) fn is_notification(message: &Value) -> bool {
    message.get("method").is_some() && message.get("id").is_none()
}

/// What the client gets although the agent did not send it, or does not get although it did.
fn may_come_and_go(message: &Value) -> bool {
    let update = &message["params"]["update"];
    message["method"] == "$/cancel_request"
        || update["sessionUpdate"] == "current_mode_update"
        || update["content"]["text"]
            .as_str()
            .is_some_and(|text| text.contains("**Unguarded:**"))
        || update["title"] == "Unguarded"
}

/// Whether the client got what was sent, but for what is on the list.
pub(super) fn is_same(sent: &Value, got: &Value) -> bool {
    let (mut sent, mut got) = (sent.clone(), got.clone());
    for message in [&mut sent, &mut got] {
        // Each side numbers its own requests.
        if let Some(id) = message.get_mut("id") {
            *id = Value::Null;
        }
    }
    if sent["result"]["agentCapabilities"].is_object() {
        told_logins(&mut sent);
        told_logins(&mut got);
        let told = &mut got["result"]["agentCapabilities"];
        if told["sessionCapabilities"]["close"] != json!({}) {
            return false;
        }
        if sent["result"]["agentCapabilities"]["sessionCapabilities"]["close"].is_null() {
            let session = told["sessionCapabilities"]
                .as_object_mut()
                .expect("an object");
            session.shift_remove("close");
            if session.is_empty()
                && sent["result"]["agentCapabilities"]
                    .get("sessionCapabilities")
                    .is_none()
            {
                let told = told.as_object_mut().expect("an object");
                told.shift_remove("sessionCapabilities");
            }
        }
    }
    if sent["method"] == "session/request_permission" {
        let (theirs, ours) = (
            sent["params"]["options"].take(),
            got["params"]["options"].take(),
        );
        let call = "/params/toolCall";
        let content = |message: &mut Value| {
            let call = message.pointer_mut(call).and_then(Value::as_object_mut);
            call.and_then(|call| call.shift_remove("content"))
                .unwrap_or_default()
        };
        let (told, shown) = (content(&mut sent), content(&mut got));
        return sent == got && are_offered(&theirs, &ours) && begins_with_a_warning(&told, &shown);
    }
    sent == got
}

/// Makes all logins in terminals alike: the client makes them with the program that it knows, which is ours.
fn told_logins(message: &mut Value) {
    let methods = message["result"]["authMethods"].as_array_mut();
    for method in methods.into_iter().flatten() {
        for place in ["", "/_meta"] {
            let Some(login) = method
                .pointer_mut(place)
                .filter(|login| login["type"] == "terminal")
            else {
                continue;
            };
            for name in ["args", "env"] {
                if let Some(value) = login.get_mut(name) {
                    *value = Value::Null;
                }
            }
        }
    }
}

/// Those that last may be missing, and a name may be another one; nothing else. OpenHands calls one of them a yes for
/// once, which lasts for all that it takes for harmless.
fn are_offered(sent: &Value, got: &Value) -> bool {
    let (Some(sent), Some(got)) = (sent.as_array(), got.as_array()) else {
        return sent == got;
    };
    let mut got = got.iter();
    let mut next = got.next();
    for option in sent {
        let is_it = |got: &&Value| {
            let (mut option, mut got) = (option.clone(), (*got).clone());
            let is_named = option["name"].is_string() == got["name"].is_string();
            (option["name"], got["name"]) = (Value::Null, Value::Null);
            is_named && option == got
        };
        if next.as_ref().is_some_and(is_it) {
            next = got.next();
        } else if option["kind"] != "allow_always" && option["optionId"] != "risk_based" {
            return false;
        }
    }
    next.is_none()
}

/// What the agent shows is there, whole and last; ahead of it may be one text of ours.
fn begins_with_a_warning(sent: &Value, got: &Value) -> bool {
    let (sent, got) = match (sent.as_array(), got.as_array()) {
        (Some(sent), Some(got)) => (sent.clone(), got.clone()),
        (None, Some(got)) => (Vec::new(), got.clone()),
        _ => return sent == got,
    };
    let Some(ours) = got.strip_suffix(sent.as_slice()) else {
        return false;
    };
    let is_text = |part: &Value| part["type"] == "content" && part["content"]["text"].is_string();
    ours.is_empty() || (ours.len() == 1 && is_text(&ours[0]))
}

/// Takes every member out of the message, one by one; those whose loss would pass unseen.
pub(super) fn losses_that_pass(pair: &Pair) -> Vec<String> {
    let mut places = Vec::new();
    members(&pair.got, &mut String::new(), &mut places);
    let mut passed = Vec::new();
    for place in places {
        let mut damaged = pair.got.clone();
        let (parent, name) = place.rsplit_once('/').expect("a pointer");
        let name = name.replace("~1", "/").replace("~0", "~");
        let parent = damaged.pointer_mut(parent).and_then(Value::as_object_mut);
        let lost = parent.and_then(|parent| parent.shift_remove(&name));
        assert!(lost.is_some(), "{place}");
        if is_same(&pair.sent, &damaged) {
            passed.push(place);
        }
    }
    passed
}

/// Pointers to all members, at any depth.
fn members(value: &Value, at: &mut String, all: &mut Vec<String>) {
    let length = at.len();
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                at.push('/');
                at.push_str(&name.replace('~', "~0").replace('/', "~1"));
                all.push(at.clone());
                members(value, at, all);
                at.truncate(length);
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                at.push_str(&format!("/{index}"));
                members(value, at, all);
                at.truncate(length);
            }
        }
        _ => {}
    }
}

#[test]
fn the_list_is_the_table_that_people_read_and_each_entry_has_a_reason() {
    let page = include_str!("../../../../../../docs/clients.md");
    let (_, table) = page
        .split_once("| what | why |\n|---|---|\n")
        .expect("the table");
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let rows: Vec<Vec<&str>> = rows
        .map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    let told: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(told, CHANGED);
    assert!(CHANGED.len() <= 20);
    assert!(
        rows.iter().all(|row| row.len() == 2 && row[1].len() > 20),
        "{rows:?}"
    );
}

#[test]
fn a_permission_request_loses_nothing_but_a_yes_that_lasts() {
    let option = |id: &str, kind: &str| json!({"optionId": id, "name": id, "kind": kind});
    let (once, always) = (option("a", "allow_once"), option("b", "allow_always"));
    let (no, never) = (option("c", "reject_once"), option("d", "reject_always"));
    let asked = |options: &[&Value], content: Value| {
        json!({"id": 1, "method": "session/request_permission", "params": {
            "options": options, "toolCall": {"toolCallId": "t", "content": content}}})
    };
    let text = |text: &str| json!({"type": "content", "content": {"type": "text", "text": text}});
    let sent = asked(&[&once, &always, &no, &never], json!([text("theirs")]));
    for (options, content, is_allowed) in [
        (
            &[&once, &always, &no, &never][..],
            json!([text("theirs")]),
            true,
        ),
        (
            &[&once, &no, &never],
            json!([text("outside"), text("theirs")]),
            true,
        ),
        (&[&once, &always, &no], json!([text("theirs")]), false),
        (
            &[&always, &once, &no, &never],
            json!([text("theirs")]),
            false,
        ),
        (&[&once, &no, &never, &no], json!([text("theirs")]), false),
        (&[&once, &no, &never], json!([text("outside")]), false),
        (
            &[&once, &no, &never],
            json!([text("theirs"), text("outside")]),
            false,
        ),
        (
            &[&once, &no, &never],
            json!([text("x"), text("y"), text("theirs")]),
            false,
        ),
    ] {
        let got = asked(options, content);
        assert_eq!(is_same(&sent, &got), is_allowed, "{got}");
    }
}
