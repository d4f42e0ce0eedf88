//! Programs with a language of their own in which some lines are for a shell: databases, debuggers, editors,
//! transfers. Their other lines are not judged here.

use crate::analysis::Dialect;
use crate::ir::{Arg, Origin, Stream, UNKNOWN};
use crate::judge::Judge;
use crate::program::{Call, Prompt};

impl Judge<'_> {
    /// Judges the lines for a shell among the input of such a program.
    pub(super) fn prompted(&mut self, prompt: &Prompt, call: Call<'_>) {
        for line in lines_of(prompt, call) {
            self.prompt_lines(prompt, &line, call);
        }
        // What a terminal or a file says is not known.
        if let (true, Stream::Text(text)) = (
            prompt.is_fed && !self.is_editing(prompt, call),
            &self.io.stdin,
        ) {
            let line = Arg::partly(&*text.text, text.unknown);
            self.prompt_lines(prompt, &line, call);
        }
    }

    /// A screen editor reads keys, and lines only where an option says so.
    fn is_editing(&self, prompt: &Prompt, call: Call<'_>) -> bool {
        let is_told = |arg: &Arg| matches!(arg.text.as_str(), "-es" | "-Es" | "-e" | "-E");
        prompt.is_screen && !call.args.iter().any(is_told)
    }

    fn prompt_lines(&mut self, prompt: &Prompt, text: &Arg, call: Call<'_>) {
        for line in text.text.split(prompt.separators) {
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
    let options = call.options();
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
    #[rustfmt::skip]
    const MODIFIERS: [&str; 15] = [
        "normal!", "normal", "norm", "silent!", "silent", "sil!", "sil", "noautocmd", "keepalt", "keepjumps",
        "verbose", "execute", "exe", "tab", "vertical",
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
