//! The agent's requests for files (`fs/*`): confined to the project, carried out by the host.
//!
//! Agents that edit through the client do so after a permission request. A write that nobody was asked
//! about is decided here like any other built-in edit, and a refusal carries the guidance as its error. What the host has
//! not answered, the [table] knows.

pub(in crate::session) mod table;

use serde_json::json;
use siderail_acp::client_request::{FsAccess, FsRequest};
use siderail_acp::wire::{RequestId, RpcError, codes};

use crate::confine::Confined;
use crate::host::HostReply;
use crate::session::Session;
use crate::session::effect::Effect;
use crate::session::permissions::judge::{Judge, Judged};
use crate::session::permissions::unasked::Unasked;
use crate::shared::Shared;
use siderail_guard::Tool;
use siderail_guard::decision::Verdict;

/// A file that an agent wants to read or write through us.
struct File {
    place: Confined,
    /// What a question about it would be; none where nobody would be asked.
    judged: Option<Judged>,
}

impl Judge {
    /// Where such a file lies, and what the guard says of the wish; the error says why it cannot be had.
    fn file(&self, given: &str, access: &FsAccess) -> Result<File, String> {
        let found = self.resolve(given);
        let place = found.map_err(|outside| format!("{given} cannot be used here: {outside}"))?;
        let shown = place.absolute.display().to_string();
        let judged = match access {
            FsAccess::Read { .. } => {
                let asks = self.gate(Tool::ReadFile.name(), &json!({"path": shown}));
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
        Ok(File { place, judged })
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
            return self.apply([Effect::Refuse(id, no_such_session(&session_id))], shared);
        }
        if self.is_stopping() {
            return self.apply([Effect::AnswerCancelled(id)], shared);
        }
        let judge = self.judge(shared);
        let wish = access.clone();
        self.look_up(
            shared,
            move |sight| judge.with(sight).file(&given, &wish),
            move |session, found, shared| session.file_judged(id, access, found, shared),
        );
    }

    /// The file's place is known, and what the guard says of the request.
    fn file_judged(
        &mut self,
        id: RequestId,
        access: FsAccess,
        found: Result<File, String>,
        shared: &mut Shared,
    ) {
        let file = match found {
            Ok(file) => file,
            Err(text) => {
                let error = RpcError::new(codes::INVALID_PARAMS, text);
                return self.apply([Effect::Refuse(id, error)], shared);
            }
        };
        let place = file.place.clone();
        let writes = matches!(access, FsAccess::Write { .. });
        if let Some(reason) = self.file_refused(file, writes, shared) {
            return self.apply([self.facts.refusal(id, &reason)], shared);
        }
        let changed = writes.then(|| place.absolute.clone()).into_iter().collect();
        self.watch(changed, shared, move |session, shared| {
            let call = shared.call_number();
            let begun = session.files.begin(call, id, place, access);
            session.apply([begun], shared);
        });
    }

    /// The reason for the model, if this may not be: a write that nobody allowed and the policy redirects, a read that
    /// our own tool would ask a person about.
    fn file_refused(&mut self, file: File, writes: bool, shared: &mut Shared) -> Option<String> {
        if writes {
            let told = self.turn.denials.refused.meet_write(&file.place.absolute);
            if let Some(text) = self.refused_with(told, shared) {
                return Some(text);
            }
        }
        if self.turn.approved_paths.contains(&file.place.absolute) {
            return None;
        }
        let judged = file.judged?;
        match writes {
            true => self.settle_unasked(judged, Unasked::Write, shared),
            false => self.settle_read(judged, shared),
        }
    }

    /// The host's answer to a file request.
    pub(in crate::session) fn file_replied(
        &mut self,
        call: u64,
        reply: &HostReply,
        shared: &mut Shared,
    ) {
        let missing_is_empty = self.facts.profile.missing_file_is_empty;
        let effects = self.files.replied(call, reply, missing_is_empty);
        self.apply(effects, shared);
        self.write_settled(shared);
    }
}

/// The answer to a request that names a session which is not open here.
pub(in crate::session) fn no_such_session(session_id: &str) -> RpcError {
    let text = format!("there is no session `{session_id}`; nothing was done");
    RpcError::new(codes::INVALID_PARAMS, text)
}
