//! What waits comes out once and in its order, wherever it waited.

use std::path::Path;
use std::time::{Duration, Instant};

use super::*;

const SMALL: usize = 2_000;

#[derive(Debug, PartialEq)]
struct Word(String);

impl Waits for Word {
    fn weight(&self) -> usize {
        self.0.len()
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.0.as_bytes());
    }

    fn read(line: Vec<u8>) -> Option<Self> {
        String::from_utf8(line).ok().map(Self)
    }

    /// Small letters stick together.
    fn join(&mut self, next: Self) -> Option<Self> {
        let is_small = |word: &Self| word.0.chars().all(char::is_lowercase);
        if is_small(self) && is_small(&next) && self.0.len() < 100 {
            self.0.push_str(&next.0);
            return None;
        }
        Some(next)
    }
}

/// Waits for the thread that writes.
fn settle<T: Waits>(backlog: &Backlog<T>) {
    let end = Instant::now() + Duration::from_secs(60);
    while !backlog.is_at_rest() {
        assert!(Instant::now() < end, "it does not come to an end");
        thread::yield_now();
    }
}

/// A hundred thousand come, faster than they are taken.
fn flood(folder: &Path, mut look: impl FnMut(&Backlog<Word>)) {
    let backlog = Backlog::new(folder.to_owned(), SMALL);
    let (mut text, mut expected) = (String::new(), String::new());
    for number in 1..=100_000 {
        let word = match number % 7 {
            0..4 => "ab".to_owned(),
            _ => format!("{number:>40};"),
        };
        expected.push_str(&word);
        backlog.push(Word(word));
        settle(&backlog);
        look(&backlog);
        if number % 25_000 == 0 {
            text.extend(backlog.take(10_000).into_iter().map(|word| word.0));
            text.extend(backlog.pop().map(|word| word.0));
        }
    }
    while let Some(word) = backlog.pop() {
        text.push_str(&word.0);
    }
    assert_eq!(text, expected);
    assert!(backlog.is_empty() && backlog.in_memory() == 0);
}

#[test]
fn what_memory_does_not_hold_comes_back_from_disk_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut heaviest, mut spilled) = (0, false);
    flood(folder.path(), |backlog| {
        heaviest = heaviest.max(backlog.in_memory());
        spilled |= backlog.is_spilling();
    });
    assert!(spilled, "the flood is larger than memory");
    // What was gathered may be next, without the file, and then as much is gathered behind it.
    let most = SMALL + 2 * GATHERED + READ;
    assert!(heaviest < most, "{heaviest} bytes in memory");
}

#[test]
fn where_the_disk_refuses_nothing_is_lost() {
    flood(Path::new("/no/such/folder"), |_| {});
}

#[test]
fn what_comes_after_a_full_memory_comes_after_it_also_when_there_is_room_again() {
    let backlog = Backlog::new(std::env::temp_dir(), 100);
    let mut taken = Vec::new();
    for number in 0..2_000 {
        backlog.push(Word(format!("{number};")));
        // Now and then the reader is faster, else slower.
        for _ in 0..[0, 0, 3, 0, 0][number / 20 % 5] {
            taken.extend(backlog.pop());
        }
    }
    taken.extend(std::iter::from_fn(|| backlog.pop()));
    let expected: Vec<Word> = (0..2_000)
        .map(|number| Word(format!("{number};")))
        .collect();
    assert!(taken == expected, "they come in another order");
}

#[test]
fn a_disk_that_gives_no_answer_keeps_nobody_waiting_who_puts_something_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let backlog = Arc::new(Backlog::new(folder.path().to_owned(), SMALL));
    let word = |number: usize| Word(format!("{number:>99};"));
    // Whoever has this lock waits for the disk.
    let disk = backlog.0.file.lock();
    let (done, is_done) = std::sync::mpsc::channel();
    let pushed = Arc::clone(&backlog);
    thread::spawn(move || {
        (0..50_000).for_each(|number| pushed.push(word(number)));
        let _ = done.send(pushed.pop());
    });
    let first = is_done.recv_timeout(Duration::from_secs(60));
    assert_eq!(first, Ok(Some(word(0))), "memory has it");
    assert!(backlog.in_memory() > 4_000_000, "all of it stays in memory");
    drop(disk);
    settle(&backlog);
    assert!(backlog.is_spilling() && backlog.in_memory() < SMALL + GATHERED);
    let rest = std::iter::from_fn(|| backlog.pop());
    assert!(rest.eq((1..50_000).map(word)), "they come in another order");
}

#[test]
fn a_writer_and_a_reader_at_once_lose_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let backlog = Backlog::new(folder.path().to_owned(), SMALL);
    let word = |number: usize| Word(format!("{number:>99};"));
    let taken = thread::scope(|threads| {
        let reader = threads.spawn(|| {
            let mut taken = Vec::new();
            while taken.len() < 100_000 {
                taken.extend(backlog.take(10_000));
            }
            taken
        });
        (0..100_000).for_each(|number| backlog.push(word(number)));
        reader.join().expect("it reads")
    });
    assert!(
        taken.into_iter().eq((0..100_000).map(word)),
        "they come in another order"
    );
    assert!(backlog.is_empty());
}

#[test]
fn what_is_closed_holds_nothing_any_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let backlog = Backlog::new(folder.path().to_owned(), SMALL);
    let word = || Word("X".repeat(1_000));
    (0..1_000).for_each(|_| backlog.push(word()));
    backlog.close();
    settle(&backlog);
    backlog.push(word());
    assert!(backlog.is_empty() && backlog.in_memory() == 0);
    assert!(backlog.0.file.lock().is_none(), "its file is gone");
    assert_eq!(backlog.pop(), None);
}
