//! `cargo xtask texts`: what people and models read of the command, the engine, its tools and the plugin, by file.

use std::path::Path;

use crate::lint;

/// Words from which on a literal is a sentence.
const SENTENCE: usize = 3;

/// Prints the sentences, those of the command's help among them.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    for (path, text) in lint::read_by_people(root)? {
        let is_help = path.starts_with("rust/cli/src/args");
        let mut shown = Vec::new();
        let product = text
            .lines()
            .take_while(|line| !line.starts_with("#[cfg(test)]"));
        for (at, line) in product.enumerate() {
            let said = match line.trim_start().strip_prefix("///") {
                None if path.ends_with(".properties") => line.to_owned(),
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
