//! The row that says at a turn's end what it took: tokens and money, as the agent counts them. Plain data.

use siderail_engine::event::{Cost, Usage};

/// What the agent has counted since the last row.
#[derive(Default)]
pub(super) struct Counted {
    last: Option<Usage>,
}

impl Counted {
    /// The agent has counted anew.
    pub(super) fn count(&mut self, usage: &Usage) {
        let turn_tokens = self.last.take().and_then(|last| last.turn_tokens);
        let mut usage = usage.clone();
        usage.turn_tokens = usage.turn_tokens.or(turn_tokens);
        self.last = Some(usage);
    }

    /// The row, once; none if nothing was counted since the last.
    pub(super) fn row(&mut self) -> Option<String> {
        let usage = self.last.take()?;
        let mut parts = Vec::new();
        if let Some(tokens) = usage.turn_tokens {
            parts.push(format!(
                "{} tokens ({} read, {} written)",
                grouped(tokens.total),
                grouped(tokens.input),
                grouped(tokens.output)
            ));
        }
        if let (Some(used), Some(size)) = (usage.used, usage.size.filter(|size| *size > 0)) {
            let percent = used.saturating_mul(100).div_ceil(size);
            parts.push(format!("context {percent} % of {}", grouped(size)));
        }
        parts.extend(usage.cost.as_ref().map(cost));
        (!parts.is_empty()).then(|| format!("usage: {}", parts.join(", ")))
    }
}

fn cost(cost: &Cost) -> String {
    // Less than a cent is not a zero.
    let digits = if cost.amount < 0.1 { 4 } else { 2 };
    let amount = format!("{:.digits$}", cost.amount);
    match cost.currency.as_str() {
        "USD" | "" => format!("${amount} so far"),
        other => format!("{amount} {} so far", crate::style::one_line(other, 8)),
    }
}

/// A number in groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use siderail_engine::event::TurnTokens;

    #[test]
    fn a_turns_row_says_tokens_context_and_money_and_only_what_the_agent_has_counted() {
        let mut counted = Counted::default();
        assert_eq!(counted.row(), None);
        let tokens = TurnTokens {
            total: 1_234_567,
            input: 1_234_000,
            output: 567,
            ..TurnTokens::default()
        };
        counted.count(&Usage {
            turn_tokens: Some(tokens),
            ..Usage::default()
        });
        counted.count(&Usage {
            used: Some(110),
            size: Some(258_400),
            cost: Some(Cost {
                amount: 0.0024,
                currency: "USD".to_owned(),
            }),
            turn_tokens: None,
        });
        let row = "usage: 1,234,567 tokens (1,234,000 read, 567 written), context 1 % of 258,400, $0.0024 so far";
        assert_eq!(counted.row().as_deref(), Some(row));
        assert_eq!(counted.row(), None, "what was said is not said again");
    }
}
