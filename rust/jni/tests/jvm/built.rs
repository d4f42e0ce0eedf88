//! Finds what tests start, and builds it where it is not of the sources as they are now.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

/// A program or library of this package's examples, as the sources are now.
pub(crate) fn built(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("this program has a path");
    let profile = own.parent().and_then(Path::parent).expect("it is in deps");
    rebuild(profile.ends_with("release"));
    profile.join("examples").join(name)
}

/// `cargo test --test jvm` builds no examples, and would try an old library.
fn rebuild(is_release: bool) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let mut build = Command::new(cargo);
        build.args([
            "build",
            "--quiet",
            "--package",
            "siderail-jni",
            "--examples",
        ]);
        build.args(is_release.then_some("--release"));
        let status = build.current_dir(env!("CARGO_MANIFEST_DIR")).status();
        assert!(
            status.expect("cargo starts").success(),
            "the examples are built"
        );
    });
}
