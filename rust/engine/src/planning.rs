//! A plan on its way: made, shown, approved or sent back, carried out. Plain data: it sends nothing and knows no agent.
//!
//! A planning begins with a prompt that wants one and ends with the turn that does the work, or with a no that asks for
//! no other plan. An agent presents its plan by a permission request, inside of the turn, or by ending the turn with
//! it. Until the approval [`Planning::closes_writing`] holds; the guard says what that means.

use crate::event::PlanEntry;

mod steps;

use steps::{Progress, steps_of};

/// Characters of a plan's text that are kept.
const TEXT: usize = 60_000;

/// A session's planning.
#[derive(Debug, Default)]
pub(crate) struct Planning {
    stage: Stage,
    draft: Draft,
    /// A call came after the last piece of a message: the next one begins another.
    is_broken_off: bool,
    /// The approval goes by a prompt of its own, because the agent's request took none.
    in_words: bool,
    /// Steps of an approved plan whose agent keeps no list of its own.
    progress: Option<Progress>,
}

/// The state of a planning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// None is on.
    #[default]
    Off,
    /// The agent looks around and makes the plan.
    Drafting,
    /// The person is asked.
    Proposed(Presented),
    /// Sent back inside of a turn: the next prompt says why.
    SentBack(String),
    /// Turned down inside of a turn, with nothing to say about it.
    Dropped,
    /// Approved inside of a turn whose agent takes no yes for this once: the next prompt says so.
    Agreed,
    /// Approved: the work is on, or about to begin.
    Working,
}

/// How a plan came before the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presented {
    /// By a permission request; the turn waits for the answer.
    InTurn,
    /// By the end of the turn.
    AtTurnEnd,
}

/// What the agent has written of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Draft {
    /// Its text: the last message, or what was presented.
    pub(crate) text: String,
    /// Its steps.
    pub(crate) entries: Vec<PlanEntry>,
    /// Its text as found in a file of the agent's own.
    file: Option<String>,
}

/// What follows from the end of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AfterTurn {
    /// Nothing: the next prompt may go out.
    Idle,
    /// The plan that the turn ended with is put before the person.
    Propose,
    /// This feedback is the next prompt.
    Revise(String),
    /// The approval is the next prompt.
    Work,
    /// The turn was to bring a plan and did not.
    NoPlan,
}

/// What follows from a person's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AfterAnswer {
    /// The agent's request is allowed, and its turn continues with the work.
    Allow,
    /// The agent's request is rejected; the end of the turn says what comes next.
    Reject,
    /// The work begins with a prompt.
    Work,
    /// This feedback is the next prompt.
    Revise(String),
    /// The planning is over.
    Idle,
}

impl Planning {
    /// A prompt that wants a plan goes out.
    pub(crate) fn begin(&mut self) {
        *self = Self {
            stage: Stage::Drafting,
            ..Self::default()
        };
    }

    /// Another prompt, or the session's end.
    pub(crate) fn over(&mut self) {
        *self = Self::default();
    }

    /// Nothing may be changed now.
    pub(crate) fn closes_writing(&self) -> bool {
        !matches!(self.stage, Stage::Off | Stage::Working)
    }

    /// A plan is awaited from the agent.
    pub(crate) fn is_drafting(&self) -> bool {
        self.stage == Stage::Drafting
    }

    /// The person's answer is awaited.
    pub(crate) fn is_proposed(&self) -> bool {
        matches!(self.stage, Stage::Proposed(_))
    }

    /// The agent's request was answered no, and the turn still runs.
    pub(crate) fn is_turned_down(&self) -> bool {
        matches!(
            self.stage,
            Stage::SentBack(_) | Stage::Dropped | Stage::Agreed
        )
    }

    /// The approval could not be the answer to the agent's request. All stays closed until the prompt that says so.
    pub(crate) fn agreed_in_words(&mut self) {
        self.stage = Stage::Agreed;
        self.in_words = true;
    }

    /// That approval was sent already: an agent that asks again would otherwise hear of it forever.
    pub(crate) fn is_told_in_words(&self) -> bool {
        self.in_words
    }

    /// … and nothing was said that the agent should make of it: no other plan is wanted.
    pub(crate) fn is_dropped(&self) -> bool {
        self.stage == Stage::Dropped
    }

    /// A piece of the agent's message; the steps as they now stand, where it moved one on.
    pub(crate) fn message(&mut self, piece: &str, starts: bool) -> Option<Vec<PlanEntry>> {
        let starts = std::mem::take(&mut self.is_broken_off) || starts;
        if self.stage == Stage::Working {
            return self.progress.as_mut()?.hear(piece, starts);
        }
        if self.stage == Stage::Drafting {
            if starts {
                self.draft.text.clear();
            }
            let room = TEXT.saturating_sub(self.draft.text.len());
            self.draft.text.extend(piece.chars().take(room));
        }
        None
    }

    /// The agent calls a tool.
    pub(crate) fn call(&mut self) {
        self.is_broken_off = true;
    }

    /// The agent has written the plan to a file of its own.
    pub(crate) fn written(&mut self, text: &str) {
        if self.stage == Stage::Drafting {
            self.draft.file = Some(text.chars().take(TEXT).collect());
        }
    }

    /// The agent's own list of steps.
    pub(crate) fn entries(&mut self, entries: &[PlanEntry]) {
        match self.stage {
            Stage::Drafting => self.draft.entries = entries.to_vec(),
            Stage::Working => self.progress = None,
            _ => {}
        }
    }

    /// The plan is put before the person. `text`: what was presented, where it is not the last message.
    pub(crate) fn propose(&mut self, presented: Presented, text: Option<String>) -> &Draft {
        let file = self.draft.file.take();
        let file = file.filter(|_| presented == Presented::InTurn);
        if let Some(text) = text.or(file) {
            self.draft.text = text;
            // A list from the time of looking around is not the plan that is presented.
            self.draft.entries.clear();
        }
        if self.draft.entries.is_empty() {
            self.draft.entries = steps_of(&self.draft.text);
        }
        self.stage = Stage::Proposed(presented);
        &self.draft
    }

    /// The person's answer: approved, or what is to be changed (nothing: no other plan is wanted).
    pub(crate) fn answer(&mut self, approved: bool, feedback: &str) -> AfterAnswer {
        let Stage::Proposed(presented) = self.stage else {
            return AfterAnswer::Idle;
        };
        let feedback = feedback.trim();
        let (stage, after) = match (presented, approved, feedback) {
            (Presented::InTurn, true, _) => (Stage::Working, AfterAnswer::Allow),
            (Presented::AtTurnEnd, true, _) => (Stage::Working, AfterAnswer::Work),
            (Presented::InTurn, false, "") => (Stage::Dropped, AfterAnswer::Reject),
            (Presented::AtTurnEnd, false, "") => (Stage::Off, AfterAnswer::Idle),
            (Presented::InTurn, false, said) => {
                (Stage::SentBack(said.to_owned()), AfterAnswer::Reject)
            }
            (Presented::AtTurnEnd, false, said) => {
                (Stage::Drafting, AfterAnswer::Revise(said.to_owned()))
            }
        };
        if stage == Stage::Working {
            self.progress = Some(Progress::new(&self.draft.entries));
        } else {
            self.draft = Draft::default();
        }
        self.stage = stage;
        after
    }

    /// The steps of an approved plan, as far as they are followed here.
    pub(crate) fn followed(&self) -> Option<&[PlanEntry]> {
        let entries = self.progress.as_ref()?.entries();
        (!entries.is_empty()).then_some(entries)
    }

    /// The work's turn came to its end; the steps as they now stand, where that ends one.
    pub(crate) fn finished(&mut self) -> Option<Vec<PlanEntry>> {
        self.progress.as_mut()?.finish()
    }

    /// The turn's prompt came to nothing and is sent again later: what was closed stays closed, and a plan is awaited as
    /// before. What was said of a plan in that turn is what has to be sent instead.
    pub(crate) fn interrupted(&mut self) -> Option<String> {
        let stage = match &self.stage {
            Stage::Off | Stage::Working => return None,
            Stage::Drafting
            | Stage::Proposed(_)
            | Stage::SentBack(_)
            | Stage::Dropped
            | Stage::Agreed => Stage::Drafting,
        };
        self.draft = Draft::default();
        match std::mem::replace(&mut self.stage, stage) {
            Stage::SentBack(feedback) => Some(feedback),
            _ => None,
        }
    }

    /// A turn ended and nothing else continues it. `well`: by the agent's own decision.
    pub(crate) fn turn_ended(&mut self, well: bool) -> AfterTurn {
        match std::mem::take(&mut self.stage) {
            Stage::SentBack(feedback) => {
                self.stage = Stage::Drafting;
                AfterTurn::Revise(feedback)
            }
            Stage::Agreed => {
                self.stage = Stage::Working;
                AfterTurn::Work
            }
            Stage::Drafting if well => {
                let is_empty = self.draft.text.trim().is_empty() && self.draft.entries.is_empty();
                if is_empty {
                    return AfterTurn::NoPlan;
                }
                self.stage = Stage::Drafting;
                AfterTurn::Propose
            }
            _ => AfterTurn::Idle,
        }
    }
}

#[cfg(test)]
mod tests;
