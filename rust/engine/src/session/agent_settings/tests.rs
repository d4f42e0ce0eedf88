//! Settings alone: what is asked of the agent, and what is reported of its answers.

use serde_json::json;
use siderail_acp::options::read_config_options;

use super::*;

/// A session with an option of two values and one that is on or off.
fn session() -> acp::Session {
    let mut session = acp::Session::new("s");
    let options = read_config_options(&json!({"configOptions": [
        {
            "id": "effort", "name": "Effort", "type": "select", "currentValue": "low",
            "options": [{"value": "low", "name": "Low"}, {"value": "high", "name": "High"}],
        },
        {"id": "web", "name": "Web", "type": "boolean", "currentValue": false},
    ]}));
    session.take_over(None, Some(options));
    session
}

fn notice(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Notice(text)] => text,
        _ => panic!("one notice"),
    }
}

fn result(value: serde_json::Value) -> Result<Box<RawValue>, RpcError> {
    Ok(serde_json::value::to_raw_value(&value).expect("JSON"))
}

#[test]
fn nothing_is_set_before_there_is_a_session() {
    let mode = AgentSettings::set_mode(None, "plan");
    assert!(notice(&mode).contains("once the session is open"));
    let option = AgentSettings::set_option(None, "effort", "high");
    assert!(notice(&option).contains("once the session is open"));
}

#[test]
fn what_the_agent_does_not_have_is_named_with_what_it_has() {
    let session = session();
    let value = AgentSettings::set_option(Some(&session), "effort", "huge");
    assert!(
        notice(&value).contains("valid values: low, high"),
        "{}",
        notice(&value)
    );
    let option = AgentSettings::set_option(Some(&session), "speed", "high");
    assert!(
        notice(&option).contains("effort, web"),
        "{}",
        notice(&option)
    );
}

#[test]
fn a_change_is_a_request_and_its_answer_is_told_once() {
    let mut session = session();
    let mut settings = AgentSettings::default();
    assert!(settings.tell(Some(&session)).is_some());
    let effects = AgentSettings::set_option(Some(&session), "effort", "high");
    let [Effect::Request(method, params, Tag::Set(setting))] = &effects[..] else {
        panic!("one request");
    };
    assert_eq!(*method, "session/set_config_option");
    assert_eq!(
        (&params["configId"], &params["value"]),
        (&json!("effort"), &json!("high"))
    );
    let answer = result(json!({"configOptions": [{
        "id": "effort", "name": "Effort", "type": "select", "currentValue": "high",
        "options": [{"value": "low", "name": "Low"}, {"value": "high", "name": "High"}],
    }]}));
    let told = settings.answered(Some(&mut session), true, setting, &answer);
    assert!(matches!(&told[..], [Effect::Emit(_)]));
    assert!(settings.tell(Some(&session)).is_none(), "nothing is new");
}

#[test]
fn a_change_that_the_agent_refuses_is_told_with_its_reason() {
    let mut session = session();
    let mut settings = AgentSettings::default();
    settings.tell(Some(&session));
    let setting = Setting::Mode("plan".to_owned());
    let error = Err(RpcError::new(-32602, "not now"));
    let told = settings.answered(Some(&mut session), true, &setting, &error);
    assert!(notice(&told).contains("not now"), "{}", notice(&told));
}

#[test]
fn a_mode_that_a_person_has_set_must_be_there_and_the_usual_one_need_not() {
    let modes = acp::options::Modes::read(
        &json!({"modes": {"currentModeId": "ask", "availableModes": [
            {"id": "ask", "name": "Ask"}, {"id": "plan", "name": "Plan"},
        ]}}),
    );
    let mut session = session();
    session.take_over(modes, None);
    let first = |set, usual| FirstSettings::of(&session, set, usual, &BTreeMap::new());
    let plan = first(Some("plan"), Some("dance")).expect("there is one");
    assert_eq!(plan.mode_change, Some(Setting::Mode("plan".to_owned())));
    assert_eq!(plan.mode.as_deref(), Some("plan"));
    let usual = first(None, Some("dance")).expect("it goes without");
    assert_eq!(
        (usual.mode.as_deref(), usual.mode_change),
        (Some("dance"), None)
    );
    let (text, hint) = first(Some("dance"), Some("plan")).expect_err("it was set");
    assert_eq!(text, "the agent has no mode `dance`");
    assert!(hint.is_some_and(|hint| hint.contains("plan")));
}

#[test]
fn a_mode_whose_id_is_an_address_may_be_called_by_its_end() {
    let modes = acp::options::Modes::read(
        &json!({"modes": {"currentModeId": "https://a.example/modes#agent", "availableModes": [
            {"id": "https://a.example/modes#agent", "name": "Agent"},
            {"id": "https://a.example/modes#plan", "name": "Plan"},
            {"id": "https://a.example/two#twice", "name": "Twice"},
            {"id": "https://a.example/three#twice", "name": "Twice"},
            {"id": "a/plain", "name": "No address"},
        ]}}),
    );
    let mut session = session();
    session.take_over(modes, None);
    let first = |set| FirstSettings::of(&session, Some(set), None, &BTreeMap::new());
    let id = "https://a.example/modes#plan".to_owned();
    for called in ["plan", &id] {
        let plan = first(called).expect("there is one");
        assert_eq!(plan.mode_change, Some(Setting::Mode(id.clone())));
        assert_eq!(plan.mode.as_ref(), Some(&id), "{called}");
    }
    for called in ["twice", "plain", "modes#plan", ""] {
        let (_, hint) = first(called).expect_err(called);
        let hint = hint.expect("the modes");
        assert_eq!(
            hint,
            "its modes are: agent, plan, https://a.example/two#twice, \
             https://a.example/three#twice, a/plain"
        );
    }
}

#[test]
fn options_of_the_start_are_all_there_or_the_session_does_not_begin() {
    let set = |option: &str, value: &str| (option.to_owned(), value.to_owned());
    let of = |options: [_; 2]| FirstSettings::of(&session(), None, None, &BTreeMap::from(options));
    let two = of([set("effort", "high"), set("web", "on")]).expect("both are there");
    assert_eq!((two.options.len(), two.mode), (2, None));
    let (text, hint) = of([set("effort", "high"), set("web", "maybe")]).expect_err("one is not");
    assert!(
        text.contains("`web` cannot be `maybe`") && hint.is_none(),
        "{text}"
    );
}
