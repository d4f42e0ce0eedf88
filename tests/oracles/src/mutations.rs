//! Damaged input: labelled lines and generated programs with pieces cut, doubled, swapped, spliced and replaced, and
//! plain noise. Any bytes may come out.
//!
//! Each input follows from a seed and its number alone.

use crate::labelled::{self, Labelled, Setting};
use crate::random::Random;
use siderail_shell::Dialect;

/// What damaged inputs are made from.
#[derive(Debug)]
pub struct Mutations {
    seed: u64,
    lines: Vec<Labelled>,
}

const DIALECTS: [Dialect; 4] = [
    Dialect::Bash,
    Dialect::Fish,
    Dialect::PowerShell,
    Dialect::Cmd,
];

/// Pieces that mean something to some shell.
const PIECES: [&str; 64] = [
    "'",
    "\"",
    "`",
    "\\",
    "$",
    "$(",
    "$((",
    "${",
    "$'",
    "$\"",
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    "[",
    "]",
    "[[",
    "]]",
    "<",
    ">",
    "<<",
    "<<-",
    "<<<",
    "<(",
    ">(",
    ">>",
    "&>",
    ">&",
    "2>&1",
    "|",
    "|&",
    "||",
    "&",
    "&&",
    ";",
    ";;",
    "\n",
    "\r\n",
    "\t",
    " ",
    "\0",
    "#",
    "!",
    "~",
    "*",
    "?",
    "=",
    "%",
    "^",
    "@",
    "%~dp0",
    "EOF\n",
    "@'\n",
    "'@",
    "if ",
    "case x in ",
    "for i in ",
    "do ",
    "done",
    "function ",
    "-EncodedCommand ",
    "\u{feff}",
];
/// Longer ones, so that small steps reach deep places.
const REPEATED: usize = 200;
/// Inputs do not grow beyond this by splicing.
const LONGEST: usize = 16_384;

impl Mutations {
    /// Those of a seed.
    ///
    /// # Panics
    /// Where the labelled lines of this repository cannot be read.
    pub fn new(seed: u64) -> Self {
        let mut lines = labelled::read(&labelled::corpus());
        lines.extend(labelled::read(&labelled::fresh()));
        Self { seed, lines }
    }

    /// The input with a number, and where it would run.
    pub fn input(&self, index: u64) -> (Vec<u8>, Setting) {
        let mut random = Random::of(self.seed, index);
        let line = random.pick(&self.lines);
        let mut setting = line.setting.clone();
        let mut text = match random.below(16) {
            0 => noise(&mut random),
            1 | 2 => crate::generator::program(self.seed, index)
                .text
                .into_bytes(),
            _ => line.command.clone().into_bytes(),
        };
        for _ in 0..=random.below(6) {
            self.damage(&mut text, &mut random);
        }
        if random.one_in(8) {
            setting = Setting::of(*random.pick(&DIALECTS));
        }
        text.truncate(LONGEST);
        (text, setting)
    }

    fn damage(&self, text: &mut Vec<u8>, random: &mut Random) {
        let at = random.below(text.len() + 1);
        let end = (at + 1 + random.below(12)).min(text.len());
        match random.below(11) {
            0 => drop(text.drain(at..end)),
            1 => text.truncate(at),
            2 => insert(text, at, &[random.byte()]),
            3 if at < text.len() => text[at] ^= 1 << random.below(8),
            4 => {
                let piece = text[at..end].to_vec();
                let to = random.below(text.len() + 1);
                insert(text, to, &piece);
            }
            5 => {
                let other = random.pick(&self.lines).command.as_bytes();
                let from = random.below(other.len() + 1);
                insert(text, at, &other[from..]);
            }
            6 => {
                let piece = random.pick(&PIECES).repeat(1 + random.below(REPEATED));
                insert(text, at, piece.as_bytes());
            }
            7 if at < end => drop(text.splice(at..end, random.pick(&PIECES).bytes())),
            8 => {
                let (open, close) = random.pick(&[
                    ("$(", ")"),
                    ("\"", "\""),
                    ("'", "'"),
                    ("`", "`"),
                    ("( ", " )"),
                    ("{ ", "; }"),
                    ("eval '", "'"),
                    ("cmd /c \"", "\""),
                    ("iex \"", "\""),
                    ("bash -c '", "'"),
                    ("<<E\n", "\nE\n"),
                    ("begin; ", "; end"),
                ]);
                insert(text, at, open.as_bytes());
                let behind = at + open.len() + random.below(text.len() + 1 - at - open.len());
                insert(text, behind, close.as_bytes());
            }
            _ => insert(text, at, random.pick(&PIECES).as_bytes()),
        }
    }
}

fn insert(text: &mut Vec<u8>, at: usize, piece: &[u8]) {
    drop(text.splice(at..at, piece.iter().copied()));
}

fn noise(random: &mut Random) -> Vec<u8> {
    let length = random.below(400);
    (0..length).map(|_| random.byte()).collect()
}
