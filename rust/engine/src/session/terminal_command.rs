//! What a terminal runs, and whether it is the command that was asked about before, in the same folder.
//!
//! A permission request shows a command line; the terminal that follows may name a program and its words. Both mean the
//! same if their words are the same. Knows no policy.

use std::collections::BTreeMap;

use siderail_acp::client_request::CreateTerminal;
use siderail_acp::process::CommandLine;

use crate::shell_word;

/// A command line and the folder that it is for: allowed in one folder is not allowed in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandIn {
    pub(crate) line: String,
    /// Where it truly is, absolute.
    pub(crate) folder: String,
    /// Variables that it sets.
    pub(crate) env: BTreeMap<String, String>,
}

/// The command of a terminal that is to be created.
pub(crate) struct TerminalCommand {
    pub(crate) of: CommandIn,
    /// Program and arguments; empty where the line is for a shell.
    words: Vec<String>,
}

impl TerminalCommand {
    pub(in crate::session) fn new(create: &CreateTerminal, folder: String) -> Self {
        let words = match create.args.as_slice() {
            [] => Vec::new(),
            args => std::iter::once(&create.command)
                .chain(args)
                .cloned()
                .collect(),
        };
        let line = line(create, &words);
        Self {
            of: CommandIn {
                line,
                folder,
                env: create.env.clone(),
            },
            words,
        }
    }

    /// True when that is this command, in this folder, with these variables.
    pub(crate) fn is(&self, other: &CommandIn) -> bool {
        let is_same_line = || {
            self.of.line == other.line
                || (!self.words.is_empty()
                    && shell_words(&other.line).is_some_and(|words| words == self.words))
        };
        self.of.folder == other.folder && self.of.env == other.env && is_same_line()
    }
}

/// The process of a terminal. `env`: what it has besides the variables that it sets itself.
pub(in crate::session) fn to_run(
    create: CreateTerminal,
    folder: &str,
    mut env: BTreeMap<String, String>,
) -> CommandLine {
    let (program, args) = match create.args.is_empty() {
        true => ("sh".to_owned(), vec!["-c".to_owned(), create.command]),
        false => (create.command, create.args),
    };
    env.extend(create.env);
    CommandLine {
        program,
        args: args.into_iter().map(Into::into).collect(),
        env,
        cwd: folder.into(),
    }
}

/// The command line that is run: what a shell is given with `-c`, else all words.
fn line(create: &CreateTerminal, words: &[String]) -> String {
    let shell = ["sh", "bash", "/bin/sh", "/bin/bash"].contains(&create.command.as_str());
    match create.args.as_slice() {
        [flag, line] if shell && (flag == "-c" || flag == "-lc") => line.clone(),
        // A command without arguments is a line for the shell.
        [] => create.command.clone(),
        _ => {
            let quoted: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
            quoted.join(" ")
        }
    }
}

/// The words of a line without expansions; `None` when a quote is not closed.
fn shell_words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_default();
        match c {
            '\'' => loop {
                match chars.next()? {
                    '\'' => break,
                    quoted => word.push(quoted),
                }
            },
            '"' => loop {
                match chars.next()? {
                    '"' => break,
                    '\\' if matches!(chars.peek(), Some('"' | '\\' | '$' | '`')) => {
                        word.extend(chars.next());
                    }
                    quoted => word.push(quoted),
                }
            },
            '\\' => word.push(chars.next()?),
            plain => word.push(plain),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terminal(command: &str, args: &[&str]) -> TerminalCommand {
        let create = CreateTerminal {
            session_id: "s".to_owned(),
            command: command.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: BTreeMap::new(),
            cwd: None,
            output_byte_limit: None,
        };
        TerminalCommand::new(&create, "/p".to_owned())
    }

    fn asked(line: &str, folder: &str) -> CommandIn {
        CommandIn {
            line: line.to_owned(),
            folder: folder.to_owned(),
            env: BTreeMap::new(),
        }
    }

    #[test]
    fn a_program_with_words_is_the_line_that_was_asked_about() {
        for (command, args, line) in [
            ("uname", &[][..], "uname"),
            ("git", &["log", "-1"], "git log -1"),
            ("git", &["commit", "-m", "a b"], "git commit -m \"a b\""),
            ("git", &["commit", "-m", "a b"], "git  commit -m a\\ b"),
            ("sh", &["-c", "a | b"], "a | b"),
            ("sh", &["-c", "a | b"], "sh -c 'a | b'"),
        ] {
            assert!(terminal(command, args).is(&asked(line, "/p")), "{line}");
        }
    }

    #[test]
    fn a_command_with_other_variables_is_another_command() {
        let mut terminal = terminal("make", &["all"]);
        terminal
            .of
            .env
            .insert("PATH".to_owned(), "/tmp/x".to_owned());
        assert!(!terminal.is(&asked("make all", "/p")));
        let mut told = asked("make all", "/p");
        told.env = terminal.of.env.clone();
        assert!(terminal.is(&told));
    }

    #[test]
    fn another_line_or_another_folder_is_another_command() {
        assert!(!terminal("rm", &["-r", "a"]).is(&asked("rm -r a", "/p/sub")));
        assert!(!terminal("rm", &["-r", "b"]).is(&asked("rm -r a", "/p")));
        assert!(!terminal("echo a; rm b", &[]).is(&asked("echo 'a; rm b'", "/p")));
        assert!(!terminal("sh", &["-c", "echo a; rm b"]).is(&asked("echo 'a; rm b'", "/p")));
        assert!(!terminal("echo", &["it"]).is(&asked("echo 'it", "/p")));
    }
}
