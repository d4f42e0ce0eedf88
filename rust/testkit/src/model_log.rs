//! What the scripted model was shown, as JSON lines: the proof that guidance reached a model.
//!
//! One line per text: `{"session","turn","source","tool"?,"text"}`. `source` is one of `prompt`,
//! `instructions`, `tools`, `result`, `failure`, `rejected`, `hook`, `hidden`, `refused`,
//! `steering`. `turn` counts the prompts of the session from 1.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;

use serde_json::{Map, Value};

/// The log; without a file it keeps nothing.
#[derive(Debug, Default)]
pub(crate) struct ModelLog(Option<Mutex<File>>);

/// One text that the model was shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'a> {
    /// The ACP session id.
    pub(crate) session: &'a str,
    /// Number of the prompt in the session, from 1.
    pub(crate) turn: u64,
    /// Where the text came from; see the module's head.
    pub(crate) source: &'a str,
    /// The tool, by the name that the model calls it.
    pub(crate) tool: Option<&'a str>,
    /// The text.
    pub(crate) text: &'a str,
}

impl ModelLog {
    /// Appends to `path`.
    ///
    /// # Errors
    /// The file cannot be opened for appending.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self(Some(Mutex::new(file))))
    }

    /// Notes one text; a line is written in one call, so several agents may share a file.
    pub(crate) fn note(&self, shown: &Shown<'_>) {
        let Some(file) = &self.0 else { return };
        let mut line = Map::new();
        line.insert("session".into(), shown.session.into());
        line.insert("turn".into(), shown.turn.into());
        line.insert("source".into(), shown.source.into());
        if let Some(tool) = shown.tool {
            line.insert("tool".into(), tool.into());
        }
        line.insert("text".into(), shown.text.into());
        let line = format!("{}\n", Value::Object(line));
        let mut file = file
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Err(error) = file.write_all(line.as_bytes()) {
            eprintln!("scripted agent: model log not written: {error}");
        }
    }
}
