//! Turns events into text for people: takes one event and returns what to print.
//!
//! It writes nothing, reads no clock and asks nobody; errors and questions are shown elsewhere. What agents say passes
//! through `style::harmless` on its way. `siderail_view`'s conversation knows what belongs together: the pieces of a
//! message, the events of one call. Here they are worded: tool calls in `tool_calls.rs`, permissions in
//! `permissions.rs` (with `-v` in `named_events.rs`), other events of one row in `session_rows.rs`, differences in
//! `diff.rs`, the end in `summary.rs`. `printer.rs` puts rows and messages below each other.

pub(crate) mod diff;
mod inline;
mod layout;
mod markdown;
mod named_events;
mod permissions;
mod printer;
mod session_rows;
mod summary;
mod table;
mod tool_calls;
mod usage;
pub(crate) mod wrap;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use siderail_engine::event::{
    self, AgentLog, AgentNotice, ChangeKind, ChangedFile, EventBody, LogKind, Plan, PlanEntry,
    PlanEntryStatus, PromptOrigin, Restored, StopReason, TurnEnded, TurnStarted,
};
use siderail_view::Conversation;
use siderail_view::conversation::{Call, Item, Patch, PromptWay, What};

use crate::style::{Style, Tone, harmless, names, one_line};
use printer::Printer;

/// Characters of a row's text.
const ROW: usize = 160;
/// Characters of an error of the past.
const PAST_ERROR: usize = 200;
/// Characters of a notice.
const NOTICE: usize = 400;

/// What has been shown so far, as far as it matters for what comes next.
pub(crate) struct Renderer {
    style: Style,
    /// The project's folder with the slash behind it, or empty.
    project: String,
    /// Name each event of the permission flow by its word.
    narrate: bool,
    /// Show prompts, too.
    talks: bool,
    /// There is a line for `/output`.
    has_commands: bool,
    /// What is shown has happened long ago.
    is_past: bool,
    printer: Printer,
    /// Which events belong together.
    conversation: Conversation,
    /// Open tool calls, and what their last row said.
    call_rows: HashMap<u64, String>,
    printing: Option<Printing>,
    /// Permission requests without a verdict, in the words that a person would judge by.
    requests: HashMap<u64, String>,
    /// Calls whose change a person has seen in the question about it.
    seen_changes: HashSet<u64>,
    /// The same of command lines for our own tool.
    seen_commands: HashSet<String>,
    /// Channels on which guidance was lost in this task, and why; each has had its row.
    lost_guidance: HashSet<String>,
    /// Notices that have been shown.
    notices: HashSet<String>,
    /// How many of them may be shown again: as often as the person has asked for something.
    repeats: u32,
    plan: Vec<PlanEntry>,
    usage: usage::Counted,
    activity: Option<String>,
}

/// A command of our own tool that prints while it runs.
struct Printing {
    call: u64,
    /// Another one runs at the same time, so it would be unclear whose a line is.
    is_shared: bool,
    /// The first lines, which are on the screen.
    shown: Vec<String>,
}

/// The item of the call that an event is about.
#[derive(Clone, Copy)]
struct CallItem<'a> {
    id: u64,
    call: &'a Call,
}

impl Renderer {
    /// A renderer for a stream that can show `style`.
    pub(crate) fn new(style: Style) -> Self {
        Self {
            style,
            project: String::new(),
            narrate: false,
            talks: false,
            has_commands: false,
            is_past: false,
            printer: Printer::new(style),
            conversation: Conversation::new(0),
            call_rows: HashMap::new(),
            printing: None,
            requests: HashMap::new(),
            seen_changes: HashSet::new(),
            seen_commands: HashSet::new(),
            lost_guidance: HashSet::new(),
            notices: HashSet::new(),
            repeats: 0,
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

    /// The same renderer, which may name the chat's commands.
    pub(crate) fn with_commands(mut self) -> Self {
        self.has_commands = true;
        self
    }

    /// The same renderer, which leaves the project's folder out where agents write it ahead of a file.
    pub(crate) fn in_project(mut self, folder: &Path) -> Self {
        self.project = format!("{}/", folder.display());
        self
    }

    /// The same renderer, for a terminal of so many columns: messages are laid out, and words are not cut.
    pub(crate) fn within(mut self, columns: fn() -> usize) -> Self {
        self.printer.within(columns);
        self
    }

    /// True when the next text begins on a line of its own.
    pub(crate) fn at_line_start(&self) -> bool {
        self.printer.at_line_start()
    }

    /// What is going on, for a waiting person.
    pub(crate) fn activity(&self) -> &str {
        self.activity.as_deref().unwrap_or("waiting for the agent")
    }

    /// What to print for an event; empty when there is nothing to show.
    pub(crate) fn event(&mut self, body: &EventBody) -> String {
        self.happened(body);
        self.printer.take()
    }

    /// The same of an event that was recorded or saved: with its error, which is a failure of the run where it is live.
    pub(crate) fn past_event(&mut self, body: &EventBody) -> String {
        self.is_past = true;
        let mut shown = self.event(body);
        self.is_past = false;
        if let EventBody::Error(event::Error { text, .. }) = body {
            shown += &format!(
                "{}error: {}\n",
                self.close_line(),
                one_line(text, PAST_ERROR)
            );
        }
        shown
    }

    /// The person has asked for something: the notice that answers is shown, even where it was shown before.
    pub(crate) fn answers_anew(&mut self) {
        self.repeats += 1;
    }

    /// What is left of a message or call, for something that comes behind it.
    pub(crate) fn complete(&mut self) -> String {
        self.printer.print_waiting_row();
        self.printer.end_message();
        self.printer.take()
    }

    /// The outcome of a message or call so far, where nothing comes for a while.
    pub(crate) fn catch_up(&mut self) -> String {
        self.printer.catch_up();
        self.printer.take()
    }

    /// Ends an open line, for text that somebody else prints.
    pub(crate) fn close_line(&mut self) -> String {
        self.printer.interrupt();
        self.printer.take()
    }

    fn happened(&mut self, body: &EventBody) {
        if let EventBody::Restored(Restored { entry, .. }) = body {
            // shown as what it was, so that parts of a message stay together; `/output` knows nothing of it
            let has_commands = std::mem::take(&mut self.has_commands);
            self.is_past = true;
            self.happened(entry);
            self.is_past = false;
            self.has_commands = has_commands;
            return;
        }
        let patches = self.conversation.body(body);
        patches.iter().for_each(|patch| self.follow(patch));
        let item = patches.iter().find_map(CallItem::of);
        if let Some(row) = self.session_row(body) {
            return self.printer.row(&row);
        }
        match (body, item) {
            (EventBody::ToolCall(told), Some(item)) => self.tool_call(told, item),
            (EventBody::OwnTool(told), Some(item)) => self.own_tool(told, item),
            (EventBody::Plan(Plan { entries }), _) => self.plan(entries),
            (EventBody::TurnStarted(TurnStarted { origin, .. }), _) => self.turn_started(*origin),
            (
                EventBody::TurnEnded(TurnEnded {
                    stop_reason, text, ..
                }),
                _,
            ) => self.turn_ended(stop_reason, text.as_deref()),
            (EventBody::Summary(summary), _) => {
                let text = summary::text(summary, self.style);
                self.printer.lines_apart(&text, 4);
            }
            (
                EventBody::AgentLog(AgentLog {
                    kind: LogKind::Notice,
                    text,
                })
                | EventBody::AgentNotice(AgentNotice { text, .. }),
                _,
            ) => self.notice(text),
            (EventBody::Usage(usage), _) => self.usage.count(usage),
            (body, item) => self.permission(body, item),
        }
    }

    /// Shows what is new of the conversation, where its items say all of it.
    fn follow(&mut self, patch: &Patch) {
        match patch {
            Patch::Extend {
                text, is_closed, ..
            } => {
                self.printer.extend_message(text);
                if *is_closed {
                    self.printer.end_message();
                }
            }
            Patch::Append(item) => match &item.what {
                What::Speech { is_thought } => self.printer.begin_message(*is_thought),
                What::Prompt { text, way } => self.prompt(text, *way),
                What::Changes { files } if self.talks => self.changes(files),
                _ => {}
            },
            _ => {}
        }
    }

    /// What the person said.
    fn prompt(&mut self, text: &str, way: PromptWay) {
        match way {
            PromptWay::User | PromptWay::Plan if self.talks => {}
            PromptWay::Steered => {}
            // the agent's own continuation, or in the row of what it is about
            _ => return,
        }
        let mut rows = String::new();
        for (at, line) in harmless(text.trim_end()).lines().enumerate() {
            let sign = if at == 0 { ">" } else { " " };
            let row = format!("{sign} {line}");
            rows += &self.style.paint(Tone::Strong, row.trim_end());
            rows.push('\n');
        }
        self.printer.lines_apart(&rows, 2);
    }

    fn changes(&mut self, files: &[ChangedFile]) {
        let file = |file: &ChangedFile| match file.kind {
            ChangeKind::Changed => file.path.clone(),
            kind => format!("{} ({kind})", file.path),
        };
        let files: Vec<String> = files.iter().map(file).collect();
        let row = format!("changed: {}", one_line(&names(&files), NOTICE));
        self.printer.row(&self.style.paint(Tone::Dim, &row));
    }

    /// The steps, where the agent has changed them.
    fn plan(&mut self, entries: &[PlanEntry]) {
        if self.plan == entries || entries.is_empty() {
            return;
        }
        self.plan = entries.to_vec();
        self.printer.row("plan:");
        for entry in entries {
            let text = one_line(&entry.text, ROW);
            let row = match entry.status {
                PlanEntryStatus::Completed => {
                    let mark = self.style.mark("✓", "x");
                    self.style.paint(Tone::Dim, &format!("  [{mark}] {text}"))
                }
                PlanEntryStatus::InProgress => {
                    self.style.paint(Tone::Strong, &format!("  [>] {text}"))
                }
                _ => format!("  [ ] {text}"),
            };
            self.printer.row(&row);
        }
    }

    /// What a person should know of the session, each thing once.
    fn notice(&mut self, text: &str) {
        let is_new = self.notices.insert(text.to_owned());
        if is_new || self.repeats > 0 {
            self.repeats = self.repeats.saturating_sub(1);
            let row = format!("note: {}", one_line(text, NOTICE));
            self.printer.row(&self.style.paint(Tone::Notice, &row));
        }
    }

    fn turn_started(&mut self, origin: PromptOrigin) {
        self.printer.print_waiting_row();
        self.activity = None;
        self.seen_changes.clear();
        self.seen_commands.clear();
        // What was asked for ahead of it and was not answered by now has come about.
        self.repeats = 0;
        if origin == PromptOrigin::User {
            // Nothing has come again yet in a new task.
            self.lost_guidance.clear();
        }
    }

    fn turn_ended(&mut self, stop_reason: &StopReason, text: Option<&str>) {
        self.activity = None;
        self.call_rows.clear();
        self.printer.end_turn();
        if *stop_reason != StopReason::EndTurn {
            let mut row = format!("the turn ended: {}", one_line(stop_reason.as_str(), ROW));
            if let Some(text) = text {
                row += &format!(" ({})", one_line(text, ROW));
            }
            self.printer.row(&self.style.paint(Tone::Notice, &row));
        }
        if let Some(row) = self.usage.row() {
            self.printer.row(&self.style.paint(Tone::Dim, &row));
        }
    }

    /// A text of several lines on one, with a mark where a line ends: run as one line it would be another command.
    fn joined_lines(&self, text: &str) -> String {
        let lines = text.lines().map(str::trim);
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        lines.join(self.style.mark(" ⏎ ", " \\n "))
    }

    /// A text without the project's folder.
    fn near(&self, text: &str) -> String {
        match self.project.as_str() {
            "" | "/" => text.to_owned(),
            project => text.replace(project, ""),
        }
    }
}

impl<'a> CallItem<'a> {
    fn of(patch: &'a Patch) -> Option<Self> {
        match patch {
            Patch::Append(Item {
                id,
                what: What::Call(call),
                ..
            })
            | Patch::Replace(Item {
                id,
                what: What::Call(call),
                ..
            }) => Some(Self { id: *id, call }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
