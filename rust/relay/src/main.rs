//! `siderail-relay`: the small process that an agent starts in place of a server.

use std::process::ExitCode;

fn main() -> ExitCode {
    siderail_relay::run(std::env::args_os().skip(1), |name| std::env::var_os(name))
}
