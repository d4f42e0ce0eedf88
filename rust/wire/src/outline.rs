//! What is known of a line that is too long to be kept: whether it is a request, and which.
//!
//! The bytes pass by once, in pieces. Kept of them are the members of the outermost object without what is nested
//! in them, up to a few kilobytes; the envelope is read from that. Knows no method.

use crate::message::{Message, RequestId, parse};

/// Bytes that are kept. An envelope without params and result is much shorter.
const CAP: usize = 4096;

/// The outline of one line, made while it goes by.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    kept: Vec<u8>,
    depth: usize,
    in_text: bool,
    is_escaped: bool,
}

impl Outline {
    /// Takes the next bytes of the line.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            // Beyond the cap nothing more can be known.
            if self.kept.len() > CAP {
                return;
            }
            self.byte(*byte);
        }
    }

    fn byte(&mut self, byte: u8) {
        let was_outer = self.depth <= 1;
        if self.in_text {
            match (self.is_escaped, byte) {
                (true, _) => self.is_escaped = false,
                (false, b'\\') => self.is_escaped = true,
                (false, b'"') => self.in_text = false,
                (false, _) => {}
            }
        } else {
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => {
                    self.depth += 1;
                    if self.depth == 2 {
                        return self.kept.extend_from_slice(b"null");
                    }
                }
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        if was_outer {
            self.kept.push(byte);
        }
    }

    /// The id of the request that the line is; `None` for anything else, and if it is unknown.
    pub(crate) fn request(&self) -> Option<RequestId> {
        match parse(&self.kept) {
            Ok(Message::Request { id, .. }) if !id.is_null() && self.kept.len() <= CAP => Some(id),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Option<String> {
        let whole = |size: usize| {
            let mut outline = Outline::default();
            line.as_bytes()
                .chunks(size)
                .for_each(|piece| outline.push(piece));
            outline.request().map(|id| id.as_json().to_owned())
        };
        let found = whole(1);
        assert_eq!(whole(7), found);
        assert_eq!(whole(usize::MAX), found);
        found
    }

    #[test]
    fn the_id_of_a_request_is_found_wherever_it_stands() {
        let big = "x{\\\"id\\\":9".repeat(10_000);
        let params = format!(r#"{{"id":7,"a":[{{"id":8}},"{big}"],"method":"m"}}"#);
        for (id, line) in [
            (
                "1",
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#),
            ),
            (
                "1.0",
                format!(r#"{{"method":"m","params":{params},"id":1.0}}"#),
            ),
            (
                r#""a\"}""#,
                format!(r#"{{"params":{params},"id":"a\"}}","method":"m"}}"#),
            ),
        ] {
            assert_eq!(request(&line).as_deref(), Some(id), "{}", &line[..60]);
        }
    }

    #[test]
    fn what_is_no_request_has_no_id_to_answer_to() {
        let big = "x".repeat(10_000);
        for line in [
            format!(r#"{{"method":"m","params":{{"id":1,"a":"{big}"}}}}"#),
            format!(r#"{{"id":1,"result":{{"a":"{big}","method":"m"}}}}"#),
            format!(r#"{{"id":null,"method":"m","params":["{big}"]}}"#),
            format!(r#"[{{"id":1,"method":"m","params":["{big}"]}}]"#),
            format!(r#"{{"id":"{big}","method":"m"}}"#),
            format!(r#"{{"id":1,"method":"m","params":["{big}"]"#),
            big,
        ] {
            assert_eq!(request(&line), None, "{}", &line[..30]);
        }
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut outline = Outline::default();
        for _ in 0..1_000 {
            outline.push(&[b'x'; 64 * 1024]);
        }
        assert!(outline.kept.capacity() <= 4 * CAP);
    }
}
