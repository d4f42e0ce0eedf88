//! The agent's questions to the person (`elicitation/create`): put to the host one after the other, answered once.
//!
//! The [table] knows what is open. A question may come before there is a session, as those of a login do; the handshake
//! waits for it.

pub(in crate::session) mod table;
