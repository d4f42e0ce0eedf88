//! A file's bytes as text and back: charset, byte order mark, line ends, stamp.
//!
//! Decoding is lossless or refused, so that an edit never changes other bytes.

use std::borrow::Cow;
use std::fs::Metadata;
use std::io::{self, Read};
use std::time::SystemTime;

use crate::confine::{Confined, Found, Kind};
use crate::outcome::{ToolErrorCode, ToolFailure};
use serde::{Deserialize, Serialize};
use siderail_catalog::Tool::ListProjectFiles;
use siderail_os::files::FileId;

use crate::failure::io_failure;
use crate::place::Place;

/// Larger files are left to programs that read them piece by piece.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// A text file as it was when it was read.
#[derive(Debug)]
pub(crate) struct TextFile {
    /// The text without byte order mark, line ends as they are.
    pub(crate) text: String,
    pub(crate) format: Format,
    /// Whether lines end in more than one way.
    pub(crate) mixed_line_ends: bool,
    pub(crate) stamp: String,
    /// What the file looked like to the system, to notice a change by somebody else.
    pub(crate) seen: Seen,
}

/// What is kept of a file when its text is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) charset: Charset,
    pub(crate) byte_order_mark: bool,
    pub(crate) line_end: LineEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charset {
    Utf8,
    Utf16Le,
    Utf16Be,
    /// The guess for what is neither marked nor UTF-8.
    Windows1252,
}

/// What ends the lines of a text; on the wire the characters themselves. Any other end that a host names counts as LF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "&'static str")]
pub enum LineEnd {
    /// Unix.
    #[default]
    Lf,
    /// Windows.
    Crlf,
    /// Mac OS before X.
    Cr,
}

/// A file's state as far as the system knows it without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    length: u64,
    modified: Option<SystemTime>,
    id: FileId,
}

/// Why bytes are not taken as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotText(&'static str);

impl TextFile {
    /// Reads a file of the project; returns what the system said of it, too.
    pub(crate) fn load(
        place: &Place,
        confined: &Confined,
    ) -> Result<(Self, Metadata), ToolFailure> {
        let refused = |error: io::Error| io_failure("read", &confined.relative, &error);
        let entry = place.hold(confined).map_err(refused)?;
        let found = entry.found().map_err(refused)?;
        check_is_file(confined, found.kind)?;
        let file = entry.file().map_err(refused)?;
        let metadata = file.metadata().map_err(refused)?;
        let found = Found::of(&file).map_err(refused)?;
        let mut bytes = Vec::new();
        let n_bytes = match metadata.len() > MOST_BYTES {
            true => metadata.len(),
            // What grows meanwhile, or has no size, is not read without end.
            false => {
                let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
                read.map_err(refused)? as u64
            }
        };
        if n_bytes > MOST_BYTES {
            return Err(ToolFailure::new(
                ToolErrorCode::NotApplicable,
                format!(
                    "{} has {n_bytes} bytes, more than the {MOST_BYTES} that are read as text; look at \
                     parts of it with a program",
                    confined.relative,
                ),
            ));
        }
        let mut text = Self::decode(&bytes).map_err(|why| not_text(confined, why.0))?;
        text.seen = Seen::of(&found);
        Ok((text, metadata))
    }

    /// Takes bytes as text.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, NotText> {
        let (charset, byte_order_mark, text) = decode(bytes)?;
        let (line_end, mixed_line_ends) = line_ends(&text);
        Ok(Self {
            text,
            format: Format {
                charset,
                byte_order_mark,
                line_end,
            },
            mixed_line_ends,
            stamp: stamp(bytes),
            seen: Seen::default(),
        })
    }

    /// The lines without their ends.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        lines(&self.text, self.format.line_end)
    }

    /// What a reader should know about the file beyond its text; empty for plain UTF-8 with LF.
    pub(crate) fn remarks(&self) -> String {
        let mut remarks = Vec::new();
        match self.format.charset {
            Charset::Utf8 => {}
            Charset::Utf16Le => remarks.push("UTF-16LE"),
            Charset::Utf16Be => remarks.push("UTF-16BE"),
            Charset::Windows1252 => {
                remarks.push("not valid UTF-8, read as windows-1252, which is a guess");
            }
        }
        if self.format.byte_order_mark && self.format.charset == Charset::Utf8 {
            remarks.push("byte order mark");
        }
        remarks.extend(self.format.line_end.remark());
        if self.mixed_line_ends {
            remarks.push("mixed line ends");
        }
        if remarks.is_empty() {
            String::new()
        } else {
            format!(" ({})", remarks.join("; "))
        }
    }
}

impl Format {
    /// A new file's.
    pub(crate) const NEW: Self = Self {
        charset: Charset::Utf8,
        byte_order_mark: false,
        line_end: LineEnd::Lf,
    };

    /// Gives all lines of a text the file's line end.
    pub(crate) fn with_line_ends(self, text: &str) -> String {
        let unified = text.replace("\r\n", "\n");
        match self.line_end {
            LineEnd::Lf => unified,
            end => unified.replace('\n', end.as_str()),
        }
    }

    /// The bytes of a text, or the first character that the charset lacks.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        let mut bytes = Vec::with_capacity(text.len() + 3);
        let units = || {
            let mark = self.byte_order_mark.then_some(0xFEFF);
            mark.into_iter().chain(text.encode_utf16())
        };
        match self.charset {
            Charset::Utf8 => {
                if self.byte_order_mark {
                    bytes.extend_from_slice(&[0xEF, 0xBB, 0xBF]);
                }
                bytes.extend_from_slice(text.as_bytes());
            }
            Charset::Utf16Le => bytes.extend(units().flat_map(u16::to_le_bytes)),
            Charset::Utf16Be => bytes.extend(units().flat_map(u16::to_be_bytes)),
            Charset::Windows1252 => {
                let (encoded, _, lossy) = encoding_rs::WINDOWS_1252.encode(text);
                if lossy {
                    return Err(first_unencodable(text));
                }
                bytes.extend_from_slice(&encoded);
            }
        }
        Ok(bytes)
    }
}

impl From<String> for LineEnd {
    fn from(end: String) -> Self {
        match end.as_str() {
            "\r\n" => Self::Crlf,
            "\r" => Self::Cr,
            _ => Self::Lf,
        }
    }
}

impl From<LineEnd> for &'static str {
    fn from(end: LineEnd) -> Self {
        end.as_str()
    }
}

impl LineEnd {
    /// Its characters.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::Crlf => "\r\n",
            Self::Cr => "\r",
        }
    }

    /// What is said of a text that has it; nothing of the usual one.
    pub(crate) fn remark(self) -> Option<&'static str> {
        match self {
            Self::Lf => None,
            Self::Crlf => Some("CRLF line ends"),
            Self::Cr => Some("CR line ends"),
        }
    }

    /// What ends a line; the CR of a CRLF comes before it.
    pub(crate) fn last_char(self) -> char {
        match self {
            Self::Lf | Self::Crlf => '\n',
            Self::Cr => '\r',
        }
    }
}

impl Seen {
    pub(crate) fn of(found: &Found) -> Self {
        Self {
            length: found.length,
            modified: found.modified,
            id: found.id,
        }
    }
}

/// The lines of a text without their ends; a final line end starts no further line.
pub(crate) fn lines(text: &str, line_end: LineEnd) -> impl Iterator<Item = &str> {
    text.split_terminator(line_end.last_char())
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
}

/// FNV-1a 64 of a file's bytes, in hexadecimal. It distinguishes texts; it is no protection against
/// somebody who wants two texts to look alike.
pub(crate) fn stamp(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Whether bytes are certainly not text, judged by their beginning; cheaper than decoding.
pub(crate) fn looks_binary(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(8_192)];
    !start.starts_with(&[0xFF, 0xFE]) && !start.starts_with(&[0xFE, 0xFF]) && start.contains(&0)
}

/// Whether what is there may be read as text. If a link has come meanwhile, it is not opened.
pub(crate) fn check_is_file(confined: &Confined, kind: Kind) -> Result<(), ToolFailure> {
    match kind {
        Kind::Folder => Err(ToolFailure::new(
            ToolErrorCode::NotText,
            format!(
                "{} is a folder; {ListProjectFiles} shows what is in it",
                confined.relative
            ),
        )),
        Kind::Other => Err(not_text(confined, "it is not a regular file")),
        Kind::File | Kind::Link => Ok(()),
    }
}

fn not_text(place: &Confined, why: &str) -> ToolFailure {
    ToolFailure::new(
        ToolErrorCode::NotText,
        format!("{} is not text: {why}", place.relative),
    )
}

/// The text of bytes without its byte order mark, copied only where they are not UTF-8.
pub(crate) fn text_of(bytes: &[u8]) -> Result<Cow<'_, str>, NotText> {
    let unmarked = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    match std::str::from_utf8(unmarked) {
        Ok(text) => without_nul(text).map(Cow::Borrowed),
        _ => decode(bytes).map(|(_, _, text)| Cow::Owned(text)),
    }
}

fn decode(bytes: &[u8]) -> Result<(Charset, bool, String), NotText> {
    if let Some(rest) = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]) {
        let text =
            std::str::from_utf8(rest).map_err(|_| NotText("it is marked as UTF-8 but is not"))?;
        return Ok((Charset::Utf8, true, without_nul(text)?.to_owned()));
    }
    if bytes.starts_with(&[0xFF, 0xFE, 0, 0]) {
        return Err(NotText("UTF-32 is not supported"));
    }
    if let Some(rest) = bytes.strip_prefix(&[0xFF, 0xFE]) {
        return Ok((Charset::Utf16Le, true, utf16(rest, u16::from_le_bytes)?));
    }
    if let Some(rest) = bytes.strip_prefix(&[0xFE, 0xFF]) {
        return Ok((Charset::Utf16Be, true, utf16(rest, u16::from_be_bytes)?));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok((Charset::Utf8, false, without_nul(text)?.to_owned()));
    }
    if bytes.iter().any(|byte| is_binary_control(*byte)) {
        return Err(NotText("it contains control bytes"));
    }
    let text = encoding_rs::WINDOWS_1252
        .decode_without_bom_handling(bytes)
        .0
        .into_owned();
    Ok((Charset::Windows1252, false, text))
}

fn without_nul(text: &str) -> Result<&str, NotText> {
    if text.contains('\0') {
        Err(NotText("it contains NUL bytes"))
    } else {
        Ok(text)
    }
}

/// Control bytes that no single-byte text has: all but tab, line ends, form feed, escape and such.
fn is_binary_control(byte: u8) -> bool {
    matches!(byte, 0..=6 | 14..=26 | 28..=31)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, NotText> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(NotText("it is marked as UTF-16 and has half a character"));
    }
    char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .collect::<Result<String, _>>()
        .map_err(|_| NotText("it is marked as UTF-16 but is not"))
}

fn line_ends(text: &str) -> (LineEnd, bool) {
    let n_newlines = text.matches('\n').count();
    let n_crlf = text.matches("\r\n").count();
    let n_lf = n_newlines - n_crlf;
    if n_newlines == 0 && text.contains('\r') {
        return (LineEnd::Cr, false);
    }
    let line_end = if n_crlf > n_lf {
        LineEnd::Crlf
    } else {
        LineEnd::Lf
    };
    (line_end, n_crlf > 0 && n_lf > 0)
}

fn first_unencodable(text: &str) -> char {
    text.chars()
        .find(|letter| {
            let mut buffer = [0; 4];
            encoding_rs::WINDOWS_1252
                .encode(letter.encode_utf8(&mut buffer))
                .2
        })
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_end_is_its_characters_on_the_wire_and_any_other_is_lf() {
        for (end, word) in [
            (LineEnd::Lf, r#""\n""#),
            (LineEnd::Crlf, r#""\r\n""#),
            (LineEnd::Cr, r#""\r""#),
        ] {
            assert_eq!(serde_json::to_string(&end).expect("JSON"), word);
            assert_eq!(serde_json::from_str::<LineEnd>(word).expect("read"), end);
        }
        for other in [r#""""#, r#""\u0085""#, r#""\n\r""#] {
            let read = serde_json::from_str::<LineEnd>(other);
            assert_eq!(read.expect("read"), LineEnd::Lf, "{other}");
        }
    }
}
