//! `siderail trace`: recorded traffic for people, one line a message; [`replay`] shows it as events instead.
//!
//! Reads what `run --trace` writes and recordings of the same form: a JSON object a line with `t`, `dir` and `msg`.
//! Damaged lines are counted and left out; messages are never judged.

mod message;
mod replay;

pub(crate) use replay::replay;

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

use serde_json::Value;

use crate::args::ShowArgs;
use crate::exit::{Exit, Failure};
use crate::lines::{self, RawLine};
use crate::recording::Recorded;
use crate::style::{Style, Tone, counted, harmless, one_line};
use crate::terminal::print_error;

/// Bytes of one recorded message.
const LINE_LIMIT: usize = 256 << 20;
/// Characters of a line in short.
const SHORT: usize = 200;

/// Which way a message went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    ToAgent,
    FromAgent,
    Stderr,
    Note,
}

impl Way {
    fn of(dir: &str) -> Option<Self> {
        match dir {
            "client->agent" => Some(Self::ToAgent),
            "agent->client" => Some(Self::FromAgent),
            "agent-stderr" => Some(Self::Stderr),
            "note" => Some(Self::Note),
            _ => None,
        }
    }

    fn mark(self, style: Style) -> &'static str {
        match self {
            Self::ToAgent => style.mark("→", "->"),
            Self::FromAgent => style.mark("←", "<-"),
            Self::Stderr => style.mark("!", "! "),
            Self::Note => style.mark("·", "# "),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &ShowArgs, style: Style) -> Result<Exit, Failure> {
    let unreadable = |error: io::Error| {
        Failure::usage(
            format!(
                "the recording {} cannot be read: {error}",
                args.file.display()
            ),
            "name a file written by `siderail run --trace FILE`",
        )
    };
    let mut input = open(&args.file).map_err(unreadable)?;
    let mut output = BufWriter::new(io::stdout().lock());
    let mut shown = Show {
        raw: args.raw,
        style,
        names: message::Names::default(),
    };
    let (mut n_lines, mut n_damaged) = (0, 0);
    while let Some(line) = lines::next(&mut input, LINE_LIMIT).map_err(unreadable)? {
        let text = match line {
            RawLine::Bytes(bytes) if bytes.trim_ascii().is_empty() => continue,
            RawLine::Bytes(bytes) => shown.line(&bytes),
            RawLine::TooLong { .. } => None,
        };
        n_lines += 1;
        let Some(text) = text else {
            n_damaged += 1;
            continue;
        };
        if let Err(error) = output.write_all(text.as_bytes()) {
            return gone(&error);
        }
    }
    if let Err(error) = output.flush() {
        return gone(&error);
    }
    if n_lines == 0 {
        say_empty(&args.file);
    }
    if n_damaged > 0 {
        let skipped = counted(n_damaged, "damaged line", "damaged lines");
        print_error(&format!("{skipped} of {n_lines} skipped\n"));
    }
    if n_lines > 0 && n_damaged == n_lines {
        return Err(Failure::usage(
            format!("{} is not a recording", args.file.display()),
            "name a file written by `siderail run --trace FILE`",
        ));
    }
    Ok(Exit::Ended)
}

/// Opens a recording. A pipe is one that is still being written; of a folder or a device there is no end.
fn open(file: &Path) -> io::Result<BufReader<File>> {
    let input = File::open(file)?;
    let kind = input.metadata()?.file_type();
    match kind.is_file() || siderail_os::files::is_pipe(kind) {
        true => Ok(BufReader::new(input)),
        false => Err(io::Error::other("it is not a file")),
    }
}

fn say_empty(file: &Path) {
    let file = one_line(&file.to_string_lossy(), SHORT);
    print_error(&format!("{file} is empty: nothing was recorded\n"));
}

fn gone(error: &io::Error) -> Result<Exit, Failure> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(Exit::Ended),
        _ => Err(Failure::output(error)),
    }
}

struct Show {
    raw: bool,
    style: Style,
    names: message::Names,
}

impl Show {
    /// The line to print for a recorded one; none when it is damaged.
    fn line(&mut self, line: &[u8]) -> Option<String> {
        let recorded: Recorded = serde_json::from_slice(line).ok()?;
        let way = Way::of(&recorded.dir)?;
        let said = match (&recorded.msg, self.raw) {
            (Value::String(text), true) => harmless(text).into_owned(),
            (Value::String(text), false) => one_line(text, SHORT),
            (message, true) => harmless(&message.to_string()).into_owned(),
            (message, false) => {
                let said = self.names.short(way, message);
                let kind = self.style.paint(Tone::Place, &one_line(&said.kind, SHORT));
                let about = one_line(&said.about, SHORT);
                let space = if about.is_empty() { "" } else { "  " };
                format!("{kind}{space}{about}")
            }
        };
        let time = match recorded.t {
            Some(t) => format!("{t:>9.3}"),
            None => " ".repeat(9),
        };
        let time = self.style.paint(Tone::Dim, &time);
        let mark = way.mark(self.style);
        Some(format!("{time}  {mark} {said}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &str, expected: &str) {
        let mut show = Show {
            raw: false,
            style: Style::PLAIN,
            names: message::Names::default(),
        };
        let shown: String = lines
            .lines()
            .filter_map(|line| show.line(line.as_bytes()))
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn answers_are_named_by_what_they_answer_on_either_side() {
        check(
            r#"{"t":0.1,"dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}}
{"t":0.2,"dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"path":"/p/a","sessionId":"s"}}}
{"t":12.25,"dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"x","version":"2"}}}}
{"t":12.3,"dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"no such\nfile"}}}
{"t":12.4,"dir":"client->agent","msg":{"jsonrpc":"2.0","id":9,"result":{}}}"#,
            "    0.100  -> initialize #1  protocol 1\n    0.200  <- fs/read_text_file #1  /p/a\n   \
             12.250  <- answer #1 (initialize)  x 2\n   12.300  -> error #1 (fs/read_text_file)  \
             -32002 no such file\n   12.400  -> answer #9\n",
        );
    }

    #[test]
    fn updates_and_permissions_show_what_they_are_about() {
        check(
            r#"{"t":1,"dir":"agent->client","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello\u001b[2J"}}}}}
{"t":1,"dir":"agent->client","msg":{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed","title":"Edit a"}}}}
{"t":1,"dir":"agent->client","msg":{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"toolCall":{"toolCallId":"c1","title":"Edit a"},"options":[]}}}
{"t":1,"dir":"client->agent","msg":{"jsonrpc":"2.0","id":"p","result":{"outcome":{"outcome":"selected","optionId":"reject"}}}}
{"t":1,"dir":"agent->client","msg":{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}}
{"t":1,"dir":"agent-stderr","msg":"a\u001b[31mb"}
{"dir":"note","msg":{"agent":"x","scenario":"deny"}}"#,
            "    1.000  <- agent_message_chunk  Hello␛[2J\n    \
             1.000  <- tool_call_update  c1 failed Edit a\n    \
             1.000  <- session/request_permission #\"p\"  c1 Edit a\n    \
             1.000  -> answer #\"p\" (session/request_permission)  selected reject\n    \
             1.000  <- answer #3  end_turn\n    1.000  !  a␛[31mb\n           #  note  \
             agent x, scenario deny\n",
        );
    }

    #[test]
    fn a_damaged_line_is_no_line() {
        let mut show = Show {
            raw: true,
            style: Style::PLAIN,
            names: message::Names::default(),
        };
        for damaged in [
            &b"{\"t\":1,\"dir\":\"client->"[..],
            b"[]",
            b"{\"t\":1}",
            b"\xff",
            b"7",
        ] {
            assert_eq!(show.line(damaged), None);
        }
        let whole = show
            .line(br#"{"t":1,"dir":"note","msg":{"b":1,"a":"x y"}}"#)
            .unwrap();
        assert!(whole.ends_with("#  {\"b\":1,\"a\":\"x y\"}\n"), "{whole}");
    }
}
