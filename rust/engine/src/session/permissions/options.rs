//! A permission request as it is announced, and the agent's own options as a person is offered them: by their kind, not
//! by their name.

use siderail_acp::permission::{PermissionOption, PermissionOptionKind};
use siderail_traffic::acp_words;

use crate::event::{EventBody, PermissionChoice, PermissionRequest};
use crate::session::question::{Preview, RequestedAction};

/// Words that begin a yes.
const YES: [&str; 14] = [
    "allow", "allows", "yes", "y", "ok", "okay", "approve", "accept", "proceed", "continue", "run",
    "grant", "permit", "trust",
];
/// Words that begin a no.
const NO: [&str; 18] = [
    "reject", "rejects", "no", "n", "deny", "decline", "refuse", "cancel", "block", "disallow",
    "forbid", "abort", "stop", "never", "not", "don", "don't", "dont",
];

impl RequestedAction {
    /// The event that announces it. `asks`: a person is asked, and is shown everything.
    pub(in crate::session) fn request_event(
        &self,
        options: &[PermissionOption],
        asks: bool,
    ) -> EventBody {
        let may_be_remembered = self.remember.is_some();
        let may_be_chosen =
            |option: &&PermissionOption| may_be_remembered || !option.lasts_among(options);
        let offered = options.iter().filter(|_| asks).filter(may_be_chosen);
        let choices = in_order(offered);
        let shown = match asks {
            true => self.shown.clone(),
            false => Preview {
                diffs: Vec::new(),
                ..self.shown.clone()
            },
        };
        EventBody::PermissionRequest(PermissionRequest {
            request_id: self.request_id,
            tool_call_id: self.tool_call_id.clone(),
            tool: self.tool.clone(),
            kind: self.kind.clone(),
            text: self.text.clone(),
            paths: self.paths.clone(),
            channel: self.channel,
            options: choices,
            may_be_remembered,
            diffs: shown.diffs,
            outside: shown.outside,
            destroys: shown.destroys,
            asks,
        })
    }
}

/// The options in the order of what they mean: once before always, a yes before a no, and what has no known meaning
/// last. An agent's order could put a lasting yes where the first key is.
fn in_order<'a>(offered: impl Iterator<Item = &'a PermissionOption>) -> Vec<PermissionChoice> {
    let mut options: Vec<&PermissionOption> = offered.collect();
    options.sort_by_key(|option| match option.kind {
        PermissionOptionKind::AllowOnce => 0,
        PermissionOptionKind::AllowAlways => 1,
        PermissionOptionKind::RejectOnce => 2,
        PermissionOptionKind::RejectAlways => 3,
        _ => 4,
    });
    let choice = |option: &PermissionOption| PermissionChoice {
        id: option.id.clone(),
        name: option.name.clone(),
        kind: acp_words::option_kind(&option.kind),
        contradicts: contradicts(&option.name, &option.kind),
    };
    options.into_iter().map(choice).collect()
}

/// True for a name that says the contrary of its kind: a no that allows, a yes that rejects, a once that lasts. The
/// first word of either sort counts, as in "Yes, and don't ask again".
fn contradicts(name: &str, kind: &PermissionOptionKind) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let is_yes = words.find_map(|word| match word {
        word if YES.contains(&word) => Some(true),
        word if NO.contains(&word) => Some(false),
        _ => None,
    });
    let says = |wanted: &[&str]| {
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        words.any(|word| wanted.contains(&word))
    };
    let (lasts, once) = (says(&["always", "forever", "permanently"]), says(&["once"]));
    match kind {
        PermissionOptionKind::AllowOnce => is_yes == Some(false) || (lasts && !once),
        PermissionOptionKind::AllowAlways => is_yes == Some(false) || (once && !lasts),
        PermissionOptionKind::RejectOnce | PermissionOptionKind::RejectAlways => {
            is_yes == Some(true)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_says_the_contrary_of_its_kind_is_known() {
        for (name, kind, expected) in [
            (
                "Reject (recommended)",
                PermissionOptionKind::AllowOnce,
                true,
            ),
            ("Don't allow", PermissionOptionKind::AllowOnce, true),
            ("❌ No", PermissionOptionKind::AllowAlways, true),
            ("Always allow", PermissionOptionKind::AllowOnce, true),
            ("Allow once", PermissionOptionKind::AllowAlways, true),
            ("Allow", PermissionOptionKind::RejectOnce, true),
            (
                "Yes, and don't ask again for `npm test`",
                PermissionOptionKind::AllowAlways,
                false,
            ),
            ("Yes", PermissionOptionKind::AllowOnce, false),
            (
                "Allow for this session",
                PermissionOptionKind::AllowAlways,
                false,
            ),
            (
                "No, and tell the agent what to do",
                PermissionOptionKind::RejectOnce,
                false,
            ),
            ("Don't allow", PermissionOptionKind::RejectOnce, false),
            ("Keep planning", PermissionOptionKind::RejectOnce, false),
        ] {
            assert_eq!(contradicts(name, &kind), expected, "{name} {kind:?}");
        }
    }
}
