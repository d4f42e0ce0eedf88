//! The person in front of an IDE, as tools ask them: each question is a request to it.

use std::sync::Arc;

use siderail_engine::host::{DocumentReply, DocumentRequest, HostReply, ToolErrorCode};
use siderail_tools::CancelFlag;
use siderail_workspace::Project;
use siderail_workspace::questions::{Answer, Question, Questioner};

use super::asking::Asking;
use super::ide_files::unfit;

pub(super) struct IdePerson(pub(super) Arc<Asking>);

impl Questioner for IdePerson {
    fn ask(&self, question: &Question, cancel: &CancelFlag) -> Answer {
        let request = DocumentRequest::AskPerson {
            kind: question.kind,
            text: question.text.clone(),
            options: question.options.clone(),
            default: question.default.clone(),
            required: question.required,
        };
        let project = Project {
            folder: &question.project,
            roots: &question.roots,
        };
        let of = (question.session, project);
        match self.0.ask_for(of, cancel, request) {
            Ok(HostReply::Documents(DocumentReply::Answered { text })) => Answer::Given(text),
            Ok(HostReply::Documents(DocumentReply::Declined { why })) => Answer::Declined(why),
            Ok(other) => Answer::NotShown(unfit(&other).text),
            Err(failure) => match failure.code {
                ToolErrorCode::Cancelled | ToolErrorCode::ProjectDisposed => Answer::Cancelled,
                // It shows no questions.
                ToolErrorCode::NotApplicable => Answer::NobodyThere,
                _ => Answer::NotShown(failure.text),
            },
        }
    }
}
