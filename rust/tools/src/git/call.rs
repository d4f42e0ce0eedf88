//! One call of a git tool: its arguments, the repository that it is about, and git run in it.

use std::ffi::OsString;
use std::pin::Pin;
use std::sync::Arc;

use siderail_guard::Tool;
use siderail_workspace::Place;
use siderail_workspace::arguments::Arguments;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::confine::Confined;
use siderail_workspace::outcome::ToolFailure;

use super::failures;
use super::operands;
use super::program::{Output, Program, Purpose};
use super::repository::Repository;
use crate::disk::on_disk;

/// What performs a tool.
pub(super) type Handler = (Tool, for<'a> fn(&'a Call<'a>) -> Answering<'a>);
/// The answer to come.
pub(super) type Answering<'a> =
    Pin<Box<dyn Future<Output = Result<String, ToolFailure>> + Send + 'a>>;

/// One call of a git tool.
pub(super) struct Call<'a> {
    pub(super) program: &'a Program,
    pub(super) cancel: &'a CancelFlag,
    pub(super) tool: Tool,
    pub(super) arguments: Arguments<'a>,
    pub(super) place: Arc<Place>,
}

impl Call<'_> {
    /// Runs git in a repository; the exit code is the caller's to judge.
    pub(super) async fn git<A: Into<OsString>>(
        &self,
        repository: &Repository,
        purpose: Purpose,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Output, ToolFailure> {
        let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
        self.program
            .run(&repository.folder, purpose, &args, self.cancel)
            .await
    }

    /// Runs a reading command that has to succeed.
    pub(super) async fn read<A: Into<OsString>>(
        &self,
        repository: &Repository,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Output, ToolFailure> {
        let output = self.git(repository, Purpose::Read, args).await?;
        match output.exit.is_success() {
            true => Ok(output),
            false => Err(failures::failed(&output, repository).await),
        }
    }

    /// The wanted page of a long answer.
    pub(super) fn paged(&self, text: &str) -> Result<String, ToolFailure> {
        let number = self.arguments.number("page", 1, u64::MAX)?.unwrap_or(1);
        crate::pages::page(text, number, self.tool, self.arguments.whole())
    }

    /// What `action` says, which has to be one of these words.
    pub(super) fn action<T>(
        &self,
        named: fn(&str) -> Option<T>,
        words: &[&str],
    ) -> Result<T, ToolFailure> {
        named(self.arguments.required_word("action")?).ok_or_else(|| {
            ToolFailure::invalid(format!("`action` must be one of {}", words.join(", ")))
        })
    }

    /// Paths inside the project, as they are given.
    pub(super) async fn paths(&self, given: &[&str]) -> Result<Vec<Confined>, ToolFailure> {
        if given.is_empty() {
            return Ok(Vec::new());
        }
        let given: Vec<String> = given.iter().map(|&given| given.to_owned()).collect();
        let place = Arc::clone(&self.place);
        on_disk(move || {
            given
                .iter()
                .map(|given| operands::path(&place, given))
                .collect()
        })
        .await
    }

    /// The repository that holds these paths; without paths that of the project.
    pub(super) async fn repository(&self, paths: &[Confined]) -> Result<Repository, ToolFailure> {
        // A hand-over to another thread costs more than git takes to read an option.
        let folder = match paths {
            [] => self.place.root().to_owned(),
            _ => {
                let (place, paths) = (Arc::clone(&self.place), paths.to_vec());
                on_disk(move || operands::home_of(&place, &paths)).await?
            }
        };
        let args = ["rev-parse", "--show-prefix", "--absolute-git-dir"].map(OsString::from);
        let output = self
            .program
            .run(&folder, Purpose::Read, &args, self.cancel)
            .await?;
        if !output.exit.is_success() {
            return Err(failures::no_repository(&output, &folder));
        }
        let root = self.place.root();
        Ok(Repository::new(folder, root, output.bytes()))
    }

    /// The branch that HEAD is on; none where it is detached.
    pub(super) async fn branch_of(
        &self,
        repository: &Repository,
    ) -> Result<Option<String>, ToolFailure> {
        let args = ["symbolic-ref", "-q", "--short", "HEAD"];
        let output = self.git(repository, Purpose::Read, args).await?;
        Ok(output.exit.is_success().then(|| output.line()))
    }
}
