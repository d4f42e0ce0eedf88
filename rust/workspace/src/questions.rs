//! Questions of an agent to the person, as the front end that shows them sees them.

mod ask;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::cancel::CancelFlag;

pub use ask::OPEN_QUESTIONS;
pub(crate) use ask::Questions;

/// Makes the enum, with each word once.
macro_rules! question_kinds {
    ($( $(#[$doc:meta])* $Kind:ident = $word:literal, )*) => {
        /// What kind of answer is wanted.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum QuestionKind {
            $( $(#[$doc])* #[serde(rename = $word)] $Kind, )*
        }

        impl QuestionKind {
            /// Their words, in the order of the list.
            pub const WORDS: &[&str] = &[$( $word, )*];

            /// The kind of that word.
            pub(crate) fn named(word: &str) -> Option<Self> {
                match word {
                    $( $word => Some(Self::$Kind), )*
                    _ => None,
                }
            }
        }
    };
}

question_kinds! {
    /// Free text to an open question.
    Clarification = "clarification",
    /// Yes or no; answered as `yes` or `no`.
    Confirmation = "confirmation",
    /// One value.
    Input = "input",
    /// One of the options; answered with its text.
    Choice = "choice",
    /// A file of the project; answered with its path.
    FileSelection = "file_selection",
}

/// A question to show.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The session whose agent asks (0: none).
    pub session: u64,
    /// The project it is about.
    pub project: PathBuf,
    /// The project's content roots elsewhere.
    pub roots: Vec<PathBuf>,
    /// What kind of answer is wanted.
    pub kind: QuestionKind,
    /// The question. Written by a model: show it as plain text.
    pub text: String,
    /// What to choose from; empty except for a choice.
    pub options: Vec<String>,
    /// The answer to offer first.
    pub default: Option<String>,
    /// False where the person may pass over it without a word.
    pub required: bool,
}

/// What the person said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The answer's text.
    Given(String),
    /// No answer, and why.
    Declined(String),
    /// There is no person who could have seen it.
    NobodyThere,
    /// It could not be put before the person, and why.
    NotShown(String),
    /// The person takes no questions of this turn any more.
    Cancelled,
}

/// Shows questions to a person.
pub trait Questioner: Send + Sync {
    /// Shows the question and waits for the answer, or until `cancel` is set. Called on a thread
    /// that may block; several questions may be open at once.
    fn ask(&self, question: &Question, cancel: &CancelFlag) -> Answer;
}

/// Answers if there is no person.
#[derive(Clone, Copy, Debug, Default)]
pub struct NobodyToAsk;

impl Questioner for NobodyToAsk {
    fn ask(&self, _: &Question, _: &CancelFlag) -> Answer {
        Answer::NobodyThere
    }
}
