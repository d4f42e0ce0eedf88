//! Which file of a crate uses which other: every path that begins with `crate`, `super`, `self` or a module of the
//! file's own, followed through `use` to the file that defines what it names. Re-exporting a name (`pub use`) does not
//! use it, unless the file also writes the name elsewhere.
//!
//! Reads text, not syntax: what a macro makes of a path is not seen, and a name's own methods and fields are not
//! arrows. Files of tests and modules of tests at a file's end are left out.

use std::collections::{BTreeMap, BTreeSet};

use super::code::Code;

/// Steps from one `use` to the next.
const MOST_STEPS: usize = 8;

/// The files of a crate and their arrows.
pub(super) struct Arrows {
    /// Paths of files.
    pub(super) files: Vec<String>,
    /// From each file to others, by number.
    pub(super) to: Vec<BTreeSet<usize>>,
    modules: Vec<Module>,
}

struct Module {
    /// Its name from the crate on.
    name: Vec<String>,
    /// All paths in its code, from the crate on, and those with which names of its own were brought in.
    paths: Vec<Vec<String>>,
    imports: BTreeMap<String, Vec<String>>,
}

impl Arrows {
    /// Of a crate whose sources these are: paths below `src/`, and texts.
    pub(super) fn of<'a>(sources: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut files = Vec::new();
        let mut modules = Vec::new();
        for (path, text) in sources {
            let Some(name) = module_of(path) else {
                continue;
            };
            files.push(path.to_owned());
            modules.push(Module::read(name, text));
        }
        let by_name = by_name(&modules);
        let mut to = vec![BTreeSet::new(); files.len()];
        for (at, module) in modules.iter().enumerate() {
            let found = module
                .paths
                .iter()
                .filter_map(|path| file_of(path, &by_name, &modules));
            to[at] = found.filter(|found| *found != at).collect();
        }
        Self { files, to, modules }
    }

    /// A file's module, from the crate on; nothing for `lib.rs` and `main.rs`.
    pub(super) fn module(&self, file: usize) -> &[String] {
        &self.modules[file].name
    }

    /// The file that has what one file calls by this name; the file itself where it brought in no such name.
    pub(super) fn named(&self, file: usize, name: &str) -> Option<usize> {
        let path = [&self.modules[file].name[..], &[name.to_owned()]].concat();
        file_of(&path, &by_name(&self.modules), &self.modules)
    }
}

fn by_name(modules: &[Module]) -> BTreeMap<&[String], usize> {
    let named = modules.iter().enumerate();
    named
        .map(|(at, module)| (module.name.as_slice(), at))
        .collect()
}

/// `a/b.rs` is `a::b`; none for tests.
fn module_of(path: &str) -> Option<Vec<String>> {
    let mut name: Vec<String> = path
        .strip_suffix(".rs")?
        .split('/')
        .map(str::to_owned)
        .collect();
    if name.iter().any(|part| part == "tests") || name.first()? == "bin" {
        return None;
    }
    match name.last()?.as_str() {
        "lib" | "main" if name.len() == 1 => name.clear(),
        "mod" => {
            name.pop();
        }
        _ => {}
    }
    Some(name)
}

/// The file that has what a path names, through `use` in files on the way.
fn file_of(
    path: &[String],
    by_name: &BTreeMap<&[String], usize>,
    modules: &[Module],
) -> Option<usize> {
    let mut path = path.to_vec();
    let mut found = None;
    for _ in 0..MOST_STEPS {
        let known = (0..=path.len())
            .rev()
            .find_map(|n| by_name.get(&path[..n]).map(|at| (n, *at)));
        let (n, at) = known?;
        found = Some(at);
        let further = path.get(n).and_then(|name| modules[at].imports.get(name));
        let Some(import) = further.filter(|import| **import != path) else {
            break;
        };
        let rest = path.split_off(n + 1);
        path = import.clone();
        path.extend(rest);
        if !path
            .first()
            .is_some_and(|first| by_name.contains_key(std::slice::from_ref(first)))
        {
            // It comes from another crate.
            break;
        }
    }
    found
}

impl Module {
    fn read(name: Vec<String>, text: &str) -> Self {
        let code = Code::of(without_tests(text)).code;
        // Without the uses that only hand on, and without any.
        let (mut own, mut body) = (code.clone(), code.clone());
        let mut module = Self {
            name,
            paths: Vec::new(),
            imports: BTreeMap::new(),
        };
        let mut handed_on = Vec::new();
        for at in starts(&code, "use ") {
            let end = code[at..].find(';').map_or(code.len(), |n| at + n);
            let blank = " ".repeat(end - at);
            body.replace_range(at..end, &blank);
            let is_public = is_public(&code[..at]);
            for (path, bound) in tree(&code[at + 4..end]) {
                let Some(path) = module.absolute(&path) else {
                    continue;
                };
                if is_public {
                    handed_on.push((path.clone(), bound.clone()));
                }
                module.imports.insert(bound, path);
            }
            if is_public {
                own.replace_range(at..end, &blank);
            }
        }
        let used = handed_on
            .into_iter()
            .filter(|(_, bound)| is_written(&body, bound));
        module.paths.extend(used.map(|(path, _)| path));
        let children: Vec<String> = starts(&own, "mod ")
            .filter_map(|at| Some(format!("{}::", own[at + 4..].split_once(';')?.0.trim())))
            .collect();
        let words = ["crate::", "super::", "self::"].into_iter();
        for word in words.chain(children.iter().map(String::as_str)) {
            for at in starts(&own, word) {
                if word == "super::" && own[..at].ends_with("super::") {
                    continue;
                }
                let end = end_of_path(&own, at);
                for (path, _) in tree(&own[at..end]) {
                    module.paths.extend(module.absolute(&path));
                }
            }
        }
        module
    }

    /// A path as it is from the crate on; a name that is neither `crate`, `super` nor `self` may be a child.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let n_super = path.iter().take_while(|part| *part == "super").count();
        let (base, rest) = match path.first()?.as_str() {
            "crate" => (&self.name[..0], &path[1..]),
            "self" => (&self.name[..], &path[1..]),
            "super" => (
                &self.name[..self.name.len().checked_sub(n_super)?],
                &path[n_super..],
            ),
            _ => (&self.name[..], path),
        };
        Some([base, rest].concat())
    }
}

/// A file without the module of tests at its end.
fn without_tests(text: &str) -> &str {
    let end = text.find("#[cfg(test)]\nmod tests {");
    &text[..end.unwrap_or(text.len())]
}

/// Whether the text before a `use` re-exports its names; that alone does not use them.
fn is_public(before: &str) -> bool {
    let before = before.trim_end();
    before.ends_with("pub")
        || before.ends_with(')')
            && before
                .rsplit('\n')
                .next()
                .is_some_and(|line| line.trim().starts_with("pub("))
}

/// Whether code outside of any `use` writes a name that one of them brought in. A name in lower case may also be a
/// variable, a field or a method: it counts where it is called or begins a path.
fn is_written(body: &str, name: &str) -> bool {
    let is_lower = name.starts_with(char::is_lowercase);
    starts(body, name).any(|at| {
        let (before, after) = (&body[..at], &body[at + name.len()..]);
        let is_whole = !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_member = before.ends_with('.') && !before.ends_with("..");
        let is_defined = before.ends_with("fn ") || before.ends_with("mod ");
        let is_named = !is_lower || after.starts_with('(') || after.starts_with("::");
        is_whole && !is_member && !is_defined && is_named
    })
}

/// Where a word begins that is not the end of a longer one.
fn starts<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '$');
    let found = code.match_indices(word).map(|(at, _)| at);
    found.filter(move |at| match word {
        "super::" => !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'),
        // `pub(in crate::…)` names nobody.
        "crate::" if code[..*at].ends_with("in ") => false,
        _ => !code[..*at].ends_with(is_inside),
    })
}

/// Where a path ends, with the braces that it may open.
fn end_of_path(code: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code[start..].char_indices() {
        let at = start + at;
        match c {
            '{' if depth > 0 || code[..at].ends_with("::") => depth += 1,
            '}' if depth > 1 => depth -= 1,
            '}' if depth == 1 => return at + 1,
            _ if depth > 0 || c.is_alphanumeric() || matches!(c, '_' | ':') => {}
            _ => return at,
        }
    }
    code.len()
}

/// The paths of `a::{b, c::{d as e}}`, each with the name that it brings in.
fn tree(text: &str) -> Vec<(Vec<String>, String)> {
    let text = text.trim();
    let (head, group) = match text.split_once('{') {
        Some((head, rest)) => (head, Some(rest.trim_end().trim_end_matches('}'))),
        None => (text, None),
    };
    let (path, bound) = match head.split_once(" as ") {
        Some((path, bound)) if group.is_none() => (path, Some(bound.trim().to_owned())),
        _ => (head, None),
    };
    let parts: Vec<String> = path
        .split("::")
        .map(|part| part.trim().trim_start_matches("r#").to_owned())
        .filter(|part| !part.is_empty())
        .collect();
    let Some(group) = group else {
        let Some(last) = parts.last().cloned() else {
            return Vec::new();
        };
        return vec![(parts, bound.unwrap_or(last))];
    };
    let items = items(group).into_iter().flat_map(tree);
    items
        .map(|(mut path, mut bound)| {
            if path.first().is_some_and(|first| first == "self") && path.len() == 1 {
                path.clear();
                if bound == "self" {
                    bound = parts.last().cloned().unwrap_or_default();
                }
            }
            ([parts.clone(), path].concat(), bound)
        })
        .collect()
}

/// What commas part, those in braces aside.
fn items(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0_usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&text[start..]);
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrows(sources: &[(&str, &str)]) -> Vec<(String, String)> {
        let arrows = Arrows::of(sources.iter().copied());
        let named = arrows.to.iter().enumerate();
        let named = named.flat_map(|(from, to)| to.iter().map(move |to| (from, *to)));
        named
            .map(|(from, to)| (arrows.files[from].clone(), arrows.files[to].clone()))
            .collect()
    }

    fn arrow(from: &str, to: &str) -> (String, String) {
        (from.to_owned(), to.to_owned())
    }

    #[test]
    fn a_path_leads_to_the_deepest_file_that_it_names() {
        let sources = [
            (
                "a.rs",
                "use crate::b::{self, c::{Deep as D}};\nfn f() { super::e::g(); }",
            ),
            ("b.rs", "mod c;"),
            (
                "b/c.rs",
                "// crate::a\nconst T: &str = \"crate::a\";\n#[cfg(test)]\nmod tests {\n use crate::a;\n}",
            ),
            ("e.rs", "use std::super_::X;"),
            ("e/tests.rs", "use crate::a::X;"),
        ];
        assert_eq!(
            arrows(&sources),
            [
                arrow("a.rs", "b.rs"),
                arrow("a.rs", "b/c.rs"),
                arrow("a.rs", "e.rs")
            ]
        );
    }

    #[test]
    fn what_a_file_hands_on_is_an_arrow_to_where_it_comes_from() {
        let sources = [
            (
                "b.rs",
                "mod c;\nmod d;\npub use c::{One, Two};\nuse serde::Value;",
            ),
            ("b/c.rs", "fn f(x: super::Three, y: super::Value) {}"),
            ("b/d.rs", "use super::One;"),
            ("lib.rs", "pub use b::Two;"),
            ("x.rs", "use crate::Two;"),
        ];
        assert_eq!(
            arrows(&sources),
            [
                arrow("b/c.rs", "b.rs"),
                arrow("b/d.rs", "b/c.rs"),
                arrow("x.rs", "b/c.rs")
            ]
        );
    }

    #[test]
    fn a_name_that_a_file_hands_on_and_writes_itself_is_an_arrow() {
        let uses = |lib: &str| {
            let lib = format!("mod c;\npub use c::{{One, Two as Other, run}};\n{lib}");
            let sources = [("b.rs", lib.as_str()), ("b/c.rs", "")];
            arrows(&sources) == [arrow("b.rs", "b/c.rs")]
        };
        for used in [
            "fn f() -> One { x }",
            "fn f(x: &[Other]) {}",
            "impl From<One> for X {}",
            "fn f() { run(1) }",
            "fn f() { run::<u8>() }",
            "const ALL: R = 0..One::MOST;",
        ] {
            assert!(uses(used), "{used}");
        }
        for unused in [
            "",
            "fn f() -> Ones { x::One }",
            "fn f(x: Two) {}",
            "use x::{One as XOne};",
            "// One",
            "fn run(&self) { let run = self.run(); run.stop() }",
            "const T: &str = \"One\";",
        ] {
            assert!(!uses(unused), "{unused}");
        }
    }

    #[test]
    fn a_file_uses_its_children_by_their_names_and_not_by_handing_them_on() {
        let sources = [
            (
                "b.rs",
                "mod c;\nmod d;\npub(crate) use d::D;\nfn f() { c::run(); }",
            ),
            ("b/c.rs", "pub(in crate::b) fn run() {}"),
            ("b/d.rs", ""),
            ("e.rs", "mod c;\nuse c::C;"),
            ("e/c.rs", ""),
            (
                "f.rs",
                "mod c;\nmod d;\nuse self::c::C;\npub use self::d::D;",
            ),
            ("f/c.rs", ""),
            ("f/d.rs", ""),
            ("g.rs", "mod c;\nfn f() { self::c::run(); }"),
            ("g/c.rs", ""),
        ];
        assert_eq!(
            arrows(&sources),
            [
                arrow("b.rs", "b/c.rs"),
                arrow("e.rs", "e/c.rs"),
                arrow("f.rs", "f/c.rs"),
                arrow("g.rs", "g/c.rs")
            ]
        );
    }
}
