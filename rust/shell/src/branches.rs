//! Walks what may happen in one way or in another: `&&` and `||`, branches, loops.
//!
//! Each way starts from the states in which it would be taken, and what all of them leave behind is kept side by
//! side. What a loop sets is carried from round to round.

use super::analysis::Dialect;
use super::ir::{Arg, Collected, ITEMS_LIMIT, Pattern, Stream};
use super::judge::Judge;
use super::program::Fact;
use super::scope::{Flow, State, Status, Variable};
use super::streams::uncertain;
use super::walk::Known;
use siderail_syntax::tree::{Branch, Chain, Joined, Loop, Node, Part, Script, Word};

/// How often a body is walked until rounds leave nothing new; before the last time the states are made one.
const PASSES: usize = 4;

/// The loop that is being walked.
#[derive(Default)]
struct Rounds {
    /// Walks of the condition and of the body.
    asked: Known,
    walked: Known,
    /// States in which it is over.
    over: Vec<State>,
    output: Collected,
}

impl Judge<'_> {
    /// Walks something whose failure ends nothing, even under `set -e`.
    pub(super) fn as_condition(&mut self, walk: impl FnOnce(&mut Self) -> Stream) -> Stream {
        self.conditions += 1;
        let output = walk(self);
        self.conditions -= 1;
        output
    }

    /// What `if` and `while` ask: whoever asks reckons with either answer.
    fn asked(&mut self, condition: &Script) -> Stream {
        self.questions += 1;
        let output = self.as_condition(|judge| judge.script(condition));
        self.questions -= 1;
        output
    }

    pub(super) fn chain(&mut self, chain: &Chain) -> Stream {
        let ending = self.posix_ending(chain);
        let mut output = Collected::default();
        output.add(&self.as_condition(|judge| judge.node(&chain.first)));
        for (index, (joined, node)) in chain.rest.iter().enumerate() {
            let is_last = index + 1 == chain.rest.len();
            let (needed, otherwise) = match joined {
                Joined::IfSucceeded => (Status::Succeeded, Status::Failed),
                Joined::IfFailed => (Status::Failed, Status::Succeeded),
            };
            let before = self.scope.take_all();
            let mut skipped = Vec::new();
            let mut taken = Vec::new();
            for state in before {
                if state.flow != Flow::Next || state.status == otherwise {
                    skipped.push(state);
                    continue;
                }
                let certain = state.status == needed
                    || (state.status, *joined) == (Status::Expected, Joined::IfSucceeded);
                if !certain {
                    skipped.push(state.clone().ended(otherwise));
                }
                let mut state = state.ended(needed);
                // Whoever says what happens then reckons with it.
                state.is_unlikely &= *joined == Joined::IfSucceeded;
                taken.push(state);
            }
            if taken.is_empty() {
                self.looking.rule_out();
                self.put_back(skipped);
                continue;
            }
            let printed = self.in_each_beside(taken, skipped, |judge| {
                if is_last {
                    judge.node(node)
                } else {
                    judge.as_condition(|judge| judge.node(node))
                }
            });
            output.add(&printed);
        }
        if let Some(ending) = ending {
            self.posix_emptied(&ending);
        }
        output.finish()
    }

    pub(super) fn branch(&mut self, branch: &Branch) -> Stream {
        for word in &branch.words {
            self.fold_one(word);
        }
        let mut output = Collected::default();
        output.add(&self.script(&branch.head));
        let mut pending = self.scope.take_all();
        let mut left = Vec::new();
        let mut falling = Vec::new();
        for arm in &branch.arms {
            let mut taken = falling;
            match &arm.condition {
                Some(condition) if !pending.is_empty() => {
                    let printed = self.in_each(pending, |judge| judge.asked(condition));
                    output.add(&printed);
                    let (held, failed) = split(self.scope.take_all(), &mut left);
                    taken.extend(held);
                    pending = failed;
                }
                Some(_) => pending.clear(),
                None => taken.extend(pending.iter().cloned()),
            }
            falling = Vec::new();
            if taken.is_empty() {
                continue;
            }
            let printed = self.in_each(taken, |judge| {
                let frame = judge.begin_block();
                let printed = judge.script(&arm.body);
                judge.end_block(frame);
                printed
            });
            // Which arm prints is unknown.
            output.add(&uncertain(printed));
            let after = self.scope.take_all();
            if arm.falls_through {
                falling.clone_from(&after);
            }
            left.extend(after);
        }
        if !branch.is_exhaustive {
            left.extend(pending);
        }
        self.put_back(left);
        output.finish()
    }

    pub(super) fn repeat(&mut self, repeated: &Loop) -> Stream {
        let mut rounds = Rounds::default();
        self.loops += 1;
        match &repeated.variable {
            Some((name, words)) => {
                rounds.output.add(&self.script(&repeated.condition));
                self.over_items(repeated, name, words, &mut rounds);
            }
            None => self.under_condition(repeated, &mut rounds),
        }
        self.loops -= 1;
        self.put_back(rounds.over);
        self.scope.set_status(Status::Unknown);
        rounds.output.finish()
    }

    /// `for`: a round for each item.
    fn over_items(&mut self, repeated: &Loop, name: &str, words: &[Word], rounds: &mut Rounds) {
        let items = self.items(words);
        self.list_names(&items, name, repeated);
        let is_exact = items.iter().all(|item| item.known().is_some());
        let runs_once = !is_exact && items.first().is_some_and(|first| self.is_some_item(first));
        // Where no round changes more than the variable, none of those behind it is another one.
        let mut changes = false;
        rounds.walked.is_last = true;
        let kept = self.kept();
        let mut states = self.scope.take_all();
        let n_before = states.len();
        for (index, item) in items.iter().enumerate() {
            let spent = self.budget.is_half_spent();
            if index >= ITEMS_LIMIT || (spent && items.len() - index > 2) {
                let rest = Arg::any_of(&items[index..]);
                states = self.many_rounds(repeated, name, &[rest], states, rounds);
                break;
            }
            if is_exact {
                states = self.round(repeated, Some((name, item)), states, rounds);
            } else {
                let after = self.round(repeated, Some((name, item)), states.clone(), rounds);
                changes |= rounds.walked.changes;
                if index == 0 && runs_once {
                    states.clear();
                }
                states.extend(after);
                if !states.is_empty() {
                    self.scope.put_back(states);
                    states = self.scope.take_all();
                }
            }
        }
        let may_repeat = !is_exact && self.keeps_more(kept, 0);
        if may_repeat || changes && (runs_once || states.len() > n_before) {
            states = self.many_rounds(repeated, name, &items, states, rounds);
        }
        rounds.over.extend(states);
    }

    /// Whether a loop over this has a round at least: a pattern that fits nothing stands for itself, if nobody has asked
    /// for anything else. zsh ends the line there.
    fn is_some_item(&self, item: &Arg) -> bool {
        self.dialect == Dialect::Bash
            && item.unknown.is_none()
            && !item.text.contains("(N")
            && !self.asks_for_empty_patterns()
    }

    /// Whether the line may ask that a pattern that fits nothing be nothing.
    fn asks_for_empty_patterns(&self) -> bool {
        let asked_for = || self.findings.line_has(&["nullglob", "setopt", "NULL"]);
        *self.empty_patterns.get_or_init(asked_for)
    }

    /// Rounds of which nobody knows how many there are.
    fn many_rounds(
        &mut self,
        repeated: &Loop,
        name: &str,
        items: &[Arg],
        mut states: Vec<State>,
        rounds: &mut Rounds,
    ) -> Vec<State> {
        let mut fresh = states.clone();
        rounds.walked.is_last = false;
        for pass in 0..PASSES {
            let kept = self.kept();
            let mut after = Vec::new();
            for item in items.iter().take(ITEMS_LIMIT) {
                after.extend(self.round(repeated, Some((name, item)), fresh.clone(), rounds));
            }
            fresh = self.grown(&mut states, after, pass);
            if self.keeps_more(kept, pass) {
                fresh.clone_from(&states);
            }
            if fresh.is_empty() {
                break;
            }
        }
        states
    }

    /// Adds what a round has left to the states that are known; gives those that another round has to begin with.
    fn grown(&mut self, states: &mut Vec<State>, after: Vec<State>, pass: usize) -> Vec<State> {
        let before = states.clone();
        states.extend(after);
        if states.is_empty() {
            return Vec::new();
        }
        self.put_back(std::mem::take(states));
        *states = self.scope.take_all();
        let mut cost = 0;
        let mut fresh = Vec::new();
        for state in &*states {
            if !self.scope.is_among(state, &before, &mut cost) {
                fresh.push(state.clone());
            }
        }
        self.budget.pay(cost / 4);
        if fresh.is_empty() {
            return fresh;
        }
        if pass + 2 < PASSES {
            return fresh;
        }
        let mut cost = 0;
        *states = vec![self.scope.merged(std::mem::take(states), &mut cost)];
        self.budget.pay(cost / 4);
        states.clone()
    }

    /// `while` and `until`.
    fn under_condition(&mut self, repeated: &Loop, rounds: &mut Rounds) {
        let mut states = self.scope.take_all();
        let mut fresh = states.clone();
        for pass in 0..PASSES {
            let kept = self.kept();
            let printed = self.in_each_but(&mut rounds.asked, fresh, |judge| {
                judge.asked(&repeated.condition)
            });
            rounds.output.add(&printed);
            let asked = self.scope.take_all();
            let (held, failed) = split(asked, &mut rounds.over);
            let (going, ended) = if repeated.is_until {
                (failed, held)
            } else {
                (held, failed)
            };
            rounds.over.extend(ended);
            let after = self.round(repeated, None, going, rounds);
            if pass + 1 == PASSES {
                rounds.over.extend(after);
                break;
            }
            fresh = self.grown(&mut states, after, pass);
            if self.keeps_more(kept, pass) {
                fresh.clone_from(&states);
            }
            if fresh.is_empty() {
                break;
            }
        }
    }

    /// The body of a loop once; gives the states that may begin another round.
    fn round(
        &mut self,
        repeated: &Loop,
        item: Option<(&str, &Arg)>,
        states: Vec<State>,
        rounds: &mut Rounds,
    ) -> Vec<State> {
        if states.is_empty() || !self.budget.pay(4) {
            return Vec::new();
        }
        let states = match item {
            Some((name, item)) => {
                let value = Variable::Scalar(item.clone());
                self.scope.with_variable(states, name, value)
            }
            None => states,
        };
        let printed = self.in_each_but(&mut rounds.walked, states, |judge| {
            let frame = judge.begin_block();
            let printed = judge.script(&repeated.body);
            judge.end_block(frame);
            printed
        });
        rounds.output.add(&uncertain(printed));
        let mut next = Vec::new();
        for mut state in self.scope.take_all() {
            match state.flow {
                Flow::Next | Flow::Continue => {
                    state.flow = Flow::Next;
                    next.push(state);
                }
                Flow::Break(levels) => {
                    state.flow = match levels {
                        0 | 1 => Flow::Next,
                        more => Flow::Break(more - 1),
                    };
                    rounds.over.push(state);
                }
                Flow::Return | Flow::Exit => rounds.over.push(state),
            }
        }
        next
    }

    /// The values of a loop's variable.
    fn items(&mut self, words: &[Word]) -> Vec<Arg> {
        let mut items = self.fold(words);
        for item in &mut items {
            if item.pattern == Pattern::Live {
                item.pattern = Pattern::Carried;
            }
        }
        items
    }

    /// `for f in *; do echo "$f"; done` lists a folder as `echo *` does.
    fn list_names(&mut self, items: &[Arg], name: &str, repeated: &Loop) {
        let [Node::Simple(simple)] = repeated.body.nodes.as_slice() else {
            return;
        };
        let [command, word] = simple.words.as_slice() else {
            return;
        };
        let prints = |name| self.knows(name, Fact::PrintsWords) && simple.redirects.is_empty();
        let only_it = |word: &Word| match &word.parts[..] {
            [Part::Parameter(parameter)] => parameter.name == name,
            _ => false,
        };
        if command.bare().is_some_and(prints) && only_it(word) {
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
}

/// States in which a condition may hold, and those in which it may not; what continues elsewhere is set aside.
fn split(states: Vec<State>, elsewhere: &mut Vec<State>) -> (Vec<State>, Vec<State>) {
    let (mut held, mut failed) = (Vec::new(), Vec::new());
    for state in states {
        match (state.flow, state.status) {
            (Flow::Next, Status::Succeeded) => held.push(state),
            (Flow::Next, Status::Failed) => failed.push(state),
            (Flow::Next, Status::Unknown | Status::Expected) => {
                failed.push(state.clone());
                held.push(state);
            }
            _ => elsewhere.push(state),
        }
    }
    (held, failed)
}
