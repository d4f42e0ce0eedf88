//! The agent's file requests that the host has not answered: what to ask the host, and what to answer the agent then.
//! It knows no session and no policy.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::json;
use siderail_acp::client_request::FsAccess;
use siderail_acp::wire::{RequestId, RpcError, codes};

use crate::confine::Confined;
use crate::host::{HostReply, HostRequest, ToolErrorCode};
use crate::session::effect::Effect;
use crate::session::host_calls::{MIXED_UP, Waiting};

/// The requests, by the number of the host's call.
#[derive(Default)]
pub(in crate::session) struct FileRequests(BTreeMap<u64, FileRequest>);

/// A file that the host reads or writes for the agent.
struct FileRequest {
    id: RequestId,
    /// As it is shown, relative to the project's folder.
    name: String,
    writes: bool,
}

impl FileRequests {
    /// The host is to read or write this file.
    pub(in crate::session) fn begin(
        &mut self,
        call: u64,
        id: RequestId,
        file: Confined,
        access: FsAccess,
    ) -> Effect {
        let path = file.absolute;
        let begun = FileRequest {
            id,
            name: file.relative,
            writes: matches!(access, FsAccess::Write { .. }),
        };
        self.0.insert(call, begun);
        let request = match access {
            FsAccess::Read { line, limit } => HostRequest::ReadText {
                path,
                line: line.and_then(|n| u32::try_from(n).ok()),
                limit: limit.and_then(|n| u32::try_from(n).ok()),
            },
            FsAccess::Write { content } => HostRequest::WriteText {
                path,
                content,
                exact: false,
            },
        };
        Effect::Call(call, request, Waiting::File)
    }

    /// The host's answer. `missing_is_empty`: the agent reads a file that is not there as an empty one.
    pub(in crate::session) fn replied(
        &mut self,
        call: u64,
        reply: &HostReply,
        missing_is_empty: bool,
    ) -> Vec<Effect> {
        let Some(file) = self.0.remove(&call) else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        if let HostReply::Written { .. } = reply {
            effects.push(Effect::Wrote(vec![file.name.clone()]));
        }
        effects.push(file.answer(reply, missing_is_empty));
        effects
    }

    /// The agent takes a request back, or (none) waits for no file any more. What the host has done by then counts.
    pub(in crate::session) fn withdraw(&self, id: Option<&RequestId>) -> Vec<Effect> {
        let all = self.0.iter();
        let withdrawn = all.filter(|(_, file)| id.is_none_or(|id| file.id == *id));
        withdrawn.map(|(call, _)| Effect::StopCall(*call)).collect()
    }

    /// Whether a file is being written.
    pub(in crate::session) fn writes(&self) -> bool {
        self.0.values().any(|file| file.writes)
    }

    /// The host's calls.
    pub(in crate::session) fn calls(&self) -> impl Iterator<Item = u64> {
        self.0.keys().copied()
    }
}

impl FileRequest {
    fn answer(self, reply: &HostReply, missing_is_empty: bool) -> Effect {
        let (code, text) = match reply {
            HostReply::Text { text } => return Effect::Answer(self.id, json!({"content": text})),
            HostReply::Written { .. } => return Effect::Answer(self.id, json!({})),
            HostReply::Failed(failure) if failure.code == ToolErrorCode::FileNotFound => {
                if missing_is_empty && !self.writes {
                    return Effect::Answer(self.id, json!({"content": ""}));
                }
                (codes::RESOURCE_NOT_FOUND, failure.to_string())
            }
            HostReply::Failed(failure) => (codes::INTERNAL_ERROR, failure.to_string()),
            HostReply::Tool(_) | HostReply::Done | HostReply::Documents(_) => {
                (codes::INTERNAL_ERROR, MIXED_UP.to_owned())
            }
        };
        Effect::Refuse(self.id, RpcError::new(code, text))
    }
}
