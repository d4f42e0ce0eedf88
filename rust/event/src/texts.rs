//! Who wrote each text of an event: this decides whether secrets are hidden in it.
//!
//! Every member says so where it is declared. One that says nothing counts as written by an agent, a model or a tool,
//! so that nothing can be forgotten. Knows no secret.

/// Who wrote a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// An agent, a model or a tool has said it: it may hold any secret.
    Said,
    /// A person judges by it, or the engine has written it around such a text: what the user's variables hold is to
    /// be seen in it.
    Judged,
}

/// What is done with a text.
pub type Visit<'a> = dyn FnMut(Word, &mut String) + 'a;

/// What may hold texts; without a method of its own it holds none.
pub trait Texts {
    /// Visits all texts in which secrets are hidden. `word`: of what this is a part of.
    fn each_text(&mut self, word: Word, visit: &mut Visit) {
        let _ = (word, visit);
    }
}

impl Texts for bool {}
impl Texts for i64 {}
impl Texts for u32 {}
impl Texts for u64 {}

impl Texts for String {
    fn each_text(&mut self, word: Word, visit: &mut Visit) {
        visit(word, self);
    }
}

impl<T: Texts> Texts for Option<T> {
    fn each_text(&mut self, word: Word, visit: &mut Visit) {
        self.iter_mut().for_each(|it| it.each_text(word, visit));
    }
}

impl<T: Texts> Texts for Vec<T> {
    fn each_text(&mut self, word: Word, visit: &mut Visit) {
        self.iter_mut().for_each(|it| it.each_text(word, visit));
    }
}

impl<T: Texts> Texts for Box<T> {
    fn each_text(&mut self, word: Word, visit: &mut Visit) {
        self.as_mut().each_text(word, visit);
    }
}

/// Declares a struct whose members say who wrote them, or an enum of such structs. `as judged` follows a member's type,
/// or `as is` for what is never changed: the user's own words, ids, paths and names that are looked up, what is known
/// to hold no secret. Nothing follows the type of what an agent, a model or a tool wrote.
macro_rules! texts {
    ($(#[$of:meta])* pub enum $Name:ident { $(
        $(#[$doc:meta])* $Variant:ident($Inner:ty $(as $word:ident)?),
    )* }) => {
        $(#[$of])*
        pub enum $Name { $( $(#[$doc])* $Variant($Inner), )* }

        impl Texts for $Name {
            fn each_text(&mut self, word: Word, visit: &mut Visit) {
                match self { $(
                    Self::$Variant(body) => { texts!(@ body, word, visit $(, $word)?); }
                )* }
            }
        }
    };
    ($(#[$of:meta])* pub struct $Name:ident { $(
        $(#[$at:meta])* pub $member:ident: $Type:ty $(as $word:ident)?,
    )* }) => {
        $(#[$of])*
        pub struct $Name { $( $(#[$at])* pub $member: $Type, )* }

        impl Texts for $Name {
            fn each_text(&mut self, word: Word, visit: &mut Visit) {
                let Self { $( $member, )* } = self;
                let _ = (word, &visit);
                $( texts!(@ $member, word, visit $(, $word)?); )*
            }
        }
    };
    (@ $member:ident, $of:ident, $visit:ident) => { $member.each_text($of, $visit) };
    (@ $member:ident, $of:ident, $visit:ident, judged) => { $member.each_text(Word::Judged, $visit) };
    (@ $member:ident, $of:ident, $visit:ident, is) => { let _ = $member; };
}
pub(crate) use texts;
