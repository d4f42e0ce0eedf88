//! Tools that print the text of files.

use crate::ir::{Arg, Origin, Stream, UNKNOWN_TEXT};
use crate::judge::Judge;
use crate::paths::Target;
use crate::program::{Call, Reading};
use crate::streams::{filtered, is_own_text};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::slice;

impl Judge<'_> {
    pub(super) fn reader(&mut self, reading: &Reading, call: Call<'_>) -> Stream {
        let options = call.options();
        let mut follows = reading.follows.iter();
        if follows.any(|(short, long)| options.has(short, long)) {
            return Stream::printed(Origin::Program);
        }
        let is_file = |arg: &&&Arg| !(reading.jumps && arg.text.starts_with('+'));
        let files = options.files().iter().filter(is_file).copied();
        let files = files.collect::<SmallVec<[&Arg; 4]>>();
        self.print_files(call, &files, reading.copies)
    }

    /// Judges a tool that prints its operands, or its input when it has none. `copies`: all of it, as it is.
    pub(crate) fn print_files(&mut self, call: Call<'_>, files: &[&Arg], copies: bool) -> Stream {
        let inputs: Vec<Stream> = match files {
            [] => vec![self.io.stdin.clone()],
            files => files.iter().map(|file| self.readable(file)).collect(),
        };
        let from_files = inputs.iter().any(|input| matches!(input, Stream::File(_)));
        let targets: Cow<'_, [Target]> = match inputs.as_slice() {
            [Stream::File(only)] => slice::from_ref(&**only).into(),
            inputs => inputs.iter().filter_map(as_target).collect(),
        };
        self.reads(call.text, &targets);
        if let (true, [only]) = (copies && !from_files, inputs.as_slice()) {
            return match only {
                // What a person types is text of the line as well.
                Stream::Inherited => Stream::supplied(UNKNOWN_TEXT, Some(Origin::Variable)),
                // Nothing that is copied is still what a file then holds.
                Stream::Empty => Stream::supplied("", None),
                other => other.clone(),
            };
        }
        let saved: Vec<Stream> = match self.io.is_unread() {
            true => Vec::new(),
            false => targets
                .iter()
                .filter_map(|target| self.saved_at(&target.path))
                .collect(),
        };
        if let (true, [only]) = (copies && inputs.len() == 1, saved.as_slice()) {
            return only.clone();
        }
        let origin = inputs.iter().chain(&saved).filter_map(Stream::origin).max();
        let supplied = if copies {
            true
        } else {
            inputs.iter().all(is_own_text)
        };
        filtered(origin, supplied)
    }
}

pub(super) fn as_target(stream: &Stream) -> Option<Target> {
    match stream {
        Stream::File(target) => Some(target.as_ref().clone()),
        _ => None,
    }
}
