//! The plugin's Maven build as a step of chores: found, its JDK looked at, run.

use std::path::{Path, PathBuf};

use crate::natives;
use crate::step::Step;

/// The oldest JDK that compiles the plugin.
const LEAST_JDK: u32 = 17;

/// Compiles and tests the plugin with natives that are built quickly; the runner's closing lines.
pub(crate) fn test(root: &Path) -> Result<Vec<String>, String> {
    find(root)?;
    natives::for_tests(root)?;
    let folders = [
        "-Dsiderail.natives.required=true".to_owned(),
        format!(
            "-Dnatives.folder={}",
            root.join("target/test-natives").display()
        ),
        format!("-Dzip.folder={}", root.join("target/test-zip").display()),
    ];
    build(root, "verify")
        .args(folders.iter().map(String::as_str))
        .run_keeping(is_closing)
}

/// Makes `dist/siderail-VERSION.zip` from natives that are built for people, and judges it.
pub(crate) fn dist(root: &Path) -> Result<(), String> {
    find(root)?;
    natives::run(root)?;
    build(root, "verify").args(["--quiet"]).run()?;
    println!("made {}", archive(root).display());
    Ok(())
}

/// Times searches of the plugin's host in the projects of `folder`, with tools that are built for people.
pub(crate) fn search_times(root: &Path, folder: &Path) -> Result<(), String> {
    find(root)?;
    let natives = folder.join("natives");
    natives::tools_for_times(root, &folder.join("test-programs"))?;
    let words = [
        "--quiet".to_owned(),
        "-Dtest=SearchTimes".to_owned(),
        "-Dsurefire.failIfNoSpecifiedTests=false".to_owned(),
        format!("-Dnatives.folder={}", natives.display()),
        format!("-Dsiderail.sources={}", folder.display()),
    ];
    build(root, "test")
        .args(words.iter().map(String::as_str))
        .run()
}

/// Makes the archive in `folder`, of the natives that are there, and judges it. Needs those of this machine for its tests.
pub(crate) fn release(root: &Path, folder: &Path) -> Result<(), String> {
    natives::for_plugin_tests(root)?;
    let folder = format!("-Dzip.folder={}", folder.display());
    build(root, "verify")
        .args(["--quiet", "-Dsiderail.natives.required=true", &folder])
        .run()
}

/// What `dist` makes.
pub(crate) fn archive(root: &Path) -> PathBuf {
    root.join(format!("dist/siderail-{}.zip", env!("CARGO_PKG_VERSION")))
}

fn build(root: &Path, goal: &str) -> Step {
    let line = "mvn --batch-mode --no-transfer-progress -Dstyle.color=never -f plugin/pom.xml";
    Step::new(root, line).args([goal])
}

/// The sums of a run of tests, not the line of each class.
fn is_closing(line: &str) -> bool {
    let text = line
        .trim_start_matches("[INFO] ")
        .trim_start_matches("[WARNING] ");
    text.starts_with("Tests run: ") && !text.contains("Time elapsed")
}

/// Fails with what to install where Maven or a JDK is missing.
pub(crate) fn find(root: &Path) -> Result<(), String> {
    let advice = format!(
        "the plugin is built by Maven 3.8 or later with a JDK from {LEAST_JDK} on; on Debian: \
         apt-get install maven openjdk-17-jdk-headless"
    );
    let output = Step::new(root, "mvn --version")
        .output()
        .map_err(|why| format!("{why}; {advice}"))?;
    let text = String::from_utf8_lossy(&output);
    match java_version(&text) {
        Some(version) if version >= LEAST_JDK => Ok(()),
        Some(version) => Err(format!("mvn runs on Java {version}; {advice}")),
        None => Err(format!("mvn does not say which Java it runs on; {advice}")),
    }
}

/// The main version in `Java version: 17.0.15, vendor: …`; that of Java 8 is written `1.8.0`.
fn java_version(text: &str) -> Option<u32> {
    let version = text.split("Java version: ").nth(1)?;
    let mut numbers = version.split(|letter: char| !letter.is_ascii_digit());
    match numbers.next()?.parse().ok()? {
        1 => numbers.next()?.parse().ok(),
        main => Some(main),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_closing, java_version};

    #[test]
    fn the_java_under_maven_is_known_by_its_main_version() {
        let said =
            |version: &str| format!("Apache Maven 3.8.7\nJava version: {version}, vendor: X\n");
        assert_eq!(java_version(&said("17.0.15")), Some(17));
        assert_eq!(java_version(&said("25")), Some(25));
        assert_eq!(java_version(&said("1.8.0_402")), Some(8));
        assert_eq!(java_version("Apache Maven 3.8.7\n"), None);
    }

    #[test]
    fn closing_lines_are_the_sums() {
        assert!(is_closing(
            "[INFO] Tests run: 207, Failures: 0, Errors: 0, Skipped: 0"
        ));
        assert!(is_closing(
            "[WARNING] Tests run: 9, Failures: 0, Errors: 0, Skipped: 1"
        ));
        assert!(!is_closing(
            "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s -- in X"
        ));
    }
}
