//! How many items calls of the tools that run here may ask for: for their schemas and for the tools themselves. How long
//! an answer may be is not said here.

use siderail_workspace::arguments::Amount;

/// Commits of an answer.
pub(crate) const COMMITS: Amount = Amount {
    least: 1,
    most: 200,
    usual: 20,
};
/// Files of an answer about coverage.
pub(crate) const COVERED_FILES: Amount = Amount {
    least: 1,
    most: 500,
    usual: 100,
};
/// Tests of a list.
pub(crate) const TESTS: Amount = Amount {
    least: 1,
    most: 1_000,
    usual: 200,
};
