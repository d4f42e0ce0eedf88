//! Puts constructs around commands: the line of a seed with a number.

use super::exceptions::{EXCEPTIONS, OTHER_READERS, SAVED};
use super::frames::{AROUND, FISH, FISH_APART, Frame, TAKEN_APART};
use super::inside::PROGRAMS;
use super::leaves::{BENIGN, PLAIN_BENIGN, READS, REMOVALS, SCRIPTS, WRITES};
use super::line::Line;
use super::project::{ROOT, TARGETS};
use crate::random::Random;

/// The productions for which all programs are there.
pub struct Grammar {
    programs: Vec<String>,
}

/// A plain command, taken apart.
struct Plain {
    words: Vec<String>,
    redirections: String,
}

impl Grammar {
    /// The grammar of a machine with these programs.
    pub fn of(programs: &[String]) -> Self {
        Self {
            programs: programs.to_vec(),
        }
    }

    /// Whether a program is there.
    pub fn has(&self, program: &str) -> bool {
        self.programs.iter().any(|one| one == program)
    }

    /// Programs that are not there.
    pub fn left_out(&self) -> impl Iterator<Item = &'static str> {
        PROGRAMS.into_iter().filter(|program| !self.has(program))
    }

    /// The line of a seed with a number.
    pub fn line(&self, seed: u64, index: u64) -> Line {
        let mut random = Random::of(seed, index);
        let shell = match random.below(12) {
            0 | 1 if self.has("zsh") => "zsh",
            2 if self.has("fish") => "fish",
            3 if self.has("dash") => "dash",
            _ => "bash",
        };
        let mut line = Line {
            shell,
            text: String::new(),
            parts: Vec::new(),
            exception: None,
            benign: false,
        };
        line.text = self.command(&mut random, &mut line);
        for _ in 0..*random.pick(&[0, 0, 1, 1, 1, 2, 2, 3]) {
            self.surround(&mut random, &mut line);
        }
        if random.one_in(4) {
            let neighbour = self
                .pick(&mut random, shell, BENIGN)
                .replace("{F}", "README.md");
            // A folder that a neighbour enters would hide what follows from the project.
            if !neighbour.starts_with("cd ") && !neighbour.contains('\n') {
                line.text = format!("{neighbour}; {}", line.text);
            }
        }
        line
    }

    /// A command, perhaps in a construct that takes it apart.
    fn command(&self, random: &mut Random, line: &mut Line) -> String {
        let file = match random.below(8) {
            0 => format!("./{}", random.pick(&TARGETS)),
            1 => format!("{ROOT}/{}", random.pick(&TARGETS)),
            _ => (*random.pick(&TARGETS)).to_owned(),
        };
        let (leaf, is_plain) = match random.below(20) {
            0..=2 => (self.pick(random, line.shell, BENIGN), false),
            3 => (self.pick(random, line.shell, PLAIN_BENIGN), true),
            4 => {
                let exceptions: Vec<_> = EXCEPTIONS.iter().map(|row| row.command).collect();
                (self.pick(random, line.shell, &exceptions), false)
            }
            5..=9 => (self.pick(random, line.shell, READS), true),
            10..=12 => (self.pick(random, line.shell, WRITES), true),
            13..=14 => (self.pick(random, line.shell, REMOVALS), true),
            _ => (self.pick(random, line.shell, SCRIPTS), false),
        };
        line.parts.push(leaf);
        line.benign = BENIGN.contains(&leaf) || PLAIN_BENIGN.contains(&leaf);
        let exception = EXCEPTIONS.iter().find(|row| bare(row.command) == leaf);
        line.exception = exception.map(|row| row.ruling);
        let text = leaf.replace("{F}", &file);
        if !is_plain || random.one_in(5) {
            return text;
        }
        let plain = Plain::of(&text);
        let frame = if line.shell == "fish" {
            *random.pick(FISH_APART)
        } else {
            self.frame(random, line.shell, TAKEN_APART)
        };
        line.parts.push(frame);
        line.exception = line.exception.or(plain.exception(frame));
        plain.put_into(frame, line.shell)
    }

    fn surround(&self, random: &mut Random, line: &mut Line) {
        // What a surrounding text holds is quoted again and again: beyond this it is only long.
        if line.text.len() > 600 {
            return;
        }
        let frame = if line.shell == "fish" {
            *random.pick(FISH)
        } else {
            self.frame(random, line.shell, AROUND)
        };
        line.parts.push(frame);
        let text = &line.text;
        let end = if text.contains("<<") || text.contains('#') {
            "\n"
        } else {
            "; "
        };
        let quoted = quoted(text, line.shell);
        let twice = self::quoted(&quoted, line.shell);
        line.text = fill(
            frame,
            &[
                ("{}", text),
                ("{;}", end),
                ("{qq}", &twice),
                ("{q}", &quoted),
            ],
        );
    }

    fn frame(&self, random: &mut Random, shell: &str, frames: &'static [Frame]) -> &'static str {
        loop {
            let frame = random.pick(frames);
            if frame.shells.split(' ').any(|one| one == shell)
                && let Some(text) = self.at_hand(frame.text)
            {
                return text;
            }
        }
    }

    fn pick(&self, random: &mut Random, shell: &str, leaves: &[&'static str]) -> &'static str {
        loop {
            let leaf = *random.pick::<&str>(leaves);
            // fish has no here-documents, bash's arrays or its descriptors with a name: what does not parse is opaque.
            let is_foreign = shell == "fish"
                && ["<<", "<(", "mapfile", "{fd}", "\n", "for i in", "(cd "]
                    .iter()
                    .any(|one| leaf.contains(one));
            if let Some(leaf) = self.at_hand(leaf).filter(|_| !is_foreign) {
                return leaf;
            }
        }
    }

    /// A production without the name of the program that it needs, where that is there.
    fn at_hand(&self, production: &'static str) -> Option<&'static str> {
        let bare = bare(production);
        let needed = &production[..production.len() - bare.len()];
        (needed.is_empty() || self.has(needed.trim_end_matches('|'))).then_some(bare)
    }
}

fn bare(production: &'static str) -> &'static str {
    match production.split_once('|') {
        Some((program, rest)) if PROGRAMS.contains(&program) => rest,
        _ => production,
    }
}

impl Plain {
    fn of(text: &str) -> Self {
        let is_redirection = |word: &str| {
            let word =
                word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '&');
            word.starts_with(['>', '<'])
        };
        let mut words: Vec<_> = text.split(' ').map(str::to_owned).collect();
        let first = words
            .iter()
            .position(|word| is_redirection(word))
            .unwrap_or(words.len());
        let mut redirections = words.split_off(first);
        // `cat <<< x > f` is all redirections; nothing else follows one in the tables.
        redirections.insert(0, String::new());
        Self {
            words,
            redirections: redirections.join(" "),
        }
    }

    /// The ruling that allows what becomes of it in a construct that makes another command of it.
    fn exception(&self, frame: &str) -> Option<&'static str> {
        let is_read = self.redirections.contains('<') && !self.redirections.contains("<<");
        let last = self.words.last().map_or("", String::as_str);
        if frame.contains("xargs") && frame.contains("{init}{s}") && is_read {
            // `xargs < file` prints words as `echo` does, and `xargs sed < file` as part of its complaints.
            Some(OTHER_READERS)
        } else if frame.contains("{last} -exec") || frame.contains("ls {last} |") {
            // What `find --version` prints.
            last.starts_with('-').then_some(SAVED)
        } else {
            None
        }
    }

    fn put_into(&self, frame: &str, shell: &str) -> String {
        let (words, redirections) = (self.words.join(" "), &self.redirections);
        let (first, others) = self.words.split_first().expect("a command has a name");
        let (last, init) = self.words.split_last().expect("a command has a name");
        let (middle, end) = first.split_at(first.len() - 1);
        fill(
            frame,
            &[
                ("{w}", &words),
                ("{s}", redirections),
                ("{0}", first),
                ("{1}", &others.join(" ")),
                ("{init}", &init.join(" ")),
                ("{last}", last),
                ("{q}", &quoted(&format!("{words}{redirections}"), shell)),
                ("{qw}", &quoted(&words, shell)),
                ("{qword}", &format!("{middle}''\"{end}\"")),
                ("{glob}", &format!("{middle}[{end}]")),
                ("{brace}", &format!("{{{}}}", self.words.join(","))),
            ],
        )
    }
}

/// A text with its placeholders filled; what they are filled with is not looked at again.
fn fill(frame: &str, values: &[(&str, &str)]) -> String {
    let (mut filled, mut rest) = (String::new(), frame);
    while let Some(letter) = rest.chars().next() {
        match values.iter().find(|(name, _)| rest.starts_with(name)) {
            Some((name, value)) => {
                filled += value;
                rest = &rest[name.len()..];
            }
            None => {
                filled.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    filled
}

fn quoted(text: &str, shell: &str) -> String {
    if shell == "fish" {
        return format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
