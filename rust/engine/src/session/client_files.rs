//! The agent's requests for files (`fs/*`): confined to the project, carried out by the host.
//!
//! Agents that edit through the client do so after a permission request. A write that nobody was asked
//! about is decided here like any other built-in edit, and a refusal carries the guidance as its error.

use std::path::PathBuf;

use serde_json::json;
use siderail_acp::client_request::{FsAccess, FsRequest};
use siderail_acp::wire::{RequestId, RpcError, codes};

use crate::host::{HostCall, HostReply, HostRequest, ToolErrorCode};
use crate::session::Session;
use crate::session::client_methods::OpenFile;
use crate::session::permissions::unasked::Unasked;
use crate::shared::Shared;
use siderail_guard::decision::Verdict;

impl Session {
    /// The agent reads or writes a file through us.
    pub(in crate::session) fn file_request(&mut self, request: FsRequest, shared: &mut Shared) {
        let FsRequest {
            id,
            session_id,
            path: given,
            access,
            ..
        } = request;
        if self.is_foreign(&session_id, "a file request", shared) {
            let error = no_such_session(&session_id);
            let line = self.wire.connection.answer_error(&id, &error);
            return self.send_some(line, shared);
        }
        if self.turn.cancelling.is_some() || self.is_closing() {
            let line = self.wire.connection.answer_cancelled(&id);
            return self.send_some(line, shared);
        }
        let path = match self.place.confinement.resolve(&given) {
            Ok(found) => found.absolute,
            Err(outside) => {
                let text = format!("{given} cannot be used here: {outside}");
                return self.refuse_file(&id, codes::INVALID_PARAMS, &text, shared);
            }
        };
        match access {
            FsAccess::Read { line, limit } => {
                if let Some(reason) = self.read_refused(&path, shared) {
                    return self.refuse_with_reason(&id, &reason, shared);
                }
                let line = line.and_then(|n| u32::try_from(n).ok());
                let limit = limit.and_then(|n| u32::try_from(n).ok());
                let request = HostRequest::ReadText {
                    path: path.clone(),
                    line,
                    limit,
                };
                self.start_file(
                    OpenFile {
                        id,
                        path,
                        writes: false,
                    },
                    request,
                    shared,
                );
            }
            FsAccess::Write { content } => {
                if let Some(reason) = self.write_refused(&path, shared) {
                    return self.refuse_with_reason(&id, &reason, shared);
                }
                let request = HostRequest::WriteText {
                    path: path.clone(),
                    content,
                    exact: false,
                };
                self.start_file(
                    OpenFile {
                        id,
                        path,
                        writes: true,
                    },
                    request,
                    shared,
                );
            }
        }
    }

    /// Why this read may not be: where our own tool would ask a person, an agent has to have asked before.
    fn read_refused(&mut self, path: &PathBuf, shared: &mut Shared) -> Option<String> {
        let shown = path.display().to_string();
        let asks = self.gate("intellij_read_file", &json!({"path": shown}), shared);
        if asks.verdict == Verdict::Allow || self.turn.approved_paths.contains(path) {
            return None;
        }
        let call = json!({
            "name": "fs/read_text_file",
            "kind": "read",
            "rawInput": {"path": shown},
        });
        self.refused_read(&call, asks, shared)
    }

    /// The guidance, if this write may not be: nobody allowed it and the policy redirects it.
    fn write_refused(&mut self, path: &PathBuf, shared: &mut Shared) -> Option<String> {
        if let Some(text) = self.refused_write(path, shared) {
            return Some(text);
        }
        if self.turn.approved_paths.contains(path) {
            return None;
        }
        let call = json!({
            "name": "fs/write_text_file",
            "kind": "edit",
            "rawInput": {"path": path.display().to_string()},
        });
        self.refused_unasked(&call, Unasked::Write, shared)
    }

    fn start_file(&mut self, open: OpenFile, request: HostRequest, shared: &mut Shared) {
        if open.writes {
            self.carried.changes.note(&open.path);
        }
        let call = shared.call_number();
        self.client_methods.open_files.insert(call, open);
        let project = self.root().to_owned();
        shared.start(HostCall {
            call,
            session: self.number,
            project,
            request,
        });
    }

    pub(in crate::session) fn refuse_file(
        &mut self,
        id: &RequestId,
        code: i64,
        text: &str,
        shared: &mut Shared,
    ) {
        let line = self
            .wire
            .connection
            .answer_error(id, &RpcError::new(code, text));
        self.send_some(line, shared);
    }

    /// Refuses in the form in which this agent's model gets to read the reason.
    pub(in crate::session) fn refuse_with_reason(
        &mut self,
        id: &RequestId,
        reason: &str,
        shared: &mut Shared,
    ) {
        if self
            .facts
            .profile
            .refusal
            .as_ref()
            .is_some_and(|refusal| refusal.bare_text)
        {
            let line = self.wire.connection.answer_error_text(id, reason);
            return self.send_some(line, shared);
        }
        self.refuse_file(id, codes::INTERNAL_ERROR, reason, shared);
    }

    /// Nobody waits for this file any more.
    pub(in crate::session) fn forget_file(&self, id: &RequestId, shared: &Shared) {
        for (call, _) in self
            .client_methods
            .open_files
            .iter()
            .filter(|(_, open)| open.id == *id)
        {
            shared.host.cancel(*call);
        }
    }

    /// The host's answer to a file request; false when the call was none.
    pub(in crate::session) fn file_replied(
        &mut self,
        call: u64,
        reply: &HostReply,
        shared: &mut Shared,
    ) -> bool {
        let Some(open) = self.client_methods.open_files.remove(&call) else {
            return false;
        };
        match reply {
            HostReply::Text { text } => {
                let line = self
                    .wire
                    .connection
                    .answer(&open.id, &json!({"content": text}));
                self.send_some(line, shared);
            }
            HostReply::Written { .. } => {
                if let Some(file) = self.place.confinement.relative(&open.path)
                    && !self.carried.files_written.contains(&file)
                {
                    self.carried.files_written.push(file);
                }
                let line = self.wire.connection.answer(&open.id, &json!({}));
                self.send_some(line, shared);
            }
            HostReply::Failed(failure)
                if failure.code == ToolErrorCode::FileNotFound
                    && !open.writes
                    && self.facts.profile.missing_file_is_empty =>
            {
                let line = self
                    .wire
                    .connection
                    .answer(&open.id, &json!({"content": ""}));
                self.send_some(line, shared);
            }
            HostReply::Failed(failure) => {
                let code = match failure.code {
                    ToolErrorCode::FileNotFound => codes::RESOURCE_NOT_FOUND,
                    _ => codes::INTERNAL_ERROR,
                };
                self.refuse_file(&open.id, code, &failure.to_string(), shared);
            }
            HostReply::Tool(_) | HostReply::Done => {
                let text = "the host mixed up its answers";
                self.refuse_file(&open.id, codes::INTERNAL_ERROR, text, shared);
            }
        }
        self.write_settled(shared);
        true
    }
}

/// The answer to a request that names a session which is not open here.
pub(in crate::session) fn no_such_session(session_id: &str) -> RpcError {
    let text = format!("there is no session `{session_id}` here; nothing was done");
    RpcError::new(codes::INVALID_PARAMS, text)
}
