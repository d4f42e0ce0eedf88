//! What a question shows a person beside its words: the change itself, what lies outside of the project, and what a yes
//! destroys.
//!
//! Looked up once per question and only for people: nothing here decides, and the model never reads it. Runs on the
//! session's worker.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;
use siderail_guard::decision::{Decision, Verdict};
use siderail_guard::path::Place;
use siderail_guard::{Action, Identity, Tool};

use crate::confine::{on_one_line, regular_file, written};
use crate::event::FileDiff;
use crate::session::permissions::judge::Judge;
use crate::session::question::Preview;
use crate::session::worker::Sight;
use crate::views::{diff_of, text_of};

/// Larger files are neither compared nor counted for a question.
const MOST_READ: u64 = 1 << 20;

/// Larger files are not shown around a changed piece of theirs: an event would carry them twice.
const MOST_AROUND: u64 = 256 << 10;

/// Characters of an action's input that are shown.
const MOST_SHOWN: usize = 4_000;

impl Judge {
    /// What is shown of an action of the agent.
    pub(in crate::session) fn shown_of(&self, action: &Action) -> Preview {
        Preview {
            diffs: self.in_files(diffs_of(&action.raw)),
            outside: self.outside_of(&action.paths),
            destroys: self.destroyed_in(action),
        }
    }

    /// What a call of ours destroys that the agent asks about.
    fn destroyed_in(&self, action: &Action) -> Option<String> {
        let Identity::OwnTool(tool) = &action.identity else {
            return None;
        };
        self.destroyed_by(*tool, &action.own_arguments())
    }

    /// What is shown of a call of one of our tools, with the paths that it names; nothing of what is allowed.
    pub(in crate::session) fn shown_of_call(
        &self,
        tool: Tool,
        arguments: &Value,
        decision: &Decision,
        paths: &[String],
    ) -> Preview {
        if decision.verdict == Verdict::Allow {
            return Preview::default();
        }
        let diffs = match tool {
            Tool::WriteFile => self.written_diffs(arguments),
            _ => Vec::new(),
        };
        Preview {
            diffs,
            outside: self.outside_of(paths),
            destroys: self.destroyed_by(tool, arguments),
        }
        .because(self.reasons_of_call(tool, arguments, decision, paths))
    }

    fn outside_of(&self, paths: &[String]) -> Vec<String> {
        let is_inside = |path: &String| matches!(self.place(path).place, Place::Inside { .. });
        let outside = paths.iter().filter(|path| !is_inside(path));
        outside.cloned().collect()
    }

    fn written_diffs(&self, arguments: &Value) -> Vec<FileDiff> {
        let Some(given) = text_of(arguments, "path") else {
            return Vec::new();
        };
        if let Some(content) = text_of(arguments, "content") {
            let found = self.resolve(given).ok();
            let old_text = found.and_then(|found| text_at(&found.absolute));
            return vec![FileDiff {
                path: given.to_owned(),
                old_text,
                new_text: content.to_owned(),
            }];
        }
        let listed = arguments.get("edits").and_then(Value::as_array);
        let edits: Vec<&Value> = match listed {
            Some(listed) => listed.iter().collect(),
            None => vec![arguments],
        };
        let edits = edits
            .into_iter()
            .filter_map(|edit| replaced_text(edit, given));
        self.in_files(edits.collect())
    }

    /// Changed pieces as changes of their whole files, those of one file together, so that a person sees what is around
    /// them. Where a piece is not found exactly once, its file's pieces stay as they are.
    fn in_files(&self, pieces: Vec<FileDiff>) -> Vec<FileDiff> {
        let mut files: Vec<(String, Vec<FileDiff>)> = Vec::new();
        for piece in pieces {
            match files.iter_mut().find(|(path, _)| *path == piece.path) {
                Some((_, pieces)) => pieces.push(piece),
                None => files.push((piece.path.clone(), vec![piece])),
            }
        }
        let of_file = |(path, pieces): (String, Vec<FileDiff>)| {
            let found = self.resolve(&path).ok();
            let text = found.and_then(|found| text_of_at_most(&found.absolute, MOST_AROUND));
            match text.and_then(|text| replaced(&text, &pieces).map(|new_text| (text, new_text))) {
                Some((text, new_text)) => vec![FileDiff {
                    path,
                    old_text: Some(text),
                    new_text,
                }],
                None => pieces,
            }
        };
        files.into_iter().flat_map(of_file).collect()
    }

    /// What cannot be had back once this has run; git has what was committed, and only that.
    fn destroyed_by(&self, tool: Tool, arguments: &Value) -> Option<String> {
        if matches!(tool, Tool::GitBranch | Tool::GitStash) {
            return self.lost_in_git(tool, arguments);
        }
        let path = text_of(arguments, "path")?;
        let (gone, how) = match tool {
            Tool::DeleteFile => (self.resolve_entry(path).ok()?, "deleted"),
            Tool::MoveFile if arguments["overwrite"] == true => {
                let target = self.target_of_move(path, text_of(arguments, "to")?)?;
                (self.resolve_entry(&target).ok()?, "replaced")
            }
            _ => return None,
        };
        let found = fs::symlink_metadata(&gone.absolute).ok()?;
        let name = &gone.relative;
        let what = if found.is_dir() {
            format!("the folder {name} is {how}, with everything in it")
        } else if found.is_symlink() {
            return Some(format!("the link {name} is {how}"));
        } else {
            let text = text_at(&gone.absolute);
            let size = match text.map(|text| text.lines().count()) {
                Some(1) => "1 line".to_owned(),
                Some(n_lines) => format!("{n_lines} lines"),
                None => format!("{} bytes", found.len()),
            };
            format!("{name} is {how}, {size}")
        };
        let root = self.of.confinement.root_of(&gone.absolute);
        let has_git = root
            .into_iter()
            .flat_map(Path::ancestors)
            .any(|at| at.join(".git").exists());
        Some(match has_git {
            true => format!("{what}: only what is committed in git can be restored"),
            false => format!("{what}: there is no git repository to restore it from"),
        })
    }

    /// The branch or the stash that a call deletes.
    fn lost_in_git(&self, tool: Tool, arguments: &Value) -> Option<String> {
        if self.sight == Sight::Blind {
            return None;
        }
        let root = self.of.confinement.root();
        let lost = self.of.tools.to_lose(root, tool, arguments)?;
        let lines: Vec<String> = lost.lines().map(on_one_line).collect();
        Some(lines.join("\n"))
    }

    /// Where a thing is moved to: a folder keeps its name.
    fn target_of_move(&self, from: &str, to: &str) -> Option<String> {
        let folder = self.resolve(to).ok()?;
        if !to.ends_with('/') && !folder.absolute.is_dir() {
            return Some(to.to_owned());
        }
        let from = self.resolve_entry(from).ok()?;
        Some(written(&folder.absolute.join(from.absolute.file_name()?)))
    }
}

/// The words by which a person knows an action: what will truly run, and the whole input if that is not known.
pub(in crate::session) fn words_of(action: &Action) -> String {
    let words = action.command.as_ref().unwrap_or(&action.title).clone();
    let is_untold = action.command.is_none()
        && match action.identity {
            Identity::Unknown => true,
            Identity::Builtin(_) => action.kind.is_command(),
            Identity::OwnTool(_) | Identity::OtherMcp { .. } => false,
        };
    if action.unread.is_empty() && !is_untold {
        return words;
    }
    let input = &action.raw["rawInput"];
    if input.is_null() {
        return format!("{words}\nonly the agent's own words say what this does");
    }
    let why = match action.unread.as_slice() {
        [] => String::new(),
        unread => format!(
            ", of which this part is not understood: {}",
            unread.join(", ")
        ),
    };
    format!("{words}\ninput{why}:\n{}", plainly(input))
}

/// JSON on one line, cut, without any character that a terminal or an editor would obey instead of showing it.
fn plainly(input: &Value) -> String {
    let text = input.to_string();
    let harmless = |c: char| crate::escape::picture(c, true).unwrap_or_else(|| c.to_string());
    let mut shown: String = text.chars().take(MOST_SHOWN).map(harmless).collect();
    let n_chars = text.chars().count();
    if n_chars > MOST_SHOWN {
        shown += &format!(" … cut: in all {n_chars} characters");
    }
    shown
}

/// The changes that a tool call shows (ACP schema 1.15, content of type `diff`), or that its input spells out.
fn diffs_of(call: &Value) -> Vec<FileDiff> {
    let content = call.get("content").and_then(Value::as_array);
    let shown: Vec<FileDiff> = content.into_iter().flatten().filter_map(diff_of).collect();
    if !shown.is_empty() {
        return shown;
    }
    let input = &call["rawInput"];
    let path = ["file_path", "filePath", "path", "absolute_path"]
        .iter()
        .find_map(|name| text_of(input, name));
    let spelt = path.and_then(|path| replaced_text(input, path));
    spelt.into_iter().collect()
}

/// A piece of a file and its replacement.
fn replaced_text(edit: &Value, path: &str) -> Option<FileDiff> {
    let first = |names: [&str; 2]| names.iter().find_map(|name| text_of(edit, name));
    Some(FileDiff {
        path: path.to_owned(),
        old_text: Some(first(["old_text", "old_string"])?.to_owned()),
        new_text: first(["new_text", "new_string"])?.to_owned(),
    })
}

/// A file's text after all pieces are replaced, each of which occurs in it once.
fn replaced(text: &str, pieces: &[FileDiff]) -> Option<String> {
    pieces.iter().try_fold(text.to_owned(), |text, piece| {
        let old = piece.old_text.as_deref().filter(|old| !old.is_empty())?;
        let mut found = text.match_indices(old);
        let is_once = found.next().is_some() && found.next().is_none();
        is_once.then(|| text.replacen(old, &piece.new_text, 1))
    })
}

/// A file's text, where it is one of sensible size.
fn text_at(path: &Path) -> Option<String> {
    text_of_at_most(path, MOST_READ)
}

fn text_of_at_most(path: &Path, most: u64) -> Option<String> {
    let found = fs::metadata(path).ok()?;
    (found.is_file() && found.len() <= most).then_some(())?;
    let mut text = String::new();
    let file = regular_file(path).ok()?;
    file.take(most).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_replaced_in_their_file_where_each_stands_once() {
        let piece = |old: &str, new: &str| FileDiff {
            path: "a".to_owned(),
            old_text: Some(old.to_owned()),
            new_text: new.to_owned(),
        };
        let replaced = |text, pieces: &[FileDiff]| super::replaced(text, pieces);
        let both = [piece("two", "2"), piece("2\nthree", "2\n3")];
        assert_eq!(
            replaced("one\ntwo\nthree\n", &both).as_deref(),
            Some("one\n2\n3\n")
        );
        assert_eq!(replaced("two two", &[piece("two", "2")]), None);
        assert_eq!(replaced("one", &[piece("two", "2")]), None);
        assert_eq!(replaced("one", &[piece("", "2")]), None);
    }
}
