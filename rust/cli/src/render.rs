//! Turns events into text for people: a state that takes one event and answers what to print.
//!
//! It writes nothing, reads no clock and asks nobody; errors and questions are shown elsewhere. What
//! agents say passes through `style::harmless` on its way. Rows of the permission flow are worded in
//! `flow.rs`, differences in `diff.rs`, the last words in `summary.rs`.

pub(crate) mod diff;
mod flow;
mod summary;
mod usage;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use siderail_engine::event::{
    ChangedFile, EventBody, LogKind, OwnToolView, PlanEntry, PromptOrigin, ToolCallView,
};

use crate::style::{Style, Tone, harmless, names, one_line};

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
    block: Block,
    /// Line ends at the end of what was printed, counted up to two.
    line_ends: u8,
    message_id: Option<String>,
    /// Open tool calls: what their last row said.
    rows: HashMap<String, String>,
    /// Permission requests without a verdict.
    requests: HashMap<u64, Asked>,
    /// Tool calls whose denial has a row already.
    denied: HashSet<String>,
    /// How guidance texts of this turn begin: a failure that repeats one is that denial's.
    told: Vec<String>,
    /// What is told again only when it has doubled: how often it was told of.
    repeated: HashMap<String, u32>,
    /// Notices that a row has said.
    notices: HashSet<String>,
    plan: Vec<PlanEntry>,
    usage: usage::Counted,
    activity: Option<String>,
}

/// What a verdict's row needs to know of its request.
#[derive(Default)]
struct Asked {
    label: String,
    told: Option<Told>,
}

/// Guidance that went out ahead of a denial.
struct Told {
    channel: String,
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
            block: Block::Nothing,
            line_ends: 2,
            message_id: None,
            rows: HashMap::new(),
            requests: HashMap::new(),
            denied: HashSet::new(),
            told: Vec::new(),
            repeated: HashMap::new(),
            notices: HashSet::new(),
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
        let mut out = String::new();
        match body {
            EventBody::AgentMessage { text, message_id } => {
                self.chunk(&mut out, Block::Message, text, message_id.as_deref());
            }
            EventBody::AgentThought { text, message_id } => {
                self.chunk(&mut out, Block::Thought, text, message_id.as_deref());
            }
            EventBody::ToolCall(call) => self.tool_call(&mut out, call),
            EventBody::OwnTool(call) => self.own_tool(&mut out, call),
            EventBody::Plan { entries } => self.plan(&mut out, entries),
            EventBody::SessionStarted {
                agent,
                version,
                policy,
                mode,
                ..
            } => {
                let mut row = self.style.paint(Tone::Strong, &one_line(agent, ROW));
                if let Some(version) = version {
                    row += &format!(" {}", one_line(version, ROW));
                }
                row += &format!(", policy {}", one_line(policy, ROW));
                if let Some(mode) = mode {
                    row += &format!(", mode {}", one_line(mode_name(mode), ROW));
                }
                self.row(&mut out, &row);
            }
            EventBody::Hidden { tools } if !tools.is_empty() => {
                let row = format!(
                    "hidden from the model: {}",
                    one_line(&tools.join(", "), ROW)
                );
                let row = self.style.paint(Tone::Dim, &row);
                self.row(&mut out, &row);
            }
            EventBody::TurnEnded {
                stop_reason, text, ..
            } => self.turn_ended(&mut out, stop_reason, text.as_deref()),
            EventBody::Summary(summary) => {
                self.enter(&mut out, Block::Nothing);
                let text = summary::text(summary, self.style);
                self.push(&mut out, &text);
            }
            EventBody::TurnStarted { origin, text } => {
                self.activity = None;
                if self.talks && *origin != PromptOrigin::Continuation {
                    self.prompt(&mut out, text);
                }
            }
            EventBody::Steered { text, taken: true } => self.prompt(&mut out, text),
            EventBody::AgentLog {
                kind: LogKind::Notice,
                text,
            } => self.notice(&mut out, text),
            EventBody::PlanningStarted { mode, .. } => {
                let with = match mode {
                    Some(mode) => format!("in the agent's mode `{}`", one_line(mode, ROW)),
                    None => "the agent has no mode for it, so its writing is denied".to_owned(),
                };
                let row = format!("a plan is made first; {with}");
                let row = self.style.paint(Tone::Dim, &row);
                self.row(&mut out, &row);
            }
            EventBody::PlanApproved { .. } => {
                let mark = self.style.mark("✓ approved", "approved");
                let row = format!("{} the plan", self.style.paint(Tone::Good, mark));
                self.row(&mut out, &row);
            }
            EventBody::PlanRejected { text, by, .. } => {
                let mark = self.style.mark("✗ not approved", "not approved");
                let mark = self.style.paint(Tone::Bad, mark);
                let said = match (text.as_str(), by.as_str()) {
                    ("", "no_terminal") => {
                        " (nobody could be asked; approve it on a terminal, or with --answer allow)"
                            .to_owned()
                    }
                    ("", "setting") => " (by the answer given ahead)".to_owned(),
                    ("", _) => String::new(),
                    (text, _) => format!(" ({})", one_line(text, ROW)),
                };
                self.row(&mut out, &format!("{mark}: the plan{said}"));
            }
            // a person is shown it with the question
            EventBody::PlanProposed { .. } | EventBody::SessionOptions { .. } => {}
            EventBody::Changes { files } if self.talks => {
                let file = |file: &ChangedFile| format!("{} ({})", file.path, file.kind);
                let files: Vec<String> = files.iter().map(file).collect();
                let row = format!("changed: {}", one_line(&names(&files), NOTICE));
                let row = self.style.paint(Tone::Dim, &row);
                self.row(&mut out, &row);
            }
            EventBody::Changes { .. } => {}
            EventBody::Reverted { path, done, text } => {
                let path = one_line(path, ROW);
                let row = match done {
                    true => format!("{path} is as it was before"),
                    false => format!("{path} is left as it is: {}", one_line(text, ROW)),
                };
                self.row(&mut out, &row);
            }
            EventBody::Restored { entry, .. } => out += &self.event(entry),
            EventBody::Resumed {
                id, by, omitted, ..
            } => {
                let knows = match by.as_str() {
                    "history" => ", which this agent's model does not know",
                    _ => "",
                };
                let more = match omitted {
                    0 => String::new(),
                    n => format!(", its first {n} entries left out"),
                };
                let row = format!(
                    "the conversation {} goes on{knows}{more}",
                    one_line(id, ROW)
                );
                let row = self.style.paint(Tone::Dim, &row);
                self.row(&mut out, &row);
            }
            EventBody::Steered { .. } | EventBody::AgentCommands { .. } => {}
            EventBody::Usage(usage) => self.usage.count(usage),
            EventBody::AgentNotice { text, .. } => self.notice(&mut out, text),
            // Told by commands of their own, or of use to a window only.
            EventBody::SessionTitle { .. }
            | EventBody::History { .. }
            | EventBody::HistoryExported { .. }
            | EventBody::LoginNeeded { .. } => {}
            EventBody::Hidden { .. } | EventBody::AgentLog { .. } | EventBody::Error { .. } => {}
            other => self.flow(&mut out, other),
        }
        out
    }

    /// Ends an open line, for text that somebody else prints.
    pub(crate) fn close_line(&mut self) -> String {
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
        self.enter(out, block);
        if let Some(id) = message_id {
            if !begins && self.message_id.as_deref().is_some_and(|last| last != id) {
                self.need_line_ends(out, 2);
            }
            self.message_id = Some(id.to_owned());
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

    fn tool_call(&mut self, out: &mut String, call: &ToolCallView) {
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
        let over = matches!(call.status.as_str(), "completed" | "failed" | "cancelled");
        self.activity = (!over).then(|| label.clone());
        let was_denied = over && self.has_denial_row(call);
        // Where each event is a row of its own, the row of a call gets its end like every other.
        let ends_a_row = self.narrate && self.rows.contains_key(&call.tool_call_id);
        if call.own || (was_denied && !ends_a_row) {
            self.rows.remove(&call.tool_call_id);
            return;
        }
        let (mark, tone) = match call.status.as_str() {
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
        if call.status == "failed" && !why.is_empty() {
            let why = format!(" ({})", one_line(why, ROW));
            row += &self.style.paint(Tone::Dim, &why);
        }
        self.row(out, &row);
        if over {
            self.rows.remove(&call.tool_call_id);
        } else {
            self.rows.insert(call.tool_call_id.clone(), shown);
        }
        if call.status == "completed" {
            for change in &call.diffs {
                let text =
                    diff::unified(&change.path, change.old_text.as_deref(), &change.new_text);
                let text = diff::show(&text, self.style);
                self.push(out, &text);
            }
        }
    }

    /// The agent reports a denied call as failed, which a row has said already.
    fn has_denial_row(&mut self, call: &ToolCallView) -> bool {
        self.denied.remove(&call.tool_call_id)
            || (call.status == "failed" && self.told.iter().any(|told| call.text.contains(told)))
    }

    fn own_tool(&mut self, out: &mut String, call: &OwnToolView) {
        let tool = one_line(&call.tool, ROW);
        self.activity = (call.status == "started").then(|| tool.clone());
        let (mark, tone) = match call.status.as_str() {
            "started" => return,
            "completed" => (self.style.mark("✓", "ok"), Tone::Good),
            "cancelled" => (self.style.mark("⊘", "cancelled"), Tone::Dim),
            "denied" => (self.style.mark("✗", "denied"), Tone::Bad),
            _ => (self.style.mark("✗", "failed"), Tone::Bad),
        };
        let said = if call.status == "completed" && !call.paths.is_empty() {
            one_line(&names(&call.paths), ROW)
        } else {
            one_line(&call.text, ROW)
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
        if let Some(text) = &call.diff {
            let text = diff::show(text, self.style);
            self.push(out, &text);
        }
    }

    /// What the user said.
    fn prompt(&mut self, out: &mut String, text: &str) {
        self.enter(out, Block::Nothing);
        for line in harmless(text.trim_end()).lines() {
            let row = self.style.paint(Tone::Strong, &format!("> {line}"));
            self.push(out, &format!("{row}\n"));
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
        if self.notices.insert(text.to_owned()) {
            let row = format!("note: {}", one_line(text, NOTICE));
            let row = self.style.paint(Tone::Notice, &row);
            self.row(out, &row);
        }
    }

    fn turn_ended(&mut self, out: &mut String, stop_reason: &str, text: Option<&str>) {
        self.activity = None;
        self.rows.clear();
        self.denied.clear();
        self.told.clear();
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
        self.push(out, row);
        self.push(out, "\n");
    }

    /// Puts an empty line between text and rows.
    fn enter(&mut self, out: &mut String, block: Block) {
        if self.block == block {
            return;
        }
        self.need_line_ends(out, 2);
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

/// Some agents call their modes by addresses, of which the last word is the name.
fn mode_name(mode: &str) -> &str {
    let is_address = mode.contains("://");
    let last = mode.rsplit(['#', '/']).next();
    last.filter(|last| is_address && !last.is_empty())
        .unwrap_or(mode)
}

#[cfg(test)]
mod tests;
