//! The life of a session without a process: each moment as an input, what is overdue as the output.

use super::*;
use std::path::Path;

use crate::launch::Launch;
use crate::servers::UserServers;
use crate::session::guidance::tests::facts;
use crate::session::lifecycle::opening::Opening;

const SECOND: Duration = Duration::from_secs(1);

fn exit() -> Exit {
    Exit {
        code: Some(1),
        signal: None,
    }
}

/// A session whose agent has said nothing yet.
pub(in crate::session) fn starting(until: Instant) -> Lifecycle {
    let launch = Launch::default();
    let opening = Opening::new(&facts("claude").profile, &launch, UserServers::default());
    let command = opening::command_line(launch, Path::new("/p"));
    let mut life = Lifecycle::new(None);
    life.start(command, opening, until);
    life
}

fn ready() -> Lifecycle {
    let mut life = starting(Instant::now());
    assert!(life.ready().is_some());
    life
}

fn prompt() -> Prompt {
    Prompt {
        text: "go".to_owned(),
        origin: crate::event::PromptOrigin::User,
        sent: Default::default(),
        plan: false,
    }
}

fn for_good(why: &str) -> Ending {
    Ending::ForGood(Some(why.into()))
}

#[test]
fn what_is_overdue_is_so_when_its_time_has_come_and_then_no_more() {
    let now = Instant::now();
    let mut life = starting(now + SECOND);
    assert_eq!(life.overdue(now), None);
    assert_eq!(life.overdue(now + SECOND), Some(Limit::Startup));
    assert_eq!(life.overdue(now + SECOND), None);
}

#[test]
fn an_agent_is_started_once_unless_its_session_has_ended_meanwhile() {
    let now = Instant::now();
    let mut life = starting(now);
    let command = life.take_command().expect("it is to be started");
    assert_eq!(command.cwd, Path::new("/p"));
    assert_eq!(life.take_command(), None, "it is started");
    assert_eq!(life.deadline(), Some(now), "the limit is that of the start");
    let mut ended = starting(now);
    ended.end(None, false, now);
    assert_eq!(ended.take_command(), None);
}

#[test]
fn once_the_agent_is_half_gone_only_the_rest_of_it_is_waited_for() {
    let now = Instant::now();
    let mut life = ready();
    life.output_closed();
    life.drain(now);
    life.await_end_of_turn(now + 5 * SECOND);
    life.turn_ended();
    assert_eq!(life.deadline(), Some(now + DRAIN));
    assert_eq!(life.overdue(now + DRAIN), Some(Limit::Exit));
}

#[test]
fn a_handshake_waits_for_one_thing_after_the_other_and_for_nothing_once_it_is_done() {
    let now = Instant::now();
    let mut life = starting(now);
    life.suspend_handshake();
    assert_eq!(life.deadline(), None, "a person is asked");
    life.await_login(now + SECOND);
    assert_eq!(life.overdue(now + SECOND), Some(Limit::Startup));
    life.await_hook_listing(now);
    assert_eq!(life.overdue(now), Some(Limit::HookListing));
    life.await_handshake(now);
    assert_eq!(
        life.overdue(now),
        Some(Limit::Startup),
        "no longer the hooks"
    );
    assert!(life.ready().is_some() && life.is_ready());
    assert_eq!(life.deadline(), None);
}

#[test]
fn a_ready_session_waits_for_the_login_or_the_end_of_the_turn_that_is_under_way() {
    let now = Instant::now();
    let mut life = ready();
    life.await_end_of_turn(now);
    life.login_ended();
    assert_eq!(life.overdue(now), Some(Limit::Cancel), "it is no login");
    life.prompt_lacks_login(prompt());
    life.await_login(now);
    life.turn_ended();
    assert_eq!(life.overdue(now), Some(Limit::Login), "it is no turn");
    life.await_handshake(now);
    life.await_hook_listing(now);
    assert_eq!(life.deadline(), None, "the handshake is over");
}

#[test]
fn a_cancel_ends_a_start_unless_a_prompt_waits_for_it_whose_turn_is_not_over() {
    let mut life = starting(Instant::now());
    assert!(life.ends_by_cancel(false) && !life.ends_by_cancel(true));
    life.login_failed();
    assert!(life.ends_by_cancel(true), "nobody logs in for it any more");
    assert!(!ready().ends_by_cancel(false));
}

#[test]
fn a_login_is_missing_until_it_is_there_or_nobody_wants_it() {
    let now = Instant::now();
    let prompt = prompt();
    let mut life = starting(now);
    life.login_failed();
    assert!(life.lacks_login() && life.deadline().is_none());
    assert_eq!(life.login_ended(), None);
    assert!(!life.lacks_login() && life.ready().is_some());
    life.prompt_lacks_login(prompt.clone());
    life.await_login(now);
    life.login_failed();
    assert!(life.lacks_login() && life.deadline().is_none());
    assert_eq!(life.login_ended(), Some(prompt.clone()));
    life.login_failed();
    assert_eq!((life.lacks_login(), life.login_ended()), (false, None));
}

#[test]
fn an_agent_that_leaves_by_itself_is_gone_once_both_its_process_and_its_output_are() {
    let now = Instant::now();
    for exits_first in [true, false] {
        let mut life = ready();
        assert!(!life.drain(now));
        match exits_first {
            true => life.exited(exit()),
            false => life.output_closed(),
        }
        assert!(!life.drain(now));
        assert_eq!(life.deadline(), Some(now + DRAIN), "the rest comes soon");
        match exits_first {
            true => life.output_closed(),
            false => life.exited(exit()),
        }
        assert!(life.drain(now));
        assert_eq!(life.exit(), Some(exit()));
        assert!(life.is_ready(), "it is for the session to end");
    }
    let mut life = ready();
    life.output_closed();
    assert!(!life.drain(now));
    assert_eq!(life.overdue(now + DRAIN), Some(Limit::Exit));
    assert_eq!(life.exit(), None);
}

#[test]
fn an_agent_that_was_told_to_go_has_its_time_though_it_closes_its_output_first() {
    let now = Instant::now();
    let mut life = ready();
    assert!(life.close(for_good("timeout"), now + STOP));
    life.output_closed();
    assert!(!life.drain(now));
    assert_eq!(life.deadline(), Some(now + STOP));
    let mut life = ready();
    life.close(for_good("timeout"), now + STOP);
    life.exited(exit());
    assert!(!life.drain(now));
    assert_eq!(life.deadline(), Some(now + DRAIN));
}

#[test]
fn a_session_ends_once_and_nothing_brings_it_back() {
    let now = Instant::now();
    let mut life = starting(now);
    assert!(life.close(for_good("error"), now + STOP) && life.is_closing());
    assert!(
        !life.close(for_good("cancelled"), now),
        "that was said before"
    );
    assert!(!life.close(Ending::Restart, now), "it has ended");
    assert!(life.ready().is_none(), "a late answer comes too late");
    life.await_login(now);
    life.login_ended();
    life.suspend_handshake();
    life.await_end_of_turn(now);
    assert_eq!(life.deadline(), Some(now + STOP), "the agent has to go");
    assert_eq!(life.ending(), Some(&for_good("error")));
    life.over();
    assert!(life.is_over() && life.is_closing() && !life.goes_on());
    assert_eq!(
        (life.deadline(), life.ending()),
        (None, Some(&for_good("error")))
    );
}

#[test]
fn the_last_wait_is_for_the_host_whatever_else_is_heard_of_the_agent() {
    let now = Instant::now();
    let mut life = ready();
    life.finishing(now);
    assert!(!life.is_finishing(), "nothing has ended it");
    life.close(for_good("error"), now + STOP);
    assert!(!life.agent_gone(true, now), "the host is waited for");
    life.exited(exit());
    assert!(!life.drain(now) && life.is_finishing() && !life.is_over());
    assert!(!life.agent_gone(false, now), "that is under way");
    assert_eq!(life.overdue(now), None);
    assert_eq!(life.overdue(now + GIVEN_UP), Some(Limit::GivenUp));
    assert_eq!(life.ending(), Some(&for_good("error")));
}

#[test]
fn an_agent_that_leaves_no_write_open_is_the_last_that_is_waited_for() {
    let now = Instant::now();
    let mut life = ready();
    life.end(None, true, now);
    assert!(life.agent_gone(false, now));
    life.over();
    assert!(!life.agent_gone(false, now), "the last word is said once");
}

#[test]
fn a_session_without_a_turn_was_not_started_unless_it_was_ended_for_a_reason() {
    let now = Instant::now();
    let ended = |mut life: Lifecycle, why: Option<&str>, has_had_turn| {
        life.end(why.map(StopReason::from), has_had_turn, now);
        assert_eq!(life.deadline(), Some(now + STOP));
        life.ended_for().cloned()
    };
    let early = ended(starting(now), None, false);
    assert_eq!(early, Some(StopReason::NotStarted));
    assert_eq!(
        ended(starting(now), None, true),
        None,
        "its last turn counts"
    );
    assert_eq!(ended(ready(), None, false), None);
    let timeout = Some(StopReason::Timeout);
    assert_eq!(ended(starting(now), Some("timeout"), false), timeout);
    let mut restarts = ready();
    restarts.close(Ending::Restart, now + STOP);
    assert_eq!(restarts.ended_for(), None);
}

#[test]
fn a_session_goes_on_in_a_new_process_unless_it_is_ended_meanwhile() {
    let now = Instant::now();
    let mut life = ready();
    assert!(!life.give_up_restart(Some(&StopReason::Cancelled)) && life.is_ready());
    life.close(Ending::Restart, now + STOP);
    assert!(!life.goes_on(), "its process is there yet");
    let mut ended = starting(now);
    ended.close(Ending::Restart, now + STOP);
    life.over();
    assert!(life.goes_on());
    assert!(ended.give_up_restart(Some(&StopReason::Cancelled)));
    assert!(
        !ended.give_up_restart(Some(&StopReason::Timeout)),
        "once is enough"
    );
    assert_eq!(ended.ending(), Some(&for_good("cancelled")));
    ended.over();
    assert!(!ended.goes_on());
}

#[test]
fn a_session_without_an_agent_needs_no_handshake() {
    let mut life = Lifecycle::new(None);
    assert!(life.is_ready());
    assert_eq!(life.deadline(), None);
    assert_eq!(life.take_command(), None);
}
