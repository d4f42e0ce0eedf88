//! Reads lines of any bytes with an upper limit on each, for streams that outlive a bad line.
//!
//! It does not know what a line means. A line that is too long is skipped to its end, so that the
//! next one is read whole.

use std::io::{self, BufRead};

/// One line of a stream, without its line end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RawLine {
    /// The bytes; a carriage return before the line end is gone.
    Bytes(Vec<u8>),
    /// Longer than the limit; `bytes` long, nothing of it is kept.
    TooLong {
        /// Length without the line end.
        bytes: u64,
    },
}

/// The next line, or none at the end. A last line without a line end counts.
///
/// # Errors
/// Whatever the reader fails with.
pub(crate) fn next(reader: &mut impl BufRead, limit: usize) -> io::Result<Option<RawLine>> {
    let mut kept: Vec<u8> = Vec::new();
    let mut bytes: u64 = 0;
    let mut ended = false;
    while !ended {
        let buffer = match reader.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            if bytes == 0 {
                return Ok(None);
            }
            break;
        }
        let (part, used) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                ended = true;
                (&buffer[..end], end + 1)
            }
            None => (buffer, buffer.len()),
        };
        bytes += part.len() as u64;
        if bytes <= limit as u64 {
            kept.extend_from_slice(part);
        } else {
            kept = Vec::new();
        }
        reader.consume(used);
    }
    if bytes > limit as u64 {
        return Ok(Some(RawLine::TooLong { bytes }));
    }
    if kept.last() == Some(&b'\r') {
        kept.pop();
    }
    Ok(Some(RawLine::Bytes(kept)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &[u8], limit: usize) -> Vec<RawLine> {
        // a small buffer, so that lines cross its edge
        let mut reader = io::BufReader::with_capacity(3, input);
        std::iter::from_fn(|| next(&mut reader, limit).unwrap()).collect()
    }

    fn bytes(text: &str) -> RawLine {
        RawLine::Bytes(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_come_whole_with_and_without_a_last_line_end() {
        assert_eq!(
            all(b"one\n\r\ntwo\r\n", 9),
            [bytes("one"), bytes(""), bytes("two")]
        );
        assert_eq!(all(b"one\nlast", 9), [bytes("one"), bytes("last")]);
        assert_eq!(all(b"", 9), []);
    }

    #[test]
    fn a_line_past_the_limit_is_skipped_and_the_next_one_is_whole() {
        assert_eq!(
            all(b"12345\n123456\nok\n1234567", 5),
            [
                bytes("12345"),
                RawLine::TooLong { bytes: 6 },
                bytes("ok"),
                RawLine::TooLong { bytes: 7 }
            ]
        );
    }
}
