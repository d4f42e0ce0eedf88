//! How a process ended, on every system, and how that is worded. It knows no process.

use std::fmt;

/// How a process ended. Both are `None` when that could not be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Exit {
    /// The exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Exit {
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
