//! The agent's requests for files (`fs/*`): confined to the project, carried out by the host.
//!
//! Agents that edit through the client do so after a permission request. A write that nobody was asked about is decided
//! here like any other built-in edit, and a refusal carries the guidance as its error. The [table] has those that the
//! host has not answered. It knows no session.

pub(in crate::session) mod table;

use std::path::PathBuf;

use serde_json::json;
use siderail_acp::client_request::FsAccess;
use siderail_acp::wire::{RpcError, codes};
use siderail_guard::Tool;
use siderail_guard::decision::Verdict;

use crate::confine::{Confined, Refusal};
use crate::session::permissions::judge::{Judge, Judged};
use crate::session::permissions::unasked::Unasked;

/// A file that an agent wants to read or write through us.
pub(in crate::session) struct File {
    pub(in crate::session) place: Confined,
    /// What a question about it would be; none if nobody would be asked.
    pub(in crate::session) judged: Option<Judged>,
}

impl Judge {
    /// Where such a file lies, and what the guard says of the wish; the error says why it cannot be had.
    pub(in crate::session) fn file(
        &self,
        given: &str,
        access: &FsAccess,
    ) -> Result<File, RpcError> {
        let found = self.resolve(given);
        let place = found.map_err(|outside| cannot_be_used(given, &outside))?;
        let shown = place.absolute.display().to_string();
        let judged = match access {
            FsAccess::Read { .. } => {
                let asks = self.gate(Tool::ReadFile, &json!({"path": shown}));
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

/// The files that this may change.
pub(in crate::session) fn changed(place: &Confined, access: &FsAccess) -> Vec<PathBuf> {
    match access {
        FsAccess::Write { .. } => vec![place.absolute.clone()],
        FsAccess::Read { .. } => Vec::new(),
    }
}

fn cannot_be_used(given: &str, outside: &Refusal) -> RpcError {
    let text = format!("{given} cannot be used here: {outside}");
    RpcError::new(codes::INVALID_PARAMS, text)
}

/// The answer to a request that names a session which is not open here.
pub(in crate::session) fn no_such_session(session_id: &str) -> RpcError {
    let text = format!("there is no session `{session_id}`; nothing was done");
    RpcError::new(codes::INVALID_PARAMS, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_write_changes_its_file() {
        let place = Confined {
            absolute: "/p/a".into(),
            relative: "a".to_owned(),
            exists: true,
        };
        let content = String::new();
        assert_eq!(
            changed(&place, &FsAccess::Write { content }),
            [PathBuf::from("/p/a")]
        );
        let (line, limit) = (None, None);
        assert!(changed(&place, &FsAccess::Read { line, limit }).is_empty());
    }

    #[test]
    fn a_request_that_cannot_be_met_is_answered_with_the_reason() {
        let refused = cannot_be_used("../a", &Refusal::Empty);
        assert_eq!(refused.code, codes::INVALID_PARAMS);
        assert!(refused.to_string().contains("../a cannot be used here: "));
        let other = no_such_session("other").to_string();
        assert!(
            other.contains("no session `other`; nothing was done"),
            "{other}"
        );
    }
}
