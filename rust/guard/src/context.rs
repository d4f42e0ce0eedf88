//! What a decision depends on besides the action: the session's policy, its places, its tools, its agent.
//!
//! Plain facts that the caller knows. Nothing is decided here.

use crate::name_form::NameForm;
use crate::path::{PathFact, Place, locate_among};
use crate::shell::{Dialect, Link, ProtectedPlaces};
use crate::tool::Tool;

/// A session's policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// What an offered tool replaces is denied with guidance; the rest is asked.
    Redirect,
    /// Everything is asked.
    Ask,
    /// As `Ask`, for sessions in which nothing is hidden or instructed.
    Observe,
    /// As `Redirect`, but what is left is allowed unless it is dangerous.
    Yolo,
}

impl Policy {
    /// The names of all of them in settings.
    pub const NAMES: [&str; 4] = ["redirect", "ask", "observe", "yolo"];

    /// Reads a policy's name in settings.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "redirect" => Self::Redirect,
            "ask" => Self::Ask,
            "observe" => Self::Observe,
            "yolo" => Self::Yolo,
            _ => return None,
        })
    }

    /// The policy's name in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Redirect => "redirect",
            Self::Ask => "ask",
            Self::Observe => "observe",
            Self::Yolo => "yolo",
        }
    }

    /// True when replaced tools are denied with guidance.
    pub fn redirects(self) -> bool {
        matches!(self, Self::Redirect | Self::Yolo)
    }
}

/// What a decision depends on besides the action.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The session's policy.
    pub policy: Policy,
    /// A person has set that `yolo` allows what is dangerous, too.
    pub yolo_dangerous: bool,
    /// The project's root, absolute.
    pub root: &'a str,
    /// The project's content roots elsewhere, absolute and without links.
    pub roots: &'a [String],
    /// The session's working directory, absolute.
    pub cwd: &'a str,
    /// The user's home, for `~`.
    pub home: Option<&'a str>,
    /// Our tools that are offered in this session.
    pub offered: &'a [Tool],
    /// The shell that the agent's commands run in.
    pub dialect: Dialect,
    /// Where the action's paths truly lie, in the order of `action.paths`; a path without a fact is
    /// placed lexically.
    pub places: &'a [PathFact],
    /// Links on the way of what the action's command writes and reads.
    pub links: &'a [Link],
    /// Places that the command writes to and that could not be looked up: they count as outside.
    pub untold: &'a [String],
    /// False after a call allowed as own never arrived at our server.
    pub name_trusted: bool,
    /// The person chose `Always` for this action before.
    pub always_allowed: bool,
    /// Tools of the agent that are let pass: they reach ours, touch nothing, or only read ordinary files of the
    /// project.
    pub pass_tools: &'a [String],
    /// How this agent's model sees our tools.
    pub tool_as_seen: &'a NameForm,
    /// What a person is asked about whatever else is allowed: ours, and the configuration of every known agent.
    pub protected_places: &'a ProtectedPlaces,
}

impl Context<'_> {
    /// Where a path of an action lies by its letters alone.
    pub(crate) fn locate(&self, path: &str) -> Place {
        locate_among(path, self.root, self.roots, self.cwd, self.home).place
    }
}
