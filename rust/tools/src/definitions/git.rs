//! Tools of version control. They read and change the project's repository by the git program.

use serde_json::{Value, json};

use siderail_guard::Tool::{self, GitShow};
use siderail_guard::tool::{BranchAction, StashAction};
use siderail_mcp::{Annotations, ToolDefinition};

use super::schema::{EDITS, READS, amount, flag, from, one_of, schema, text, tool};
use crate::amounts::COMMITS;

/// Changes the index or a branch, loses nothing.
const KEEPS: Annotations = Annotations {
    read_only: false,
    destructive: false,
    idempotent: false,
    open_world: false,
};

pub(super) fn definitions() -> Vec<ToolDefinition> {
    let mut tools = reading();
    tools.extend(changing());
    tools
}

fn reading() -> Vec<ToolDefinition> {
    vec![
        tool(
            Tool::GitStatus,
            "Git status",
            READS,
            "Shows the branch, how far it is from its upstream, what is under way (merge, rebase), \
             and the changed files: in conflict, staged, not staged, untracked.",
            schema([
                ("path", text("File or folder; default the project.")),
                ("page", page()),
            ]),
        ),
        tool(
            Tool::GitDiff,
            "Git diff",
            READS,
            "Shows changes: what is not staged, what is staged, or what differs from a commit or \
             between two. A summary by file comes first, then the diff.",
            schema([
                ("path", text("File or folder; default the project.")),
                ("staged", flag("What is staged, against the last commit.")),
                (
                    "ref",
                    text("Commit, branch or range (main, HEAD~2, main..dev, main...dev)."),
                ),
                ("page", page()),
            ]),
        ),
        tool(
            Tool::GitLog,
            "Git log",
            READS,
            &format!(
                "Lists commits, newest first: id, date, author, branches and tags, subject. For one \
                 commit in full use {GitShow}."
            ),
            schema([
                (
                    "path",
                    text("Only commits that changed it; renames are followed."),
                ),
                ("ref", text("Branch, tag or range; default HEAD.")),
                ("max_count", amount(COMMITS, "Commits.")),
                ("since", text("A date, or like `2 weeks ago`.")),
                ("author", text("Part of the author's name or address.")),
                ("page", page()),
            ]),
        ),
        tool(
            Tool::GitBlame,
            "Git blame",
            READS,
            "Shows for each line of a file which commit, by whom and when, changed it last.",
            schema([
                ("path!", text("The file.")),
                ("start_line", from(1, "First line; default 1.")),
                ("end_line", from(1, "Last line; default the last.")),
            ]),
        ),
        tool(
            Tool::GitShow,
            "Git show",
            READS,
            "Shows a commit: message, author, files, diff. With a ref like `HEAD~1:src/a.rs` it \
             shows the file as it was in that commit.",
            schema([
                (
                    "ref",
                    text("Commit, branch or tag, or COMMIT:FILE; default HEAD."),
                ),
                ("path", text("Only what the commit changed there.")),
                ("stat_only", flag("Only the list of files.")),
                ("page", page()),
            ]),
        ),
    ]
}

fn changing() -> Vec<ToolDefinition> {
    vec![
        tool(
            Tool::GitStage,
            "Git stage",
            KEEPS,
            "Stages files for the next commit as they are now: changed, new and deleted ones.",
            schema([("paths!", paths("Files or folders; `.` for all."))]),
        ),
        tool(
            Tool::GitUnstage,
            "Git unstage",
            KEEPS,
            "Takes files out of the next commit. The files themselves are left as they are.",
            schema([("paths!", paths("Files or folders; `.` for all."))]),
        ),
        tool(
            Tool::GitCommit,
            "Git commit",
            KEEPS,
            "Commits what is staged, or with paths exactly these files, which are staged for it. \
             The repository's hooks run; where they take long, call again with the same arguments \
             to wait on.",
            schema([
                ("message", text("The message; optional with amend.")),
                (
                    "paths",
                    paths("Files or folders to commit; default what is staged."),
                ),
                ("amend", flag("Replace the last commit.")),
            ]),
        ),
        tool(
            Tool::GitBranch,
            "Git branch",
            KEEPS,
            "Lists branches, creates one and switches to it, switches, or deletes one that is \
             merged. Changes and commits that would be lost are refused.",
            schema([
                ("action!", one_of(BranchAction::WORDS, "What to do.")),
                ("name", text("The branch; not for list.")),
                ("from", text("Where create starts; default HEAD.")),
            ]),
        ),
        tool(
            Tool::GitStash,
            "Git stash",
            EDITS,
            "Puts uncommitted changes aside (push), lists what is aside, brings it back (pop \
             forgets it then, apply keeps it), or drops it.",
            schema([
                ("action!", one_of(StashAction::WORDS, "What to do.")),
                ("message", text("A name for push.")),
                (
                    "include_untracked",
                    flag("push takes files that git does not know too."),
                ),
                (
                    "index",
                    from(0, "Number in the list, for the others; default 0."),
                ),
            ]),
        ),
    ]
}

fn page() -> Value {
    from(1, "Page of a long answer.")
}

fn paths(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}
