//! One request about documents of each kind, and one answer.

use siderail_engine::host::{
    DocumentReply, DocumentRequest, OpenDocument, Piece, TidyHow, TidyWish, UnsavedText,
    WrittenText,
};
use siderail_hosts::{LineEnd, QuestionKind};

pub(crate) fn requests() -> impl Iterator<Item = DocumentRequest> {
    let path = std::path::PathBuf::from("/project/src/App.java");
    let piece = |start, end, text: &str| Piece {
        start,
        end,
        text: text.to_owned(),
    };
    [
        DocumentRequest::ReadDocument { path: path.clone() },
        DocumentRequest::ApplyText {
            path: path.clone(),
            stamp: Some(12),
            text: None,
            steps: Some(vec![
                vec![piece(0, 5, "record"), piece(10, 11, "")],
                vec![piece(3, 3, "x")],
            ]),
            tidy: TidyWish {
                how: TidyHow::AsSet,
                imports: false,
                format: false,
                lines: None,
            },
            separate: false,
            other_names: vec!["/project/src/Other.java".into()],
            new_imports: vec!["import java.util.List;".to_owned()],
        },
        DocumentRequest::PutLineEnds {
            path: path.clone(),
            stamp: 13,
            text: "a\r\nb\n".to_owned(),
        },
        DocumentRequest::DeletePath { path: path.clone() },
        DocumentRequest::MovePath {
            path,
            to: "/project/src/Main.java".into(),
            overwrite: true,
        },
        DocumentRequest::UnsavedTexts {
            path: "/project/src".into(),
        },
        DocumentRequest::LeftOut {
            folders: vec!["/project/build".into(), "/project/src".into()],
        },
        DocumentRequest::AboutProject,
        DocumentRequest::AskPerson {
            kind: QuestionKind::Choice,
            text: "Which database?".to_owned(),
            options: vec!["PostgreSQL".to_owned(), "SQLite".to_owned()],
            default: Some("SQLite".to_owned()),
            required: false,
        },
    ]
    .into_iter()
}

pub(crate) fn name_of(request: &DocumentRequest) -> &'static str {
    match request {
        DocumentRequest::ReadDocument { .. } => "read_document",
        DocumentRequest::ApplyText { .. } => "apply_text",
        DocumentRequest::PutLineEnds { .. } => "put_line_ends",
        DocumentRequest::DeletePath { .. } => "delete_path",
        DocumentRequest::MovePath { .. } => "move_path",
        DocumentRequest::UnsavedTexts { .. } => "unsaved_texts",
        DocumentRequest::LeftOut { .. } => "left_out",
        DocumentRequest::AboutProject => "about_project",
        DocumentRequest::AskPerson { .. } => "ask_person",
    }
}

pub(crate) fn replies() -> impl Iterator<Item = DocumentReply> {
    [
        DocumentReply::Document(OpenDocument {
            text: "class App {}\n".to_owned(),
            stamp: 12,
            unsaved: true,
            conflict: false,
            charset: "UTF-8".to_owned(),
            byte_order_mark: false,
            line_separator: LineEnd::Crlf,
        }),
        DocumentReply::Applied(WrittenText {
            text: "record App {}\n".to_owned(),
            stamp: 13,
            saved: true,
            unlinked: Some("there is no room".to_owned()),
            notes: vec!["not formatted: it is too long".to_owned()],
            problems: vec!["1:1: a semicolon is missing".to_owned()],
        }),
        DocumentReply::Unsaved {
            texts: vec![UnsavedText {
                path: "/project/src/App.java".into(),
                text: "class App {}\n".to_owned(),
            }],
        },
        DocumentReply::LeftOut {
            folders: vec!["/project/build".into()],
        },
        DocumentReply::AboutProject {
            lines: vec!["IDE: IntelliJ IDEA 2025.3".to_owned()],
        },
        DocumentReply::Answered {
            text: "SQLite".to_owned(),
        },
        DocumentReply::Declined {
            why: "later".to_owned(),
        },
    ]
    .into_iter()
}

pub(crate) fn name_of_reply(reply: &DocumentReply) -> &'static str {
    match reply {
        DocumentReply::Document(_) => "document",
        DocumentReply::Applied(_) => "applied",
        DocumentReply::Unsaved { .. } => "unsaved",
        DocumentReply::LeftOut { .. } => "left_out",
        DocumentReply::AboutProject { .. } => "about_project",
        DocumentReply::Answered { .. } => "answered",
        DocumentReply::Declined { .. } => "declined",
    }
}
