//! Carries a tool's question to the person at the terminal; its thread waits for the answer.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use siderail_engine::tools::CancelFlag;
use tokio::sync::mpsc::Sender;

use super::interview::Asking;
use crate::host::{Answer, Question, Questioner};

/// How often a waiting thread looks whether its call was cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// The person at the terminal, as tools see them.
pub(crate) struct Person {
    askings: Sender<Asking>,
}

impl Person {
    /// A person whose questions go to the channel's reader.
    pub(crate) fn new(askings: Sender<Asking>) -> Self {
        Self { askings }
    }
}

impl Questioner for Person {
    fn ask(&self, question: &Question, cancel: &CancelFlag) -> Answer {
        let (reply, answer) = mpsc::channel();
        let asking = Asking {
            question: question.clone(),
            cancel: cancel.clone(),
            reply,
        };
        if self.askings.blocking_send(asking).is_err() {
            return Answer::Cancelled;
        }
        loop {
            match answer.recv_timeout(LOOK) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => {
                    return Answer::Cancelled;
                }
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                    return Answer::Cancelled;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::QuestionKind;

    fn question() -> Question {
        Question {
            session: 1,
            project: "/p".into(),
            roots: Vec::new(),
            kind: QuestionKind::Input,
            text: "name?".to_owned(),
            options: Vec::new(),
            default: None,
            required: true,
        }
    }

    #[test]
    fn a_question_waits_for_its_answer_and_no_longer_than_its_call() {
        let (sender, mut askings) = tokio::sync::mpsc::channel(1);
        let person = Person::new(sender);
        let answering = std::thread::spawn(move || {
            let first: Asking = askings.blocking_recv().unwrap();
            first.reply.send(Answer::Given("x".to_owned())).unwrap();
            let second = askings.blocking_recv().unwrap();
            second.cancel.cancel();
            let third = askings.blocking_recv().unwrap();
            (second, drop(third)).0
        });
        let ask = || person.ask(&question(), &CancelFlag::new());
        assert_eq!(ask(), Answer::Given("x".to_owned()));
        assert_eq!(ask(), Answer::Cancelled, "its call is cancelled");
        assert_eq!(ask(), Answer::Cancelled, "it is withdrawn");
        answering.join().unwrap();
        assert_eq!(ask(), Answer::Cancelled, "the run is over");
    }
}
