//! Our own tools are rows of one table: no other source spells a name of theirs in a literal, not even in a sentence.
//! A text for models says `{ReadFile}`, in the plugin `${ToolName.READ_FILE}` of the enum that is made of the table.

use super::code::Code;
use super::finding::Finding;
use super::phrases::is_product;
use super::rules::{has_word, without_tests};
use super::tree::Tree;

/// The table.
const TABLE: &str = "rust/catalog/src/lib.rs";
/// Words that are something else, by file: those of events, and what models call an argument.
const OTHER_WORDS: [(&str, &str); 5] = [
    ("rust/catalog/src/kind.rs", "search_text"),
    ("rust/catalog/src/kind.rs", "run_tests"),
    ("rust/shell/src/kinds.rs", "search_text"),
    ("rust/shell/src/kinds.rs", "run_tests"),
    ("rust/mcp/src/arguments.rs", "search_text"),
];
/// The plugin's sources, and the file in them that is made of the table.
const PLUGIN: &str = "plugin/src/main/";
const PLUGINS_TABLE: &str = "plugin/src/main/kotlin/dev/siderail/bridge/EngineWords.kt";
/// A prefix of names that would do instead of the table's column about a theme.
const PREFIX: &str = "git_";

/// Checks all sources of the product.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(table) = tree.text(TABLE) else {
        return vec![Finding::new(TABLE, 0, "the table of tools is missing")];
    };
    let mut names: Vec<&str> = table.lines().filter_map(name).collect();
    if names.is_empty() {
        return vec![Finding::new(TABLE, 0, "has no row that this rule can read")];
    }
    names.push(PREFIX);
    let sources = tree.files.iter();
    let sources = sources.filter(|file| is_product(&file.path) && file.path != TABLE);
    let found = sources.flat_map(|file| literals(&file.path, &file.text, &names));
    let plugins = tree.files.iter().filter(|file| {
        let is_code = file.path.ends_with(".kt") || file.path.ends_with(".java");
        is_code && file.path.starts_with(PLUGIN) && file.path != PLUGINS_TABLE
    });
    let in_plugin = plugins.flat_map(|file| words(&file.path, &file.text, &names));
    found.chain(in_plugin).collect()
}

/// The same of Kotlin and Java, which write no name of their own as tools are called: a word that is not in a comment is
/// in a literal.
fn words(path: &str, text: &str, names: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let begins = line.trim_start();
        // A lone `*` begins a comment's line; before a name it spreads a list.
        let marks = ["//", "/*", "* ", "*/"];
        let is_comment = begins == "*" || marks.iter().any(|mark| begins.starts_with(mark));
        let code = line.split(" // ").next().filter(|_| !is_comment);
        let spelt = names.iter().filter(|name| match **name {
            PREFIX => code.is_some_and(|code| code.contains(&format!("\"{PREFIX}\""))),
            name => code.is_some_and(|code| has_word(code, name)),
        });
        findings.extend(spelt.map(|name| {
            let text = format!("spells `{name}`: `ToolName` of {PLUGINS_TABLE} has it");
            Finding::new(path, at + 1, text)
        }));
    }
    findings
}

/// The name in a row of the table.
fn name(line: &str) -> Option<&str> {
    let (tool, rest) = line.trim_start().split_once(" \"")?;
    let (name, rest) = rest.split_once('"')?;
    let is_row = tool.chars().all(char::is_alphanumeric) && rest.starts_with(" K::");
    is_row.then_some(name)
}

fn literals(path: &str, text: &str, names: &[&str]) -> Vec<Finding> {
    let split = Code::of(text);
    let (shipped, _) = without_tests(&split.code);
    let rest = shipped.lines().zip(split.comments.lines());
    let mut findings = Vec::new();
    for (at, (line, (code, comment))) in text.lines().zip(rest).enumerate() {
        let rest = code.chars().zip(comment.chars());
        let in_literal = line.chars().zip(rest).map(|(c, rest)| match rest {
            (' ', ' ') => c,
            _ => ' ',
        });
        let literals: String = in_literal.collect();
        let spelt = names.iter().filter(|name| match **name {
            PREFIX => line.contains(&format!("\"{PREFIX}\"")) && !code.is_empty(),
            name => has_word(&literals, name) && !OTHER_WORDS.contains(&(path, name)),
        });
        findings.extend(spelt.map(|name| {
            let text = format!("spells `{name}`: `Tool` of rust/catalog has it");
            Finding::new(path, at + 1, text)
        }));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{PLUGINS_TABLE, TABLE, check};
    use crate::lint::tree::{File, Tree};

    const ROW: &str = "    ReadFile \"read_it\" K::Read, N::Nothing, [];\n";

    fn found(path: &str, text: &str) -> Vec<usize> {
        let file = |path: &str, text: &str| File {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let mut tree = Tree::of(&[]);
        tree.files = vec![file(TABLE, ROW), file(path, text)];
        check(&tree).into_iter().map(|found| found.line).collect()
    }

    #[test]
    fn a_name_of_a_tool_fails_outside_of_the_table() {
        let code = "fn f(tool: &str) -> bool {\n    tool == \"read_it\" || tool.starts_with(\"git_\")\n}\n";
        assert_eq!(found("rust/engine/src/a.rs", code), [2, 2]);
        assert!(found("rust/engine/src/a/tests.rs", code).is_empty());
        assert!(found("rust/engine/tests/a.rs", code).is_empty());
    }

    #[test]
    fn a_sentence_names_a_tool_by_its_row() {
        let code = "const A: &str = \"call read_it \\\n    or read_it, not read_its\";\n\
                    fn read_it() {}\nconst B: &str = \"{ReadFile}\";\n";
        assert_eq!(found("rust/engine/src/a.rs", code), [1, 2]);
    }

    #[test]
    fn comments_and_tests_may_name_a_tool() {
        let code = "// \"read_it\"\nconst A: u8 = 1; // read_it\n\
                    #[cfg(test)]\nmod tests {\n    const B: &str = \"read_it\";\n}\n";
        assert!(found("rust/engine/src/a.rs", code).is_empty());
    }

    #[test]
    fn the_plugin_names_tools_by_the_enum_that_is_made_of_the_table() {
        let code = "/** `read_it`. */\nval a = tool(\"read_it\")\nval b = \"a ${c(\"d\")}; read_it does\"\n \
                    * read_it\n// read_it\nval e = f // read_it\nval g = h.startsWith(\"git_\")\nval i = \"read_its\"\n";
        assert_eq!(
            found("plugin/src/main/kotlin/dev/siderail/tools/A.kt", code),
            [2, 3, 7]
        );
        assert_eq!(
            found("plugin/src/main/java/dev/siderail/A.java", code),
            [2, 3, 7]
        );
        for path in [
            "plugin/src/test/kotlin/dev/siderail/A.kt",
            PLUGINS_TABLE,
            "plugin/src/main/resources/a.properties",
        ] {
            assert!(found(path, code).is_empty(), "{path}");
        }
    }

    #[test]
    fn a_table_that_cannot_be_read_is_no_empty_table() {
        let mut tree = Tree::of(&[]);
        assert_eq!(check(&tree).len(), 1);
        let text = "ReadFile => \"read_it\",\n".to_owned();
        tree.files.push(File {
            path: TABLE.to_owned(),
            text,
        });
        assert_eq!(check(&tree).len(), 1);
    }
}
