//! The exit code of the program that an agent's call ran, wherever the agent puts it. Knows no session.

use crate::tool_call::ToolCall;
use serde_json::Value;

/// How deep in a result an exit code is looked for.
const DEPTH: u32 = 4;
/// What agents call the status of a program.
const EXIT_CODES: [&str; 5] = ["exit_code", "exitCode", "exit", "returncode", "return_code"];
/// Lines from the end in which an agent may give the status in words.
const LAST_LINES: usize = 5;

/// The status of the program that a call ran, if the agent gives it.
pub fn exit_code(call: &ToolCall) -> Option<i64> {
    let told = told_code(&call.raw_output, DEPTH)
        .or_else(|| told_code(call.meta.get("terminal_exit")?, DEPTH));
    told.or_else(|| code_in_words(&call.content_text()))
}

fn told_code(value: &Value, depth: u32) -> Option<i64> {
    match value {
        Value::Object(members) => {
            let named = EXIT_CODES
                .iter()
                .find_map(|name| members.get(*name)?.as_i64());
            let mut deeper = members.values();
            named.or_else(|| deeper.find_map(|value| told_code(value, depth.checked_sub(1)?)))
        }
        Value::Array(values) => values
            .iter()
            .find_map(|value| told_code(value, depth.checked_sub(1)?)),
        _ => None,
    }
}

/// `[Exit code: 1]`, `<shellId: 0 completed with exit code 1>`, `Exit Code: 1` near the end; `Exit code 1` at the start.
fn code_in_words(text: &str) -> Option<i64> {
    let first = text.lines().next().filter(|line| is_code_alone(line));
    let mut lines = text.lines().rev().take(LAST_LINES).chain(first);
    lines.find_map(code_of_line)
}

fn is_code_alone(line: &str) -> bool {
    let start = line.get(..9);
    start.is_some_and(|start| start.eq_ignore_ascii_case("exit code"))
}

fn code_of_line(line: &str) -> Option<i64> {
    let lower = line.to_ascii_lowercase();
    let (_, rest) = lower.rsplit_once("exit code")?;
    let rest = rest.trim_start_matches([':', ' ']);
    let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let is_end = !rest[number.len()..].contains(char::is_alphanumeric);
    is_end.then_some(number)?.parse().ok()
}

/// A program's output, without the line near its end in which the agent repeats `code`, which is reported separately.
pub fn without_code(text: &str, code: i64) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let says_it = |line: &&str| {
        let is_the_agents = line.starts_with(['[', '<']) || is_code_alone(line);
        is_the_agents && code_of_line(line) == Some(code)
    };
    let from = lines.len().saturating_sub(LAST_LINES);
    let at_end = lines[from..].iter().rposition(says_it);
    let at_start = || lines.first().is_some_and(&says_it).then_some(0);
    match at_end.map(|at| from + at).or_else(at_start) {
        Some(at) => [&lines[..at], &lines[at + 1..]].concat().join("\n"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_of_the_agents_that_repeats_the_status_is_no_output() {
        let told = "1\n2\n<shellId: 0 completed with exit code 3>";
        assert_eq!(without_code(told, 3), "1\n2");
        assert_eq!(without_code(told, 0), told, "it says something else");
        assert_eq!(without_code("a\n\n[Exit code: 1]\n", 1), "a\n");
        let lines = "1\n".repeat(30);
        assert_eq!(
            without_code(&format!("Exit code 3\n{lines}"), 3),
            lines.trim_end()
        );
        let said = "the exit code: 1";
        assert_eq!(without_code(said, 1), said, "the program said it");
    }

    fn call(content: &str, raw_output: Value, meta: Value) -> ToolCall {
        let mut call = ToolCall::new("1");
        if !content.is_empty() {
            let block = json!({"type": "content", "content": {"type": "text", "text": content}});
            call.content = vec![block].into();
        }
        call.raw_output = raw_output;
        call.meta = meta;
        call
    }

    #[test]
    fn the_status_of_a_program_is_read_from_what_each_agent_reports() {
        let none = || Value::Null;
        let words = "x: Permission denied\n";
        let calls = [
            // Codex, its older adapter, Qwen, opencode, Copilot, OpenHands, fast-agent.
            call("", json!({"exit_code": 1}), none()),
            call(
                "",
                none(),
                json!({"terminal_exit": {"exit_code": 1, "signal": null}}),
            ),
            call("", json!({"stdout": "", "exit_code": 1}), none()),
            call("a", json!({"type": "shell_result", "exitCode": 1}), none()),
            call("a", json!({"output": "", "metadata": {"exit": 1}}), none()),
            call(
                "a",
                json!({"contents": [{"type": "shell_exit", "exitCode": 1}]}),
                none(),
            ),
            call(
                "a",
                json!({"observation": {"metadata": {"exit_code": 1}}}),
                none(),
            ),
            call(&format!("{words}\n\n[Exit code: 1]"), none(), none()),
            call(
                &format!("{words}<shellId: 0 completed with exit code 1>"),
                none(),
                none(),
            ),
            // Claude Code
            call(
                &format!("Exit code 1\n{}", "a\n".repeat(20)),
                none(),
                none(),
            ),
            call(
                "Error: (none)\nExit Code: 1\nSignal: (none)",
                none(),
                none(),
            ),
        ];
        for call in calls {
            assert_eq!(exit_code(&call), Some(1), "{call:?}");
        }
        for (content, output) in [
            ("[Exit code: 0]", none()),
            ("fine", json!({"exit_code": 0})),
            ("it said exit code 1 is bad", none()),
            ("fine", json!({"exit_code": null})),
        ] {
            let call = call(content, output, none());
            assert_ne!(exit_code(&call), Some(1), "{call:?}");
        }
    }
}
