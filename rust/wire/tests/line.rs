//! The splitter gives the same lines in whatever pieces the bytes arrive.

use proptest::prelude::*;
use serde_json::value::RawValue;
use siderail_wire::{Line, LineRef, LineSplitter, RequestId};

/// Feeds the pieces one after the other and collects all lines, the unfinished rest last.
fn split<'a>(cap: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Line>, u64) {
    let mut splitter = LineSplitter::new(cap);
    let mut lines = Vec::new();
    let mut collected = Vec::new();
    for piece in pieces {
        splitter.push(piece);
        collected.push(piece);
        lines.extend(std::iter::from_fn(|| splitter.next_line()));
    }
    lines.extend(splitter.finish());
    assert_eq!(splitter.finish(), None, "the rest is handed out once");
    assert_eq!(splitter.next_line(), None, "nothing is handed out twice");
    let n_blank = splitter.blank_lines();
    assert_eq!(lines, split_in_place(cap, &collected), "read in place");
    (lines, n_blank)
}

/// The same for a reader that writes into the splitter's buffer and takes no line out of it.
fn split_in_place(cap: usize, pieces: &[&[u8]]) -> Vec<Line> {
    let mut splitter = LineSplitter::new(cap);
    let mut lines = Vec::new();
    for piece in pieces {
        splitter.room(piece.len()).extend_from_slice(piece);
        while let Some(line) = splitter.next_line_ref() {
            lines.push(match line {
                LineRef::Message(bytes) => Line::Message(bytes.to_vec()),
                LineRef::TooLong { bytes, request } => Line::TooLong {
                    bytes,
                    request: request.cloned(),
                },
            });
        }
    }
    lines.extend(splitter.finish());
    lines
}

fn check(cap: usize, bytes: &[u8], expected: &[Line]) {
    for size in 1..=bytes.len().max(1) {
        let (lines, _) = split(cap, bytes.chunks(size));
        assert_eq!(lines, expected, "in pieces of {size}");
    }
}

fn text(line: &str) -> Line {
    Line::Message(line.as_bytes().to_vec())
}

#[test]
fn carriage_returns_and_byte_order_marks_do_not_reach_the_parser() {
    let bytes = "\u{feff}{\"a\":1}\r\n{\"b\":2}\n\u{feff}{\"c\":3}".as_bytes();
    check(
        1000,
        bytes,
        &[text("{\"a\":1}"), text("{\"b\":2}"), text("{\"c\":3}")],
    );
}

#[test]
fn blank_lines_are_counted_not_delivered() {
    let bytes = b"\n\r\n  \t\n{}\n\n\xef\xbb\xbf\r\n";
    check(1000, bytes, &[text("{}")]);
    assert_eq!(split(1000, [&bytes[..]]).1, 5);
}

#[test]
fn a_line_over_the_cap_costs_only_itself() {
    let bytes = b"12345\n123456\n1234567890123\n1\n12345678";
    let long = |bytes| Line::TooLong {
        bytes,
        request: None,
    };
    check(
        5,
        bytes,
        &[text("12345"), long(6), long(13), text("1"), long(8)],
    );
}

#[test]
fn a_line_over_the_cap_is_not_collected_while_it_goes_on() {
    let mut splitter = LineSplitter::new(1000);
    let piece = vec![b'x'; 10_000];
    for _ in 0..10_000 {
        splitter.push(&piece);
        assert_eq!(splitter.next_line(), None);
    }
    splitter.push(b"\nnext\n");
    assert_eq!(
        splitter.next_line(),
        Some(Line::TooLong {
            bytes: 100_000_000,
            request: None
        })
    );
    assert_eq!(splitter.next_line(), Some(text("next")));
}

#[test]
fn a_request_over_the_cap_is_told_by_its_id_and_leaves_no_trace_in_the_next_line() {
    let filler = "x".repeat(200);
    let (request, none) = (
        format!(r#"{{"id":"r","method":"m","params":["{filler}"]}}"#),
        format!(r#"{{"method":"m","params":["{filler}"]}}"#),
    );
    let id = RawValue::from_string("\"r\"".to_owned()).expect("JSON");
    let id = RequestId::from_raw(&id).expect("an id");
    let long = |line: &str, request: Option<&RequestId>| Line::TooLong {
        bytes: line.len() as u64,
        request: request.cloned(),
    };
    let stream = format!("{request}\n{none}\n{{}}\n{request}");
    check(
        100,
        stream.as_bytes(),
        &[
            long(&request, Some(&id)),
            long(&none, None),
            text("{}"),
            long(&request, Some(&id)),
        ],
    );
}

#[test]
fn a_line_of_20_megabytes_arrives_whole_between_its_neighbours() {
    let mut bytes = b"before\n".to_vec();
    bytes.extend(std::iter::repeat_n(b'y', 20_000_000));
    bytes.extend(b"\r\nafter\n");
    let (lines, _) = split(64 << 20, bytes.chunks(64 * 1024));
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], text("before"));
    assert!(matches!(&lines[1], Line::Message(line) if line.len() == 20_000_000));
    assert_eq!(lines[2], text("after"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_split_of_any_stream_gives_the_same_lines(
        lines in proptest::collection::vec("[ -~é漢]{0,12}", 0..8),
        ending in proptest::sample::select(vec!["\n", "\r\n"]),
        cuts in proptest::collection::vec(0_usize..120, 0..12),
        cap in 1_usize..20,
    ) {
        let stream = lines.iter().map(|line| format!("{line}{ending}")).collect::<String>().into_bytes();
        let mut cuts = cuts.into_iter().map(|cut| cut.min(stream.len())).collect::<Vec<_>>();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for cut in cuts {
            pieces.push(&stream[from..cut]);
            from = cut;
        }
        pieces.push(&stream[from..]);

        let (found, blank) = split(cap, pieces);

        let mut n_blank = 0;
        let mut expected = Vec::new();
        for line in &lines {
            let bytes = line.len() + ending.len() - 1;
            if bytes > cap {
                expected.push(Line::TooLong { bytes: bytes as u64, request: None });
            } else if line.trim().is_empty() {
                n_blank += 1;
            } else {
                expected.push(text(line));
            }
        }
        prop_assert_eq!(found, expected);
        prop_assert_eq!(blank, n_blank);
    }
}
