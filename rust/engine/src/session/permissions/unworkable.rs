//! Calls of our own tools that would fail even if allowed: a path that no tool may touch, arguments that cannot be
//! used, a branch that does not exist.
//!
//! They are answered at once. A person who is asked about them learns to say yes to what looks dangerous and then does
//! nothing, and a remembered answer would mean nothing. Decides about no call that could work.

use serde_json::Value;
use siderail_guard::{Action, Identity, Tool};

use crate::confine::{Confined, Refusal};
use crate::host::{ToolErrorCode, ToolFailure};
use crate::session::own_calls::call::{fail, named_paths};
use crate::session::permissions::judge::Judge;
use crate::session::worker::Sight;
use crate::tools::git::ToCommit;
use crate::tools::runs_in_engine;

impl Judge {
    /// Why a call fails whatever a person says; none if it may work.
    pub(in crate::session) fn cannot_work(
        &self,
        tool: Tool,
        arguments: &Value,
    ) -> Option<ToolFailure> {
        let refused = named_paths(arguments)
            .iter()
            .find_map(|path| self.out_of_reach(tool, path));
        refused
            .or_else(|| crate::tools::unusable(tool, arguments))
            .or_else(|| match self.to_commit(tool, arguments)? {
                ToCommit::Nothing(failure) => Some(failure),
                ToCommit::Words(_) => None,
            })
            .or_else(|| self.not_there(tool, arguments))
    }

    /// Why a branch or a stash cannot be deleted or brought back; none if nobody may look.
    fn not_there(&self, tool: Tool, arguments: &Value) -> Option<ToolFailure> {
        if self.sight != Sight::Clear {
            return None;
        }
        let root = self.of.confinement.root();
        self.of.tools.not_there(root, tool, arguments)
    }

    /// What a commit would be; none for other tools, and where nobody may look.
    fn to_commit(&self, tool: Tool, arguments: &Value) -> Option<ToCommit> {
        // looking at the files, git would run a filter that a person has to be asked about
        if tool != Tool::GitCommit
            || self.sight == Sight::Blind
            || self.runs_filter(Tool::GitStatus, &named_paths(arguments))
        {
            return None;
        }
        let mut known = self.of.commit.lock();
        if let Some((_, commit)) = known.as_ref().filter(|(of, _)| of == arguments) {
            return commit.clone();
        }
        let root = self.of.confinement.root();
        let commit = self.of.tools.to_commit(root, arguments);
        *known = Some((arguments.clone(), commit.clone()));
        commit
    }

    /// A commit in words, for the question about it.
    pub(in crate::session) fn commit_words(&self, tool: Tool, arguments: &Value) -> Option<String> {
        match self.to_commit(tool, arguments)? {
            ToCommit::Words(words) => Some(words),
            ToCommit::Nothing(_) => None,
        }
    }

    /// The same for a call of ours that the agent asks about.
    pub(in crate::session) fn commit_in(&self, action: &Action) -> Option<String> {
        let Identity::OwnTool(tool) = &action.identity else {
            return None;
        };
        self.commit_words(*tool, &action.own_arguments())
    }

    fn out_of_reach(&self, tool: Tool, path: &str) -> Option<ToolFailure> {
        if self.sight == Sight::Blind {
            // Nobody has looked: that is not a reason to call a path wrong.
            return None;
        }
        // These act on a link itself, wherever it leads.
        let takes_links = matches!(tool, Tool::DeleteFile | Tool::MoveFile) || tool.is_git();
        let confined = match takes_links {
            true => self.resolve_entry(path),
            false => self.resolve(path),
        };
        // Git and tests are those of the project's own folder.
        let is_elsewhere = |found: &Confined| !found.absolute.starts_with(self.root());
        if runs_in_engine(tool)
            && tool != Tool::RunCommand
            && confined.as_ref().is_ok_and(is_elsewhere)
        {
            let text = format!(
                "{tool} works in the project folder {} alone",
                self.root().display()
            );
            return Some(fail(ToolErrorCode::OutsideProject, text));
        }
        let refusal = confined.err()?;
        let (code, advice) = match refusal {
            Refusal::Empty | Refusal::BadAddress(_) | Refusal::NoName { .. } => {
                (ToolErrorCode::InvalidParam, "give a path")
            }
            Refusal::Outside { .. } | Refusal::Unfollowable { .. } => (
                ToolErrorCode::OutsideProject,
                "name a path inside the project",
            ),
        };
        Some(fail(code, format!("{refusal}; {advice}")))
    }
}
