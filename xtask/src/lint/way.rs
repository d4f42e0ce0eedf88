//! The way of a permission request through the engine's session: which rooms (first modules below `session`) it enters,
//! against the table of the page about sessions. No row of it has more than five.
//!
//! A room is entered where a file of the way names something of it by a path, calls a method of the session that is
//! defined there, or reaches what lies there through a field of the session. Plain words are not counted, nor are fields of a
//! session that is taken apart or has another name, nor what another room does in its turn.

use std::collections::{BTreeMap, BTreeSet};

use super::arrows::Arrows;
use super::code::{Code, name_at};
use super::fields::Fields;
use super::finding::Finding;
use super::rules;
use super::table;
use super::tree::Tree;

const PAGE: &str = "docs/internals/sessions.md";
/// First cell of the table's header.
const HEADER: &str = "a permission request that";
const MOST: usize = 5;
const SOURCES: &str = "rust/engine/src/";
/// The files of the way.
const WAY: [&str; 4] = [
    "session/permissions",
    "session/dispatch/permission_requests.rs",
    "session/dispatch/hooks.rs",
    "session/dispatch/planning.rs",
];
/// The session's own type, and where it is.
const SESSION: (&str, &str) = ("session.rs", "Session");
/// Rooms of types that are only named on the way: what is known, what is wanted, and what a question is about.
const WORDS: [&str; 7] = [
    "agent_facts",
    "effect",
    "input",
    "question",
    "shared",
    "terminal_command",
    "worker",
];
/// With which the line begins that names the rooms of which only fields are used.
const READY: &str = "Facts that lie ready in ";
/// The room of a field that only says what is known from the start, and never changes.
const KNOWN: &str = "agent_facts";

/// Compares the files of the way with the table.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let page = tree.text(PAGE).unwrap_or_default();
    let Some(rows) = table::rows(page, HEADER) else {
        let text = format!("has no table that begins with `{HEADER}`");
        return vec![Finding::new(PAGE, 0, text)];
    };
    let sources = tree.files.iter().filter_map(|file| {
        let path = file.path.strip_prefix(SOURCES)?;
        (path.ends_with(".rs") && !rules::is_test(&file.path)).then_some((path, &*file.text))
    });
    let sources: Vec<(&str, &str)> = sources.collect();
    let rooms: BTreeSet<&str> = sources.iter().filter_map(|(path, _)| room(path)).collect();
    let mut listed = BTreeSet::new();
    let mut findings = Vec::new();
    for row in &rows {
        let named = table::quoted(row.cells.get(1).map(String::as_str).unwrap_or_default());
        if named.len() > MOST {
            let text = format!(
                "a permission request enters {} rooms, more than {MOST}",
                named.len()
            );
            findings.push(Finding::new(PAGE, row.line, text));
        }
        findings.extend(absent(&rooms, &named, row.line));
        listed.extend(named);
    }
    let mut lines = page.lines().zip(1..);
    let ready = lines.find_map(|(text, line)| Some((text.strip_prefix(READY)?, line)));
    let (ready, line) = ready.unwrap_or_default();
    let ready = table::quoted(ready);
    findings.extend(absent(&rooms, &ready, line));
    for (path, entered) in entered(&sources) {
        let is_ready = |room: &String, by: &Entry| by.is_field && ready.contains(room);
        let unlisted = entered
            .iter()
            .filter(|(room, by)| !listed.contains(*room) && !is_ready(room, by));
        for (room, Entry { by, .. }) in unlisted {
            let text = format!(
                "a permission request enters `{room}` here, by {by}, which {PAGE} does not list"
            );
            findings.push(Finding::new(&format!("{SOURCES}{path}"), 0, text));
        }
    }
    findings
}

/// Names on a line of the page that are not rooms.
fn absent(rooms: &BTreeSet<&str>, named: &[String], line: usize) -> Vec<Finding> {
    let absent = named.iter().filter(|name| !rooms.contains(name.as_str()));
    let finding = |name: &String| {
        let text = format!("there is no room {name} of the session");
        Finding::new(PAGE, line, text)
    };
    absent.map(finding).collect()
}

/// A way into a room.
struct Entry {
    /// For people.
    by: String,
    /// A field of the session leads there, and nothing else of it is used.
    is_field: bool,
}

/// The rooms that each file of the way enters, each with one way in; the way by a field comes last.
fn entered<'a>(sources: &[(&'a str, &'a str)]) -> BTreeMap<&'a str, BTreeMap<String, Entry>> {
    let blocks: Vec<(&str, String)> = sources
        .iter()
        .map(|(path, text)| (*path, of_session(text)))
        .collect();
    let mut methods = BTreeMap::new();
    for (path, block) in &blocks {
        let defined = block.split("fn ").skip(1).map(name_at);
        methods.extend(defined.zip(std::iter::repeat(room(path))));
    }
    let arrows = Arrows::of(sources.iter().copied());
    let fields = Fields::of(&arrows, sources.iter().copied());
    let mut entered: BTreeMap<&str, BTreeMap<String, Entry>> = BTreeMap::new();
    let is_way = |path: &str| WAY.iter().any(|way| path.starts_with(way));
    for (path, block) in blocks.iter().filter(|(path, _)| is_way(path)) {
        let mut rooms: BTreeMap<String, Entry> = BTreeMap::new();
        let mut enter = |room_of: Option<&str>, by: &str, is_field: bool| {
            let Some(entered) = room_of.filter(|entered| Some(*entered) != room(path)) else {
                return;
            };
            let by = by.to_owned();
            let new = Entry { by, is_field };
            match rooms.get_mut(entered) {
                Some(known) if known.is_field && !is_field => *known = new,
                Some(_) => {}
                None => drop(rooms.insert(entered.to_owned(), new)),
            }
        };
        let at = arrows.files.iter().position(|file| file == path);
        for to in at.into_iter().flat_map(|at| &arrows.to[at]) {
            let named = room(&arrows.files[*to]).filter(|room| !WORDS.contains(room));
            enter(named, "a path", false);
        }
        let packed: String = block.split_whitespace().collect();
        let uses = ["self.", "session."]
            .iter()
            .flat_map(|of| packed.split(of).skip(1));
        for used in uses {
            let name = name_at(used);
            if used[name.len()..].starts_with('(') {
                let defined = methods.get(name).copied().flatten();
                enter(
                    defined.filter(|room| !WORDS.contains(room)),
                    &format!("`{name}()`"),
                    false,
                );
                continue;
            }
            let chain = chain_at(used);
            for to in fields.reached(SESSION, chain) {
                let part = room(&arrows.files[to]).filter(|room| *room != KNOWN);
                enter(part, &format!("`{chain}`"), true);
            }
        }
        entered.insert(path, rooms);
    }
    entered
}

/// The fields with which a piece of code begins, up to a call or anything else.
fn chain_at(code: &str) -> &str {
    let end = code.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.'));
    let Some(end) = end else { return code };
    let chain = &code[..end];
    match code[end..].starts_with('(') {
        true => chain.rsplit_once('.').map_or("", |(fields, _)| fields),
        false => chain,
    }
}

/// The room in which a file is; none for what is not below `session`.
fn room(path: &str) -> Option<&str> {
    path.strip_prefix("session/")?.split(['/', '.']).next()
}

/// The code in the `impl Session` blocks of a file.
fn of_session(text: &str) -> String {
    let code = Code::of(text).code;
    let blocks = code.split("\nimpl Session {\n").skip(1);
    let bodies = blocks.map(|block| block.split("\n}").next().unwrap_or_default());
    bodies.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::lint::tree::Tree;

    const WALK: &str = "\nimpl Session {\n    fn permission(&mut self) {\n        self\n            .look_up(|session| \
                        session.watch());\n        self.resolve();\n    }\n}\n";
    const SESSION: &str = "use agent_facts::Facts;\nuse carried::Carried;\nuse place::Place;\npub(crate) struct Session {\n    \
                           facts: Arc<Facts>,\n    carried: Carried,\n    place: Place,\n    number: u64,\n}\n";
    const CARRIED: &str = "use crate::session::guidance::Denials;\npub(crate) struct Carried {\n    denials: Denials,\n}\n";
    const LOOKS: &str =
        "\nimpl Session {\n    fn look_up() {}\n}\nimpl Judge {\n    fn resolve() {}\n}\n";

    fn findings(permissions: &str, table: &str) -> Vec<String> {
        findings_with("`place`", permissions, table)
    }

    fn findings_with(ready: &str, permissions: &str, table: &str) -> Vec<String> {
        let page = format!(
            "| a permission request that | enters |\n|---|---|\n{table}\nFacts that lie ready in {ready} are read.\n"
        );
        let files = [
            ("docs/internals/sessions.md", page.as_str()),
            ("rust/engine/src/session/permissions/a.rs", permissions),
            (
                "rust/engine/src/session/dispatch/permission_requests.rs",
                WALK,
            ),
            ("rust/engine/src/session/looks.rs", LOOKS),
            (
                "rust/engine/src/session/changes.rs",
                "\nimpl Session {\n    fn watch() {}\n}\n",
            ),
            ("rust/engine/src/session.rs", SESSION),
            (
                "rust/engine/src/session/agent_facts.rs",
                "pub(crate) struct Facts;\n",
            ),
            ("rust/engine/src/session/carried.rs", CARRIED),
            (
                "rust/engine/src/session/guidance.rs",
                "pub(crate) struct Denials;\n",
            ),
            (
                "rust/engine/src/session/place.rs",
                "pub(crate) struct Place;\n\nimpl Session {\n    fn root() {}\n}\n",
            ),
            ("rust/engine/src/session/worker.rs", ""),
        ];
        let found = check(&Tree::with(&files)).into_iter();
        found
            .map(|finding| format!("{} {}", finding.path, finding.text))
            .collect()
    }

    #[test]
    fn a_room_that_is_not_listed_fails_however_it_is_entered() {
        let all = "| is allowed | `looks`, `changes`, `guidance` |\n";
        let uses = "use crate::session::guidance::Way;\nuse crate::session::worker::Sight;";
        assert_eq!(findings(uses, all), [""; 0]);
        let by_path = findings(uses, "| is allowed | `looks`, `changes` |\n");
        assert!(
            by_path.len() == 1
                && by_path[0].contains("permissions/a.rs a permission request enters `guidance`")
        );
        let by_call = findings("", "| is allowed | `looks` |\n");
        assert!(
            by_call.len() == 1 && by_call[0].contains("enters `changes`"),
            "{by_call:?}"
        );
    }

    #[test]
    fn a_room_is_entered_by_a_field_of_the_session_too() {
        let all = "| is allowed | `looks`, `changes` |\n";
        let found = |body: &str| {
            let code =
                format!("\nimpl Session {{\n    fn f(&mut self) {{\n        {body}\n    }}\n}}\n");
            let found = findings(&code, all).into_iter();
            let entered = found.filter_map(|text| Some(text.split('`').nth(1)?.to_owned()));
            entered.collect::<Vec<_>>()
        };
        assert_eq!(found("self.carried.drop();"), ["carried"]);
        assert_eq!(
            found("let d = &mut self\n            .carried\n            .denials;"),
            ["carried", "guidance"]
        );
        assert_eq!(
            found("self.watch(|session| session.carried.denials());"),
            ["carried"],
            "a method of that name"
        );
        assert_eq!(
            found("self.place.confinement; self.root();"),
            ["place"],
            "more than a field"
        );
        for nothing in [
            "self.facts.names();",
            "self.number += 1;",
            "carried.denials();",
            "self.place.confinement;",
        ] {
            assert_eq!(found(nothing), [""; 0], "{nothing}");
        }
    }

    #[test]
    fn a_row_of_six_rooms_and_a_room_that_is_not_there_fail() {
        let six =
            "| is denied | `looks`, `changes`, `guidance`, `worker`, `permissions`, `dispatch` |\n";
        let found = findings("", six);
        assert!(
            found.len() == 1 && found[0].contains("6 rooms, more than 5"),
            "{found:?}"
        );
        let found = findings("", "| is denied | `looks`, `changes`, `gone` |\n");
        assert!(
            found.len() == 1 && found[0].contains("no room gone"),
            "{found:?}"
        );
        let all = "| is denied | `looks`, `changes` |\n";
        let found = findings_with("`place` and `gone`", "", all);
        assert!(
            found.len() == 1 && found[0].contains("no room gone"),
            "{found:?}"
        );
        assert_eq!(check(&Tree::with(&[])).len(), 1, "no table");
    }
}
