//! The natives in real virtual machines: one process per scenario and JDK, each with `-Xcheck:jni`.
//!
//! What a scenario does is in `java/dev/siderail/bridge/Scenarios.java`; here it is started, given the time that
//! it may take, and its output is searched for complaints of the virtual machine. A machine without a JDK fails.

#[path = "jvm/built.rs"]
mod built;
#[path = "jvm/jdk.rs"]
mod jdk;
#[path = "jvm/run.rs"]
mod run;

use run::passes;

#[test]
fn an_agent_edits_through_the_jvm_and_every_event_arrives() {
    passes("roundTrip");
}

#[test]
fn misuse_is_an_exception_and_never_a_crash() {
    passes("misuse");
}

#[test]
fn an_engine_that_closes_while_threads_use_it_refuses_them() {
    passes("closesUnderFire");
}

#[test]
fn a_host_that_throws_costs_its_call_and_nothing_else() {
    passes("throwingHost");
}

#[test]
fn a_host_that_is_cancelled_is_no_bug() {
    passes("cancellingHost");
}

#[test]
fn a_call_that_nobody_answers_is_a_timeout_for_the_agent() {
    passes("silentHost");
}

#[test]
fn a_listener_that_blocks_stops_no_agent_and_loses_no_text() {
    passes("slowListener");
}

#[test]
fn a_panic_is_an_exception_and_a_record_in_the_log() {
    passes("panics");
}

#[test]
fn a_jvm_whose_main_has_returned_exits_in_spite_of_an_open_engine() {
    passes("exits");
}

#[test]
fn class_loaders_that_loaded_the_library_can_be_collected() {
    passes("unloads");
}
