//! The change that a permission request is about. It comes by itself, since no call may be known that has it.

use siderail_event::{EventBody, PermissionRequest};

use super::item::Patch;
use super::text::shortened;

/// The change that a person is asked about; none if nobody is asked, or about something else.
pub(super) fn change(body: &EventBody) -> Option<Patch> {
    match body {
        EventBody::PermissionRequest(PermissionRequest {
            request_id,
            diffs,
            asks: true,
            ..
        }) if !diffs.is_empty() => Some(Patch::Asked {
            request_id: *request_id,
            diffs: diffs.iter().map(shortened).collect(),
        }),
        _ => None,
    }
}
