//! What front ends show, as plain data: a session's events as a conversation of items, and a model's Markdown as a
//! document that grows while the model writes.
//!
//! Knows no terminal, no window and no file. The front end decides what of a document it shows, and how.

mod change_preview;
pub mod conversation;
mod document;
mod growing_document;
mod html;
pub mod json;
mod reading;

pub use conversation::Conversation;
pub use document::{Block, BlockKind, Column, Inline, Item, Table, plain};
pub use growing_document::{Growing, parse};
