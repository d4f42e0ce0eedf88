//! The one policy for errors at the boundary: it worked, it failed, it was cancelled, or it is a bug.
//!
//! Both faces (natives and C) map these same kinds; neither has errors of its own.

use std::any::Any;

use siderail_engine::EngineError;

/// Why a verb did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// The handle names no open engine.
    #[error("this engine is closed, or the handle was never one")]
    Closed,
    /// Something that must be there is not.
    #[error("`{0}` must not be null")]
    Null(&'static str),
    /// A payload cannot be understood.
    #[error("the {what} cannot be understood: {why}")]
    Invalid {
        /// Which payload.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// Too many commands wait; this one was not taken.
    #[error("too many commands wait; send it again when some have been taken")]
    Busy,
    /// The engine has ended by itself, and what was sent has no one to do it.
    #[error("the engine has ended")]
    Ended,
    /// The engine could not be started. The text's first line says why, further lines what to do.
    #[error("{0}")]
    Start(String),
    /// The virtual machine refused something.
    #[error("the virtual machine refused: {0}")]
    Jvm(#[from] jni::errors::Error),
}

/// The kind of a failure, for callers that have to react to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The handle is not, or no longer, of use.
    Closed,
    /// The caller gave something wrong.
    Invalid,
    /// It could not be done.
    Failed,
    /// Nobody is there any more who would do it.
    Cancelled,
}

impl BridgeError {
    /// What kind of failure this is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Closed => Kind::Closed,
            Self::Null(_) | Self::Invalid { .. } => Kind::Invalid,
            Self::Busy | Self::Start(_) | Self::Jvm(_) => Kind::Failed,
            Self::Ended => Kind::Cancelled,
        }
    }
}

impl From<EngineError> for BridgeError {
    fn from(error: EngineError) -> Self {
        Self::Start(match error.hint() {
            Some(hint) => format!("{error}\n{hint}"),
            None => error.to_string(),
        })
    }
}

/// What a panic said.
pub fn panic_text(payload: Box<dyn Any + Send>) -> String {
    match payload.downcast::<&'static str>() {
        Ok(text) => (*text).to_owned(),
        Err(payload) => match payload.downcast::<String>() {
            Ok(text) => *text,
            Err(payload) => {
                // Its destructor may panic again, and this is the last place that could catch it.
                std::mem::forget(payload);
                "a panic without a text".to_owned()
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::panic_text;

    #[test]
    fn a_panic_with_any_payload_has_a_text() {
        let caught = |f: fn()| std::panic::catch_unwind(f).expect_err("it panics");
        assert_eq!(panic_text(caught(|| panic!("plain"))), "plain");
        assert_eq!(panic_text(caught(|| panic!("with {}", 7))), "with 7");
        let odd = caught(|| std::panic::panic_any(5u8));
        assert_eq!(panic_text(odd), "a panic without a text");
    }
}
