//! ACP's closed sets as the members of events that carry them.
//!
//! `acp` and `event` know nothing of each other, so each has its own enum, and events have words of ours besides. Here the
//! compiler makes sure that each value of ACP's has its own in events; a word that ACP does not know stays as it was sent.

use siderail_acp::permission::PermissionOptionKind as AcpOptionKind;
use siderail_acp::prompt::StopReason as AcpStopReason;
use siderail_acp::tool_call::ToolCallStatus as AcpStatus;
use siderail_event::{PermissionOptionKind, StopReason, ToolCallStatus};

/// Why a turn ended.
pub fn stop_reason(reason: &AcpStopReason) -> StopReason {
    match reason {
        AcpStopReason::EndTurn => StopReason::EndTurn,
        AcpStopReason::MaxTokens => StopReason::MaxTokens,
        AcpStopReason::MaxTurnRequests => StopReason::MaxTurnRequests,
        AcpStopReason::Refusal => StopReason::Refusal,
        AcpStopReason::Cancelled => StopReason::Cancelled,
        // An agent may use one of our own words, which then means the same.
        AcpStopReason::Unknown(word) => word.as_str().into(),
    }
}

/// How far a tool call is.
pub fn tool_call_status(status: &AcpStatus) -> ToolCallStatus {
    match status {
        AcpStatus::Pending => ToolCallStatus::Pending,
        AcpStatus::InProgress => ToolCallStatus::InProgress,
        AcpStatus::Completed => ToolCallStatus::Completed,
        AcpStatus::Failed => ToolCallStatus::Failed,
        AcpStatus::Cancelled => ToolCallStatus::Cancelled,
        AcpStatus::Unknown(word) => ToolCallStatus::Unknown(word.clone()),
    }
}

/// What an option of a permission request grants or refuses.
pub fn option_kind(kind: &AcpOptionKind) -> PermissionOptionKind {
    match kind {
        AcpOptionKind::AllowOnce => PermissionOptionKind::AllowOnce,
        AcpOptionKind::AllowAlways => PermissionOptionKind::AllowAlways,
        AcpOptionKind::RejectOnce => PermissionOptionKind::RejectOnce,
        AcpOptionKind::RejectAlways => PermissionOptionKind::RejectAlways,
        AcpOptionKind::Unknown(word) => PermissionOptionKind::Unknown(word.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_an_agents_is_the_same_word_in_events() {
        for word in [
            "end_turn",
            "max_tokens",
            "max_turn_requests",
            "refusal",
            "cancelled",
            "error",
            "pending",
            "in_progress",
            "completed",
            "failed",
            "allow_once",
            "allow_always",
            "reject_once",
            "reject_always",
            "",
            "_newer",
        ] {
            let reason = stop_reason(&AcpStopReason::read(word));
            assert_eq!(reason, StopReason::from(word));
            let status = tool_call_status(&AcpStatus::read(word));
            assert_eq!(status, ToolCallStatus::from(word));
            let kind = option_kind(&AcpOptionKind::read(word));
            assert_eq!(kind, PermissionOptionKind::from(word));
        }
    }
}
