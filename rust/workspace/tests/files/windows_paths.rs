//! What only Windows does with files: paths that lead somewhere else than their text says, through every tool that takes
//! one, and files that other programs have open.

use std::collections::BTreeMap;
use std::fs;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use siderail_workspace::outcome::ToolErrorCode as Code;

use crate::fixture::Project;

const FILE_SHARE_READ: u32 = 1;

/// A call of every tool for a path.
fn calls(path: &str) -> [(&'static str, Value); 7] {
    [
        ("intellij_read_file", json!({"path": path})),
        ("intellij_write_file", json!({"path": path, "content": "x"})),
        ("list_project_files", json!({"directory": path})),
        ("search_text", json!({"query": "secret", "path": path})),
        ("delete_file", json!({"path": path, "recursive": true})),
        ("move_file", json!({"path": path, "to": "stolen"})),
        (
            "move_file",
            json!({"path": "a.txt", "to": path, "overwrite": true}),
        ),
    ]
}

/// What there is below a folder.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display().to_string();
        if path.is_dir() {
            found.extend(tree(&path));
            found.insert(name, Vec::new());
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

/// Paths out of the project, by another spelling or to no file at all. `ROOT` is the project's folder, `REST` that
/// without its drive, `UP` the folder above.
const ATTACKS: [&str; 74] = [
    // out by steps, with both slashes
    r"..\secret.txt",
    "../secret.txt",
    r"sub\..\..\secret.txt",
    r"sub/..\../secret.txt",
    r"missing\..\..\secret.txt",
    r"a.txt\..\..\secret.txt",
    r".\..\secret.txt",
    r"sub\\..\\..\\secret.txt",
    "..",
    r"..\..",
    // from the root of a drive
    r"C:\windows\win.ini",
    "C:/windows/win.ini",
    "c:/Windows/System32",
    r"Z:\etc\passwd",
    r"\windows\win.ini",
    "/windows/win.ini",
    "/etc/passwd",
    r"\",
    "/",
    r"C:\",
    r"UP\secret.txt",
    r"\\?\UP\secret.txt",
    r"//?/UP/secret.txt",
    r"\\?\ROOT\..\secret.txt",
    "file:///C:/windows/win.ini",
    "file://localhost/C:/windows/win.ini",
    "file:///UP/secret.txt",
    // a name that begins as the project's
    r"ROOT-sibling\secret.txt",
    r"\\?\ROOT-sibling\secret.txt",
    "ROOT./../secret.txt",
    // from a drive's current folder
    "C:secret.txt",
    "C:",
    r"C:..\secret.txt",
    "Z:etc/passwd",
    // other computers and devices
    r"\\evil.example\share\a.txt",
    "//evil.example/share/a.txt",
    r"\\localhost\c$\REST\a.txt",
    r"\\127.0.0.1\c$\windows\win.ini",
    r"\\?\UNC\evil.example\share\a.txt",
    r"\\?\GLOBALROOT\Device\HarddiskVolume1\a",
    r"\\?\Volume{01234567-89ab-cdef-0123-456789abcdef}\a",
    r"\\.\C:\windows\win.ini",
    r"\\.\ROOT\a.txt",
    r"\\.\pipe\siderail",
    r"\\.\PhysicalDrive0",
    r"\\.\NUL",
    r"\??\C:\windows\win.ini",
    "file:////evil.example/share/a.txt",
    // devices that every folder has
    "NUL",
    "nul.txt",
    r"sub\CON",
    "sub/aux.tar.gz",
    "COM1",
    r"ROOT\LPT1.log",
    "CONIN$",
    "CONOUT$",
    "COM¹",
    "PRN .txt",
    // parts of a file that no listing shows
    "a.txt:hidden",
    "a.txt::$DATA",
    r"sub\b.txt:hidden:$DATA",
    ".git::$INDEX_ALLOCATION/config",
    r".git:$I30:$INDEX_ALLOCATION\config",
    "new.txt:hidden",
    // ends that Windows drops
    "a.txt.",
    "a.txt ",
    "a.txt. .",
    r".git.\config",
    ".git /config",
    r"...\secret.txt",
    r".. \secret.txt",
    // what no name holds
    "a?txt",
    "a.txt|b",
    "*.txt",
];

#[test]
fn no_spelling_of_windows_leads_out_of_the_project_or_to_another_file() {
    let project = Project::with(&[
        ("a.txt", "here\n"),
        ("sub/b.txt", "there\n"),
        (".git/config", "[core]\n"),
    ]);
    let root = project.root().display().to_string();
    let up = project.root().parent().unwrap().display().to_string();
    let secret = format!(r"{up}\secret.txt");
    fs::write(&secret, "secret\n").unwrap();
    let sibling = format!("{root}-sibling");
    fs::create_dir(&sibling).unwrap();
    fs::write(format!(r"{sibling}\secret.txt"), "secret\n").unwrap();
    let before = (tree(project.root()), tree(Path::new(&sibling)));
    for attack in ATTACKS {
        let path = attack
            .replace("ROOT", &root)
            .replace("REST", &root[3..])
            .replace("UP", &up);
        for (tool, arguments) in calls(&path) {
            let failed = project.run(tool, &arguments).map(|done| done.text);
            let failure = failed.expect_err(&format!("{tool} took {path}"));
            let is_named = matches!(failure.code, Code::OutsideProject | Code::InvalidParam);
            assert!(is_named, "{tool} {path}: {failure}");
            assert!(!failure.text.contains("secret\n"), "{failure}");
        }
    }
    assert_eq!(fs::read_to_string(&secret).unwrap(), "secret\n");
    let after = (tree(project.root()), tree(Path::new(&sibling)));
    assert_eq!(before, after);
    fs::remove_file(secret).unwrap();
    fs::remove_dir_all(sibling).unwrap();
}

#[test]
fn other_spellings_of_a_file_are_that_file() {
    let project = Project::with(&[("Sub Folder/App.java", "here\n")]);
    let root = project.root().display().to_string();
    for path in [
        r"Sub Folder\App.java",
        "sub folder/APP.JAVA",
        r".\SUB FOLDER\.\app.java",
        &format!(r"{root}\Sub Folder\App.java"),
        &format!(r"\\?\{root}\sub folder\app.java"),
        &root
            .to_uppercase()
            .replace('\\', "/")
            .replace("C:/", "c:/")
            .chars()
            .chain("/Sub Folder/App.java".chars())
            .collect::<String>(),
    ] {
        let text = project.ok("intellij_read_file", json!({"path": path}));
        assert!(
            text.starts_with("Sub Folder/App.java lines 1-1"),
            "{path}: {text}"
        );
    }
    // A new file in a folder that is written in another case is one of that folder.
    let text = project.ok(
        "intellij_write_file",
        json!({"path": "SUB FOLDER/New.java", "content": "x"}),
    );
    assert!(text.starts_with("created Sub Folder/New.java"), "{text}");
}

#[test]
fn a_path_longer_than_windows_once_took_is_written_and_read() {
    let project = Project::new();
    let path = format!("{}/a.txt", ["a-rather-long-name-of-a-folder"; 12].join("/"));
    project.ok(
        "intellij_write_file",
        json!({"path": path, "content": "deep\n"}),
    );
    let text = project.ok("intellij_read_file", json!({"path": path}));
    assert!(text.contains("deep"), "{text}");
}

#[test]
fn a_file_that_another_program_has_open_is_replaced_once_it_is_closed() {
    let project = Project::with(&[("a.txt", "old\n")]);
    let open = || {
        let mut options = fs::File::options();
        // Others may read it, and neither replace nor remove it.
        options.read(true).share_mode(FILE_SHARE_READ);
        options.open(project.path("a.txt")).unwrap()
    };
    let for_a_moment = open();
    let closing = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        drop(for_a_moment);
    });
    let new = json!({"path": "a.txt", "content": "new\n"});
    project.ok("intellij_write_file", new);
    closing.join().unwrap();
    assert_eq!(project.text("a.txt"), "new\n");
    let for_good = open();
    let newer = json!({"path": "a.txt", "content": "newer\n"});
    let text = project.fails("intellij_write_file", newer, Code::IoError);
    assert!(text.contains("another program has the file open"), "{text}");
    drop(for_good);
    assert_eq!(project.text("a.txt"), "new\n");
    assert_eq!(project.names("."), ["a.txt"]);
}
