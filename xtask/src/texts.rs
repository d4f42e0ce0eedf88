//! `cargo xtask texts`: what the command says to people, by file, for reading it through.

use std::path::Path;

use crate::lint;

/// Words from which on a literal is a sentence.
const SENTENCE: usize = 3;

/// Prints the sentences of the command and of its help.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    for (path, text) in lint::command_sources(root)? {
        let is_help = path.starts_with("rust/cli/src/args");
        let mut shown = Vec::new();
        let product = text
            .lines()
            .take_while(|line| !line.starts_with("#[cfg(test)]"));
        for (at, line) in product.enumerate() {
            let said = match line.trim_start().strip_prefix("///") {
                Some(help) if is_help => help.trim().to_owned(),
                _ if line.contains('"') => lint::literals(line).trim().to_owned(),
                _ => continue,
            };
            if said.split_whitespace().count() >= SENTENCE {
                shown.push(format!("  {:>4}  {said}", at + 1));
            }
        }
        if !shown.is_empty() {
            println!("{path}\n{}\n", shown.join("\n"));
        }
    }
    Ok(())
}
