//! The throw-away project: what its files hold, and where it lies in the sandbox.

/// The project's folder, inside the sandbox only.
pub const ROOT: &str = "/srv/proj";

/// Its files, and whether git knows them.
pub const FILES: [(&str, bool); 10] = [
    ("README.md", true),
    ("src/a.rs", true),
    ("src/b.rs", true),
    ("docs/guide.md", true),
    ("packages/api/index.js", true),
    ("packages/web/dist/out.js", true),
    ("lib/util.py", true),
    (".gitignore", true),
    (".env", false),
    ("notes.txt", false),
];

/// Files that the line's commands are aimed at.
pub const TARGETS: [&str; 5] = [
    "README.md",
    "src/a.rs",
    "src/b.rs",
    "lib/util.py",
    "notes.txt",
];

/// Files outside of the project that lines may read and write.
pub const OUTSIDE: [&str; 3] = ["/tmp/o1", "/tmp/o2", "/tmp/o3"];

/// A word that is in this file and nowhere else.
pub fn mark(path: &str) -> String {
    let letters = path.bytes().map(|byte| {
        if byte.is_ascii_alphanumeric() {
            char::from(byte)
        } else {
            '0'
        }
    });
    format!("MARK{}KRAM", letters.collect::<String>())
}

/// What a file holds at the start: its mark on each line, so that a part of it shows.
pub fn text(path: &str) -> String {
    if path == ".gitignore" {
        return format!(".env\nbuild\n# {}\n", mark(path));
    }
    let mark = mark(path);
    (1..=12)
        .map(|number| format!("line {number} {mark} here e\n"))
        .collect()
}
