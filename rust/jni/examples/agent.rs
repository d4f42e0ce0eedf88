//! The relay and the scripted agent in one program, for tests that start both.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    match words.next().as_deref().and_then(|word| word.to_str()) {
        Some("relay") => siderail_relay::run(words, |name| std::env::var_os(name)),
        Some("scripted-agent") => siderail_testkit::scripted_agent(words.collect()),
        _ => {
            eprintln!("usage: agent relay … | agent scripted-agent …");
            ExitCode::from(2)
        }
    }
}
