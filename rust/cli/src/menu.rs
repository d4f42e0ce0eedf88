//! A numbered list at a terminal, of which one row is chosen ahead of anything that runs.

use crate::terminal::print_error;

/// Asks until a row is chosen, by its number or by `name`; Enter alone takes `preset`, or nothing.
pub(crate) fn choose(
    question: &str,
    rows: &[String],
    names: &[&str],
    preset: Option<usize>,
) -> Option<usize> {
    print_error(&format!("{question}\n"));
    for (number, row) in rows.iter().enumerate() {
        print_error(&format!("  {}  {row}\n", number + 1));
    }
    loop {
        print_error(&match preset {
            Some(preset) => format!("[1 to {}; Enter for {}] ", rows.len(), preset + 1),
            None => format!("[1 to {}; Enter to cancel] ", rows.len()),
        });
        let mut line = String::new();
        let n_read = std::io::stdin().read_line(&mut line).unwrap_or(0);
        let typed = line.trim();
        let number = typed.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let by_name = || names.iter().position(|name| *name == typed);
        if let Some(chosen) = number.filter(|at| *at < rows.len()).or_else(by_name) {
            return Some(chosen);
        }
        if n_read == 0 {
            return None;
        }
        if typed.is_empty() {
            return preset;
        }
    }
}
