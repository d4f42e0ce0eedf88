//! Damaged input under a memory limit, short form; the long one is
//! `cargo run --release -p siderail-oracles --bin mutate -- --inputs 1000000`.

#![cfg(unix)]

use std::process::Command;

#[test]
fn damaged_input_brings_no_panic_no_hang_and_no_growth() {
    let output = Command::new(env!("CARGO_BIN_EXE_mutate"))
        .args(["--inputs", "20000"])
        .output()
        .expect("the program is built for this test");
    let (out, error) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    println!("{out}");
    assert!(output.status.success(), "{out}\n{error}");
    assert!(out.contains("20000 inputs"), "{out}");
}
