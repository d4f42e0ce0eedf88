//! The command `siderail`.

use std::process::ExitCode;

fn main() -> ExitCode {
    siderail_cli::main()
}
