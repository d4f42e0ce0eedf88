//! Turns events into text for people: a state that takes one event and answers what to print.
//!
//! It writes nothing, reads no clock and asks nobody; errors and questions are shown elsewhere. What
//! agents say passes through `style::harmless` on its way. Rows of the permission flow are worded in
//! `flow.rs`, calls of tools in `calls.rs`, what is a row by itself in `rows.rs`, differences in `diff.rs`, the last
//! words in `summary.rs`.

mod calls;
pub(crate) mod diff;
mod flow;
mod inline;
mod layout;
mod markdown;
mod narration;
mod rows;
mod summary;
mod table;
mod usage;
pub(crate) mod wrap;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use siderail_engine::event::{EventBody, LogKind, PlanEntry, PromptOrigin};
use siderail_view::Conversation;

use crate::style::{Style, Tone, harmless, one_line};
use layout::Page;
use markdown::Markdown;

/// Characters of a row's text.
const ROW: usize = 160;
/// Characters of a notice.
const NOTICE: usize = 400;

/// What has been printed so far, as far as it matters for what comes next.
pub(crate) struct Renderer {
    style: Style,
    /// The project's folder with the slash behind it, or empty.
    project: String,
    /// Name each event of the permission flow by its word.
    narrate: bool,
    /// Show prompts, too.
    talks: bool,
    /// The terminal's columns, where there is a terminal.
    columns: Option<fn() -> usize>,
    /// The message that is being shown on one.
    markdown: Markdown,
    block: Block,
    /// Line ends at the end of what was printed, counted up to two.
    line_ends: u8,
    message_id: Option<String>,
    /// Open tool calls: what their last row said.
    rows: HashMap<String, String>,
    /// The row of a call that has just begun: what comes next may say more of it.
    held_row: Option<HeldRow>,
    printing: Option<Printing>,
    /// What belongs to which call.
    conversation: Conversation,
    /// Permission requests without a verdict.
    requests: HashMap<u64, Asked>,
    /// Tool calls whose change a person has seen in the question about it.
    seen_changes: HashSet<String>,
    /// The same of command lines for our own tool.
    seen_commands: HashSet<String>,
    /// Ways of guidance, and why it was lost there, that this task has told of.
    lost: HashSet<String>,
    /// Notices that a row has said.
    notices: HashSet<String>,
    /// How many more may say the same: the person has asked for something as often.
    owed: u32,
    plan: Vec<PlanEntry>,
    usage: usage::Counted,
    activity: Option<String>,
}

/// A command of our own tool that prints while it runs.
struct Printing {
    call: u64,
    /// Another one runs at the same time, so that nobody could tell whose a line is.
    is_shared: bool,
    /// The first lines, which are on the screen.
    shown: Vec<String>,
}

/// A row that waits a moment for what comes of its call.
struct HeldRow {
    tool_call_id: String,
    row: String,
    /// The permission request about it.
    request_id: Option<u64>,
}

/// What a verdict's row needs to know of its request.
#[derive(Default)]
struct Asked {
    label: String,
    tool_call_id: Option<String>,
    told: Option<Told>,
}

/// Guidance that went out ahead of a denial.
struct Told {
    channel: siderail_engine::event::GuidanceChannel,
    instead: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Nothing,
    Rows,
    Message,
    Thought,
}

impl Renderer {
    /// A renderer for a stream that can show `style`.
    pub(crate) fn new(style: Style) -> Self {
        Self {
            style,
            project: String::new(),
            narrate: false,
            talks: false,
            columns: None,
            markdown: Markdown::default(),
            block: Block::Nothing,
            line_ends: 2,
            message_id: None,
            rows: HashMap::new(),
            held_row: None,
            printing: None,
            conversation: Conversation::new(0),
            requests: HashMap::new(),
            seen_changes: HashSet::new(),
            seen_commands: HashSet::new(),
            lost: HashSet::new(),
            notices: HashSet::new(),
            owed: 0,
            plan: Vec::new(),
            usage: usage::Counted::default(),
            activity: None,
        }
    }

    /// The same renderer, naming each event of the permission flow by its word.
    pub(crate) fn narrating(mut self) -> Self {
        self.narrate = true;
        self
    }

    /// The same renderer, for a conversation: prompts are shown, too.
    pub(crate) fn talking(mut self) -> Self {
        self.talks = true;
        self
    }

    /// The same renderer, which leaves the project's folder out where agents write it ahead of a file.
    pub(crate) fn in_project(mut self, folder: &Path) -> Self {
        self.project = format!("{}/", folder.display());
        self
    }

    /// The same renderer, for a terminal of so many columns: messages are laid out, and words are not cut.
    pub(crate) fn within(mut self, columns: fn() -> usize) -> Self {
        self.columns = Some(columns);
        self
    }

    /// What the terminal can show. Its last column stays free: what stands there makes some terminals begin a row.
    fn page(&self) -> Option<Page> {
        let columns = self.columns?().saturating_sub(1);
        Some(Page {
            style: self.style,
            columns,
        })
    }

    fn near(&self, text: &str) -> String {
        match self.project.as_str() {
            "" | "/" => text.to_owned(),
            project => text.replace(project, ""),
        }
    }

    /// True when the next text begins on a line of its own.
    pub(crate) fn at_line_start(&self) -> bool {
        self.line_ends > 0
    }

    /// What is going on, for a waiting person.
    pub(crate) fn activity(&self) -> &str {
        self.activity.as_deref().unwrap_or("waiting for the agent")
    }

    /// What to print for an event; empty when there is nothing to show.
    pub(crate) fn event(&mut self, body: &EventBody) -> String {
        if let EventBody::Restored { entry, .. } = body {
            // shown as what it was, so that parts of a message stay together
            return self.event(entry);
        }
        let is_denied = self.is_of_a_denied_call(body);
        let mut out = match goes_beside_messages(body) {
            true => String::new(),
            false => self.complete(),
        };
        if !self.keeps_held_row(body) {
            self.release_row(&mut out);
        }
        if let Some(row) = self.single_row(body) {
            self.row(&mut out, &row);
            return out;
        }
        match body {
            EventBody::AgentMessage { text, message_id } => {
                self.chunk(&mut out, Block::Message, text, message_id.as_deref());
            }
            EventBody::AgentThought { text, message_id } => {
                self.chunk(&mut out, Block::Thought, text, message_id.as_deref());
            }
            EventBody::ToolCall(call) => self.tool_call(&mut out, call, is_denied),
            EventBody::OwnTool(call) => self.own_tool(&mut out, call, is_denied),
            EventBody::Plan { entries } => self.plan(&mut out, entries),
            EventBody::TurnEnded {
                stop_reason, text, ..
            } => self.turn_ended(&mut out, stop_reason, text.as_deref()),
            EventBody::Summary(summary) => {
                self.enter(&mut out, Block::Nothing);
                let text = summary::text(summary, self.style);
                self.push_rows(&mut out, &text, 4);
            }
            EventBody::TurnStarted { origin, text } => {
                self.activity = None;
                self.seen_changes.clear();
                self.seen_commands.clear();
                // What was asked for ahead of it and was not answered by now has come about.
                self.owed = 0;
                if *origin == PromptOrigin::User {
                    // Nothing has come again yet in a new task.
                    self.lost.clear();
                }
                if self.talks && *origin != PromptOrigin::Continuation {
                    self.prompt(&mut out, text);
                }
            }
            EventBody::Steered { text, taken: true } => self.prompt(&mut out, text),
            EventBody::AgentLog {
                kind: LogKind::Notice,
                text,
            } => self.notice(&mut out, text),
            // a person is shown it with the question
            EventBody::PlanProposed { .. } | EventBody::SessionOptions { .. } => {}
            EventBody::Changes { .. } => {}
            EventBody::Restored { .. } => {}
            EventBody::Steered { text, .. } => {
                let row = format!("queued until the turn ends: {}", one_line(text, ROW));
                let row = self.style.paint(Tone::Dim, &row);
                self.row(&mut out, &row);
            }
            EventBody::AgentCommands { .. } => {}
            EventBody::Usage(usage) => self.usage.count(usage),
            EventBody::AgentNotice { text, .. } => self.notice(&mut out, text),
            // Told by commands of their own, or of use to a window only.
            EventBody::SessionTitle { .. }
            | EventBody::History { .. }
            | EventBody::HistoryExported { .. }
            | EventBody::Agents { .. }
            | EventBody::LoginNeeded { .. } => {}
            EventBody::Hidden { .. } | EventBody::AgentLog { .. } | EventBody::Error { .. } => {}
            other => self.flow(&mut out, other),
        }
        out
    }

    /// The person has asked for something: what is said to that is said, however often it was said before.
    pub(crate) fn answers_anew(&mut self) {
        self.owed += 1;
    }

    /// What is left of a message that is laid out line by line, for something that comes behind it.
    pub(crate) fn complete(&mut self) -> String {
        let mut out = String::new();
        if let Some(page) = self.page().filter(|_| !self.markdown.is_empty()) {
            let text = self.markdown.end(page);
            self.put_message(&mut out, &text);
        }
        out
    }

    /// What came of a message or call so far, where nothing comes for a while.
    pub(crate) fn catch_up(&mut self) -> String {
        let mut out = String::new();
        self.release_row(&mut out);
        if let Some(page) = self.page() {
            let text = self.markdown.catch_up(page);
            self.put_message(&mut out, &text);
        }
        out
    }

    /// Ends an open line, for text that somebody else prints.
    pub(crate) fn close_line(&mut self) -> String {
        self.markdown.interrupt();
        let mut out = String::new();
        self.need_line_ends(&mut out, 1);
        out
    }

    fn chunk(&mut self, out: &mut String, block: Block, text: &str, message_id: Option<&str>) {
        let mut text = harmless(text);
        if self.block != block {
            text = text.trim_start_matches('\n').to_owned().into();
        }
        if text.is_empty() {
            return;
        }
        let begins = self.block != block;
        if begins {
            out.push_str(&self.complete());
        }
        self.enter(out, block);
        if let Some(id) = message_id {
            if !begins && self.message_id.as_deref().is_some_and(|last| last != id) {
                out.push_str(&self.complete());
                self.need_line_ends(out, 2);
                self.markdown.begin();
            }
            self.message_id = Some(id.to_owned());
        }
        if let Some(page) = self.page() {
            let text = self.markdown.push(&text, page);
            return self.put_message(out, &text);
        }
        if block == Block::Thought {
            if begins && !self.style.colour {
                self.push(out, "(thinking) ");
            }
            let dimmed = self.style.paint(Tone::Dim, &text);
            out.push_str(&dimmed);
            self.track(&text);
        } else {
            self.push(out, &text);
        }
    }

    /// Prints rows of a message or thought that are complete.
    fn put_message(&mut self, out: &mut String, text: &str) {
        if text.is_empty() {
            return;
        }
        let dims = self.block == Block::Thought;
        match dims {
            true => out.push_str(&self.style.paint(Tone::Dim, text)),
            false => out.push_str(text),
        }
        self.track(text);
    }

    /// What the user said.
    fn prompt(&mut self, out: &mut String, text: &str) {
        self.enter(out, Block::Nothing);
        for (at, line) in harmless(text.trim_end()).lines().enumerate() {
            let sign = if at == 0 { ">" } else { " " };
            let row = self
                .style
                .paint(Tone::Strong, format!("{sign} {line}").trim_end());
            self.push_rows(out, &format!("{row}\n"), 2);
        }
    }

    fn plan(&mut self, out: &mut String, entries: &[PlanEntry]) {
        if self.plan == entries || entries.is_empty() {
            return;
        }
        self.plan = entries.to_vec();
        self.row(out, "plan:");
        for entry in entries {
            let text = one_line(&entry.text, ROW);
            let row = match entry.status.as_str() {
                "completed" => {
                    let mark = self.style.mark("✓", "x");
                    self.style.paint(Tone::Dim, &format!("  [{mark}] {text}"))
                }
                "in_progress" => self.style.paint(Tone::Strong, &format!("  [>] {text}")),
                _ => format!("  [ ] {text}"),
            };
            self.row(out, &row);
        }
    }

    /// What a person should know of the session, each thing once.
    fn notice(&mut self, out: &mut String, text: &str) {
        let is_new = self.notices.insert(text.to_owned());
        if is_new || self.owed > 0 {
            self.owed = self.owed.saturating_sub(1);
            let row = format!("note: {}", one_line(text, NOTICE));
            let row = self.style.paint(Tone::Notice, &row);
            self.row(out, &row);
        }
    }

    fn turn_ended(&mut self, out: &mut String, stop_reason: &str, text: Option<&str>) {
        self.activity = None;
        self.rows.clear();
        self.message_id = None;
        self.need_line_ends(out, 1);
        if stop_reason != "end_turn" {
            let mut row = format!("the turn ended: {}", one_line(stop_reason, ROW));
            if let Some(text) = text {
                row += &format!(" ({})", one_line(text, ROW));
            }
            let row = self.style.paint(Tone::Notice, &row);
            self.row(out, &row);
        }
        if let Some(row) = self.usage.row() {
            let row = self.style.paint(Tone::Dim, &row);
            self.row(out, &row);
        }
    }

    fn row(&mut self, out: &mut String, row: &str) {
        self.enter(out, Block::Rows);
        self.push_rows(out, row, 2);
        self.push(out, "\n");
    }

    /// Prints text in rows of the terminal's width, those behind a break a little to the right.
    fn push_rows(&mut self, out: &mut String, text: &str, hang: usize) {
        match self.page() {
            Some(page) => self.push(out, &wrap::wrapped(text, page.columns, hang)),
            None => self.push(out, text),
        }
    }

    /// Puts an empty line between text and rows.
    fn enter(&mut self, out: &mut String, block: Block) {
        if self.block == block {
            return;
        }
        self.need_line_ends(out, 2);
        self.markdown.begin();
        self.block = block;
    }

    fn need_line_ends(&mut self, out: &mut String, n: u8) {
        while self.line_ends < n {
            self.push(out, "\n");
        }
    }

    fn push(&mut self, out: &mut String, text: &str) {
        out.push_str(text);
        self.track(text);
    }

    fn track(&mut self, text: &str) {
        let ends = text
            .bytes()
            .rev()
            .take(2)
            .take_while(|byte| *byte == b'\n')
            .count();
        if ends == text.len() {
            self.line_ends = (self.line_ends + ends as u8).min(2);
        } else {
            self.line_ends = ends as u8;
        }
    }
}

/// Whether an event may come in the middle of a message without ending a line of it: it shows nothing.
fn goes_beside_messages(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::AgentMessage { .. }
            | EventBody::AgentThought { .. }
            | EventBody::Usage(_)
            | EventBody::SessionOptions { .. }
            | EventBody::AgentCommands { .. }
            | EventBody::SessionTitle { .. }
            | EventBody::AgentLog {
                kind: LogKind::Noise,
                ..
            }
    )
}

#[cfg(test)]
mod tests;
