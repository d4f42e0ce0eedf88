//! A no that the policy does not settle: who said it, and how people and the model read of it. Plain data.

use siderail_guard::guidance;

use crate::event::DeniedBy;

/// A no where the policy leaves it open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) enum Decline {
    /// A person's, with a reason that may be empty.
    Person(String),
    /// That of a setting, which answers every question.
    Setting,
    /// Nobody is there to be asked.
    Nobody,
}

impl Decline {
    /// A no as the host hands it over.
    pub(in crate::session) fn told(reason: String, nobody: bool) -> Self {
        match nobody {
            true => Self::Nobody,
            false => Self::Person(reason),
        }
    }

    /// Who it is, for events.
    pub(in crate::session) fn by(&self) -> DeniedBy {
        match self {
            Self::Person(_) => DeniedBy::User,
            Self::Setting => DeniedBy::Setting,
            Self::Nobody => DeniedBy::NoTerminal,
        }
    }

    /// True where there is nothing to say but no.
    pub(in crate::session) fn is_bare(&self) -> bool {
        matches!(self, Self::Person(reason) if reason.trim().is_empty())
    }

    /// Who said no and why, to be put behind "denied".
    pub(in crate::session) fn for_people(&self) -> String {
        match self {
            Self::Person(reason) if reason.trim().is_empty() => {
                "by the user, without a reason".to_owned()
            }
            Self::Person(reason) => format!("by the user: {}", reason.trim()),
            Self::Setting => "because `answer` is `deny`; nobody was asked".to_owned(),
            Self::Nobody => "because nobody could be asked".to_owned(),
        }
    }

    /// The same for the model.
    pub(in crate::session) fn for_model(&self, tool: &str) -> String {
        match self {
            Self::Person(reason) => guidance::denied_by_person(tool, reason.trim()),
            Self::Setting => guidance::denied_by_setting(tool),
            Self::Nobody => guidance::nobody_to_ask(tool),
        }
    }
}
