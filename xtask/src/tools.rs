//! Which tools a chore for another system needs on this machine, and which of them are missing.
//!
//! Installs nothing. A build server asks with `--missing` before it runs a chore, so that an emulator that cannot be
//! installed is not mistaken for a test that fails.

use crate::natives::has_library;
use crate::step::Step;

/// Rust's library for a system, and programs with the Debian packages that bring them.
pub(crate) struct Tools {
    pub(crate) system: &'static str,
    pub(crate) triple: &'static str,
    pub(crate) programs: &'static [(&'static str, &'static str)],
}

impl Tools {
    /// What is not there, each with what brings it.
    pub(crate) fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        if !has_library(self.triple) {
            missing.push(format!(
                "Rust's library for {}: rustup target add {}",
                self.system, self.triple
            ));
        }
        for (program, package) in self.programs {
            if !Step::is_there(program, &["--version"]) {
                missing.push(format!("{program}: on Debian, apt-get install {package}"));
            }
        }
        missing
    }
}

/// Fails with all that is missing for a chore.
pub(crate) fn refuse(chore: &str, missing: &[String]) -> Result<(), String> {
    match missing {
        [] => Ok(()),
        missing => Err(format!("{chore} needs\n  {}", missing.join("\n  "))),
    }
}

/// A line for each thing that is missing; none if the chore can run.
pub(crate) fn print(missing: &[String]) -> Result<(), String> {
    for line in missing {
        println!("{line}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Tools, refuse};

    #[test]
    fn what_is_missing_is_named_with_what_brings_it() {
        let tools = Tools {
            system: "nothing",
            triple: "no-such-triple",
            programs: &[("no-such-program-at-all", "its-package")],
        };
        let missing = tools.missing();
        assert_eq!(
            missing,
            [
                "Rust's library for nothing: rustup target add no-such-triple",
                "no-such-program-at-all: on Debian, apt-get install its-package",
            ]
        );
        let refused = refuse("some-test", &missing).expect_err("two are missing");
        assert!(
            refused.starts_with("some-test needs\n  Rust's"),
            "{refused}"
        );
        assert_eq!(refuse("some-test", &[]), Ok(()));
    }
}
