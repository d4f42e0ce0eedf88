//! Patches as they cross the boundary to a window: JSON, written by hand, since an IDE loads this code and derives make
//! ten times as much of it. `tests/boundary/view.patches.json` has one of each.

use siderail_event::{ChangedFile, FileDiff, PlanEntry};

use crate::change_preview::{self, Glance};
use crate::conversation::{Call, Denial, Item, Open, Patch, Proposal, What};
use crate::html::html;
use crate::{Block, BlockKind};

/// Writes patches as a JSON array.
pub fn write(patches: &[Patch], out: &mut String) {
    list(out, patches, |out, patch| {
        object(out, |members| patch_members(members, patch));
    });
}

fn patch_members(to: &mut Members<'_>, patch: &Patch) {
    to.text("patch", patch.kind().as_str());
    match patch {
        Patch::Append(item) | Patch::Replace(item) => item_members(to, item),
        Patch::Extend {
            id,
            text,
            settled,
            open,
            is_closed,
        } => {
            to.number("id", *id);
            to.text("text", text);
            to.list("settled", settled, piece);
            match open {
                Open::Blocks(blocks) => to.list("open", blocks, piece),
                Open::More(code) => to.text("more_code", code),
                Open::Same => {}
            }
            to.flag("is_closed", *is_closed);
        }
        Patch::Fold { into, ids } => {
            to.number("into", *into);
            to.list("ids", ids, number);
        }
        Patch::Remove { id } => to.number("id", *id),
        Patch::Asked { request_id, diffs } => {
            to.number("request_id", *request_id);
            to.object("change", |to| glance_members(to, &Glance::of(diffs)));
        }
    }
}

fn item_members(to: &mut Members<'_>, item: &Item) {
    to.number("id", item.id);
    to.flag("is_past", item.is_past);
    to.text("item", item.what.kind().as_str());
    match &item.what {
        What::Prompt { text, way } => {
            to.text("text", text);
            to.text("way", way.as_str());
        }
        What::Speech { is_thought } => to.flag("is_thought", *is_thought),
        What::Call(call) => call_members(to, call),
        What::Calls => {}
        What::Plan { entries } => to.list("entries", entries, step),
        What::Proposal(proposal) => proposal_members(to, proposal),
        What::Changes { files } => to.list("files", files, changed_file),
        What::PastBegins { at } => at.iter().for_each(|at| to.number("at", *at)),
        What::PastOmitted { entries } => to.number("entries", *entries),
        What::PastEnds { by } => to.text("by", by.as_str()),
        // It is the event that the patch comes with.
        What::Notice { log, .. } => to.list("log", log, |out, line| string(out, line)),
    }
}

fn call_members(to: &mut Members<'_>, call: &Call) {
    to.text("tool", &call.tool);
    to.text("kind", call.kind.as_str());
    to.text("title", &call.title);
    to.flag("is_described", call.is_described);
    to.some_text("command", call.command.as_deref());
    to.list("paths", &call.paths, |out, path| string(out, path));
    to.flag("is_own", call.is_own);
    to.text("status", call.status.as_str());
    to.text("output", &call.output);
    to.list("diffs", &call.diffs, file_diff);
    to.some_text("diff", call.diff.as_deref());
    change_member(to, call);
    if let Some(denial) = &call.denial {
        to.object("denial", |to| denial_members(to, denial));
    }
    to.list("request_ids", &call.request_ids, number);
    call.seconds
        .iter()
        .for_each(|seconds| to.number("seconds", *seconds));
}

/// The change at a glance; of a unified diff also the texts that it shows.
fn change_member(to: &mut Members<'_>, call: &Call) {
    let Some(diff) = &call.diff else {
        if !call.diffs.is_empty() {
            to.object("change", |to| glance_members(to, &Glance::of(&call.diffs)));
        }
        return;
    };
    to.object("change", |to| {
        let (glance, before, after) = Glance::of_unified(diff);
        glance_members(to, &glance);
        to.text("old_text", &before);
        to.text("new_text", &after);
    });
}

fn glance_members(to: &mut Members<'_>, glance: &Glance) {
    to.list("lines", &glance.lines, |out, line| string(out, line));
    to.number("n_lines", glance.n_lines as u64);
    to.number("added", glance.added as u64);
    to.number("removed", glance.removed as u64);
}

fn denial_members(to: &mut Members<'_>, denial: &Denial) {
    to.text("by", denial.by.as_str());
    to.text("reason", &denial.reason);
    to.text("guidance", &denial.guidance);
    to.some_text("channel", denial.channel.map(|channel| channel.as_str()));
    to.some_text("instead", denial.instead.as_deref());
    to.some_text("receipt", denial.receipt.map(|receipt| receipt.as_str()));
    if let Some(is_followed) = denial.is_followed {
        to.flag("is_followed", is_followed);
    }
}

fn proposal_members(to: &mut Members<'_>, proposal: &Proposal) {
    to.number("request_id", proposal.request_id);
    to.list("blocks", &proposal.blocks, piece);
    to.list("entries", &proposal.entries, step);
    to.text("state", proposal.state.as_str());
}

/// A block: code by itself, everything else in tags.
fn piece(out: &mut String, block: &Block) {
    object(out, |to| match &block.kind {
        BlockKind::Code { info, text } => to.object("code", |to| {
            to.text(
                "language",
                info.split_whitespace().next().unwrap_or_default(),
            );
            to.text("text", text);
        }),
        _ => to.text("html", &html(block)),
    });
}

fn step(out: &mut String, entry: &PlanEntry) {
    object(out, |to| {
        to.text("text", &entry.text);
        to.text("status", entry.status.as_str());
        to.text("priority", entry.priority.as_str());
    });
}

fn file_diff(out: &mut String, diff: &FileDiff) {
    object(out, |to| {
        to.text("path", &diff.path);
        to.some_text("old_text", diff.old_text.as_deref());
        to.text("new_text", &diff.new_text);
    });
}

fn changed_file(out: &mut String, file: &ChangedFile) {
    object(out, |to| {
        to.text("path", &file.path);
        to.text("kind", file.kind.as_str());
        to.some_text("old_text", file.old_text.as_deref());
        to.some_text("new_text", file.new_text.as_deref());
        if let Some(parts) = change_preview::parts(file) {
            let parts: Vec<_> = parts.iter().map(|part| [&part.old, &part.new]).collect();
            to.list("parts", &parts, |out, [old, new]| {
                let lines = [old.start, old.end, new.start, new.end].map(|line| line as u64);
                list(out, &lines, number);
            });
        }
    });
}

/// The members of an object that is being written.
struct Members<'a> {
    out: &'a mut String,
    is_first: bool,
}

impl Members<'_> {
    fn name(&mut self, name: &str) {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(',');
        }
        string(self.out, name);
        self.out.push(':');
    }

    fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        string(self.out, text);
    }

    fn some_text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    fn number(&mut self, name: &str, value: u64) {
        self.name(name);
        number(self.out, &value);
    }

    fn flag(&mut self, name: &str, value: bool) {
        self.name(name);
        self.out.push_str(if value { "true" } else { "false" });
    }

    fn object(&mut self, name: &str, members: impl FnOnce(&mut Members<'_>)) {
        self.name(name);
        object(self.out, members);
    }

    fn list<T>(&mut self, name: &str, items: &[T], write: impl Fn(&mut String, &T)) {
        self.name(name);
        list(self.out, items, write);
    }
}

fn object(out: &mut String, members: impl FnOnce(&mut Members<'_>)) {
    out.push('{');
    members(&mut Members {
        out,
        is_first: true,
    });
    out.push('}');
}

fn list<T>(out: &mut String, items: &[T], write: impl Fn(&mut String, &T)) {
    out.push('[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}

fn number(out: &mut String, value: &u64) {
    out.push_str(&value.to_string());
}

fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_text_is_read_back_as_it_was(text in ".*", more in "\\PC*") {
            let text = format!("{text}\u{0}\u{1f}\u{7f}\r\n\t\"\\{more}");
            let mut out = String::new();
            string(&mut out, &text);
            let read: String = serde_json::from_str(&out).expect("a string");
            prop_assert_eq!(read, text);
        }
    }
}
