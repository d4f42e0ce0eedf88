//! Plans without a session: what is put before a person, what the answers set going, and the agent's mode for it.

use serde_json::json;
use siderail_acp::Session;
use siderail_acp::options::Modes;
use siderail_guard::normalize;

use super::mode::is_echo;
use super::*;
use crate::profile::{Profile, Profiles};
use crate::session::guidance::tests::{edit, events, facts, request};
use crate::session::modes::Setting;

fn profile(agent: &str) -> Profile {
    let none: [&std::path::Path; 0] = [];
    let profiles = Profiles::load(&none);
    profiles.get(agent, false).expect("a built-in agent")
}

/// The plan of an agent whose own mode for it is on.
struct Stage {
    planning: AgentPlanning,
    profile: Profile,
    answer: Option<bool>,
}

impl Stage {
    fn new(agent: &str) -> Self {
        let mut planning = AgentPlanning::default();
        planning.state.begin();
        planning.mode = ModeForPlan {
            own: Some("plan".to_owned()),
            back: Some(Setting::Mode("default".to_owned())),
            ..ModeForPlan::default()
        };
        Self {
            planning,
            profile: profile(agent),
            answer: None,
        }
    }

    fn planner(&mut self) -> Planner<'_> {
        Planner {
            of: &mut self.planning,
            own: self.profile.plan.as_ref(),
            answer: self.answer,
        }
    }

    /// The agent presents its plan; the last of what that wants done.
    fn presents(&mut self, request: PermissionRequest) -> Effect {
        let plan = "1. look".to_owned();
        let effects = self.planner().presented(request, plan, || 7);
        effects.into_iter().last().expect("something is done")
    }

    /// A person answers the plan that was presented with this.
    fn answered(&mut self, request: PermissionRequest, answer: &PermissionAnswer) -> Vec<Effect> {
        let (request, by) = (Some(Box::new(request)), PlanApprovedBy::User);
        self.planner().answered(7, request, answer, by)
    }
}

/// A request whose yes would last.
fn lasting() -> PermissionRequest {
    let mut request = request();
    request.options.retain(|option| option.id == "no");
    request
}

fn no(reason: &str) -> PermissionAnswer {
    PermissionAnswer::Deny {
        reason: reason.to_owned(),
        nobody: false,
    }
}

fn is_answer(effect: &Effect, option: &str) -> bool {
    let Effect::Permission(_, Outcome::Selected(id)) = effect else {
        return false;
    };
    id == option
}

#[test]
fn a_plan_is_put_before_a_person_or_answered_by_the_setting_for_it() {
    let mut stage = Stage::new("claude");
    let asked = stage.presents(request());
    assert!(matches!(asked, Effect::Ask(ask) if matches!(*ask, Ask::Plan { request_id: 7, .. })));
    for (answer, option) in [(true, "yes"), (false, "no")] {
        let mut stage = Stage::new("claude");
        stage.answer = Some(answer);
        assert!(is_answer(&stage.presents(request()), option));
    }
}

#[test]
fn an_approval_of_the_request_itself_is_the_agents_way_out_of_its_mode() {
    let mut stage = Stage::new("claude");
    stage.presents(request());
    let effects = stage.answered(request(), &PermissionAnswer::Allow);
    assert!(is_answer(effects.last().expect("an answer"), "yes"));
    assert!(stage.planning.mode.own.is_none() && stage.planning.mode.back.is_none());
    let told = events(effects);
    assert!(matches!(
        told[..],
        [EventBody::PlanApproved(_), EventBody::Plan(_)]
    ));
    assert!(!stage.planning.state.closes_writing());
}

#[test]
fn an_agent_without_a_yes_for_once_is_rejected_and_hears_of_the_approval_with_the_next_prompt() {
    let mut stage = Stage::new("gemini");
    stage.presents(lasting());
    let effects = stage.answered(lasting(), &PermissionAnswer::Allow);
    let Some(
        [
            Effect::Notice(_),
            rejected,
            Effect::CancelTurn(StopReason::PlanRejected),
        ],
    ) = effects.last_chunk()
    else {
        panic!("told, rejected, and the turn cancelled that would go on");
    };
    assert!(is_answer(rejected, "no"));
    assert!(
        stage.planning.mode.back.is_some(),
        "the way back is still ahead"
    );
    assert!(stage.planning.state.closes_writing());
    let after = stage.planning.state.turn_ended(true);
    let effects = stage.planner().go_on(after, || 8);
    assert!(
        matches!(&effects[..], [Effect::NewUserPrompt, Effect::PromptForPlan(text)] if *text == plan_texts::approved())
    );
}

#[test]
fn a_plan_that_comes_again_after_the_answer_is_rejected_without_a_question() {
    let mut stage = Stage::new("claude");
    stage.presents(request());
    let effects = stage.answered(request(), &no("smaller steps"));
    assert!(is_answer(effects.last().expect("an answer"), "no"));
    let effects = stage
        .planner()
        .presented(request(), "2. look".to_owned(), || 8);
    assert!(effects.len() == 1 && is_answer(&effects[0], "no"));
}

#[test]
fn what_a_person_wants_changed_is_the_next_prompt_of_a_plan_at_the_end_of_a_turn() {
    let mut stage = Stage::new("claude");
    stage.planner().message("1. look", true);
    let after = stage.planning.state.turn_ended(true);
    let effects = stage.planner().go_on(after, || 7);
    assert!(matches!(effects.last(), Some(Effect::Ask(_))));
    let (mut planner, by) = (stage.planner(), PlanApprovedBy::User);
    let effects = planner.answered(7, None, &no("smaller steps"), by);
    let Some(Effect::PromptForPlan(text)) = effects.last() else {
        panic!("a prompt");
    };
    assert!(
        text.contains("smaller steps") && text.contains("ExitPlanMode"),
        "{text}"
    );
}

#[test]
fn a_turn_that_was_to_bring_a_plan_and_did_not_is_told_of() {
    let mut stage = Stage::new("copilot");
    stage.planner().message("Info: looking", true);
    let after = stage.planning.state.turn_ended(true);
    let effects = stage.planner().go_on(after, || 7);
    assert!(matches!(
        &effects[..],
        [Effect::Notice(_), Effect::NextPrompt]
    ));
}

#[test]
fn a_file_of_the_agents_own_plans_is_the_plan_and_one_of_the_project_is_not() {
    let mut planning = Planning::default();
    planning.begin();
    let call = json!({"kind": "edit", "locations": [{"path": "/home/u/plans/a.md"}],
        "rawInput": {"content": "1. look"}});
    let action = normalize::update(&call, "/p", &facts("claude").agent_names(&[]));
    let mut written = |action: &Action, root| {
        let place = (root, Some("/home/u"));
        planning.files_written(Some("/plans/"), action, None, place)
    };
    assert!(!written(&edit(), "/p"));
    assert!(!written(&action, "/home/u"), "it is inside of the project");
    assert!(written(&action, "/p"));
    assert_eq!(planning.propose(Presented::InTurn, None).text, "1. look");
}

#[test]
fn the_agents_mode_is_set_once_for_a_planning_and_set_back_after_it() {
    let profile = profile("claude");
    let mut acp = Session::new("s");
    let modes = Modes::read(
        &json!({"modes": {"currentModeId": "acceptEdits", "availableModes": [
            {"id": "plan", "name": "Plan"}, {"id": "acceptEdits", "name": "Edits"},
        ]}}),
    );
    acp.take_over(modes, None);
    let mode_of = |id: &str| Some(Setting::Mode(id.to_owned()));
    let mut mode = ModeForPlan::default();
    let due = |mode: &mut ModeForPlan, plans| mode.due(plans, Some(&acp), &profile);
    assert_eq!(due(&mut mode, false), None);
    assert_eq!(due(&mut mode, true), mode_of("plan"));
    assert!(mode.on(profile.plan.as_ref()).is_some());
    assert_eq!(due(&mut mode, true), None);
    assert_eq!(due(&mut mode, false), mode_of("acceptEdits"));
    assert_eq!(due(&mut mode, false), None);
    mode = ModeForPlan::default();
    due(&mut mode, true);
    mode.refused();
    assert_eq!(due(&mut mode, false), None, "it was never in the mode");
}

#[test]
fn a_message_that_repeats_the_mode_counts_as_one_only_for_modes_that_there_are() {
    let profile = profile("gemini");
    let mut acp = Session::new("s");
    let modes = Modes::read(
        &json!({"modes": {"currentModeId": "default", "availableModes": [
            {"id": "plan", "name": "Plan"}, {"id": "default", "name": "Default"},
        ]}}),
    );
    acp.take_over(modes, None);
    let own = profile.plan.as_ref();
    assert!(is_echo("[MODE_UPDATE] plan", own, Some(&mut acp)));
    assert_eq!(acp.modes().expect("modes").current, "plan");
    assert!(!is_echo("[MODE_UPDATE] other", own, Some(&mut acp)));
    assert!(!is_echo("plan", own, Some(&mut acp)));
}

#[test]
fn a_task_begins_with_a_plan_only_where_one_is_wanted() {
    let mut stage = Stage::new("claude");
    stage.planning.mode.is_seen_to = true;
    stage.planner().task_begins(false);
    assert!(!stage.planning.state.closes_writing() && stage.planning.mode.is_seen_to);
    stage.planner().task_begins(true);
    assert!(stage.planning.state.is_drafting());
    assert!(
        !stage.planning.mode.is_seen_to,
        "the mode for it is set anew"
    );
}
