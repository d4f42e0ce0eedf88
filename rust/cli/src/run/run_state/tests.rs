//! What a run does next, in words, for what happens to it.

use super::*;
use siderail_engine::event::{
    ErrorKind, PlanChannel, PlanProposed, PlanRejected, PlanRejectedBy, SessionStarted, TurnEnded,
    TurnStarted,
};

fn words(steps: &[Step]) -> Vec<String> {
    let word = |step: &Step| match step {
        Step::ClearScreen => "clear".to_owned(),
        Step::Send(Command::Prompt { text, .. }) => format!("prompt {text}"),
        Step::Send(Command::Cancel { .. }) => "cancel".to_owned(),
        Step::Send(Command::EndSession { why, .. }) => {
            format!("end {}", why.as_ref().map_or("-", StopReason::as_str))
        }
        Step::Send(other) => format!("{other:?}"),
        Step::Limit(_) => "limit".to_owned(),
        Step::NoLimit => "no limit".to_owned(),
        Step::Say(text) => format!("say {text}"),
        Step::Quit => "quit".to_owned(),
    };
    steps.iter().map(word).collect()
}

fn started() -> EventBody {
    EventBody::SessionStarted(SessionStarted {
        agent: "x".to_owned(),
        version: None,
        agent_session: "s".to_owned(),
        policy: "redirect".into(),
        mode: None,
        images: false,
    })
}

fn turn_ended(stop_reason: &str, continues: bool) -> EventBody {
    let stop_reason = stop_reason.into();
    EventBody::TurnEnded(TurnEnded {
        stop_reason,
        continues,
        text: None,
    })
}

fn summary(stop_reason: &str) -> Summary {
    Summary {
        stop_reason: stop_reason.into(),
        ..Summary::default()
    }
}

fn running() -> RunState {
    let mut state = RunState::new("hi".to_owned(), false);
    assert_eq!(words(&state.event(&started())), ["prompt hi"]);
    state
}

#[test]
fn a_continuation_is_seen_through_before_the_session_ends() {
    let mut state = running();
    assert_eq!(words(&state.event(&turn_ended("end_turn", true))), [""; 0]);
    let origin = PromptOrigin::Continuation;
    state.event(&EventBody::TurnStarted(TurnStarted {
        origin,
        text: String::new(),
    }));
    let ended = state.event(&turn_ended("end_turn", false));
    assert_eq!(words(&ended), ["end -", "limit"]);
    assert_eq!(
        words(&state.event(&EventBody::Summary(summary("end_turn")))),
        ["quit"]
    );
    assert_eq!(state.exit(&summary("end_turn")), Exit::Ended);
}

fn proposed(channel: PlanChannel) -> EventBody {
    EventBody::PlanProposed(PlanProposed {
        request_id: 1,
        text: "1. x".to_owned(),
        entries: Vec::new(),
        channel,
        asks: true,
    })
}

fn rejected(continues: bool) -> EventBody {
    EventBody::PlanRejected(PlanRejected {
        request_id: 1,
        by: PlanRejectedBy::User,
        text: String::new(),
        continues,
    })
}

#[test]
fn a_plan_that_is_turned_down_for_good_ends_the_run_once_its_turn_is_over() {
    let mut state = running();
    state.event(&turn_ended("end_turn", true));
    state.event(&proposed(PlanChannel::Turn));
    assert_eq!(words(&state.event(&rejected(true))), [""; 0]);
    state.event(&proposed(PlanChannel::Turn));
    assert_eq!(words(&state.event(&rejected(false))), ["end -", "limit"]);

    let mut state = running();
    state.event(&proposed(PlanChannel::Acp));
    assert_eq!(
        words(&state.event(&rejected(false))),
        [""; 0],
        "its turn runs"
    );
    let ended = state.event(&turn_ended("end_turn", false));
    assert_eq!(words(&ended), ["end -", "limit"]);
}

#[test]
fn an_interrupt_while_a_plan_waits_for_its_answer_ends_the_run() {
    let mut state = running();
    state.event(&turn_ended("end_turn", true));
    state.event(&proposed(PlanChannel::Turn));
    state.happens(Happening::Interrupt);
    let ended = state.event(&rejected(false));
    assert_eq!(words(&ended), ["end cancelled", "limit"]);
    assert_eq!(state.exit(&summary("end_turn")), Exit::Cancelled);
}

#[test]
fn the_first_interrupt_cancels_the_turn_and_the_second_ends_the_run() {
    let mut state = running();
    assert_eq!(
        words(&state.happens(Happening::Interrupt)),
        ["cancel", "limit"]
    );
    assert_eq!(
        words(&state.happens(Happening::Interrupt)),
        ["end cancelled", "limit"]
    );
    assert_eq!(words(&state.happens(Happening::Overdue)), ["quit"]);
    assert_eq!(state.exit(&summary("end_turn")), Exit::Cancelled);
    assert_eq!(state.stop_reason(), StopReason::Cancelled);
}

#[test]
fn a_cancelled_turn_ends_the_run_with_the_users_exit_code() {
    let mut state = running();
    state.happens(Happening::Interrupt);
    let ended = state.event(&turn_ended("cancelled", false));
    assert_eq!(words(&ended), ["end cancelled", "limit"]);
    assert_eq!(state.exit(&summary("cancelled")), Exit::Cancelled);
}

#[test]
fn an_agent_that_ignores_the_cancel_is_ended_anyway() {
    let mut state = running();
    state.happens(Happening::Interrupt);
    assert_eq!(
        words(&state.happens(Happening::Overdue)),
        ["end cancelled", "limit"]
    );
    assert_eq!(words(&state.happens(Happening::Overdue)), ["quit"]);
}

#[test]
fn an_interrupt_before_the_session_is_there_ends_it() {
    let mut state = RunState::new("hi".to_owned(), false);
    assert_eq!(
        words(&state.happens(Happening::Interrupt)),
        ["end cancelled", "limit"]
    );
    assert_eq!(
        words(&state.event(&started())),
        [""; 0],
        "no prompt after the interrupt"
    );
    assert_eq!(state.exit(&summary("not_started")), Exit::Cancelled);
}

#[test]
fn the_time_limit_ends_the_session_and_the_engine_that_does_not_answer_is_left() {
    let mut state = running();
    assert_eq!(
        words(&state.happens(Happening::Timeout)),
        ["end timeout", "limit"]
    );
    assert_eq!(words(&state.happens(Happening::Overdue)), ["quit"]);
    assert_eq!(state.exit(&summary("timeout")), Exit::TimedOut);
    assert_eq!(state.stop_reason(), StopReason::Timeout);
}

#[test]
fn an_output_that_cannot_be_written_is_a_failure_and_no_cancel() {
    let mut state = running();
    assert_eq!(
        words(&state.happens(Happening::OutputBroken)),
        ["end error", "limit"]
    );
    assert_eq!(state.exit(&summary("end_turn")), Exit::Failed);
}

#[test]
fn a_run_that_is_ending_does_not_time_out_any_more() {
    let mut state = running();
    state.event(&turn_ended("end_turn", false));
    assert_eq!(words(&state.happens(Happening::Timeout)), [""; 0]);
    assert_eq!(state.exit(&summary("end_turn")), Exit::Ended);
}

#[test]
fn a_terminal_or_reader_that_goes_away_ends_the_session_once() {
    for (happening, exit) in [
        (Happening::Terminate, Exit::Cancelled),
        (Happening::OutputClosed, Exit::Failed),
    ] {
        let mut state = running();
        assert_eq!(words(&state.happens(happening)), ["end cancelled", "limit"]);
        assert_eq!(words(&state.happens(happening)), ["limit"]);
        assert_eq!(state.exit(&summary("cancelled")), exit);
    }
}

fn failed(mut state: RunState, kind: ErrorKind) -> Exit {
    state.event(&EventBody::Error(event::Error {
        kind,
        text: String::new(),
        hint: None,
    }));
    state.exit(&summary("error"))
}

#[test]
fn failures_of_the_agent_have_their_own_exit_codes() {
    let starting = || RunState::new("hi".to_owned(), false);
    assert_eq!(failed(starting(), ErrorKind::Spawn), Exit::NotStarted);
    assert_eq!(failed(starting(), ErrorKind::Closed), Exit::NotStarted);
    assert_eq!(failed(starting(), ErrorKind::Handshake), Exit::NotStarted);
    assert_eq!(failed(starting(), ErrorKind::Protocol), Exit::Failed);
    assert_eq!(failed(starting(), ErrorKind::Login), Exit::LoginNeeded);
    assert_eq!(failed(running(), ErrorKind::Login), Exit::LoginNeeded);
    assert_eq!(failed(running(), ErrorKind::Closed), Exit::Failed);
    assert_eq!(starting().exit(&summary("not_started")), Exit::NotStarted);
    assert_eq!(running().exit(&summary("error")), Exit::Failed);
    assert_eq!(running().exit(&summary("refusal")), Exit::Ended);
}

#[test]
fn an_engine_that_is_gone_ends_the_run() {
    assert_eq!(words(&running().happens(Happening::EngineGone)), ["quit"]);
    assert_eq!(running().stop_reason(), StopReason::Error);
}

#[test]
fn a_login_that_is_skipped_cancels_the_turn_and_the_conversation_goes_on() {
    let turn = EventBody::TurnStarted(TurnStarted {
        origin: PromptOrigin::User,
        text: String::new(),
    });
    let mut chat =
        RunState::new(String::new(), false).with_chat_input(ChatInput::new("hi", false, true));
    chat.event(&started());
    chat.event(&turn);
    chat.event(&EventBody::Error(event::Error {
        kind: ErrorKind::Login,
        text: String::new(),
        hint: None,
    }));
    assert_eq!(words(&chat.no_login()), ["cancel", "limit"]);
    assert_eq!(
        words(&chat.event(&turn_ended("cancelled", false))),
        ["no limit"]
    );
    chat.event(&turn);
    let lost = summary("timeout");
    assert_eq!(
        chat.exit(&lost),
        Exit::TimedOut,
        "no login is missing by now"
    );
    let mut early =
        RunState::new(String::new(), false).with_chat_input(ChatInput::new("hi", false, true));
    assert_eq!(words(&early.no_login()), ["end error", "limit"]);
    let mut run = RunState::new("hi".to_owned(), false);
    run.event(&started());
    run.event(&turn);
    assert_eq!(words(&run.no_login()), ["end error", "limit"]);
}

#[test]
fn a_login_that_is_given_up_is_still_missing_when_the_conversation_ends() {
    let error = |kind: ErrorKind| {
        EventBody::Error(event::Error {
            kind,
            text: String::new(),
            hint: None,
        })
    };
    let turn = EventBody::TurnStarted(TurnStarted {
        origin: PromptOrigin::User,
        text: String::new(),
    });
    let mut state =
        RunState::new(String::new(), false).with_chat_input(ChatInput::new("hi", false, true));
    state.event(&started());
    state.event(&turn);
    state.event(&turn_ended("error", true));
    state.event(&error(ErrorKind::Login));
    state.logs_in();
    assert_eq!(
        words(&state.happens(Happening::Interrupt)),
        ["cancel", "limit"]
    );
    state.event(&turn_ended("cancelled", false));
    state.line(Line::Quit);
    for reason in ["cancelled", "error"] {
        assert_eq!(state.exit(&summary(reason)), Exit::LoginNeeded, "{reason}");
    }
    state.event(&turn);
    assert_eq!(
        state.exit(&summary("end_turn")),
        Exit::Ended,
        "it was done after all"
    );
}
