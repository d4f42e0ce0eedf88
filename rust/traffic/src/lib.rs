//! Turns an agent's messages into events ([`views`], [`acp_words`], [`agent_notices`], [`agent_end`]), says what a
//! recording notes beside the messages ([`notes`]), and reads a recording again as what a person saw ([`replay`]).
//!
//! Used by a running session and by a replay afterwards, so that both report the same. It decides nothing, does no I/O,
//! and knows no session and no host.

pub mod acp_words;
pub mod agent_end;
pub mod agent_notices;
pub mod notes;
pub mod replay;
pub mod views;
