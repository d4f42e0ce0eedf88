//! The reader of questions that one key answers, as plain data: which keys count, and which belong to a word.
//!
//! Every such question reads its keys here, so that none takes a letter out of a typed sentence for an answer: a letter
//! counts once Enter or a pause has shown that it is typed alone. The question says what a key chooses.

use crate::keys::Key;

/// Words that say the same as their first letter, where that is a choice.
const WORDS: [&str; 3] = ["yes", "no", "approve"];

/// The result of a key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Keyed<A> {
    /// The question stays; print this.
    Open(String),
    /// The question is answered; print this.
    Answered(A, String),
}

/// What a key chooses at a question where one of the keys opens a line of text instead of answering.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Choice<A> {
    /// The answer.
    Answer(A),
    /// A line of text goes with the answer, and is typed now.
    Line,
}

/// How far the person has got with a question that one key answers.
#[derive(Debug, Default)]
pub(crate) struct OneKey {
    /// A key that means nothing was pressed: what follows may be the rest of a word. A pause or Enter ends it.
    is_astray: bool,
    /// How much came so, a sentence if it is more than a key: the Enter behind it answers nothing.
    n_astray: usize,
    /// A letter that is a choice, and what came behind it.
    word: String,
}

impl OneKey {
    /// Reads a key: `choose` says what it chooses, if anything; `keys` says which keys there are, and `prompt` asks
    /// again after a key without a meaning. `choose` gets the end of the input in any case, and must answer it; a
    /// letter it gets twice, once to hear whether that is a choice, and again when it is known to be typed alone.
    pub(crate) fn read<A>(
        &mut self,
        key: Key,
        keys: &str,
        prompt: &str,
        choose: impl FnOnce(Key) -> Option<Keyed<A>>,
    ) -> Keyed<A> {
        let nothing = Keyed::Open(String::new());
        match key {
            Key::End => choose(key).unwrap_or(nothing),
            // what was pasted belongs to no question
            Key::Pasted(_) | Key::Edit(_) => nothing,
            Key::Enter | Key::Escape | Key::Pause
                if self.is_astray || key == Key::Enter && self.n_astray > 1 =>
            {
                self.is_astray = false;
                if key != Key::Pause {
                    self.n_astray = 0;
                }
                Keyed::Open(format!("\npress {keys} {prompt}"))
            }
            _ if self.is_astray => {
                self.n_astray += 1;
                nothing
            }
            Key::Enter | Key::Pause if !self.word.is_empty() => {
                let first = self.word.chars().next().filter(|_| self.is_whole());
                match (first, key) {
                    (Some(first), _) => {
                        self.word.clear();
                        choose(Key::Char(first)).unwrap_or(nothing)
                    }
                    (None, Key::Enter) => {
                        self.word.clear();
                        Keyed::Open(format!("\npress {keys} {prompt}"))
                    }
                    (None, _) => nothing,
                }
            }
            Key::Pause => nothing,
            Key::Char(c) if !self.word.is_empty() => {
                self.word.extend(c.to_lowercase());
                let small = self.word.to_lowercase();
                match WORDS.iter().any(|word| word.starts_with(&small)) {
                    true => nothing,
                    false => self.goes_astray(),
                }
            }
            key => {
                self.word.clear();
                match (choose(key), key) {
                    (Some(_), Key::Char(c)) => {
                        self.n_astray = 0;
                        self.word.push(c);
                        nothing
                    }
                    (Some(keyed), _) => keyed,
                    (None, Key::Char(_)) => self.goes_astray(),
                    (None, _) => nothing,
                }
            }
        }
    }

    /// True where no key was pressed since the question was asked.
    pub(crate) fn is_fresh(&self) -> bool {
        !self.is_astray && self.word.is_empty()
    }

    /// A letter alone, or the whole word for it.
    fn is_whole(&self) -> bool {
        let small = self.word.to_lowercase();
        self.word.chars().count() == 1 || WORDS.contains(&small.as_str())
    }

    /// Says nothing yet: who types a sentence is not interrupted, and what is said later can be answered at once.
    fn goes_astray<A>(&mut self) -> Keyed<A> {
        self.n_astray = self.word.chars().count().max(1);
        self.word.clear();
        self.is_astray = true;
        Keyed::Open(String::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::KeyReader;

    /// The result of typing; `|` is a pause.
    fn typed(text: &str) -> Option<char> {
        let mut one_key = OneKey::default();
        let choose = |key| match key {
            Key::Char(c @ ('y' | 'p' | 'a')) => Some(Keyed::Answered(c, String::new())),
            Key::Enter | Key::Escape | Key::End => Some(Keyed::Answered('-', String::new())),
            _ => None,
        };
        let keys = KeyReader::default().keys(text.as_bytes()).into_iter();
        let keys = keys.map(|key| match key {
            Key::Char('|') => Key::Pause,
            key => key,
        });
        let mut read = keys.filter_map(|key| match one_key.read(key, "y", "", choose) {
            Keyed::Answered(choice, _) => Some(choice),
            Keyed::Open(_) => None,
        });
        read.next()
    }

    #[test]
    fn only_a_letter_that_stands_alone_or_its_whole_word_is_an_answer() {
        for (text, answer) in [
            ("y|", 'y'),
            ("y\r", 'y'),
            ("yes\r", 'y'),
            ("ye|s|", 'y'),
            ("approve\r", 'a'),
            ("|||p|", 'p'),
            ("\r", '-'),
            ("y\x1b", '-'),
            ("y\x04", '-'),
        ] {
            assert_eq!(typed(text), Some(answer), "{text:?}");
        }
    }

    #[test]
    fn a_letter_that_opens_a_line_of_text_waits_like_all_others() {
        let opens = |keys: &[Key]| {
            let mut one_key = OneKey::default();
            let choose = |key| match key {
                Key::Char('d') => Some(Keyed::<()>::Open("why: ".to_owned())),
                _ => None,
            };
            let read = keys.iter().map(|key| one_key.read(*key, "d", "", choose));
            read.filter(|keyed| *keyed == Keyed::Open("why: ".to_owned()))
                .count()
        };
        let d = Key::Char('d');
        assert_eq!(opens(&[d]), 0, "the rest of a word may follow");
        assert_eq!(opens(&[d, Key::Pause]), 1);
        assert_eq!(opens(&[d, Key::Enter]), 1);
        assert_eq!(opens(&[d, Key::Char('o'), Key::Pause, Key::Enter]), 0);
    }

    #[test]
    fn a_word_that_begins_like_a_choice_is_none() {
        for text in [
            "y",
            "please|",
            "ple|",
            "please do|\r",
            "you|",
            "ye\r",
            "appr|",
            "yesterday|",
            "p\x7f|",
        ] {
            assert_eq!(typed(text), None, "{text:?}");
        }
        for text in ["please\ry|", "please|y|", "x|y\r", "q|yes\r"] {
            assert_eq!(
                typed(text),
                Some('y'),
                "{text:?}: after Enter or a pause it is asked anew"
            );
        }
        assert_eq!(typed("xy|"), None, "no pause between them");
        assert_eq!(typed("x|\r"), Some('-'), "Enter is a right key, too");
        assert_eq!(
            typed("no thanks|\r"),
            None,
            "but not the one that ends a sentence"
        );
    }

    #[test]
    fn a_wrong_key_is_told_which_keys_there_are() {
        let mut one_key = OneKey::default();
        let mut read = |key| one_key.read::<()>(key, "y or n", "[?] ", |_| None);
        assert_eq!(read(Key::Char('x')), Keyed::Open(String::new()));
        let told = Keyed::Open("\npress y or n [?] ".to_owned());
        assert_eq!(read(Key::Pause), told);
        assert_eq!(read(Key::Pasted('y')), Keyed::Open(String::new()));
    }
}
