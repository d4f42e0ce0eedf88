//! The course of a planning as an agent and a person make it go.

use super::{AfterAnswer, AfterTurn, Planning, Presented};
use crate::event::{PlanEntry, PlanEntryStatus};

const PLAN: &str =
    "What I found:\n- a class\n\n1. Set **x** to 2\n   - in `App.java`\n2) Run the tests\n";

fn states(entries: &[PlanEntry]) -> Vec<(&str, &str)> {
    let mut states = Vec::new();
    for entry in entries {
        states.push((entry.text.as_str(), entry.status.as_str()));
    }
    states
}

fn drafted() -> Planning {
    let mut planning = Planning::default();
    planning.begin();
    planning.message("I look around.", true);
    planning.message(PLAN, true);
    planning
}

#[test]
fn a_plan_that_ends_its_turn_is_proposed_and_its_approval_begins_the_work() {
    let mut planning = drafted();
    assert!(planning.closes_writing());
    assert_eq!(planning.turn_ended(true), AfterTurn::Propose);
    let draft = planning.propose(Presented::AtTurnEnd, None);
    assert_eq!(draft.text, PLAN, "the last message is the plan");
    assert_eq!(
        states(&draft.entries),
        [("Set x to 2", "pending"), ("Run the tests", "pending")]
    );
    assert!(planning.closes_writing(), "a plan on show opens nothing");
    assert_eq!(planning.answer(true, ""), AfterAnswer::Work);
    assert!(!planning.closes_writing());
    assert_eq!(planning.turn_ended(true), AfterTurn::Idle);
}

#[test]
fn an_approval_that_the_agents_request_has_no_word_for_opens_the_work_with_the_next_prompt() {
    let mut planning = drafted();
    planning.propose(Presented::InTurn, Some(PLAN.to_owned()));
    assert_eq!(planning.answer(true, ""), AfterAnswer::Allow);
    planning.agreed_in_words();
    assert!(
        planning.closes_writing() && planning.is_turned_down(),
        "the agent was told no"
    );
    assert_eq!(planning.turn_ended(false), AfterTurn::Work);
    assert!(!planning.closes_writing());
    let steps = planning.message("Step 1: on it", true).expect("followed");
    assert_eq!(states(&steps)[0], ("Set x to 2", "in_progress"));
    assert!(planning.is_told_in_words(), "and no second time");
    planning.over();
    assert!(!planning.is_told_in_words());
}

#[test]
fn feedback_brings_another_plan_and_writing_stays_closed() {
    let mut planning = drafted();
    planning.propose(Presented::AtTurnEnd, None);
    let revise = AfterAnswer::Revise("keep y".to_owned());
    assert_eq!(planning.answer(false, " keep y "), revise);
    assert!(planning.closes_writing() && planning.is_drafting());

    planning.propose(Presented::InTurn, Some("1. other".to_owned()));
    assert_eq!(planning.answer(false, "shorter"), AfterAnswer::Reject);
    assert!(planning.closes_writing() && planning.is_turned_down());
    assert_eq!(
        planning.turn_ended(false),
        AfterTurn::Revise("shorter".to_owned())
    );
    assert!(planning.is_drafting());
}

#[test]
fn a_no_without_a_word_ends_the_planning_and_opens_nothing_in_its_turn() {
    let mut planning = drafted();
    planning.propose(Presented::InTurn, None);
    assert_eq!(planning.answer(false, " "), AfterAnswer::Reject);
    assert!(planning.closes_writing(), "the turn still runs");
    assert_eq!(planning.turn_ended(true), AfterTurn::Idle);
    assert!(!planning.closes_writing());

    let mut planning = drafted();
    planning.propose(Presented::AtTurnEnd, None);
    assert_eq!(planning.answer(false, ""), AfterAnswer::Idle);
    assert!(!planning.closes_writing());
}

#[test]
fn a_turn_that_broke_off_or_said_nothing_has_no_plan() {
    assert_eq!(drafted().turn_ended(false), AfterTurn::Idle);
    let mut silent = Planning::default();
    silent.begin();
    assert_eq!(silent.turn_ended(true), AfterTurn::NoPlan);
    assert!(!silent.closes_writing());
}

#[test]
fn steps_move_on_as_the_agent_announces_them() {
    let mut planning = drafted();
    planning.propose(Presented::InTurn, None);
    planning.answer(true, "");
    assert_eq!(
        planning.message("I begin.\n**Step 1", true),
        None,
        "it could be step 12"
    );
    let first = planning.message(": x", false).expect("a step has begun");
    assert_eq!(states(&first)[0].1, "in_progress");
    let second = planning
        .message("step 2. Tests", true)
        .expect("the next has begun");
    assert_eq!(
        [states(&second)[0].1, states(&second)[1].1],
        ["completed", "in_progress"]
    );
    assert_eq!(planning.message("Step 9: none of ours", true), None);
    let end = planning.finished().expect("the last one is done");
    assert!(
        end.iter()
            .all(|step| step.status == PlanEntryStatus::Completed)
    );
}

#[test]
fn a_call_between_two_pieces_ends_a_message_where_the_agent_does_not_say_so() {
    let mut planning = Planning::default();
    planning.begin();
    planning.message("I look.", true);
    planning.call();
    planning.message("1. x", false);
    assert_eq!(planning.propose(Presented::AtTurnEnd, None).text, "1. x");
}

#[test]
fn a_plan_that_stands_in_the_agents_file_is_the_one_that_it_presents() {
    let mut planning = drafted();
    planning.written("1. from the file");
    let presented = planning.propose(Presented::InTurn, None).text.clone();
    assert_eq!(presented, "1. from the file");
}

#[test]
fn an_agents_own_list_takes_the_place_of_what_is_read_from_its_messages() {
    let mut planning = drafted();
    planning.propose(Presented::InTurn, None);
    planning.answer(true, "");
    planning.entries(&[]);
    assert_eq!(planning.message("Step 1: x", true), None);
    assert_eq!(planning.followed(), None);
}

#[test]
fn steps_are_numbered_lines_or_else_bullets() {
    let of = |text: &str| {
        let steps = super::steps_of(text);
        steps.into_iter().map(|step| step.text).collect::<Vec<_>>()
    };
    assert_eq!(of("- a\n  - b\n* c"), ["a", "c"]);
    assert_eq!(of("### 1. One\ntext\n### 2. Two"), ["One", "Two"]);
    assert_eq!(of("In 2026. we had 3.5 of them"), [""; 0]);
    assert_eq!(of("- [ ] open"), ["open"]);
}
