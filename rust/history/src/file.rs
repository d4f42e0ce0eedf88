//! A conversation's file: its name, its lock, and where its last whole line ends.
//!
//! Its lock is held to write to it or to remove it. Knows nothing of what the lines say.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use siderail_os::files::Named;
use siderail_state::private;

/// The end of the names of conversations' files.
pub(super) const EXTENSION: &str = "jsonl";

/// The name of a conversation's file.
pub(super) fn file_name(at: u64, id: &str) -> String {
    format!("{at:015}-{id}.{EXTENSION}")
}

/// Whether a file is this conversation's, by its name.
pub(super) fn is_of(path: &Path, id: &str) -> bool {
    id_of(path).is_some_and(|named| named == id)
}

/// Whose file it is, by its name.
pub(super) fn id_of(path: &Path) -> Option<&str> {
    let name = path.file_stem()?.to_str()?;
    Some(name.split_once('-')?.1)
}

/// Opens a file to append to it; nobody else writes to it or removes it meanwhile.
pub(super) fn open_locked(path: &Path, new: bool) -> io::Result<File> {
    if !new {
        private::check_file(&fs::symlink_metadata(path)?).map_err(io::Error::other)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).append(true).create_new(new);
    let file = siderail_os::private::file(&mut options).open(path)?;
    file.try_lock()?;
    match is_still(path, &file)? {
        true => Ok(file),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

/// False for a file that was removed between its opening and its lock: what is written to it is lost.
fn is_still(path: &Path, file: &File) -> io::Result<bool> {
    Ok(Named::at(path)?.id == Named::of(file)?.id)
}

/// Cuts off a last line without its end; the bytes that stay.
pub(super) fn cut_torn(file: &mut File) -> io::Result<u64> {
    let whole = whole_bytes(file)?;
    if whole < file.metadata()?.len() {
        file.set_len(whole)?;
    }
    Ok(whole)
}

/// The bytes of a file up to the end of its last whole line.
pub(super) fn whole_bytes(file: &mut File) -> io::Result<u64> {
    let mut end = file.metadata()?.len();
    let mut block = vec![0; 64 << 10];
    loop {
        let start = end.saturating_sub(block.len() as u64);
        let part = &mut block[..usize::try_from(end - start).unwrap_or(0)];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(part)?;
        match part.iter().rposition(|byte| *byte == b'\n') {
            Some(at) => return Ok(start + at as u64 + 1),
            None if start == 0 => return Ok(0),
            None => end = start,
        }
    }
}
