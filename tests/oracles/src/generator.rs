//! Bash programs of known truth: nested constructs around commands that are recognised by a file name of their own.
//!
//! Every planted command would run, so the guard has to find it. Every other command with a file is a decoy, that is
//! text, data or dead code, and must not be found. All that is known by construction; no parser is asked.
//! Programs come from a seed and a number, and can be made again from them.

mod arithmetic;
mod leaves;

use crate::random::Random;
use siderail_shell::FindingKind;

/// A command that would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planted {
    /// The name of the program, as it is when all is folded.
    pub name: &'static str,
    /// A file name that is in this command only.
    pub marker: String,
    /// What the guard has to call it.
    pub kind: FindingKind,
    /// It is in the text so that a parser alone can tell it: no variable, no wrapper, no string that is run.
    pub bare: bool,
}

/// A program and what is known of it.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Its text.
    pub text: String,
    /// What would run.
    pub planted: Vec<Planted>,
    /// bash 5.2 need not start what is written in it, for one of two reasons. It prints the program of `$( … )` and runs
    /// what it has printed, and behind a here-document it may forget the next `;`: of `$(false <<E ||`, the document and
    /// `echo a; echo b)` it makes `echo a echo b`. And in `"${x:-'$( … )'}"` it does not always find where the
    /// substitution ends.
    pub garbled: bool,
}

/// Whether a file name is that of a planted command or of a decoy.
pub fn is_marker(name: &str) -> bool {
    let number = |letter| name.strip_prefix(letter)?.strip_suffix(".txt");
    let number = number('m').or_else(|| number('d'));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// How deep constructs are nested at most.
const DEPTH: usize = 6;
/// Leaves of one program at most: the guard keeps a bounded number of findings.
const LEAVES: usize = 30;

/// The program of a seed with a number.
pub fn program(seed: u64, index: u64) -> Program {
    let mut random = Random::of(seed, index);
    let depth = random.below(DEPTH) + 1;
    let mut writer = Writer {
        leaves: 1 + random.below(LEAVES),
        random,
        program: Program::default(),
        names: 0,
        documents: 0,
        dead: false,
        hidden: false,
    };
    let piece = writer.list(depth);
    Program {
        text: piece.flat(),
        ..writer.program
    }
}

/// A part of a program: what is on its line, and the here-documents that follow the line.
#[derive(Clone, Debug, Default)]
struct Piece {
    line: String,
    documents: String,
}

impl Piece {
    fn new(line: impl Into<String>) -> Self {
        Self {
            line: line.into(),
            documents: String::new(),
        }
    }

    /// The whole as a text of its own.
    fn flat(&self) -> String {
        if self.documents.is_empty() {
            return self.line.clone();
        }
        format!("{}\n{}", self.line, self.documents)
    }

    /// The whole between two brackets, with what must stand before the closing one.
    fn inside(&self, open: &str, end: &str, close: &str) -> Self {
        // Two brackets together would begin arithmetic, and whether they do is for bash to say.
        let space = if open.ends_with('(') && self.line.starts_with('(') {
            " "
        } else {
            ""
        };
        if self.documents.is_empty() {
            return Self::new(format!("{open}{space}{}{end}{close}", self.line));
        }
        let (line, documents) = (&self.line, &self.documents);
        Self::new(format!("{open}{space}{line}\n{documents}{close}"))
    }

    /// Two pieces with an operator between them.
    fn then(self, operator: &str, next: Self) -> Self {
        if next.line.contains('\n') && !self.documents.is_empty() {
            // The documents come before whatever the next line break is in.
            let operator = if operator == "; " {
                "\n"
            } else {
                &format!("{}\n", operator.trim_end())
            };
            return Self {
                line: format!("{}{operator}{}{}", self.line, self.documents, next.line),
                documents: next.documents,
            };
        }
        Self {
            line: format!("{}{operator}{}", self.line, next.line),
            documents: self.documents + &next.documents,
        }
    }
}

struct Writer {
    random: Random,
    program: Program,
    /// Leaves that may still be written.
    leaves: usize,
    /// How many names have been given: each is given once.
    names: usize,
    /// How many here-documents have been written.
    documents: usize,
    /// What is written now never runs.
    dead: bool,
    /// What is written now is in a string that is run.
    hidden: bool,
}

/// Operators that may stand between any two pieces; all of them may run both.
const OPERATORS: [&str; 8] = ["; ", "; ", " && ", " || ", " | ", " |& ", " & ", "\n"];

impl Writer {
    fn name(&mut self, letter: char) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn list(&mut self, depth: usize) -> Piece {
        let mut list = self.statement(depth);
        for _ in 0..self.random.below(3) {
            if self.leaves == 0 {
                break;
            }
            let next = self.statement(depth);
            let operator = *self.random.pick(&OPERATORS);
            list = if operator == "\n" {
                Piece {
                    line: format!("{}\n{}", list.flat().trim_end_matches('\n'), next.line),
                    documents: next.documents,
                }
            } else {
                list.then(operator, next)
            };
        }
        list
    }

    fn statement(&mut self, depth: usize) -> Piece {
        if depth == 0 || self.leaves == 0 || self.random.one_in(4) {
            self.leaves = self.leaves.saturating_sub(1);
            return self.leaf();
        }
        match self.random.below(6) {
            0 => self.group(depth - 1),
            1 => self.condition(depth - 1),
            2 => self.repeated(depth - 1),
            3 => self.substituted(depth - 1),
            4 => self.evaluated(depth - 1),
            _ => self.odd(depth - 1),
        }
    }

    /// Brackets and prefixes.
    fn group(&mut self, depth: usize) -> Piece {
        let inner = self.list(depth);
        match self.random.below(9) {
            0 | 1 => inner.inside("{ ", ";", " }"),
            2 => inner.inside("( ", "", " )"),
            3 => inner.inside("(", "", ")"),
            4 => inner.inside("( ( ", "", " ) )"),
            5 => inner.inside("( (", "", ") )"),
            6 => inner.inside("{ ! { ", ";", " }; }"),
            7 => inner.inside("{ time { ", ";", " }; }"),
            _ => {
                let redirect = *self
                    .random
                    .pick(&["2>/dev/null", "2>&1", "</dev/null", "3>&1"]);
                inner.inside("{ ", ";", &format!(" }} {redirect}"))
            }
        }
    }

    fn condition(&mut self, depth: usize) -> Piece {
        let head = self.list(depth);
        let body = self.list(depth);
        match self.random.below(6) {
            0 => {
                let head = head.inside("if ", ";", " then ");
                head.then("", body.inside("", ";", " fi"))
            }
            1 => {
                let other = self.list(depth);
                let head = head.inside("if ", ";", " then ");
                let body = body.inside("", ";", " else ");
                head.then("", body).then("", other.inside("", ";", " fi"))
            }
            2 => {
                let head = head.inside("if true; then ", ";", " elif true; then ");
                head.then("", body.inside("", ";", " fi"))
            }
            3 => {
                let head = head.inside("case x in x) ", "", " ;;");
                head.then("", body.inside(" (y | 'z;;') ", "", "\n;; esac"))
            }
            4 => {
                let head = head.inside("case x in\n  x) ", "", " ;;&\n");
                head.then("", body.inside("  *) ", "", "\nesac"))
            }
            _ => {
                let head = head.inside("{ [[ -n x && ( a < b ) ]] && { ", ";", " } || { ");
                head.then("", body.inside("", ";", " }; }"))
            }
        }
    }

    fn repeated(&mut self, depth: usize) -> Piece {
        let body = self.list(depth);
        let name = self.name('f');
        match self.random.below(9) {
            0 => body.inside("for i in 1 2; do ", ";", " done"),
            1 => body.inside("for ((i = 0; i < 1; i++)); do ", ";", " done"),
            2 => body.inside("while ", ";", " do break; done"),
            3 => body.inside("while true; do ", ";", " break; done"),
            4 => body.inside("until ", ";", " do break; done"),
            5 => body.inside(
                &format!("{{ {name}() {{ "),
                ";",
                &format!(" }}; {name}; }}"),
            ),
            6 => body.inside(
                &format!("{{ function {name} {{ "),
                ";",
                &format!(" }}\n{name} x; }}"),
            ),
            7 => body.inside(&format!("{{ {name} () ( "), "", &format!(" ); {name}; }}")),
            _ => self.dead(depth, &name).then("; ", body),
        }
    }

    /// A function that nobody calls.
    fn dead(&mut self, depth: usize, name: &str) -> Piece {
        let before = std::mem::replace(&mut self.dead, true);
        let body = self.list(depth.min(2));
        self.dead = before;
        body.inside(&format!("{name}() {{ "), ";", " }")
    }

    /// A list that may become the text of a substitution.
    fn enclosed(&mut self, depth: usize) -> Piece {
        let before = self.documents;
        let list = self.list(depth);
        self.program.garbled |= self.documents > before;
        list
    }

    /// Where the text of a program is inside of a word.
    fn substituted(&mut self, depth: usize) -> Piece {
        let inner = self.enclosed(depth);
        let dollar = |before: &str, after: &str| {
            inner.inside(&format!("{before}$("), "", &format!("){after}"))
        };
        match self.random.below(16) {
            0 => dollar("echo ", ""),
            1 => dollar("echo \"a ", " b\""),
            2 => Piece::new(format!("echo `{}`", in_backticks(&inner.flat()))),
            3 => Piece::new(format!("echo x`{}`y z", in_backticks(&inner.flat()))),
            4 => dollar("echo \"${unset_one:-", "}\""),
            5 => dollar("echo ${unset_one-x", "}"),
            6 => inner.inside("wc -l <(", "", ")"),
            7 => inner.inside("true > >(", "", ")"),
            8 => dollar("x=", ""),
            9 => dollar("x=\"", "\" true"),
            10 => dollar("export Y=a", "b"),
            11 => dollar("list=(1 ", " 2)"),
            12 => dollar("[[ -n ", " ]]"),
            13 => dollar("[ \"", "\" = x ]"),
            14 => dollar("echo $(( 1 + ", " 2 ))"),
            _ => dollar("for i in ", "; do true; done"),
        }
    }

    /// A list that becomes a string or a document that is run, which no parser looks into by itself.
    fn hidden(&mut self, depth: usize) -> Piece {
        let before = std::mem::replace(&mut self.hidden, true);
        let list = self.list(depth);
        self.hidden = before;
        list
    }

    /// Where the text of a program is a string or a quoted document.
    fn evaluated(&mut self, depth: usize) -> Piece {
        let inner = self.hidden(depth).flat();
        let quoted = in_quotes(&inner);
        match self.random.below(11) {
            0 => Piece::new(format!("eval {quoted}")),
            1 => Piece::new(format!("bash -c {quoted}")),
            2 => Piece::new(format!("env bash -ec {quoted} x")),
            3 => Piece::new(format!("command eval {quoted}")),
            4 => Piece::new(format!("(trap {quoted} EXIT)")),
            5 => Piece::new(format!("echo {quoted} | bash")),
            6 => Piece::new(format!("printf '%s\\n' {quoted} | bash -s x")),
            7 => Piece::new(format!("bash <<< {quoted}")),
            8 => Piece::new(format!("eval \"$(echo {quoted})\"")),
            9 => self.document("source /dev/stdin <<'", "'", &inner),
            _ => self.document("bash <<'", "'", &inner),
        }
    }

    fn document(&mut self, before: &str, behind: &str, text: &str) -> Piece {
        self.documents += 1;
        let tag = self.name('E');
        Piece {
            line: format!("{before}{tag}{behind}"),
            documents: format!("{text}\n{tag}\n"),
        }
    }

    /// What fits nowhere else.
    fn odd(&mut self, depth: usize) -> Piece {
        let inner = self.enclosed(depth);
        match self.random.below(12) {
            0 => inner.inside(": \"${unset_two:=$(", "", ")}\""),
            1 => inner.inside("{ exec 4>&1; ", " &", " wait; }"),
            2 => inner.inside("echo \"$(echo \"$(", "", ")\")\""),
            3 => Piece::new(format!("wc -l <<< \"$( {}\n)\"", inner.flat())),
            4 => {
                let text = format!("text $( {}\n) 'text'", inner.flat());
                self.document("wc -l <<", "", &text)
            }
            5 => {
                let text = format!("\t`{}`", in_backticks(&inner.flat()));
                self.document("wc -l <<-", "", &text)
            }
            6 => {
                // The document of the line begins behind all of it.
                let tag = self.name('E');
                self.documents += 1;
                Piece {
                    documents: format!("`text\n{tag}\n"),
                    ..inner.inside(&format!("true <<'{tag}' $("), "\n", ")")
                }
            }
            7 => inner.inside("{ coproc { ", ";", " }; wait; }"),
            8 => inner.inside("select i in 1; do ", ";", " done </dev/null"),
            9 => inner.inside("case x in [[:alpha:]]) ", "", " ;& y) true;; esac"),
            10 => {
                self.program.garbled = true;
                inner.inside("echo \"${unset_one:-'$(", "", ")'}\"")
            }
            _ => self.counted(&inner),
        }
    }
}

/// A text as one word.
fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A text as it is between backticks: backslashes and backticks are escaped once more.
fn in_backticks(text: &str) -> String {
    text.replace('\\', "\\\\").replace('`', "\\`")
}
