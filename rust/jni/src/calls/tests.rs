//! That every call is answered once, whoever fails to.

use super::*;
use siderail_engine::guard::Tool;
use siderail_hosts::QuestionKind;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

fn call(number: u64, bytes: usize) -> HostCall {
    HostCall {
        call: number,
        session: 1,
        project: "/p".into(),
        roots: Vec::new(),
        request: HostRequest::WriteText {
            path: "/p/a".into(),
            content: "x".repeat(bytes),
            exact: false,
        },
    }
}

type Answers = Receiver<(u64, HostReply)>;

fn calls(limit: Option<Duration>) -> (Arc<Calls>, Answers) {
    let (sender, answers) = channel();
    let answering = move |call, reply| drop(sender.send((call, reply)));
    (Calls::new(Handle::current(), limit, answering), answers)
}

/// Numbers and codes of what was answered by now.
fn answered(answers: &Answers) -> Vec<(u64, Option<ToolErrorCode>)> {
    let code = |reply| match reply {
        HostReply::Failed(failure) => Some(failure.code),
        _ => None,
    };
    let answers = answers.try_iter();
    answers.map(|(call, reply)| (call, code(reply))).collect()
}

#[tokio::test]
async fn calls_are_handed_over_in_order_and_answered_once() {
    let (calls, answers) = calls(None);
    calls.start(&call(1, 0));
    calls.start(&call(2, 0));
    for number in [1, 2] {
        assert!(matches!(calls.next(), Some(Handover::Start(n, _)) if n == number));
    }
    let reply = || HostReply::Written { diff: None };
    for number in [2, 1, 2, 9] {
        calls.complete(number, reply());
    }
    assert_eq!(answered(&answers), [(2, None), (1, None)]);
}

#[tokio::test]
async fn a_call_that_is_withdrawn_in_time_is_never_started() {
    let (calls, answers) = calls(None);
    calls.start(&call(1, 0));
    calls.start(&call(2, 0));
    calls.cancel(1);
    assert!(matches!(calls.next(), Some(Handover::Start(2, _))));
    calls.cancel(2);
    assert_eq!(calls.next(), Some(Handover::Cancel(2)));
    assert_eq!(answered(&answers), [(1, Some(ToolErrorCode::Cancelled))]);
    calls.complete(2, HostReply::Written { diff: None });
    let became = answered(&answers);
    assert_eq!(became, [(2, None)], "it was too late, which is said");
}

#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_is_a_timeout_and_the_embedder_is_told() {
    let (calls, answers) = calls(None);
    calls.start(&call(1, 0));
    assert!(matches!(calls.next(), Some(Handover::Start(1, _))));
    tokio::time::sleep(LIMIT - Duration::from_secs(1)).await;
    assert_eq!(answered(&answers), []);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(answered(&answers), [(1, Some(ToolErrorCode::Timeout))]);
    assert_eq!(calls.next(), Some(Handover::Cancel(1)));
}

#[tokio::test(start_paused = true)]
async fn calls_that_come_later_have_their_limits_too() {
    let (calls, answers) = calls(None);
    let second = Duration::from_secs(1);
    calls.start(&call(1, 0));
    calls.complete(1, HostReply::Written { diff: None });
    tokio::time::sleep(2 * LIMIT + second).await;
    assert_eq!(answered(&answers), [(1, None)]);
    // Nobody looks by now. The second has more time than the third, which comes when its time is known.
    calls.start(&HostCall {
        request: HostRequest::Tool {
            tool: Tool::RunTests,
            arguments: serde_json::json!({}),
        },
        ..call(2, 0)
    });
    tokio::time::sleep(5 * second).await;
    calls.start(&call(3, 0));
    tokio::time::sleep(LIMIT - second).await;
    assert_eq!(answered(&answers), []);
    tokio::time::sleep(2 * second).await;
    assert_eq!(answered(&answers), [(3, Some(ToolErrorCode::Timeout))]);
    tokio::time::sleep(RUN_LIMIT).await;
    assert_eq!(answered(&answers), [(2, Some(ToolErrorCode::Timeout))]);
}

#[tokio::test(start_paused = true)]
async fn tests_of_a_project_have_more_time_and_people_have_all_day() {
    let (calls, answers) = calls(None);
    let tool = |tool: Tool| HostRequest::Tool {
        tool,
        arguments: serde_json::Value::Null,
    };
    for (number, name) in [(1, Tool::RunTests), (2, Tool::SearchText)] {
        calls.start(&HostCall {
            request: tool(name),
            ..call(number, 0)
        });
    }
    calls.start(&HostCall {
        request: HostRequest::Documents(DocumentRequest::AskPerson {
            kind: QuestionKind::Input,
            text: "Port?".to_owned(),
            options: Vec::new(),
            default: None,
            required: true,
        }),
        ..call(3, 0)
    });
    let started = Instant::now();
    tokio::time::sleep(LIMIT * 2).await;
    assert_eq!(answered(&answers), [(2, Some(ToolErrorCode::Timeout))]);
    tokio::time::sleep(RUN_LIMIT).await;
    assert_eq!(answered(&answers), [(1, Some(ToolErrorCode::Timeout))]);
    assert!(
        started.elapsed() < Duration::from_secs(60),
        "on a paused clock"
    );
}

#[tokio::test]
async fn what_finds_no_room_is_refused_and_not_kept() {
    let (calls, answers) = calls(None);
    let refused = Some(ToolErrorCode::InternalError);
    calls.start(&call(1, MOST_BYTES + 1));
    assert_eq!(answered(&answers), [], "a single large one has room");
    calls.start(&call(2, 10));
    assert_eq!(answered(&answers), [(2, refused)]);
    calls.next();
    for number in 0..=MOST as u64 {
        calls.start(&call(number + 10, 1));
    }
    assert_eq!(answered(&answers), [(MOST as u64 + 10, refused)]);
    calls.close();
    assert_eq!(calls.next(), None, "nothing is handed over after the end");
    calls.start(&call(5, 1));
    assert_eq!(answered(&answers), [(5, refused)]);
}
