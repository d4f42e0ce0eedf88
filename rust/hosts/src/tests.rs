//! Starting a call never waits for the disk, and calls on one file keep their order all the same.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use siderail_workspace::confine::Confined;
use siderail_workspace::primitives::{
    Applied, NewText, NotApplied, Primitives, Target, Text as FileText,
};

use super::*;

const LIMIT: Duration = Duration::from_secs(30);
/// Long enough for a call that should be waiting to show that it is not.
const MOMENT: Duration = Duration::from_millis(300);

/// A disk on which every file is new, and that gives no answer about `link.txt`, which is another name of `a.txt`, before
/// it is let go. It tells when it is asked and what is written.
struct SlowDisk {
    told: Mutex<Sender<String>>,
    let_go: Mutex<Receiver<()>>,
}

impl SlowDisk {
    fn tell(&self, text: String) {
        self.told.lock().send(text).expect("the test listens");
    }
}

impl Primitives for SlowDisk {
    fn led_to(&self, project: Project<'_>, given: &str) -> Vec<PathBuf> {
        if given != "link.txt" {
            return vec![project.folder.join(given)];
        }
        self.tell("asked".to_owned());
        // A test that fails lets go by ending.
        let _ = self.let_go.lock().recv();
        vec![
            project.folder.join("link.txt"),
            project.folder.join("a.txt"),
        ]
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
        self.tell(new.text.clone());
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
    let_go: Sender<()>,
    told: Receiver<String>,
    answers: Receiver<(u64, HostReply)>,
    folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let (told_in, told) = channel();
        let (let_go, held) = channel();
        let (answer, answers) = channel();
        let disk = SlowDisk {
            told: Mutex::new(told_in),
            let_go: Mutex::new(held),
        };
        let host = FsHost::over(Arc::new(disk), Arc::new(NobodyToAsk), move |call, reply| {
            // Answers after the end of a test have nobody to read them.
            let _ = answer.send((call, reply));
        });
        Self {
            host,
            let_go,
            told,
            answers,
            folder: tempfile::tempdir().expect("a folder can be made"),
        }
    }

    fn project(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        folder.canonicalize().expect("it is there")
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

    fn told(&self) -> String {
        self.told.recv_timeout(LIMIT).expect("something is told")
    }

    fn answered(&self) -> u64 {
        self.answers.recv_timeout(LIMIT).expect("an answer").0
    }
}

#[test]
fn a_lookup_that_hangs_holds_neither_the_caller_nor_other_projects() {
    let stage = Stage::new();
    let (here, elsewhere) = (stage.project("here"), stage.project("elsewhere"));
    // Returns, or the test would stand still here.
    stage.write(1, &here, "link.txt");
    assert_eq!(stage.told(), "asked");
    stage.write(2, &elsewhere, "b.txt");
    assert_eq!((stage.told(), stage.answered()), ("2".to_owned(), 2));
    stage.start(3, &here, HostRequest::SaveDocuments);
    assert_eq!(stage.answered(), 3);
    stage.let_go.send(()).expect("it waits");
    assert_eq!((stage.told(), stage.answered()), ("1".to_owned(), 1));
}

#[test]
fn writes_of_one_file_keep_their_order_while_the_lookup_of_the_first_is_slow() {
    let stage = Stage::new();
    let here = stage.project("here");
    stage.write(1, &here, "link.txt");
    assert_eq!(stage.told(), "asked");
    stage.write(2, &here, "a.txt");
    let path = here.join("a.txt");
    let (content, exact) = ("3".to_owned(), false);
    let request = HostRequest::WriteText {
        path,
        content,
        exact,
    };
    stage.start(3, &here, request);
    let early = stage.told.recv_timeout(MOMENT);
    assert!(early.is_err(), "the first is not done: {early:?}");
    stage.let_go.send(()).expect("it waits");
    assert_eq!([stage.told(), stage.told(), stage.told()], ["1", "2", "3"]);
}

#[test]
fn a_call_that_waits_for_a_lookup_that_hangs_is_answered_when_it_is_cancelled() {
    let stage = Stage::new();
    let here = stage.project("here");
    stage.write(1, &here, "link.txt");
    assert_eq!(stage.told(), "asked");
    stage.write(2, &here, "a.txt");
    assert!(stage.host.cancel(2));
    match stage.answers.recv_timeout(LIMIT).expect("an answer") {
        (2, HostReply::Failed(failure)) => assert_eq!(failure.code, ToolErrorCode::Cancelled),
        other => panic!("{other:?}"),
    }
}
