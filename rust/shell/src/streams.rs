//! What becomes of streams behind branches and tools.

use super::ir::{Collected, Origin, Stream, Text, UNKNOWN, UNKNOWN_TEXT};

/// What one of two runs of the same statement prints.
pub(super) fn one_of(one: Stream, other: Stream) -> Stream {
    let same = match (&one, &other) {
        (Stream::Empty, Stream::Empty) | (Stream::Inherited, _) => true,
        (Stream::Text(one), Stream::Text(other)) => {
            one.text[..] == other.text[..] && one.unknown == other.unknown
        }
        (Stream::File(one), Stream::File(other)) => one.path == other.path,
        _ => false,
    };
    if same {
        return one;
    }
    let mut output = Collected::default();
    output.add(&uncertain(one));
    output.add(&uncertain(other));
    output.finish()
}

/// Output that may come once, often or never.
pub(super) fn uncertain(output: Stream) -> Stream {
    match output {
        Stream::Text(mut text) => {
            text.unknown = text.unknown.max(Some(Origin::Variable));
            if !text.text.contains(UNKNOWN) {
                text.text = format!("{}{}", &*text.text, UNKNOWN).into();
            }
            Stream::Text(text)
        }
        other => other,
    }
}

/// What a stream of unknown but traceable text looks like behind a tool.
pub(super) fn filtered(origin: Option<Origin>, supplied: bool) -> Stream {
    // Text is no longer constant once a tool has changed it.
    let unknown = Some(origin.unwrap_or(Origin::Program).max(Origin::Program));
    let unknown = match origin {
        Some(Origin::Elsewhere) => Some(Origin::Elsewhere),
        _ => unknown,
    };
    Stream::Text(Text {
        supplied,
        ..Text::new(UNKNOWN_TEXT, unknown)
    })
}

/// Text that the line supplies and no file or program.
pub(super) fn is_own_text(stream: &Stream) -> bool {
    stream.is_supplied()
        && !matches!(
            stream.origin(),
            Some(Origin::ProjectFile | Origin::Elsewhere)
        )
}
