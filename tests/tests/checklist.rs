//! `docs/checklist.md` says of every duty of a client where it is done and which test would miss it: neither may rot.

use std::fs;
use std::path::{Path, PathBuf};

/// Every row that the page must have.
const ROWS: &str = "T1 T2 T3 T4 T5 T6 T7 T8 L1 L2 L3 L4 L5 L6 C1 C2 C3 P1 P2 U1 U2 U3 A1 A2 A3 F1 F2 X1 E1 R1 R2 R3 V2";

struct Row {
    name: String,
    files: Vec<String>,
    /// Files with a test's name.
    tests: Vec<(String, String)>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rows() -> Vec<Row> {
    let page = fs::read_to_string(root().join("docs/checklist.md")).expect("the page");
    let cells = |line: &str| -> Vec<String> { line.split('|').map(str::to_owned).collect() };
    let lines = page.lines().filter(|line| line.starts_with("| "));
    let rows = lines.map(cells).filter(|cells| cells[1].trim() != "#");
    rows.map(|cells| {
        let quoted = |cell: &str| -> Vec<String> {
            cell.split('`')
                .skip(1)
                .step_by(2)
                .map(str::to_owned)
                .collect()
        };
        let test = |named: String| {
            let (file, test) = named.split_once("::").expect("a file and a test");
            (file.to_owned(), test.to_owned())
        };
        Row {
            name: cells[1].trim().to_owned(),
            files: quoted(&cells[3]),
            tests: quoted(&cells[4]).into_iter().map(test).collect(),
        }
    })
    .collect()
}

#[test]
fn every_duty_of_a_client_has_a_row_with_files_and_tests() {
    let rows = rows();
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names.join(" "), ROWS);
    for row in &rows {
        assert!(
            !row.files.is_empty() && !row.tests.is_empty(),
            "{} is open",
            row.name
        );
    }
}

#[test]
fn every_file_and_every_test_that_the_page_names_is_there() {
    let mut missing = Vec::new();
    for Row { name, files, tests } in rows() {
        let gone = files.iter().filter(|file| !root().join(file).is_file());
        missing.extend(gone.map(|file| format!("{name}: there is no {file}")));
        for (file, test) in tests {
            let text = fs::read_to_string(root().join(&file)).unwrap_or_default();
            let is_there = match file.ends_with(".kt") {
                true => text.contains(&format!("fun `{test}`(")),
                false => text.contains(&format!("fn {test}(")),
            };
            if !is_there {
                missing.push(format!("{name}: {file} has no test `{test}`"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
