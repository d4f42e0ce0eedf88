//! The file tools as plain blocking calls: one entry, their handlers, no threads.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::cancel::CancelFlag;
use crate::confine::written;
use crate::failure::cancelled;
use crate::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};
use parking_lot::Mutex;
use serde_json::Value;
pub use siderail_catalog::Tool;
use siderail_catalog::{Patience, Runner};

use crate::arguments::Arguments;
pub use crate::call::Progress;
use crate::call::{Call, Handler};
use crate::claims::{Claim, Claims};
use crate::open_texts::OpenTexts;
use crate::place::{Place, Project};
use crate::primitives::{Disk, Primitives, Tidy};
use crate::questions::Questioner;
use crate::questions::Questions;
use crate::recent::RecentTexts;
use crate::write::{Asked, Change};
use crate::{listing, project_info, read, relocate, search, write};

/// What performs the tools, by theme.
const HANDLERS: [&[Handler]; 7] = [
    read::HANDLERS,
    write::HANDLERS,
    listing::HANDLERS,
    search::HANDLERS,
    relocate::HANDLERS,
    project_info::HANDLERS,
    &[Handler {
        tool: Tool::AskUser,
        ordered_by: &[],
        run: |call, arguments| {
            let questions = call.questions;
            questions.ask(call.place, call.session, arguments, call.cancel)
        },
    }],
];

// Every tool that the catalog has run here is performed, and no other.
const _: () = {
    let mut at = 0;
    while at < Tool::ALL.len() {
        let tool = Tool::ALL[at];
        let runs_here = matches!(tool.runner(), Runner::Files | Runner::Documents);
        assert!(n_handlers(tool) == runs_here as usize);
        at += 1;
    }
};

const fn n_handlers(tool: Tool) -> usize {
    let (mut n_found, mut theme) = (0, 0);
    while theme < HANDLERS.len() {
        let mut at = 0;
        while at < HANDLERS[theme].len() {
            n_found += (HANDLERS[theme][at].tool as usize == tool as usize) as usize;
            at += 1;
        }
        theme += 1;
    }
    n_found
}

/// The tools over the file system. Calls on one path are performed in the order of their claims.
pub struct FileTools {
    claims: Arc<Claims>,
    recent: RecentTexts,
    questions: Questions,
    primitives: Arc<dyn Primitives>,
    known_projects: Mutex<HashSet<PathBuf>>,
}

impl FileTools {
    /// Tools that have not been used yet. `questioner` shows an agent's questions.
    pub fn new(questioner: Arc<dyn Questioner>) -> Self {
        Self {
            claims: Arc::default(),
            recent: RecentTexts::default(),
            questions: Questions::new(questioner),
            primitives: Arc::new(Disk::default()),
            known_projects: Mutex::default(),
        }
    }

    /// The same where a program has files open.
    pub fn with_open_texts(self, open: Arc<dyn OpenTexts>) -> Self {
        self.over(Arc::new(Disk::under(open)))
    }

    /// The same over who else holds the texts.
    pub fn over(self, primitives: Arc<dyn Primitives>) -> Self {
        Self { primitives, ..self }
    }

    /// How long `ask_user` waits for a person before it says so; 45 s unless set.
    pub fn waiting_for_answers(self, wait: Duration) -> Self {
        Self {
            questions: self.questions.waiting(wait),
            ..self
        }
    }

    /// How long a question stays with the person when no call waits for it; ten minutes unless set.
    pub fn keeping_questions(self, kept: Duration) -> Self {
        Self {
            questions: self.questions.keeping(kept),
            ..self
        }
    }

    /// The tools over a disk.
    pub fn over_disk() -> impl Iterator<Item = Tool> {
        tools_over(false)
    }

    /// The tools over the documents of an IDE.
    pub fn over_documents() -> impl Iterator<Item = Tool> {
        tools_over(true)
    }

    /// Whether a tool waits for a person.
    pub fn may_wait(tool: Tool) -> bool {
        tool.patience() == Patience::Person
    }

    /// Runs a tool.
    pub fn run<'a>(
        &self,
        project: impl Into<Project<'a>>,
        tool: Tool,
        arguments: &Value,
        cancel: &CancelFlag,
        progress: &Progress<'_>,
    ) -> Result<ToolOutcome, ToolFailure> {
        let project = project.into();
        let claim = self.claim(project, tool, arguments);
        let place = self.wait(&claim, project, cancel)?;
        self.run_claimed(&place, 0, (tool, arguments), cancel, progress)
    }

    /// Text of a file for the agent of a session, from a line on (from 1), a number of lines.
    pub fn read_text(
        &self,
        place: &Place,
        session: u64,
        path: &Path,
        line: Option<u32>,
        limit: Option<u32>,
    ) -> Result<String, ToolFailure> {
        let confined = place.existing(&written(path))?;
        let cancel = CancelFlag::new();
        let call = self.call(place, session, (&cancel, &|_| {}));
        read::plain_text(&call, &confined, line, limit)
    }

    /// Replaces or creates a file for the agent of a session; answers a diff. Where it is `exact`, it is not tidied.
    pub fn write_text(
        &self,
        place: &Place,
        session: u64,
        path: &Path,
        (content, exact): (&str, bool),
        cancel: &CancelFlag,
    ) -> Result<Option<String>, ToolFailure> {
        let confined = place.inside(&written(path))?;
        let asked = Asked {
            change: Change::Content(content.into()),
            expected: None,
            tidy: match exact {
                true => Tidy::Not,
                false => Tidy::AsSet,
            },
        };
        let call = self.call(place, session, (cancel, &|_| {}));
        write::write(&call, &confined, &asked).map(|outcome| outcome.diff)
    }

    fn call<'a>(
        &'a self,
        place: &'a Place,
        session: u64,
        (cancel, progress): (&'a CancelFlag, &'a Progress<'a>),
    ) -> Call<'a> {
        Call {
            place,
            session,
            cancel,
            primitives: self.primitives.as_ref(),
            recent: &self.recent,
            questions: &self.questions,
            progress,
        }
    }

    /// Where a path leads that a model gave for something that is there: absolute and without links.
    ///
    /// # Errors
    /// It leads out of the project, or nothing is there; the text names what was probably meant.
    pub fn located(&self, project: Project<'_>, given: &str) -> Result<PathBuf, ToolFailure> {
        Ok(Place::new(project)?.existing(given)?.absolute)
    }

    /// A place in the queue for what a tool call touches. Looks at no disk; [`Self::wait`] does.
    pub fn claim(&self, project: Project<'_>, tool: Tool, arguments: &Value) -> Claim {
        self.claim_named(project, paths_of(tool, arguments))
    }

    /// A place in the queue for a file.
    pub fn claim_file(&self, project: Project<'_>, path: &Path) -> Claim {
        self.claim_named(project, vec![written(path)])
    }

    /// A place behind nothing, for what touches no file.
    pub fn claim_nothing(&self) -> Claim {
        self.claims.claim(Vec::new(), Vec::new())
    }

    fn claim_named(&self, project: Project<'_>, named: Vec<String>) -> Claim {
        let folders =
            std::iter::once(project.folder).chain(project.roots.iter().map(PathBuf::as_path));
        self.claims
            .claim(folders.map(Path::to_owned).collect(), named)
    }

    /// Looks up what a claim names, and gives the project when the turn of its call has come.
    ///
    /// # Errors
    /// The call was cancelled by then, its claim was withdrawn, or the project's folder is gone.
    pub fn wait(
        &self,
        claim: &Claim,
        project: Project<'_>,
        cancel: &CancelFlag,
    ) -> Result<Place, ToolFailure> {
        let place = Place::new(project)?;
        if !claim.named.is_empty() {
            let names = claim.named.iter();
            let paths = names.flat_map(|name| self.primitives.led_to(&place, name));
            if !claim.narrow(paths.collect()) {
                return Err(cancelled());
            }
        }
        match claim.wait(cancel) {
            true => Ok(place),
            false => Err(cancelled()),
        }
    }

    /// Whether no other call for that project came before.
    pub fn is_first_call(&self, project: &Path) -> bool {
        self.known_projects.lock().insert(project.to_owned())
    }

    /// Runs a tool whose turn has come, in the project that [`Self::wait`] gave. `session` is whose agent asks (0: none).
    pub fn run_claimed(
        &self,
        place: &Place,
        session: u64,
        (tool, arguments): (Tool, &Value),
        cancel: &CancelFlag,
        progress: &Progress<'_>,
    ) -> Result<ToolOutcome, ToolFailure> {
        // Not every tool looks at the flag, and its turn may have been long in coming.
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        let call = self.call(place, session, (cancel, progress));
        let has_documents = self.primitives.has_documents();
        match handler(tool).filter(|_| is_over(tool, has_documents)) {
            Some(handler) => (handler.run)(&call, Arguments::new(arguments)),
            None => {
                let place = match has_documents {
                    true => "here",
                    false => "without an IDE",
                };
                Err(ToolFailure::new(
                    ToolErrorCode::NotApplicable,
                    format!("{tool} is not available {place}"),
                ))
            }
        }
    }
}

fn tools_over(has_documents: bool) -> impl Iterator<Item = Tool> {
    Tool::all().filter(move |tool| is_over(*tool, has_documents))
}

/// What performs a tool.
fn handler(tool: Tool) -> Option<&'static Handler> {
    let mut all = HANDLERS.into_iter().flatten();
    all.find(|handler| handler.tool == tool)
}

fn is_over(tool: Tool, has_documents: bool) -> bool {
    match tool.runner() {
        Runner::Files => true,
        Runner::Documents => has_documents,
        Runner::Engine | Runner::Host | Runner::HostOnTrial => false,
    }
}

/// The paths whose order matters to a tool call, as it has them. Searches and lists see a project that others work on.
fn paths_of(tool: Tool, arguments: &Value) -> Vec<String> {
    let members = handler(tool).map_or(&[][..], |handler| handler.ordered_by);
    let named = members
        .iter()
        .filter_map(|member| arguments.get(member)?.as_str());
    named.map(str::to_owned).collect()
}
