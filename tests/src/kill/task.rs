//! What a run is at when somebody is killed. A work prepares the place, says how the client is started, and judges
//! what is left. It knows neither who is killed nor how.

use std::path::Path;

use super::scene::Victim;
use crate::place::Place;

/// How a client is started.
pub(super) struct Start {
    /// `run` or `chat`.
    pub(super) command: &'static str,
    /// Words of its own, after those that all have.
    pub(super) words: Vec<String>,
    /// What is typed; nothing for the empty text.
    pub(super) input: &'static str,
    /// The agent's script.
    pub(super) script: &'static str,
}

/// What a kill and the run after it have left.
pub(super) struct Left<'a> {
    pub(super) place: &'a Place,
    pub(super) program: &'a Path,
    pub(super) victim: Victim,
    /// The victim was still there.
    pub(super) hit: bool,
}

/// What a run is at.
pub(super) trait Work {
    /// Shapes of the agent in which this happens.
    fn shapes(&self) -> &'static [&'static str] {
        &siderail_testkit::shape::NAMES
    }

    /// Makes what has to be there. The program and the shape are for what another run has to make.
    fn prepare(&mut self, place: &Place, program: &Path, shape: &str) -> Result<(), String>;

    /// The run that is killed.
    fn busy(&self) -> Start;

    /// The run after it.
    fn next(&self) -> Start;

    /// True at the moment that is worth a kill.
    fn has_come(&self, place: &Place) -> bool;

    /// Judges what a kill has left; what is worth counting.
    fn killed(&mut self, left: &Left<'_>) -> Result<Option<&'static str>, String>;

    /// Judges what the next run has made of it.
    fn mended(&self, left: &Left<'_>) -> Result<(), String>;
}

/// A run with one prompt.
pub(super) fn prompted(script: &'static str) -> Start {
    Start {
        command: "run",
        words: vec!["go".to_owned()],
        input: "",
        script,
    }
}
