//! The user's own files: where settings and state are kept, which of them are trusted, and how they are read.
//!
//! Plain blocking calls on single files of a bounded size. Knows no agent, no project and no protocol, and not what the
//! files are for.

pub mod places;
pub mod private;
pub mod toml_text;
pub mod values;
