//! How a process ended, on every system, and how that is worded. It knows no process.

use std::fmt;

/// What a shell adds to the number of a signal for its exit code.
const SIGNALS_FROM: i32 = 128;
/// Signals with the same number on every Unix that programs do not turn into an exit code of their own: a crash (SIGILL,
/// SIGABRT, SIGFPE, SIGSEGV) and SIGKILL. Of the others, such as SIGTERM, many exit with that very code by themselves.
const DEADLY: [i32; 5] = [4, 6, 8, 9, 11];

/// How a process ended. Both are `None` when that could not be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Exit {
    /// The exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Exit {
    /// The same of a program behind a [`Guardian`](super::Guardian), whose own exit code is derived from the program's: as a
    /// shell, it adds 128 to the number of the signal that ended it. Only what can be nothing else is taken for a signal.
    pub fn behind_guardian(self) -> Self {
        let signal = self.code.map(|code| code - SIGNALS_FROM);
        match signal.filter(|signal| DEADLY.contains(signal)) {
            Some(_) => Self { code: None, signal },
            None => self,
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
    fn a_guardians_exit_code_is_the_signal_that_ended_the_program_where_it_can_be_nothing_else() {
        let exit = |code| Exit {
            code: Some(code),
            signal: None,
        };
        for code in [0, 7, 128, 130, 143, 160, 255, -1] {
            assert_eq!(exit(code).behind_guardian(), exit(code));
        }
        for (code, signal) in [(134, 6), (137, 9), (139, 11)] {
            let killed = Exit {
                code: None,
                signal: Some(signal),
            };
            assert_eq!(exit(code).behind_guardian(), killed);
            assert_eq!(killed.behind_guardian(), killed);
        }
    }
}
