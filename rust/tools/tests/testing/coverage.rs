//! `get_coverage`, from reports as the tools write them.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde_json::json;
use siderail_workspace::outcome::ToolErrorCode as Code;

use crate::fixture::Project;

const COVERAGE: &str = "get_coverage";

const JACOCO: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="app"><sessioninfo id="x" start="1" dump="2"/><package name="com/x"><class name="com/x/Foo" sourcefilename="Foo.kt"><counter type="LINE" missed="2" covered="2"/></class><sourcefile name="Foo.kt"><line nr="3" mi="0" ci="2" mb="0" cb="0"/><line nr="4" mi="1" ci="0" mb="0" cb="0"/><line nr="5" mi="1" ci="0" mb="0" cb="0"/><line nr="9" mi="1" ci="3" mb="0" cb="0"/><counter type="LINE" missed="2" covered="2"/></sourcefile><sourcefile name="Bar.java"><line nr="1" mi="0" ci="1"/></sourcefile></package></report>"#;

const LCOV: &str = "TN:\nSF:src/a.ts\nFN:1,x\nDA:1,5\nDA:2,0\nLF:2\nLH:1\nend_of_record\nSF:src/b.ts\nDA:1,0\nend_of_record\n";

const COBERTURA: &str = r#"<?xml version="1.0" ?><coverage version="7.4" line-rate="0.5"><packages><package name="."><classes><class name="a.py" filename="pkg/a.py"><methods/><lines><line number="1" hits="1"/><line number="2" hits="0"/></lines></class></classes></package></packages></coverage>"#;

fn age(project: &Project, path: &str, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    File::options()
        .write(true)
        .open(project.path(path))
        .unwrap()
        .set_modified(time)
        .unwrap();
}

#[test]
fn a_report_of_jacoco_is_told_by_file_with_its_place_and_age() {
    let report = "app/build/reports/jacoco/test/jacocoTestReport.xml";
    let project = Project::with(&[
        (report, JACOCO),
        ("app/src/main/kotlin/com/x/Foo.kt", "class Foo\n"),
        ("app/src/main/java/com/x/Bar.java", "class Bar {}\n"),
        (".gitignore", "build\n"),
    ]);
    for file in [
        "app/src/main/kotlin/com/x/Foo.kt",
        "app/src/main/java/com/x/Bar.java",
    ] {
        age(&project, file, 1_000);
    }
    age(&project, report, 300);
    let text = project.ok(COVERAGE, json!({}));
    assert_eq!(
        text,
        format!(
            "line coverage: 60.0 % (3 of 5 lines in 2 files)\nfrom {report} (JaCoCo, 5 min old)\n  \
             50.0 % app/src/main/kotlin/com/x/Foo.kt (2 of 4)\n  100.0 % app/src/main/java/com/x/Bar.java (1 of 1)\n"
        )
    );
    let path = json!({"path": "app/src/main/kotlin/com/x/Foo.kt"});
    let text = project.ok(COVERAGE, path.clone());
    assert!(text.ends_with("no test has run lines 4-5\n"), "{text}");
    fs::write(
        project.path("app/src/main/kotlin/com/x/Foo.kt"),
        "class Foo2\n",
    )
    .unwrap();
    let text = project.ok(COVERAGE, path);
    assert!(
        text.contains("Note: 1 of these files have changed since"),
        "{text}"
    );
}

#[test]
fn the_newest_report_counts_whatever_its_format() {
    let project = Project::with(&[
        ("coverage/lcov.info", LCOV),
        ("coverage.xml", COBERTURA),
        ("src/a.ts", ""),
        ("pkg/a.py", ""),
    ]);
    age(&project, "coverage.xml", 5_000);
    let text = project.ok(COVERAGE, json!({}));
    assert!(
        text.starts_with("line coverage: 33.3 % (1 of 3 lines in 2 files)\n"),
        "{text}"
    );
    assert!(text.contains("coverage/lcov.info (lcov, "), "{text}");
    age(&project, "coverage/lcov.info", 9_000);
    let text = project.ok(COVERAGE, json!({"path": "pkg"}));
    assert!(
        text.starts_with("line coverage of pkg: 50.0 % (1 of 2 lines in 1 files)\n"),
        "{text}"
    );
    assert!(
        text.contains("coverage.xml (Cobertura, 83 min old)"),
        "{text}"
    );
}

#[test]
fn modules_of_one_run_are_added_up_and_older_ones_are_not() {
    let project = Project::with(&[
        ("a/target/site/jacoco/jacoco.xml", JACOCO),
        ("b/target/site/jacoco/jacoco.xml", JACOCO),
        ("c/target/site/jacoco/jacoco.xml", JACOCO),
    ]);
    age(&project, "c/target/site/jacoco/jacoco.xml", 50_000);
    let text = project.ok(COVERAGE, json!({}));
    assert!(
        text.contains("in 4 files") && text.contains("and 1 more like it"),
        "{text}"
    );
}

#[test]
fn without_a_report_the_command_that_makes_one_is_named() {
    let project = Project::with(&[("Cargo.toml", ""), ("coverage.xml", "<config/>")]);
    let text = project.fails(COVERAGE, json!({}), Code::NotApplicable);
    assert!(text.contains("cargo llvm-cov --lcov"), "{text}");
    project.put("lcov.info", LCOV);
    let text = project.fails(COVERAGE, json!({"path": "Cargo.toml"}), Code::NotApplicable);
    assert!(
        text.contains("Cargo.toml is in no report (lcov.info"),
        "{text}"
    );
    project.put(
        "jacoco.xml",
        "<report name=\"x\"><package name=\"a\"></report",
    );
    let text = project.fails(COVERAGE, json!({}), Code::NotApplicable);
    assert!(text.contains("jacoco.xml is damaged"), "{text}");
}

#[test]
fn a_report_that_was_cut_off_or_is_none_does_not_pass_for_little_coverage_or_for_no_report() {
    for (file, report, last) in [
        ("lcov.info", LCOV, "end_of_record"),
        ("coverage.xml", COBERTURA, "</coverage>"),
        ("jacoco.xml", JACOCO, "</report>"),
    ] {
        let end = report.rfind(last).unwrap();
        let project = Project::with(&[(file, &report[..end])]);
        let text = project.fails(COVERAGE, json!({}), Code::NotApplicable);
        assert!(
            text.contains(&format!("{file} is damaged or was cut off")),
            "{text}"
        );
        project.put(file, "");
        let text = project.fails(COVERAGE, json!({}), Code::NotApplicable);
        assert!(text.contains(&format!("{file} is empty")), "{text}");
        project.put(file, "garbage");
        let text = project.fails(COVERAGE, json!({}), Code::NotApplicable);
        assert!(text.contains(&format!("{file} begins like none")), "{text}");
    }
}
