//! Writes conversations down while they go on: a line an event, each in one write. Pieces of a message are joined, for
//! a second at most: what is there of it by then is a line, and readers join those.
//!
//! What fails is told once and ends the recording, never the session. A conversation's file is locked while it is
//! written, so that two sessions never mix theirs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use siderail_acp::redact::Redaction;

use super::archive::Archive;
use super::file::{self, file_name};
use super::kept::is_kept;
use super::{Entry, Head, MOST_BYTES, VERSION};
use siderail_event::EventBody;
use siderail_state::private;

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
    /// The conversation that it goes on with.
    pub continues: Option<String>,
}

/// All sessions that are written down.
#[derive(Default)]
pub struct Recorder {
    open: BTreeMap<u64, Open>,
}

/// One of them.
struct Open {
    recording: Recording,
    /// The conversation that is gone on with, until there is something to write.
    held: Option<(String, File)>,
    /// The conversation's id and file; none until there is something to write.
    file: Option<(String, File)>,
    /// Bytes of the file, all of them whole lines.
    bytes: u64,
    /// A message on its way.
    message: Option<Message>,
}

/// A message, as far as it is not written yet.
struct Message {
    turn: u32,
    id: Option<String>,
    text: String,
    /// When what is there of it is written.
    due: Option<Instant>,
}

impl Recorder {
    /// A session's events are written down from now on, once it is prompted. The conversation that it goes on with is
    /// its own from now on; the text says to a person that it cannot be, because another one has it.
    pub fn begin(&mut self, session: u64, recording: Recording) -> Option<String> {
        // A session that begins again lets go of what it had.
        self.open.remove(&session);
        let (held, told) = match recording.again() {
            Ok(held) => (held, None),
            Err(told) => (None, Some(told)),
        };
        let open = Open {
            recording,
            held,
            file: None,
            bytes: 0,
            message: None,
        };
        self.open.insert(session, open);
        told
    }

    /// The conversation that a session is written down as, once there is something of it.
    pub fn conversation(&self, session: u64) -> Option<String> {
        let open = self.open.get(&session)?;
        open.file.as_ref().map(|(id, _)| id.clone())
    }

    /// Takes an event. The text says what to tell a person, once, when nothing more is kept.
    pub fn event(&mut self, session: u64, turn: u32, body: &EventBody) -> Option<String> {
        let open = self.open.get_mut(&session)?;
        let taken = open.take(turn, body);
        if let EventBody::Summary(_) = body {
            self.open.remove(&session);
        }
        let error = taken.err()?;
        self.open.remove(&session);
        Some(not_kept(&error))
    }

    /// When messages on their way are to be written, as far as they have come.
    pub fn deadline(&self) -> Option<Instant> {
        let messages = self.open.values().filter_map(|open| open.message.as_ref());
        messages.filter_map(|message| message.due).min()
    }

    /// Writes what is due by now. What to tell a person: session, turn, text.
    pub fn deadline_passed(&mut self, now: Instant) -> Vec<(u64, u32, String)> {
        let mut told = Vec::new();
        self.open.retain(|session, open| {
            let is_due = |message: &&Message| message.due.is_some_and(|due| due <= now);
            let Some(turn) = open.message.as_ref().filter(is_due).map(|m| m.turn) else {
                return true;
            };
            let failed = open.write_settled().err();
            told.extend(failed.iter().map(|error| (*session, turn, not_kept(error))));
            failed.is_none()
        });
        told
    }
}

fn not_kept(error: &io::Error) -> String {
    format!("this conversation is no longer saved: {error}")
}

impl Recording {
    /// The conversation that is gone on with, locked; none where it is gone. What to tell a person where another
    /// session has it.
    fn again(&self) -> Result<Option<(String, File)>, String> {
        let Some(id) = self.continues.clone() else {
            return Ok(None);
        };
        let Ok(Some(path)) = self.archive.file_of(&id) else {
            return Ok(None);
        };
        match file::open_locked(&path, false) {
            Ok(file) => Ok(Some((id, file))),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(format!(
                "the conversation {id} is in use by another siderail: this chat is saved as a new conversation"
            )),
            Err(_) => Ok(None),
        }
    }
}

impl Open {
    fn take(&mut self, turn: u32, body: &EventBody) -> io::Result<()> {
        let begins = matches!(body, EventBody::TurnStarted { .. });
        if self.file.is_none() && !begins {
            return Ok(());
        }
        if let EventBody::AgentMessage { text, message_id } = body {
            return self.message(turn, message_id.as_ref(), text);
        }
        let is_end = matches!(body, EventBody::Summary(_));
        if !is_kept(body) && !is_end {
            return Ok(());
        }
        if self.file.is_none() {
            self.open()?;
        }
        self.flush()?;
        match is_end {
            true => Ok(()),
            false => self.entry(turn, body.clone()),
        }
    }

    /// Joins the pieces of a message.
    fn message(&mut self, turn: u32, id: Option<&String>, text: &str) -> io::Result<()> {
        let goes_on = |message: &Message| message.turn == turn && message.id.as_ref() == id;
        if !self.message.as_ref().is_some_and(goes_on) {
            self.flush()?;
        }
        let message = self.message.get_or_insert_with(|| Message {
            turn,
            id: id.cloned(),
            text: String::new(),
            due: None,
        });
        message.text.push_str(text);
        if message.due.is_none() && !message.text.is_empty() {
            message.due = Some(Instant::now() + WAIT);
        }
        if message.text.len() >= PIECE {
            self.write_settled()?;
        }
        let too_long = |message: &Message| message.text.len() >= PIECE;
        match self.message.as_ref().is_some_and(too_long) {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Writes a message as far as no secret could be cut by it; the rest waits for its next piece.
    fn write_settled(&mut self) -> io::Result<()> {
        let Some(message) = &mut self.message else {
            return Ok(());
        };
        message.due = None;
        let rest = self.recording.redaction.settled(&message.text);
        let rest = message.text.split_off(rest);
        let text = std::mem::replace(&mut message.text, rest);
        let (turn, id) = (message.turn, message.id.clone());
        self.piece(turn, id, text)
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.message.take() {
            Some(message) => self.piece(message.turn, message.id, message.text),
            None => Ok(()),
        }
    }

    fn piece(&mut self, turn: u32, message_id: Option<String>, text: String) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.entry(turn, EventBody::AgentMessage { text, message_id })
    }

    fn entry(&mut self, turn: u32, body: EventBody) -> io::Result<()> {
        let at = now();
        self.line(&Entry { at, turn, body })
    }

    /// Writes a line without secrets, whole or not at all.
    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        let value = serde_json::to_value(line)?;
        let value = super::archive::cut(self.recording.redaction.value(value), MOST_LINE);
        let mut text = serde_json::to_vec(&value)?;
        text.push(b'\n');
        let Some((_, file)) = &mut self.file else {
            return Ok(());
        };
        let bytes = self.bytes + text.len() as u64;
        if bytes > MOST_BYTES {
            let most = MOST_BYTES >> 20;
            return Err(io::Error::other(format!("it has reached {most} MB")));
        }
        if let Err(error) = file.write_all(&text) {
            // What a full disk took of the line goes again, so that the file stays whole lines.
            let _ = file.set_len(self.bytes);
            return Err(error);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Opens the conversation's file and says whose it is.
    fn open(&mut self) -> io::Result<()> {
        let archive = &self.recording.archive;
        private::make_folder(archive.folder())?;
        let at = now();
        let (id, mut file) = match self.held.take() {
            Some(again) => again,
            None => {
                let new = self.new_file(at)?;
                // The oldest are forgotten for it, which takes a while where there are many.
                let archive = archive.clone();
                tokio::task::spawn_blocking(move || archive.tidy());
                new
            }
        };
        self.bytes = file::cut_torn(&mut file)?;
        self.file = Some((id.clone(), file));
        let head = Head {
            history: VERSION,
            id,
            project: self.recording.project.display().to_string(),
            agent: self.recording.agent.clone(),
            agent_session: self.recording.agent_session.clone(),
            at,
        };
        self.line(&head)
    }

    fn new_file(&self, at: u64) -> io::Result<(String, File)> {
        let mut attempts = 0..3;
        loop {
            let id = new_id()?;
            let path = self.recording.archive.folder().join(file_name(at, &id));
            let error = match file::open_locked(&path, true) {
                Ok(file) => return Ok((id, file)),
                Err(error) => error,
            };
            // Another process may have tidied it away before the lock.
            let is_taken = matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::WouldBlock
            );
            if !is_taken || attempts.next().is_none() {
                return Err(error);
            }
        }
    }
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
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests;
