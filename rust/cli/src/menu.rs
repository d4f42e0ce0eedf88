//! A numbered list at a terminal, of which one row is chosen ahead of anything that runs.

use crate::terminal::{print_error, print_error_rows};

/// Asks until a row is chosen, by its number or by `name`; Enter alone takes `preset`, or nothing.
pub(crate) fn choose(
    question: &str,
    rows: &[String],
    names: &[&str],
    preset: Option<usize>,
) -> Option<usize> {
    print_error(&format!("{question}\n"));
    for (number, row) in rows.iter().enumerate() {
        print_error_rows(&format!("  {}  {row}\n", number + 1));
    }
    loop {
        let numbers = match rows.len() {
            1 => "1".to_owned(),
            n => format!("1 to {n}"),
        };
        print_error(&match preset {
            Some(_) if rows.len() == 1 => "[Enter for 1] ".to_owned(),
            Some(preset) => format!("[{numbers}; Enter for {}] ", preset + 1),
            None => format!("[{numbers}; Enter to cancel] "),
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
