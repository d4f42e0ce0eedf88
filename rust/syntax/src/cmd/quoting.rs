//! Words of cmd.exe: quotes, `^`, `%name%` and `!name!`, redirections, `set`.

use super::{Parser, Result};
use crate::tree::parts::Parts;
use crate::tree::{
    Assignment, Operation, Operator, Parameter, Part, Redirect, Simple, Trouble, Value, Word,
};
use std::rc::Rc;

/// Commands of the interpreter itself, whose name may be followed by more without a blank.
const INTERNAL: [&str; 21] = [
    "echo", "dir", "type", "del", "erase", "rd", "rmdir", "cd", "chdir", "md", "mkdir", "copy",
    "move", "ren", "rem", "set", "call", "start", "pushd", "popd", "exit",
];

impl Parser<'_> {
    /// The name of a command: `dir/b` and `echo.` hold an argument as well.
    pub(super) fn name(&mut self) -> Result<Word> {
        let letters = self.letters();
        let behind = self.peek_at(letters.len());
        let internal = INTERNAL
            .iter()
            .any(|name| letters.eq_ignore_ascii_case(name));
        if internal && behind.is_some_and(|byte| b"/\\.:,;=(+[]".contains(&byte)) {
            self.position += letters.len();
            let separates = behind.is_some_and(|byte| b".:,;=(+[]".contains(&byte));
            // `cd..` and `cd\` keep what follows as their argument.
            if separates && !letters.to_ascii_lowercase().ends_with("cd") {
                self.position += 1;
            }
            return Ok(Word {
                parts: [Part::Bare(letters.into())].into(),
            });
        }
        self.word()
    }

    pub(super) fn word(&mut self) -> Result<Word> {
        self.text_until(|byte| b" \t\r\n&|<>".contains(&byte))
    }

    /// Text with quotes taken away and variables kept, up to a byte outside of quotes.
    pub(super) fn text_until(&mut self, ends: fn(u8) -> bool) -> Result<Word> {
        let mut word = Word::default();
        let mut quoted = false;
        loop {
            let Some(byte) = self.peek() else {
                return Ok(word);
            };
            match byte {
                b'\n' => return Ok(word),
                b'"' => {
                    quoted = !quoted;
                    self.position += 1;
                    word.push_quoted("");
                }
                b'^' if !quoted => {
                    self.position += 1;
                    let Some(letter) = self.text[self.position..].chars().next() else {
                        return Ok(word);
                    };
                    self.position += letter.len_utf8();
                    if letter != '\n' {
                        word.push_quoted(letter.encode_utf8(&mut [0; 4]));
                    }
                }
                b'%' | b'!' => self.variable(byte, quoted, &mut word),
                b')' if !quoted && self.kept.brackets > 0 => return Ok(word),
                _ if !quoted && ends(byte) => return Ok(word),
                _ => {
                    let start = self.position;
                    self.position += 1;
                    self.skip_while(|byte| !b"\"^%!)\n".contains(&byte) && (quoted || !ends(byte)));
                    word.push_text(&self.text[start..self.position], quoted);
                }
            }
        }
    }

    /// `%name%`, `!name!`, `%1`, `%%i`, `%~nxi`; a lone sign is a letter.
    fn variable(&mut self, sign: u8, quoted: bool, word: &mut Word) {
        let rest = &self.bytes[self.position + 1..self.bytes.len().min(self.position + 120)];
        let closing = rest.iter().position(|byte| *byte == sign);
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_()#.-:~=,\\/*".contains(byte);
        // On a command line a name that nobody has set stays as it is: `%p\%d` inside of a loop is two variables of loops.
        let in_loop = sign == b'%'
            && rest
                .split_first()
                .is_some_and(|(letter, rest)| self.kept.loops.contains(letter) && !is_letter(rest));
        let named = closing.filter(|end| *end > 0 && !in_loop && rest[..*end].iter().all(is_name));
        if let Some(end) = named {
            let name = String::from_utf8_lossy(&rest[..end]).into_owned();
            self.position += end + 2;
            match name.split_once(':') {
                Some(_) => word.parts.push(Part::Unknown(Rc::new(Vec::new()))),
                // Inside of a text for another interpreter it may be for that one to expand.
                None if sign == b'!' && quoted => {
                    let written = Word::quoted(format!("!{name}!"));
                    let name = name.to_ascii_uppercase();
                    word.parts
                        .push(parameter(name, Operation::Default, written, quoted));
                }
                None => {
                    let name = name.to_ascii_uppercase();
                    word.parts.push(plain(name, quoted));
                }
            }
            return;
        }
        if sign == b'!' {
            self.position += 1;
            word.push_text("!", quoted);
            return;
        }
        let mut at = usize::from(rest.first() == Some(&b'%'));
        let modified = rest.get(at) == Some(&b'~');
        while modified
            && rest
                .get(at + 1)
                .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'~')
        {
            at += 1;
        }
        match rest.get(at) {
            Some(letter) if letter.is_ascii_alphanumeric() || *letter == b'*' => {
                self.position += at + 2;
                word.parts
                    .push(plain(format!("%{}", char::from(*letter)), quoted));
            }
            _ => {
                self.position += 1;
                word.push_text("%", quoted);
            }
        }
    }

    /// A redirection, with a digit directly in front.
    pub(super) fn redirect(&mut self) -> Result<Option<Redirect>> {
        let digit = self.peek().filter(u8::is_ascii_digit);
        let offset = usize::from(digit.is_some());
        let operator = match self.peek_at(offset) {
            Some(b'>') => Operator::Write,
            Some(b'<') => Operator::Read,
            _ => return Ok(None),
        };
        self.position += offset + 1;
        self.position += usize::from(operator == Operator::Write && self.peek() == Some(b'>'));
        let fd = digit.map(|digit| digit - b'0');
        if self.peek() == Some(b'&') {
            self.position += 1;
            let target = self.word()?;
            let operator = if operator == Operator::Write {
                Operator::DuplicateOut
            } else {
                Operator::DuplicateIn
            };
            return Ok(Some(Redirect {
                variable: None,
                fd,
                operator,
                target,
            }));
        }
        self.skip_blanks();
        let before = self.position;
        let target = self.word()?;
        if self.position == before {
            return Err(Trouble::Syntax("a redirection without its file"));
        }
        Ok(Some(Redirect {
            variable: None,
            fd,
            operator,
            target,
        }))
    }

    /// `set name=value` takes the rest of the command, blanks and all.
    pub(super) fn assignment(&mut self, simple: &mut Simple) -> Result<()> {
        let is_set = |word: &Word| {
            word.literal()
                .is_some_and(|text| text.eq_ignore_ascii_case("set"))
        };
        if simple.words.len() != 1 || !simple.words.first().is_some_and(is_set) {
            return Ok(());
        }
        self.skip_blanks();
        if self.peek() == Some(b'/') {
            return Ok(());
        }
        let value = self.text_until(|byte| b"&|<>".contains(&byte))?;
        let Some(Part::Bare(first) | Part::Quoted(first)) =
            value.parts.iter().find(|part| !is_empty(part))
        else {
            return Ok(());
        };
        let Some((name, rest)) = first.split_once('=') else {
            return Ok(());
        };
        let (name, rest) = (name.trim().to_ascii_uppercase(), rest.to_owned());
        let at = value
            .parts
            .iter()
            .position(|part| !is_empty(part))
            .unwrap_or(0);
        let mut parts = Parts::from([Part::Quoted(rest.into())]);
        parts.extend(value.parts.into_iter().skip(at + 1));
        simple.words.clear();
        let value = Value::Scalar(Word { parts });
        simple.assignments.push(Assignment {
            name: name.into(),
            index: None,
            append: false,
            value,
        });
        Ok(())
    }
}

fn is_letter(rest: &[u8]) -> bool {
    rest.first().is_some_and(u8::is_ascii_alphanumeric)
}

fn is_empty(part: &Part) -> bool {
    matches!(part, Part::Bare(text) | Part::Quoted(text) if text.is_empty())
}

fn plain(name: String, quoted: bool) -> Part {
    parameter(name, Operation::Plain, Word::default(), quoted)
}

fn parameter(name: String, operation: Operation, argument: Word, quoted: bool) -> Part {
    Part::Parameter(Rc::new(Parameter {
        name: name.into(),
        index: None,
        operation,
        empty_is_unset: false,
        argument,
        quoted,
    }))
}
