//! A line that is edited key by key: the text, its cursor, the history of lines, the search in it and completion.
//!
//! Plain data: it reads no key, draws nothing and opens no file. `typing` feeds and draws it.

use unicode_segmentation::UnicodeSegmentation;

use crate::keys::{Edit, Key};

/// The result of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edited {
    /// The line may look different.
    Changed,
    /// The line is finished.
    Line(String),
    /// Nothing more will be typed.
    End,
    /// The line wants an editor of the user's.
    OpenEditor,
    /// Completion is wanted for the text before the cursor.
    Complete,
    /// The screen is to be drawn anew.
    Redraw,
}

/// Choices for the word before the cursor.
#[derive(Debug, Default)]
pub(super) struct Completion {
    /// Where the word begins, in bytes.
    pub(super) start: usize,
    pub(super) choices: Vec<String>,
    pub(super) chosen: usize,
}

/// A search in the history.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) wanted: String,
    /// The line that is shown, by its place in the history.
    at: Option<usize>,
    before: String,
}

/// The line and what belongs to it.
#[derive(Debug, Default)]
pub(super) struct LineEditor {
    text: String,
    /// In bytes, at the edge of what a person takes for a character.
    cursor: usize,
    erased: String,
    /// Lines of before, the oldest first.
    history: Vec<String>,
    /// The line of the history that is shown, and what was there before.
    browsed: Option<(usize, String)>,
    search: Option<Search>,
    completion: Option<Completion>,
}

impl LineEditor {
    /// An editor that remembers lines, the oldest first.
    pub(super) fn new(history: Vec<String>) -> Self {
        Self {
            history,
            ..Self::default()
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn cursor(&self) -> usize {
        self.cursor
    }

    pub(super) fn search(&self) -> Option<&Search> {
        self.search.as_ref()
    }

    pub(super) fn completion(&self) -> Option<&Completion> {
        self.completion.as_ref()
    }

    /// Takes another text, the cursor behind it.
    pub(super) fn set(&mut self, text: String) {
        self.cursor = text.len();
        self.text = text;
        self.completion = None;
        self.search = None;
    }

    /// Takes the line away; the history stays.
    pub(super) fn forget(&mut self) {
        self.set(String::new());
        self.browsed = None;
    }

    /// Remembers a line that was sent.
    pub(super) fn remember(&mut self, line: &str) {
        if self.history.last().is_none_or(|last| last != line) {
            self.history.push(line.to_owned());
        }
    }

    /// Inserts a text at the cursor.
    pub(super) fn insert(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
        self.completion = None;
    }

    /// Takes a key.
    pub(super) fn key(&mut self, key: Key) -> Edited {
        if self.search.is_some() && self.search_key(key) {
            return Edited::Changed;
        }
        if let (Key::Edit(Edit::Tab | Edit::BackTab), Some(_)) = (key, &self.completion) {
            self.next_choice(key == Key::Edit(Edit::Tab));
            return Edited::Changed;
        }
        self.completion = None;
        match key {
            Key::Char(c) | Key::Pasted(c) => self.insert(c.encode_utf8(&mut [0; 4])),
            Key::Enter if self.text[..self.cursor].ends_with('\\') => {
                self.erase(self.cursor - 1, self.cursor);
                self.insert("\n");
            }
            Key::Enter => {
                self.browsed = None;
                self.cursor = 0;
                return Edited::Line(std::mem::take(&mut self.text));
            }
            Key::End if self.text.is_empty() => return Edited::End,
            Key::End => self.erase(self.cursor, self.after()),
            Key::Backspace => self.erase(self.before(), self.cursor),
            Key::EraseLine => {
                self.erased = std::mem::take(&mut self.text);
                self.cursor = 0;
            }
            Key::Escape | Key::Pause => {}
            Key::Edit(edit) => return self.edit(edit),
        }
        Edited::Changed
    }

    fn edit(&mut self, edit: Edit) -> Edited {
        match edit {
            Edit::NewLine => self.insert("\n"),
            Edit::Left => self.cursor = self.before(),
            Edit::Right => self.cursor = self.after(),
            Edit::Home => self.cursor = self.row_start(),
            Edit::End => self.cursor = self.row_end(),
            Edit::WordLeft => self.cursor = self.word_before(),
            Edit::WordRight => self.cursor = self.word_after(),
            Edit::Delete => self.erase(self.cursor, self.after()),
            Edit::EraseWord => self.cut(self.word_before(), self.cursor),
            Edit::EraseWordAhead => self.cut(self.cursor, self.word_after()),
            Edit::EraseRest => self.cut(self.cursor, self.row_end()),
            Edit::Yank => {
                let erased = self.erased.clone();
                self.insert(&erased);
            }
            Edit::Up => self.up(),
            Edit::Down => self.down(),
            Edit::Search => {
                self.search = Some(Search {
                    wanted: String::new(),
                    at: None,
                    before: self.text.clone(),
                });
            }
            Edit::OpenEditor => return Edited::OpenEditor,
            Edit::Redraw => return Edited::Redraw,
            Edit::Tab => return Edited::Complete,
            Edit::BackTab => {}
        }
        Edited::Changed
    }

    /// Offers choices for the word that begins at `start`; the first one is taken.
    pub(super) fn complete(&mut self, start: usize, choices: Vec<String>) {
        let Some(first) = choices.first().cloned() else {
            return;
        };
        let is_only = choices.len() == 1;
        self.replace_word(start, &first);
        if is_only {
            let is_folder = first.trim_end_matches('"').ends_with('/');
            self.insert(if is_folder { "" } else { " " });
            return;
        }
        self.completion = Some(Completion {
            start,
            choices,
            chosen: 0,
        });
    }

    fn next_choice(&mut self, forward: bool) {
        let Some(mut completion) = self.completion.take() else {
            return;
        };
        let n = completion.choices.len();
        completion.chosen = match forward {
            true => (completion.chosen + 1) % n,
            false => (completion.chosen + n - 1) % n,
        };
        let choice = completion.choices[completion.chosen].clone();
        self.replace_word(completion.start, &choice);
        self.completion = Some(completion);
    }

    fn replace_word(&mut self, start: usize, word: &str) {
        let is_in_quotes = self.text[start..self.cursor].starts_with("@\"");
        if is_in_quotes && word.ends_with('"') && self.text[self.cursor..].starts_with('"') {
            self.text.remove(self.cursor);
        }
        self.text.replace_range(start..self.cursor, word);
        self.cursor = start + word.len();
    }

    /// Takes a key for the search; false: it ends the search and means what it means without one.
    fn search_key(&mut self, key: Key) -> bool {
        let Some(mut search) = self.search.take() else {
            return false;
        };
        let below = match key {
            Key::Char(c) => {
                search.wanted.push(c);
                search.at.map_or(self.history.len(), |at| at + 1)
            }
            Key::Backspace => {
                search.wanted.pop();
                self.history.len()
            }
            Key::Edit(Edit::Search) => search.at.unwrap_or(self.history.len()),
            Key::Escape | Key::Edit(Edit::OpenEditor) => {
                self.set(search.before);
                return true;
            }
            Key::Pause => {
                self.search = Some(search);
                return true;
            }
            _ => return false,
        };
        let wanted = search.wanted.to_lowercase();
        let fits = |line: &String| line.to_lowercase().contains(&wanted);
        let found = self.history[..below].iter().rposition(fits);
        if let Some(at) = found.filter(|_| !wanted.is_empty()) {
            search.at = Some(at);
            self.text = self.history[at].clone();
            self.cursor = self.text.len();
        }
        self.search = Some(search);
        true
    }

    fn up(&mut self) {
        if let Some(above) = self.row_start().checked_sub(1) {
            let start = self.text[..above].rfind('\n').map_or(0, |at| at + 1);
            self.cursor = self.same_column(start, above);
            return;
        }
        let at = self
            .browsed
            .as_ref()
            .map_or(self.history.len(), |(at, _)| *at);
        let Some(older) = at.checked_sub(1) else {
            return;
        };
        let draft = match self.browsed.take() {
            Some((_, draft)) => draft,
            None => std::mem::take(&mut self.text),
        };
        self.set(self.history[older].clone());
        self.browsed = Some((older, draft));
    }

    fn down(&mut self) {
        let end = self.row_end();
        if end < self.text.len() {
            let start = end + 1;
            let end = self.text[start..]
                .find('\n')
                .map_or(self.text.len(), |at| start + at);
            self.cursor = self.same_column(start, end);
            return;
        }
        let Some((at, draft)) = self.browsed.take() else {
            return;
        };
        match self.history.get(at + 1).cloned() {
            Some(newer) => {
                self.set(newer);
                self.browsed = Some((at + 1, draft));
            }
            None => self.set(draft),
        }
    }

    /// The place in another row that has as many characters before it as the cursor has in its own.
    fn same_column(&self, start: usize, end: usize) -> usize {
        let column = self.text[self.row_start()..self.cursor]
            .graphemes(true)
            .count();
        let mut graphemes = self.text[start..end].grapheme_indices(true).skip(column);
        graphemes.next().map_or(end, |(at, _)| start + at)
    }

    fn row_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1)
    }

    fn row_end(&self) -> usize {
        let rest = self.text[self.cursor..].find('\n');
        rest.map_or(self.text.len(), |at| self.cursor + at)
    }

    fn before(&self) -> usize {
        let last = self.text[..self.cursor].graphemes(true).next_back();
        self.cursor - last.map_or(0, str::len)
    }

    fn after(&self) -> usize {
        let next = self.text[self.cursor..].graphemes(true).next();
        self.cursor + next.map_or(0, str::len)
    }

    fn word_before(&self) -> usize {
        let mut words = self.text[..self.cursor].unicode_word_indices();
        words.next_back().map_or(0, |(at, _)| at)
    }

    fn word_after(&self) -> usize {
        let next = self.text[self.cursor..].unicode_word_indices().next();
        next.map_or(self.text.len(), |(at, word)| self.cursor + at + word.len())
    }

    fn erase(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = from;
    }

    fn cut(&mut self, from: usize, to: usize) {
        self.erased = self.text[from..to].to_owned();
        self.erase(from, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::KeyReader;

    /// The resulting line, with the cursor as `|`.
    fn typed(editor: &mut LineEditor, text: &str) -> String {
        for key in KeyReader::default().keys(text.as_bytes()) {
            editor.key(key);
        }
        let (before, behind) = editor.text.split_at(editor.cursor);
        format!("{before}|{behind}")
    }

    #[test]
    fn a_line_is_edited_by_characters_and_words() {
        for (keys, line) in [
            ("abc\x1b[D\x1b[Dx", "ax|bc"),
            ("one two\x1b[1;5D\x1b[1;5Dx", "x|one two"),
            ("one two three\x17", "one two |"),
            ("one two\x01\x0b\x19\x19", "one twoone two|"),
            ("日本e\u{301}\x7f", "日本|"),
            ("日本\x1b[D\x1b[3~", "日|"),
            ("a\\\rb", "a\nb|"),
            ("a\x1b\rb\x01x", "a\nx|b"),
            ("ab\x1b\rcd\x1b[Ax", "abx|\ncd"),
            ("one\x1bbx", "x|one"),
            ("one\x15", "|"),
            ("\x1b[200~a\n  b\x1b[201~", "a\n  b|"),
        ] {
            assert_eq!(typed(&mut LineEditor::default(), keys), line, "{keys:?}");
        }
    }

    #[test]
    fn the_history_is_browsed_and_the_draft_comes_back() {
        let history = || ["first", "second"].map(str::to_owned).to_vec();
        let mut editor = LineEditor::new(history());
        assert_eq!(typed(&mut editor, "dra\x1b[A\x1b[A\x1b[A"), "first|");
        assert_eq!(typed(&mut editor, "\x1b[B"), "second|");
        assert_eq!(typed(&mut editor, "\x1b[B\x1b[B"), "dra|");
        assert_eq!(typed(&mut LineEditor::new(history()), "\x12IR"), "first|");
        assert_eq!(
            typed(&mut LineEditor::new(history()), "\x12s\x12"),
            "first|"
        );
        assert_eq!(typed(&mut LineEditor::new(history()), "x\x12sec\x1b"), "x|");
        let mut found = LineEditor::new(history());
        assert_eq!(typed(&mut found, "\x12sec\x1b[D!"), "secon!|d");
    }

    #[test]
    fn completion_goes_round_and_the_next_key_ends_it() {
        let mut editor = LineEditor::default();
        typed(&mut editor, "see @a");
        editor.complete(4, ["@a.rs", "@ab.rs"].map(str::to_owned).to_vec());
        assert_eq!(editor.text(), "see @a.rs");
        assert_eq!(typed(&mut editor, "\t"), "see @ab.rs|");
        assert_eq!(typed(&mut editor, "\t"), "see @a.rs|");
        assert_eq!(typed(&mut editor, "!"), "see @a.rs!|");
        assert!(editor.completion().is_none());
    }

    #[test]
    fn the_only_choice_is_a_finished_word_unless_it_is_a_folder_and_quotes_close_once() {
        let completed = |before: &str, after: &str, choice: &str| {
            let mut editor = LineEditor::default();
            typed(&mut editor, &format!("{before}{after}"));
            after.chars().for_each(|_| {
                editor.key(Key::Edit(Edit::Left));
            });
            editor.complete(0, vec![choice.to_owned()]);
            typed(&mut editor, "")
        };
        assert_eq!(completed("@a", "", "@a.rs"), "@a.rs |");
        assert_eq!(completed("@s", "", "@src/"), "@src/|");
        assert_eq!(completed("@m", "", "@\"my folder/\""), "@\"my folder/\"|");
        assert_eq!(
            completed("@\"a", "\" go", "@\"a b.rs\""),
            "@\"a b.rs\" | go"
        );
        assert_eq!(completed("@a", "\"", "@\"a b.rs\""), "@\"a b.rs\" |\"");
    }
}
