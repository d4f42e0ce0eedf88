//! The reader of questions that one key answers, as plain data: which keys count, and which are the rest of a word.
//!
//! Every such question reads its keys here, so that none takes a letter out of a typed sentence for an answer. What a
//! key chooses is the question's own.

use crate::keys::Key;

/// What a key has come to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Keyed<A> {
    /// The question stays; print this.
    Open(String),
    /// The question is answered; print this.
    Answered(A, String),
}

/// How far the person has got with a question that one key answers.
#[derive(Debug, Default)]
pub(crate) struct OneKey {
    /// A key that means nothing was pressed: what follows may be the rest of a word.
    is_astray: bool,
}

impl OneKey {
    /// Reads a key: `choose` says what it chooses, if anything; `prompt` is what asks again after a key without a
    /// meaning. `choose` gets the end of the input in any case, and must answer it.
    pub(crate) fn read<A>(
        &mut self,
        key: Key,
        prompt: &str,
        choose: impl FnOnce(Key) -> Option<Keyed<A>>,
    ) -> Keyed<A> {
        let nothing = || Keyed::Open(String::new());
        match (key, self.is_astray) {
            (Key::Enter | Key::Escape, true) => {
                self.is_astray = false;
                Keyed::Open(format!("\n{prompt}"))
            }
            (Key::End, true) | (_, false) => choose(key).unwrap_or_else(|| {
                if !matches!(key, Key::Char(_)) {
                    return nothing();
                }
                self.is_astray = true;
                let say = "that is no choice, and one key answers; Enter asks again ";
                Keyed::Open(format!("\n{say}"))
            }),
            (_, true) => nothing(),
        }
    }
}
