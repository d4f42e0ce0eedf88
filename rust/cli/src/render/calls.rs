//! Rows of tool calls: the agent's own, and those of our tools with what they changed.
//!
//! A call has a row when it begins to say something new, and its denial is not told twice.

use siderail_engine::event::{OwnToolStatus, OwnToolView, ToolCallView};

use super::{ROW, Renderer, diff, flow};
use crate::style::{Tone, names, one_line};

impl Renderer {
    pub(super) fn tool_call(&mut self, out: &mut String, call: &ToolCallView) {
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

    pub(super) fn own_tool(&mut self, out: &mut String, call: &OwnToolView) {
        let tool = one_line(&call.tool, ROW);
        self.activity = (call.status == OwnToolStatus::Started).then(|| tool.clone());
        let (mark, tone) = match call.status {
            OwnToolStatus::Started => return,
            OwnToolStatus::Completed => (self.style.mark("✓", "ok"), Tone::Good),
            OwnToolStatus::Cancelled => (self.style.mark("⊘", "cancelled"), Tone::Dim),
            OwnToolStatus::Denied => (self.style.mark("✗", "denied"), Tone::Bad),
            OwnToolStatus::Failed => (self.style.mark("✗", "failed"), Tone::Bad),
        };
        let said = if call.status == OwnToolStatus::Completed && !call.paths.is_empty() {
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
}
