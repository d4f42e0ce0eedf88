//! Build tools and test runners. Each has its one row here or in a table beside it.

use crate::args::Grammar;
use crate::program::Role::{Carries, Does, First, Notes, Runs};
use crate::program::{Program, Role, named, roughly};

const FETCHES: Role = First(|judge, call| judge.fetches(call));
const RUNNER: Role = Runs(|judge, call| judge.runner(call));
const INTERPRETER: Role = Runs(|judge, call| judge.interpreter(call));
const RECIPES: Role = Notes(|judge, call| judge.runs_recipes(call));
const TESTS: Role = Does(|judge, call| judge.test_runner(call));

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    named(&["npm", "pnpm", "yarn"], &[FETCHES, RUNNER, TESTS]),
    named(&["bun"], &[FETCHES, RUNNER, INTERPRETER, TESTS]),
    named(&["cargo"], &[FETCHES, TESTS]),
    named(&["hatch", "lerna"], &[RUNNER, TESTS]),
    named(&["deno", "rails", "rake", "manage.py", "django-admin", "crystal"], &[INTERPRETER, TESTS]),
    roughly(&["go"], Grammar::of("", &["exec", "toolexec"]), &[
        Notes(|judge, call| judge.go_builds(call)), Carries(&[("", "exec"), ("", "toolexec")]), TESTS,
    ]),
    named(&["make", "gmake", "remake", "mingw32-make"], &[RECIPES, TESTS]),
    named(
        &[
            "gradle", "gradlew", "mvn", "mvnw", "mvnd", "sbt", "tox", "nox", "nx", "turbo", "ng", "dotnet",
            "composer", "mix", "lein", "zig", "pytest", "py.test", "pytest-3", "jest", "vitest", "mocha", "ava",
            "tap", "jasmine", "karma", "rspec", "phpunit", "pest", "behat", "cucumber", "cucumber-js", "minitest",
            "behave", "robot", "ctest", "gotestsum", "ginkgo", "stestr", "nosetests", "nose2", "green", "ward",
            "bats", "shellspec", "busted", "prove", "bazel", "bazelisk", "buck", "buck2", "please", "plz", "pants",
            "swift", "playwright", "cypress", "artisan", "cabal", "stack", "flutter", "dart", "meson", "forge",
            "hardhat", "gleam", "dub", "ninja", "just", "task", "invoke", "lage", "xcodebuild",
        ],
        &[TESTS],
    ),
];
