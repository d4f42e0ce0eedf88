//! What an agent's messages are as events: how each is told ([`views`], [`acp_words`],
//! [`agent_notices`], [`agent_end`]), what a recording of them notes
//! beside the messages ([`notes`]), and a recording read again as what a person saw ([`replay`]).
//!
//! Used by a session as it goes and by a replay afterwards, so that both tell the same. It decides nothing, does no I/O,
//! and knows no session and no host.

pub mod acp_words;
pub mod agent_end;
pub mod agent_notices;
pub mod notes;
pub mod replay;
pub mod views;
