//! What the model is told of a denial, and by which way; and what is counted of denials and failed calls.
//!
//! Whether something is denied is decided in [`super::permissions`].

pub(in crate::session) mod denials;
pub(in crate::session) mod denied_calls;
pub(in crate::session) mod exit_code;
pub(in crate::session) mod failed_calls;
pub(in crate::session) mod refused_calls;
pub(in crate::session) mod ways;
