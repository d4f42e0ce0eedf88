//! The agent's questions to the person (`elicitation/create`): put to the host one after the other, answered once.
//!
//! The [table] knows what is open, [`crate::form`] what a form asks; `dispatch/elicitation.rs` brings what the agent says.
//! A question may come before there is a session, as those of a login do. None has a time limit: while one is open,
//! `deadline` in `session.rs` counts neither the handshake nor the agent's silence.

pub(in crate::session) mod table;
