//! Test runners whose command line follows one pattern: which word means tests, which options take a value, and
//! with which they only list, explain or set up.

use super::test_line::Line;

/// What a tool must be given to run tests.
enum Runs {
    /// It does nothing else, unless the first operand is one of these.
    Unless(&'static [&'static str]),
    /// The first operand is one of these.
    First(&'static [&'static str]),
    /// One of these stands anywhere among the operands.
    Any(&'static [&'static str]),
}

/// A test runner, or a program with a task that runs tests.
pub(super) struct Tool {
    pub(super) names: &'static [&'static str],
    runs: Runs,
    /// The options that take the next word.
    valued: &'static [&'static str],
    /// The options with which it runs no test.
    looks: &'static [&'static str],
}

use Runs::{Any, First, Unless};

const fn tool(
    names: &'static [&'static str],
    runs: Runs,
    valued: &'static [&'static str],
    looks: &'static [&'static str],
) -> Tool {
    Tool {
        names,
        runs,
        valued,
        looks,
    }
}

/// Programs that do nothing but run tests.
#[rustfmt::skip]
pub(super) const RUNNERS: &[Tool] = &[
    tool(
        &["pytest", "py.test", "pytest-3"],
        Unless(&[]),
        &["-k", "-m", "-n", "-p", "-c", "-o", "-W", "-r", "--maxfail", "--tb", "--durations", "--ignore",
            "--deselect", "--rootdir", "--basetemp", "--junitxml", "--log-level", "--confcutdir"],
        &["--collect-only", "--co", "--collectonly", "--fixtures", "--funcargs", "--fixtures-per-test",
            "--markers", "--setup-plan", "--cache-show", "-V"],
    ),
    tool(
        &["jest"],
        Unless(&[]),
        &["-c", "--config", "-t", "--testNamePattern", "-w", "--maxWorkers", "--rootDir", "--reporters"],
        &["--listTests", "--showConfig", "--init", "--clearCache", "-v"],
    ),
    tool(
        &["vitest"],
        Unless(&["list", "init", "bench"]),
        &["-t", "--testNamePattern", "-c", "--config", "--project", "-r", "--root", "--reporter", "--dir"],
        &["--clearCache", "-v"],
    ),
    tool(
        &["mocha"],
        Unless(&["init"]),
        &["-g", "--grep", "-f", "--fgrep", "-R", "--reporter", "-r", "--require", "-t", "--timeout", "--config"],
        &["--dry-run", "--list-reporters", "--list-interfaces", "-V"],
    ),
    tool(&["ava"], Unless(&["reset-cache", "debug"]), &["-m", "--match", "-T", "-c", "--config"], &[]),
    tool(
        &["tap"],
        Unless(&["list", "versions", "version", "config", "plugin", "report", "build", "dump-config"]),
        &["-j", "--jobs", "-t", "--timeout", "-R", "--reporter"],
        &["-v"],
    ),
    tool(&["jasmine"], Unless(&["init", "examples", "enumerate", "version"]), &["--config", "--filter"], &["-v"]),
    tool(&["karma"], Unless(&["init", "stop", "completion"]), &["--port", "--browsers"], &[]),
    tool(
        &["rspec"],
        Unless(&[]),
        &["-e", "--example", "-E", "-f", "--format", "-t", "--tag", "-o", "--out", "-P", "--pattern", "-r",
            "--require", "-I", "--seed", "--order"],
        &["--dry-run", "--init", "-v"],
    ),
    tool(
        &["phpunit", "pest"],
        Unless(&[]),
        &["--filter", "--exclude-filter", "--group", "--testsuite", "-c", "--configuration", "--bootstrap", "-d"],
        &["--list-tests", "--list-tests-xml", "--list-suites", "--list-groups", "--list-test-files", "--init",
            "--generate-configuration", "--migrate-configuration", "--check-version", "--atleast-version",
            "--check-php-configuration", "--warm-coverage-cache"],
    ),
    tool(
        &["behat", "cucumber", "cucumber-js", "minitest"],
        Unless(&[]),
        &["-t", "--tags", "-n", "--name", "-p", "--profile", "-f", "--format", "-c", "--config", "-s", "--suite"],
        &["--dry-run", "-d", "--init", "--definitions", "-dl", "-di", "--story-syntax", "--config-reference",
            "--i18n-languages", "--i18n-keywords", "-V"],
    ),
    tool(&["behave"], Unless(&[]), &["-t", "--tags", "-n", "--name", "-f", "-o"], &["-d", "--dry-run", "--steps-catalog", "--lang-list"]),
    tool(&["robot"], Unless(&[]), &["-t", "--test", "-s", "--suite", "-i", "-e", "-d", "-v"], &["--dryrun"]),
    tool(
        &["ctest"],
        Unless(&[]),
        &["-R", "-E", "-L", "-LE", "-C", "-O", "-I", "-M", "-T", "-S", "-D", "-A", "--tests-regex",
            "--exclude-regex", "--test-dir", "--timeout", "--output-log", "--preset", "--build-config"],
        &["-N", "--show-only", "--print-labels", "--list-presets"],
    ),
    tool(&["gotestsum"], Unless(&["tool"]), &["-f", "--format", "--junitfile", "--jsonfile"], &[]),
    tool(
        &["ginkgo"],
        Unless(&["bootstrap", "generate", "build", "outline", "labels", "unfocus", "convert", "version"]),
        &["--focus", "--skip", "--label-filter"],
        &["--dry-run", "--dryRun", "-dryRun", "-dry-run"],
    ),
    tool(&["stestr"], First(&["run"]), &["--config", "-c", "--test-path", "-d", "--user-config"], &["-l", "--list"]),
    tool(&["nosetests", "nose2", "green", "ward"], Unless(&["fixtures"]), &["-k"], &["--collect-only", "--dry-run", "--plugins"]),
    tool(&["bats"], Unless(&[]), &["-f", "--filter", "-j", "--jobs"], &["--count", "-c"]),
    tool(
        &["shellspec"],
        Unless(&[]),
        &["-e", "--example", "-s", "--shell"],
        &["--count", "--list", "--init", "--syntax-check", "--translate", "--env-info"],
    ),
    tool(&["busted"], Unless(&[]), &["-t", "--tags", "--filter", "-p"], &["--list"]),
    tool(&["prove"], Unless(&[]), &["-I", "-e", "--exec", "-j"], &["-D", "--dry"]),
];

/// Programs with a subcommand or a target that runs tests.
#[rustfmt::skip]
pub(super) const PROGRAMS: &[Tool] = &[
    tool(&["dotnet"], First(&["test", "vstest"]), &[], &["--list-tests", "-t", "--ListTests", "-lt"]),
    tool(
        &["bazel", "bazelisk", "buck", "buck2", "please", "plz"],
        First(&["test", "coverage", "cover"]),
        &["--output_base", "--output_user_root", "--bazelrc", "--host_jvm_args", "--server_javabase",
            "--install_base", "--max_idle_secs", "--digest_function", "--isolation-dir"],
        &["--nobuild"],
    ),
    tool(&["pants"], Any(&["test"]), &["--pants-config-files", "--tag", "--changed-since"], &[]),
    tool(&["swift"], First(&["test"]), &["--package-path", "-c", "--filter", "--skip"], &["--list-tests", "-l"]),
    tool(&["hatch"], First(&["test"]), &["-e", "--env", "-p", "--project", "--config", "--data-dir", "--cache-dir"], &["--show", "-s"]),
    tool(&["deno"], First(&["test"]), &["-c", "--config", "--log-level", "-L"], &["--no-run"]),
    tool(&["playwright"], First(&["test"]), &[], &["--list"]),
    tool(&["cypress"], First(&["run"]), &[], &[]),
    tool(&["manage.py", "django-admin"], First(&["test"]), &["--settings", "--pythonpath"], &[]),
    tool(&["artisan"], First(&["test"]), &["--env"], &["--list-tests", "--list-groups", "--list-suites"]),
    tool(
        &["rake"],
        Any(&["test", "spec", "test:all", "test:system"]),
        &["-f", "--rakefile", "-I", "-r", "-C", "--directory"],
        &["-T", "--tasks", "-D", "--describe", "-W", "--where", "-P", "--prereqs", "-A", "-n", "--dry-run", "-V"],
    ),
    tool(&["cabal"], First(&["test", "v2-test", "new-test"]), &["--config-file", "--store-dir"], &["--dry-run"]),
    tool(&["stack"], First(&["test"]), &["--resolver", "--snapshot", "--stack-yaml", "--work-dir"], &["--no-run-tests", "--dry-run"]),
    tool(&["flutter", "dart"], First(&["test"]), &["-d", "--device-id"], &[]),
    tool(&["meson"], First(&["test"]), &["-C"], &["--list"]),
    tool(&["forge"], First(&["test"]), &["--root"], &["--list", "-l"]),
    tool(&["hardhat"], First(&["test"]), &["--network", "--config", "--tsconfig"], &[]),
    tool(&["gleam", "crystal", "dub"], First(&["test", "tests", "spec"]), &[], &[]),
    tool(
        &["ninja"],
        Any(&["test", "tests"]),
        &["-C", "-f", "-j", "-k", "-l", "-d", "-w", "-t"],
        &["-n", "-t"],
    ),
    tool(
        &["just"],
        Any(&["test", "tests"]),
        &["-f", "--justfile", "-d", "--working-directory", "--shell", "-s", "--show"],
        &["-n", "--dry-run", "-l", "--list", "-s", "--show", "--summary", "--evaluate", "--dump", "--init"],
    ),
    tool(
        &["task"],
        Any(&["test", "tests"]),
        &["-d", "--dir", "-t", "--taskfile", "-C", "--concurrency", "-o", "--output"],
        &["-n", "--dry", "-l", "--list", "-a", "--list-all", "--summary", "--status", "-i", "--init"],
    ),
    tool(
        &["invoke"],
        Any(&["test", "tests"]),
        &["-c", "--collection", "-r", "--search-root", "-f", "--config"],
        &["-l", "--list", "-R", "--dry"],
    ),
    tool(
        &["lage"],
        Any(&["test"]),
        &["--to", "--scope", "--since", "--concurrency", "--reporter"],
        &["--info"],
    ),
    tool(
        &["xcodebuild"],
        Any(&["test", "test-without-building"]),
        &["-project", "-workspace", "-scheme", "-target", "-configuration", "-arch", "-sdk", "-destination",
            "-destination-timeout", "-derivedDataPath", "-resultBundlePath", "-xcconfig", "-toolchain", "-testPlan",
            "-xctestrun", "-jobs", "-archivePath", "-exportPath", "-maximum-parallel-testing-workers",
            "-parallel-testing-enabled", "-enableCodeCoverage", "-only-testing", "-skip-testing"],
        &["-dry-run", "-n", "-list", "-version", "-usage", "-help", "-showsdks", "-showBuildSettings",
            "-showdestinations", "-showTestPlans", "-enumerate-tests"],
    ),
];

impl Tool {
    pub(super) fn runs_tests(&self, words: &[&str]) -> bool {
        let line = Line::read(words, self.valued);
        if line.asks_for_help() || line.has(self.looks) {
            return false;
        }
        match &self.runs {
            Unless(modes) => !modes.contains(&line.first()),
            First(tasks) => {
                let lists = line.operands.get(1) == Some(&"list") && self.names.contains(&"swift");
                tasks.contains(&line.first()) && !lists
            }
            Any(tasks) => line.operands.iter().any(|word| tasks.contains(word)),
        }
    }
}
