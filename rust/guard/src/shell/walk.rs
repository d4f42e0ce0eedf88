//! Walks statements in the order in which a shell would run them.

use super::Dialect;
use super::ir::{Arg, Collected, Origin, Pattern, Sink, Stream};
use super::judge::Judge;
use super::paths::Place;
use super::scope::{Changes, Variable};
use super::syntax::{Block, Branch, Loop, Node, Script, Word};
use std::rc::Rc;

/// How many items of a loop are walked one by one.
const ITEMS_LIMIT: usize = 12;
/// The same for a loop inside of a loop.
const INNER_ITEMS_LIMIT: usize = 3;
/// A function that calls itself is followed this many times.
const CALLS_LIMIT: usize = 2;

impl Judge<'_> {
    pub(super) fn script(&mut self, script: &Script) -> Stream {
        let mut output = Collected::default();
        self.statements(script, &mut output);
        output.finish()
    }

    /// Walks statements whose output is put to that of others.
    pub(super) fn statements(&mut self, script: &Script, output: &mut Collected) {
        for node in &script.nodes {
            if self.budget.is_exceeded() {
                break;
            }
            let printed = self.node(node);
            if let Stream::Text(text) = &printed {
                self.budget.pay(text.text.len() / 4);
            }
            output.add(&printed);
        }
    }

    fn node(&mut self, node: &Node) -> Stream {
        if !self.budget.pay(8) || !self.budget.enter() {
            return Stream::Empty;
        }
        let output = match node {
            Node::Simple(simple) => self.simple_command(simple),
            Node::Pipe(stages) => self.pipe(stages),
            Node::Subshell(block) => {
                let Block { script, redirects } = &**block;
                let mark = self.scope.mark();
                let outer = self.io.clone();
                let output = self.redirected(redirects, |judge| judge.script(script));
                self.io = outer;
                self.scope.undo_to(mark);
                output
            }
            Node::Group(block) => {
                self.redirected(&block.redirects, |judge| judge.script(&block.script))
            }
            Node::Branch(branch) => {
                self.redirected(&branch.redirects, |judge| judge.branch(branch))
            }
            Node::Loop(repeated) => {
                self.redirected(&repeated.redirects, |judge| judge.repeat(repeated))
            }
            Node::Function { name, body } => {
                self.scope.define(name, Rc::clone(body));
                Stream::Empty
            }
            Node::Evaluated(words) => {
                for word in words {
                    self.fold_one(word);
                }
                Stream::Empty
            }
        };
        self.budget.leave();
        output
    }

    /// Walks something with redirections of its own.
    fn redirected(
        &mut self,
        redirects: &[super::syntax::Redirect],
        walk: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        if redirects.is_empty() {
            return walk(self);
        }
        let outer = self.io.clone();
        let applied = self.redirect(redirects);
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
        let carrier = stages.iter().rposition(super::classify::carries);
        let mut flowing = None;
        for (index, stage) in stages.iter().enumerate() {
            let mark = self.scope.mark();
            if let Some(stream) = flowing.take() {
                self.io.stdin = stream;
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
        let output = self.script(script);
        self.io = outer;
        self.piped_since = piped;
        self.scope.undo_to(mark);
        output
    }

    fn branch(&mut self, branch: &Branch) -> Stream {
        let Branch {
            words, head, arms, ..
        } = branch;
        for word in words {
            self.fold_one(word);
        }
        let mut output = Collected::default();
        output.add(&self.script(head));
        let mut changes = Changes::default();
        for arm in arms {
            // Each of them begins where the branch does.
            let mark = self.scope.mark();
            let printed = self.script(arm);
            changes = changes.and(self.scope.take_back(mark));
            // Which arm prints cannot be told.
            output.add(&uncertain(printed));
        }
        self.scope.doubt(changes);
        output.finish()
    }

    fn repeat(&mut self, repeated: &Loop) -> Stream {
        let mut output = Collected::default();
        output.add(&self.script(&repeated.condition));
        let items = match &repeated.variable {
            Some((_, words)) => self.items(words),
            None => Vec::new(),
        };
        let mark = self.scope.mark();
        self.loops += 1;
        match &repeated.variable {
            Some((name, _)) => {
                self.list_names(&items, name, repeated);
                for item in items {
                    self.scope.set(name, Variable::Scalar(item));
                    output.add(&uncertain(self.script(&repeated.body)));
                }
            }
            None => output.add(&uncertain(self.script(&repeated.body))),
        }
        self.loops -= 1;
        self.scope.doubt_since(mark);
        output.finish()
    }

    /// The values of a loop's variable: all of a few, or of many the ones that differ in where they lead.
    fn items(&mut self, words: &[Word]) -> Vec<Arg> {
        let mut items = self.fold(words);
        for item in &mut items {
            if item.pattern == Pattern::Live {
                item.pattern = Pattern::Carried;
            }
        }
        let limit = if self.loops == 0 {
            ITEMS_LIMIT
        } else {
            INNER_ITEMS_LIMIT
        };
        if items.len() <= limit {
            return items;
        }
        let mut kept: Vec<Arg> = items.drain(..limit).collect();
        for place in [Place::Inside, Place::Elsewhere] {
            if !kept.iter().any(|item| self.target(item).place == place) {
                let other = items.iter().find(|item| self.target(item).place == place);
                kept.extend(other.cloned());
            }
        }
        kept
    }

    /// `for f in *; do echo "$f"; done` lists a folder as `echo *` does.
    fn list_names(&mut self, items: &[Arg], name: &str, repeated: &Loop) {
        let [Node::Simple(simple)] = repeated.body.nodes.as_slice() else {
            return;
        };
        let [command, word] = simple.words.as_slice() else {
            return;
        };
        let prints =
            matches!(command.bare(), Some("echo" | "print")) && simple.redirects.is_empty();
        let only_it = |word: &Word| match &word.parts[..] {
            [super::syntax::Part::Parameter(parameter)] => parameter.name == name,
            _ => false,
        };
        if prints && only_it(word) {
            let live = items.iter().filter(|item| item.pattern == Pattern::Carried);
            let live: Vec<Arg> = live
                .map(|item| Arg {
                    pattern: Pattern::Live,
                    ..item.clone()
                })
                .collect();
            self.expanded_names(&live, &simple.text);
        }
    }

    /// Runs a function of the line.
    pub(super) fn call(&mut self, name: &str, body: &Node, args: &[Arg], text: &Rc<str>) -> Stream {
        if self.calls.iter().filter(|call| *call == name).count() >= CALLS_LIMIT {
            let why = "A function starts itself again and again.";
            self.cannot_tell(text, why);
            return Stream::printed(Origin::Program);
        }
        self.calls.push(name.to_owned());
        let outer = self.scope.arguments();
        let arguments: Rc<[Arg]> = args.into();
        self.scope.set_arguments(Some(Rc::clone(&arguments)));
        match self.dialect {
            Dialect::Fish => self.scope.set("argv", Variable::List(arguments)),
            Dialect::PowerShell => self.scope.set("args", Variable::List(arguments)),
            Dialect::Bash | Dialect::Cmd => {}
        }
        let output = self.node(body);
        self.scope.set_arguments(outer);
        self.calls.pop();
        output
    }

    /// Walks a script block of PowerShell, once for what flows into it.
    pub(super) fn block(&mut self, script: &Script) -> Stream {
        let mark = self.scope.mark();
        let output = self.script(script);
        self.scope.doubt_since(mark);
        output
    }
}

/// Output that may come once, often or never.
fn uncertain(output: Stream) -> Stream {
    match output {
        Stream::Text(mut text) => {
            text.unknown = text.unknown.max(Some(Origin::Variable));
            if !text.text.contains(super::ir::UNKNOWN) {
                text.text = format!("{}{}", &*text.text, super::ir::UNKNOWN).into();
            }
            Stream::Text(text)
        }
        other => other,
    }
}
