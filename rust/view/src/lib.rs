//! What front ends show, as plain data: a model's Markdown as a document that grows while the model writes.
//!
//! Knows no terminal, no window and no file. What is shown of a document, and how, is decided by whoever shows it.

mod document;
mod growing;
mod reading;

pub use document::{Block, BlockKind, Column, Inline, Item, Table, plain};
pub use growing::{Growing, parse};
