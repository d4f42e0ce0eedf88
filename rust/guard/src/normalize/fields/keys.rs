//! The names that agents give to the fields of a call about a command.
//!
//! Names alone: the modules that use them interpret the values.

/// Fields that hold a command line, or the program and its words.
pub(super) const COMMAND_KEYS: [&str; 11] = [
    "command",
    "cmd",
    "commands",
    "script",
    "command_line",
    "commandLine",
    "shell_command",
    "shellCommand",
    "program",
    "executable",
    "argv",
];

/// The words of a program that another field names (ACP's own terminals: `command` with `args`).
pub(super) const WORD_KEYS: [&str; 2] = ["args", "arguments"];

/// What a tool types into a command that runs.
pub(super) const TYPED_KEYS: [&str; 3] = ["chars", "input", "text"];

/// Fields that name the folder in which a tool works.
pub(super) const FOLDER_KEYS: [&str; 4] = ["cwd", "workdir", "working_dir", "working_directory"];

/// The same of a tool that runs a command; to any other, the last two are what it works on.
pub(super) const RUN_FOLDER_KEYS: [&str; 6] = [
    "cwd",
    "workdir",
    "working_dir",
    "working_directory",
    "directory",
    "dir_path",
];
