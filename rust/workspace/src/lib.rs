//! A project's files as agents' tools see them: reading, editing, listing and searching, once for every host.
//!
//! Paths are confined to the project ([`confine`]); calls are plain and blocking ([`tools`]), and each answers with
//! text for a model ([`outcome`]). Nothing here decides whether a call is allowed, and nothing knows an agent, a
//! protocol or a terminal.

pub mod arguments;
mod atomic_file;
pub mod build_tool;
mod call;
pub mod cancel;
pub mod claims;
pub mod confine;
pub mod diff;
mod edit;
pub mod escape;
pub mod failure;
mod file_queue;
mod glob;
pub mod imports;
mod line_ends;
pub mod listing;
pub mod mentions;
pub mod open_texts;
pub mod outcome;
mod place;
pub mod primitives;
mod project_info;
pub mod questions;
pub mod read;
mod recent;
mod relocate;
pub mod search;
mod shared_file;
pub mod small_file;
mod text_file;
pub mod tools;
mod unfinished;
mod walk;
mod write;
mod write_failure;

pub use atomic_file::sweep;
pub use edit::Replacement;
pub use file_queue::FileQueue;
pub use place::{Place, Project};
pub use shared_file::Names;
