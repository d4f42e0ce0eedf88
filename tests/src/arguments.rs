//! The command lines of the endurance tests.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

/// Arguments after the program's name, taken one by one.
#[derive(Debug)]
pub struct Arguments(Vec<String>);

impl Arguments {
    /// This process's.
    pub fn of_process() -> Self {
        Self(std::env::args().skip(1).collect())
    }

    /// The value of an option, if it was given.
    ///
    /// # Errors
    /// It was given without a value.
    pub fn value(&mut self, name: &str) -> Result<Option<String>, String> {
        let Some(at) = self.0.iter().position(|word| word == name) else {
            return Ok(None);
        };
        if at + 1 == self.0.len() {
            return Err(format!("{name} needs a value"));
        }
        self.0.remove(at);
        Ok(Some(self.0.remove(at)))
    }

    /// The number of an option.
    ///
    /// # Errors
    /// It is none.
    pub fn number<N: FromStr>(&mut self, name: &str, default: N) -> Result<N, String> {
        match self.value(name)? {
            Some(text) => text
                .parse()
                .map_err(|_| format!("{name} {text} is no number")),
            None => Ok(default),
        }
    }

    /// `--seed`, or one from the clock.
    ///
    /// # Errors
    /// It is no number.
    pub fn seed(&mut self) -> Result<u64, String> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        self.number("--seed", u64::from(now.subsec_nanos()))
    }

    /// The program to test: by option, by `SIDERAIL_BIN`, or this one.
    ///
    /// # Errors
    /// There is none.
    pub fn program(&mut self, name: &str, default: Option<PathBuf>) -> Result<PathBuf, String> {
        let given = self
            .value(name)?
            .or_else(|| std::env::var("SIDERAIL_BIN").ok());
        let program = given.map(PathBuf::from).or(default).ok_or_else(|| {
            "there is no siderail to test; build it: cargo build --package siderail-cli".to_owned()
        })?;
        // It is started in other folders than this one.
        program
            .canonicalize()
            .map_err(|error| format!("{}: {error}", program.display()))
    }

    /// Refuses what nobody has taken.
    ///
    /// # Errors
    /// There is such a word.
    pub fn finish(&self) -> Result<(), String> {
        match self.0.first() {
            Some(word) => Err(format!("{word} means nothing here")),
            None => Ok(()),
        }
    }
}
