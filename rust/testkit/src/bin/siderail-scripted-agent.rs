//! The scripted agent as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    siderail_testkit::scripted_agent(std::env::args_os().skip(1).collect())
}
