//! Calls of our own tools at our server: judged, run by the host or here, answered; and the calls that are expected
//! because the agent asked for them under one of our names.

pub(in crate::session) mod by_name;
pub(in crate::session) mod calls;
pub(in crate::session) mod expected;
pub(in crate::session) mod host_work;
pub(in crate::session) mod results;
pub(in crate::session) mod unworkable;
