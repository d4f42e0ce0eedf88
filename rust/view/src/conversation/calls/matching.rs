//! Which call an event is about. Pure.
//!
//! Agents differ in what they announce, and a hook's request names no call, so what has no id is matched by its command,
//! then by its files, then by its tool, then by being the call of that sort that waits.

use std::path::Path;

use siderail_event::{
    ActionWord, OwnToolView, PermissionApproved, PermissionDenied, PermissionRequest,
    RequestChannel, ToolCallStatus, ToolCallView,
};
use siderail_guard::ActionKind;

use super::super::item::Call;
use super::super::item_words::CallStatus;
use super::known_calls::{Known, KnownCalls};

/// Characters by which guidance is known again.
const TOLD: usize = 60;
/// The project's folder, as a hook's request names it.
const PROJECT: &str = ".";

/// What a permission request, and what comes of it, says of its call.
pub(super) struct Asked<'a> {
    pub(super) request_id: u64,
    pub(super) tool_call_id: Option<&'a str>,
    pub(super) tool: &'a str,
    pub(super) kind: &'a ActionWord,
    pub(super) text: &'a str,
    pub(super) paths: &'a [String],
    /// The gate of our own tools asks.
    pub(super) is_own: bool,
}

impl<'a> From<&'a PermissionRequest> for Asked<'a> {
    fn from(request: &'a PermissionRequest) -> Self {
        Self {
            request_id: request.request_id,
            tool_call_id: request.tool_call_id.as_deref(),
            tool: &request.tool,
            kind: &request.kind,
            text: &request.text,
            paths: &request.paths,
            is_own: request.channel == RequestChannel::Own,
        }
    }
}

impl<'a> From<&'a PermissionDenied> for Asked<'a> {
    fn from(denied: &'a PermissionDenied) -> Self {
        Self {
            request_id: denied.request_id,
            tool_call_id: denied.tool_call_id.as_deref(),
            tool: &denied.tool,
            kind: &denied.kind,
            text: &denied.text,
            paths: &denied.paths,
            is_own: false,
        }
    }
}

impl<'a> From<&'a PermissionApproved> for Asked<'a> {
    fn from(approved: &'a PermissionApproved) -> Self {
        Self {
            request_id: approved.request_id,
            tool_call_id: approved.tool_call_id.as_deref(),
            tool: &approved.tool,
            kind: &approved.kind,
            text: "",
            paths: &[],
            is_own: false,
        }
    }
}

/// The call that the agent reports on.
pub(super) fn announced(calls: &KnownCalls, told: &ToolCallView) -> Option<u64> {
    let by_id = calls.of_call_id(&told.tool_call_id);
    by_id.or_else(|| adopted(calls, told))
}

/// What a call was known as before its announcement: a call at our server, or a denied request. Surely, where its
/// command or the guidance says so, probably by its files, and at last by a failure of the tool that was denied, or of
/// its sort.
fn adopted(calls: &KnownCalls, told: &ToolCallView) -> Option<u64> {
    let may_be = |known: &Known| known.call_ids.is_empty() && known.call.is_own == told.own;
    let kind = &ActionWord::from(&told.kind);
    let is_alike = |known: &Known| {
        let call = &known.call;
        let surely = match (&call.command, known.own_call) {
            (Some(command), _) => told.command.as_ref() == Some(command),
            (None, Some(_)) => call.tool == told.tool,
            (None, None) => repeats_guidance(call, &told.text),
        };
        let is_unnamed = call.command.is_none() && known.own_call.is_none();
        let probably = told.status != ToolCallStatus::Completed
            && (call.kind == *kind || same_sort(&call.kind, kind))
            && same_paths(&call.paths, &told.paths);
        surely || is_unnamed && probably
    };
    let is_denied = |known: &Known| known.call.denial.is_some() && may_be(known);
    let is_tool = |known: &Known| is_denied(known) && known.call.tool == told.tool;
    let is_sort = |known: &Known| {
        let call = &known.call;
        is_denied(known)
            && same_sort(&call.kind, kind)
            && may_be_same_paths(kind, &told.paths, &call.paths)
    };
    let failed = told.status == ToolCallStatus::Failed;
    let found = calls.first(|known| may_be(known) && is_alike(known));
    found
        .or_else(|| calls.first(|known| failed && is_tool(known)))
        .or_else(|| calls.first(|known| failed && is_sort(known)))
        // a hook may call it otherwise than the agent does
        .or_else(|| calls.last(|known| failed && repeats_guidance(&known.call, &told.text)))
}

/// The call that our server reports on.
pub(super) fn at_server(calls: &KnownCalls, told: &OwnToolView) -> Option<u64> {
    let by_number = calls.first(|known| known.own_call == Some(told.call));
    by_number.or_else(|| {
        calls.first(|known| {
            let call = &known.call;
            let may_be = call.is_own || known.call_ids.is_empty();
            let is_open = call.status.is_open() || call.status == CallStatus::Denied;
            known.own_call.is_none() && call.tool == told.tool.as_str() && may_be && is_open
        })
    })
}

/// The call that is asked about.
pub(super) fn asked_about(calls: &KnownCalls, asked: &Asked<'_>) -> Option<u64> {
    // The gate of our own tools asks again for a call that the agent has asked for already.
    let is_open = |known: &Known| {
        let asks_again = asked.is_own && known.call.is_own && known.call.tool == asked.tool;
        known.call.status.is_open() && (known.requests.is_empty() || asks_again)
    };
    let is_tool = |known: &Known| is_open(known) && known.call.tool == asked.tool;
    let is_command =
        |known: &Known| is_open(known) && known.call.command.as_deref() == Some(asked.text);
    let has_files = |known: &Known| {
        is_open(known) && !known.call.is_own && same_paths(&known.call.paths, asked.paths)
    };
    let waits = |known: &Known| {
        let call = &known.call;
        is_open(known)
            && call.status == CallStatus::Pending
            && !call.is_own
            && same_sort(&call.kind, asked.kind)
            && may_be_same_paths(&call.kind, &call.paths, asked.paths)
    };
    match asked.tool_call_id {
        Some(call_id) => calls.of_call_id(call_id),
        None if asked.is_own => calls.first(is_tool),
        None => calls
            .last(is_command)
            .or_else(|| calls.last(has_files))
            .or_else(|| calls.last(is_tool))
            .or_else(|| calls.first(waits)),
    }
}

/// Agents report a denied call as failed, with the reason that they got.
fn repeats_guidance(call: &Call, text: &str) -> bool {
    let guidance = call.denial.as_ref().map(|denial| denial.guidance.as_str());
    let begins: String = guidance.unwrap_or_default().chars().take(TOLD).collect();
    !begins.is_empty() && text.contains(&begins)
}

/// Hooks and agents mistake such kinds for each other: a search may be announced as reading.
fn same_sort(one: &ActionWord, other: &ActionWord) -> bool {
    let (one, other) = (one.action(), other.action());
    one.looks() && other.looks() || one.changes_files() && other.changes_files()
}

/// A search of the whole project is announced with its folder, or with none; not with a file. Only a call that reads or
/// changes files may name one: what has a dot in its name is taken for a file there, and for a folder elsewhere.
fn may_be_same_paths(kind: &ActionWord, of_call: &[String], asked: &[String]) -> bool {
    let kind = kind.action();
    let is_of_files = kind == ActionKind::Read || kind.changes_files();
    let may_be_project = |path: &String| !is_of_files || Path::new(path).extension().is_none();
    let is_whole = asked.is_empty() || asked == [PROJECT];
    of_call.is_empty()
        || is_whole && of_call.iter().all(may_be_project)
        || same_paths(of_call, asked)
}

/// Paths are absolute in one event and relative to the project in another.
fn same_paths(some: &[String], others: &[String]) -> bool {
    let is_below = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|folder| folder.ends_with('/'))
    };
    some.iter().any(|one| {
        others
            .iter()
            .any(|other| one == other || is_below(one, other) || is_below(other, one))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_is_one_sort_and_changing_another_in_our_words_and_in_acps() {
        let sorts = [
            vec![
                "read",
                "search",
                "read_file",
                "list_dir",
                "find_file",
                "search_text",
            ],
            vec!["edit", "delete", "move"],
            vec!["write_file"],
            vec!["execute"],
            vec!["other"],
            vec!["frobnicate"],
            vec![""],
        ];
        for (n, sort) in sorts.iter().enumerate() {
            for (m, others) in sorts.iter().enumerate() {
                for (one, other) in sort.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
                    let is_same = same_sort(&(*one).into(), &(*other).into());
                    assert_eq!(is_same, n == m && n < 2, "{one} {other}");
                }
            }
        }
    }
}
