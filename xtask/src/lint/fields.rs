//! Which files a chain of fields leads to: `self.carried.denials` to the file of the type of `carried`, then to that of
//! `denials` there.
//!
//! Reads text, not syntax, and knows nothing of what the fields are for: a field leads to the first type in its declaration
//! that a file of the crate declares.

use std::collections::BTreeMap;

use super::arrows::Arrows;
use super::code::{Code, name_at};

/// The fields of the structs of a crate, by file and name of the struct.
pub(super) struct Fields<'a> {
    arrows: &'a Arrows,
    structs: BTreeMap<(usize, String), BTreeMap<String, (usize, String)>>,
}

impl<'a> Fields<'a> {
    /// Of the sources that the arrows were made of.
    pub(super) fn of<'s>(
        arrows: &'a Arrows,
        sources: impl Iterator<Item = (&'s str, &'s str)>,
    ) -> Self {
        let mut declared = BTreeMap::new();
        for (path, text) in sources {
            if let Some(file) = arrows.files.iter().position(|known| known == path) {
                let code = Code::of(text).code;
                let types = types(&code).into_iter();
                declared.extend(types.map(|(name, fields)| ((file, name), fields)));
            }
        }
        let leads = |file: usize, declaration: &str| {
            let mut names = words(declaration);
            names.find_map(|name| {
                let found = (arrows.named(file, name)?, name.to_owned());
                declared.contains_key(&found).then_some(found)
            })
        };
        let structs = declared.iter().map(|((file, name), fields)| {
            let fields = fields.iter();
            let fields = fields.filter_map(|(field, declaration)| {
                Some((field.clone(), leads(*file, declaration)?))
            });
            ((*file, name.clone()), fields.collect())
        });
        Self {
            structs: structs.collect(),
            arrows,
        }
    }

    /// The files to which a chain such as `carried.denials.n` leads from a struct, up to the first field that has no type of
    /// the crate.
    pub(super) fn reached(&self, from: (&str, &str), chain: &str) -> Vec<usize> {
        let file = self.arrows.files.iter().position(|file| file == from.0);
        let mut at = file.map(|file| (file, from.1.to_owned()));
        let mut reached = Vec::new();
        for name in chain.split('.') {
            let fields = at.and_then(|at| self.structs.get(&at));
            at = fields.and_then(|fields| fields.get(name).cloned());
            let Some((file, _)) = &at else { break };
            reached.push(*file);
        }
        reached
    }
}

/// The types that a file declares at its margin: structs with the text of each field, others without any.
fn types(code: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut types = Vec::new();
    for (start, line) in lines(code) {
        let mut words = line.split_whitespace();
        let is_margin = !line.starts_with(' ');
        let kind =
            words.find(|word| !word.starts_with("pub") && !word.ends_with(')') && *word != "in");
        let Some(kind) =
            kind.filter(|kind| is_margin && matches!(*kind, "struct" | "enum" | "type"))
        else {
            continue;
        };
        let name = name_at(words.next().unwrap_or_default()).to_owned();
        let mut fields = BTreeMap::new();
        if kind == "struct" && line.ends_with('{') {
            let body = &code[start + line.len()..];
            let body = body.split("\n}").next().unwrap_or_default();
            fields.extend(body.split(",\n").filter_map(field));
        }
        types.push((name, fields));
    }
    types
}

/// `pub(in crate::a) name: Type` without the part before the name.
fn field(text: &str) -> Option<(String, String)> {
    let (name, declaration) = text.split_once(": ")?;
    let name = name.split_whitespace().next_back()?;
    Some((name.to_owned(), declaration.to_owned()))
}

/// Lines with where they begin.
fn lines(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.split('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len() + 1;
        Some((start, line))
    })
}

/// The names in a type; those behind `::` belong to something else.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':'));
    words.filter(|word| !word.is_empty() && !word.contains("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCES: &[(&str, &str)] = &[
        (
            "a.rs",
            "mod b;\nuse std::sync::Arc;\nuse b::B;\n/// It.\npub(crate) struct A {\n    // b: C,\n    pub(in crate::a) b: \
             Arc<B>,\n    other: x::B,\n    n: usize,\n}\n",
        ),
        (
            "a/b.rs",
            "use crate::c::C;\npub(in crate::a) struct B {\n    pub(crate) c: Option<C>,\n    own: Own,\n}\nenum Own {\n    One,\n}\n",
        ),
        ("c.rs", "pub struct C;\n"),
    ];

    fn reached(chain: &str) -> Vec<&'static str> {
        let arrows = Arrows::of(SOURCES.iter().copied());
        let fields = Fields::of(&arrows, SOURCES.iter().copied());
        let files = fields.reached(("a.rs", "A"), chain).into_iter();
        files.map(|file| SOURCES[file].0).collect()
    }

    #[test]
    fn a_chain_of_fields_leads_from_type_to_type() {
        assert_eq!(reached("b"), ["a/b.rs"]);
        assert_eq!(reached("b.c.len"), ["a/b.rs", "c.rs"]);
        assert_eq!(reached("b.own"), ["a/b.rs", "a/b.rs"]);
        for unknown in ["n", "other", "gone", "", "n.b"] {
            assert_eq!(reached(unknown), [""; 0], "{unknown}");
        }
    }
}
