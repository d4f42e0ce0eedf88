//! How large the engine's session may grow, and where it may act: it has a few fields, which are parts, and the steps that
//! several parts take are in its dispatcher alone. So no part knows the session, and none holds another, by itself or behind
//! a pointer. One field is the set of the parts that outlive the agent's process; those count as well.

use super::code::Code;
use super::finding::Finding;
use super::rules::is_test;
use super::tree::Tree;

const SOURCES: &str = "rust/engine/src/";
/// The file of the session's fields.
const SESSION: &str = "rust/engine/src/session.rs";
const HEAD: &str = "struct Session {";
/// Fields of a session.
const MOST_FIELDS: usize = 15;
/// Where its parts are.
const PARTS: &str = "rust/engine/src/session/";
/// The type of the field that is a set of parts.
const SET: &str = "Carried";
/// Parts of a session, with those in the set.
const MOST_PARTS: usize = 18;
/// Types of fields that are no parts: they do not change, so anybody may hold them.
const CONSTANTS: [&str; 1] = ["AgentFacts"];
/// What may stand around the type of a part.
const POINTERS: [&str; 3] = ["Arc<", "Rc<", "Box<"];
/// Where the session may act, beside its own file.
const DISPATCH: &str = "rust/engine/src/session/dispatch";

/// Checks the session's fields, and who implements it.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::from_iter(fields(tree.text(SESSION).unwrap_or_default()));
    findings.extend(places(tree));
    let codes: Vec<(&str, String)> = sources(tree);
    let parts = parts(&codes);
    findings.extend((parts.len() > MOST_PARTS).then(|| {
        let text = format!(
            "a session has {} parts, more than {MOST_PARTS}",
            parts.len()
        );
        Finding::new(SESSION, 0, text)
    }));
    findings.extend(holders(&codes, &parts));
    findings
}

fn fields(source: &str) -> Option<Finding> {
    let code = Code::of(source).code;
    let body = code.split_once(HEAD).map(|(_, rest)| rest);
    let Some(body) = body.and_then(|rest| rest.split("\n}").next()) else {
        let text = format!("has no `{HEAD}`");
        return Some(Finding::new(SESSION, 0, text));
    };
    let n_fields = body.lines().filter(|line| is_field(line)).count();
    (n_fields > MOST_FIELDS).then(|| {
        let text = format!("a session has {n_fields} fields, more than {MOST_FIELDS}");
        Finding::new(SESSION, 0, text)
    })
}

/// A field as it is formatted: one indent, a name, a type. A type of several lines continues with a deeper indent.
fn is_field(line: &str) -> bool {
    let field = line.strip_prefix("    ").unwrap_or_default();
    field.starts_with(|c: char| c.is_alphabetic() || c == '_') && field.contains(": ")
}

/// The files of the session and of its parts.
fn sources(tree: &Tree) -> Vec<(&str, String)> {
    let files = tree.files.iter().filter(|file| {
        let is_part = file.path.starts_with(PARTS) && file.path.ends_with(".rs");
        (is_part || file.path == SESSION) && !is_test(&file.path)
    });
    files
        .map(|file| (&*file.path, Code::of(&file.text).code))
        .collect()
}

/// The types of the session's fields and of those in the set that are declared in the session's files.
fn parts<'c>(codes: &'c [(&str, String)]) -> Vec<&'c str> {
    let all = || codes.iter().flat_map(|(_, code)| bodies(code));
    let fields = |of: &'static str| {
        let body = all().find(|(name, _)| *name == of).map(|(_, body)| body);
        body.into_iter().flat_map(str::lines).filter_map(part_of)
    };
    let mut parts: Vec<&str> = fields("Session").chain(fields(SET)).collect();
    parts.retain(|part| *part != SET && !CONSTANTS.contains(part));
    parts.retain(|part| all().any(|(name, _)| name == *part));
    parts
}

/// The type of a field, if it is one thing and not several; a pointer to it is that thing.
fn part_of(line: &str) -> Option<&str> {
    let (_, mut held) = line.split_once(": ").filter(|_| is_field(line))?;
    while let Some(inner) = POINTERS
        .iter()
        .find_map(|pointer| held.strip_prefix(pointer))
    {
        held = inner;
    }
    let end = held.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&held[..end.unwrap_or(held.len())])
}

/// Parts that hold another part, by itself or behind a pointer.
fn holders(codes: &[(&str, String)], parts: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, code) in codes {
        for (name, body) in bodies(code).filter(|(name, _)| parts.contains(name)) {
            let held = types(body).find(|held| *held != name && parts.contains(held));
            findings.extend(held.map(|held| {
                let text =
                    format!("the part {name} holds the part {held}: hand over what it needs");
                Finding::new(path, 0, text)
            }));
        }
    }
    findings
}

/// Names and bodies of structs and enums.
fn bodies(code: &str) -> impl Iterator<Item = (&str, &str)> {
    let kinds = ["struct ", "enum "];
    let heads = kinds
        .into_iter()
        .flat_map(|kind| code.match_indices(kind).map(move |(at, _)| at + kind.len()));
    heads.filter_map(|at| {
        let rest = &code[at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        let (head, body) = rest.split_once('{')?;
        let is_its_own = !head.contains([';', '}', '(']);
        is_its_own.then(|| (&rest[..end], body.split("\n}").next().unwrap_or_default()))
    })
}

/// Words that begin as types do.
fn types(body: &str) -> impl Iterator<Item = &str> {
    let words = body.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_uppercase()))
}

fn places(tree: &Tree) -> Vec<Finding> {
    let sources = tree.files.iter();
    let sources = sources.filter(|file| file.path.starts_with(SOURCES) && !is_test(&file.path));
    let sources = sources.filter(|file| file.path.ends_with(".rs") && !may_act(&file.path));
    let found = sources.filter_map(|file| {
        let code = Code::of(&file.text).code;
        let line = code.lines().position(acts)?;
        let text = "a part knows no session: what is decided is a function of the part, and its steps are in session/dispatch";
        Some(Finding::new(&file.path, line + 1, text))
    });
    found.collect()
}

fn may_act(path: &str) -> bool {
    let dispatches = path.strip_prefix(DISPATCH);
    path == SESSION || dispatches.is_some_and(|rest| rest.starts_with(['.', '/']))
}

/// Whether a block of the session begins in this line.
fn acts(line: &str) -> bool {
    let Some(head) = line.strip_prefix("impl") else {
        return false;
    };
    let head = head.split('{').next().unwrap_or_default();
    let whose = head.rsplit(' ').find(|word| !word.is_empty());
    whose.and_then(|path| path.rsplit("::").next()) == Some("Session")
}

#[cfg(test)]
mod tests {
    use super::{MOST_FIELDS, MOST_PARTS, check, fields, holders, parts, places, sources};
    use crate::lint::tree::Tree;

    fn session(n_fields: usize) -> String {
        let fields: Vec<String> = (0..n_fields)
            .map(|n| {
                format!("    /// Field: {n}.\n    pub(crate) field{n}: Part<\n        A,\n    >,\n")
            })
            .collect();
        let fields = fields.concat();
        format!("//! A session.\n\npub(crate) struct Session {{\n{fields}}}\n\nfn f(a: u8) {{}}\n")
    }

    #[test]
    fn a_session_of_too_many_fields_fails() {
        assert_eq!(fields(&session(MOST_FIELDS)), None);
        let found = fields(&session(MOST_FIELDS + 1)).expect("a finding");
        assert!(found.text.contains("16 fields"), "{}", found.text);
        assert!(
            fields("//! Nothing.\n").is_some(),
            "the lint would see nothing"
        );
    }

    #[test]
    fn a_part_that_holds_another_fails() {
        let session = "//! It.\n\nstruct Session {\n    files: Arc<Files>,\n    /// Not Wire.\n    turn: Turn,\n    \
                       carried: Carried,\n    agent_facts: Arc<AgentFacts>,\n}\n";
        let carried = "struct Carried {\n    denials: Denials,\n    queue: VecDeque<Prompt>,\n}\n\n\
                       struct Files {\n    n: u8,\n}\n\nstruct Denials {\n    n: u8,\n}\n\n\
                       struct Prompt {\n    n: u8,\n}\n\nstruct AgentFacts {\n    n: u8,\n}\n";
        let found = |part: &str| {
            let files = [
                ("rust/engine/src/session.rs", session),
                ("rust/engine/src/session/carried.rs", carried),
                ("rust/engine/src/session/turn.rs", part),
            ];
            let tree = Tree::with(&files);
            let codes = sources(&tree);
            holders(&codes, &parts(&codes)).len()
        };
        assert_eq!(found("struct Turn {\n    files: Rc<Files>,\n}\n"), 1);
        assert_eq!(found("enum Turn {\n    Runs { files: Files },\n}\n"), 1);
        assert_eq!(found("struct Turn {\n    denials: Arc<Denials>,\n}\n"), 1);
        assert_eq!(
            found("struct Turn {\n    // Files\n    file: FilesOf,\n}\n"),
            0
        );
        assert_eq!(found("struct Turn {\n    facts: Arc<AgentFacts>,\n}\n"), 0);
        assert_eq!(found("struct Turn {\n    prompt: Option<Prompt>,\n}\n"), 0);
        assert_eq!(found("struct Other {\n    files: Files,\n}\n"), 0);
        assert_eq!(found("struct Turn;\n\nfn f() {\n    Files {}\n}\n"), 0);
    }

    #[test]
    fn parts_in_the_set_count_as_parts_of_the_session() {
        let n_findings = |n_parts: usize| {
            let field = |n: usize| format!("    pub(in crate::session) a{n}: Part{n},\n");
            let part = |n: usize| format!("struct Part{n} {{\n    n: u8,\n}}\n\n");
            let fields: String = (1..n_parts).map(field).collect();
            let declared: String = (0..n_parts).map(part).collect();
            let files = [
                (
                    "rust/engine/src/session.rs",
                    "//! It.\n\nstruct Session {\n    own: Part0,\n    carried: Carried,\n}\n"
                        .to_owned(),
                ),
                (
                    "rust/engine/src/session/carried.rs",
                    format!("struct Carried {{\n{fields}}}\n\n{declared}"),
                ),
            ];
            let files: Vec<(&str, &str)> =
                files.iter().map(|(path, text)| (*path, &**text)).collect();
            check(&Tree::with(&files)).len()
        };
        assert_eq!(n_findings(MOST_PARTS), 0);
        assert_eq!(n_findings(MOST_PARTS + 1), 1);
    }

    #[test]
    fn a_part_that_acts_for_the_session_fails() {
        let fails = |path: &str, text: &str| {
            let path = format!("rust/engine/src/{path}");
            !places(&Tree::with(&[(path.as_str(), text)])).is_empty()
        };
        let block = "//! It.\n\nimpl Session {\n}\n";
        assert!(fails("session/part.rs", block));
        assert!(fails(
            "session/part.rs",
            "impl From<A> for super::Session {"
        ));
        for path in [
            "session.rs",
            "session/dispatch.rs",
            "session/dispatch/a.rs",
            "session/tests.rs",
        ] {
            assert!(!fails(path, block), "{path}");
        }
        for text in [
            "// impl Session {",
            "impl Sessions {",
            "impl From<Session> for A {",
        ] {
            assert!(!fails("session/part.rs", text), "{text}");
        }
    }
}
