//! The thread that writes conversations: it waits for the disk, so that nobody else does.
//!
//! It takes jobs in their order, from one queue for all conversations. What is in the queue is bounded in bytes: a disk that
//! does not keep up ends a recording, never the session. After it has written it rests for a moment, so that what an
//! agent does in quick succession does not wake it each time. Knows no session and nothing of what events mean.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use siderail_state::private;
use tokio::sync::Notify;

use super::{MOST_LINE, Recording, now};
use crate::file::{self, file_name};
use crate::{Entry, Head, MOST_BYTES_OF_ONE, VERSION};

/// Bytes of texts that wait for the disk at most.
const MOST_WAITING: usize = 16 << 20;
/// How long the thread leaves lines where they are once it has written some, and how many bytes of texts end that. Nobody
/// notices it; a crash loses them.
const REST: Duration = Duration::from_millis(50);
const MOST_RESTING: usize = 64 << 10;
/// What the end of all waits for the thread.
const ENDING: Duration = Duration::from_secs(1);

/// What is to be done for a recording, by its number.
pub(super) enum Job {
    /// Its events follow. A new conversation gets this id.
    Begin(u64, Box<Recording>, String),
    /// It has another line.
    Line(u64, Box<Entry>),
    /// No more comes of it.
    End(u64),
    /// All that was to be done before is done.
    Mark(SyncSender<()>),
}

/// What the thread has to say of a recording, by its number.
#[derive(Debug)]
pub(super) enum News {
    /// It is this conversation's. What a person should read, if it is not the one that was to be resumed.
    Conversation(u64, String, Option<String>),
    /// Nothing more of it is written.
    Failed(u64, io::Error),
}

/// What the thread has said and nobody has heard yet.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) news: Mutex<Vec<News>>,
    pub(super) changed: Arc<Notify>,
}

impl Heard {
    fn say(&self, news: News) {
        self.news.lock().push(news);
        self.changed.notify_one();
    }
}

/// The way to the thread. Dropping it ends the thread, once it has done what there is.
pub(super) struct Writer {
    /// None once nothing more comes.
    jobs: Option<Sender<(usize, Job)>>,
    /// Ends the thread's rest; none once nothing more comes.
    bell: Option<SyncSender<()>>,
    waiting: Arc<AtomicUsize>,
    thread: Option<Thread>,
}

struct Thread {
    handle: JoinHandle<()>,
    /// Closed when it has done everything.
    done: Receiver<()>,
}

impl Drop for Writer {
    /// A library that an IDE unloads must not leave a thread behind, unless a disk holds it up.
    fn drop(&mut self) {
        (self.jobs, self.bell) = (None, None);
        let Some(Thread { handle, done }) = self.thread.take() else {
            return;
        };
        if done.recv_timeout(ENDING) == Err(RecvTimeoutError::Disconnected)
            && handle.join().is_err()
        {
            tracing::error!("the thread that writes the history has panicked");
        }
    }
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(heard: Arc<Heard>) -> io::Result<Self> {
        let (jobs, queue) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&waiting);
        let (bell, rung) = sync_channel(1);
        let (working, done) = channel::<()>();
        let thread = thread::Builder::new().name("siderail-history".to_owned());
        let handle = thread.spawn(move || {
            Files::new(heard).work(&queue, &rung, &counted);
            drop(working);
        })?;
        Ok(Self {
            jobs: Some(jobs),
            bell: Some(bell),
            waiting,
            thread: Some(Thread { handle, done }),
        })
    }

    /// Gives it something to do. `bytes` is about what it holds.
    ///
    /// # Errors
    /// The disk does not keep up, or the thread is gone.
    pub(super) fn give(&self, job: Job, bytes: usize) -> io::Result<()> {
        if self.waiting.load(Ordering::Relaxed) + bytes > MOST_WAITING {
            let most = MOST_WAITING >> 20;
            return Err(io::Error::other(format!(
                "the disk does not keep up: {most} MB wait to be written"
            )));
        }
        let waiting = self.waiting.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let can_rest = matches!(job, Job::Line(..)) && waiting < MOST_RESTING;
        let jobs = self.jobs.as_ref();
        if jobs.is_none_or(|jobs| jobs.send((bytes, job)).is_err()) {
            return Err(io::Error::other("its thread has ended"));
        }
        if let Some(bell) = self.bell.as_ref().filter(|_| !can_rest) {
            // One that has been rung is enough.
            let _ = bell.try_send(());
        }
        Ok(())
    }

    /// What waits until all is written that was given so far.
    pub(super) fn mark(&self) -> Option<Written> {
        let (mark, written) = sync_channel(1);
        self.give(Job::Mark(mark), 0).ok()?;
        Some(Written(written))
    }
}

/// Says when what was given to the thread is written.
pub struct Written(Receiver<()>);

impl Written {
    /// Waits for it, as long as that.
    pub fn wait(&self, most: Duration) {
        let _ = self.0.recv_timeout(most);
    }
}

/// The files that are open, by the numbers of their recordings.
struct Files {
    open: BTreeMap<u64, Open>,
    heard: Arc<Heard>,
}

struct Open {
    recording: Recording,
    /// The id of the conversation.
    id: String,
    /// The file of the conversation that is resumed, until there is something to write.
    held: Option<File>,
    /// The conversation's file; none until there is something to write.
    file: Option<File>,
    /// Bytes of the file, all of them whole lines.
    bytes: u64,
}

impl Files {
    fn new(heard: Arc<Heard>) -> Self {
        Self {
            open: BTreeMap::new(),
            heard,
        }
    }

    fn work(&mut self, queue: &Receiver<(usize, Job)>, bell: &Receiver<()>, waiting: &AtomicUsize) {
        while let Ok(first) = queue.recv() {
            for (bytes, job) in iter::once(first).chain(queue.try_iter()) {
                self.job(job);
                waiting.fetch_sub(bytes, Ordering::Relaxed);
            }
            let _ = bell.recv_timeout(REST);
        }
    }

    fn job(&mut self, job: Job) {
        match job {
            Job::Begin(number, recording, new_id) => {
                let (held, told) = match recording.again() {
                    Ok(held) => (held, None),
                    Err(told) => (None, Some(told)),
                };
                let (id, held) = match held {
                    Some((id, file)) => (id, Some(file)),
                    None => (new_id, None),
                };
                self.heard.say(News::Conversation(number, id.clone(), told));
                let open = Open {
                    recording: *recording,
                    id,
                    held,
                    file: None,
                    bytes: 0,
                };
                self.open.insert(number, open);
            }
            Job::Line(number, entry) => {
                let Some(open) = self.open.get_mut(&number) else {
                    return;
                };
                if let Err(error) = open.entry(&entry) {
                    self.open.remove(&number);
                    self.heard.say(News::Failed(number, error));
                }
            }
            Job::End(number) => drop(self.open.remove(&number)),
            Job::Mark(mark) => {
                // Who waited may have given up.
                let _ = mark.try_send(());
            }
        }
    }
}

impl Recording {
    /// The conversation that is resumed, locked; `None` if it is gone. What a person should read if another session has
    /// it.
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
    fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        if self.file.is_none() {
            self.open()?;
        }
        self.line(entry)
    }

    /// Writes a line without secrets, whole or not at all.
    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        let value = serde_json::to_value(line)?;
        let value = crate::archive::cut(self.recording.redaction.value(value), MOST_LINE);
        let mut text = serde_json::to_vec(&value)?;
        text.push(b'\n');
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let bytes = self.bytes + text.len() as u64;
        if bytes > MOST_BYTES_OF_ONE {
            let most = MOST_BYTES_OF_ONE >> 20;
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
        let mut file = match self.held.take() {
            Some(again) => again,
            None => {
                let new = self.new_file(at)?;
                // The oldest are forgotten for it.
                archive.prune();
                new
            }
        };
        self.bytes = file::cut_torn(&mut file)?;
        self.file = Some(file);
        let head = Head {
            history: VERSION,
            id: self.id.clone(),
            project: self.recording.project.display().to_string(),
            agent: self.recording.agent.clone(),
            agent_session: self.recording.agent_session.clone(),
            at,
        };
        self.line(&head)
    }

    fn new_file(&self, at: u64) -> io::Result<File> {
        let path = self
            .recording
            .archive
            .folder()
            .join(file_name(at, &self.id));
        let mut attempts = 0..3;
        loop {
            let error = match file::open_locked(&path, true) {
                Ok(file) => return Ok(file),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_does_not_keep_up_is_given_no_more_than_so_much() {
        let (jobs, queue) = channel();
        let mut writer = Writer {
            jobs: Some(jobs),
            bell: None,
            waiting: Arc::default(),
            thread: None,
        };
        for _ in 0..MOST_WAITING >> 20 {
            writer.give(Job::End(1), 1 << 20).expect("there is room");
        }
        let refused = writer.give(Job::End(1), 1).expect_err("there is none");
        assert!(refused.to_string().contains("does not keep up"));
        assert!(writer.mark().is_some(), "who waits for it takes no room");
        let mut files = Files::new(Arc::default());
        let queued = queue.try_iter().collect::<Vec<_>>();
        writer.jobs = None;
        let (again, all) = channel();
        queued
            .into_iter()
            .for_each(|job| again.send(job).expect("a queue"));
        drop(again);
        files.work(&all, &channel().1, &writer.waiting);
        assert_eq!(writer.waiting.load(Ordering::Relaxed), 0);
    }
}
