//! The results of calls of our own tools, as events report them and as the agent is answered. Plain data: it knows no
//! session.

use serde_json::Value;
use siderail_guard::Tool;
use siderail_guard::guidance::NameForm;
use siderail_mcp::CallResult;

use crate::event::{EventBody, OwnToolStatus, OwnToolView};
use crate::host::{HostReply, ToolErrorCode, ToolFailure, ToolOutcome};
use crate::session::effect::Effect;
use crate::session::host_calls::MIXED_UP;
use crate::session::own_calls::call::fail;
use crate::views::{capped, text_of};

/// Text of a result that an event carries at most.
const EVENT_TEXT: usize = 2_000;

/// What the host made of a call.
pub(super) fn of(reply: HostReply) -> Result<ToolOutcome, ToolFailure> {
    match reply {
        HostReply::Tool(outcome) => Ok(outcome),
        HostReply::Failed(failure) => Err(failure),
        HostReply::Text { .. }
        | HostReply::Written { .. }
        | HostReply::Done
        | HostReply::Documents(_) => Err(fail(ToolErrorCode::InternalError, MIXED_UP.to_owned())),
    }
}

/// A call begins: what it is about.
pub(super) fn started(call: u64, tool: Tool, arguments: &Value) -> Effect {
    let mut named = ["command", "path", "question"].iter();
    let named = named.find_map(|name| text_of(arguments, name));
    let shown = crate::tools::for_people(tool, arguments);
    let what = shown.as_deref().or(named).unwrap_or_default();
    told(call, tool, OwnToolStatus::Started, what, None)
}

/// What the agent is answered where a call is not carried out.
pub(super) fn refused(code: ToolErrorCode, text: &str) -> CallResult {
    CallResult {
        text: fail(code, text.to_owned()).to_string(),
        is_error: true,
    }
}

/// The same while nothing is begun for it any more.
pub(in crate::session) fn session_ends() -> CallResult {
    refused(ToolErrorCode::Cancelled, "the session is ending")
}

/// A call by a name that none of our tools has. The server rejects such calls before.
pub(in crate::session) fn not_ours(name: &str) -> CallResult {
    let text = format!("{name} is not available here");
    refused(ToolErrorCode::NotApplicable, &text)
}

/// A call was denied before it began.
pub(super) fn denied(call: u64, tool: Tool, text: &str) -> Effect {
    told(call, tool, OwnToolStatus::Denied, text, None)
}

/// A call has ended: what is reported of it, and what the agent is answered. `names`: the agent's names of our tools.
pub(super) fn ended(
    call: u64,
    tool: Tool,
    outcome: Result<ToolOutcome, ToolFailure>,
    names: &NameForm,
) -> (Vec<Effect>, CallResult) {
    match outcome {
        Ok(done) => {
            let event = told(
                call,
                tool,
                OwnToolStatus::Completed,
                &done.text,
                Some(&done),
            );
            // What a tool says of itself, it says by the name that the model knows.
            let text = match names.offered_as(tool) == tool.name() {
                true => done.text,
                false => names.in_text(done.text),
            };
            let is_error = false;
            let effects = vec![Effect::Wrote(done.files_written), event];
            (effects, CallResult { text, is_error })
        }
        Err(failed) => {
            let status = match failed.code {
                ToolErrorCode::Denied => OwnToolStatus::Denied,
                ToolErrorCode::Cancelled => OwnToolStatus::Cancelled,
                _ => OwnToolStatus::Failed,
            };
            let (text, is_error) = (failed.to_string(), true);
            let event = told(call, tool, status, &text, None);
            (vec![event], CallResult { text, is_error })
        }
    }
}

/// A call that was given up has been answered all the same. What it had done by then is done, and counts.
pub(super) fn given_up(call: u64, tool: Tool, reply: &HostReply) -> Vec<Effect> {
    match reply {
        HostReply::Tool(done) if !done.files_written.is_empty() => {
            let text = "the call was cancelled, but it had already been done";
            let event = told(call, tool, OwnToolStatus::Completed, text, Some(done));
            vec![Effect::Wrote(done.files_written.clone()), event]
        }
        _ => Vec::new(),
    }
}

/// A result behind what the model has to read first.
pub(super) fn behind(notices: &[String], mut result: CallResult) -> CallResult {
    if !notices.is_empty() {
        result.text = format!("{}\n\n{}", notices.join("\n"), result.text);
    }
    result
}

fn told(
    call: u64,
    tool: Tool,
    status: OwnToolStatus,
    text: &str,
    done: Option<&ToolOutcome>,
) -> Effect {
    Effect::emit(EventBody::OwnTool(OwnToolView {
        call,
        tool: tool.into(),
        status,
        text: capped(text, EVENT_TEXT),
        paths: done.map(|d| d.files_written.clone()).unwrap_or_default(),
        diff: done.and_then(|d| d.diff.clone()),
        exit_code: done.and_then(|d| d.exit_code).map(i64::from),
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names() -> NameForm {
        NameForm::new("ide-{tool}", "ide")
    }

    fn done(text: &str) -> ToolOutcome {
        ToolOutcome {
            text: text.to_owned(),
            files_written: vec!["a.rs".to_owned()],
            ..ToolOutcome::default()
        }
    }

    /// The last of the effects, which reports the call.
    fn view(mut effects: Vec<Effect>) -> OwnToolView {
        match effects.pop() {
            Some(Effect::Emit(body)) => match *body {
                EventBody::OwnTool(view) => view,
                _ => panic!("of the call"),
            },
            _ => panic!("an event"),
        }
    }

    #[test]
    fn a_call_begins_with_what_it_is_about() {
        let text = |tool, arguments| view(vec![started(1, tool, &arguments)]).text;
        let command = json!({"command": "make", "path": "a.rs"});
        assert_eq!(text(Tool::RunCommand, command), "make");
        let question = json!({"question": "Which colour?", "options": ["red"]});
        assert_eq!(text(Tool::AskUser, question), "Which colour?");
    }

    #[test]
    fn what_a_call_has_written_counts_and_is_told() {
        let (effects, result) = ended(7, Tool::WriteFile, Ok(done("+x")), &names());
        assert!(matches!(&effects[0], Effect::Wrote(files) if files == &["a.rs"]));
        let view = view(effects);
        assert_eq!((view.call, view.status), (7, OwnToolStatus::Completed));
        assert_eq!(view.paths, ["a.rs"]);
        assert!(result.text == "+x" && !result.is_error);
    }

    #[test]
    fn a_failure_is_an_error_for_the_agent_and_told_by_its_kind() {
        let statuses = [
            (ToolErrorCode::Denied, OwnToolStatus::Denied),
            (ToolErrorCode::Cancelled, OwnToolStatus::Cancelled),
            (ToolErrorCode::Timeout, OwnToolStatus::Failed),
        ];
        for (code, status) in statuses {
            let failed = Err(fail(code, "no".to_owned()));
            let (effects, result) = ended(7, Tool::MoveFile, failed, &names());
            assert_eq!(view(effects).status, status);
            assert!(result.is_error && result.text.ends_with("no"));
        }
    }

    #[test]
    fn a_call_that_comes_too_late_is_refused_as_cancelled() {
        let code = ToolErrorCode::Cancelled;
        assert_eq!(session_ends(), refused(code, "the session is ending"));
        assert!(session_ends().is_error);
    }

    #[test]
    fn a_name_that_is_not_ours_is_refused_by_that_name() {
        let expected = refused(ToolErrorCode::NotApplicable, "rm is not available here");
        assert_eq!(not_ours("rm"), expected);
    }

    #[test]
    fn the_model_reads_a_tool_by_its_name_for_it_and_people_by_ours() {
        let renamed = [(Tool::RunTests, "ide_run_tests".to_owned())];
        let names = names().renaming(renamed);
        let text = "call run_tests again";
        let (effects, result) = ended(7, Tool::RunTests, Ok(done(text)), &names);
        assert_eq!(view(effects).text, text);
        assert_eq!(result.text, "call ide_run_tests again");
    }

    #[test]
    fn a_call_that_was_given_up_counts_only_where_it_has_written() {
        let late = view(given_up(7, Tool::MoveFile, &HostReply::Tool(done("moved"))));
        assert_eq!(
            (late.status, late.paths),
            (OwnToolStatus::Completed, vec!["a.rs".to_owned()])
        );
        let read = ToolOutcome::default();
        assert!(given_up(7, Tool::ReadFile, &HostReply::Tool(read)).is_empty());
        assert!(given_up(7, Tool::MoveFile, &HostReply::Done).is_empty());
    }

    #[test]
    fn an_answer_that_is_none_to_a_call_fails_it() {
        let mixed_up = of(HostReply::Text {
            text: String::new(),
        });
        assert_eq!(
            mixed_up.map_err(|failed| failed.code),
            Err(ToolErrorCode::InternalError)
        );
    }

    #[test]
    fn notices_stand_ahead_of_a_result_and_nothing_does_where_there_are_none() {
        let result = || CallResult {
            text: "done".to_owned(),
            is_error: false,
        };
        let notices = ["one".to_owned(), "two".to_owned()];
        assert_eq!(behind(&notices, result()).text, "one\ntwo\n\ndone");
        assert_eq!(behind(&[], result()).text, "done");
    }
}
