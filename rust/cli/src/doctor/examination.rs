//! The results of an agent's examination, before they are worded.

use siderail_engine::event::ErrorKind;
use siderail_engine::inspect::{SessionFacts, Trial};

/// What an examination has brought to light.
#[derive(Default)]
pub(super) struct Examined {
    pub(super) facts: Option<SessionFacts>,
    /// Kind, text and hint of what ended the session by itself.
    pub(super) error: Option<(ErrorKind, String, Option<String>)>,
    pub(super) edit: Option<Trial>,
    pub(super) harmless: Option<Trial>,
    pub(super) api: Option<Trial>,
    /// Entries of the consent journal that cannot be read.
    pub(super) damaged: Vec<String>,
}
