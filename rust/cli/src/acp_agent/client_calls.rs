//! Requests to the client from a thread that may wait: questions of `ask_user`, and files that the client has open.
//!
//! The connection's own loop never waits: the thread hands over a request, and its answer comes back by a channel. A
//! question that is over is closed at the client.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siderail_engine::acp::client_request::methods;
use siderail_engine::acp_client::Outcome;
use siderail_engine::tools::CancelFlag;
use siderail_workspace::open_texts::{OpenTexts, Put};

use super::agent_side::Face;
use super::open_requests::Asked;
use super::shared::Shared;
use crate::host::{Answer, Question, QuestionKind, Questioner};

/// How often a waiting thread looks whether its call was cancelled.
const LOOK: Duration = Duration::from_millis(100);
/// Time that a client has for a file; people are not asked there.
const FILE: Duration = Duration::from_secs(10);
/// The option of a permission request that replaces a question, for no answer.
const NO_ANSWER: &str = "siderail_no_answer";
/// The same for an answer, before its number.
const ANSWER: &str = "siderail_answer_";

/// The client, as threads of the filesystem host see it.
pub(super) struct ClientCalls {
    shared: Arc<Shared>,
    /// It let a file wait once: from then on files are those on disk.
    is_silent: AtomicBool,
}

/// Why a request has no answer.
#[derive(Debug, PartialEq, Eq)]
enum NoAnswer {
    /// The call that it was for is over, or the session, or the client.
    Over,
    /// The client is silent.
    Late,
    /// The client cannot, or does not want to.
    Refused(String),
}

impl ClientCalls {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            is_silent: AtomicBool::new(false),
        }
    }

    /// Sends a request that belongs to a session, and waits for what is answered.
    fn call(
        &self,
        session: u64,
        method: &str,
        params: Value,
        cancel: &CancelFlag,
        limit: Option<Duration>,
    ) -> Result<Value, NoAnswer> {
        let (number, answers) = self
            .shared
            .act(|face| face.call(session, method, params))
            .ok_or(NoAnswer::Over)?;
        let answered = wait(&answers, cancel, limit.map(|limit| Instant::now() + limit));
        if answered.is_err() {
            self.shared.act(|face| face.withdraw(number));
        }
        match answered? {
            Ok(result) => Ok(serde_json::from_str(result.get()).unwrap_or_default()),
            Err(error) => Err(NoAnswer::Refused(error.message)),
        }
    }
}

fn wait(
    answers: &Receiver<Outcome>,
    cancel: &CancelFlag,
    deadline: Option<Instant>,
) -> Result<Outcome, NoAnswer> {
    loop {
        match answers.recv_timeout(LOOK) {
            Ok(outcome) => return Ok(outcome),
            Err(RecvTimeoutError::Disconnected) => return Err(NoAnswer::Over),
            Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => return Err(NoAnswer::Over),
            Err(RecvTimeoutError::Timeout) if deadline.is_some_and(|d| Instant::now() > d) => {
                return Err(NoAnswer::Late);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

impl Face {
    /// Sends the client a request of a session; its number, and where the answer comes. None: the client has no such
    /// session.
    fn call(
        &mut self,
        session: u64,
        method: &str,
        mut params: Value,
    ) -> Option<(u64, Receiver<Outcome>)> {
        let process = self.processes.get(&session)?;
        params["sessionId"] = json!(process.client_id.as_ref()?);
        let (reply, answers) = mpsc::channel();
        let number = self.ask(method, &params, Asked::Thread { session, reply });
        Some((number, answers))
    }

    /// Nobody waits for the answer any more.
    fn withdraw(&mut self, number: u64) {
        if self.asked.remove(&number).is_some() {
            self.close_at_client(number);
        }
    }

    /// Whether the client shows forms.
    pub(super) fn shows_forms(&self) -> bool {
        self.capabilities()["elicitation"]["form"].is_object()
    }
}

impl Questioner for ClientCalls {
    fn ask(&self, question: &Question, cancel: &CancelFlag) -> Answer {
        let (method, params) = match self.shared.act(|face| face.shows_forms()) {
            true => (methods::CREATE_ELICITATION, form(question)),
            false => match choices(question) {
                Some(answers) => (methods::REQUEST_PERMISSION, options(question, &answers)),
                None if question.required => {
                    let why = "the person's client cannot take free text; a `confirmation` or a \
                               `choice` can be answered there";
                    return Answer::Declined(why.to_owned());
                }
                None => return Answer::NobodyThere,
            },
        };
        match self.call(question.session, method, params, cancel, None) {
            Ok(result) if method == methods::CREATE_ELICITATION => form_answer(&result, question),
            Ok(result) => option_answer(&result, question),
            Err(NoAnswer::Refused(why)) => {
                Answer::Declined(format!("the person's client cannot ask ({why})"))
            }
            Err(NoAnswer::Over | NoAnswer::Late) => Answer::Cancelled,
        }
    }
}

impl ClientCalls {
    fn file_call(
        &self,
        session: u64,
        method: &str,
        params: Value,
        cancel: &CancelFlag,
    ) -> Result<Value, NoAnswer> {
        let answer = self.call(session, method, params, cancel, Some(FILE));
        if matches!(answer, Err(NoAnswer::Late)) {
            self.is_silent.store(true, Ordering::Relaxed);
        }
        answer
    }

    fn has(&self, capability: &str) -> bool {
        let is_silent = self.is_silent.load(Ordering::Relaxed);
        !is_silent
            && self
                .shared
                .act(|face| face.capabilities()["fs"][capability] == true)
    }
}

impl OpenTexts for ClientCalls {
    fn read(&self, session: u64, path: &Path) -> Option<String> {
        if !self.has("readTextFile") {
            return None;
        }
        let method = methods::READ_TEXT_FILE;
        let answer = self.file_call(session, method, json!({"path": path}), &CancelFlag::new());
        Some(answer.ok()?["content"].as_str()?.to_owned())
    }

    fn write(&self, session: u64, path: &Path, text: &str, cancel: &CancelFlag) -> Put {
        if !self.has("writeTextFile") {
            return Put::ToDisk;
        }
        let params = json!({"path": path, "content": text});
        match self.file_call(session, methods::WRITE_TEXT_FILE, params, cancel) {
            // If neither the disk nor the client has it, the client's answer was wrong.
            Ok(_) if fs::read_to_string(path).is_ok_and(|there| there == text) => Put::Done,
            Ok(_) => match self.read(session, path) {
                Some(there) if lines_of(&there) == lines_of(text) => Put::Done,
                _ => Put::ToDisk,
            },
            Err(NoAnswer::Refused(why)) => Put::Refused(why),
            Err(NoAnswer::Over) if cancel.is_cancelled() => Put::Cancelled,
            Err(NoAnswer::Over | NoAnswer::Late) => Put::ToDisk,
        }
    }
}

/// A text whatever its line ends.
fn lines_of(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// A question as a form of one field.
fn form(question: &Question) -> Value {
    let default = question.default.as_deref();
    let mut field = match question.kind {
        QuestionKind::Confirmation => json!({"type": "boolean", "title": "Yes"}),
        QuestionKind::Choice => json!({
            "type": "string",
            "title": "Answer",
            "enum": question.options,
        }),
        QuestionKind::FileSelection => {
            json!({"type": "string", "title": "Path of a file in the project"})
        }
        QuestionKind::Clarification | QuestionKind::Input => {
            json!({"type": "string", "title": "Answer"})
        }
    };
    if let Some(default) = default {
        field["default"] = match question.kind {
            QuestionKind::Confirmation => json!(default.eq_ignore_ascii_case("yes")),
            _ => json!(default),
        };
    }
    let required: &[&str] = if question.required { &["answer"] } else { &[] };
    json!({
        "mode": "form",
        "message": question.text,
        "requestedSchema": {
            "type": "object",
            "properties": {"answer": field},
            "required": required,
        },
    })
}

fn form_answer(result: &Value, question: &Question) -> Answer {
    let none = || Answer::Declined("the person gave no answer".to_owned());
    if result["action"] != "accept" {
        return none();
    }
    match (&result["content"]["answer"], question.kind) {
        (Value::Bool(yes), QuestionKind::Confirmation) => {
            Answer::Given(if *yes { "yes" } else { "no" }.to_owned())
        }
        (Value::String(text), QuestionKind::Choice) if !question.options.contains(text) => none(),
        (Value::String(text), kind) if kind != QuestionKind::Confirmation && !text.is_empty() => {
            Answer::Given(text.clone())
        }
        _ => none(),
    }
}

/// The answers among which a person can choose.
fn choices(question: &Question) -> Option<Vec<String>> {
    match question.kind {
        QuestionKind::Confirmation => Some(vec!["yes".to_owned(), "no".to_owned()]),
        QuestionKind::Choice => Some(question.options.clone()),
        _ => None,
    }
}

/// A question as a permission request with an option for each answer. None of them allows or forbids anything; the kinds
/// are what clients know how to show.
fn options(question: &Question, answers: &[String]) -> Value {
    let mut options: Vec<Value> = answers
        .iter()
        .enumerate()
        .map(|(index, answer)| {
            let kind = match (question.kind, answer.as_str()) {
                (QuestionKind::Confirmation, "no") => "reject_once",
                _ => "allow_once",
            };
            json!({"optionId": format!("{ANSWER}{index}"), "name": answer, "kind": kind})
        })
        .collect();
    if question.kind != QuestionKind::Confirmation {
        options.push(json!({"optionId": NO_ANSWER, "name": "No answer", "kind": "reject_once"}));
    }
    let text = json!({"type": "text", "text": question.text});
    json!({
        "toolCall": {
            "toolCallId": "siderail-question",
            "title": question.text,
            "kind": "other",
            "status": "pending",
            "content": [{"type": "content", "content": text}],
        },
        "options": options,
    })
}

fn option_answer(result: &Value, question: &Question) -> Answer {
    let chosen = result["outcome"]["optionId"].as_str();
    let index = chosen.and_then(|id| id.strip_prefix(ANSWER)?.parse::<usize>().ok());
    let answers = choices(question).unwrap_or_default();
    match index.and_then(|index| answers.get(index)) {
        Some(answer) => Answer::Given(answer.clone()),
        None => Answer::Declined("the person gave no answer".to_owned()),
    }
}
