//! Commands with several inputs, as `cat < a < b` or `echo a | xargs cat <<< b`: bash reads the last, zsh all of them one after
//! the other (its option MULTIOS). The line does not say which of the two runs it, so that both are judged. Of a pipe beside
//! another input only `xargs` and its like are judged so.

use super::Dialect;
use super::ir::{Collected, Stream};
use super::judge::Judge;
use super::program::Fact;
use siderail_syntax::tree::{Operator, Redirect, Simple, Word};

impl Judge<'_> {
    /// A simple command, and what it would be with all of its inputs. `is_fed`: a pipe leads to it.
    pub(super) fn command_with_inputs(&mut self, simple: &Simple) -> Stream {
        let is_fed = std::mem::take(&mut self.is_fed);
        let n_inputs = simple.redirects.iter().filter(|one| is_input(one)).count();
        let is_fed = is_fed && self.runs_what_it_is_fed(simple);
        if self.dialect != Dialect::Bash || n_inputs == 0 || n_inputs == 1 && !is_fed {
            return self.simple_command(simple);
        }
        let mark = self.scope.mark();
        let outer = self.io.clone();
        self.gathers = Some(match is_fed {
            true => self.io.stdin.clone(),
            false => Stream::Empty,
        });
        let outer_doubts = std::mem::replace(&mut self.has_doubts, false);
        let with_all = self.simple_command(simple);
        self.has_doubts = outer_doubts;
        self.gathers = None;
        self.scope.undo_to(mark);
        self.io = outer;
        super::streams::one_of(self.simple_command(simple), with_all)
    }

    /// Whether a pipe beside another input is judged. Not of a shell, to which most that is piped is no script: a line for bash
    /// with a here-document would be asked about. What is not known says nothing more, either.
    fn runs_what_it_is_fed(&self, simple: &Simple) -> bool {
        let is_known = match &self.io.stdin {
            Stream::Text(text) => text.unknown.is_none(),
            _ => false,
        };
        let name = simple.words.first().and_then(Word::literal);
        is_known && name.is_some_and(|name| self.knows(&name, Fact::TakesArguments))
    }
}

/// Redirections that take one command's input.
pub(super) fn is_input(redirect: &Redirect) -> bool {
    let reads = matches!(redirect.operator, Operator::Read | Operator::Text);
    reads && redirect.variable.is_none() && redirect.fd.unwrap_or(0) == 0
}

/// One input after the other. A file stays the file that it is, as far as it alone is read.
pub(super) fn gathered(earlier: Stream, later: Stream) -> Stream {
    match earlier {
        Stream::Empty => later,
        Stream::File(_) | Stream::Inherited => earlier,
        Stream::Text(_) => {
            let mut all = Collected::default();
            all.add(&earlier);
            // Now only `all` holds the text, so it grows in place: a copy for each input would be quadratic.
            drop(earlier);
            all.add(&later);
            all.finish()
        }
    }
}
