//! The row type of the table of settings, and the macro that makes settings, layers and keys out of the rows.
//!
//! Knows no setting by name: those are in [`crate::declared`].

use std::ops::RangeInclusive;

use serde_json::Value;

use crate::declared::{Layer, Settings};
use crate::kinds::{Kind, Reading};
use crate::strictness::Stricter;

/// What a setting is asked for by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A person who names no agent.
    Choice,
    /// A session: an embedder may give it for each.
    Session,
    /// The engine: an embedder gives it once.
    Engine,
}

/// How one setting behaves.
pub(crate) struct Row<T: 'static> {
    /// How values are read and shown.
    pub(crate) kind: &'static dyn Kind<T>,
    pub(crate) scope: Scope,
    /// How a project's file may move it. Without this it may not: such a setting starts programs, gives rights, or takes
    /// away the tools without which nothing is redirected.
    pub(crate) project: Option<Stricter<T>>,
    /// The IDE's page has a row for it that is made of this declaration alone: for a session's switch or number. The page
    /// has places of its own for some of the others (the policy, an agent's mode, tools).
    pub(crate) in_ide: bool,
}

/// A row with the places of its value.
pub(crate) struct Placed<T: 'static> {
    pub(crate) row: Row<T>,
    pub(crate) value: fn(&Settings) -> &T,
    pub(crate) value_mut: fn(&mut Settings) -> &mut T,
    pub(crate) given: fn(&Layer) -> &Option<T>,
    pub(crate) given_mut: fn(&mut Layer) -> &mut Option<T>,
}

/// What a project gets of its wish.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Nothing was wished for, or what is in force anyway.
    Nothing,
    /// It changes something for the stricter.
    Tightens,
    /// It would loosen, with the value as it was wished for; what of it tightens counts all the same.
    Loosens(String),
}

/// A row, whatever the type of its value.
pub(crate) trait Rule: Sync {
    fn scope(&self) -> Scope;
    fn is_for_projects(&self) -> bool;
    fn is_in_ide(&self) -> bool;
    /// What a file may say, in words.
    fn allowed(&self) -> String;
    /// What a variable may say, in words.
    fn allowed_in_variable(&self) -> String;
    /// The numbers that it may be, where it is one.
    fn numbers(&self) -> Option<RangeInclusive<u32>>;
    /// Puts a file's value into the layer; says what is wrong where it cannot be used, or not all of it.
    fn read(&self, value: &Value, layer: &mut Layer) -> Result<(), Option<(String, String)>>;
    /// The same with a variable's text.
    fn read_variable(&self, text: &str, layer: &mut Layer) -> Result<(), Option<(String, String)>>;
    /// Puts the strictest value into the layer, where there is one.
    fn be_strictest(&self, layer: &mut Layer);
    fn is_given(&self, layer: &Layer) -> bool;
    /// Replaces the value by the layer's.
    fn take(&self, settings: &mut Settings, layer: &Layer) -> bool;
    /// What of a project's wish tightens goes into `tightened`.
    fn tighten(&self, now: &Settings, wished: &Layer, tightened: &mut Layer) -> Wish;
    /// The value for people.
    fn shown(&self, settings: &Settings) -> String;
    /// The value for programs.
    fn json(&self, settings: &Settings) -> Value;
    /// The agents that the value names.
    fn agents(&self, settings: &Settings) -> Vec<String>;
}

impl<T: Clone + PartialEq + 'static> Placed<T> {
    fn put(&self, reading: Reading<T>, layer: &mut Layer) -> Result<(), Option<(String, String)>> {
        match reading {
            Reading::Is(value) => {
                *(self.given_mut)(layer) = Some(value);
                Ok(())
            }
            Reading::Part {
                value,
                what,
                allowed,
            } => {
                *(self.given_mut)(layer) = Some(value);
                Err(Some((what, allowed)))
            }
            Reading::Wrong => Err(None),
        }
    }
}

impl<T: Clone + PartialEq + Sync + 'static> Rule for Placed<T> {
    fn scope(&self) -> Scope {
        self.row.scope
    }

    fn is_for_projects(&self) -> bool {
        self.row.project.is_some()
    }

    fn is_in_ide(&self) -> bool {
        self.row.in_ide
    }

    fn allowed(&self) -> String {
        self.row.kind.allowed()
    }

    fn allowed_in_variable(&self) -> String {
        self.row.kind.allowed_in_variable()
    }

    fn numbers(&self) -> Option<RangeInclusive<u32>> {
        self.row.kind.numbers()
    }

    fn read(&self, value: &Value, layer: &mut Layer) -> Result<(), Option<(String, String)>> {
        self.put(self.row.kind.read(value), layer)
    }

    fn read_variable(&self, text: &str, layer: &mut Layer) -> Result<(), Option<(String, String)>> {
        self.put(self.row.kind.read_variable(text), layer)
    }

    fn be_strictest(&self, layer: &mut Layer) {
        if let Some(Stricter {
            most: Some(most), ..
        }) = &self.row.project
        {
            *(self.given_mut)(layer) = Some(most.clone());
        }
    }

    fn is_given(&self, layer: &Layer) -> bool {
        (self.given)(layer).is_some()
    }

    fn take(&self, settings: &mut Settings, layer: &Layer) -> bool {
        let Some(given) = (self.given)(layer) else {
            return false;
        };
        *(self.value_mut)(settings) = given.clone();
        true
    }

    fn tighten(&self, now: &Settings, wished: &Layer, tightened: &mut Layer) -> Wish {
        let (Some(stricter), Some(wished)) = (&self.row.project, (self.given)(wished)) else {
            return Wish::Nothing;
        };
        let now = (self.value)(now);
        let both = (stricter.both)(now, wished);
        let wish = match () {
            () if both != *wished => Wish::Loosens(self.row.kind.shown(wished)),
            () if both != *now => Wish::Tightens,
            () => Wish::Nothing,
        };
        if both != *now {
            *(self.given_mut)(tightened) = Some(both);
        }
        wish
    }

    fn shown(&self, settings: &Settings) -> String {
        self.row.kind.shown((self.value)(settings))
    }

    fn json(&self, settings: &Settings) -> Value {
        self.row.kind.json((self.value)(settings))
    }

    fn agents(&self, settings: &Settings) -> Vec<String> {
        self.row.kind.agents((self.value)(settings))
    }
}

/// Makes `Settings`, `Layer` and `Key` out of rows `Key "name" VARIABLE member: Type = default, Row { … };`.
macro_rules! settings {
    ($(
        $(#[doc = $doc:literal])*
        $Key:ident $name:literal $variable:ident $member:ident: $Type:ty = $default:expr, $row:expr;
    )*) => {
        /// The values in force.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Settings {
            $( $(#[doc = $doc])* pub $member: $Type, )*
        }

        impl Default for Settings {
            fn default() -> Self {
                Self { $( $member: $default, )* }
            }
        }

        /// Values from one source; what it does not mention is absent.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Layer {
            $( $(#[doc = $doc])* pub $member: Option<$Type>, )*
        }

        /// A setting.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Key {
            $( $(#[doc = $doc])* $Key, )*
        }

        impl Key {
            /// All keys, in the order in which they are shown.
            pub const ALL: &'static [Self] = &[ $( Self::$Key, )* ];

            /// Its name in a file.
            pub fn name(self) -> &'static str {
                match self { $( Self::$Key => $name, )* }
            }

            /// The variable that sets it.
            pub fn variable(self) -> &'static str {
                match self { $( Self::$Key => stringify!($variable), )* }
            }

            /// What it is about, as its row says.
            pub fn about(self) -> &'static str {
                match self { $( Self::$Key => concat!($($doc),*).trim_start(), )* }
            }

            pub(crate) fn rule(self) -> &'static dyn crate::declared::row::Rule {
                match self {
                    $( Self::$Key => {
                        static ROW: crate::declared::row::Placed<$Type> = crate::declared::row::Placed {
                            row: $row,
                            value: |settings| &settings.$member,
                            value_mut: |settings| &mut settings.$member,
                            given: |layer| &layer.$member,
                            given_mut: |layer| &mut layer.$member,
                        };
                        &ROW
                    } )*
                }
            }
        }
    };
}

pub(crate) use settings;
