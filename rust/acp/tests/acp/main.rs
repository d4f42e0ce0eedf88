//! The client against recorded traffic, hostile peers and misbehaving processes.

mod ordering;
mod outgoing;
mod process;
mod quirks;
mod recording;
mod replay;
mod session;
mod trace;
mod transport;
