//! The command line of a test runner: what is an option, what is the value of one, and what names a task.
//!
//! It knows no runner; `test_tools` and `test_tasks` say which options take a value.

/// A command line, the values of its options set aside.
#[derive(Debug, Default)]
pub(super) struct Line<'a> {
    pub(super) operands: Vec<&'a str>,
    /// Options with their dashes, and their values.
    options: Vec<(&'a str, Option<&'a str>)>,
}

impl<'a> Line<'a> {
    /// Reads words up to `--`. Options in `valued` take the next word, unless their value is attached.
    pub(super) fn read(words: &[&'a str], valued: &[&str]) -> Self {
        Self::read_by(words, |option| valued.contains(&option))
    }

    /// The same where a rule says which options take the next word.
    pub(super) fn read_by(words: &[&'a str], takes_value: impl Fn(&str) -> bool) -> Self {
        let mut line = Self::default();
        let mut words = words.iter().copied().take_while(|word| *word != "--");
        while let Some(word) = words.next() {
            if !word.starts_with('-') || word.len() == 1 {
                line.operands.push(word);
            } else if let Some((name, value)) = word.split_once('=') {
                line.options.push((name, Some(value)));
            } else {
                let value = takes_value(word).then(|| words.next()).flatten();
                line.options.push((word, value));
            }
        }
        line
    }

    pub(super) fn first(&self) -> &'a str {
        self.operands.first().copied().unwrap_or_default()
    }

    /// Whether one of these options is given and not switched off.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        let on = |value: &Option<&str>| *value != Some("false");
        self.options
            .iter()
            .any(|(name, value)| names.contains(name) && on(value))
    }

    /// Whether a letter is among those of a bundle such as `-qn`.
    pub(super) fn has_letter(&self, letters: &str) -> bool {
        self.options.iter().any(|(name, _)| {
            let bundle = name.strip_prefix('-').filter(|rest| {
                rest.len() <= 4 && rest.bytes().all(|byte| byte.is_ascii_alphabetic())
            });
            bundle.is_some_and(|bundle| bundle.contains(|letter| letters.contains(letter)))
        })
    }

    pub(super) fn values<'l>(&'l self, names: &'l [&str]) -> impl Iterator<Item = &'a str> + 'l {
        self.options
            .iter()
            .filter(|(name, _)| names.contains(name))
            .filter_map(|(_, value)| *value)
    }

    /// Whether the program only explains itself.
    pub(super) fn asks_for_help(&self) -> bool {
        self.has(&["-h", "--help", "--version"]) || self.first() == "help"
    }
}
