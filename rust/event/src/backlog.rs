//! A queue that refuses nothing, loses nothing and does not fill the memory: for data that waits for a slow reader.
//!
//! What is beyond its share of memory goes to a nameless file and comes back in its turn. Memory grows only if the disk
//! refuses, too. For embedders, which must not keep the engine waiting; it knows nothing of its contents.
//!
//! Putting something in or taking it out also writes or reads the file: neither side waits for the other, but both wait
//! for the disk.

use std::collections::VecDeque;
use std::path::PathBuf;

use self::spill::Spill;

mod spill;

/// Bytes behind the file that are gathered for one write.
const GATHERED: usize = 64 << 10;
/// Bytes that are read back at once.
const READ: usize = 64 << 10;

/// Something that can wait, in memory or as a line of a file.
pub trait Waits: Sized {
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

/// The waiting ones: first those in `head`, then those in the file, then those in `tail`.
#[derive(Debug)]
pub struct Backlog<T> {
    folder: PathBuf,
    memory: usize,
    head: VecDeque<T>,
    head_weight: usize,
    spill: Option<Spill>,
    tail: VecDeque<T>,
    tail_weight: usize,
    /// Weight of the tail from which on it is written.
    gather: usize,
}

impl<T: Waits> Backlog<T> {
    /// An empty one. `folder` takes the file, which has no name there; `memory`: bytes that may wait in memory.
    pub fn new(folder: PathBuf, memory: usize) -> Self {
        Self {
            folder,
            memory,
            head: VecDeque::new(),
            head_weight: 0,
            spill: None,
            tail: VecDeque::new(),
            tail_weight: 0,
            gather: GATHERED,
        }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        // The file is empty whenever the tail is: both are drained together.
        self.head.is_empty() && self.tail.is_empty() && !self.is_spilling()
    }

    /// Whether something waits in the file.
    pub fn is_spilling(&self) -> bool {
        self.spill.as_ref().is_some_and(|spill| !spill.is_empty())
    }

    /// Bytes that wait in memory, roughly.
    pub fn in_memory(&self) -> usize {
        self.head_weight + self.tail_weight
    }

    /// Puts something at the end.
    pub fn push(&mut self, next: T) {
        // Once something waits behind, all that follows does, whatever has been taken off the head meanwhile.
        let is_behind =
            self.is_spilling() || !self.tail.is_empty() || self.head_weight >= self.memory;
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
        if is_behind && self.tail_weight >= self.gather {
            self.write_tail();
        }
    }

    /// Takes the first off.
    pub fn pop(&mut self) -> Option<T> {
        if self.head.is_empty() {
            self.refill(READ);
        }
        let first = self.head.pop_front()?;
        self.head_weight = match self.head.is_empty() {
            true => 0,
            false => self.head_weight.saturating_sub(first.weight()),
        };
        Some(first)
    }

    /// Takes several off, until `most` bytes are reached or memory holds no more; at least one where there is one.
    pub fn take(&mut self, most: usize) -> Vec<T> {
        if self.head.is_empty() {
            self.refill(most);
        }
        let mut taken = Vec::new();
        let mut weight = 0;
        while weight < most && !self.head.is_empty() {
            let Some(first) = self.pop() else { break };
            weight += first.weight();
            taken.push(first);
        }
        taken
    }

    /// Moves the tail to the file. Where that fails it stays in memory until it has doubled.
    fn write_tail(&mut self) {
        let mut lines = Vec::with_capacity(self.tail_weight + self.tail.len());
        for waiting in &self.tail {
            waiting.write(&mut lines);
            lines.push(b'\n');
        }
        let spill = match &mut self.spill {
            Some(spill) => Ok(spill),
            none => Spill::create(&self.folder).map(|spill| none.insert(spill)),
        };
        match spill.and_then(|spill| spill.append(&lines)) {
            Ok(()) => {
                self.tail.clear();
                self.tail_weight = 0;
                self.gather = GATHERED;
            }
            Err(error) => {
                self.gather = self.tail_weight * 2;
                tracing::error!(%error, "what waits for a slow reader stays in memory");
            }
        }
    }

    /// What comes after an empty head: the file's first lines, and once that is empty, the tail.
    fn refill(&mut self, most: usize) {
        if let Some(spill) = self.spill.as_mut().filter(|spill| !spill.is_empty()) {
            match spill.take(most) {
                Ok(lines) => self.head.extend(lines.into_iter().filter_map(T::read)),
                Err(error) => {
                    tracing::error!(%error, "what waited in a file cannot be read and is lost");
                    self.spill = None;
                }
            }
        }
        if !self.is_spilling() {
            self.head.append(&mut self.tail);
            self.tail_weight = 0;
        }
        self.head_weight = self.head.iter().map(Waits::weight).sum();
    }
}

#[cfg(test)]
mod tests;
