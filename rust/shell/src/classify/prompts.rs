//! Programs with a language of their own in which some lines are for a shell: databases, debuggers, editors,
//! transfers. Their other lines are not judged here.

use crate::analysis::Dialect;
use crate::args::Grammar;
use crate::ir::{Arg, Origin, Stream, UNKNOWN};
use crate::judge::Judge;
use crate::program::Call;

/// A program, where its lines stand, and how those begin that are for somebody else.
pub(super) struct Prompt {
    pub(super) names: &'static [&'static str],
    grammar: Grammar,
    /// Options whose value is a line.
    options: &'static [(&'static str, &'static str)],
    /// The same with more than one letter behind one dash.
    words: &'static [&'static str],
    /// The first operand that is a line.
    operands: usize,
    /// Operands that are lines begin with this.
    marked: &'static str,
    /// Lines are also read from the input.
    is_fed: bool,
    /// The lines of an editor: ranges and modifiers stand in front.
    edits: bool,
    /// What stands in front of a line for a shell.
    shells: &'static [&'static str],
    /// … for Python, or a function of the program that runs its text.
    scripts: &'static [&'static str],
}

const PROMPT: Prompt = Prompt {
    names: &[],
    grammar: Grammar::of("", &[]),
    options: &[],
    words: &[],
    operands: usize::MAX,
    marked: "",
    is_fed: true,
    edits: false,
    shells: &[],
    scripts: &[],
};

#[rustfmt::skip]
pub(super) const PROMPTS: &[Prompt] = &[
    Prompt {
        names: &["sqlite3", "sqlite", "duckdb", "sqlcipher"],
        grammar: Grammar::of("c", &[]),
        options: &[("c", "")],
        words: &["-cmd", "-c"],
        operands: 1,
        shells: &[".system ", ".shell ", ".once |", ".output |", ".sh ", ".read |", ".read '|", ".import |", ".import '|"],
        ..PROMPT
    },
    Prompt {
        names: &["psql", "pgcli"],
        grammar: Grammar::gnu("cdfhpUvLoFRTP", &["command", "dbname", "host", "port", "username"]),
        options: &[("c", "command")],
        shells: &["\\!", "\\o |", "\\o|", "\\g |", "\\g|"],
        ..PROMPT
    },
    Prompt {
        names: &["mysql", "mariadb", "mycli"],
        grammar: Grammar::gnu("ehPuSD", &["execute", "host", "port", "user", "database"]),
        options: &[("e", "execute")],
        shells: &["\\!", "system "],
        ..PROMPT
    },
    Prompt {
        names: &["gdb", "gdb-multiarch", "rust-gdb"],
        grammar: Grammar::of("", &["eval-command", "init-eval-command", "ex"]),
        options: &[("", "eval-command"), ("", "init-eval-command"), ("", "ex")],
        words: &["-ex", "-iex"],
        shells: &["shell ", "sh ", "she ", "shel ", "!", "pipe "],
        scripts: &["python ", "py ", "pi ", "python-interactive "],
        ..PROMPT
    },
    Prompt {
        names: &["lldb", "rust-lldb"],
        grammar: Grammar::of("oOksSacnpw", &["one-line", "one-line-before-file"]),
        options: &[("oOk", "one-line"), ("", "one-line-before-file")],
        shells: &["platform shell ", "shell "],
        scripts: &["script "],
        ..PROMPT
    },
    Prompt {
        names: &["lftp"],
        grammar: Grammar::of("ecupf", &[]),
        options: &[("ec", "")],
        shells: &["!"],
        ..PROMPT
    },
    Prompt {
        names: &["dc"],
        grammar: Grammar::of("e", &["expression"]),
        options: &[("e", "expression")],
        shells: &["!"],
        ..PROMPT
    },
    Prompt { names: &["ftp", "sftp", "tnftp"], shells: &["!"], ..PROMPT },
    Prompt {
        names: &["expect", "tclsh", "wish"],
        grammar: Grammar::wrapper("cf", &[]),
        options: &[("c", "")],
        shells: &["spawn ", "exec ", "system "],
        ..PROMPT
    },
    Prompt {
        names: &["ipython", "ipython3"],
        grammar: Grammar::of("cm", &[]),
        options: &[("c", "")],
        shells: &["!", "%sx ", "%system "],
        scripts: &[""],
        ..PROMPT
    },
    Prompt { names: &["less", "more", "most"], operands: 0, marked: "+", shells: &["!"], is_fed: false, ..PROMPT },
    Prompt {
        names: &["ex", "ed", "red"],
        grammar: Grammar::of("cpT", &[]),
        options: &[("c", "")],
        operands: 0,
        marked: "+",
        edits: true,
        shells: &["!"],
        ..PROMPT
    },
    Prompt {
        names: &["vim", "vi", "nvim", "gvim", "view", "vimdiff"],
        grammar: Grammar::of("cSuUiTtwWq", &["cmd", "startuptime"]),
        options: &[("c", "cmd")],
        operands: 0,
        marked: "+",
        edits: true,
        shells: &["!", "terminal ", "ter ", "term "],
        scripts: &["lua ", "py ", "py3 ", "python ", "python3 ", "pyx ", "perl ", "ruby ", "call ", "echo ", "let "],
        ..PROMPT
    },
];

impl Judge<'_> {
    /// Judges the lines for a shell among what such a program is told.
    pub(crate) fn prompted(&mut self, call: Call<'_>) {
        let mut prompts = PROMPTS.iter();
        let Some(prompt) = prompts.find(|prompt| prompt.names.contains(&call.name)) else {
            return;
        };
        for line in lines_of(prompt, call) {
            self.prompt_lines(prompt, &line, call);
        }
        // What a terminal or a file says is not known.
        if let (true, Stream::Text(text)) = (
            prompt.is_fed && !self.is_editing(prompt, call),
            &self.io.stdin,
        ) {
            let line = Arg {
                unknown: text.unknown,
                ..Arg::new(&*text.text)
            };
            self.prompt_lines(prompt, &line, call);
        }
    }

    /// A screen editor reads keys, and lines only where it is told so.
    fn is_editing(&self, prompt: &Prompt, call: Call<'_>) -> bool {
        let reads = matches!(call.name, "ed" | "red" | "ex")
            || call
                .args
                .iter()
                .any(|arg| matches!(arg.text.as_str(), "-es" | "-Es" | "-e" | "-E"));
        prompt.edits && !reads
    }

    fn prompt_lines(&mut self, prompt: &Prompt, text: &Arg, call: Call<'_>) {
        let separators: &[char] = match prompt.names {
            ["lftp"] => &['\n', ';'],
            ["expect", ..] => &['\n', ';', '['],
            _ => &['\n'],
        };
        for line in text.text.split(separators) {
            if !self.budget.pay(1 + line.len() / 4) {
                return;
            }
            if !prompt.edits {
                self.prompt_line(prompt, line.trim_start(), text.unknown, call);
                continue;
            }
            // A bar ends a command of an editor, but not one for a shell.
            let mut rest = line;
            while !self.prompt_line(prompt, behind_range(rest), text.unknown, call) {
                let Some((_, more)) = rest.split_once('|') else {
                    break;
                };
                rest = more;
            }
        }
    }

    /// Judges one line, and says whether it was for a shell.
    fn prompt_line(
        &mut self,
        prompt: &Prompt,
        line: &str,
        unknown: Option<Origin>,
        call: Call<'_>,
    ) -> bool {
        let mut shells = prompt.shells.iter();
        if let Some(command) = shells.find_map(|shell| line.strip_prefix(shell)) {
            let command = unquoted(command);
            let unknown = unknown.filter(|_| command.contains(UNKNOWN));
            let input = std::mem::replace(&mut self.io.stdin, Stream::Inherited);
            self.run_code(command, unknown, Dialect::Bash, call, false);
            self.io.stdin = input;
            return true;
        }
        let mut scripts = prompt.scripts.iter();
        if let Some(script) = scripts.find_map(|word| line.strip_prefix(word)) {
            self.prompt_script(script, unknown, prompt.edits, call);
        }
        false
    }
}

/// A command without the quote that closes one in front of it.
fn unquoted(command: &str) -> &str {
    let quote = command
        .chars()
        .next_back()
        .filter(|last| matches!(last, '"' | '\''));
    match quote {
        Some(quote) if command.matches(quote).count() % 2 == 1 => command.trim_end_matches(quote),
        _ => command,
    }
}

/// The options and operands that hold lines.
fn lines_of(prompt: &Prompt, call: Call<'_>) -> Vec<Arg> {
    let options = prompt.grammar.split(call.args);
    let mut lines: Vec<Arg> = Vec::new();
    for (short, long) in prompt.options {
        lines.extend(options.values(short, long).cloned());
    }
    let pairs = call.args.windows(2);
    let named = pairs.filter(|pair| prompt.words.contains(&pair[0].text.as_str()));
    lines.extend(named.map(|pair| pair[1].clone()));
    let operands = options.files().iter().skip(prompt.operands);
    lines.extend(operands.filter_map(|operand| operand.strip_prefix(prompt.marked)));
    lines
}

/// A command of an editor without what says where and how it works: `:%!sort`, `silent! !make`, `1w !sh`.
fn behind_range(line: &str) -> &str {
    const MODIFIERS: [&str; 15] = [
        "normal!",
        "normal",
        "norm",
        "silent!",
        "silent",
        "sil!",
        "sil",
        "noautocmd",
        "keepalt",
        "keepjumps",
        "verbose",
        "execute",
        "exe",
        "tab",
        "vertical",
    ];
    // What reads or writes a file may do so with a command.
    const PIPED: [&str; 6] = ["read", "write", "r", "w", "e", "W"];
    let place = |c: char| c.is_ascii_digit() || " \t:%.,$'<>+-*\"".contains(c);
    let mut rest = line.trim_start_matches(place);
    // `g/pattern/command`
    if let Some(pattern) = ["g/", "v/", "global/"]
        .iter()
        .find_map(|word| rest.strip_prefix(word))
    {
        rest = pattern.split_once('/').map_or("", |(_, behind)| behind);
        rest = rest.trim_start_matches(place);
    }
    while let Some(behind) = MODIFIERS.iter().find_map(|word| {
        rest.strip_prefix(word)
            .filter(|behind| behind.starts_with([' ', '!', '"', '\'']))
    }) {
        rest = behind.trim_start_matches(place);
    }
    let piped = PIPED.iter().find_map(|word| rest.strip_prefix(word));
    match piped.map(str::trim_start) {
        Some(command) if command.starts_with('!') => command,
        _ => rest,
    }
}
