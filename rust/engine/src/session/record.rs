//! What may be reported of a session, and where it is recorded.

use siderail_acp::trace::TrafficLog;

use crate::event::EventBody;
use crate::notes;
use crate::secrets::Secrets;

/// Both of them.
#[derive(Default)]
pub(in crate::session) struct Record {
    /// What no event may reveal.
    pub(in crate::session) secrets: Secrets,
    /// The recording, where one is wanted: what its traffic does not say is noted there.
    pub(in crate::session) trace: Option<TrafficLog>,
}

impl Record {
    /// The event as it may be reported, noted in the recording if the traffic does not say it.
    pub(in crate::session) fn told(&self, turn: u32, body: EventBody) -> EventBody {
        let body = self.secrets.hide(body);
        notes::note(self.trace.as_ref(), turn, &body);
        body
    }
}
