//! Recordings of traffic, as files: what a line of one contains, and how one is recognised.
//!
//! Knows neither who writes them nor what is shown of them.

use std::fs::{File, Metadata};
use std::io::BufReader;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::lines::{self, RawLine};

/// Bytes of the line by which a recording is known.
const FIRST_LINE: usize = 1 << 20;

/// One line of a recording.
#[derive(Deserialize)]
pub(crate) struct Recorded {
    /// Seconds since its start.
    pub(crate) t: Option<f64>,
    /// Which way it went.
    pub(crate) dir: String,
    /// The message, or what is noted.
    pub(crate) msg: Value,
}

/// What a file holds that a recording is to be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// There is nothing to be lost.
    Nothing,
    /// A recording.
    Recording,
    /// Something else.
    Other,
}

/// Looks into a file by its first line.
pub(crate) fn holds(file: &Path) -> Holds {
    let has_text = |data: Metadata| data.is_file() && data.len() > 0;
    if !std::fs::metadata(file).is_ok_and(has_text) {
        return Holds::Nothing;
    }
    let Ok(input) = File::open(file) else {
        return Holds::Other;
    };
    match lines::next(&mut BufReader::new(input), FIRST_LINE) {
        Ok(Some(RawLine::Bytes(line))) if serde_json::from_slice::<Recorded>(&line).is_ok() => {
            Holds::Recording
        }
        _ => Holds::Other,
    }
}
