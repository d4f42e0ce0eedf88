//! Rows of tool calls: the agent's own, and those of our tools with what they changed.
//!
//! A call gets a row when there is something new to say of it. The row of one that has just begun waits a moment, since the
//! next event may say it better, ask about it or deny it. A command is shown before it runs, and its output below it,
//! folded.

use siderail_engine::event::{OwnToolStatus, OwnToolView, ToolCallStatus, ToolCallView, ToolKind};
use siderail_engine::guard::Tool;

use super::{CallItem, Printing, ROW, Renderer, diff};
use crate::style::{Tone, harmless, names, one_line};

/// Lines of a command's output that are shown: the first, and the last, where most programs say how it went.
const FIRST_LINES: usize = 3;
const LAST_LINES: usize = 5;
/// Characters of such a line.
const OUTPUT_LINE: usize = 400;

impl Renderer {
    pub(super) fn tool_call(&mut self, call: &ToolCallView, item: CallItem<'_>) {
        self.printer.print_row_of_another(item.id);
        let label = self.call_label(call);
        let over = call.status.is_final();
        self.activity = (!over).then(|| label.clone());
        if let Some(last) = output_lines(&call.text)
            .last()
            .filter(|_| !over && call.command.is_some())
        {
            // What its program has printed last, if the agent reports that meanwhile.
            self.activity = Some(one_line(last, ROW));
        }
        if over || call.own {
            self.printer.drop_waiting_row(item.id);
        }
        // One that ends while a question about it is open gets its row from the end of that.
        let is_asked_about = |request| self.requests.contains_key(request);
        let awaits_verdict = call.status != ToolCallStatus::Completed
            && item.call.request_ids.iter().any(is_asked_about);
        let was_denied = over && (item.call.denial.is_some() || awaits_verdict);
        // Where each event is a row of its own, the row of a call gets its end like every other.
        let ends_a_row = self.narrate && self.call_rows.contains_key(&item.id);
        if call.own || (was_denied && !ends_a_row) {
            self.call_rows.remove(&item.id);
            if call.status == ToolCallStatus::Failed && !item.call.is_at_server && !was_denied {
                self.failed_ahead(call, item);
            }
            return;
        }
        let failed_with = call.exit_code.filter(|code| *code != 0);
        let (mark, tone) = self.mark(status_of(call), failed_with);
        let shown = format!("{mark} {label}");
        if self.call_rows.get(&item.id) == Some(&shown) {
            return;
        }
        let mut row = format!("{} {label}", self.style.paint(tone, mark));
        let why = if was_denied { "denied" } else { &call.text };
        let is_shown_below = call.command.is_some() && !was_denied;
        if call.status == ToolCallStatus::Failed && !why.is_empty() && !is_shown_below {
            let why = format!(" ({})", one_line(why, ROW));
            row += &self.style.paint(Tone::Dim, &why);
        }
        if let Some(code) = failed_with {
            row += &self.style.paint(Tone::Bad, &format!(" (exit code {code})"));
        }
        match over {
            true => self.call_rows.remove(&item.id),
            false => self.call_rows.insert(item.id, shown),
        };
        if !over && !self.narrate {
            return self.printer.row_later(item.id, row);
        }
        self.printer.row(&row);
        if over && call.command.is_some() && !was_denied {
            self.output(&call.text, &[]);
        }
        if call.status == ToolCallStatus::Completed && !self.seen_changes.contains(&item.id) {
            self.file_changes(call);
        }
    }

    /// A call of our tool whose tool never ran: nothing but the agent's announcement says why.
    fn failed_ahead(&mut self, call: &ToolCallView, item: CallItem<'_>) {
        let lines = call.text.lines().filter(|line| !line.starts_with("```"));
        let told = OwnToolView {
            call: 0,
            tool: call.tool.as_str().into(),
            status: OwnToolStatus::Failed,
            text: lines.collect::<Vec<_>>().join("\n"),
            paths: Vec::new(),
            diff: None,
            exit_code: None,
        };
        self.own_tool(&told, item);
    }

    fn file_changes(&mut self, call: &ToolCallView) {
        for change in &call.diffs {
            let path = self.near(&change.path);
            let text = match call.kind {
                ToolKind::Delete if change.new_text.is_empty() => format!("deleted {path}\n"),
                _ => diff::unified(&path, change.old_text.as_deref(), &change.new_text),
            };
            self.printer.lines(&diff::show(&text, self.style), 6);
        }
    }

    pub(super) fn own_tool(&mut self, call: &OwnToolView, item: CallItem<'_>) {
        if call.status == OwnToolStatus::Started {
            return self.own_tool_started(call);
        }
        self.activity = None;
        let printed = self.printing.take_if(|printing| printing.call == call.call);
        let printed = printed.map_or(Vec::new(), |printing| printing.shown);
        let is_denied = call.status == OwnToolStatus::Denied || call.text.starts_with("DENIED: ");
        let is_cancelled = call.status == OwnToolStatus::Cancelled;
        let was_denied = item.call.denial.is_some();
        if (is_denied || is_cancelled && was_denied) && !self.narrate {
            // the denial has its row
            return;
        }
        // what such a tool says begins with the exit code and the time
        let (how, output) = match call.text.split_once('\n') {
            Some((how, output)) if call.exit_code.is_some() => (how, output),
            _ => (call.text.as_str(), ""),
        };
        // What was read is for the model.
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
        let failed_with = call.exit_code.filter(|code| *code != 0);
        let (mark, tone) = self.mark(call.status, failed_with);
        let tool = one_line(call.tool.as_str(), ROW);
        let mut row = format!(
            "{} {}",
            self.style.paint(tone, mark),
            self.style.paint(Tone::Strong, &tool)
        );
        if !said.is_empty() {
            row += &format!(" {said}");
        }
        self.printer.row(&row);
        self.output(output, &printed);
        if let Some(text) = &call.diff {
            self.printer.lines(&diff::show(text, self.style), 6);
        }
    }

    /// How a call has ended, or that it has not.
    fn mark(&self, status: OwnToolStatus, failed_with: Option<i64>) -> (&'static str, Tone) {
        let mark = |mark, ascii| self.style.mark(mark, ascii);
        match status {
            OwnToolStatus::Completed if failed_with.is_none() => (mark("✓", "ok"), Tone::Good),
            OwnToolStatus::Completed | OwnToolStatus::Failed => (mark("✗", "failed"), Tone::Bad),
            OwnToolStatus::Denied => (mark("✗", "denied"), Tone::Bad),
            OwnToolStatus::Cancelled => (mark("⊘", "cancelled"), Tone::Dim),
            OwnToolStatus::Started => (mark("○", "-"), Tone::Dim),
        }
    }

    fn call_label(&self, call: &ToolCallView) -> String {
        let title = match call.title.as_str() {
            "" => &call.tool,
            title => title,
        };
        let label = one_line(&self.near(title), ROW);
        let command = call.command.as_deref();
        match command.map(|command| self.command_label(command)) {
            Some(command) if !label.contains(&command) => format!("{label}: {command}"),
            _ => label,
        }
    }

    fn command_label(&self, command: &str) -> String {
        one_line(&self.near(&self.joined_lines(command)), ROW)
    }

    /// Rows for the output of a running command: its first lines. Of the others the last one is shown with the
    /// activity, and more of them after the command's end.
    pub(crate) fn command_prints(&mut self, text: &str) -> String {
        let at_terminal = self.printer.is_terminal() && !self.narrate;
        let printing = self.printing.as_mut();
        let Some(printing) = printing.filter(|printing| at_terminal && !printing.is_shared) else {
            return String::new();
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
            let line = self.style.paint(Tone::Dim, &format!("    {line}"));
            self.printer.lines(&format!("{line}\n"), 4);
        }
        self.printer.take()
    }

    /// A command is shown before it runs, whoever allowed it.
    fn own_tool_started(&mut self, call: &OwnToolView) {
        let tool = one_line(call.tool.as_str(), ROW);
        if self.is_past && call.tool.known() == Some(Tool::AskUser) {
            // where it is live, the question itself is on the screen
            let mark = self.style.paint(Tone::Dim, self.style.mark("○", "-"));
            let question = one_line(&call.text, ROW);
            let tool = self.style.paint(Tone::Strong, &tool);
            self.printer.row(&format!("{mark} {tool} {question}"));
            return;
        }
        if call.tool.known() != Some(Tool::RunCommand) || call.text.trim().is_empty() {
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
        let command = self.command_label(&call.text);
        if self.seen_commands.remove(&call.text) {
            // right above, in the question about it
            self.activity = Some(command);
            return;
        }
        let mark = self.style.paint(Tone::Dim, self.style.mark("○", "-"));
        let tool = self.style.paint(Tone::Strong, &tool);
        self.printer.row(&format!("{mark} {tool} $ {command}"));
        self.activity = Some(command);
    }

    /// What a program put out, folded: its first and its last lines. Some of the first may be on the screen already.
    fn output(&mut self, text: &str, printed: &[String]) {
        let text = harmless(text);
        let lines = output_lines(&text);
        let left_out = lines.len().saturating_sub(FIRST_LINES + LAST_LINES);
        // a line about one line that is left out is not a gain
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
            let all = if self.has_commands {
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
        self.printer.lines(&shown, 4);
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

/// How far a call of the agent's own tools is, in the words for ours.
fn status_of(call: &ToolCallView) -> OwnToolStatus {
    match call.status {
        ToolCallStatus::Completed => OwnToolStatus::Completed,
        ToolCallStatus::Failed => OwnToolStatus::Failed,
        ToolCallStatus::Cancelled => OwnToolStatus::Cancelled,
        _ => OwnToolStatus::Started,
    }
}
