//! Build tools and test runners. Each has its one row here or in a table beside it.

use crate::program::Role::{Does, First, Notes, Runs};
use crate::program::{Program, Role, named};

const FETCHES: Role = First(|judge, call| judge.fetches(call));
const RUNNER: Role = Runs(|judge, call| judge.runner(call));
const INTERPRETER: Role = Runs(|judge, call| judge.interpreter(call));
const MAKES: Role = Notes(|judge, call| judge.makes_files(call));
const RECIPES: Role = Notes(|judge, call| judge.runs_recipes(call));
const TESTS: Role = Does(|judge, call| judge.test_runner(call));
const CARRIES: Role = Notes(|judge, call| judge.carried_commands(call));

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    named(&["npm", "pnpm", "yarn"], &[FETCHES, RUNNER, TESTS]),
    named(&["bun"], &[FETCHES, RUNNER, INTERPRETER, TESTS]),
    named(&["cargo"], &[FETCHES, TESTS]),
    named(&["hatch", "lerna"], &[RUNNER, TESTS]),
    named(&["deno", "rails", "rake", "manage.py", "django-admin", "crystal"], &[INTERPRETER, TESTS]),
    named(&["go"], &[MAKES, TESTS, CARRIES]),
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
