//! How calls and turns end.

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was carried out.
    Allowed,
    /// A reject, a hook or a refusal stopped it.
    Denied,
    /// The model does not have the tool.
    Hidden,
    /// It was carried out and failed.
    Failed,
}

/// Why a turn ends ahead of its steps.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// By the script or by the shape's habit, with this stop reason.
    Stop(String),
    /// By a reject, with this stop reason: the rest may be resumed.
    Rejected(String),
    /// By `session/cancel`.
    Cancelled,
    /// With an error as answer.
    Error(i64, String),
    /// Never: the prompt stays without an answer.
    Wedged,
}
