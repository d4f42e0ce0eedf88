//! Starting a call never waits for the disk, and calls on one file keep their order all the same.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use siderail_workspace::Place;
use siderail_workspace::confine::{Confined, Confinement};
use siderail_workspace::primitives::{
    Applied, NewText, NotApplied, Primitives, Target, Text as FileText,
};

use super::*;

const LIMIT: Duration = Duration::from_secs(30);
/// Long enough for a call that should be waiting to show that it is not.
const MOMENT: Duration = Duration::from_millis(300);

/// A disk on which every file is new. Looking up `link.txt`, which is another name of `a.txt`, blocks until the test
/// releases it. It reports such lookups and the texts that are written.
struct SlowDisk {
    events: Mutex<Sender<String>>,
    released: Mutex<Receiver<()>>,
}

impl SlowDisk {
    fn report(&self, event: &str) {
        // Events after the end of a test have nobody to read them.
        let _ = self.events.lock().send(event.to_owned());
    }
}

impl Primitives for SlowDisk {
    fn led_to(&self, place: &Place, given: &str) -> Vec<PathBuf> {
        if given != "link.txt" {
            return vec![place.root().join(given)];
        }
        self.report("asked");
        // A test that fails releases it by ending.
        let _ = self.released.lock().recv();
        vec![place.root().join("link.txt"), place.root().join("a.txt")]
    }

    fn text(&self, _: &Target<'_>) -> Result<FileText, ToolFailure> {
        Err(cancelled())
    }

    fn text_to_change(&self, _: &Target<'_>) -> Result<Option<FileText>, ToolFailure> {
        Ok(None)
    }

    fn apply(
        &self,
        _: &Target<'_>,
        _: Option<&FileText>,
        new: &NewText,
    ) -> Result<Applied, NotApplied> {
        self.report(&new.text);
        Ok(Applied {
            text: new.text.clone(),
            ..Applied::default()
        })
    }

    fn delete(&self, _: &Target<'_>) -> Result<(), ToolFailure> {
        Err(cancelled())
    }

    fn rename(&self, _: &Target<'_>, _: &Confined, _: bool) -> Result<(), ToolFailure> {
        Err(cancelled())
    }
}

struct Stage {
    host: FsHost,
    release: Sender<()>,
    events: Receiver<String>,
    answers: Receiver<(u64, HostReply)>,
    folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let (report, events) = channel();
        let (release, released) = channel();
        let (answer, answers) = channel();
        let disk = SlowDisk {
            events: Mutex::new(report),
            released: Mutex::new(released),
        };
        let host = FsHost::over(Arc::new(disk), Arc::new(NobodyToAsk), move |call, reply| {
            // Answers after the end of a test have nobody to read them.
            let _ = answer.send((call, reply));
        });
        Self {
            host,
            release,
            events,
            answers,
            folder: tempfile::tempdir().expect("a folder can be made"),
        }
    }

    fn project(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        // As the engine names it; on Windows a folder has two forms of its path.
        let project = Confinement::new(&folder).expect("it is there");
        project.root().to_owned()
    }

    fn start(&self, call: u64, project: &Path, request: HostRequest) {
        self.host.start(HostCall {
            call,
            session: 1,
            project: project.to_owned(),
            roots: Vec::new(),
            request,
        });
    }

    fn write(&self, call: u64, project: &Path, path: &str) {
        let arguments = json!({"path": path, "content": format!("{call}")});
        let tool = Tool::WriteFile;
        self.start(call, project, HostRequest::Tool { tool, arguments });
    }

    fn event(&self) -> String {
        self.events.recv_timeout(LIMIT).expect("an event")
    }

    fn no_event(&self) {
        let early = self.events.recv_timeout(MOMENT);
        assert!(early.is_err(), "nothing is done now: {early:?}");
    }

    fn answered(&self) -> u64 {
        self.answers.recv_timeout(LIMIT).expect("an answer").0
    }

    fn answered_as_cancelled(&self) -> u64 {
        match self.answers.recv_timeout(LIMIT).expect("an answer") {
            (call, HostReply::Failed(failure)) => {
                assert_eq!(failure.code, ToolErrorCode::Cancelled, "call {call}");
                call
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_lookup_that_hangs_holds_neither_the_caller_nor_other_projects() {
    let stage = Stage::new();
    let (here, elsewhere) = (stage.project("here"), stage.project("elsewhere"));
    // Returns, or the test would stand still here.
    stage.write(1, &here, "link.txt");
    assert_eq!(stage.event(), "asked");
    stage.write(2, &elsewhere, "b.txt");
    assert_eq!((stage.event(), stage.answered()), ("2".to_owned(), 2));
    stage.start(3, &here, HostRequest::SaveDocuments);
    assert_eq!(stage.answered(), 3);
    stage.release.send(()).expect("it waits");
    assert_eq!((stage.event(), stage.answered()), ("1".to_owned(), 1));
}

#[test]
fn writes_of_one_file_keep_their_order_while_the_lookup_of_the_first_is_slow() {
    let stage = Stage::new();
    let here = stage.project("here");
    stage.write(1, &here, "link.txt");
    assert_eq!(stage.event(), "asked");
    stage.write(2, &here, "a.txt");
    let path = here.join("a.txt");
    let (content, exact) = ("3".to_owned(), false);
    let request = HostRequest::WriteText {
        path,
        content,
        exact,
    };
    stage.start(3, &here, request);
    stage.no_event();
    stage.release.send(()).expect("it waits");
    assert_eq!(
        [stage.event(), stage.event(), stage.event()],
        ["1", "2", "3"]
    );
}

#[test]
fn a_call_that_waits_for_a_lookup_that_hangs_is_answered_when_it_is_cancelled() {
    let stage = Stage::new();
    let here = stage.project("here");
    stage.write(1, &here, "link.txt");
    assert_eq!(stage.event(), "asked");
    stage.write(2, &here, "a.txt");
    assert!(stage.host.cancel(2));
    assert_eq!(stage.answered_as_cancelled(), 2);
}

#[test]
fn a_call_whose_lookup_hangs_holds_no_other_once_it_is_cancelled() {
    let stage = Stage::new();
    let here = stage.project("here");
    stage.write(1, &here, "link.txt");
    assert_eq!(stage.event(), "asked");
    stage.write(2, &here, "a.txt");
    stage.no_event();
    assert!(stage.host.cancel(1));
    assert_eq!((stage.event(), stage.answered()), ("2".to_owned(), 2));
    stage.release.send(()).expect("it waits");
    assert_eq!(stage.answered_as_cancelled(), 1);
    stage.no_event();
}
