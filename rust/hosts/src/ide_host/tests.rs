//! What is cancelled while the IDE has it, and what it gets of paths.

use std::path::{Component, Path};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use siderail_engine::guard::tool::Tool;
use siderail_engine::host::{
    DocumentReply, DocumentRequest, ToolErrorCode, ToolFailure, WrittenText,
};

use super::*;

const LIMIT: Duration = Duration::from_secs(30);
const WRITE: u64 = 7;

#[derive(Debug)]
enum Told {
    Start(HostCall),
    Cancel(u64),
    Answer(u64, HostReply),
}

/// Tells what it is asked. A write, or a call of a tool of its own, comes to it only once it is let go.
struct Notes {
    told: Mutex<Sender<Told>>,
    slow: Mutex<Option<Receiver<()>>>,
}

impl Notes {
    fn tell(&self, told: Told) {
        if let Told::Start(call) = &told {
            // As it crosses the boundary.
            serde_json::to_vec(call).expect("a call is text, numbers and lists");
        }
        self.told.lock().send(told).expect("the test listens");
    }
}

impl Ide for Notes {
    fn start(&self, call: HostCall) {
        let is_slow = matches!(
            call.request,
            HostRequest::Documents(DocumentRequest::ApplyText { .. }) | HostRequest::Tool { .. }
        );
        if let Some(slow) = self.slow.lock().take_if(|_| is_slow) {
            self.tell(Told::Answer(0, HostReply::Done));
            slow.recv_timeout(LIMIT).expect("the test lets go");
        }
        self.tell(Told::Start(call));
    }

    fn cancel(&self, call: u64) {
        self.tell(Told::Cancel(call));
    }
}

struct Stage {
    host: IdeHost,
    told: Receiver<Told>,
    /// Keeps the project.
    _folder: tempfile::TempDir,
}

impl Stage {
    /// A host that has been told to write a file that is not there.
    fn writing(slow: Option<Receiver<()>>) -> Self {
        Self::calling(
            Tool::WriteFile,
            json!({"path": "a.txt", "content": "new"}),
            slow,
        )
    }

    /// A host that has been told to perform a call, in a project with one file.
    fn calling(tool: Tool, arguments: Value, slow: Option<Receiver<()>>) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::create_dir(folder.path().join("src")).expect("a folder can be made");
        std::fs::write(folder.path().join("src/App.java"), "class App {}").expect("a file");
        Self::within(folder, tool, arguments, slow)
    }

    fn within(
        folder: tempfile::TempDir,
        tool: Tool,
        arguments: Value,
        slow: Option<Receiver<()>>,
    ) -> Self {
        let (sender, told) = channel();
        let ide = Arc::new(Notes {
            told: Mutex::new(sender),
            slow: Mutex::new(slow),
        });
        let answers = Arc::clone(&ide);
        let host = IdeHost::new(ide, move |call, reply| {
            answers.tell(Told::Answer(call, reply))
        });
        host.start(HostCall {
            call: WRITE,
            session: 1,
            project: folder.path().canonicalize().expect("it is there"),
            roots: Vec::new(),
            request: HostRequest::Tool { tool, arguments },
        });
        Self {
            host,
            told,
            _folder: folder,
        }
    }

    fn next(&self) -> Told {
        self.told.recv_timeout(LIMIT).expect("something is told")
    }

    /// The number under which the IDE has the write.
    fn write(&self) -> u64 {
        loop {
            match self.next() {
                Told::Start(call) => {
                    if let HostRequest::Documents(DocumentRequest::ApplyText { .. }) = call.request
                    {
                        return call.call;
                    }
                    let texts = Vec::new();
                    let none = HostReply::Documents(DocumentReply::Unsaved { texts });
                    self.host.complete(call.call, none);
                }
                told => panic!("{told:?}"),
            }
        }
    }
}

fn written() -> HostReply {
    HostReply::Documents(DocumentReply::Applied(WrittenText {
        text: "new".to_owned(),
        stamp: 1,
        saved: true,
        unlinked: None,
        notes: Vec::new(),
        problems: Vec::new(),
    }))
}

#[test]
fn a_write_that_is_cancelled_is_answered_by_what_became_of_it() {
    let stage = Stage::writing(None);
    let number = stage.write();
    stage.host.cancel(WRITE);
    assert!(matches!(stage.next(), Told::Cancel(n) if n == number));
    let early = stage.told.recv_timeout(Duration::from_millis(300));
    assert!(early.is_err(), "nobody knows yet: {early:?}");
    stage.host.complete(number, written());
    let answer = stage.next();
    assert!(
        matches!(&answer, Told::Answer(WRITE, HostReply::Tool(_))),
        "it has landed: {answer:?}"
    );

    let stage = Stage::writing(None);
    let number = stage.write();
    stage.host.cancel(WRITE);
    assert!(matches!(stage.next(), Told::Cancel(_)));
    let taken_back = siderail_workspace::failure::cancelled();
    stage.host.complete(number, HostReply::Failed(taken_back));
    match stage.next() {
        Told::Answer(WRITE, HostReply::Failed(failure)) => {
            assert_eq!(failure.code, ToolErrorCode::Cancelled);
        }
        told => panic!("{told:?}"),
    }
}

#[test]
fn a_write_is_not_taken_back_before_the_ide_has_it() {
    let (let_go, slow) = channel();
    let stage = Stage::writing(Some(slow));
    assert!(
        matches!(stage.next(), Told::Answer(0, _)),
        "it is on its way"
    );
    stage.host.cancel(WRITE);
    let early = stage.told.recv_timeout(Duration::from_millis(300));
    assert!(early.is_err(), "{early:?}");
    let_go.send(()).expect("it waits");
    let number = stage.write();
    assert!(matches!(stage.next(), Told::Cancel(n) if n == number));
    stage.host.complete(number, written());
    assert!(matches!(stage.next(), Told::Answer(WRITE, _)));
}

#[test]
fn the_ide_gets_paths_as_they_truly_are() {
    let arguments = json!({"path": "src/../src/App.java", "max_depth": 2});
    let stage = Stage::calling(Tool::GetFileOutline, arguments, None);
    let Told::Start(call) = stage.next() else {
        panic!("the IDE is asked");
    };
    let HostRequest::Tool { arguments, .. } = call.request else {
        panic!("{call:?}");
    };
    let path = Path::new(arguments["path"].as_str().expect("a text"));
    assert!(path.is_absolute() && path.is_file(), "{path:?}");
    assert!(
        path.ends_with("src/App.java")
            && path.components().all(|step| step != Component::ParentDir)
    );
    assert_eq!(arguments["max_depth"], 2);
    stage.host.complete(WRITE, HostReply::Done);
    assert!(matches!(stage.next(), Told::Answer(WRITE, HostReply::Done)));
}

#[test]
fn a_path_that_names_nothing_is_answered_without_the_ide() {
    for (path, code, says) in [
        (
            "src/Ap.java",
            ToolErrorCode::FileNotFound,
            "nearest: src/App.java",
        ),
        ("../src", ToolErrorCode::OutsideProject, "outside"),
    ] {
        let stage = Stage::calling(Tool::GetProblems, json!({"path": path}), None);
        match stage.next() {
            Told::Answer(WRITE, HostReply::Failed(failure)) => {
                assert_eq!(failure.code, code);
                assert!(failure.text.contains(says), "{}", failure.text);
            }
            told => panic!("{told:?}"),
        }
    }
}

#[test]
fn a_call_that_is_cancelled_on_its_way_to_the_ide_is_cancelled_there() {
    let (let_go, slow) = channel();
    let arguments = json!({"path": "src"});
    let stage = Stage::calling(Tool::GetProblems, arguments, Some(slow));
    assert!(matches!(stage.next(), Told::Answer(0, _)), "on its way");
    stage.host.cancel(WRITE);
    let_go.send(()).expect("it waits");
    assert!(matches!(stage.next(), Told::Start(call) if call.call == WRITE));
    assert!(matches!(stage.next(), Told::Cancel(WRITE)));
}

/// A question of an agent; the number under which the IDE has it, and its text.
fn question(stage: &Stage) -> (u64, String) {
    match stage.next() {
        Told::Start(HostCall {
            call,
            session: 1,
            request: HostRequest::Documents(DocumentRequest::AskPerson { text, .. }),
            ..
        }) => (call, text),
        told => panic!("{told:?}"),
    }
}

#[test]
fn a_question_is_the_ides_to_show_and_its_answer_is_the_tools() {
    let arguments = json!({"question_type": "file_selection", "question": "Which?"});
    let stage = Stage::calling(Tool::AskUser, arguments, None);
    let answered = |text: &str| {
        HostReply::Documents(DocumentReply::Answered {
            text: text.to_owned(),
        })
    };
    let (number, text) = question(&stage);
    assert_eq!(text, "Which?");
    stage.host.complete(number, answered("src/Ap.java"));
    let (number, text) = question(&stage);
    assert!(
        text.starts_with("Which?\n(") && text.contains("src/App.java"),
        "what there is: {text}"
    );
    stage.host.complete(number, answered("src/App.java"));
    match stage.next() {
        Told::Answer(WRITE, HostReply::Tool(outcome)) => {
            assert_eq!(outcome.text, "The user answered: src/App.java\n");
        }
        told => panic!("{told:?}"),
    }
}

#[test]
fn a_question_of_a_cancelled_call_is_taken_off_the_ides_desk() {
    let arguments = json!({"question_type": "input", "question": "Port?"});
    let stage = Stage::calling(Tool::AskUser, arguments, None);
    let (number, _) = question(&stage);
    stage.host.cancel(WRITE);
    let mut told = [stage.next(), stage.next()];
    told.sort_by_key(|told| matches!(told, Told::Answer(..)));
    assert!(
        matches!(&told, [Told::Cancel(n), Told::Answer(WRITE, HostReply::Failed(failure))]
            if *n == number && failure.code == ToolErrorCode::Cancelled),
        "{told:?}"
    );
}

#[test]
fn an_ide_that_shows_no_questions_has_nobody_to_ask() {
    let arguments = json!({"question_type": "input", "question": "Port?"});
    for (code, says) in [
        (ToolErrorCode::NotApplicable, "nobody can answer questions"),
        (ToolErrorCode::Timeout, "not answered: it is closing"),
        (ToolErrorCode::ProjectDisposed, "cancelled"),
    ] {
        let stage = Stage::calling(Tool::AskUser, arguments.clone(), None);
        let (number, _) = question(&stage);
        let failure = ToolFailure::new(code, "it is closing");
        stage.host.complete(number, HostReply::Failed(failure));
        match stage.next() {
            Told::Answer(WRITE, HostReply::Failed(failure)) => {
                assert!(failure.text.contains(says), "{}", failure.text);
            }
            told => panic!("{told:?}"),
        }
    }
}

/// A project whose names are no text, which Linux has.
#[cfg(target_os = "linux")]
fn unnamed() -> tempfile::TempDir {
    use std::os::unix::ffi::OsStrExt as _;

    let folder = tempfile::tempdir().expect("a folder can be made");
    let inner = folder.path().join(std::ffi::OsStr::from_bytes(b"in\xff"));
    std::fs::create_dir(&inner).expect("a folder can be made");
    std::fs::write(inner.join("a.java"), "class Needle {}").expect("a file");
    folder
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_is_answered_without_the_ide() {
    let path = "\"in\\377/a.java\"";
    for tool in [Tool::GetProblems, Tool::ReadFile, Tool::DeleteFile] {
        let stage = Stage::within(unnamed(), tool, json!({"path": path}), None);
        match stage.next() {
            Told::Answer(WRITE, HostReply::Failed(failure)) => {
                assert_eq!(failure.code, ToolErrorCode::NotApplicable, "{failure:?}");
            }
            told => panic!("{told:?}"),
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_whose_name_is_no_text_is_searched_and_the_ide_is_not_asked_about_it() {
    let stage = Stage::within(
        unnamed(),
        Tool::SearchText,
        json!({"query": "Needle"}),
        None,
    );
    loop {
        let (number, reply) = match stage.next() {
            Told::Start(call) => match call.request {
                HostRequest::Documents(DocumentRequest::UnsavedTexts { .. }) => {
                    (call.call, DocumentReply::Unsaved { texts: Vec::new() })
                }
                HostRequest::Documents(DocumentRequest::LeftOut { folders: asked }) => {
                    assert!(asked.iter().all(|folder| folder.to_str().is_some()));
                    let folders = Vec::new();
                    (call.call, DocumentReply::LeftOut { folders })
                }
                other => panic!("{other:?}"),
            },
            Told::Answer(WRITE, HostReply::Tool(found)) => {
                assert!(found.text.contains("a.java"), "{}", found.text);
                return;
            }
            told => panic!("{told:?}"),
        };
        stage.host.complete(number, HostReply::Documents(reply));
    }
}
