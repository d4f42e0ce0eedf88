//! A queue that refuses nothing, loses nothing and does not fill the memory: for data that waits for a slow reader.
//!
//! What is beyond its share of memory goes to a nameless file and comes back in its turn. For embedders, which must
//! not keep the engine waiting; it knows nothing of its contents.
//!
//! Whoever puts something in never waits for the disk: a thread of the queue writes the file, and ends when there is
//! nothing more to write. Whoever takes something out reads the file, and may wait for that thread meanwhile. So
//! memory grows only while the disk refuses, or takes less than what comes.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use parking_lot::{Mutex, MutexGuard};

use self::spill::Spill;

mod events;
mod spill;

pub use self::events::WaitingEvent;

/// Bytes behind the file that are gathered for one write.
const GATHERED: usize = 256 << 10;
/// Bytes that are read back at once.
const READ: usize = 64 << 10;

/// Something that can wait, in memory or as a line of a file.
pub trait Waits: Sized + Send + 'static {
    /// Bytes of memory, roughly.
    fn weight(&self) -> usize;

    /// Adds it as a line: no newline in it, none behind it.
    fn write(&self, bytes: &mut Vec<u8>);

    /// Takes it from such a line; none if that cannot be, and then it is lost.
    fn read(line: Vec<u8>) -> Option<Self>;

    /// Takes in what comes next; gives it back where the two do not go together.
    fn join(&mut self, next: Self) -> Option<Self> {
        Some(next)
    }
}

/// The waiting ones: first those in the head, then those in the file, then those in the tail.
#[derive(Debug)]
pub struct Backlog<T>(Arc<Shared<T>>);

#[derive(Debug)]
struct Shared<T> {
    folder: PathBuf,
    /// Held while the disk is busy; locked before `memory`, never after it.
    file: Mutex<Option<Spill>>,
    /// Held for moments only.
    memory: Mutex<Memory<T>>,
    /// The last one that wrote.
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What waits in memory, and what is known of the file without asking the disk.
#[derive(Debug)]
struct Memory<T> {
    /// Bytes that may wait here.
    limit: usize,
    head: VecDeque<T>,
    head_weight: usize,
    /// Something is in the file, or on its way there.
    is_spilling: bool,
    /// Bytes on their way to the file.
    on_its_way: usize,
    tail: VecDeque<T>,
    tail_weight: usize,
    /// Weight of the tail from which on it is written.
    gather: usize,
    /// The thread that writes is there.
    is_writing: bool,
    is_closed: bool,
}

impl<T: Waits> Backlog<T> {
    /// An empty one. `folder` takes the file, which has no name there; `limit`: bytes that may wait in memory.
    pub fn new(folder: PathBuf, limit: usize) -> Self {
        Self(Arc::new(Shared {
            folder,
            file: Mutex::new(None),
            memory: Mutex::new(Memory {
                limit,
                head: VecDeque::new(),
                head_weight: 0,
                is_spilling: false,
                on_its_way: 0,
                tail: VecDeque::new(),
                tail_weight: 0,
                gather: GATHERED,
                is_writing: false,
                is_closed: false,
            }),
            thread: Mutex::new(None),
        }))
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.0.memory.lock().is_empty()
    }

    /// Whether something waits in the file, or is on its way there.
    pub fn is_spilling(&self) -> bool {
        self.0.memory.lock().is_spilling
    }

    /// Bytes that wait in memory, roughly.
    pub fn in_memory(&self) -> usize {
        let memory = self.0.memory.lock();
        memory.head_weight + memory.on_its_way + memory.tail_weight
    }

    /// Puts something at the end. Does not wait for the disk.
    pub fn push(&self, next: T) {
        let wants_thread = self.0.memory.lock().push(next);
        if !wants_thread {
            return;
        }
        let shared = Arc::clone(&self.0);
        let thread = thread::Builder::new().name("siderail-backlog".to_owned());
        match thread.spawn(move || shared.write_tail()) {
            Ok(thread) => *self.0.thread.lock() = Some(thread),
            Err(error) => {
                tracing::error!(%error, "no thread; what waits for a slow reader stays in memory");
                self.0.memory.lock().gather_more();
            }
        }
    }

    /// Whether what comes next is in the file, so that taking it waits for the disk.
    pub fn is_next_in_file(&self) -> bool {
        let memory = self.0.memory.lock();
        memory.head.is_empty() && memory.is_spilling
    }

    /// Reads what comes next from the file, if it is there. Waits for the disk.
    pub fn read_ahead(&self) {
        drop(self.0.with_head(READ));
    }

    /// Takes the first off. Reads the file where the first is there.
    pub fn pop(&self) -> Option<T> {
        self.0.with_head(READ).pop()
    }

    /// Takes several off, until `most` bytes are reached or the head is empty; at least one where there is one. Reads
    /// the file where the first is there.
    pub fn take(&self, most: usize) -> Vec<T> {
        let mut memory = self.0.with_head(most);
        let mut taken = Vec::new();
        let mut weight = 0;
        while weight < most {
            let Some(first) = memory.pop() else { break };
            weight += first.weight();
            taken.push(first);
        }
        taken
    }

    /// Drops what waits, and from now on what is put in: nobody will take it.
    pub fn close(&self) {
        self.0.memory.lock().close();
        // A thread that is busy with the file drops it at its end.
        if let Some(mut file) = self.0.file.try_lock() {
            *file = None;
        }
    }

    /// Whether no thread writes. None begins to in a queue that is closed or empty.
    pub fn is_at_rest(&self) -> bool {
        self.0
            .thread
            .lock()
            .as_ref()
            .is_none_or(JoinHandle::is_finished)
    }
}

impl<T: Waits> Shared<T> {
    /// Memory whose head has what comes next, if anything does.
    fn with_head(&self, most: usize) -> MutexGuard<'_, Memory<T>> {
        loop {
            let mut memory = self.memory.lock();
            if !memory.head.is_empty() || !memory.is_spilling {
                memory.move_forward();
                return memory;
            }
            drop(memory);
            self.refill(most);
        }
    }

    /// Moves the first lines of the file to the head.
    fn refill(&self, most: usize) {
        let mut file = self.file.lock();
        let lines = match &mut *file {
            Some(spill) if !spill.is_empty() => spill.take(most),
            _ => Ok(Vec::new()),
        };
        let lines = lines.unwrap_or_else(|error| {
            tracing::error!(%error, "what waited in a file cannot be read and is lost");
            *file = None;
            Vec::new()
        });
        let read: Vec<T> = lines.into_iter().filter_map(T::read).collect();
        let is_spilling = file.as_ref().is_some_and(|spill| !spill.is_empty());
        self.memory.lock().take_in(read, is_spilling);
    }

    /// The thread: moves the tail to the file until it is small. Where that fails, it stays in memory until it has
    /// doubled.
    fn write_tail(&self) {
        while let Some(file) = self.write_piece() {
            // A reader that waits comes first.
            MutexGuard::unlock_fair(file);
        }
        if self.memory.lock().is_closed {
            *self.file.lock() = None;
        }
    }

    /// Moves a piece of the tail to the file; none where it is small, or stays where it is.
    fn write_piece(&self) -> Option<MutexGuard<'_, Option<Spill>>> {
        let mut file = self.file.lock();
        let piece = self.memory.lock().take_piece()?;
        match self.append(&mut file, &piece) {
            Ok(()) => {
                self.memory.lock().on_its_way = 0;
                Some(file)
            }
            Err(error) => {
                tracing::error!(%error, "what waits for a slow reader stays in memory");
                let is_spilling = file.as_ref().is_some_and(|spill| !spill.is_empty());
                self.memory.lock().put_back(piece, is_spilling);
                None
            }
        }
    }

    fn append(&self, file: &mut Option<Spill>, piece: &VecDeque<T>) -> std::io::Result<()> {
        let mut lines = Vec::new();
        for waiting in piece {
            waiting.write(&mut lines);
            lines.push(b'\n');
        }
        let spill = match file {
            Some(spill) => spill,
            none => none.insert(Spill::create(&self.folder)?),
        };
        spill.append(&lines)
    }
}

impl<T: Waits> Memory<T> {
    fn is_empty(&self) -> bool {
        self.head.is_empty() && self.tail.is_empty() && !self.is_spilling
    }

    /// Says whether there has to be a thread now that writes the tail.
    fn push(&mut self, next: T) -> bool {
        if self.is_closed {
            return false;
        }
        // Once something waits behind, all that follows does, whatever has been taken off the head meanwhile.
        let is_behind = self.is_spilling || !self.tail.is_empty() || self.head_weight >= self.limit;
        let (queue, weight) = if is_behind {
            (&mut self.tail, &mut self.tail_weight)
        } else {
            (&mut self.head, &mut self.head_weight)
        };
        let next = match queue.back_mut() {
            Some(last) => {
                let before = last.weight();
                let left = last.join(next);
                *weight += last.weight() - before;
                left
            }
            None => Some(next),
        };
        if let Some(next) = next {
            *weight += next.weight();
            queue.push_back(next);
        }
        let wants_thread = self.tail_weight >= self.gather && !self.is_writing;
        self.is_writing |= wants_thread;
        wants_thread
    }

    fn pop(&mut self) -> Option<T> {
        let first = self.head.pop_front()?;
        self.head_weight = match self.head.is_empty() {
            true => 0,
            false => self.head_weight.saturating_sub(first.weight()),
        };
        Some(first)
    }

    /// The tail follows an empty head where nothing is between them.
    fn move_forward(&mut self) {
        if self.head.is_empty() && !self.is_spilling {
            self.head.append(&mut self.tail);
            self.head_weight = std::mem::take(&mut self.tail_weight);
            // What the disk refused is on its way to the reader.
            self.gather = GATHERED;
        }
    }

    /// Takes what was read from the file.
    fn take_in(&mut self, read: Vec<T>, is_spilling: bool) {
        if self.is_closed {
            return;
        }
        self.head_weight += read.iter().map(Waits::weight).sum::<usize>();
        self.head.extend(read);
        self.is_spilling = is_spilling;
    }

    /// The first of the tail, for the file; none where it is small, and then the thread that asks ends.
    fn take_piece(&mut self) -> Option<VecDeque<T>> {
        if self.tail_weight < self.gather {
            self.is_writing = false;
            return None;
        }
        self.is_spilling = true;
        self.gather = GATHERED;
        let mut piece = VecDeque::new();
        while self.on_its_way < GATHERED
            && let Some(next) = self.tail.pop_front()
        {
            self.on_its_way += next.weight();
            piece.push_back(next);
        }
        self.tail_weight = match self.tail.is_empty() {
            true => 0,
            false => self.tail_weight.saturating_sub(self.on_its_way),
        };
        Some(piece)
    }

    /// Puts a piece back, which the disk has refused.
    fn put_back(&mut self, mut piece: VecDeque<T>, is_spilling: bool) {
        let weight = std::mem::take(&mut self.on_its_way);
        if !self.is_closed {
            piece.append(&mut self.tail);
            self.tail = piece;
            self.tail_weight += weight;
            self.is_spilling = is_spilling;
        }
        self.gather_more();
    }

    /// Nobody writes; the next try is when the tail has doubled.
    fn gather_more(&mut self) {
        self.is_writing = false;
        self.gather = self.tail_weight.max(GATHERED) * 2;
    }

    fn close(&mut self) {
        self.is_closed = true;
        self.is_spilling = false;
        self.head.clear();
        self.tail.clear();
        (self.head_weight, self.tail_weight) = (0, 0);
    }
}

#[cfg(test)]
mod tests;
