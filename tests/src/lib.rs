//! Tests that cross crate borders: whole runs, recorded traffic, kills and faults, the shape of events.
//!
//! This library is what they share: an engine over the file system with a scripted agent ([`stage`]), the
//! replay of recordings ([`replay`]), and the two endurance tests ([`kill`], [`soak`]), which are programs
//! of their own as well. `fixtures/recordings` holds real traffic of agents; `live` runs real agents
//! against a scripted model.

pub mod arguments;
pub mod chance;
pub mod client;
pub mod golden;
pub mod kill;
pub mod place;
pub mod processes;
pub mod replay;
pub mod soak;
pub mod stage;
