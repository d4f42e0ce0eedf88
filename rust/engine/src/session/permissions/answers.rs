//! What the answer to a question means for the permission request of the agent. Plain data.

use siderail_acp::permission::{PermissionOption, PermissionOptionKind};

use crate::command::PermissionAnswer;
use crate::event::ApprovedBy;
use crate::session::guidance::decline::Decline;
use crate::session::question::Settled;

/// What it means.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) enum Meant {
    Yes {
        by: ApprovedBy,
        /// The agent's own option that the person chose for it.
        option: Option<String>,
        /// It is to be remembered.
        for_good: bool,
    },
    No {
        decline: Decline,
        /// The same.
        option: Option<String>,
    },
}

impl Settled {
    /// What settles every question without a person. `is_plain`: the client is one of MCP alone, so that nobody is
    /// behind it, and no setting says so.
    pub(in crate::session) fn beforehand(answer: Option<bool>, is_plain: bool) -> Option<Self> {
        let allows = answer?;
        Some(match (allows, is_plain) {
            (false, true) => Self::ByPerson(PermissionAnswer::Deny {
                reason: String::new(),
                nobody: true,
            }),
            _ => Self::BySetting { allows },
        })
    }

    /// What it means for a request with these options.
    pub(in crate::session) fn meant(
        self,
        options: &[PermissionOption],
        may_be_remembered: bool,
    ) -> Meant {
        let yes = |by, for_good| Meant::Yes {
            by,
            option: None,
            for_good,
        };
        let no = |decline| Meant::No {
            decline,
            option: None,
        };
        match self {
            Self::BySetting { allows: true } => yes(ApprovedBy::Setting, false),
            Self::BySetting { allows: false } => no(Decline::Setting),
            Self::ByPerson(PermissionAnswer::Allow) => yes(ApprovedBy::User, false),
            Self::ByPerson(PermissionAnswer::Always) => yes(ApprovedBy::User, true),
            Self::ByPerson(PermissionAnswer::Deny { reason, nobody }) => {
                no(Decline::told(reason, nobody))
            }
            Self::ByPerson(PermissionAnswer::Option { id }) => {
                let chosen = options.iter().find(|option| option.id == id);
                // Not offered here, even if somebody names it: a lasting yes counts as much as `Always` does.
                let is_offered =
                    |option: &PermissionOption| may_be_remembered || !option.lasts_among(options);
                let option = chosen.is_some_and(is_offered).then_some(id);
                match chosen.is_some_and(|option| allows(&option.kind)) {
                    true => Meant::Yes {
                        by: ApprovedBy::User,
                        option,
                        for_good: false,
                    },
                    false => Meant::No {
                        decline: Decline::Person(String::new()),
                        option,
                    },
                }
            }
        }
    }
}

fn allows(kind: &PermissionOptionKind) -> bool {
    matches!(
        kind,
        PermissionOptionKind::AllowOnce | PermissionOptionKind::AllowAlways
    )
}
