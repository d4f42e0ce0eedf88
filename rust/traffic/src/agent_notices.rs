//! Reports of an agent beside its work: how much of the context is used and what it cost, the session's title, notices.
//!
//! Passed on when it changes, and never judged. The wording of events is here too, for readers of a recording.

use siderail_acp::prompt::TurnUsage;
use siderail_acp::update::{Compaction, CompactionStatus, Notice, SessionUpdate, UsageInfo};

use siderail_event::{AgentNotice, Cost, EventBody, SessionTitle, Severity, TurnTokens, Usage};

/// Tokens and money beyond these are not a count, but an agent's mistake; they are not known then.
const MOST_TOKENS: u64 = 1_000_000_000_000;
const MOST_MONEY: f64 = 1e7;

/// What was reported last, so that nothing is reported twice.
#[derive(Debug, Default)]
pub struct AgentNotices {
    usage: Usage,
    title: String,
}

impl AgentNotices {
    /// What a person reads of an update, if it says anything new of these.
    pub fn update(&mut self, update: &SessionUpdate) -> Option<EventBody> {
        match update {
            SessionUpdate::Usage(info) => {
                let usage = usage_of(info);
                let is_new = usage != self.usage;
                self.usage.clone_from(&usage);
                is_new.then_some(EventBody::Usage(usage))
            }
            SessionUpdate::SessionInfo(info) => {
                let title = info.title.clone()?.unwrap_or_default();
                let is_new = title != self.title;
                self.title.clone_from(&title);
                is_new.then_some(EventBody::SessionTitle(SessionTitle { title }))
            }
            SessionUpdate::Notice(notice) => Some(notice_of(notice)),
            SessionUpdate::Compaction(compaction) => compaction_of(compaction),
            _ => None,
        }
    }

    /// What a person reads of a turn's tokens, at its end.
    pub fn turn(&self, tokens: &TurnUsage) -> EventBody {
        let turn_tokens = TurnTokens {
            total: tokens.total,
            input: tokens.input,
            output: tokens.output,
            thought: tokens.thought.filter(|n| is_count(*n)),
            cached_read: tokens.cached_read.filter(|n| is_count(*n)),
            cached_write: tokens.cached_write.filter(|n| is_count(*n)),
        };
        let counts = [tokens.total, tokens.input, tokens.output];
        EventBody::Usage(Usage {
            turn_tokens: counts.into_iter().all(is_count).then_some(turn_tokens),
            ..self.usage.clone()
        })
    }
}

fn usage_of(info: &UsageInfo) -> Usage {
    let cost = info.cost.clone();
    let cost = cost.filter(|(amount, _)| (0.0..MOST_MONEY).contains(amount));
    Usage {
        used: Some(info.used).filter(|n| is_count(*n)),
        size: Some(info.size).filter(|n| is_count(*n)),
        cost: cost.map(|(amount, currency)| Cost { amount, currency }),
        turn_tokens: None,
    }
}

fn is_count(n: u64) -> bool {
    n < MOST_TOKENS
}

fn notice_of(notice: &Notice) -> EventBody {
    let more = notice.description.as_deref().unwrap_or_default().trim();
    let text = match (notice.title.trim(), more) {
        (title, "") => title.to_owned(),
        ("", more) => more.to_owned(),
        (title, more) => format!("{title}: {more}"),
    };
    let said = Some(notice.severity.as_str()).filter(|said| !said.is_empty());
    let severity = said.map(Severity::from);
    EventBody::AgentNotice(AgentNotice { text, severity })
}

/// A stage of a compaction that the user should know of.
fn compaction_of(compaction: &Compaction) -> Option<EventBody> {
    let why = compaction.error.as_deref().map(|why| format!(": {why}"));
    let why = why.unwrap_or_default();
    let (severity, text) = match compaction.status {
        CompactionStatus::InProgress => (
            Severity::Info,
            "the agent is compacting the conversation".to_owned(),
        ),
        CompactionStatus::Completed => (
            Severity::Info,
            "the conversation was compacted: the model continues from a summary".to_owned(),
        ),
        CompactionStatus::Failed => (
            Severity::Warning,
            format!("the agent could not compact the conversation{why}"),
        ),
        CompactionStatus::Cancelled => (
            Severity::Info,
            "the conversation stays as long as it is".to_owned(),
        ),
        CompactionStatus::Unknown(_) => return None,
    };
    let severity = Some(severity);
    Some(EventBody::AgentNotice(AgentNotice { text, severity }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_have_been_counted_is_not_told() {
        let told = |used, size, amount| {
            let cost = Some((amount, "USD".to_owned()));
            let meta = serde_json::Value::Null;
            usage_of(&UsageInfo {
                used,
                size,
                cost,
                meta,
            })
        };
        assert_eq!(told(u64::MAX, u64::MAX, -3.0), Usage::default());
        assert_eq!(told(u64::MAX, 8, f64::INFINITY).size, Some(8));
        let sound = told(4, 8, 0.5);
        assert_eq!(
            (sound.used, sound.cost.map(|cost| cost.amount)),
            (Some(4), Some(0.5))
        );
        let tokens = TurnUsage {
            total: u64::MAX,
            ..TurnUsage::default()
        };
        assert_eq!(
            AgentNotices::default().turn(&tokens),
            EventBody::Usage(Usage::default())
        );
    }

    #[test]
    fn how_grave_a_notice_is_stays_as_the_agent_said_it() {
        let severity = |word: &str| {
            let notice = Notice {
                title: "The quota is nearly used up.".to_owned(),
                severity: word.to_owned(),
                description: None,
            };
            let event = serde_json::to_value(notice_of(&notice)).expect("JSON");
            event.get("severity").cloned()
        };
        for word in ["info", "critical", "_grave"] {
            assert_eq!(severity(word), Some(word.into()));
        }
        assert_eq!(severity(""), None);
    }
}
