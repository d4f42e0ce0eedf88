//! The agent's requests for files (`fs/*`): confined to the project, carried out by the host.
//!
//! Agents that edit through the client do so after a permission request. A write that nobody was asked
//! about is decided here like any other built-in edit, and a refusal carries the guidance as its error.

use std::path::PathBuf;

use serde_json::json;
use siderail_acp::client_request::{FsAccess, FsRequest};
use siderail_acp::wire::{RequestId, RpcError, codes};

use crate::host::{HostReply, HostRequest, ToolErrorCode};
use crate::session::Session;
use crate::session::effect::Effect;
use crate::session::host_calls::{MIXED_UP, OpenFile, Waiting};
use crate::session::permissions::judge::{Judge, Judged};
use crate::session::permissions::unasked::Unasked;
use crate::shared::Shared;
use siderail_guard::decision::Verdict;

/// A file that an agent wants to read or write through us.
struct File {
    path: PathBuf,
    /// What a question about it would be; none where nobody would be asked.
    judged: Option<Judged>,
}

impl Judge {
    /// Where such a file lies, and what the guard says of the wish; the error says why it cannot be had.
    fn file(&self, given: &str, access: &FsAccess) -> Result<File, String> {
        let found = self.resolve(given);
        let path = found
            .map_err(|outside| format!("{given} cannot be used here: {outside}"))?
            .absolute;
        let shown = path.display().to_string();
        let judged = match access {
            FsAccess::Read { .. } => {
                let asks = self.gate("intellij_read_file", &json!({"path": shown}));
                let call = json!({
                    "name": "fs/read_text_file",
                    "kind": "read",
                    "rawInput": {"path": shown},
                });
                (asks.verdict != Verdict::Allow).then(|| self.unasked_read(&call, asks))
            }
            FsAccess::Write { .. } => {
                let call = json!({
                    "name": "fs/write_text_file",
                    "kind": "edit",
                    "rawInput": {"path": shown},
                });
                Some(self.unasked(&call, Unasked::Write))
            }
        };
        Ok(File { path, judged })
    }
}

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
        let judge = self.judge(shared);
        let wish = access.clone();
        self.look_up(
            shared,
            move |sight| judge.with(sight).file(&given, &wish),
            move |session, judged, shared| match judged {
                Ok(file) => session.file_judged(id, access, file, shared),
                Err(text) => session.refuse_file(&id, codes::INVALID_PARAMS, &text, shared),
            },
        );
    }

    /// The file's place is known, and what the guard says of the request.
    fn file_judged(&mut self, id: RequestId, access: FsAccess, file: File, shared: &mut Shared) {
        let path = file.path.clone();
        let reason = match access {
            FsAccess::Read { .. } => self.read_refused(file, shared),
            FsAccess::Write { .. } => self.write_refused(file, shared),
        };
        if let Some(reason) = reason {
            return self.refuse_with_reason(&id, &reason, shared);
        }
        let writes = matches!(access, FsAccess::Write { .. });
        let open = OpenFile {
            id,
            path: path.clone(),
            writes,
        };
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
        self.start_file(open, request, shared);
    }

    /// Why this read may not be: where our own tool would ask a person, an agent has to have asked before.
    fn read_refused(&mut self, file: File, shared: &mut Shared) -> Option<String> {
        let asks = file.judged?;
        if self.turn.approved_paths.contains(&file.path) {
            return None;
        }
        self.settle_read(asks, shared)
    }

    /// The guidance, if this write may not be: nobody allowed it and the policy redirects it.
    fn write_refused(&mut self, file: File, shared: &mut Shared) -> Option<String> {
        let told = self.turn.denials.refused.meet_write(&file.path);
        if let Some(text) = self.refused_with(told, shared) {
            return Some(text);
        }
        if self.turn.approved_paths.contains(&file.path) {
            return None;
        }
        self.settle_unasked(file.judged?, Unasked::Write, shared)
    }

    fn start_file(&mut self, open: OpenFile, request: HostRequest, shared: &mut Shared) {
        let changed = match open.writes {
            true => vec![open.path.clone()],
            false => Vec::new(),
        };
        self.watch(changed, shared, move |session, shared| {
            session.apply(
                [Effect::Call(request, Box::new(Waiting::File(open)))],
                shared,
            );
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
        let files = self.wire.host_calls.files();
        for (call, _) in files.filter(|(_, open)| open.id == *id) {
            shared.host.cancel(call);
        }
    }

    /// The host's answer to a file request.
    pub(in crate::session) fn file_replied(
        &mut self,
        open: &OpenFile,
        reply: &HostReply,
        shared: &mut Shared,
    ) {
        if let HostReply::Written { .. } = reply
            && let Some(file) = self.place.confinement.relative(&open.path)
            && !self.carried.files_written.contains(&file)
        {
            self.carried.files_written.push(file);
        }
        let effect = open.answered(reply, self.facts.profile.missing_file_is_empty);
        self.apply([effect], shared);
        self.write_settled(shared);
    }
}

impl OpenFile {
    /// What the agent is answered once the host has. `missing_is_empty`: it reads a file that is not there as an empty one.
    fn answered(&self, reply: &HostReply, missing_is_empty: bool) -> Effect {
        let refused = |code, text: &str| Effect::Refuse(self.id.clone(), RpcError::new(code, text));
        let is_missing = |code| code == ToolErrorCode::FileNotFound;
        let answer = match reply {
            HostReply::Text { text } => json!({"content": text}),
            HostReply::Written { .. } => json!({}),
            HostReply::Failed(failure)
                if is_missing(failure.code) && !self.writes && missing_is_empty =>
            {
                json!({"content": ""})
            }
            HostReply::Failed(failure) => {
                let code = match is_missing(failure.code) {
                    true => codes::RESOURCE_NOT_FOUND,
                    false => codes::INTERNAL_ERROR,
                };
                return refused(code, &failure.to_string());
            }
            HostReply::Tool(_) | HostReply::Done | HostReply::Documents(_) => {
                return refused(codes::INTERNAL_ERROR, MIXED_UP);
            }
        };
        Effect::Answer(self.id.clone(), answer)
    }
}

/// The answer to a request that names a session which is not open here.
pub(in crate::session) fn no_such_session(session_id: &str) -> RpcError {
    let text = format!("there is no session `{session_id}`; nothing was done");
    RpcError::new(codes::INVALID_PARAMS, text)
}
