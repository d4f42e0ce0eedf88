//! File requests alone: what the agent is answered, and what counts as written.

use std::path::{Path, PathBuf};

use super::*;
use crate::host::ToolFailure;
use serde_json::Value;

const MISSING: ToolErrorCode = ToolErrorCode::FileNotFound;

fn id(number: u64) -> RequestId {
    RequestId::from_u64(number)
}

fn file(name: &str) -> Confined {
    Confined {
        absolute: PathBuf::from(format!("/p/{name}")),
        relative: name.to_owned(),
        exists: true,
    }
}

fn read() -> FsAccess {
    FsAccess::Read {
        line: Some(2),
        limit: Some(u64::MAX),
    }
}

fn write() -> FsAccess {
    let content = "new".to_owned();
    FsAccess::Write { content }
}

/// Open requests with the numbers of their calls.
fn open(accesses: impl IntoIterator<Item = (u64, FsAccess)>) -> FileRequests {
    let mut requests = FileRequests::default();
    for (call, access) in accesses {
        requests.begin(call, id(call), file("a"), access);
    }
    requests
}

/// What the agent is answered, or the code of the error.
fn answered(access: FsAccess, reply: &HostReply, missing_is_empty: bool) -> Result<Value, i64> {
    let mut effects = open([(7, access)]).replied(7, reply, missing_is_empty);
    match effects.pop() {
        Some(Effect::Answer(to, answer)) if to == id(7) => Ok(answer),
        Some(Effect::Refuse(to, error)) if to == id(7) => Err(error.code),
        _ => panic!("every request is answered"),
    }
}

fn failed(code: ToolErrorCode) -> HostReply {
    let text = "no".to_owned();
    HostReply::Failed(ToolFailure { code, text })
}

#[test]
fn the_host_is_asked_for_what_the_agent_wants() {
    let mut requests = FileRequests::default();
    let asked = requests.begin(7, id(1), file("a"), read());
    let Effect::Call(7, HostRequest::ReadText { path, line, limit }, Waiting::File) = asked else {
        panic!("a read");
    };
    assert_eq!((path.as_path(), line), (Path::new("/p/a"), Some(2)));
    assert_eq!(
        limit, None,
        "more lines than can be counted are all of them"
    );
    let asked = requests.begin(8, id(2), file("b"), write());
    let Effect::Call(8, HostRequest::WriteText { content, exact, .. }, Waiting::File) = asked
    else {
        panic!("a write");
    };
    assert!(content == "new" && !exact, "it may be formatted");
}

#[test]
fn each_answer_of_the_host_is_one_for_the_agent() {
    let text = HostReply::Text {
        text: "old".to_owned(),
    };
    assert_eq!(
        answered(read(), &text, false),
        Ok(json!({"content": "old"}))
    );
    let written = HostReply::Written { diff: None };
    assert_eq!(answered(write(), &written, false), Ok(json!({})));
    let busy = failed(ToolErrorCode::ModalBlocking);
    assert_eq!(answered(write(), &busy, false), Err(codes::INTERNAL_ERROR));
    let mixed_up = HostReply::Done;
    assert_eq!(
        answered(read(), &mixed_up, false),
        Err(codes::INTERNAL_ERROR)
    );
}

#[test]
fn a_missing_file_is_empty_only_for_who_reads_and_only_where_the_agent_has_it_so() {
    let missing = failed(MISSING);
    assert_eq!(answered(read(), &missing, true), Ok(json!({"content": ""})));
    assert_eq!(
        answered(read(), &missing, false),
        Err(codes::RESOURCE_NOT_FOUND)
    );
    assert_eq!(
        answered(write(), &missing, true),
        Err(codes::RESOURCE_NOT_FOUND)
    );
}

#[test]
fn what_was_written_counts_even_where_the_agent_has_taken_the_request_back() {
    let mut requests = open([(7, write()), (8, read())]);
    let stopped = requests.withdraw(Some(&id(7)));
    assert!(matches!(stopped[..], [Effect::StopCall(7)]));
    assert!(requests.writes(), "the host has not said what it did");
    let told = requests.replied(7, &HostReply::Written { diff: None }, false);
    assert!(matches!(&told[..], [Effect::Wrote(files), Effect::Answer(..)] if files == &["a"]));
    assert!(!requests.writes(), "a read changes nothing");
    assert!(
        requests.replied(7, &HostReply::Done, false).is_empty(),
        "nothing is answered twice"
    );
}

#[test]
fn at_the_end_the_host_is_to_stop_all_of_it() {
    let requests = open([(7, write()), (8, read())]);
    let stopped = requests.withdraw(None);
    assert!(matches!(
        stopped[..],
        [Effect::StopCall(7), Effect::StopCall(8)]
    ));
    assert_eq!(requests.calls().collect::<Vec<_>>(), [7, 8]);
}
