//! Records conversations while they run: a line an event. Pieces of a message are joined, for a second at most: what is
//! there of it by then is a line, and readers join those.
//!
//! Lines are made here, without a file; [`writer`] is the thread that writes them. A failure is reported once and ends
//! the recording, never the session. A conversation's file is locked while it is written, so that two sessions never
//! mix theirs.

mod writer;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use data_encoding::HEXLOWER;
use siderail_acp::redact::Redaction;
use siderail_event::{
    AgentMessage, AgentThought, EventBody, PermissionApproved, PermissionDenied, PermissionRequest,
    PreRejectionGuidance, TurnStarted,
};
use tokio::sync::Notify;

use super::Entry;
use super::archive::Archive;
use super::kept_events::is_kept;
pub use writer::Written;
use writer::{Heard, Job, News, Writer};

/// Bytes of a message that wait at most for its end, and how long they do.
const PIECE: usize = 16 << 10;
const WAIT: Duration = Duration::from_secs(1);
/// Bytes of one line; of longer ones the texts are cut.
const MOST_LINE: usize = 1 << 20;

/// A session that is to be written down.
pub struct Recording {
    /// The archive of its project.
    pub archive: Archive,
    /// The project's folder.
    pub project: PathBuf,
    /// Profile name of the agent.
    pub agent: String,
    /// The agent's own id of its session.
    pub agent_session: String,
    /// What is hidden.
    pub redaction: Redaction,
    /// The conversation that it resumes.
    pub continues: Option<String>,
}

/// All sessions that are written down. Dropping it may wait a moment for the disk: not on a thread that others need.
#[derive(Default)]
pub struct Recorder {
    sessions: BTreeMap<u64, Recorded>,
    /// The number that the last recording was given.
    last: u64,
    /// None before the first recording.
    writer: Option<Writer>,
    heard: Arc<Heard>,
}

/// One of them.
struct Recorded {
    /// The number of its recording. A session that begins again has another.
    number: u64,
    redaction: Redaction,
    /// Which conversation it is, if nothing prevents that; else [`News`] says which one it became.
    conversation: String,
    /// Something of it was to be written.
    has_begun: bool,
    /// The turn of its last event.
    turn: u32,
    /// A message on its way.
    message: Option<Message>,
    /// The id of the last message, where nothing else was kept since.
    said: Option<Option<String>>,
    /// The model has thought since: what it says next is another message.
    has_thought: bool,
    /// Permission requests and guidance that are kept once a verdict is, by their requests.
    undecided: Vec<(u64, EventBody)>,
}

/// A message, as far as it is not written yet.
struct Message {
    turn: u32,
    id: Option<String>,
    text: String,
    /// When what is there of it is written.
    due: Option<Instant>,
}

/// A message to a person about a recording.
#[derive(Debug, PartialEq, Eq)]
pub struct Told {
    /// The session.
    pub session: u64,
    /// Its prompt turn.
    pub turn: u32,
    /// The text.
    pub text: String,
}

impl Recorder {
    /// A session's events are written down from now on, once it is prompted. The conversation that it resumes is its
    /// own from then on; [`Self::news`] says if it cannot be, because another session has it. The text is for a person,
    /// if nothing can be kept.
    pub fn begin(&mut self, session: u64, recording: Recording) -> Option<String> {
        // A session that begins again lets go of what it had.
        self.end(session);
        self.last += 1;
        let id = match new_id() {
            Ok(id) => id,
            Err(error) => return Some(not_kept(&error)),
        };
        let recorded = Recorded {
            number: self.last,
            redaction: recording.redaction.clone(),
            conversation: recording.continues.clone().unwrap_or_else(|| id.clone()),
            has_begun: false,
            turn: 0,
            message: None,
            said: None,
            has_thought: false,
            undecided: Vec::new(),
        };
        let job = Job::Begin(recorded.number, Box::new(recording), id);
        let begun = self.writer().and_then(|writer| writer.give(job, 0));
        match begun {
            Ok(()) => {
                self.sessions.insert(session, recorded);
                None
            }
            Err(error) => Some(not_kept(&error)),
        }
    }

    fn writer(&mut self) -> io::Result<&Writer> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => Writer::start(Arc::clone(&self.heard))?,
        };
        Ok(self.writer.insert(writer))
    }

    fn end(&mut self, session: u64) {
        let ended = self.sessions.remove(&session);
        if let (Some(recorded), Some(writer)) = (ended, &self.writer) {
            // Without its thread there is nothing to end.
            let _ = writer.give(Job::End(recorded.number), 0);
        }
    }

    /// The conversation that a session is written down as, once there is something of it.
    pub fn conversation(&self, session: u64) -> Option<String> {
        let recorded = self.sessions.get(&session)?;
        recorded.has_begun.then(|| recorded.conversation.clone())
    }

    /// Takes an event. The text is a message to a person, once, when nothing more is kept.
    pub fn event(&mut self, session: u64, turn: u32, body: &EventBody) -> Option<String> {
        let (recorded, writer) = (self.sessions.get_mut(&session)?, self.writer.as_ref()?);
        let taken = recorded.take(turn, body, writer);
        if taken.is_err() || matches!(body, EventBody::Summary(_)) {
            self.end(session);
        }
        Some(not_kept(&taken.err()?))
    }

    /// When messages on their way are to be written, as far as they have come.
    pub fn deadline(&self) -> Option<Instant> {
        let sessions = self.sessions.values();
        let messages = sessions.filter_map(|recorded| recorded.message.as_ref());
        messages.filter_map(|message| message.due).min()
    }

    /// Writes what is due by now.
    pub fn deadline_passed(&mut self, now: Instant) -> Vec<Told> {
        let is_due = |recorded: &Recorded| {
            let message = recorded.message.as_ref();
            message.is_some_and(|message| message.due.is_some_and(|due| due <= now))
        };
        let due = self.sessions.iter().filter(|(_, one)| is_due(one));
        let due: Vec<u64> = due.map(|(session, _)| *session).collect();
        let write = |session| self.write(session, Recorded::write_settled);
        due.into_iter().filter_map(write).collect()
    }

    fn write(
        &mut self,
        session: u64,
        write: impl FnOnce(&mut Recorded, &Writer) -> io::Result<()>,
    ) -> Option<Told> {
        let (recorded, writer) = (self.sessions.get_mut(&session)?, self.writer.as_ref()?);
        let turn = recorded.turn;
        let error = write(recorded, writer).err()?;
        self.end(session);
        let text = not_kept(&error);
        Some(Told {
            session,
            turn,
            text,
        })
    }

    /// A session ends: what there is of it is to be written. What waits for that; the text is for a person.
    pub fn finish(&mut self, session: u64) -> (Option<Written>, Option<Told>) {
        let told = self.write(session, Recorded::flush);
        let is_kept = self.sessions.contains_key(&session);
        (is_kept.then(|| self.written()).flatten(), told)
    }

    /// What waits until all is written that came so far; none if nothing is.
    pub fn written(&self) -> Option<Written> {
        self.writer.as_ref()?.mark()
    }

    /// What says that [`Self::news`] has some.
    pub fn changed(&self) -> Arc<Notify> {
        Arc::clone(&self.heard.changed)
    }

    /// What has become of recordings since this was asked last, for people.
    pub fn news(&mut self) -> Vec<Told> {
        let news = std::mem::take(&mut *self.heard.news.lock());
        news.into_iter()
            .filter_map(|news| self.heard(news))
            .collect()
    }

    fn heard(&mut self, news: News) -> Option<Told> {
        let (News::Conversation(number, ..) | News::Failed(number, _)) = &news;
        let mut sessions = self.sessions.iter_mut();
        let (session, recorded) = sessions.find(|(_, one)| one.number == *number)?;
        let (session, turn) = (*session, recorded.turn);
        let text = match news {
            News::Conversation(_, id, told) => {
                recorded.conversation = id;
                told?
            }
            News::Failed(_, error) => {
                self.sessions.remove(&session);
                not_kept(&error)
            }
        };
        Some(Told {
            session,
            turn,
            text,
        })
    }
}

fn not_kept(error: &io::Error) -> String {
    format!("this conversation is no longer saved: {error}")
}

impl Recorded {
    fn take(&mut self, turn: u32, body: &EventBody, writer: &Writer) -> io::Result<()> {
        self.turn = turn;
        self.has_begun |= matches!(body, EventBody::TurnStarted(_));
        if !self.has_begun {
            return Ok(());
        }
        if let EventBody::AgentMessage(AgentMessage { text, message_id }) = body {
            return self.message(turn, message_id.as_ref(), text, writer);
        }
        if let EventBody::AgentThought(AgentThought { text, .. }) = body {
            self.has_thought |= !text.is_empty();
            return Ok(());
        }
        if let Some(request) = before_verdict(body) {
            self.undecided.push((request, settled(body)));
            return Ok(());
        }
        let is_end = matches!(body, EventBody::Summary(_));
        let before = self.decided(body);
        if !is_kept(body) && !is_end {
            return Ok(());
        }
        self.flush(writer)?;
        self.said = None;
        for body in before {
            self.entry(turn, body, writer)?;
        }
        match is_end {
            true => Ok(()),
            false => self.entry(turn, body.clone(), writer),
        }
    }

    /// What a verdict is about. Most requests are allowed by the policy, and nobody looks for these.
    fn decided(&mut self, body: &EventBody) -> Vec<EventBody> {
        match body {
            EventBody::PermissionDenied(PermissionDenied { request_id, .. })
            | EventBody::PermissionApproved(PermissionApproved { request_id, .. }) => {
                let of_it = self.undecided.extract_if(.., |(of, _)| of == request_id);
                of_it.map(|(_, body)| body).collect()
            }
            EventBody::TurnEnded(_) => {
                self.undecided.clear();
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Joins the pieces of a message. Thoughts are not kept, so messages around one are paragraphs.
    fn message(
        &mut self,
        turn: u32,
        id: Option<&String>,
        text: &str,
        writer: &Writer,
    ) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let is_same = self.said.as_ref().is_some_and(|said| said.as_ref() == id);
        let begins_anew = std::mem::take(&mut self.has_thought) && is_same;
        self.said = Some(id.cloned());
        let goes_on = |message: &Message| message.turn == turn && message.id.as_ref() == id;
        if !self.message.as_ref().is_some_and(goes_on) {
            self.flush(writer)?;
        }
        let message = self.message.get_or_insert_with(|| Message {
            turn,
            id: id.cloned(),
            text: String::new(),
            due: None,
        });
        if begins_anew {
            let ends = message.text.len() - message.text.trim_end_matches('\n').len();
            message.text.push_str(&"\n\n"[ends.min(2)..]);
        }
        message.text.push_str(text);
        if message.due.is_none() && !message.text.is_empty() {
            message.due = Some(Instant::now() + WAIT);
        }
        if message.text.len() >= PIECE {
            self.write_settled(writer)?;
        }
        let too_long = |message: &Message| message.text.len() >= PIECE;
        match self.message.as_ref().is_some_and(too_long) {
            true => self.flush(writer),
            false => Ok(()),
        }
    }

    /// Writes a message as far as no secret could be cut by it; the rest waits for its next piece.
    fn write_settled(&mut self, writer: &Writer) -> io::Result<()> {
        let Some(message) = &mut self.message else {
            return Ok(());
        };
        message.due = None;
        let rest = self.redaction.settled(&message.text);
        let rest = message.text.split_off(rest);
        let text = std::mem::replace(&mut message.text, rest);
        let (turn, id) = (message.turn, message.id.clone());
        self.piece(turn, id, text, writer)
    }

    fn flush(&mut self, writer: &Writer) -> io::Result<()> {
        match self.message.take() {
            Some(message) => self.piece(message.turn, message.id, message.text, writer),
            None => Ok(()),
        }
    }

    fn piece(
        &self,
        turn: u32,
        message_id: Option<String>,
        text: String,
        writer: &Writer,
    ) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.entry(
            turn,
            EventBody::AgentMessage(AgentMessage { text, message_id }),
            writer,
        )
    }

    fn entry(&self, turn: u32, body: EventBody, writer: &Writer) -> io::Result<()> {
        let bytes = about(&body);
        let at = now();
        let entry = Box::new(Entry { at, turn, body });
        writer.give(Job::Line(self.number, entry), bytes)
    }
}

/// The request, where an event says something of one ahead of its verdict.
fn before_verdict(body: &EventBody) -> Option<u64> {
    match body {
        EventBody::PermissionRequest(PermissionRequest { request_id, .. })
        | EventBody::PreRejectionGuidance(PreRejectionGuidance { request_id, .. }) => {
            Some(*request_id)
        }
        _ => None,
    }
}

/// A request as one that nobody answers any more. The change that it is about is kept with its call.
fn settled(body: &EventBody) -> EventBody {
    let mut body = body.clone();
    if let EventBody::PermissionRequest(PermissionRequest {
        diffs,
        options,
        asks,
        ..
    }) = &mut body
    {
        diffs.clear();
        options.clear();
        *asks = false;
    }
    body
}

/// Bytes of the texts of an event that may be long.
fn about(body: &EventBody) -> usize {
    let texts = match body {
        EventBody::AgentMessage(AgentMessage { text, .. })
        | EventBody::TurnStarted(TurnStarted { text, .. }) => text.len(),
        EventBody::ToolCall(call) => {
            let diffs = call.diffs.iter();
            let sides =
                diffs.map(|d| d.new_text.len() + d.old_text.as_ref().map_or(0, String::len));
            call.text.len() + sides.sum::<usize>()
        }
        EventBody::OwnTool(call) => call.text.len() + call.diff.as_ref().map_or(0, String::len),
        _ => 0,
    };
    texts + 512
}

pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

fn new_id() -> io::Result<String> {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(HEXLOWER.encode(&bytes))
}

#[cfg(test)]
mod tests;
