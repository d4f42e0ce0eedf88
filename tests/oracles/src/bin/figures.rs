//! `figures`: how the guard's answers compare with the labels, one row for each set of command lines. The table of
//! `docs/guard.md` is its output.

use siderail_oracles::labelled::{self, Labelled};
use siderail_oracles::tally::Tally;
use siderail_shell::Dialect;

const SHELLS: [(&str, Dialect); 4] = [
    ("bash", Dialect::Bash),
    ("fish", Dialect::Fish),
    ("PowerShell", Dialect::PowerShell),
    ("cmd", Dialect::Cmd),
];

fn main() {
    println!(
        "| set | shell | lines | harmless | exact | precision | recall | dangers | missed |\n|---|---|---|---|---|---|---|---|---|"
    );
    let corpus = labelled::read(&labelled::corpus());
    let later = labelled::read(&labelled::later());
    rows(
        "corpus, open",
        corpus.iter().filter(|line| !line.is_kept_apart()),
    );
    rows(
        "corpus, kept apart",
        corpus.iter().filter(|line| line.is_kept_apart()),
    );
    rows("corpus, met later", later.iter());
    let fresh = labelled::read(&labelled::fresh());
    for file in labelled::files(&labelled::fresh()) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let of_file = fresh.iter();
        let of_file = of_file.filter(|line| line.place.split(['.', ':']).next() == Some(&name));
        rows(&format!("fresh, {name}"), of_file);
    }
}

fn rows<'l>(set: &str, lines: impl Iterator<Item = &'l Labelled>) {
    let lines: Vec<&Labelled> = lines.collect();
    for (shell, dialect) in SHELLS {
        let of_shell = lines.iter().filter(|line| line.setting.dialect == dialect);
        let tally = Tally::of(of_shell.copied());
        if tally.lines > 0 {
            println!(
                "| {set} | {shell} | {} | {} | {} | {:.4} | {:.4} | {} | {} |",
                tally.lines,
                tally.benign,
                tally.exact,
                tally.precision(),
                tally.recall(),
                tally.dangers,
                tally.missed_dangers
            );
        }
    }
}
