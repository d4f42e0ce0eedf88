//! The command `siderail` as tests of this package start it: the same code, built together with them.

fn main() -> std::process::ExitCode {
    siderail_cli::main()
}
