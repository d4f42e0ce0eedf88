//! Rows of tool calls: the agent's own, and those of our tools with what they changed.
//!
//! A call has a row when it begins to say something new, and its denial is not told twice: the row of one that has just
//! begun waits a moment, since the next event may say it better, or ask about it. A command is shown before it runs, and
//! its output behind it, folded.

use siderail_engine::event::{EventBody, OwnToolStatus, OwnToolView, ToolCallView};
use siderail_view::conversation::{Patch, What};

use super::{Asked, Block, HeldRow, Printing, ROW, Renderer, diff, flow, goes_beside_messages};
use crate::style::{Tone, harmless, names, one_line};

/// Lines of a command's output that are shown: the first, and the last, where most programs say how it went.
const FIRST_LINES: usize = 3;
const LAST_LINES: usize = 5;
/// The tool that runs command lines.
pub(super) const RUNS_COMMANDS: &str = "run_command";
/// Characters of such a line.
const OUTPUT_LINE: usize = 400;

impl Renderer {
    /// Takes what happens into the conversation. True when it is told of a call that was denied, which has its row.
    pub(super) fn is_of_a_denied_call(&mut self, body: &EventBody) -> bool {
        // What is said comes in many pieces, and says nothing of calls.
        if let EventBody::AgentMessage { .. } | EventBody::AgentThought { .. } = body {
            return false;
        }
        let patches = self.conversation.body(body);
        patches.iter().any(|patch| match patch {
            Patch::Append(item) | Patch::Replace(item) => {
                matches!(&item.what, What::Call(call) if call.denial.is_some())
            }
            _ => false,
        })
    }

    pub(super) fn tool_call(&mut self, out: &mut String, call: &ToolCallView, is_denied: bool) {
        let title = if call.title.is_empty() {
            &call.tool
        } else {
            &call.title
        };
        let mut label = one_line(&self.near(title), ROW);
        if let Some(command) = &call.command {
            let command = flow::lines_told(command, self.style.mark(" ⏎ ", " \\n "));
            let command = one_line(&self.near(&command), ROW);
            if !label.contains(&command) {
                label += &format!(": {command}");
            }
        }
        let over = is_over(call);
        self.activity = (!over).then(|| label.clone());
        if let Some(last) = output_lines(&call.text)
            .last()
            .filter(|_| !over && call.command.is_some())
        {
            // what its program has printed last, where the agent tells that meanwhile
            self.activity = Some(one_line(last, ROW));
        }
        let was_denied = over && (is_denied || self.awaits_a_verdict(call));
        // Where each event is a row of its own, the row of a call gets its end like every other.
        let ends_a_row = self.narrate && self.rows.contains_key(&call.tool_call_id);
        if call.own || (was_denied && !ends_a_row) {
            self.rows.remove(&call.tool_call_id);
            return;
        }
        let failed_with = call.exit_code.filter(|code| *code != 0);
        let (mark, tone) = match call.status.as_str() {
            "completed" if failed_with.is_some() => (self.style.mark("✗", "failed"), Tone::Bad),
            "completed" => (self.style.mark("✓", "ok"), Tone::Good),
            "failed" => (self.style.mark("✗", "failed"), Tone::Bad),
            "cancelled" => (self.style.mark("⊘", "cancelled"), Tone::Dim),
            _ => (self.style.mark("○", "-"), Tone::Dim),
        };
        let shown = format!("{mark} {label}");
        if self.rows.get(&call.tool_call_id) == Some(&shown) {
            return;
        }
        let mut row = format!("{} {label}", self.style.paint(tone, mark));
        let why = if was_denied { "denied" } else { &call.text };
        let is_shown_below = call.command.is_some() && !was_denied;
        if call.status == "failed" && !why.is_empty() && !is_shown_below {
            let why = format!(" ({})", one_line(why, ROW));
            row += &self.style.paint(Tone::Dim, &why);
        }
        if let Some(code) = failed_with {
            row += &self.style.paint(Tone::Bad, &format!(" (exit code {code})"));
        }
        if !over && !self.narrate {
            self.rows.insert(call.tool_call_id.clone(), shown);
            self.held_row = Some(HeldRow {
                tool_call_id: call.tool_call_id.clone(),
                row,
                request_id: None,
            });
            return;
        }
        self.row(out, &row);
        if over && call.command.is_some() && !was_denied {
            self.output(out, &call.text);
        }
        if over {
            self.rows.remove(&call.tool_call_id);
        } else {
            self.rows.insert(call.tool_call_id.clone(), shown);
        }
        if call.status == "completed" && !self.seen_changes.contains(&call.tool_call_id) {
            for change in &call.diffs {
                let path = self.near(&change.path);
                let text = match call.kind.as_str() {
                    "delete" if change.new_text.is_empty() => format!("deleted {path}\n"),
                    _ => diff::unified(&path, change.old_text.as_deref(), &change.new_text),
                };
                let text = diff::show(&text, self.style);
                self.push_rows(out, &text, 6);
            }
        }
    }

    /// Whether the row that waits goes on waiting: the event shows nothing, or belongs to its call.
    pub(super) fn keeps_held_row(&mut self, body: &EventBody) -> bool {
        let Some(held) = &mut self.held_row else {
            return true;
        };
        let is_it = |id: &Option<String>| id.as_ref().is_none_or(|id| *id == held.tool_call_id);
        match body {
            EventBody::AgentMessage { text, .. } | EventBody::AgentThought { text, .. } => {
                text.trim().is_empty()
            }
            EventBody::ToolCall(call) => {
                let is_it = call.tool_call_id == held.tool_call_id;
                if is_it && (is_over(call) || call.own) {
                    self.held_row = None;
                }
                is_it
            }
            EventBody::PermissionRequest {
                request_id,
                tool_call_id,
                asks,
                ..
            } if is_it(tool_call_id) => {
                held.request_id = Some(*request_id);
                if *asks {
                    // the question shows it
                    self.held_row = None;
                }
                true
            }
            EventBody::PreRejectionGuidance { .. } => true,
            EventBody::PermissionDenied { request_id, .. }
                if held.request_id == Some(*request_id) =>
            {
                // one row says both
                self.held_row = None;
                true
            }
            body => goes_beside_messages(body),
        }
    }

    /// Prints the row that waits.
    pub(super) fn release_row(&mut self, out: &mut String) {
        if let Some(held) = self.held_row.take() {
            self.row(out, &held.row);
        }
    }

    /// One that ends while a question about it is open gets its row from the end of that.
    fn awaits_a_verdict(&self, call: &ToolCallView) -> bool {
        let is_asked_about =
            |asked: &Asked| asked.tool_call_id.as_ref() == Some(&call.tool_call_id);
        call.status != "completed" && self.requests.values().any(is_asked_about)
    }

    pub(super) fn own_tool(&mut self, out: &mut String, call: &OwnToolView, was_denied: bool) {
        let tool = one_line(&call.tool, ROW);
        let failed_with = call.exit_code.filter(|code| *code != 0);
        let (mark, tone) = match call.status {
            OwnToolStatus::Started => return self.own_tool_started(out, call),
            OwnToolStatus::Completed if failed_with.is_some() => {
                (self.style.mark("✗", "failed"), Tone::Bad)
            }
            OwnToolStatus::Completed => (self.style.mark("✓", "ok"), Tone::Good),
            OwnToolStatus::Cancelled => (self.style.mark("⊘", "cancelled"), Tone::Dim),
            OwnToolStatus::Denied => (self.style.mark("✗", "denied"), Tone::Bad),
            OwnToolStatus::Failed => (self.style.mark("✗", "failed"), Tone::Bad),
        };
        self.activity = None;
        let printed = self.printing.take_if(|printing| printing.call == call.call);
        let printed = printed.map_or(Vec::new(), |printing| printing.shown);
        let is_denied = call.status == OwnToolStatus::Denied || call.text.starts_with("DENIED: ");
        let is_cancelled = call.status == OwnToolStatus::Cancelled;
        if (is_denied || is_cancelled && was_denied) && !self.narrate {
            // the denial has its row
            return;
        }
        // what such a tool says begins with the exit code and the time
        let (how, output) = match call.text.split_once('\n') {
            Some((how, output)) if call.exit_code.is_some() => (how, output),
            _ => (call.text.as_str(), ""),
        };
        // what was read is the model's business
        let how = match call.status {
            OwnToolStatus::Completed => how.lines().next().unwrap_or_default(),
            _ => how,
        };
        let how = how.split(", stamp ").next().unwrap_or_default();
        let how = without_error_code(how);
        let said = if call.status == OwnToolStatus::Completed && !call.paths.is_empty() {
            one_line(&names(&call.paths), ROW)
        } else {
            one_line(how, ROW)
        };
        let mut row = format!(
            "{} {}",
            self.style.paint(tone, mark),
            self.style.paint(Tone::Strong, &tool)
        );
        if !said.is_empty() {
            row += &format!(" {said}");
        }
        self.row(out, &row);
        self.output_behind(out, output, &printed);
        if let Some(text) = &call.diff {
            let text = diff::show(text, self.style);
            self.push_rows(out, &text, 6);
        }
    }

    /// Rows for what the command that runs prints: its first lines. Of the others the last one stands where the activity
    /// is told, and more of them behind the command's end.
    pub(crate) fn command_prints(&mut self, text: &str) -> String {
        let mut out = String::new();
        let at_terminal = self.columns.is_some() && !self.narrate;
        let printing = self.printing.as_mut();
        let Some(printing) = printing.filter(|printing| at_terminal && !printing.is_shared) else {
            return out;
        };
        let text = harmless(text);
        let lines = output_lines(&text);
        let room = FIRST_LINES.saturating_sub(printing.shown.len());
        let first: Vec<String> = lines.iter().take(room).map(|line| cut(line)).collect();
        printing.shown.extend(first.iter().cloned());
        if let Some(last) = lines.last().filter(|_| lines.len() > room) {
            self.activity = Some(one_line(last, ROW));
        }
        for line in first {
            let row = self.style.paint(Tone::Dim, &format!("    {line}"));
            self.enter(&mut out, Block::Rows);
            self.push_rows(&mut out, &format!("{row}\n"), 4);
        }
        out
    }

    /// A command is seen before it runs, whoever allowed it.
    fn own_tool_started(&mut self, out: &mut String, call: &OwnToolView) {
        let tool = one_line(&call.tool, ROW);
        if call.tool != RUNS_COMMANDS || call.text.trim().is_empty() {
            self.activity = Some(tool);
            return;
        }
        match &mut self.printing {
            Some(printing) => printing.is_shared = true,
            printing => {
                *printing = Some(Printing {
                    call: call.call,
                    is_shared: false,
                    shown: Vec::new(),
                });
            }
        }
        let command = flow::lines_told(&call.text, self.style.mark(" ⏎ ", " \\n "));
        let command = one_line(&self.near(&command), ROW);
        if self.seen_commands.remove(&call.text) {
            // right above, in the question about it
            self.activity = Some(command);
            return;
        }
        let mark = self.style.paint(Tone::Dim, self.style.mark("○", "-"));
        let tool = self.style.paint(Tone::Strong, &tool);
        self.row(out, &format!("{mark} {tool} $ {command}"));
        self.activity = Some(command);
    }

    /// What a program put out, folded: its first and its last lines.
    fn output(&mut self, out: &mut String, text: &str) {
        self.output_behind(out, text, &[]);
    }

    /// The same, of whose first lines some are on the screen already.
    fn output_behind(&mut self, out: &mut String, text: &str, printed: &[String]) {
        let text = harmless(text);
        let lines = output_lines(&text);
        let left_out = lines.len().saturating_sub(FIRST_LINES + LAST_LINES);
        // a line about one line that is left out is no gain
        let (n_first, left_out) = match left_out {
            0 | 1 => (lines.len(), 0),
            n => (FIRST_LINES, n),
        };
        let mut shown = String::new();
        let mut put = |line: &str| shown.push_str(&format!("    {line}\n"));
        let is_printed = n_first >= printed.len()
            && lines
                .iter()
                .zip(printed)
                .all(|(line, shown)| cut(line) == *shown);
        let n_printed = if is_printed { printed.len() } else { 0 };
        lines[n_printed..n_first]
            .iter()
            .for_each(|line| put(&cut(line)));
        if left_out > 0 {
            let all = if self.talks {
                "; /output shows all"
            } else {
                ""
            };
            put(&format!(
                "{} {left_out} more lines{all}",
                self.style.mark("…", "...")
            ));
            let last = &lines[n_first + left_out..];
            last.iter().for_each(|line| put(&cut(line)));
        }
        let shown = self.style.paint(Tone::Dim, &shown);
        self.push_rows(out, &shown, 4);
    }
}

/// What failed, without the word ahead of it that is for models and programs.
fn without_error_code(how: &str) -> &str {
    let is_code = |word: &str| word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    match how.split_once(": ") {
        Some((word, rest)) if is_code(word) => rest,
        _ => how,
    }
}

/// The lines of a command's output that people are shown.
fn output_lines(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim_end);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with("```"))
        .collect()
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(OUTPUT_LINE) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

fn is_over(call: &ToolCallView) -> bool {
    matches!(call.status.as_str(), "completed" | "failed" | "cancelled")
}
