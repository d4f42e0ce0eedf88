//! The commands that tree-sitter-bash sees in a bash text.

use super::seen::{Opinion, Seen, unescape};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tree_sitter::{Node, ParseOptions, Parser};

/// Some texts take it quadratic time.
const PATIENCE: Duration = Duration::from_secs(2);

/// What tree-sitter-bash thinks of a text.
pub(crate) fn opinion(text: &str) -> Opinion {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .expect("the grammar fits the library");
    let begun = Instant::now();
    let mut progress = |_: &_| {
        if begun.elapsed() > PATIENCE {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let tree = parser.parse_with_options(
        &mut |at, _| bytes.get(at..).unwrap_or_default(),
        None,
        Some(options),
    );
    match tree {
        None => Opinion::Refused("deadline".to_owned()),
        Some(tree) if tree.root_node().has_error() => Opinion::Refused("syntax".to_owned()),
        Some(tree) => Opinion::Seen(commands(tree.root_node(), text)),
    }
}

fn commands(root: Node<'_>, text: &str) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        match node.kind() {
            "command" => seen.push(Seen(words(&children, text))),
            // A heading keyword, then what looks like arguments.
            "declaration_command" | "unset_command" => {
                let name = children.first().map(|child| child.kind().to_owned());
                seen.push(Seen(vec![name]));
            }
            _ => {}
        }
        waiting.extend(children);
    }
    seen
}

fn words(children: &[Node<'_>], text: &str) -> Vec<Option<String>> {
    let is_word = |node: &&Node<'_>| {
        !matches!(
            node.kind(),
            "variable_assignment"
                | "file_redirect"
                | "heredoc_redirect"
                | "herestring_redirect"
                | "comment"
        )
    };
    children
        .iter()
        .filter(is_word)
        .map(|node| match node.kind() {
            "command_name" => node.child(0).and_then(|word| constant(word, text)),
            _ => constant(*node, text),
        })
        .collect()
}

/// The text of a word, where it is constant.
fn constant(node: Node<'_>, text: &str) -> Option<String> {
    let source = text.get(node.byte_range())?;
    match node.kind() {
        "word" | "number" => bare(source),
        "raw_string" => Some(source.strip_prefix('\'')?.strip_suffix('\'')?.to_owned()),
        "ansi_c_string" => unescape(source.strip_prefix("$'")?.strip_suffix('\'')?),
        "string" => {
            let mut cursor = node.walk();
            let plain = node
                .named_children(&mut cursor)
                .all(|child| child.kind() == "string_content");
            let inner = source.strip_prefix('"')?.strip_suffix('"')?;
            plain.then(|| quoted(inner))
        }
        "concatenation" => {
            let mut cursor = node.walk();
            node.children(&mut cursor)
                .map(|child| constant(child, text))
                .collect()
        }
        kind if !node.is_named() && kind.len() == 1 => bare(source),
        _ => None,
    }
}

fn bare(source: &str) -> Option<String> {
    if source.contains(['*', '?', '[', '{']) {
        return None;
    }
    let mut out = String::new();
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().filter(|c| *c != '\n')),
            c => out.push(c),
        }
    }
    Some(out)
}

/// Double quotes: a backslash counts before a few characters only.
fn quoted(inner: &str) -> String {
    let mut out = String::new();
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        let escapes = c == '\\' && chars.peek().is_some_and(|next| "\"\\$`\n".contains(*next));
        if escapes {
            out.extend(chars.next().filter(|c| *c != '\n'));
        } else {
            out.push(c);
        }
    }
    out
}
