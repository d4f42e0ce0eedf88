//! Reads a command line and says what it does through the shell that an IDE tool does better.

/// The shell that a command line is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Bash, and sh, zsh, dash, ksh.
    Bash,
    /// Fish.
    Fish,
    /// PowerShell.
    PowerShell,
    /// `cmd.exe`.
    Cmd,
}

/// A command line and what is known around it.
#[derive(Clone, Copy, Debug)]
pub struct ShellInput<'a> {
    /// The command line.
    pub command: &'a [u8],
    /// Its shell.
    pub dialect: Dialect,
    /// The project's root, absolute.
    pub root: &'a str,
    /// Where it starts, absolute.
    pub cwd: &'a str,
    /// The user's home.
    pub home: Option<&'a str>,
    /// Bare names of the offered tools; `None` for all.
    pub tools: Option<&'a [&'a str]>,
}

/// What a part of a command line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FindingKind {
    /// Prints a project file.
    ReadFile,
    /// Writes a project file.
    WriteFile,
    /// Searches text in project files.
    SearchText,
    /// Searches files by name.
    FindFile,
    /// Lists a project folder.
    ListDir,
    /// Runs the project's tests.
    RunTests,
    /// A git subcommand with an IDE tool.
    Git,
    /// Loses work or data.
    Destructive,
    /// Runs what it has just downloaded.
    RemoteCode,
    /// What will run cannot be told.
    Opaque,
}

impl FindingKind {
    /// The kind's name in answers and events.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadFile => "read_file",
            Self::WriteFile => "write_file",
            Self::SearchText => "search_text",
            Self::FindFile => "find_file",
            Self::ListDir => "list_dir",
            Self::RunTests => "run_tests",
            Self::Git => "git",
            Self::Destructive => "destructive",
            Self::RemoteCode => "remote_code",
            Self::Opaque => "opaque",
        }
    }

    /// What a finding of this kind asks for.
    pub fn verdict(self) -> ShellVerdict {
        match self {
            Self::Destructive | Self::RemoteCode | Self::Opaque => ShellVerdict::Ask,
            _ => ShellVerdict::Redirect,
        }
    }
}

/// One thing that a command line does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// The offered tool that does it better.
    pub tool: Option<&'static str>,
    /// The part of the line that does it.
    pub text: String,
    /// Why it counts, for people.
    pub why: String,
    /// The paths it touches.
    pub paths: Vec<String>,
}

/// The strongest of an analysis' findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShellVerdict {
    /// No finding.
    Allow,
    /// A person decides, even where commands are otherwise allowed.
    Ask,
    /// An IDE tool does this.
    Redirect,
}

/// What was found in a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The strongest finding's verdict.
    pub verdict: ShellVerdict,
    /// All findings, in the order of the line.
    pub findings: Vec<Finding>,
}

/// Analyses a command line.
pub fn analyse(input: &ShellInput) -> Analysis {
    let _ = input;
    Analysis {
        verdict: ShellVerdict::Allow,
        findings: Vec::new(),
    }
}
