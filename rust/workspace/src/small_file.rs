//! Text files that people and their programs write, read as a whole, up to a bound.

use std::io::{self, Read as _};
use std::path::Path;

use crate::confine::regular_file;

/// Reads a file of text whole.
///
/// # Errors
/// It is not there, cannot be read, is larger than this many bytes, or is not a file: a pipe would be waited for, a
/// device has no end.
pub fn text(file: &Path, most_bytes: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut limited = regular_file(file)?.take(most_bytes + 1);
    limited.read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        let most = most_bytes >> 10;
        return Err(io::Error::other(format!(
            "it is too large (more than {most} KB)"
        )));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))
}
