//! `run_tests` where tests are not the project's, are not there, or leave what cannot be read.

use serde_json::json;
use siderail_workspace::outcome::ToolErrorCode as Code;

use crate::fixture::Project;
use crate::runs::{GRADLE, REPORT, gradle};

const RUN: &str = "run_tests";

#[test]
fn tests_outside_the_project_are_not_run() {
    let project = Project::with(&[("web/test_a.py", ""), ("web/conftest.py", "")]);
    project.program("python3", "touch ran\n");
    let outside = project.root().parent().unwrap().to_owned();
    let name = project
        .root()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    for arguments in [
        json!({"module": ".."}),
        json!({"module": "web/../.."}),
        json!({"module": outside}),
        json!({"module": "web", "target": "../../x/test_a.py"}),
        json!({"module": "web", "target": format!("web/../../../{}", outside.file_name().unwrap().display())}),
    ] {
        let told = arguments.to_string();
        let text = project.fails(RUN, arguments, Code::OutsideProject);
        assert!(text.contains("is outside the project"), "{told}: {text}");
    }
    let inside = json!({"module": "web", "target": format!("../{name}/web/test_a.py")});
    project.ok(RUN, inside);
    assert!(project.path("web/ran").exists());
}

#[test]
fn a_module_that_is_no_folder_does_not_run_all_tests() {
    let project = Project::with(&[("test_a.py", ""), ("conftest.py", "")]);
    project.program("python3", "touch ran\n");
    let text = project.fails(RUN, json!({"module": "wbe"}), Code::FileNotFound);
    assert!(text.contains("there is no folder `wbe`"), "{text}");
    assert!(!project.path("ran").exists());
}

#[test]
fn a_package_file_that_cannot_be_read_does_not_pass_for_none() {
    let project = Project::with(&[("web/package.json", "{\"scripts\": {\"test\": \"jest\",}}")]);
    for arguments in [
        json!({"module": "web"}),
        json!({"module": "web", "target": "a.test.ts"}),
    ] {
        let text = project.fails(RUN, arguments, Code::NotApplicable);
        assert!(
            text.contains(
                "web/package.json cannot be read: it is not JSON, trailing comma at line 1"
            ),
            "{text}"
        );
    }
    project.put("web/conftest.py", "");
    project.program("python3", "exit 0\n");
    project.ok(RUN, json!({"module": "web"}));
    let scripts = json!({"module": "web", "target": "a.test.ts"});
    let text = project.fails(RUN, scripts, Code::NotApplicable);
    assert!(text.contains("cannot be read"), "{text}");
}

#[test]
fn files_larger_than_any_that_people_write_are_not_read_into_memory() {
    let project = gradle(GRADLE);
    let large = |path: &str, bytes: u64| {
        project.put(path, "");
        let file = std::fs::File::options()
            .write(true)
            .open(project.path(path));
        file.expect("it is there").set_len(bytes).expect("it grows");
    };
    large("web/package.json", (4 << 20) + 1);
    let scripts = json!({"module": "web", "target": "a.test.ts"});
    let text = project.fails(RUN, scripts, Code::NotApplicable);
    assert!(
        text.contains("web/package.json cannot be read: it is too large (more than 4096 KB)"),
        "{text}"
    );
    large("report.xml", (64 << 20) + 1);
    let text = project.ok(RUN, json!({}));
    assert!(
        text.contains(
            "TEST-com.x.FooTest.xml cannot be read (it is too large (more than 65536 KB))"
        ),
        "{text}"
    );
}

#[test]
fn a_report_that_ends_in_the_middle_is_named_and_its_tests_do_not_pass_for_all() {
    let project = gradle(GRADLE);
    project.put(
        "report.xml",
        &REPORT[..REPORT.find("  <testcase name=\"bad\"").unwrap()],
    );
    let text = project.ok(RUN, json!({}));
    assert!(text.starts_with("tests: counts unknown"), "{text}");
    let told = "Note: the report build/test-results/test/TEST-com.x.FooTest.xml cannot be read (it ends in the middle)";
    assert!(text.contains(told), "{text}");
}
