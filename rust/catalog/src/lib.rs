//! Our own tools, one row each: what a call does, what it needs, what it may do while a plan is made, who runs
//! it and what it touches. The words are those that models, events and hosts use; nothing else spells them.
//!
//! Knows no argument's meaning beyond what a column says. The definitions that models read are in `tools`; what a tool
//! does is in `tools`, in `workspace` or in the IDE. It depends on nothing, so that each of them can match on [`Tool`].
//!
//! The table is complete: an agent is offered what is here, and a host has no tools beside it. So a name becomes a
//! [`Tool`] where it comes in, by [`Tool::named`], and whoever reads it there answers for a name that is not ours. From
//! there on the type is [`Tool`], and [`Tool::name`] makes it text again for the wire, for events and for people.

mod git_action;
mod kind;

use std::fmt;

pub use git_action::{BranchAction, GitAction, StashAction};
pub use kind::ActionKind;

use ActionKind as K;
use Disk as D;
use Needs as N;
use Patience as P;
use Planning as L;
use Runner as R;

/// Name of our MCP server, the same for every agent.
pub const SERVER: &str = "intellij-code-tools";

/// What a call needs before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: it reads, what it does can be undone or changes git's index alone, or it asks by itself.
    Nothing,
    /// The shell policy, then a person.
    Command,
    /// A person.
    Person,
    /// A person, always: it deletes.
    Destructive,
    /// A person; always where it puts something else in the place, which may be nowhere else.
    PersonOverwriting,
    /// As its argument `action` says ([`GitAction::needs`]).
    Action,
}

/// What it may do while a plan is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planning {
    /// It changes nothing: neither a file nor git's index, and no program of the project runs.
    Open,
    /// Open as far as its command only looks.
    Command,
    /// Open as far as its request only reads.
    Request,
    /// As its argument `action` says ([`GitAction::planning`]).
    Action,
    /// Closed.
    Closed,
}

/// Who runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    /// The engine, whatever the host.
    Engine,
    /// The file tools of `workspace`, whatever the host.
    Files,
    /// The same, where the host has documents.
    Documents,
    /// The IDE.
    Host,
    /// The IDE, where a person has switched on what nobody has tried in a running IDE yet.
    HostOnTrial,
}

/// How long it is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Shortly.
    Short,
    /// As long as the project's own programs run.
    Programs,
    /// As long as a repository's hooks run, which start tests.
    Hooks,
    /// As long as a person takes.
    Person,
}

/// What it has to do with the files on disk, where the engine runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disk {
    /// Nothing, or it sees to that itself.
    Nothing,
    /// A program reads them.
    Reads,
    /// A program may change them, or what is known about them.
    Changes,
    /// A program may change them, unless the call asks for another page of what was put out.
    ChangesUnlessPage,
    /// As its argument `action` says ([`GitAction::disk`]).
    Action,
}

macro_rules! tools {
    ($($tool:ident $name:literal $kind:path, $needs:path, $planning:path, $runner:path, $patience:path, $disk:path, $paths:expr;)*) => {
        /// One of our own tools.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the words of each row are its description")]
        pub enum Tool { $($tool),* }

        impl Tool {
            /// All of them, in the table's order.
            pub const ALL: &[Self] = &[$(Self::$tool),*];
        }

        const ROWS: &[Row] = &[$(Row {
            tool: Tool::$tool,
            name: $name,
            kind: $kind,
            needs: $needs,
            planning: $planning,
            runner: $runner,
            patience: $patience,
            disk: $disk,
            paths: &$paths,
        }),*];
    };
}

struct Row {
    tool: Tool,
    name: &'static str,
    kind: ActionKind,
    needs: Needs,
    planning: Planning,
    runner: Runner,
    patience: Patience,
    disk: Disk,
    paths: &'static [&'static str],
}

// The last column names the arguments that are paths of files which the call writes.
tools! {
    ReadFile "intellij_read_file" K::Read, N::Nothing, L::Open, R::Files, P::Short, D::Nothing, [];
    WriteFile "intellij_write_file" K::Edit, N::Nothing, L::Closed, R::Files, P::Short, D::Nothing, ["path"];
    ListProjectFiles "list_project_files" K::ListFolder, N::Nothing, L::Open, R::Files, P::Short, D::Nothing, [];
    SearchText "search_text" K::SearchText, N::Nothing, L::Open, R::Files, P::Short, D::Nothing, [];
    DeleteFile "delete_file" K::Delete, N::Destructive, L::Closed, R::Files, P::Short, D::Nothing, ["path"];
    MoveFile "move_file" K::Move, N::PersonOverwriting, L::Closed, R::Files, P::Short, D::Nothing, ["path", "to"];
    SearchSymbols "search_symbols" K::Other, N::Nothing, L::Open, R::Host, P::Short, D::Nothing, [];
    GetFileOutline "get_file_outline" K::Other, N::Nothing, L::Open, R::Host, P::Short, D::Nothing, [];
    FindReferences "find_references" K::Other, N::Nothing, L::Open, R::Host, P::Short, D::Nothing, [];
    GoToDeclaration "go_to_declaration" K::Other, N::Nothing, L::Open, R::Host, P::Short, D::Nothing, [];
    GetHierarchy "get_hierarchy" K::Other, N::Nothing, L::Open, R::Host, P::Short, D::Nothing, [];
    RenameSymbol "rename_symbol" K::Edit, N::Person, L::Closed, R::Host, P::Programs, D::Nothing, [];
    GetProblems "get_problems" K::Other, N::Nothing, L::Open, R::Host, P::Short, D::Nothing, [];
    ApplyQuickFix "apply_quick_fix" K::Edit, N::Nothing, L::Closed, R::Host, P::Short, D::Nothing, ["path"];
    OptimizeImports "optimize_imports" K::Other, N::Nothing, L::Closed, R::Documents, P::Short, D::Nothing, [];
    FormatCode "format_code" K::Other, N::Nothing, L::Closed, R::Documents, P::Short, D::Nothing, [];
    RunCommand "run_command" K::Execute, N::Command, L::Command, R::Engine, P::Programs, D::ChangesUnlessPage, [];
    ListTests "list_tests" K::Other, N::Nothing, L::Open, R::Engine, P::Short, D::Reads, [];
    RunTests "run_tests" K::RunTests, N::Nothing, L::Closed, R::Engine, P::Programs, D::Changes, [];
    GetTestResults "get_test_results" K::Other, N::Nothing, L::Open, R::Engine, P::Short, D::ChangesUnlessPage, [];
    GetCoverage "get_coverage" K::Other, N::Nothing, L::Open, R::Engine, P::Programs, D::Nothing, [];
    GitStatus "git_status" K::Git, N::Nothing, L::Open, R::Engine, P::Short, D::Reads, [];
    GitDiff "git_diff" K::Git, N::Nothing, L::Open, R::Engine, P::Short, D::Reads, [];
    GitLog "git_log" K::Git, N::Nothing, L::Open, R::Engine, P::Short, D::Nothing, [];
    GitBlame "git_blame" K::Git, N::Nothing, L::Open, R::Engine, P::Short, D::Reads, [];
    GitShow "git_show" K::Git, N::Nothing, L::Open, R::Engine, P::Short, D::Nothing, [];
    GitStage "git_stage" K::Git, N::Nothing, L::Closed, R::Engine, P::Hooks, D::Changes, [];
    GitUnstage "git_unstage" K::Git, N::Nothing, L::Closed, R::Engine, P::Short, D::Changes, [];
    GitCommit "git_commit" K::Git, N::Person, L::Closed, R::Engine, P::Hooks, D::Changes, [];
    GitBranch "git_branch" K::Git, N::Action, L::Action, R::Engine, P::Hooks, D::Action, [];
    GitStash "git_stash" K::Git, N::Action, L::Action, R::Engine, P::Hooks, D::Action, [];
    HttpRequest "http_request" K::Fetch, N::Person, L::Request, R::Engine, P::Short, D::Nothing, [];
    GetProjectInfo "get_project_info" K::Other, N::Nothing, L::Open, R::Files, P::Short, D::Nothing, [];
    AskUser "ask_user" K::Other, N::Nothing, L::Open, R::Files, P::Person, D::Nothing, [];
    ReadIdeLog "read_ide_log" K::Other, N::Nothing, L::Open, R::Host, P::Short, D::Nothing, [];
    GetNotifications "get_notifications" K::Other, N::Nothing, L::Open, R::Host, P::Short, D::Nothing, [];
    ListRunConfigurations "list_run_configurations" K::Other, N::Nothing, L::Open, R::HostOnTrial, P::Short, D::Nothing, [];
    RunConfiguration "run_configuration" K::Other, N::Person, L::Closed, R::HostOnTrial, P::Programs, D::Nothing, [];
    CreateRunConfiguration "create_run_configuration" K::Other, N::Person, L::Closed, R::HostOnTrial, P::Short, D::Nothing, [];
    EditRunConfiguration "edit_run_configuration" K::Other, N::Person, L::Closed, R::HostOnTrial, P::Short, D::Nothing, [];
    ReadRunOutput "read_run_output" K::Other, N::Nothing, L::Open, R::HostOnTrial, P::Short, D::Nothing, [];
    RunInTerminal "run_in_terminal" K::Execute, N::Command, L::Closed, R::HostOnTrial, P::Programs, D::Nothing, [];
    ListTerminals "list_terminals" K::Other, N::Nothing, L::Open, R::HostOnTrial, P::Short, D::Nothing, [];
    ReadTerminalOutput "read_terminal_output" K::Other, N::Nothing, L::Open, R::HostOnTrial, P::Short, D::Nothing, [];
}

impl Tool {
    /// An iterator over [`Self::ALL`].
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied()
    }

    /// The tool of that bare name.
    pub fn named(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == name).map(|row| row.tool)
    }

    /// Its bare name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What a call of it does.
    pub fn kind(self) -> ActionKind {
        self.row().kind
    }

    /// What a call needs before it runs.
    pub fn needs(self) -> Needs {
        self.row().needs
    }

    /// What it may do while a plan is made.
    pub fn planning(self) -> Planning {
        self.row().planning
    }

    /// Who runs it.
    pub const fn runner(self) -> Runner {
        self.row().runner
    }

    /// How long it is waited for.
    pub fn patience(self) -> Patience {
        self.row().patience
    }

    /// What it has to do with the files on disk, where the engine runs it.
    pub fn disk(self) -> Disk {
        self.row().disk
    }

    /// Names of the arguments that are paths of files which a call writes.
    pub fn written_paths(self) -> &'static [&'static str] {
        self.row().paths
    }

    /// Whether it shows something of the project or the IDE and does nothing else. What runs programs for it, git among
    /// them, is more than a look.
    pub fn only_looks(self) -> bool {
        let row = self.row();
        row.planning == Planning::Open
            && row.patience == Patience::Short
            && row.runner != Runner::Engine
    }

    /// Whether it is one of those over git.
    pub fn is_git(self) -> bool {
        self.kind() == ActionKind::Git
    }

    const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_found_by_its_tool_and_by_its_name() {
        for tool in Tool::all() {
            assert_eq!(tool.row().tool, tool);
            assert_eq!(Tool::named(tool.name()), Some(tool));
        }
        assert_eq!(Tool::named("rm"), None);
    }
}
