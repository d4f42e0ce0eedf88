//! `cargo xtask release` on a machine that lacks what it needs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A release where no program is found.
fn release(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("release")
        .args(words)
        .env("PATH", "/nowhere")
        .output()
        .expect("the program was built for this test")
}

/// What an earlier release has made.
fn made() -> BTreeSet<PathBuf> {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist");
    let entries = [dist.clone(), dist.join("release")].map(std::fs::read_dir);
    let entries = entries.into_iter().flatten().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[test]
fn without_its_tools_a_release_names_them_and_builds_nothing() {
    let before = made();
    let output = release(&[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{said}");
    for tool in [
        "x86_64-w64-mingw32-gcc",
        "pip install cargo-zigbuild",
        "pip install ziglang",
        "rustup target add aarch64-apple-darwin",
        "Maven",
        "`tar`",
        "`gzip`",
        "`jar`",
    ] {
        assert!(said.contains(tool), "{tool} is not named: {said}");
    }
    assert!(said.contains("nothing was built"), "{said}");
    assert!(!said.contains("SIDERAIL_PLUGIN_KEY"), "{said}");
    assert_eq!(made(), before);
}

#[test]
fn a_signed_release_wants_keys_and_a_vendor_whom_people_reach() {
    let output = release(&["--sign"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{said}");
    for need in [
        "rcodesign",
        "SIDERAIL_APPLE_P12",
        "SIDERAIL_PLUGIN_KEY",
        "SIDERAIL_ZIP_SIGNER",
    ] {
        assert!(said.contains(need), "{need} is not named: {said}");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let descriptor =
        std::fs::read_to_string(root.join("plugin/src/main/resources/META-INF/plugin.xml"));
    let is_placeholder = descriptor.unwrap().contains("siderail.example");
    assert_eq!(
        said.contains("the vendor's email and address"),
        is_placeholder,
        "{said}"
    );
}
