//! Walks statements in the order in which a shell would run them.
//!
//! Where one of several things happens, [`super::branches`] walks each of them; here every statement is walked in
//! each of the states that the ones before it may have left.

use super::analysis::Dialect;
use super::ir::{Arg, Collected, Io, Origin, Sink, Stream};
use super::judge::Judge;
use super::scope::{
    Common, Flow, Folders, Left, Outcome, STATES_LIMIT, State, Status, Variable, Walked,
};
use super::streams::one_of;
use siderail_syntax::excerpt::Excerpt;
use siderail_syntax::tree::{Block, Node, Script};
use std::rc::Rc;

/// A function that calls itself is followed this many times.
const CALLS_LIMIT: usize = 2;

/// Walks of the same thing, which may speak for those to come.
#[derive(Debug, Default)]
pub(super) struct Known {
    walked: Vec<Walked>,
    /// It is hardly walked again after this.
    pub(super) is_last: bool,
    /// The last time anything was left behind but what there was before.
    pub(super) changes: bool,
}

impl Known {
    /// Of something that is walked once in each state.
    fn once() -> Self {
        Self {
            is_last: true,
            ..Self::default()
        }
    }
}

impl Judge<'_> {
    pub(super) fn script(&mut self, script: &Script) -> Stream {
        let mut output = Collected::default();
        self.statements(script, &mut output);
        output.finish()
    }

    /// Walks statements whose output is put to that of others.
    pub(super) fn statements(&mut self, script: &Script, output: &mut Collected) {
        let reads_each = std::mem::take(&mut self.reads_each);
        for (index, node) in script.nodes.iter().enumerate() {
            if self.budget.is_exceeded() {
                break;
            }
            let printed = if self.scope.is_single() {
                self.node(node)
            } else {
                let states = self.scope.take_all();
                if states.iter().all(|state| state.flow != Flow::Next) {
                    self.unreachable(&script.nodes[index..], output);
                    self.put_back(states);
                    return;
                }
                self.in_each(states, |judge| judge.node(node))
            };
            self.scope.end_statement();
            self.reading += u32::from(reads_each);
            if let Stream::Text(text) = &printed {
                self.budget.pay(text.text.len() / 4);
            }
            output.add(&printed);
        }
    }

    /// Walks something in each of these states that continues, and keeps what all of them leave behind.
    pub(super) fn in_each(
        &mut self,
        states: Vec<State>,
        walk: impl FnMut(&mut Self) -> Stream,
    ) -> Stream {
        if is_one(&states) {
            self.in_each_beside(states, Vec::new(), walk)
        } else {
            self.in_each_but(&mut Known::once(), states, walk)
        }
    }

    /// The same beside states in which nothing is walked.
    pub(super) fn in_each_beside(
        &mut self,
        states: Vec<State>,
        mut others: Vec<State>,
        mut walk: impl FnMut(&mut Self) -> Stream,
    ) -> Stream {
        let (output, mut left) = if is_one(&states) {
            self.scope.put_all_back(states);
            let output = walk(self);
            if others.is_empty() && !self.scope.has_forks() {
                return output;
            }
            (output, self.scope.take_all())
        } else {
            self.walked_in_each(&mut Known::once(), states, walk)
        };
        if left.len() > STATES_LIMIT {
            self.put_back(left);
            left = self.scope.take_all();
        }
        left.append(&mut others);
        self.put_back(left);
        output
    }

    /// The same for something that may have been walked before. Where a walk from one state says what one from another
    /// would find and leave, there is no other walk.
    pub(super) fn in_each_but(
        &mut self,
        known: &mut Known,
        states: Vec<State>,
        walk: impl FnMut(&mut Self) -> Stream,
    ) -> Stream {
        let (output, left) = self.walked_in_each(known, states, walk);
        if known.changes {
            self.put_back(left);
        } else {
            self.scope.put_all_back(left);
        }
        output
    }

    /// What a walk prints, and all that it leaves behind.
    fn walked_in_each(
        &mut self,
        known: &mut Known,
        states: Vec<State>,
        mut walk: impl FnMut(&mut Self) -> Stream,
    ) -> (Stream, Vec<State>) {
        let mut outcome = Outcome::of(states);
        let mut printed: Option<Stream> = None;
        known.changes = false;
        let mut lasting: Option<Io> = None;
        for index in 0..outcome.len() {
            let before = outcome.before(index);
            if before.flow != Flow::Next {
                outcome.skip(index);
                continue;
            }
            let common = self.common();
            let mut walked = known.walked.iter();
            let is_alike = |folders: &Folders<'_>, path: &str| self.is_alike(folders, path);
            let walked = walked.find(|walked| walked.speaks_for(before, common, is_alike));
            if let Some(walked) = walked {
                self.scope.repeat(walked, before);
                known.changes |= walked.changes();
                walked.leave(&mut outcome, index);
                continue;
            }
            let is_of_use = self.repeats && (!known.is_last || index + 1 < outcome.len());
            let watch = is_of_use.then(|| self.scope.watch(common));
            let n_lasting = self.n_lasting;
            self.scope.enter(before.clone());
            let output = walk(self);
            if self.n_lasting > n_lasting {
                // The shell's own redirections may be those of any of the states.
                if let Some(earlier) = lasting.take() {
                    self.io.prefer(&earlier);
                }
                lasting = Some(self.io.clone());
            }
            let status = self.scope.status_as_before(before);
            known.changes |= status.is_none() || self.common() != common;
            let after = match status {
                Some(_) => Vec::new(),
                None => self.scope.take_all(),
            };
            if let Some(watch) = watch {
                let left = match status {
                    Some(status) => Left::AsBefore(status),
                    None => Left::Changed(after.to_vec()),
                };
                let walked = self.scope.end_watch(watch, before.clone(), left);
                known.walked.extend(walked);
            }
            match status {
                Some(status) => outcome.end(index, status),
                None => outcome.change(index, after),
            }
            printed = Some(match printed {
                Some(before) => one_of(before, output),
                None => output,
            });
        }
        (printed.unwrap_or(Stream::Empty), outcome.finish())
    }

    /// What a walk may change for all states at once.
    fn common(&self) -> Common {
        Common {
            n_saved: self.saved.len(),
            n_made: self.made.len(),
            n_links: self.links.len(),
            n_lasting: self.n_lasting,
        }
    }

    pub(super) fn put_back(&mut self, states: Vec<State>) {
        let cost = self.scope.put_back(states);
        self.budget.pay(cost / 4);
    }

    /// Walks what follows the end of everything as though there were no end: rather a question too many.
    fn unreachable(&mut self, nodes: &[Node], output: &mut Collected) {
        for node in nodes {
            self.scope.set_flow(Flow::Next);
            output.add(&self.node(node));
            let cost = self.scope.settle();
            self.budget.pay(cost / 4);
        }
    }

    pub(super) fn node(&mut self, node: &Node) -> Stream {
        if !self.budget.pay(8) || !self.budget.enter() {
            return Stream::Empty;
        }
        self.look_at(node);
        let output = match node {
            Node::Simple(simple) => {
                let output = self.command_with_inputs(simple);
                if self.conditions == 0 {
                    self.scope.leave_command();
                }
                output
            }
            Node::Chain(chain) => self.chain(chain),
            Node::Negated(node) => {
                let output = self.as_condition(|judge| judge.node(node));
                self.scope.negate_status();
                output
            }
            Node::Pipe(stages) => self.pipe(stages),
            Node::Subshell(block) => {
                let Block { script, redirects } = &**block;
                let mark = self.scope.mark();
                let outer = self.io.clone();
                let output = self.redirected(redirects, |judge| judge.script(script));
                self.io = outer;
                self.scope.undo_to(mark);
                self.scope.set_status(Status::Unknown);
                output
            }
            Node::Group(block) => {
                let frame = self.begin_block();
                let output = self.redirected(&block.redirects, |judge| judge.script(&block.script));
                self.end_block(frame);
                output
            }
            Node::Branch(branch) => {
                self.redirected(&branch.redirects, |judge| judge.branch(branch))
            }
            Node::Loop(repeated) => {
                self.redirected(&repeated.redirects, |judge| judge.repeat(repeated))
            }
            Node::Function { name, body } => {
                self.scope.define(name, Rc::clone(body));
                self.scope.set_status(Status::Expected);
                Stream::Empty
            }
            Node::Evaluated(words) => {
                for word in words {
                    self.fold_one(word);
                }
                self.scope.set_status(Status::Unknown);
                Stream::Empty
            }
        };
        self.budget.leave();
        output
    }

    /// Notes a statement for whoever asks whether the line changes nothing; its commands note themselves.
    fn look_at(&mut self, node: &Node) {
        match node {
            Node::Simple(_) | Node::Chain(_) | Node::Negated(_) | Node::Pipe(_) => {}
            Node::Group(block) => self.note_redirects(&block.redirects),
            // What runs in the background or several times, or is declared, is not followed there.
            Node::Subshell(_)
            | Node::Branch(_)
            | Node::Loop(_)
            | Node::Function { .. }
            | Node::Evaluated(_) => self.looking.rule_out(),
        }
    }

    /// Walks something with redirections of its own.
    fn redirected(
        &mut self,
        redirects: &[siderail_syntax::tree::Redirect],
        walk: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        if redirects.is_empty() {
            return walk(self);
        }
        let outer = self.io.clone();
        let applied = self.redirect(redirects, None);
        let output = walk(self);
        self.feed_readers(&applied.readers, &output);
        let captured = matches!(self.io.stdout, Sink::Captured | Sink::Inherited);
        self.io = outer;
        if captured { output } else { Stream::Empty }
    }

    fn pipe(&mut self, stages: &[Node]) -> Stream {
        let outer = self.io.clone();
        let since = self.findings.since();
        let piped = self.piped_since.replace(since);
        let carried = self.is_carried;
        let carrier = stages.iter().rposition(|stage| self.carries(stage));
        let mut flowing = None;
        for (index, stage) in stages.iter().enumerate() {
            let mark = self.scope.mark();
            if let Some(stream) = flowing.take() {
                self.io.stdin = stream;
                self.is_fed = matches!(stage, Node::Simple(_));
            }
            let last = index + 1 == stages.len();
            self.io.stdout = if last {
                outer.stdout.clone()
            } else {
                Sink::Captured
            };
            self.is_carried = carried || carrier.is_some_and(|carrier| index < carrier);
            let output = self.node(stage);
            // Only fish keeps what the last stage sets; PowerShell runs all of them in one scope.
            let keeps = match self.dialect {
                Dialect::PowerShell => true,
                Dialect::Fish => last,
                _ => false,
            };
            if !keeps {
                self.scope.undo_to(mark);
                self.scope.set_status(Status::Unknown);
            } else if !last {
                let cost = self.scope.settle();
                self.budget.pay(cost / 4);
            }
            self.io = outer.clone();
            flowing = Some(output);
        }
        self.piped_since = piped;
        self.is_carried = carried;
        flowing.unwrap_or(Stream::Empty)
    }

    /// Walks a substitution: what it prints is taken, what it sets is lost.
    pub(super) fn capture(&mut self, script: &Script) -> Stream {
        let mark = self.scope.mark();
        let outer = self.io.clone();
        let piped = self.piped_since.take();
        self.io.stdout = Sink::Captured;
        // bash prints a substitution and reads that line by line, so that an alias counts in it at once.
        self.reads_each = self.dialect == Dialect::Bash;
        let output = self.script(script);
        self.io = outer;
        self.piped_since = piped;
        self.scope.undo_to(mark);
        output
    }

    /// Blocks of fish have variables of their own.
    pub(super) fn begin_block(&mut self) -> bool {
        let has_frame = self.dialect == Dialect::Fish;
        if has_frame {
            self.scope.enter_frame(false);
        }
        has_frame
    }

    pub(super) fn end_block(&mut self, has_frame: bool) {
        if has_frame {
            self.scope.leave_frame();
        }
    }

    /// Runs a function of the line.
    pub(super) fn call(&mut self, name: &str, body: &Node, args: &[Arg], text: &Excerpt) -> Stream {
        if self.calls.iter().filter(|call| *call == name).count() >= CALLS_LIMIT {
            let why = "A function starts itself again and again.";
            self.cannot_tell(text, why);
            return Stream::printed(Origin::Program);
        }
        self.calls.push(name.to_owned());
        let outer = self.scope.arguments();
        let arguments: Rc<[Arg]> = args.into();
        self.scope.set_arguments(Some(Rc::clone(&arguments)));
        self.scope.enter_frame(true);
        let own = match self.dialect {
            Dialect::Fish => Some("argv"),
            Dialect::PowerShell => Some("args"),
            Dialect::Bash | Dialect::Cmd => None,
        };
        if let Some(own) = own {
            self.scope.make_local(own, true);
            self.scope.set(own, Variable::List(arguments));
        }
        let loops = std::mem::take(&mut self.loops);
        let output = self.node(body);
        self.loops = loops;
        self.scope.leave_frame();
        self.scope.restore_arguments(outer);
        self.calls.pop();
        output
    }

    /// Walks a script block of PowerShell, which may run once for each thing that flows into it, or never.
    pub(super) fn block(&mut self, script: &Script) -> Stream {
        let before = self.scope.snapshot();
        let output = self.script(script);
        let mut states = self.scope.take_all();
        states.push(before);
        self.put_back(states);
        let cost = self.scope.settle();
        self.budget.pay(cost / 4);
        output
    }
}

/// Whether there is one state, and it continues.
fn is_one(states: &[State]) -> bool {
    matches!(states, [only] if only.flow == Flow::Next)
}
