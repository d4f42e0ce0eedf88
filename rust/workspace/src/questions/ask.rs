//! `ask_user`: a question stays open longer than a call may last.
//!
//! A call waits for a while and then says that it still waits; the same call made again joins the open question, so
//! that the person is asked once. A question is withdrawn when the only call that waits for it is cancelled, when no
//! call has waited for it for long, and when there are too many, the one abandoned longest ago first: a model may word
//! its question anew each time, but there is only one person. A question that calls keep waiting for has no limit. What
//! agents ask by their protocol comes this way, too: the engine makes the same call until there is an answer
//! (`engine/src/form.rs`).

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::cancel::CancelFlag;
use crate::confine::Confined;
use crate::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};
use parking_lot::{Condvar, Mutex};
use siderail_catalog::Tool::{AskUser, ListProjectFiles};

use super::{Answer, Question, QuestionKind, Questioner};
use crate::arguments::Arguments;
use crate::failure::cancelled;
use crate::place::{Place, Project};

/// Two agents end a silent call after 60 seconds.
const WAIT: Duration = Duration::from_secs(45);
/// How long a question stays that no call waits for.
const KEPT: Duration = Duration::from_secs(600);
/// Questions that are open at the same time.
pub const OPEN_QUESTIONS: usize = 8;
/// How often a waiting call looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(200);
/// Options of a choice.
const MOST_OPTIONS: usize = 20;
/// How often a person is asked for a file that is there.
const MOST_TRIES: usize = 5;

/// The open questions.
pub(crate) struct Questions {
    questioner: Arc<dyn Questioner>,
    open: Mutex<HashMap<Question, Arc<Open>>>,
    wait: Duration,
    kept: Duration,
}

/// A question that is being shown.
#[derive(Default)]
struct Open {
    answer: Mutex<Option<Answer>>,
    answered: Condvar,
    withdrawn: CancelFlag,
    awaited: Mutex<Awaited>,
}

/// Who waits for an answer.
#[derive(Default)]
struct Awaited {
    n_calls: usize,
    /// When the last of them gave up.
    left: Option<Instant>,
}

impl Awaited {
    /// When the last call gave up; none while one waits.
    fn left(&self) -> Option<Instant> {
        self.left.filter(|_| self.n_calls == 0)
    }
}

/// A call that waits for an answer, while it does.
struct Waiting(Arc<Open>);

impl Questions {
    pub(crate) fn new(questioner: Arc<dyn Questioner>) -> Self {
        Self {
            questioner,
            open: Mutex::default(),
            wait: WAIT,
            kept: KEPT,
        }
    }

    /// The same with another memory for questions that no call waits for.
    pub(crate) fn keeping(self, kept: Duration) -> Self {
        Self { kept, ..self }
    }

    /// The same with another patience.
    pub(crate) fn waiting(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    pub(crate) fn ask(
        &self,
        place: &Place,
        session: u64,
        arguments: Arguments<'_>,
        cancel: &CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        let question = question(place, session, arguments)?;
        let waiting = self.open(&question)?;
        let open = &waiting.0;
        let deadline = Instant::now() + self.wait;
        loop {
            if cancel.is_cancelled() {
                self.give_up(&question, waiting);
                return Err(cancelled());
            }
            if let Some(answer) = open.wait(deadline) {
                forget(&mut self.open.lock(), &question, open);
                return outcome(place, &question, answer);
            }
            if Instant::now() >= deadline {
                return Ok(told(format!(
                    "The user has not answered yet. Still waiting: call {AskUser} again with the same arguments.\n"
                )));
            }
        }
    }

    /// Withdraws the question of a cancelled call, unless another call waits for it.
    fn give_up(&self, question: &Question, waiting: Waiting) {
        let mut all = self.open.lock();
        let open = Arc::clone(&waiting.0);
        drop(waiting);
        if open.left().is_some() {
            open.withdrawn.cancel();
            forget(&mut all, question, &open);
        }
    }

    /// Joins the question or shows it.
    fn open(&self, question: &Question) -> Result<Waiting, ToolFailure> {
        let mut all = self.open.lock();
        remove_old(&mut all, self.kept);
        if let Some(open) = all.get(question) {
            let waiting = Waiting::new(open);
            // The clock may have been ahead.
            if !open.withdrawn.is_cancelled() {
                return Ok(waiting);
            }
        }
        make_room(&mut all)?;
        let open = Arc::new(Open::default());
        let shown = thread::Builder::new().name("siderail-question".to_owned());
        let (questioner, asked) = (Arc::clone(&self.questioner), question.clone());
        let (asking, left) = (Arc::clone(&open), Arc::clone(&open));
        shown
            .spawn(move || {
                let answer = ask_person(questioner.as_ref(), asked, &asking.withdrawn);
                *asking.answer.lock() = Some(answer);
                asking.answered.notify_all();
            })
            .map_err(|error| {
                ToolFailure::new(
                    ToolErrorCode::InternalError,
                    format!("the question cannot be shown: {error}"),
                )
            })?;
        let waiting = Waiting::new(&open);
        let clock = thread::Builder::new().name("siderail-question-clock".to_owned());
        let kept = self.kept;
        // Without it the question stays until another one is asked.
        let _ = clock.spawn(move || left.withdraw_after(kept));
        all.insert(question.clone(), open);
        Ok(waiting)
    }
}

/// Asks until the answer is one, as far as the question says; a few times, since nobody may be typing.
fn ask_person(questioner: &dyn Questioner, mut asked: Question, withdrawn: &CancelFlag) -> Answer {
    let text = asked.text.clone();
    let place = Place::new(Project {
        folder: &asked.project,
        roots: &asked.roots,
    })
    .ok();
    for _ in 1..MOST_TRIES {
        let answer = questioner.ask(&asked, withdrawn);
        let Answer::Given(path) = &answer else {
            return answer;
        };
        let looked_for = place
            .as_ref()
            .filter(|_| asked.kind == QuestionKind::FileSelection);
        match looked_for.map(|place| place.existing(path)) {
            Some(Err(failure)) if !withdrawn.is_cancelled() => {
                asked.text = format!("{text}\n({})", failure.text);
            }
            _ => return answer,
        }
    }
    questioner.ask(&asked, withdrawn)
}

/// Removes this question, but not one in the same words that was opened after it.
fn forget(all: &mut HashMap<Question, Arc<Open>>, question: &Question, open: &Arc<Open>) {
    if all
        .get(question)
        .is_some_and(|found| Arc::ptr_eq(found, open))
    {
        all.remove(question);
    }
}

/// Withdraws questions that no call has waited for since `kept`. A cancelled question is removed, too,
/// so that no later call hears of a turn that is long over.
fn remove_old(all: &mut HashMap<Question, Arc<Open>>, kept: Duration) {
    all.retain(|_, open| {
        let is_kept = open.left().is_none_or(|left| left.elapsed() < kept);
        if !is_kept {
            open.withdrawn.cancel();
        }
        is_kept && *open.answer.lock() != Some(Answer::Cancelled)
    });
}

/// Sees to it that there is room for one more question.
fn make_room(all: &mut HashMap<Question, Arc<Open>>) -> Result<(), ToolFailure> {
    if all.len() < OPEN_QUESTIONS {
        return Ok(());
    }
    let left = all
        .iter()
        .filter_map(|(question, open)| Some((open.left()?, question)));
    let oldest = left.min_by_key(|(left, _)| *left);
    let oldest = oldest.map(|(_, question)| question.clone());
    let Some(open) = oldest.and_then(|question| all.remove(&question)) else {
        return Err(ToolFailure::new(
            ToolErrorCode::NotApplicable,
            format!(
                "{OPEN_QUESTIONS} questions are open already and the user answers one at a time: \
                 wait for those answers, then ask this"
            ),
        ));
    };
    open.withdrawn.cancel();
    Ok(())
}

impl Waiting {
    fn new(open: &Arc<Open>) -> Self {
        open.awaited.lock().n_calls += 1;
        Self(Arc::clone(open))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut awaited = self.0.awaited.lock();
        awaited.n_calls -= 1;
        awaited.left = Some(Instant::now());
    }
}

impl Open {
    /// When the last call gave up; none while one waits.
    fn left(&self) -> Option<Instant> {
        self.awaited.lock().left()
    }

    /// Waits until the question is answered or no call has waited for it for so long, and withdraws it then.
    fn withdraw_after(&self, kept: Duration) {
        let mut answer = self.answer.lock();
        while answer.is_none() {
            let awaited = self.awaited.lock();
            let left = awaited.left();
            if left.is_some_and(|left| left.elapsed() >= kept) {
                return self.withdrawn.cancel();
            }
            drop(awaited);
            let end = left.unwrap_or_else(Instant::now) + kept;
            self.answered.wait_until(&mut answer, end);
        }
    }

    /// Waits a little; the answer, if there is one by then.
    fn wait(&self, deadline: Instant) -> Option<Answer> {
        let mut answer = self.answer.lock();
        if answer.is_none() {
            let limit = deadline.min(Instant::now() + LOOK);
            self.answered.wait_until(&mut answer, limit);
        }
        answer.clone()
    }
}

fn question(
    place: &Place,
    session: u64,
    arguments: Arguments<'_>,
) -> Result<Question, ToolFailure> {
    let word = arguments.required_text("question_type")?;
    let kind = QuestionKind::named(word).ok_or_else(|| {
        let (last, others) = QuestionKind::WORDS.split_last().unwrap_or((&"", &[]));
        let others = others.join(", ");
        ToolFailure::invalid(format!(
            "`question_type` is `{word}`; it is {others} or {last}"
        ))
    })?;
    let text = arguments.required_text("question")?.trim();
    if text.is_empty() {
        return Err(ToolFailure::invalid("`question` is empty"));
    }
    let options = arguments
        .list("options")?
        .unwrap_or_default()
        .iter()
        .map(|option| option.as_str().map(str::to_owned))
        .collect::<Option<Vec<String>>>()
        .ok_or_else(|| ToolFailure::invalid("`options` must hold strings"))?;
    if kind == QuestionKind::Choice && !(2..=MOST_OPTIONS).contains(&options.len()) {
        return Err(ToolFailure::invalid(format!(
            "a choice needs 2 to {MOST_OPTIONS} `options`"
        )));
    }
    let default = arguments.word("default")?;
    if let (Some(default), QuestionKind::Choice) = (default, kind)
        && !options.iter().any(|option| option == default)
    {
        return Err(ToolFailure::invalid(format!(
            "`default` is `{default}`, which is not one of the `options`"
        )));
    }
    if let (Some(default), QuestionKind::Confirmation) = (default, kind)
        && !["yes", "no"]
            .iter()
            .any(|word| default.eq_ignore_ascii_case(word))
    {
        return Err(ToolFailure::invalid(format!(
            "`default` is `{default}`; that of a confirmation is yes or no"
        )));
    }
    Ok(Question {
        session,
        project: place.root().to_owned(),
        roots: place.confinement().further().map(Path::to_owned).collect(),
        kind,
        text: text.to_owned(),
        options: if kind == QuestionKind::Choice {
            options
        } else {
            Vec::new()
        },
        default: default.map(str::to_owned),
        required: !arguments.flag("optional")?,
    })
}

fn outcome(place: &Place, question: &Question, answer: Answer) -> Result<ToolOutcome, ToolFailure> {
    let (said, why) = match answer {
        Answer::Cancelled => return Err(cancelled()),
        Answer::Given(text) => return answered(place, question, text),
        Answer::NobodyThere => (
            "Nobody can answer.".to_owned(),
            "nobody can answer questions in this session".to_owned(),
        ),
        Answer::NotShown(why) => (format!("The question could not be shown: {why}."), why),
        Answer::Declined(why) => ("The user skipped the question.".to_owned(), why),
    };
    match question.required {
        true => Err(unanswered(&why)),
        false => Ok(told(format!("{said} {}", go_on(question)))),
    }
}

fn answered(place: &Place, question: &Question, text: String) -> Result<ToolOutcome, ToolFailure> {
    let mut text = text;
    if question.kind == QuestionKind::FileSelection {
        // The person was shown similar names.
        let Confined {
            relative, exists, ..
        } = place.inside(&text)?;
        if !exists {
            let text = format!("{relative} does not exist; {ListProjectFiles} lists the files");
            return Err(ToolFailure::new(ToolErrorCode::FileNotFound, text));
        }
        text = relative;
    }
    Ok(told(format!("The user answered: {text}\n")))
}

fn told(text: String) -> ToolOutcome {
    ToolOutcome {
        text,
        ..ToolOutcome::default()
    }
}

/// A required question without an answer.
fn unanswered(why: &str) -> ToolFailure {
    let because = match why {
        "" => String::new(),
        why => format!(": {why}"),
    };
    let text = format!(
        "the question was not answered{because}. Choose the safest interpretation, continue, and say what you assumed"
    );
    ToolFailure::new(ToolErrorCode::NotApplicable, text)
}

/// What the model does after an optional question that nobody answered.
fn go_on(question: &Question) -> String {
    match &question.default {
        Some(default) => format!("Continue with {default}.\n"),
        None => "Continue without an answer.\n".to_owned(),
    }
}
