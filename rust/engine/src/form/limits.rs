//! Checks whether an answer keeps the limits that the agent has set for it.
//!
//! An expression that cannot be read here is not checked: the agent is the one that knows its dialect.

use regex_lite::RegexBuilder;
use serde_json::Value;
use siderail_acp::elicitation::Limits;

/// The most bytes that an expression may take.
const EXPRESSION: usize = 64 << 10;

/// What is wrong with a value, for people.
pub(super) fn complaint(limits: &Limits, value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => of_number(limits, number.as_f64()?),
        Value::String(text) => {
            let wrong = of_count(limits, text.chars().count(), "characters");
            wrong.or_else(|| of_pattern(limits, text))
        }
        Value::Array(chosen) => of_count(limits, chosen.len(), "of them"),
        _ => None,
    }
}

fn of_number(limits: &Limits, number: f64) -> Option<String> {
    let low = limits.lowest.filter(|lowest| number < *lowest);
    let high = limits.highest.filter(|highest| number > *highest);
    let too_low = low.map(|lowest| format!("It must be at least {lowest}."));
    too_low.or_else(|| high.map(|highest| format!("It must be at most {highest}.")))
}

fn of_count(limits: &Limits, n: usize, what: &str) -> Option<String> {
    let n = n as u64;
    let few = limits.fewest.filter(|fewest| n < *fewest);
    let many = limits.most.filter(|most| n > *most);
    let too_few = few.map(|fewest| format!("It must be at least {fewest} {what}."));
    too_few.or_else(|| many.map(|most| format!("It must be at most {most} {what}.")))
}

fn of_pattern(limits: &Limits, text: &str) -> Option<String> {
    let pattern = limits.pattern.as_deref()?;
    let expression = RegexBuilder::new(pattern).size_limit(EXPRESSION).build();
    let is_wrong = expression.is_ok_and(|expression| !expression.is_match(text));
    is_wrong.then(|| format!("It must be of the form {pattern}"))
}
