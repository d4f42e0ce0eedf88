//! A queue of lines on disk, for data that nobody reads for a while.
//!
//! The file has no name, so that a killed process leaves nothing behind. Knows nothing of what a line is.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

/// Lines in a file: written at its end, read from its beginning.
#[derive(Debug)]
pub(super) struct Spill {
    file: File,
    written: u64,
    read: u64,
}

impl Spill {
    /// An empty queue in a private folder.
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile_in(folder)?,
            written: 0,
            read: 0,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.read == self.written
    }

    /// Adds lines, each of which ends with a newline.
    pub(super) fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.written))?;
        self.file.write_all(lines)?;
        self.written += lines.len() as u64;
        Ok(())
    }

    /// Takes lines off, without their newlines: at least one, and no more once `most` bytes are reached.
    pub(super) fn take(&mut self, most: usize) -> io::Result<Vec<Vec<u8>>> {
        self.file.seek(SeekFrom::Start(self.read))?;
        let mut reader = BufReader::with_capacity(64 << 10, &self.file);
        let mut lines = Vec::new();
        let mut taken = 0;
        while taken < most && self.read + (taken as u64) < self.written {
            let mut line = Vec::new();
            let length = reader.read_until(b'\n', &mut line)?;
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            taken += length;
            line.truncate(length - 1);
            lines.push(line);
        }
        self.read += taken as u64;
        if self.is_empty() {
            // What was read is of no more use; a file that cannot be shortened is only longer than it needs.
            let _ = self.file.set_len(0);
            (self.read, self.written) = (0, 0);
        }
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::Spill;

    #[test]
    fn lines_come_back_in_order_whole_and_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut spill = Spill::create(folder.path()).expect("a file");
        spill.append(b"one\ntwo\n").expect("room");
        assert_eq!(spill.take(1).expect("it reads"), [b"one"]);
        spill.append(b"three\n").expect("room");
        assert_eq!(
            spill.take(1 << 20).expect("it reads"),
            [b"two".to_vec(), b"three".to_vec()]
        );
        assert!(spill.is_empty());
        spill.append(b"four\n").expect("room");
        assert_eq!(spill.take(1).expect("it reads"), [b"four"]);
        // On Windows the name goes with the last handle, which the system closes for a killed process.
        if cfg!(windows) {
            drop(spill);
        }
        let names = std::fs::read_dir(folder.path()).expect("it lists").count();
        assert_eq!(names, 0, "a killed process would leave nothing");
    }
}
