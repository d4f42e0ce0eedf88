//! Carries out a file request of the agent: its place is looked up and judged, the file's old text is kept, the host
//! reads or writes it.

use siderail_acp::client_request::{FsAccess, FsRequest};
use siderail_acp::wire::{RequestId, RpcError};

use crate::event::Receipt;
use crate::host::HostReply;
use crate::session::Session;
use crate::session::client_files::{File, changed, no_such_session};
use crate::session::effect::Effect;
use crate::session::permissions::unasked::Unasked;
use crate::session::prompt_turn::consent::Consent;
use crate::shared::Shared;

impl Session {
    /// The agent reads or writes a file through us.
    pub(super) fn file_request(&mut self, request: FsRequest, shared: &mut Shared) {
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
        found: Result<File, RpcError>,
        shared: &mut Shared,
    ) {
        let file = match found {
            Ok(file) => file,
            Err(error) => return self.apply([Effect::Refuse(id, error)], shared),
        };
        let place = file.place.clone();
        if let Some(reason) = self.file_refused(file, &access, shared) {
            return self.apply([self.agent_facts.refusal(id, &reason)], shared);
        }
        self.watch(changed(&place, &access), shared, move |session, shared| {
            let call = shared.call_number();
            let begun = session.client_files.begin(call, id, place, access);
            session.apply([begun], shared);
        });
    }

    /// The reason for the model, if this may not be: a write that nobody allowed and the policy redirects, a read that
    /// our own tool would ask a person about.
    fn file_refused(
        &mut self,
        file: File,
        access: &FsAccess,
        shared: &mut Shared,
    ) -> Option<String> {
        let writes = matches!(access, FsAccess::Write { .. });
        match self.turn.meet_file(&file.place.absolute, writes) {
            Consent::Allowed => None,
            Consent::Refused(request_id, reason) => {
                self.receipt(request_id, Receipt::Delivered, shared);
                Some(reason)
            }
            Consent::Unasked if writes => self.settle_unasked(file.judged?, Unasked::Write, shared),
            Consent::Unasked => self.settle_read(file.judged?, shared),
        }
    }

    /// The host's answer to a file request.
    pub(super) fn file_replied(&mut self, call: u64, reply: &HostReply, shared: &mut Shared) {
        let missing_is_empty = self.agent_facts.profile.missing_file_is_empty;
        let effects = self.client_files.replied(call, reply, missing_is_empty);
        self.apply(effects, shared);
        self.write_settled(shared);
    }
}
