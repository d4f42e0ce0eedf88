//! A question of the model to the person, as plain data: what to print, and what each key means.

use crate::host::{Answer, Question, QuestionKind};
use crate::keys::{Key, TypedLine};
use crate::one_key::{Keyed, OneKey};
use crate::run::chat_input::Line;
use crate::style::{Style, Tone, harmless, one_line};

/// Characters of an option.
const LINE: usize = 300;

/// A model's question and what has been typed so far.
pub(crate) struct AskedQuestion {
    kind: QuestionKind,
    text: String,
    options: Vec<String>,
    default: Option<String>,
    required: bool,
    typed: TypedLine,
    one_key: OneKey,
    /// The conversation can be left by a word in place of an answer.
    takes_quit: bool,
    quits: bool,
}

impl AskedQuestion {
    /// The question as the host got it.
    pub(crate) fn new(question: &Question) -> Self {
        Self {
            kind: question.kind,
            text: question.text.clone(),
            options: question.options.clone(),
            default: question.default.clone(),
            required: question.required,
            typed: TypedLine::default(),
            one_key: OneKey::default(),
            takes_quit: false,
            quits: false,
        }
    }

    /// The same in a conversation, which `/quit` ends.
    pub(crate) fn in_chat(mut self) -> Self {
        self.takes_quit = true;
        self
    }

    /// True where the person has left the conversation instead.
    pub(crate) fn quits(&self) -> bool {
        self.quits
    }

    /// True while one key answers and none was pressed yet.
    pub(crate) fn awaits_key(&self) -> bool {
        self.kind == QuestionKind::Confirmation && self.one_key.is_fresh()
    }

    /// The question, its options and what Enter does.
    pub(crate) fn text(&self, style: Style) -> String {
        let asked = style.paint(Tone::Notice, harmless(self.text.trim()).as_ref());
        let mut text = format!("\nThe model asks: {asked}\n");
        for (number, option) in self.options.iter().enumerate() {
            text += &format!("  {}  {}\n", number + 1, one_line(option, LINE));
        }
        text + &self.prompt(style)
    }

    /// What asks for the answer.
    pub(crate) fn prompt(&self, style: Style) -> String {
        let what = match self.kind {
            QuestionKind::Confirmation => "y or n",
            QuestionKind::Choice => "a number",
            QuestionKind::FileSelection => "a path in the project",
            QuestionKind::Clarification | QuestionKind::Input => "an answer",
        };
        let enter = match &self.default {
            Some(default) => format!("Enter for {}", one_line(default, LINE)),
            None if self.required => "Enter for no answer".to_owned(),
            None => "Enter to skip".to_owned(),
        };
        let quit = match self.takes_quit && self.kind != QuestionKind::Confirmation {
            true => "; /quit quits",
            false => "",
        };
        let prompt = format!("[{what}; {enter}{quit}] ");
        style.paint(Tone::Strong, &prompt)
    }

    /// What `key` means here.
    pub(crate) fn key(&mut self, key: Key, style: Style) -> Keyed<Answer> {
        if self.kind == QuestionKind::Confirmation {
            let prompt = self.prompt(style);
            let mut one_key = std::mem::take(&mut self.one_key);
            let keyed = one_key.read(key, "y or n", &prompt, |key| match key {
                Key::Escape | Key::End => Some(self.declined()),
                Key::Enter => Some(self.enter()),
                Key::Char('y' | 'Y') => Some(given("yes")),
                Key::Char('n' | 'N') => Some(given("no")),
                _ => None,
            });
            self.one_key = one_key;
            return keyed;
        }
        match key {
            Key::Escape | Key::End => self.declined(),
            Key::Enter => self.enter(),
            key => Keyed::Open(self.typed.key(key)),
        }
    }

    fn enter(&mut self) -> Keyed<Answer> {
        let typed = self.typed.text().trim().to_owned();
        if typed.is_empty() {
            return match &self.default {
                Some(default) => Keyed::Answered(Answer::Given(default.clone()), "\n".to_owned()),
                None => self.declined(),
            };
        }
        if self.takes_quit && Line::read(&typed) == Line::Quit {
            self.quits = true;
            return self.declined();
        }
        if self.kind != QuestionKind::Choice {
            return Keyed::Answered(Answer::Given(typed), "\n".to_owned());
        }
        let number = typed
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1));
        let by_number = number.and_then(|number| self.options.get(number));
        let chosen = by_number.or_else(|| self.options.iter().find(|option| **option == typed));
        match chosen {
            Some(option) => Keyed::Answered(Answer::Given(option.clone()), "\n".to_owned()),
            None => {
                self.typed = TypedLine::default();
                Keyed::Open("\nthere is no such option; a number: ".to_owned())
            }
        }
    }

    fn declined(&self) -> Keyed<Answer> {
        let why = "the person gave no answer".to_owned();
        let start = match self.typed.text() {
            "" => "",
            _ => "\n",
        };
        Keyed::Answered(Answer::Declined(why), format!("{start}no answer\n"))
    }
}

fn given(answer: &str) -> Keyed<Answer> {
    Keyed::Answered(Answer::Given(answer.to_owned()), format!("{answer}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::KeyReader;

    fn question(kind: QuestionKind, options: &[&str], default: Option<&str>) -> AskedQuestion {
        AskedQuestion::new(&Question {
            session: 1,
            project: "/p".into(),
            roots: Vec::new(),
            kind,
            text: "Which\x1b[2J one?".to_owned(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            default: default.map(str::to_owned),
            required: true,
        })
    }

    fn answer(mut question: AskedQuestion, typed: &str) -> Option<Answer> {
        let keys = KeyReader::default().keys(typed.as_bytes());
        keys.into_iter()
            .chain([Key::Pause])
            .find_map(|key| match question.key(key, Style::PLAIN) {
                Keyed::Answered(answer, _) => Some(answer),
                Keyed::Open(_) => None,
            })
    }

    fn check(kind: QuestionKind, default: Option<&str>, typed: &str, expected: Option<&str>) {
        let options: &[&str] = match kind {
            QuestionKind::Choice => &["red", "blue"],
            _ => &[],
        };
        let given = match answer(question(kind, options, default), typed) {
            Some(Answer::Given(text)) => Some(text),
            Some(_) => None,
            None => panic!("{typed:?} left the question open"),
        };
        assert_eq!(given.as_deref(), expected, "{typed:?}");
    }

    #[test]
    fn each_kind_of_question_has_its_own_answers() {
        check(QuestionKind::Confirmation, None, "maybe\ry", Some("yes"));
        check(QuestionKind::Confirmation, None, "sorry, any\r\r", None);
        check(QuestionKind::Confirmation, None, "n", Some("no"));
        check(QuestionKind::Confirmation, None, "\r", None);
        check(QuestionKind::Confirmation, Some("no"), "\r", Some("no"));
        check(
            QuestionKind::Clarification,
            None,
            " to be sure \r",
            Some("to be sure"),
        );
        check(QuestionKind::Input, Some("8080"), "\r", Some("8080"));
        check(QuestionKind::Input, Some("8080"), "80\r", Some("80"));
        check(
            QuestionKind::FileSelection,
            None,
            "src/a b.rs\r",
            Some("src/a b.rs"),
        );
        check(QuestionKind::Choice, None, "2\r", Some("blue"));
        check(QuestionKind::Choice, None, "red\r", Some("red"));
        check(QuestionKind::Choice, Some("red"), "\r", Some("red"));
        check(QuestionKind::Input, None, "abc\x1b", None);
    }

    #[test]
    fn no_answer_is_said_below_what_was_typed() {
        for (typed, said) in [("\x1b", "no answer\n"), ("80\x1b", "\nno answer\n")] {
            let mut question = question(QuestionKind::Input, &[], None);
            let keys = KeyReader::default().keys(typed.as_bytes()).into_iter();
            let shown =
                keys.chain([Key::Pause])
                    .find_map(|key| match question.key(key, Style::PLAIN) {
                        Keyed::Answered(_, text) => Some(text),
                        Keyed::Open(_) => None,
                    });
            assert_eq!(shown.as_deref(), Some(said));
        }
    }

    #[test]
    fn an_option_that_does_not_exist_is_asked_again() {
        check(QuestionKind::Choice, None, "0\r3\rgreen\r1\r", Some("red"));
    }

    #[test]
    fn the_question_says_what_enter_does() {
        assert_eq!(
            question(QuestionKind::Choice, &["red", "blue"], Some("red")).text(Style::PLAIN),
            "\nThe model asks: Which␛[2J one?\n  1  red\n  2  blue\n[a number; Enter for red] "
        );
    }
}
