//! How a process ended, on every system, and how that is worded. It knows no process.

use std::fmt;

/// What a shell adds to the number of a signal for its exit code.
const SIGNALS_FROM: i32 = 128;
/// The exit codes that stand for the first and the last of the signals that have a name of their own on every Unix.
const FIRST_SIGNAL_CODE: i32 = SIGNALS_FROM + 1;
const LAST_SIGNAL_CODE: i32 = SIGNALS_FROM + 31;

/// How a process ended. Both are `None` when that could not be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Exit {
    /// The exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Exit {
    /// The same of a program behind a [`Guardian`](super::Guardian), whose own exit code tells of the program's: as a
    /// shell, it adds 128 to the number of the signal that ended it.
    pub fn behind_guardian(self) -> Self {
        match self.code {
            Some(code @ FIRST_SIGNAL_CODE..=LAST_SIGNAL_CODE) => Self {
                code: None,
                signal: Some(code - SIGNALS_FROM),
            },
            _ => self,
        }
    }

    /// Whether the program says that all went well.
    pub fn is_success(&self) -> bool {
        self.code == Some(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(formatter, "exited with code {code}"),
            (None, Some(signal)) => write!(formatter, "was ended by signal {signal}"),
            (None, None) => formatter.write_str("is gone"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guardians_exit_code_above_128_is_the_signal_that_ended_the_program() {
        let exit = |code| Exit {
            code: Some(code),
            signal: None,
        };
        for code in [0, 7, 128, 160, 255] {
            assert_eq!(exit(code).behind_guardian(), exit(code));
        }
        for (code, signal) in [(129, 1), (137, 9), (159, 31)] {
            let killed = Exit {
                code: None,
                signal: Some(signal),
            };
            assert_eq!(exit(code).behind_guardian(), killed);
            assert_eq!(killed.behind_guardian(), killed);
        }
    }
}
