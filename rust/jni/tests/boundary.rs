//! Every message that crosses the boundary, as a file in `tests/boundary` that a Kotlin test reads, too.
//!
//! A message's file is what the engine's types write and read. `SIDERAIL_BLESS=1` writes the files anew; a kind of message
//! that is added to the engine does not compile, or fails here, until it has a file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use siderail_engine::command::{Attachment, Command, PermissionAnswer};
use siderail_engine::event::{self, Event, EventBody};
use siderail_engine::guard::Tool;
use siderail_engine::host::{
    FileBefore, HostCall, HostReply, HostRequest, TextChange, ToolErrorCode, ToolFailure,
    ToolOutcome,
};

#[path = "boundary/documents.rs"]
mod documents;
#[path = "boundary/events.rs"]
mod events;
#[path = "boundary/view.rs"]
mod view;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/boundary")
}

/// Compares a message with its file, in both directions.
fn check<T: Serialize + DeserializeOwned>(kind: &str, name: &str, message: &T) {
    let file = folder().join(format!("{kind}.{name}.json"));
    let written = serde_json::to_value(message).expect("it is JSON");
    if std::env::var_os("SIDERAIL_BLESS").is_some() {
        let text = serde_json::to_string_pretty(&written).expect("it is JSON");
        std::fs::create_dir_all(folder()).expect("a folder");
        std::fs::write(&file, text + "\n").expect("it can be written");
    }
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|e| panic!("{}: {e}; SIDERAIL_BLESS=1 writes it", file.display()));
    let said: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(said, written, "{}", file.display());
    let read: T = serde_json::from_str(&text).expect("the engine reads it");
    let again = serde_json::to_value(read).expect("it is JSON");
    assert_eq!(
        again,
        written,
        "{} is read as something else",
        file.display()
    );
}

#[test]
fn the_patches_of_a_conversation_have_a_file_that_the_window_reads() {
    let file = folder().join("view.patches.json");
    let mut written = String::new();
    siderail_view::json::write(&view::all(), &mut written);
    let written: Value = serde_json::from_str(&written).expect("it is JSON");
    if std::env::var_os("SIDERAIL_BLESS").is_some() {
        let text = serde_json::to_string_pretty(&written).expect("it is JSON");
        std::fs::write(&file, text + "\n").expect("it can be written");
    }
    let text = std::fs::read_to_string(&file).expect("the file; SIDERAIL_BLESS=1 writes it");
    let said: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(said, written, "{}", file.display());
}

/// Names of the files of a kind.
fn files(kind: &str) -> BTreeSet<String> {
    std::fs::read_dir(folder())
        .expect("the folder")
        .filter_map(|entry| entry.expect("an entry").file_name().into_string().ok())
        .filter_map(|name| {
            let name = name.strip_prefix(kind)?.strip_prefix('.')?;
            Some(name.strip_suffix(".json")?.to_owned())
        })
        .collect()
}

#[test]
fn every_event_has_a_file_that_says_what_the_engine_writes() {
    let mut names = BTreeSet::new();
    for (at, body) in events::all().into_iter().enumerate() {
        let event = Event {
            v: event::EVENT_VERSION,
            seq: at as u64 + 1,
            t: 1.25,
            session: 1,
            turn: 2,
            body,
        };
        let name = serde_json::to_value(&event).expect("JSON")["event"]
            .as_str()
            .expect("a name")
            .to_lowercase();
        check("event", &name, &event);
        names.insert(name);
    }
    assert_eq!(files("event"), names);
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/events.schema.json");
    let schema = std::fs::read_to_string(schema).expect("the schema");
    for name in &names {
        let quoted = format!("\"{}\"", name.to_uppercase());
        assert!(schema.contains(&quoted), "{quoted} is not in the schema");
    }
}

#[test]
fn every_command_has_a_file_that_the_engine_reads() {
    let session = 1;
    let mut commands: BTreeMap<&str, Command> = BTreeMap::from([
        (
            "prompt",
            Command::Prompt {
                session,
                text: "Change x to 2 in \"App\".\nThen é 🦀.".to_owned(),
                plan: false,
                blocks: Vec::new(),
                attachments: Vec::new(),
                meta: serde_json::Value::Null,
            },
        ),
        (
            "prompt.plan",
            Command::Prompt {
                session,
                text: "Change x to 2.".to_owned(),
                plan: true,
                blocks: Vec::new(),
                attachments: Vec::new(),
                meta: serde_json::Value::Null,
            },
        ),
        (
            "prompt.blocks",
            Command::Prompt {
                session,
                text: "What is this?".to_owned(),
                plan: false,
                blocks: vec![
                    json!({"type": "text", "text": "What is this?"}),
                    json!({"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}),
                ],
                attachments: Vec::new(),
                meta: json!({"from": "a client"}),
            },
        ),
        (
            "prompt.attachments",
            Command::Prompt {
                session,
                text: "What is this?".to_owned(),
                plan: false,
                blocks: Vec::new(),
                attachments: vec![
                    Attachment::File {
                        path: "/home/me/a b.png".into(),
                    },
                    Attachment::Text {
                        name: "src/App.java:3-4".to_owned(),
                        text: "int x;\nint y;".to_owned(),
                    },
                    Attachment::Diff {
                        name: "diff".to_owned(),
                        changes: vec![TextChange {
                            path: "src/App.java".to_owned(),
                            old_text: None,
                            new_text: Some("class App {}\n".to_owned()),
                        }],
                    },
                    Attachment::Image {
                        name: "image 1".to_owned(),
                        data: "iVBORw0KGgo=".to_owned(),
                    },
                ],
                meta: serde_json::Value::Null,
            },
        ),
        (
            "set_mode",
            Command::SetMode {
                session,
                mode: "plan".to_owned(),
            },
        ),
        (
            "set_option",
            Command::SetOption {
                session,
                option: "model".to_owned(),
                value: "b".to_owned(),
            },
        ),
        (
            "steer",
            Command::Steer {
                session,
                text: "And y, too.".to_owned(),
            },
        ),
        (
            "revert",
            Command::Revert {
                session,
                path: "src/App.java".to_owned(),
            },
        ),
        (
            "set_content_roots",
            Command::SetContentRoots {
                session,
                roots: vec!["/home/me/other".into()],
            },
        ),
        (
            "list_history",
            Command::ListHistory {
                session: 0,
                query: Some("flaky test".to_owned()),
            },
        ),
        (
            "export_history",
            Command::ExportHistory {
                conversation: "3f2a91c0".to_owned(),
            },
        ),
        ("list_agents", Command::ListAgents),
        (
            "login",
            Command::Login {
                session,
                method: Some("oauth".to_owned()),
                env: BTreeMap::new(),
            },
        ),
        (
            "login.env",
            Command::Login {
                session,
                method: Some("key".to_owned()),
                env: [("API_KEY".to_owned(), "k".to_owned())].into(),
            },
        ),
        (
            "login.elsewhere",
            Command::Login {
                session,
                method: None,
                env: BTreeMap::new(),
            },
        ),
        ("cancel", Command::Cancel { session }),
        (
            "end_session",
            Command::EndSession {
                session,
                why: Some(event::StopReason::Cancelled),
            },
        ),
        (
            "complete",
            Command::Complete {
                call: 7,
                reply: HostReply::Text {
                    text: "x".to_owned(),
                },
            },
        ),
        ("shutdown", Command::Shutdown),
    ]);
    for (name, answer) in [
        ("allow", PermissionAnswer::Allow),
        ("always", PermissionAnswer::Always),
        (
            "option",
            PermissionAnswer::Option {
                id: "allow_once".to_owned(),
            },
        ),
        (
            "deny",
            PermissionAnswer::Deny {
                reason: "not this file".to_owned(),
                nobody: false,
            },
        ),
    ] {
        let request_id = 3;
        let command = Command::AnswerPermission {
            session,
            request_id,
            answer,
        };
        commands.insert(name, command);
    }
    let mut names: BTreeSet<String> =
        BTreeSet::from(["start_session", "restart_session"].map(str::to_owned));
    for (name, command) in &commands {
        let name = match command {
            Command::AnswerPermission { .. } => format!("answer_permission.{name}"),
            // Read by a test beside its reader: what is absent there is as the settings say.
            Command::StartSession { .. } | Command::RestartSession { .. } => continue,
            Command::Prompt { .. }
            | Command::Steer { .. }
            | Command::Revert { .. }
            | Command::SetMode { .. }
            | Command::SetOption { .. }
            | Command::SetContentRoots { .. }
            | Command::ListHistory { .. }
            | Command::ExportHistory { .. }
            | Command::ListAgents
            | Command::Login { .. }
            | Command::Cancel { .. }
            | Command::Complete { .. }
            | Command::EndSession { .. }
            | Command::Shutdown => (*name).to_owned(),
        };
        check("command", &name, command);
        names.insert(name);
    }
    assert_eq!(files("command"), names);
}

#[test]
fn every_host_call_has_a_file_that_says_what_the_engine_writes() {
    let arguments = json!({"path": "src/App.java", "old_text": "1", "new_text": "2"});
    let requests = [
        HostRequest::Tool {
            tool: Tool::WriteFile,
            arguments,
        },
        HostRequest::ReadText {
            path: "/project/src/App.java".into(),
            line: Some(3),
            limit: None,
        },
        HostRequest::WriteText {
            path: "/project/src/App.java".into(),
            content: "class App {}\n".to_owned(),
            exact: true,
        },
        HostRequest::SaveDocuments,
        HostRequest::RefreshFiles {
            paths: Some(vec!["/project/build".into()]),
        },
        HostRequest::FinishTurn,
    ];
    let requests = requests
        .into_iter()
        .chain(documents::requests().map(HostRequest::Documents));
    let mut names = BTreeSet::new();
    for (at, request) in requests.enumerate() {
        let name = match &request {
            HostRequest::Tool { .. } => "tool",
            HostRequest::ReadText { .. } => "read_text",
            HostRequest::WriteText { .. } => "write_text",
            HostRequest::SaveDocuments => "save_documents",
            HostRequest::RefreshFiles { .. } => "refresh_files",
            HostRequest::FinishTurn => "finish_turn",
            HostRequest::Documents(request) => documents::name_of(request),
        };
        let call = HostCall {
            call: at as u64 + 7,
            session: 1,
            project: "/project".into(),
            roots: match name {
                "tool" => vec!["/home/me/other".into()],
                _ => Vec::new(),
            },
            request,
        };
        check("call", name, &call);
        names.insert(name.to_owned());
    }
    assert_eq!(files("call"), names);
}

fn before(text: Option<&str>, path: &str) -> FileBefore {
    FileBefore {
        path: path.to_owned(),
        existed: text.is_some(),
        text: text.map(str::to_owned),
    }
}

#[test]
fn every_reply_has_a_file_that_the_engine_reads() {
    let diff = Some("@@ -1 +1 @@\n-1\n+2\n".to_owned());
    let replies = [
        HostReply::Tool(ToolOutcome {
            text: "written, stamp 5".to_owned(),
            files_written: vec!["src/App.java".to_owned()],
            diff: diff.clone(),
            ..ToolOutcome::default()
        }),
        HostReply::Tool(ToolOutcome {
            text: "renamed App to Main in 2 files".to_owned(),
            files_written: vec!["src/App.java".to_owned(), "src/Main.java".to_owned()],
            diff: diff.clone(),
            before: vec![
                before(Some("class App {}\n"), "src/App.java"),
                before(None, "src/Main.java"),
            ],
            ..ToolOutcome::default()
        }),
        HostReply::Tool(ToolOutcome {
            text: "applied `Make it a record`\n".to_owned(),
            files_written: vec!["src/App.java".to_owned()],
            change: Some(TextChange {
                path: "src/App.java".to_owned(),
                old_text: Some("class App {}\n".to_owned()),
                new_text: Some("record App() {}\n".to_owned()),
            }),
            ..ToolOutcome::default()
        }),
        HostReply::Text {
            text: "class App {}\n".to_owned(),
        },
        HostReply::Written { diff },
        HostReply::Done,
        HostReply::Failed(ToolFailure {
            code: ToolErrorCode::FileNotFound,
            text: "there is no src/Ap.java; did you mean src/App.java?".to_owned(),
        }),
    ];
    let replies = replies
        .into_iter()
        .chain(documents::replies().map(HostReply::Documents));
    let mut names = BTreeSet::new();
    for reply in replies {
        let name = match &reply {
            HostReply::Tool(outcome) if !outcome.before.is_empty() => "tool.before",
            HostReply::Tool(outcome) if outcome.change.is_some() => "tool.change",
            HostReply::Tool(_) => "tool",
            HostReply::Text { .. } => "text",
            HostReply::Written { .. } => "written",
            HostReply::Done => "done",
            HostReply::Failed(_) => "failed",
            HostReply::Documents(reply) => documents::name_of_reply(reply),
        };
        check("reply", name, &reply);
        names.insert(name.to_owned());
    }
    assert_eq!(files("reply"), names);
}

/// Does not compile when a kind of event is added that [`events::all`] may lack.
#[expect(dead_code, reason = "its compilation is the test")]
fn each_kind(body: &EventBody) {
    use EventBody as E;
    match body {
        E::SessionStarted(_)
        | E::Hidden(_)
        | E::TurnStarted(_)
        | E::AgentMessage(_)
        | E::AgentThought(_)
        | E::ToolCall(_)
        | E::Plan(_)
        | E::SessionOptions(_)
        | E::Steered(_)
        | E::AgentCommands(_)
        | E::Restored(_)
        | E::Resumed(_)
        | E::Changes(_)
        | E::Reverted(_)
        | E::PlanningStarted(_)
        | E::PlanProposed(_)
        | E::PlanApproved(_)
        | E::PlanRejected(_)
        | E::PermissionRequest(_)
        | E::PreRejectionGuidance(_)
        | E::PermissionDenied(_)
        | E::PermissionApproved(_)
        | E::GuidanceReceipt(_)
        | E::GuidanceFollowed(_)
        | E::GuidanceIgnored(_)
        | E::AutoRetry(_)
        | E::RetryExhausted(_)
        | E::Nudge(_)
        | E::Escalation(_)
        | E::Unguarded(_)
        | E::OwnTool(_)
        | E::InactivityTimeout(_)
        | E::AgentLog(_)
        | E::TurnEnded(_)
        | E::Error(_)
        | E::Usage(_)
        | E::SessionTitle(_)
        | E::AgentNotice(_)
        | E::LoginNeeded(_)
        | E::History(_)
        | E::HistoryExported(_)
        | E::Agents(_)
        | E::Summary(_) => {}
    }
}
