//! What a sed script does besides printing: `w`, `r`, `e`, and the flags of `s`.

use super::effects::Effects;
use crate::ir::Origin;

/// A bounded walk over the commands of a script; what it does not know it steps over.
pub(crate) fn effects(script: &str) -> Effects {
    let mut walk = Walk {
        script,
        bytes: script.as_bytes(),
        at: 0,
        effects: Effects::default(),
    };
    while walk.at < walk.bytes.len() {
        walk.command();
    }
    walk.effects
}

struct Walk<'s> {
    script: &'s str,
    bytes: &'s [u8],
    at: usize,
    effects: Effects,
}

impl Walk<'_> {
    fn command(&mut self) {
        self.address();
        let Some(&letter) = self.bytes.get(self.at) else {
            return;
        };
        self.at += 1;
        match letter {
            b's' => self.substitution(),
            b'y' => {
                self.delimited();
                self.delimited();
            }
            b'w' | b'W' => {
                let file = self.line();
                self.effects
                    .writes
                    .extend(Some(file).filter(|file| !file.starts_with("/dev/std")));
            }
            b'r' | b'R' => {
                let file = self.line();
                self.effects.reads.push(file);
            }
            b'e' => {
                let command = self.line();
                self.effects
                    .commands
                    .extend(Some(command).filter(|command| !command.is_empty()));
            }
            b'a' | b'i' | b'c' => self.text(),
            b'b' | b't' | b'T' | b':' | b'q' | b'Q' | b'l' | b'L' | b'v' => self.skip_label(),
            b'#' => {
                self.line();
            }
            _ => {}
        }
    }

    /// Numbers, `$`, regular expressions, ranges, steps, `!`, and what separates commands.
    fn address(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'0'..=b'9'
                | b'$'
                | b','
                | b'~'
                | b'+'
                | b'!'
                | b' '
                | b'\t'
                | b'\n'
                | b';'
                | b'{'
                | b'}' => {
                    self.at += 1;
                }
                b'/' => {
                    self.at += 1;
                    self.until(b'/');
                    self.flags();
                }
                b'\\' if self.at + 1 < self.bytes.len() => {
                    let delimiter = self.bytes[self.at + 1];
                    self.at += 2;
                    self.until(delimiter);
                    self.flags();
                }
                _ => return,
            }
        }
    }

    fn flags(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b'I' | b'M')) {
            self.at += 1;
        }
    }

    fn substitution(&mut self) {
        let Some(&delimiter) = self.bytes.get(self.at) else {
            return;
        };
        self.at += 1;
        let pattern = self.at;
        self.until(delimiter);
        let whole = matches!(
            self.script.get(pattern..self.at.saturating_sub(1)),
            Some(".*" | "^.*$")
        );
        let start = self.at;
        self.until(delimiter);
        let replacement = start..self.at.saturating_sub(1).max(start);
        while let Some(&flag) = self.bytes.get(self.at) {
            match flag {
                b'w' => {
                    self.at += 1;
                    let file = self.line();
                    self.effects.writes.push(file);
                    return;
                }
                b'e' => {
                    // The line with the replaced text is run.
                    self.at += 1;
                    let text = self.script.get(replacement.clone()).unwrap_or_default();
                    self.effects.commands.push(text.to_owned());
                    if !whole {
                        // The rest of the line is run as well, and is not known.
                        self.effects.code = Some(Origin::Program);
                    }
                }
                byte if byte.is_ascii_alphanumeric() => self.at += 1,
                _ => return,
            }
        }
    }

    fn delimited(&mut self) {
        let Some(&delimiter) = self.bytes.get(self.at) else {
            return;
        };
        self.at += 1;
        self.until(delimiter);
        // The second text of `y` begins behind the same delimiter.
        self.at = self.at.saturating_sub(1);
    }

    /// Moves behind the next such delimiter that is not escaped or in brackets.
    fn until(&mut self, delimiter: u8) {
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += if byte == b'\\' && delimiter != b'\\' {
                2
            } else {
                1
            };
            if byte == delimiter {
                return;
            }
        }
        self.at = self.bytes.len();
    }

    /// The rest of the line.
    fn line(&mut self) -> String {
        let start = self.at.min(self.bytes.len());
        let end = self.bytes[start..].iter().position(|byte| *byte == b'\n');
        let end = end.map_or(self.bytes.len(), |end| start + end);
        self.at = end;
        self.script
            .get(start..end)
            .unwrap_or_default()
            .trim()
            .to_owned()
    }

    /// Text of `a`, `i`, `c`, with continued lines.
    fn text(&mut self) {
        loop {
            let line = self.line();
            if !line.ends_with('\\') || self.at >= self.bytes.len() {
                return;
            }
            self.at += 1;
        }
    }

    fn skip_label(&mut self) {
        while self
            .bytes
            .get(self.at)
            .is_some_and(|byte| !b";}\n".contains(byte))
        {
            self.at += 1;
        }
    }
}
