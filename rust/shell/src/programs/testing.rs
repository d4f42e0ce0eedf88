//! Build tools and test runners: which word means tests, which options take a value, and with which they only list,
//! explain or set up.

use super::packages::OPTIONS;
use crate::args::Grammar;
use crate::classify::{test_targets, test_tasks};
use crate::interpreters::Language;
use crate::ir::{Origin, Stream};
use crate::program::Role::{
    Carries, Does, Fetches, Is, Local, NamesTests, Notes, Runs, Starts, Suggests, Tests, TestsBy,
    WorksIn,
};
use crate::program::When::{Any, By, Subcommand, Unless};
use crate::program::{Fact, Program, Registry, Role, Suggestion, named, roughly};

const HATCH: Role = Tests(
    Subcommand(&["test"]),
    &[
        "-e",
        "--env",
        "-p",
        "--project",
        "--config",
        "--data-dir",
        "--cache-dir",
    ],
    &["--show", "-s"],
);
const DENO: Role = Tests(
    Subcommand(&["test"]),
    &["-c", "--config", "--log-level", "-L"],
    &["--no-run"],
);
#[rustfmt::skip]
const PYTEST: Role = Tests(
    Unless(&[]),
    &[
        "-k", "-m", "-n", "-p", "-c", "-o", "-W", "-r", "--maxfail", "--tb", "--durations", "--ignore", "--deselect",
        "--rootdir", "--basetemp", "--junitxml", "--log-level", "--confcutdir",
    ],
    &[
        "--collect-only", "--co", "--collectonly", "--fixtures", "--funcargs", "--fixtures-per-test", "--markers",
        "--setup-plan", "--cache-show", "-V",
    ],
);
#[rustfmt::skip]
const PHPUNIT: Role = Tests(
    Unless(&[]),
    &["--filter", "--exclude-filter", "--group", "--testsuite", "-c", "--configuration", "--bootstrap", "-d"],
    &[
        "--list-tests", "--list-tests-xml", "--list-suites", "--list-groups", "--list-test-files", "--init",
        "--generate-configuration", "--migrate-configuration", "--check-version", "--atleast-version",
        "--check-php-configuration", "--warm-coverage-cache",
    ],
);
#[rustfmt::skip]
const NOSE: Role = Tests(Unless(&["fixtures"]), &["-k"], &["--collect-only", "--dry-run", "--plugins"]);
const DJANGO_SHELL: Role = Runs(|judge, call| judge.django_shell(call));
const DJANGO: Role = Tests(Subcommand(&["test"]), &["--settings", "--pythonpath"], &[]);
const TARGETED: Role = Suggests(Suggestion::FirstTest);
const MODULE: Role = Is(&[Fact::Module]);
const PACKAGED: Role = Is(&[Fact::Packaged]);
const SCRIPT: Role = Is(&[Fact::Script]);
const MAKES: &[Role] = &[
    Notes(|judge, call| judge.runs_recipes(call)),
    Does(|judge, call| Some(judge.tested(test_tasks::make(&call.options()), call))),
    WorksIn(&["-C", "--directory", "-f"]),
];

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    // Build tools, each by its own rules.
    named(&["gradle"], &[TestsBy(test_tasks::gradle), WorksIn(&["-p", "--project-dir"])]),
    named(&["gradlew"], &[
        TestsBy(test_tasks::gradle), WorksIn(&["-p", "--project-dir"]), Local,
        Is(&[Fact::ShellScript, Fact::HasBatchFile]),
    ]),
    named(&["mvn", "mvnd"], &[
        TestsBy(test_tasks::mavenlike), WorksIn(&["-f", "--file"]), Is(&[Fact::HasBatchFile]),
    ]),
    named(&["mvnw"], &[
        TestsBy(test_tasks::mavenlike), WorksIn(&["-f", "--file"]), Local,
        Is(&[Fact::ShellScript, Fact::HasBatchFile]),
    ]),
    named(&["cargo"], &[
        Fetches(&["install"], &[], Registry::Others), Does(|judge, call| Some(judge.cargo(call))),
        WorksIn(&["--manifest-path", "-C"]), Suggests(Suggestion::FirstBehindTest),
    ]),
    roughly(&["go"], Grammar::of("", &["exec", "toolexec"]), &[
        Notes(|judge, call| judge.go_builds(call)), Carries(&[("", "exec"), ("", "toolexec")]),
        TestsBy(test_tasks::go), WorksIn(&["-C"]), NamesTests, Suggests(Suggestion::FirstBehindTest),
    ]),
    named(&["sbt"], &[TestsBy(test_tasks::sbt), Local]),
    roughly(&["make", "gmake", "remake", "mingw32-make"], MAKE, MAKES),
    named(&["cmake"], &[Runs(|judge, call| judge.cmake_tool(call))]),
    named(&["tox"], &[Does(|judge, call| judge.tox_command(call)), TestsBy(test_targets::tox), MODULE]),
    named(&["nox"], &[Tests(By(test_targets::nox), &[
            "-f", "--noxfile", "-p", "--python", "--pythons", "-k", "--keywords", "-db", "--default-venv-backend",
            "-fb", "--force-venv-backend", "--envdir", "--report", "--force-python", "-P",
        ], &["--list", "--list-sessions", "--install-only"]), MODULE]),
    named(&["nx"], &[TestsBy(test_targets::nx), PACKAGED]),
    named(&["turbo"], &[Tests(By(test_targets::turbo), &[
            "-F", "--filter", "--concurrency", "--cache-dir", "--cwd", "--output-logs", "--log-order",
            "--log-prefix", "--env-mode", "--team", "--token", "--api", "--ui", "--cache", "--global-deps",
            "--scope", "--since", "--ignore", "--profile",
        ], &["--dry-run", "--dry", "--graph"]), WorksIn(&["--cwd"]), PACKAGED]),
    named(&["deno"], &[Runs(|judge, call| judge.deno(call)), DENO]),
    roughly(&["hatch"], OPTIONS, &[Starts(&["run"], 0), HATCH]),
    roughly(&["lerna"], OPTIONS, &[Starts(&["exec"], 0), Tests(By(test_targets::lerna), &[
            "--scope", "--ignore", "--concurrency", "--since", "--npm-client", "--loglevel", "--exclude-dependents",
        ], &[]), PACKAGED]),
    named(&["ng"], &[Tests(By(test_targets::angular), &["-c", "--configuration", "--project"], &[]), PACKAGED]),
    named(&["composer"], &[
        Tests(By(test_targets::composer), &["-d", "--working-dir", "--timeout"], &["-l", "--list"]),
        WorksIn(&["-d", "--working-dir"]),
    ]),
    named(&["rails"], &[
        Runs(|judge, call| judge.rails_runner(call)),
        Tests(By(test_targets::rails), &["-e", "--environment"], &["-T", "-D"]), Local,
    ]),
    named(&["mix"], &[Tests(By(test_targets::mix), &[], &["--dry-run"])]),
    named(&["lein"], &[Tests(By(test_targets::lein), &[], &[])]),
    named(&["zig"], &[Tests(By(test_targets::zig), &[
            "--build-file", "--prefix", "-p", "--summary", "--color", "--cache-dir",
        ], &["-l", "--list-steps", "--test-no-exec"])]),

    // Programs that do nothing but run tests.
    named(&["pytest"], &[
        PYTEST, WorksIn(&["--rootdir"]), NamesTests, TARGETED, Is(&[Fact::Module, Fact::Script]),
    ]),
    named(&["py.test", "pytest-3"], &[PYTEST, WorksIn(&["--rootdir"]), NamesTests]),
    named(&["jest"], &[
        Tests(
            Unless(&[]),
            &["-c", "--config", "-t", "--testNamePattern", "-w", "--maxWorkers", "--rootDir", "--reporters"],
            &["--listTests", "--showConfig", "--init", "--clearCache", "-v"],
        ),
        WorksIn(&["--rootDir"]),
        NamesTests,
        TARGETED,
        SCRIPT,
    ]),
    named(&["vitest"], &[
        Tests(
            Unless(&["list", "init", "bench"]),
            &["-t", "--testNamePattern", "-c", "--config", "--project", "-r", "--root", "--reporter", "--dir"],
            &["--clearCache", "-v"],
        ),
        TARGETED,
        SCRIPT,
    ]),
    named(&["mocha"], &[
        Tests(
            Unless(&["init"]),
            &["-g", "--grep", "-f", "--fgrep", "-R", "--reporter", "-r", "--require", "-t", "--timeout", "--config"],
            &["--dry-run", "--list-reporters", "--list-interfaces", "-V"],
        ),
        TARGETED,
        SCRIPT,
    ]),
    named(&["ava"], &[Tests(Unless(&["reset-cache", "debug"]), &["-m", "--match", "-T", "-c", "--config"], &[])]),
    named(&["tap"], &[
        Tests(
            Unless(&["list", "versions", "version", "config", "plugin", "report", "build", "dump-config"]),
            &["-j", "--jobs", "-t", "--timeout", "-R", "--reporter"],
            &["-v"],
        ),
    ]),
    named(&["jasmine"], &[
        Tests(Unless(&["init", "examples", "enumerate", "version"]), &["--config", "--filter"], &["-v"]),
    ]),
    named(&["karma"], &[Tests(Unless(&["init", "stop", "completion"]), &["--port", "--browsers"], &[])]),
    named(&["rspec"], &[
        Tests(
            Unless(&[]),
            &[
                "-e", "--example", "-E", "-f", "--format", "-t", "--tag", "-o", "--out", "-P", "--pattern", "-r",
                "--require", "-I", "--seed", "--order",
            ],
            &["--dry-run", "--init", "-v"],
        ),
        NamesTests,
        Local,
        TARGETED,
        SCRIPT,
    ]),
    named(&["phpunit"], &[PHPUNIT, NamesTests, Local, TARGETED, SCRIPT]),
    named(&["pest"], &[PHPUNIT, NamesTests, Local]),
    named(&["behat", "cucumber", "cucumber-js", "minitest"], &[
        Tests(
            Unless(&[]),
            &["-t", "--tags", "-n", "--name", "-p", "--profile", "-f", "--format", "-c", "--config", "-s", "--suite"],
            &[
                "--dry-run", "-d", "--init", "--definitions", "-dl", "-di", "--story-syntax", "--config-reference",
                "--i18n-languages", "--i18n-keywords", "-V",
            ],
        ),
    ]),
    named(&["behave"], &[
        Tests(
            Unless(&[]),
            &["-t", "--tags", "-n", "--name", "-f", "-o"],
            &["-d", "--dry-run", "--steps-catalog", "--lang-list"],
        ),
    ]),
    named(&["robot"], &[Tests(Unless(&[]), &["-t", "--test", "-s", "--suite", "-i", "-e", "-d", "-v"], &["--dryrun"])]),
    named(&["ctest"], &[
        Tests(
            Unless(&[]),
            &[
                "-R", "-E", "-L", "-LE", "-C", "-O", "-I", "-M", "-T", "-S", "-D", "-A", "--tests-regex",
                "--exclude-regex", "--test-dir", "--timeout", "--output-log", "--preset", "--build-config",
            ],
            &["-N", "--show-only", "--print-labels", "--list-presets"],
        ),
        WorksIn(&["--test-dir"]),
    ]),
    named(&["gotestsum"], &[Tests(Unless(&["tool"]), &["-f", "--format", "--junitfile", "--jsonfile"], &[])]),
    named(&["ginkgo"], &[
        Tests(
            Unless(&["bootstrap", "generate", "build", "outline", "labels", "unfocus", "convert", "version"]),
            &["--focus", "--skip", "--label-filter"],
            &["--dry-run", "--dryRun", "-dryRun", "-dry-run"],
        ),
    ]),
    named(&["stestr"], &[
        Tests(Subcommand(&["run"]), &["--config", "-c", "--test-path", "-d", "--user-config"], &["-l", "--list"]),
        PACKAGED,
    ]),
    named(&["nosetests", "green", "ward"], &[NOSE]),
    named(&["nose2"], &[NOSE, MODULE]),
    named(&["bats"], &[Tests(Unless(&[]), &["-f", "--filter", "-j", "--jobs"], &["--count", "-c"])]),
    named(&["shellspec"], &[
        Tests(
            Unless(&[]),
            &["-e", "--example", "-s", "--shell"],
            &["--count", "--list", "--init", "--syntax-check", "--translate", "--env-info"],
        ),
    ]),
    named(&["busted"], &[Tests(Unless(&[]), &["-t", "--tags", "--filter", "-p"], &["--list"])]),
    named(&["prove"], &[Tests(Unless(&[]), &["-I", "-e", "--exec", "-j"], &["-D", "--dry"])]),

    // Programs with a subcommand or a target that runs tests.
    named(&["dotnet"], &[
        Does(|judge, call| judge.watched_by_dotnet(call)),
        Tests(Subcommand(&["test", "vstest"]), &[], &["--list-tests", "-t", "--ListTests", "-lt"]),
    ]),
    named(&["bazel", "bazelisk", "buck", "buck2", "please", "plz"], &[
        Tests(
            Subcommand(&["test", "coverage", "cover"]),
            &[
                "--output_base", "--output_user_root", "--bazelrc", "--host_jvm_args", "--server_javabase",
                "--install_base", "--max_idle_secs", "--digest_function", "--isolation-dir",
            ],
            &["--nobuild"],
        ),
        Local,
    ]),
    named(&["pants"], &[Tests(Any(&["test"]), &["--pants-config-files", "--tag", "--changed-since"], &[])]),
    named(&["swift"], &[
        Does(|_, call| (call.word(1) == "list").then_some(Stream::printed(Origin::Program))),
        Tests(Subcommand(&["test"]), &["--package-path", "-c", "--filter", "--skip"], &["--list-tests", "-l"]),
        WorksIn(&["--package-path"]),
    ]),
    named(&["playwright"], &[Tests(Subcommand(&["test"]), &[], &["--list"]), PACKAGED]),
    named(&["cypress"], &[Tests(Subcommand(&["run"]), &[], &[]), PACKAGED]),
    named(&["manage.py"], &[DJANGO_SHELL, DJANGO, Local, SCRIPT]),
    named(&["django-admin"], &[DJANGO_SHELL, DJANGO, Local]),
    named(&["artisan"], &[
        Tests(Subcommand(&["test"]), &["--env"], &["--list-tests", "--list-groups", "--list-suites"]),
        Local,
        SCRIPT,
    ]),
    named(&["rake"], &[
        Runs(|judge, call| judge.rake_script(call)),
        Tests(
            Any(&["test", "spec", "test:all", "test:system"]),
            &["-f", "--rakefile", "-I", "-r", "-C", "--directory"],
            &["-T", "--tasks", "-D", "--describe", "-W", "--where", "-P", "--prereqs", "-A", "-n", "--dry-run", "-V"],
        ),
    ]),
    named(&["cabal"], &[
        Tests(Subcommand(&["test", "v2-test", "new-test"]), &["--config-file", "--store-dir"], &["--dry-run"]),
    ]),
    named(&["stack"], &[
        Tests(
            Subcommand(&["test"]),
            &["--resolver", "--snapshot", "--stack-yaml", "--work-dir"],
            &["--no-run-tests", "--dry-run"],
        ),
    ]),
    named(&["flutter", "dart"], &[Tests(Subcommand(&["test"]), &["-d", "--device-id"], &[])]),
    named(&["meson"], &[Tests(Subcommand(&["test"]), &["-C"], &["--list"]), WorksIn(&["-C"])]),
    named(&["forge"], &[Tests(Subcommand(&["test"]), &["--root"], &["--list", "-l"])]),
    named(&["hardhat"], &[Tests(Subcommand(&["test"]), &["--network", "--config", "--tsconfig"], &[])]),
    roughly(&["crystal"], Grammar::wrapper("el", &["eval"]), &[
        Runs(|judge, call| judge.foreign("e", &["eval"], Language::Other, call)),
        Tests(Subcommand(&["test", "tests", "spec"]), &[], &[]),
    ]),
    named(&["gleam", "dub"], &[Tests(Subcommand(&["test", "tests", "spec"]), &[], &[])]),
    named(&["ninja"], &[
        Tests(Any(&["test", "tests"]), &["-C", "-f", "-j", "-k", "-l", "-d", "-w", "-t"], &["-n", "-t"]),
        WorksIn(&["-C"]),
    ]),
    named(&["just"], &[
        Tests(
            Any(&["test", "tests"]),
            &["-f", "--justfile", "-d", "--working-directory", "--shell", "-s", "--show"],
            &["-n", "--dry-run", "-l", "--list", "-s", "--show", "--summary", "--evaluate", "--dump", "--init"],
        ),
        WorksIn(&["-d", "--working-directory"]),
    ]),
    named(&["task"], &[
        Tests(
            Any(&["test", "tests"]),
            &["-d", "--dir", "-t", "--taskfile", "-C", "--concurrency", "-o", "--output"],
            &["-n", "--dry", "-l", "--list", "-a", "--list-all", "--summary", "--status", "-i", "--init"],
        ),
        WorksIn(&["-d", "--dir"]),
    ]),
    named(&["invoke"], &[
        Tests(
            Any(&["test", "tests"]),
            &["-c", "--collection", "-r", "--search-root", "-f", "--config"],
            &["-l", "--list", "-R", "--dry"],
        ),
    ]),
    named(&["lage"], &[
        Tests(Any(&["test"]), &["--to", "--scope", "--since", "--concurrency", "--reporter"], &["--info"]),
    ]),
    named(&["xcodebuild"], &[
        Tests(
            Any(&["test", "test-without-building"]),
            &[
                "-project", "-workspace", "-scheme", "-target", "-configuration", "-arch", "-sdk", "-destination",
                "-destination-timeout", "-derivedDataPath", "-resultBundlePath", "-xcconfig", "-toolchain",
                "-testPlan", "-xctestrun", "-jobs", "-archivePath", "-exportPath",
                "-maximum-parallel-testing-workers", "-parallel-testing-enabled", "-enableCodeCoverage",
                "-only-testing", "-skip-testing",
            ],
            &[
                "-dry-run", "-n", "-list", "-version", "-usage", "-help", "-showsdks", "-showBuildSettings",
                "-showdestinations", "-showTestPlans", "-enumerate-tests",
            ],
        ),
    ]),
];

#[rustfmt::skip]
const MAKE: Grammar = Grammar {
    attached: "jlO",
    ..Grammar::gnu(
        "fCIEoW",
        &[
            "file", "makefile", "directory", "eval", "include-dir", "old-file", "new-file", "assume-old", "assume-new",
            "what-if",
        ],
    )
};
