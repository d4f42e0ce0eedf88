//! Content roots outside of the project's folder: an IDE's project may have some.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use siderail_workspace::Project as Place;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::outcome::{ToolErrorCode as Code, ToolFailure};
use siderail_workspace::tools::Tool;
use tempfile::TempDir;

use crate::fixture::Project;

/// A project with a content root beside its folder, and one above it.
struct Rooted {
    project: Project,
    folder: TempDir,
    roots: Vec<PathBuf>,
}

impl Rooted {
    fn new(files: &[(&str, &str)], of_root: &[(&str, &str)]) -> Self {
        let folder = TempDir::with_prefix("siderail-root-").unwrap();
        for (path, text) in of_root {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self {
            project: Project::with(files),
            roots: vec![folder.path().canonicalize().unwrap()],
            folder,
        }
    }

    /// A path in the content root, as it is named.
    fn other(&self, path: &str) -> String {
        self.roots[0].join(path).display().to_string()
    }

    fn call(&self, tool: &str, arguments: Value) -> Result<String, ToolFailure> {
        let place = Place {
            folder: self.project.root(),
            roots: &self.roots,
        };
        let tools = &self.project.tools;
        let tool = Tool::named(tool).expect("one of ours");
        let outcome = tools.run(place, tool, &arguments, &CancelFlag::new(), &|_| {});
        outcome.map(|outcome| outcome.text)
    }

    #[track_caller]
    fn ok(&self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments).unwrap()
    }
}

#[test]
fn files_of_a_content_root_are_read_written_moved_and_deleted_by_their_absolute_paths() {
    let rooted = Rooted::new(&[("a.txt", "one\n")], &[("src/b.txt", "two\n")]);
    let b = rooted.other("src/b.txt");
    let read = rooted.ok("intellij_read_file", json!({"path": b}));
    assert!(read.starts_with(&format!("{b} lines 1-1 of 1")), "{read}");
    let edit = json!({"path": b, "old_text": "two", "new_text": "2"});
    let wrote = rooted.ok("intellij_write_file", edit);
    assert!(wrote.starts_with(&format!("wrote {b}, 1 lines")), "{wrote}");
    let new = rooted.other("new/deep/c.txt");
    rooted.ok(
        "intellij_write_file",
        json!({"path": new, "content": "3\n"}),
    );
    assert_eq!(fs::read_to_string(&b).unwrap(), "2\n");
    assert_eq!(fs::read_to_string(&new).unwrap(), "3\n");
    let moved = rooted.ok(
        "move_file",
        json!({"path": "a.txt", "to": rooted.other("src/")}),
    );
    let a = rooted.other("src/a.txt");
    assert_eq!(moved, format!("moved a.txt to {a}\n"));
    rooted.ok("move_file", json!({"path": a, "to": "back.txt"}));
    assert_eq!(rooted.project.text("back.txt"), "one\n");
    rooted.ok("delete_file", json!({"path": new}));
    let wrong = rooted.call(
        "intellij_read_file",
        json!({"path": rooted.other("src/bb.txt")}),
    );
    let failure = wrong.unwrap_err();
    assert_eq!(failure.code, Code::FileNotFound);
    assert!(failure.text.contains(&format!("nearest: {b}")), "{failure}");
}

#[test]
fn without_a_path_all_content_roots_are_searched_and_listed_the_projects_folder_first() {
    let rooted = Rooted::new(
        &[("src/a.txt", "word\n"), ("x.md", "word\n")],
        &[
            ("src/b.txt", "word word\nword\n"),
            ("ignored/c.txt", "word\n"),
            (".gitignore", "ignored/\n"),
        ],
    );
    let b = rooted.other("src/b.txt");
    for path in [json!({}), json!({"path": "."})] {
        let mut arguments = json!({"query": "word"});
        arguments
            .as_object_mut()
            .unwrap()
            .extend(path.as_object().unwrap().clone());
        let found = rooted.ok("search_text", arguments);
        let expected = format!(
            "4 matching lines in 3 files for `word` in the project (4 files searched)\n\
             src/a.txt:1:1: word\nx.md:1:1: word\n{b}:1:1: word word\n{b}:2:1: word\n"
        );
        assert_eq!(found, expected);
    }
    let page = json!({"query": "word", "limit": 1, "cursor": "2"});
    assert!(
        rooted
            .ok("search_text", page)
            .contains(&format!("\n{b}:1:1"))
    );
    let only = json!({"query": "word", "path": rooted.other("src")});
    let found = rooted.ok("search_text", only);
    assert!(found.starts_with("2 matching lines in 1 files"), "{found}");
    let one = json!({"query": "word", "path": "src"});
    assert!(rooted.ok("search_text", one).starts_with("1 matching"));
    let globbed = json!({"query": "word", "pattern": "src/*.txt"});
    assert!(rooted.ok("search_text", globbed).starts_with("3 matching"));
    let listed = rooted.ok("list_project_files", json!({"pattern": "*.txt"}));
    let expected = format!("2 files matching `*.txt` in the project\nsrc/a.txt\n{b}\n");
    assert_eq!(listed, expected);
    let shallow = rooted.ok("list_project_files", json!({"max_depth": 1}));
    let (src, ignore) = (rooted.other("src/"), rooted.other(".gitignore"));
    let expected =
        format!("4 files in the project\nsrc/ (1 files)\nx.md\n{ignore}\n{src} (1 files)\n");
    assert_eq!(shallow, expected);
    let about = rooted.ok("get_project_info", json!({}));
    let named = format!(
        "content root outside of it: {}\n",
        rooted.roots[0].display()
    );
    assert!(about.contains(&named), "{about}");
}

#[test]
fn a_content_root_above_the_project_names_the_projects_files_once() {
    let mut rooted = Rooted::new(&[], &[("p/a.txt", "word\n"), ("b.txt", "word\n")]);
    rooted.project = Project::new();
    let base = rooted.roots[0].join("p");
    let place = Place {
        folder: &base,
        roots: &rooted.roots,
    };
    let run = |tool: Tool, arguments: Value| {
        let tools = &rooted.project.tools;
        let outcome = tools.run(place, tool, &arguments, &CancelFlag::new(), &|_| {});
        outcome.map(|outcome| outcome.text)
    };
    let b = rooted.other("b.txt");
    for arguments in [json!({}), json!({"directory": rooted.other("")})] {
        let listed = run(Tool::ListProjectFiles, arguments).unwrap();
        let mut lines: Vec<&str> = listed.lines().skip(1).collect();
        lines.sort_unstable();
        assert_eq!(lines, [b.as_str(), "a.txt"]);
    }
    assert!(run(Tool::ReadFile, json!({"path": "../b.txt"})).is_ok());
    for path in [".", "..", rooted.roots[0].to_str().unwrap()] {
        let arguments = json!({"path": path, "recursive": true});
        let failure = run(Tool::DeleteFile, arguments).unwrap_err();
        assert_eq!(failure.code, Code::InvalidParam, "{path}: {failure}");
    }
}

#[test]
fn what_is_in_no_content_root_stays_outside() {
    let rooted = Rooted::new(&[("a.txt", "one\n")], &[("b.txt", "two\n")]);
    let elsewhere = TempDir::new().unwrap();
    fs::write(elsewhere.path().join("c.txt"), "three\n").unwrap();
    let outside = elsewhere.path().join("c.txt").display().to_string();
    let up = rooted.other("../c.txt");
    for path in [&outside, &up] {
        for (tool, arguments) in [
            ("intellij_read_file", json!({"path": path})),
            ("intellij_write_file", json!({"path": path, "content": "x"})),
            ("search_text", json!({"query": "x", "path": path})),
            ("list_project_files", json!({"directory": path})),
            ("delete_file", json!({"path": path})),
            (
                "move_file",
                json!({"path": rooted.other("b.txt"), "to": path}),
            ),
        ] {
            let failure = rooted.call(tool, arguments).unwrap_err();
            assert_eq!(
                failure.code,
                Code::OutsideProject,
                "{tool} {path}: {failure}"
            );
        }
    }
    let known = rooted.call("intellij_read_file", json!({"path": rooted.other("b.txt")}));
    assert!(known.is_ok());
    let folder = rooted.folder.path().to_owned();
    fs::remove_dir_all(&folder).unwrap();
    let gone = rooted.call("intellij_read_file", json!({"path": rooted.other("b.txt")}));
    assert_eq!(gone.unwrap_err().code, Code::OutsideProject);
    assert!(
        rooted
            .ok("search_text", json!({"query": "one"}))
            .starts_with("1 matching")
    );
}

#[test]
#[cfg(unix)]
fn a_link_in_the_place_of_the_projects_folder_ends_every_call() {
    let rooted = Rooted::new(&[("a.txt", "one\n")], &[("b.txt", "two\n")]);
    let root = rooted.project.root();
    let away = root.with_extension("away");
    fs::rename(root, &away).unwrap();
    std::os::unix::fs::symlink("/", root).unwrap();
    for (tool, arguments) in [
        ("intellij_read_file", json!({"path": "etc/passwd"})),
        (
            "intellij_write_file",
            json!({"path": "tmp/x", "content": "x"}),
        ),
        ("search_text", json!({"query": "root"})),
    ] {
        let failure = rooted.call(tool, arguments).unwrap_err();
        assert_eq!(failure.code, Code::ProjectDisposed, "{tool}: {failure}");
    }
    fs::remove_file(root).unwrap();
    fs::rename(&away, root).unwrap();
    rooted.ok("intellij_read_file", json!({"path": "a.txt"}));
}
