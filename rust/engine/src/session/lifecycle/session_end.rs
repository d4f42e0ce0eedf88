//! The end of a session, wanted or not: what is said of it, and what its worker does on the disk ahead of the summary. It
//! knows no session.

use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;
use siderail_acp::process::Exit;
use siderail_acp::trace::TrafficLog;
use siderail_traffic::agent_end;

use crate::history::Written;
use crate::session::lifecycle::opening::remove_folder;
use crate::session::worker::Sight;

/// How long the end waits for files to be restored, and for the history to be written.
pub(in crate::session) const LAST: Duration = Duration::from_secs(10);

/// The last that is done on the disk.
pub(in crate::session) struct LastWork {
    /// The session's own folder; a new process of the session makes it anew.
    folder: PathBuf,
    trace: Option<TrafficLog>,
    written: Option<Mutex<Written>>,
}

impl LastWork {
    /// The session continues in a new process.
    pub(in crate::session) fn of_process(folder: PathBuf) -> Self {
        Self {
            folder,
            trace: None,
            written: None,
        }
    }

    /// It has ended for good. `written`: what waits for the history, where one is written. The recording is whole already,
    /// unless there was no process.
    pub(in crate::session) fn of_session(
        folder: PathBuf,
        trace: Option<TrafficLog>,
        written: Option<Written>,
    ) -> Self {
        Self {
            folder,
            trace,
            written: written.map(Mutex::new),
        }
    }

    /// Does it, unless the disk gives no answer.
    pub(in crate::session) fn done(&self, sight: Sight) {
        if sight == Sight::Blind {
            return;
        }
        remove_folder(&self.folder);
        if let Some(trace) = &self.trace {
            trace.finish();
        }
        if let Some(written) = &self.written {
            written.lock().wait(LAST);
        }
    }
}

/// What is said when the host's time is up, and what can be done. `spent`: since the start; the limit is the host's, and
/// began a little earlier. `waits_for`: who has not answered what.
pub(in crate::session) fn timed_out(spent: Duration, waits_for: &str) -> (String, String) {
    let text = format!(
        "the time limit of {} s passed: {waits_for}",
        spent.as_secs_f64().ceil().max(1.0)
    );
    (
        text,
        "raise the limit, or give it a smaller task".to_owned(),
    )
}

/// What is said of an agent that has gone by itself, and what can be done. `trace`: where its messages are recorded.
pub(in crate::session) fn left(
    exit: Option<Exit>,
    trace: Option<&Path>,
    is_starting: bool,
) -> (String, String) {
    let hint = match trace {
        Some(file) => format!("{} holds its last messages", file.display()),
        None if is_starting => "run its command yourself to see what it says".to_owned(),
        None => "try again; with --trace, the recording has its last messages".to_owned(),
    };
    (agent_end::left(exit), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;
    use siderail_acp::redact::Redaction;

    use crate::event::{EventBody, PromptOrigin, TurnStarted};
    use crate::history::{Archive, Recorder, Recording};

    /// More than is written in no time.
    const MANY: u32 = 500;

    #[test]
    fn an_agent_that_has_gone_is_told_with_what_helps_at_that_moment() {
        let exit = Exit {
            code: Some(7),
            signal: None,
        };
        let (how, hint) = left(Some(exit), Some(Path::new("/t.jsonl")), true);
        assert!(
            how.contains('7') && hint.starts_with("/t.jsonl holds"),
            "{how}: {hint}"
        );
        let (how, hint) = left(None, None, true);
        assert_eq!(how, "the agent closed its output");
        assert!(hint.contains("run its command yourself"));
        assert!(left(None, None, false).1.contains("--trace"));
    }

    #[test]
    fn a_time_limit_is_told_in_whole_seconds_and_never_as_none() {
        let told = |millis| timed_out(Duration::from_millis(millis), "nothing is pending").0;
        assert_eq!(
            told(1_200),
            "the time limit of 2 s passed: nothing is pending"
        );
        assert!(told(0).starts_with("the time limit of 1 s"));
    }

    #[test]
    fn the_sessions_folder_goes_unless_the_disk_gives_no_answer() {
        let parent = tempfile::tempdir().expect("a folder can be made");
        let folder = parent.path().join("s1");
        std::fs::create_dir(&folder).expect("a folder can be made");
        let work = LastWork::of_process(folder.clone());
        work.done(Sight::Blind);
        assert!(folder.exists());
        work.done(Sight::Clear);
        assert!(!folder.exists());
    }

    #[test]
    fn a_session_has_ended_once_its_history_and_its_recording_are_written() {
        let parent = tempfile::tempdir().expect("a folder can be made");
        let trace_file = parent.path().join("trace");
        let archive = Archive::of_project(parent.path(), parent.path());
        let mut recorder = Recorder::default();
        let recording = Recording {
            archive: archive.clone(),
            project: parent.path().to_owned(),
            agent: "agent".to_owned(),
            agent_session: "s".to_owned(),
            redaction: Redaction::default(),
            continues: None,
        };
        assert_eq!(recorder.begin(1, recording), None);
        for turn in 1..=MANY {
            let text = format!("prompt {turn} {}", "x".repeat(2_000));
            let origin = PromptOrigin::User;
            recorder.event(
                1,
                turn,
                &EventBody::TurnStarted(TurnStarted { origin, text }),
            );
        }
        let (written, _) = recorder.finish(1);
        let redaction = Redaction::default();
        let trace = TrafficLog::create(&trace_file, redaction, |error| panic!("{error}"));
        let trace = trace.expect("a recording");
        for n in 0..MANY {
            trace.note(json!({ "n": n, "text": "x".repeat(2_000) }));
        }
        let folder = parent.path().join("s1");
        std::fs::create_dir(&folder).expect("a folder can be made");
        let work = LastWork::of_session(folder.clone(), Some(trace), written);
        work.done(Sight::Blind);
        assert!(folder.exists(), "nobody may look");
        work.done(Sight::Clear);
        assert!(!folder.exists());
        let recorded = std::fs::read_to_string(&trace_file).expect("it is there");
        assert!(recorded.contains(&format!("\"n\":{}", MANY - 1)));
        let kept = archive.read("1").expect("it is kept");
        assert_eq!(kept.entries.len(), MANY as usize);
    }
}
