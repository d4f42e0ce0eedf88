//! Questions that wait for the person at the terminal: permission requests and questions of the model, one shown at a
//! time, in the order they came. Plain data: it draws and reads nothing.

use std::collections::VecDeque;
use std::sync::mpsc;

use siderail_engine::command::PermissionAnswer;
use siderail_engine::event::LoginMethod;
use siderail_engine::tools::CancelFlag;

use crate::host::{Answer, Question};
use crate::keys::Key;
use crate::one_key::Keyed;
use crate::question::PermissionQuestion;
use crate::run::login_question::LoginQuestion;
use crate::run::model_question::AskedQuestion;
use crate::run::plan_question::PlanQuestion;
use crate::style::Style;

/// A model's question on its way to the person, from a thread that waits.
pub(crate) struct Asking {
    /// The question.
    pub(crate) question: Question,
    /// Set when nobody waits for the answer any more.
    pub(crate) cancel: CancelFlag,
    /// Where the answer goes.
    pub(crate) reply: mpsc::Sender<Answer>,
}

enum Open {
    Permission(PermissionQuestion),
    Plan(PlanQuestion),
    Login(LoginQuestion, mpsc::Sender<Option<LoginMethod>>),
    Asked(AskedQuestion, Asking),
}

/// The questions that wait; the first one is shown.
#[derive(Default)]
pub(crate) struct Interview {
    waiting: VecDeque<Open>,
    shown: bool,
    /// The person has left the conversation in place of an answer.
    quits: bool,
}

/// What the person has decided on a permission request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decided {
    /// The request.
    pub(crate) request_id: u64,
    /// The choice.
    pub(crate) answer: PermissionAnswer,
}

impl Interview {
    /// Adds a permission request.
    pub(crate) fn permission(&mut self, question: PermissionQuestion) {
        self.waiting.push_back(Open::Permission(question));
    }

    /// Adds a plan.
    pub(crate) fn plan(&mut self, question: PlanQuestion) {
        self.waiting.push_back(Open::Plan(question));
    }

    /// Adds a login; the choice goes where the event loop looks for it.
    pub(crate) fn login(
        &mut self,
        question: LoginQuestion,
        reply: mpsc::Sender<Option<LoginMethod>>,
    ) {
        self.waiting.push_back(Open::Login(question, reply));
    }

    /// Adds a question of the model.
    pub(crate) fn asked(&mut self, asking: Asking, in_chat: bool) {
        let question = AskedQuestion::new(&asking.question);
        let question = match in_chat {
            true => question.in_chat(),
            false => question,
        };
        self.waiting.push_back(Open::Asked(question, asking));
    }

    /// True when nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// The text of a question that has to be shown now; `None` when it is shown or there is none.
    pub(crate) fn next_to_show(&mut self, style: Style) -> Option<String> {
        if self.shown {
            return None;
        }
        let text = match self.waiting.front()? {
            Open::Permission(question) => question.text(style),
            Open::Plan(question) => question.text(style),
            Open::Login(question, _) => question.text(style),
            Open::Asked(question, _) => question.text(style),
        };
        self.shown = true;
        Some(text)
    }

    /// True while a question is on show.
    pub(crate) fn is_on_show(&self) -> bool {
        self.shown
    }

    /// True where a command of the conversation can be typed instead of an answer: the question takes no text.
    pub(crate) fn awaits_key(&self) -> bool {
        match self.waiting.front().filter(|_| self.shown) {
            Some(Open::Permission(question)) => question.awaits_key(),
            Some(Open::Plan(question)) => question.awaits_key(),
            Some(Open::Asked(question, _)) => question.awaits_key(),
            Some(Open::Login(..)) | None => false,
        }
    }

    /// True, once, where the person has left the conversation in place of an answer.
    pub(crate) fn takes_quit(&mut self) -> bool {
        std::mem::take(&mut self.quits)
    }

    /// What asks for the answer to the question on show.
    pub(crate) fn prompt(&self, style: Style) -> String {
        match self.waiting.front().filter(|_| self.shown) {
            Some(Open::Permission(question)) => question.prompt(style),
            Some(Open::Plan(question)) => question.prompt(style),
            Some(Open::Login(question, _)) => question.prompt(style),
            Some(Open::Asked(question, _)) => question.prompt(style),
            None => String::new(),
        }
    }

    /// A permission request or plan is settled without the person. True when its question was on show.
    pub(crate) fn settled(&mut self, request_id: u64) -> bool {
        self.withdraw(|open| match open {
            Open::Permission(question) => question.request_id == request_id,
            Open::Plan(question) => question.request_id == request_id,
            Open::Login(..) | Open::Asked(..) => false,
        })
    }

    /// Takes away questions whose asker does not wait any more. True when one was on show.
    pub(crate) fn withdraw_cancelled(&mut self) -> bool {
        self.withdraw(|open| matches!(open, Open::Asked(_, asking) if asking.cancel.is_cancelled()))
    }

    /// Takes a question about a login away: it was given up. True when it was on show.
    pub(crate) fn withdraw_login(&mut self) -> bool {
        self.withdraw(|open| matches!(open, Open::Login(..)))
    }

    /// The person is gone: what that means for each permission that waits. The thread that asks for the model learns of
    /// it by the end of its channel.
    pub(crate) fn nobody_left(&mut self) -> Vec<Decided> {
        self.shown = false;
        let request_of = |open| match open {
            Open::Permission(question) => Some(question.request_id),
            Open::Plan(question) => Some(question.request_id),
            Open::Login(..) | Open::Asked(..) => None,
        };
        let requests = self.waiting.drain(..).filter_map(request_of);
        let decided = |request_id| Decided {
            request_id,
            answer: nobody(),
        };
        requests.map(decided).collect()
    }

    fn withdraw(&mut self, gone: impl Fn(&Open) -> bool) -> bool {
        let was_shown = self.shown && self.waiting.front().is_some_and(&gone);
        self.waiting.retain(|open| !gone(open));
        self.shown &= !was_shown;
        was_shown
    }

    /// Takes a key for the question on show: what to print, and a permission that is decided.
    pub(crate) fn key(&mut self, key: Key, style: Style) -> (String, Option<Decided>) {
        let decided = match self.waiting.front_mut() {
            None => return (String::new(), None),
            Some(Open::Permission(question)) => match question.key(key, style) {
                Keyed::Open(text) => return (text, None),
                Keyed::Answered(answer, text) => (
                    text,
                    Some(Decided {
                        request_id: question.request_id,
                        answer,
                    }),
                ),
            },
            Some(Open::Plan(question)) => match question.key(key, style) {
                Keyed::Open(text) => return (text, None),
                Keyed::Answered(answer, text) => (
                    text,
                    Some(Decided {
                        request_id: question.request_id,
                        answer,
                    }),
                ),
            },
            Some(Open::Login(question, reply)) => match question.key(key, style) {
                Keyed::Open(text) => return (text, None),
                Keyed::Answered(choice, text) => {
                    // the event loop may have continued without it
                    let _ = reply.send(choice);
                    (text, None)
                }
            },
            Some(Open::Asked(question, asking)) => match question.key(key, style) {
                Keyed::Open(text) => return (text, None),
                Keyed::Answered(answer, text) => {
                    self.quits = question.quits();
                    // the asker may have given up meanwhile
                    let _ = asking.reply.send(answer);
                    (text, None)
                }
            },
        };
        self.waiting.pop_front();
        self.shown = false;
        decided
    }
}

/// The answer where no person is there.
pub(crate) fn nobody() -> PermissionAnswer {
    PermissionAnswer::Deny {
        reason: String::new(),
        nobody: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::QuestionKind;

    fn permission(request_id: u64) -> PermissionQuestion {
        let event = serde_json::json!({
            "event": "PERMISSION_REQUEST", "request_id": request_id, "tool_call_id": null,
            "tool": "Bash", "kind": "execute", "text": "date", "paths": [], "channel": "acp",
            "options": [], "may_be_remembered": true, "asks": true,
        });
        let event = serde_json::from_value(event).expect("an event");
        PermissionQuestion::of(&event)
    }

    fn asking(text: &str) -> (Asking, CancelFlag, mpsc::Receiver<Answer>) {
        let question = Question {
            session: 1,
            project: "/p".into(),
            roots: Vec::new(),
            kind: QuestionKind::Confirmation,
            text: text.to_owned(),
            options: Vec::new(),
            default: None,
            required: true,
        };
        let (reply, answers) = mpsc::channel();
        let cancel = CancelFlag::new();
        (
            Asking {
                question,
                cancel: cancel.clone(),
                reply,
            },
            cancel,
            answers,
        )
    }

    #[test]
    fn what_waits_when_the_terminal_is_gone_is_not_denied_in_the_users_name() {
        let mut interview = Interview::default();
        interview.permission(permission(1));
        let (asked, _, answers) = asking("Sure?");
        interview.asked(asked, false);
        interview.permission(permission(2));
        let decided = interview.nobody_left();
        assert_eq!(decided.len(), 2);
        assert!(decided.iter().all(|decided| decided.answer == nobody()));
        assert!(interview.is_empty());
        assert!(
            answers.recv().is_err(),
            "the model's asker is not kept waiting"
        );
    }

    #[test]
    fn questions_are_shown_one_at_a_time_in_their_order() {
        let mut interview = Interview::default();
        interview.permission(permission(1));
        let (asked, _, answers) = asking("Sure?");
        interview.asked(asked, false);
        assert!(
            interview
                .next_to_show(Style::PLAIN)
                .unwrap()
                .contains("Bash")
        );
        assert_eq!(
            interview.next_to_show(Style::PLAIN),
            None,
            "it is on show already"
        );
        interview.key(Key::Char('y'), Style::PLAIN);
        let (_, decided) = interview.key(Key::Pause, Style::PLAIN);
        assert_eq!(
            decided,
            Some(Decided {
                request_id: 1,
                answer: PermissionAnswer::Allow
            })
        );
        assert!(
            interview
                .next_to_show(Style::PLAIN)
                .unwrap()
                .contains("Sure?")
        );
        interview.key(Key::Char('y'), Style::PLAIN);
        interview.key(Key::Pause, Style::PLAIN);
        assert_eq!(answers.recv().unwrap(), Answer::Given("yes".to_owned()));
        assert!(interview.is_empty());
        assert_eq!(
            interview.key(Key::Enter, Style::PLAIN),
            (String::new(), None)
        );
    }

    #[test]
    fn a_question_that_is_settled_elsewhere_goes_away_and_the_next_is_shown() {
        let mut interview = Interview::default();
        interview.permission(permission(1));
        interview.permission(permission(2));
        interview.next_to_show(Style::PLAIN);
        assert!(!interview.settled(2), "it was not on show");
        interview.permission(permission(3));
        assert!(interview.settled(1));
        assert!(interview.next_to_show(Style::PLAIN).is_some());
        let (_, decided) = interview.key(Key::Enter, Style::PLAIN);
        assert_eq!(decided.unwrap().request_id, 3);
    }

    #[test]
    fn a_model_that_stops_waiting_takes_its_question_with_it() {
        let mut interview = Interview::default();
        let (asked, cancel, _answers) = asking("Sure?");
        interview.asked(asked, false);
        interview.next_to_show(Style::PLAIN);
        assert!(!interview.withdraw_cancelled());
        cancel.cancel();
        assert!(interview.withdraw_cancelled());
        assert!(interview.is_empty());
    }
}
