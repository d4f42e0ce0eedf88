//! Stories of a session, event by event, and what is then shown of them.

use serde_json::{Value, json};
use siderail_event::{AgentMessage, EventBody, StopReason, TurnEnded, Unguarded};

use super::*;
use crate::{Block, BlockKind};

mod matching;

/// A conversation, a copy of it, and a clock.
struct Story {
    conversation: Conversation,
    list: List,
    patches: Vec<Patch>,
    time: f64,
}

impl Story {
    fn new() -> Self {
        Self {
            conversation: Conversation::new(1),
            list: List::default(),
            patches: Vec::new(),
            time: 0.0,
        }
    }

    /// Something happens; a second passes.
    fn then(&mut self, name: &str, mut members: Value) -> &mut Self {
        members["event"] = json!(name);
        let body: EventBody = serde_json::from_value(members).expect("an event");
        self.time += 1.0;
        let event = Event {
            v: 1,
            seq: self.time as u64,
            t: self.time,
            session: 1,
            turn: 1,
            body,
        };
        self.patches = self.conversation.event(&event);
        for patch in &self.patches {
            self.list.apply(patch.clone());
        }
        self
    }

    fn restored(&mut self, name: &str, mut entry: Value) -> &mut Self {
        entry["event"] = json!(name);
        self.then(
            "RESTORED",
            json!({"at": 1_700_000_000_000_u64, "entry": entry}),
        )
    }

    fn prompt(&mut self, text: &str) -> &mut Self {
        self.then("TURN_STARTED", json!({"origin": "user", "text": text}))
    }

    fn says(&mut self, text: &str) -> &mut Self {
        self.then("AGENT_MESSAGE", json!({"text": text}))
    }

    fn call(&mut self, id: &str, status: &str, more: Value) -> &mut Self {
        let mut members = json!({
            "tool_call_id": id, "tool": "Bash", "kind": "execute", "status": status, "title": "", "paths": []
        });
        merge(&mut members, more);
        self.then("TOOL_CALL", members)
    }

    fn own(&mut self, call: u64, tool: &str, status: &str, more: Value) -> &mut Self {
        let mut members = json!({"call": call, "tool": tool, "status": status, "text": ""});
        merge(&mut members, more);
        self.then("OWN_TOOL", members)
    }

    fn read(&mut self, call: u64) -> &mut Self {
        self.own(call, "intellij_read_file", "started", json!({}));
        self.own(
            call,
            "intellij_read_file",
            "completed",
            json!({"paths": [format!("{call}.kt")]}),
        )
    }

    fn ask(&mut self, request: u64, more: Value) -> &mut Self {
        let mut members = json!({
            "request_id": request, "tool_call_id": null, "tool": "Bash", "kind": "execute", "text": "", "paths": [],
            "channel": "acp", "options": [], "asks": false
        });
        merge(&mut members, more);
        self.then("PERMISSION_REQUEST", members)
    }

    fn deny(&mut self, request: u64, more: Value) -> &mut Self {
        let mut members = json!({
            "request_id": request, "tool_call_id": null, "tool": "Bash", "kind": "execute", "by": "policy",
            "text": "use the IDE", "paths": []
        });
        merge(&mut members, more);
        self.then("PERMISSION_DENIED", members)
    }

    fn guidance(&mut self, request: u64, instead: &str) -> &mut Self {
        self.then(
            "PRE_REJECTION_GUIDANCE",
            json!({
                "request_id": request, "tool_call_id": null, "tool": "Bash", "kind": "execute", "channel": "hook",
                "text": "Use it.", "instead": instead
            }),
        )
    }

    fn check(&self, expected: &[&str]) {
        let told: Vec<String> = self.list.items().map(|listed| self.told(listed)).collect();
        assert_eq!(told, expected);
    }

    fn told(&self, listed: &Listed) -> String {
        let past = if listed.item.is_past { "(past) " } else { "" };
        let text = match &listed.item.what {
            What::Prompt { text, way } => format!("{way:?}: {text}"),
            What::Speech { is_thought: false } => format!("says: {}", listed.text),
            What::Speech { .. } => format!("thinks: {}", listed.text),
            What::Call(call) => {
                let what = call
                    .command
                    .as_deref()
                    .or(call.paths.first().map(String::as_str));
                let instead: String = self
                    .list
                    .folded(listed)
                    .map(|denied| format!(" instead of [{}]", self.told(denied)))
                    .collect();
                format!(
                    "{:?} {} {}{instead}",
                    call.status,
                    call.tool,
                    what.unwrap_or_default()
                )
            }
            What::Calls => format!("{} calls", listed.folded.len()),
            What::Plan { entries } => {
                let steps: Vec<&str> = entries.iter().map(|step| step.status.as_str()).collect();
                format!("plan: {}", steps.join(", "))
            }
            What::Proposal(proposal) => format!("{:?} {}", proposal.state, proposal.text),
            What::Changes { files } => {
                let files: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
                format!("changed {}", files.join(", "))
            }
            What::PastBegins { .. } => "--- past".to_owned(),
            What::PastOmitted { entries } => format!("{entries} omitted"),
            What::PastEnds { by } => format!("--- present, by {by}"),
            What::Notice { event, log } => {
                let event = serde_json::to_value(event).expect("text and lists");
                format!(
                    "notice {} {}",
                    event["event"].as_str().unwrap_or_default(),
                    log.join("|")
                )
            }
        };
        format!("{past}{text}")
    }

    fn only_call(&self) -> &Call {
        let calls = self
            .list
            .items()
            .filter_map(|listed| match &listed.item.what {
                What::Call(call) => Some(&**call),
                _ => None,
            });
        let calls: Vec<&Call> = calls.collect();
        assert_eq!(calls.len(), 1, "{calls:?}");
        calls[0]
    }
}

fn merge(into: &mut Value, more: Value) {
    let (Some(into), Value::Object(more)) = (into.as_object_mut(), more) else {
        panic!("objects");
    };
    into.extend(more);
}

#[test]
fn pieces_of_a_message_are_one_item_until_something_else_comes() {
    let mut story = Story::new();
    story.says("a").says("b");
    assert_eq!(story.patches.len(), 1, "a piece touches one item");
    story.then("AGENT_THOUGHT", json!({"text": "hm"})).says("c");
    story.then("AGENT_MESSAGE", json!({"text": "d", "message_id": "2"}));
    story.then("AGENT_MESSAGE", json!({"text": "e"}));
    story.check(&["says: ab", "thinks: hm", "says: c", "says: de"]);
}

#[test]
fn an_endless_message_is_one_item_for_those_who_read_no_blocks() {
    for (mut conversation, is_one) in [
        (Conversation::new(1), true),
        (Conversation::new(1).with_blocks(), false),
    ] {
        let pieces = std::iter::repeat_n("word\n".repeat(10_000), 6);
        let patches = pieces.flat_map(|text| {
            let message_id = None;
            conversation.body(&EventBody::AgentMessage(AgentMessage { text, message_id }))
        });
        let n_items = patches.filter(|patch| matches!(patch, Patch::Append(_)));
        assert_eq!(n_items.count() == 1, is_one);
    }
}

#[test]
fn a_message_comes_as_blocks_of_which_the_settled_ones_come_once() {
    let mut conversation = Conversation::new(1).with_blocks();
    let (mut settled, mut shown, mut is_over) = (Vec::new(), Vec::new(), false);
    let mut take = |patches: Vec<Patch>| {
        for patch in patches {
            if let Patch::Extend {
                settled: more,
                open,
                is_closed,
                ..
            } = patch
            {
                settled.extend(more);
                is_over = is_closed;
                match (open, shown.last_mut()) {
                    (Open::Blocks(blocks), _) => shown = blocks,
                    (
                        Open::More(more),
                        Some(Block {
                            kind: BlockKind::Code { text, .. },
                            ..
                        }),
                    ) => *text += &more,
                    (Open::More(more), _) => panic!("{more} belongs to nothing"),
                    (Open::Same, _) => {}
                }
            }
        }
        [&settled[..], &shown[..]].concat()
    };
    let text = "# One\n\ntwo *three*\n\n```\nfour\n```\nfive";
    for (at, c) in text.char_indices() {
        let blocks = take(conversation.body(&EventBody::AgentMessage(AgentMessage {
            text: c.to_string(),
            message_id: None,
        })));
        let so_far = &text[..at + c.len_utf8()];
        assert_eq!(blocks, crate::parse(so_far), "{so_far}");
    }
    let whole = take(conversation.body(&EventBody::TurnEnded(TurnEnded {
        stop_reason: StopReason::EndTurn,
        continues: false,
        text: None,
    })));
    assert_eq!(whole, crate::parse(text));
    assert!(shown.is_empty() && is_over);
}

#[test]
fn a_denied_call_and_the_one_in_its_place_are_one_item() {
    let mut story = Story::new();
    story.prompt("go");
    story.call("a", "pending", json!({"command": "cat x"}));
    story.ask(1, json!({"tool_call_id": "a", "text": "cat x"}));
    story.guidance(1, "intellij_read_file");
    story.deny(1, json!({"tool_call_id": "a"}));
    story.call("a", "failed", json!({"command": "cat x"}));
    let call = story.only_call();
    let denial = call.denial.as_ref().expect("a denial");
    assert_eq!(call.status, CallStatus::Denied);
    assert_eq!(denial.instead.as_deref(), Some("intellij_read_file"));
    assert_eq!(
        (denial.guidance.as_str(), denial.receipt),
        ("Use it.", None)
    );
    story.then(
        "GUIDANCE_RECEIPT",
        json!({"request_id": 1, "tool": "Bash", "channel": "hook", "receipt": "delivered"}),
    );
    let receipt = story
        .only_call()
        .denial
        .as_ref()
        .and_then(|denial| denial.receipt);
    assert_eq!(receipt, Some(siderail_event::Receipt::Delivered));
    let followed = json!({
        "request_id": 1, "tool": "intellij_read_file", "kind": "execute", "channel": "hook"
    });
    story.then("GUIDANCE_FOLLOWED", followed);
    story.own(7, "intellij_read_file", "started", json!({"text": "x"}));
    story.own(
        7,
        "intellij_read_file",
        "completed",
        json!({"paths": ["x"]}),
    );
    story.check(&[
        "User: go",
        "Done intellij_read_file x instead of [Denied Bash cat x]",
    ]);
}

#[test]
fn a_call_that_the_agent_announced_ahead_joins_the_denied_one_at_once() {
    let mut story = Story::new();
    story.deny(
        1,
        json!({"tool": "edit", "kind": "edit", "paths": ["src/a"]}),
    );
    story.call(
        "b",
        "in_progress",
        json!({"tool": "intellij_write_file", "kind": "other", "own": true}),
    );
    story.then(
        "GUIDANCE_FOLLOWED",
        json!({"request_id": 1, "tool": "intellij_write_file", "kind": "edit", "channel": "hook"}),
    );
    story.check(&["Running intellij_write_file  instead of [Denied edit src/a]"]);
    story.then(
        "GUIDANCE_RECEIPT",
        json!({"request_id": 1, "tool": "edit", "channel": "hook", "receipt": "failed"}),
    );
    assert!(
        matches!(story.patches[0], Patch::Replace(_)),
        "told of what is folded, too"
    );
}

#[test]
fn our_gate_says_what_a_call_is_about_whatever_the_agent_called_it() {
    let mut story = Story::new();
    story.call(
        "a",
        "pending",
        json!({"tool": "run_command", "title": "Run something", "own": true}),
    );
    story.ask(
        1,
        json!({"tool": "run_command", "channel": "own", "text": "rm -rf build", "asks": true}),
    );
    story.call(
        "a",
        "in_progress",
        json!({"tool": "run_command", "title": "mcp: run", "own": true}),
    );
    story.check(&["Asking run_command rm -rf build"]);
}

#[test]
fn calls_that_only_looked_become_one_item_once_something_else_comes() {
    let mut story = Story::new();
    (1..=4).for_each(|call| {
        story.read(call);
    });
    story.check(&["3 calls", "Done intellij_read_file 4.kt"]);
    story.says("So.");
    story.check(&["4 calls", "says: So."]);
    story.read(5).read(6).says("Yes.");
    let two = [
        "Done intellij_read_file 5.kt",
        "Done intellij_read_file 6.kt",
    ];
    story.check(&["4 calls", "says: So.", two[0], two[1], "says: Yes."]);
    story
        .read(7)
        .read(8)
        .read(9)
        .call("x", "completed", json!({"command": "ls"}))
        .says("End");
    let items: Vec<String> = story
        .list
        .items()
        .map(|listed| story.told(listed))
        .collect();
    assert_eq!(items[5..], ["3 calls", "Done Bash ls", "says: End"]);
}

#[test]
fn a_call_says_how_long_it_took() {
    let mut story = Story::new();
    story.call("a", "pending", json!({})).says("x").says("y");
    assert_eq!(story.only_call().seconds, None);
    story.call("a", "completed", json!({}));
    assert_eq!(story.only_call().seconds, Some(3));
}

#[test]
fn the_time_that_a_person_takes_to_decide_is_none_of_the_calls() {
    let mut story = Story::new();
    story
        .call("a", "pending", json!({"command": "ls"}))
        .ask(1, json!({"text": "ls", "asks": true}));
    story.time += 60.0;
    story.then(
        "PERMISSION_APPROVED",
        json!({"request_id": 1, "tool_call_id": "a", "tool": "Bash", "kind": "execute", "by": "user"}),
    );
    story.says("x").call("a", "completed", json!({}));
    assert_eq!(story.only_call().seconds, Some(2));
}

#[test]
fn what_is_open_at_the_end_of_a_turn_is_cancelled_and_why_it_ended_is_told() {
    let mut story = Story::new();
    story.call("a", "in_progress", json!({"command": "sleep 9"}));
    let ended =
        |reason: &str, continues: bool| json!({"stop_reason": reason, "continues": continues});
    story.then("TURN_ENDED", ended("cancelled", false));
    story.check(&["Cancelled Bash sleep 9", "notice TURN_ENDED "]);
    story.call("a", "failed", json!({"command": "sleep 9"}));
    story.check(&["Failed Bash sleep 9", "notice TURN_ENDED "]);
    story
        .prompt("go")
        .call("a", "completed", json!({"command": "ls"}));
    story.then("TURN_ENDED", ended("refusal", true));
    story.then("TURN_ENDED", ended("end_turn", false));
    story.check(&[
        "Failed Bash sleep 9",
        "notice TURN_ENDED ",
        "User: go",
        "Done Bash ls",
    ]);
}

#[test]
fn a_plan_is_replaced_in_place_and_each_prompt_has_one_of_its_own() {
    let mut story = Story::new();
    let plan =
        |status: &str| json!({"entries": [{"text": "a", "status": status, "priority": "high"}]});
    story
        .prompt("one")
        .then("PLAN", plan("pending"))
        .says("working");
    story.then("PLAN", plan("completed"));
    story.check(&["User: one", "plan: completed", "says: working"]);
    story.prompt("two").then("PLAN", plan("pending"));
    story.check(&[
        "User: one",
        "plan: completed",
        "says: working",
        "User: two",
        "plan: pending",
    ]);
}

#[test]
fn nobody_is_at_a_step_of_a_turn_that_is_over() {
    let mut story = Story::new();
    story.prompt("one").then(
        "PLAN",
        json!({"entries": [
            {"text": "a", "status": "completed", "priority": "high"},
            {"text": "b", "status": "in_progress", "priority": "high"}
        ]}),
    );
    let ended = |continues: bool| json!({"stop_reason": "end_turn", "continues": continues});
    story.then("TURN_ENDED", ended(true));
    story.check(&["User: one", "plan: completed, in_progress"]);
    story.then("TURN_ENDED", ended(false));
    story.check(&["User: one", "plan: completed, pending"]);
    story.then("TURN_ENDED", ended(false));
    assert!(story.patches.is_empty(), "nothing has changed");
}

#[test]
fn a_plan_sent_back_keeps_its_text_and_an_approved_one_goes_on_with_its_steps() {
    let mut story = Story::new();
    let steps = json!([
        {"text": "y", "status": "pending", "priority": "medium"},
        {"text": "z", "status": "pending", "priority": "medium"}
    ]);
    let proposed = |id: u64, text: &str, entries: &Value| json!({"request_id": id, "text": text, "entries": entries, "channel": "turn", "asks": true});
    story.then(
        "PLANNING_STARTED",
        json!({"mode": "plan", "text": "Plan first."}),
    );
    story.then(
        "PLAN",
        json!({"entries": [{"text": "look", "status": "pending", "priority": "high"}]}),
    );
    story.then("PLAN_PROPOSED", proposed(5, "1. x", &json!([])));
    story.then(
        "PLAN_REJECTED",
        json!({"request_id": 5, "by": "user", "text": "not x, y", "continues": true}),
    );
    story.prompt("another");
    story.then("PLAN_PROPOSED", proposed(6, "1. y", &steps));
    story.then("PLAN_APPROVED", json!({"request_id": 6, "by": "user"}));
    story.check(&[
        "notice PLANNING_STARTED ",
        "plan: pending",
        "SentBack 1. x",
        "Feedback: not x, y",
        "User: another",
        "Approved 1. y",
        "plan: pending, pending",
    ]);
    story.then("PLAN_PROPOSED", proposed(7, "1. z", &steps));
    story.then(
        "PLAN_REJECTED",
        json!({"request_id": 7, "by": "user", "text": "", "continues": false}),
    );
    assert!(
        story
            .list
            .items()
            .any(|listed| story.told(listed) == "TurnedDown 1. z")
    );
}

#[test]
fn the_files_of_a_prompt_are_told_once_at_its_end_and_not_with_those_of_the_next() {
    let mut story = Story::new();
    let file =
        |path: &str| json!({"path": path, "kind": "changed", "old_text": "1", "new_text": "2"});
    story
        .prompt("go")
        .then("CHANGES", json!({"files": [file("a")]}))
        .says("more");
    story.then("CHANGES", json!({"files": [file("a"), file("b")]}));
    story.check(&["User: go", "says: more", "changed a, b"]);
    story
        .prompt("next")
        .then("CHANGES", json!({"files": [file("c")]}));
    story.check(&[
        "User: go",
        "says: more",
        "changed a, b",
        "User: next",
        "changed c",
    ]);
}

#[test]
fn the_past_stands_between_two_lines_and_touches_nothing_of_the_present() {
    let mut story = Story::new();
    story.restored("TURN_STARTED", json!({"origin": "user", "text": "go on"}));
    story.restored("AGENT_MESSAGE", json!({"text": "one"}));
    story.restored("AGENT_MESSAGE", json!({"text": "two"}));
    let call = |command: &str| {
        json!({
            "tool_call_id": "c1", "tool": "Bash", "kind": "execute", "status": "completed", "title": "",
            "command": command, "paths": []
        })
    };
    story.restored("TOOL_CALL", call("ls"));
    story.restored(
        "CHANGES",
        json!({"files": [{"path": "a", "kind": "changed"}]}),
    );
    story.then(
        "RESUMED",
        json!({"id": "3f2a91c0", "by": "history", "entries": 6, "omitted": 3}),
    );
    story.prompt("and now").then("TOOL_CALL", call("pwd"));
    story.check(&[
        "(past) --- past",
        "(past) User: go on",
        "(past) says: one",
        "(past) says: two",
        "(past) Done Bash ls",
        "(past) changed a",
        "(past) 3 omitted",
        "(past) --- present, by history",
        "User: and now",
        "Done Bash pwd",
    ]);
    story.then(
        "RESUMED",
        json!({"id": "3f2a91c0", "by": "load", "entries": 0, "omitted": 0}),
    );
    assert!(
        story.patches.is_empty(),
        "an agent that remembers was only started anew"
    );
}

#[test]
fn what_an_agent_tells_late_of_the_past_still_stands_above_the_present() {
    let mut story = Story::new();
    story.then(
        "RESUMED",
        json!({"id": "3f2a91c0", "by": "load", "entries": 0, "omitted": 0}),
    );
    story.restored("AGENT_MESSAGE", json!({"text": "late"}));
    story.check(&[
        "(past) --- past",
        "(past) says: late",
        "(past) --- present, by load",
    ]);
}

#[test]
fn an_error_that_ends_the_agent_comes_with_its_last_words() {
    let mut story = Story::new();
    story.then(
        "AGENT_LOG",
        json!({"kind": "noise", "text": "out of memory"}),
    );
    story.then("AGENT_LOG", json!({"kind": "notice", "text": "told"}));
    story.then(
        "ERROR",
        json!({"kind": "closed", "text": "the agent ended"}),
    );
    story.then("ERROR", json!({"kind": "login", "text": "log in"}));
    story.check(&[
        "notice AGENT_LOG ",
        "notice ERROR out of memory",
        "notice ERROR ",
    ]);
}

#[test]
fn being_unguarded_is_told_once() {
    let mut story = Story::new();
    for _ in 0..3 {
        story.then("UNGUARDED", json!({"text": "Bash ran"}));
    }
    story.check(&["notice UNGUARDED "]);
}

#[test]
fn ids_of_two_sessions_differ() {
    let id = |session| match &Conversation::new(session).body(&EventBody::Unguarded(Unguarded {
        text: String::new(),
    }))[..]
    {
        [Patch::Append(item)] => item.id,
        patches => panic!("{patches:?}"),
    };
    assert_ne!(id(1), id(2));
}

#[test]
fn a_long_session_keeps_only_what_may_still_change() {
    let mut story = Story::new();
    for turn in 0..200 {
        story.prompt("go");
        for call in 0..20 {
            let id = format!("{turn}-{call}");
            story.call(&id, "completed", json!({"command": "x"}));
            story.deny(turn * 100 + call, json!({"tool_call_id": id}));
        }
        story.then(
            "TURN_ENDED",
            json!({"stop_reason": "end_turn", "continues": false}),
        );
    }
    assert!(
        story.conversation.n_kept() <= 2_200,
        "{}",
        story.conversation.n_kept()
    );
}

#[test]
fn an_endless_block_is_told_in_proportion_to_what_came() {
    for begins in ["", "```\n"] {
        let mut conversation = Conversation::new(1).with_blocks();
        let mut n_told = 0;
        for piece in std::iter::once(begins).chain(std::iter::repeat_n("x = 1;\n", 1_500)) {
            let patches = conversation.body(&EventBody::AgentMessage(AgentMessage {
                text: piece.to_owned(),
                message_id: None,
            }));
            let mut json = String::new();
            crate::json::write(&patches, &mut json);
            n_told += json.len();
        }
        assert!(n_told < 400 * 10_500, "{n_told}");
    }
}
