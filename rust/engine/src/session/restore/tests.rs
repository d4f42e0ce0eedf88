//! A conversation that is continued, without an agent or a file: which way is taken, and what is shown.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siderail_acp::update::SessionUpdateMessage;
use siderail_acp::wire::{RpcError, codes};
use siderail_guard::canary::Canary;
use siderail_guard::denial::DenialTracker;

use super::reopening::{Earlier, Reopened, Retold};
use super::*;
use crate::command::SessionOptions;
use crate::event::PlanEntry;
use crate::event::{AgentLog, Plan};
use crate::memory::Memory;
use crate::session::carried::Carried;

fn can(resume: bool, load_session: bool) -> AgentCapabilities {
    AgentCapabilities {
        resume,
        load_session,
        ..AgentCapabilities::default()
    }
}

/// A kept conversation with so many prompts, each answered, with what nobody is shown again in between.
fn kept(n_prompts: usize) -> Conversation {
    let mut kept = Conversation::of_agent("claude", "s1");
    kept.listed.head.id = "c1".to_owned();
    let entry = |at, body| Entry { at, turn: 1, body };
    for n in 0..n_prompts as u64 {
        kept.entries.push(entry(n, prompt(&format!("prompt {n}"))));
        let text = "aside".to_owned();
        let kind = crate::event::LogKind::Notice;
        kept.entries
            .push(entry(n, EventBody::AgentLog(AgentLog { kind, text })));
        kept.entries.push(entry(n, answer(&format!("answer {n}"))));
    }
    kept
}

fn prompt(text: &str) -> EventBody {
    EventBody::TurnStarted(TurnStarted {
        origin: PromptOrigin::User,
        text: text.to_owned(),
    })
}

fn answer(text: &str) -> EventBody {
    EventBody::AgentMessage(AgentMessage {
        text: text.to_owned(),
        message_id: None,
    })
}

/// What is reported, a line each.
fn told(effects: impl IntoIterator<Item = Effect>) -> Vec<String> {
    let line = |effect| match effect {
        Effect::Notice(text) => format!("notice: {text}"),
        Effect::Emit(body) => match *body {
            EventBody::Restored(Restored { at, entry }) => {
                let entry = serde_json::to_value(&entry).expect("text and lists");
                let name = entry["event"].as_str().unwrap_or_default().to_owned();
                let text = entry["text"].as_str().unwrap_or_default().to_owned();
                format!("{at:?} {name} {text}")
            }
            other => {
                let resumed: Value = serde_json::to_value(&other).expect("text and lists");
                format!("{resumed}")
            }
        },
        _ => panic!("it only tells"),
    };
    effects.into_iter().map(line).collect()
}

fn resumed(by: &str, entries: u64, omitted: u64) -> String {
    json!({"event": "RESUMED", "id": "c1", "by": by, "entries": entries, "omitted": omitted})
        .to_string()
}

#[test]
fn the_best_way_is_taken_that_an_agent_has() {
    let id = || "s1".to_owned();
    let cases = [
        ("claude", can(true, true), Reopening::Resume(id())),
        ("claude", can(false, true), Reopening::Load(id())),
        ("claude", can(false, false), Reopening::Anew),
        ("codex", can(true, true), Reopening::Anew),
    ];
    for (agent, capabilities, expected) in cases {
        let mut restore = Restore::default();
        let (reopening, effects) = restore.begin(kept(1), agent, &capabilities, false);
        let notices = told(effects);
        assert_eq!(
            notices.len(),
            usize::from(expected == Reopening::Anew),
            "{notices:?}"
        );
        assert!(
            notices
                .iter()
                .all(|text| text.contains("does not know the earlier conversation"))
        );
        assert_eq!(
            notices.iter().any(|text| text.contains("was with claude")),
            agent == "codex"
        );
        assert_eq!(reopening, expected);
    }
}

#[test]
fn what_an_agent_tells_again_is_shown_as_whole_messages_and_counts() {
    let mut restore = Restore::default();
    restore.begin(kept(3), "claude", &can(false, true), false);
    let mut shown = Vec::new();
    shown.extend(restore.message_told(true, true, "do "));
    shown.extend(restore.message_told(true, false, "it"));
    shown.extend(restore.message_told(false, true, "done"));
    shown.extend(restore.told(EventBody::Plan(Plan {
        entries: Vec::<PlanEntry>::new(),
    })));
    shown.extend(restore.message_told(false, true, "more"));
    shown.extend(restore.ready());
    assert_eq!(
        told(shown),
        [
            "None TURN_STARTED do it",
            "None AGENT_MESSAGE done",
            "None PLAN ",
            "None AGENT_MESSAGE more",
            &resumed("load", 4, 0),
        ]
    );
    // Some agents keep reporting.
    assert_eq!(
        told(restore.message_told(false, true, "at last")),
        [] as [&str; 0]
    );
    assert_eq!(told(restore.end()), ["None AGENT_MESSAGE at last"]);
    assert!(!restore.is_under_way() && restore.end().is_none());
}

#[test]
fn where_an_agent_tells_nothing_the_end_of_what_was_kept_is_shown() {
    let mut restore = Restore::default();
    restore.begin(kept(SHOWN / 2 + 3), "claude", &can(true, false), false);
    let shown = told(restore.ready());
    assert_eq!(shown.len(), SHOWN + 1);
    assert_eq!(shown[0], "Some(3) TURN_STARTED prompt 3");
    assert_eq!(shown[SHOWN], resumed("resume", SHOWN as u64, 6));
    assert!(!shown.iter().any(|line| line.contains("aside")));
}

#[test]
fn an_agent_that_does_not_know_it_after_all_is_told_of_and_it_is_shown() {
    let mut restore = Restore::default();
    restore.begin(kept(1), "claude", &can(true, true), false);
    let why = told([restore.unknown("the agent lost it")]);
    assert!(why[0].starts_with("notice: the agent lost it; a new session"));
    assert_eq!(
        told(restore.ready()).last(),
        Some(&resumed("history", 2, 0))
    );
}

#[test]
fn what_a_person_has_before_them_is_counted_and_not_shown_twice() {
    for is_seen in [true, false] {
        let mut restore = Restore::default();
        restore.begin(kept(2), "claude", &can(true, false), is_seen);
        if !is_seen {
            restore.seen();
        }
        assert_eq!(told(restore.ready()), [resumed("resume", 4, 0)]);
    }
}

#[test]
fn lines_that_cannot_be_read_are_told() {
    for (damaged, said) in [(1, "a line of"), (2, "2 lines of")] {
        let mut kept = kept(1);
        kept.damaged = damaged;
        let (_, effects) = Restore::default().begin(kept, "claude", &can(true, true), false);
        let notices = told(effects);
        assert!(
            notices.len() == 1 && notices[0].contains(said),
            "{notices:?}"
        );
    }
}

#[test]
fn a_conversation_that_only_the_agent_knows_has_no_name() {
    let mut restore = Restore::default();
    let only = Conversation::of_agent("claude", "s9");
    restore.begin(only, "claude", &can(true, true), false);
    assert_eq!(restore.agent_session(), Some("s9"));
    assert_eq!(told(restore.ready()), [] as [&str; 0]);
}

#[test]
fn without_an_earlier_conversation_nothing_is_told() {
    let mut restore = Restore::default();
    restore.seen();
    assert_eq!(told(restore.ready()), [] as [&str; 0]);
    assert_eq!(told(restore.told(prompt("a"))), [] as [&str; 0]);
    assert!(restore.message_told(true, true, "a").is_none() && restore.end().is_none());
}

fn begun() -> Restore {
    let mut restore = Restore::default();
    restore.begin(kept(1), "claude", &can(true, false), false);
    restore
}

#[test]
fn the_agents_own_conversation_goes_before_a_kept_one_and_is_opened_once() {
    let mut carried = carried();
    assert_eq!(Restore::default().wanted(&carried), None);
    carried.options.resume = Some("last".to_owned());
    let wanted = Restore::default().wanted(&carried);
    assert_eq!(wanted, Some(Earlier::Kept("last".to_owned())));
    carried.earlier = Some("s1".to_owned());
    let wanted = Restore::default().wanted(&carried);
    assert_eq!(wanted, Some(Earlier::OfAgent("s1".to_owned())));
    assert_eq!(begun().wanted(&carried), None);
}

fn carried() -> Carried {
    Carried::new(
        1,
        Instant::now(),
        SessionOptions::default(),
        DenialTracker::new(2, "/p"),
        Canary::new(&[], false),
        Memory::of_project(Path::new("/nowhere"), Path::new("/p")),
    )
}

#[test]
fn a_session_is_opened_again_after_a_login_and_anew_where_the_agent_lost_it() {
    let mut restore = begun();
    let error = |code| Err(RpcError::new(code, "no"));
    let answer = restore.answered(error(codes::AUTH_REQUIRED));
    assert!(matches!(answer, Some(Reopened::LoginNeeded(_))));
    assert!(!restore.is_under_way(), "it is read again");
    assert!(restore.answered(error(codes::AUTH_REQUIRED)).is_none());
    let mut restore = begun();
    match restore.answered(error(codes::INTERNAL_ERROR)) {
        Some(Reopened::Anew(notice)) => {
            assert!(told([notice])[0].contains("could not resume its session"));
        }
        _ => panic!("a new session follows"),
    }
    assert!(restore.is_under_way(), "what was kept is shown");
    let result = serde_json::value::to_raw_value(&json!({})).expect("JSON");
    match begun().answered(Ok(result)) {
        Some(Reopened::Session(opened)) => assert_eq!(opened.session_id, "s1"),
        _ => panic!("it is open"),
    }
}

#[test]
fn an_agent_is_telling_while_it_says_something() {
    let second = Duration::from_secs(1);
    assert!(begun().is_telling(second) && !begun().is_telling(31 * second));
    assert!(!Restore::default().is_telling(second));
}

#[test]
fn what_was_noted_long_ago_is_no_news_and_how_things_stand_is() {
    let retold = |update: Value| {
        let params = json!({"sessionId": "s1", "update": update});
        let params = serde_json::value::to_raw_value(&params).expect("JSON");
        let update = SessionUpdateMessage::read(&params).expect("an update");
        Retold::of(update.update)
    };
    let says = |kind| json!({"sessionUpdate": kind, "content": {"type": "text", "text": "hi"}});
    for (kind, prompt) in [("user_message_chunk", true), ("agent_message_chunk", false)] {
        let told = retold(says(kind));
        assert!(
            matches!(&told, Retold::Message { is_prompt, text } if *is_prompt == prompt && text == "hi"),
            "{told:?}"
        );
    }
    let call = json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "x"});
    assert!(matches!(retold(call), Retold::Call(id) if id == "c"));
    let mode = json!({"sessionUpdate": "current_mode_update", "currentModeId": "a"});
    assert!(matches!(retold(mode), Retold::Options));
    let thought = retold(says("agent_thought_chunk"));
    assert!(matches!(thought, Retold::Aside(_)), "{thought:?}");
}
