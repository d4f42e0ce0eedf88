//! The table from a session's number to the session, or to the one that is being prepared under it.

use std::path::PathBuf;
use std::time::Instant;

use crate::session::{Preparing, Session};
use crate::shared::Shared;

/// What is under a number.
pub(super) enum Entry {
    Preparing(Box<Preparing>),
    Session(Box<Session>),
}

impl Entry {
    /// Does something in the session, once that is there and waits for nothing.
    pub(super) fn in_turn(
        &mut self,
        act: impl FnOnce(&mut Session, &mut Shared) + Send + 'static,
        shared: &mut Shared,
    ) {
        match self {
            Self::Preparing(preparing) => preparing.hold(Box::new(act)),
            Self::Session(session) => session.in_turn(act, shared),
        }
    }

    /// The wait for the disk is cut short: a person wants the turn or the session to end.
    pub(super) fn hurry(&mut self) {
        match self {
            Self::Preparing(preparing) => preparing.hurry(),
            Self::Session(session) => session.hurry(),
        }
    }

    /// Whether more may come meanwhile.
    pub(super) fn has_room(&self) -> bool {
        match self {
            Self::Preparing(preparing) => preparing.has_room(),
            Self::Session(session) => session.has_room(),
        }
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Preparing(preparing) => preparing.deadline(),
            Self::Session(session) => session.deadline(),
        }
    }

    /// The project's folder, canonical once the session is there.
    pub(super) fn project(&self) -> PathBuf {
        match self {
            Self::Preparing(preparing) => preparing.project.clone(),
            Self::Session(session) => session.project(),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        match self {
            Self::Preparing(_) => false,
            Self::Session(session) => session.is_over(),
        }
    }
}
