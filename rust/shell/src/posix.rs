//! What a plain `sh` reads in another way than bash: `a && b &> f` is `a && b &` and then `> f` to it, which empties the file in
//! the folder that the list began in.

use std::rc::Rc;

use super::ir::Arg;
use super::judge::Judge;
use siderail_syntax::tree::{Chain, Node, Operator, Simple};

/// The command at a chain's end that may be in the background instead, and the folder in which it all began.
pub(super) struct Ending<'c> {
    simple: &'c Simple,
    folder: Rc<str>,
}

impl Judge<'_> {
    /// Such an ending, where the script is one of `sh`.
    pub(super) fn posix_ending<'c>(&self, chain: &'c Chain) -> Option<Ending<'c>> {
        let (_, Node::Simple(simple)) = chain.rest.last().filter(|_| self.is_posix)? else {
            return None;
        };
        let both =
            |redirect: &siderail_syntax::tree::Redirect| redirect.operator == Operator::WriteBoth;
        simple.redirects.iter().any(both).then(|| Ending {
            simple,
            folder: Rc::clone(self.scope.cwd()),
        })
    }

    /// What it empties. Where the folder is still the same, that has been judged.
    pub(super) fn posix_emptied(&mut self, ending: &Ending<'_>) {
        let Ending { simple, folder } = ending;
        if self.scope.cwd() == folder {
            return;
        }
        for redirect in &simple.redirects {
            let name = redirect.target.literal();
            let Some(name) = name.filter(|_| redirect.operator == Operator::WriteBoth) else {
                continue;
            };
            let named = self.places.target(&Arg::new(name), folder);
            let target = self.links.followed(&self.places, named, false);
            if target.is_inside() {
                let why = "Creates or empties a project file where `sh` has no `&>`.";
                self.writes(&simple.text, why, &[target]);
            }
        }
    }
}
