//! Signs a release, with other people's tools; nothing here knows a key, only where one is.
//!
//! macOS files are signed before they are packed, by `rcodesign`; the plugin afterwards, as the marketplace asks.

use std::fs;
use std::path::Path;

use crate::natives::Target;
use crate::step::Step;

/// Whether a release is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signing {
    /// macOS files keep a signature that names nobody.
    Off,
    /// With the keys that these variables lead to.
    On,
}

/// Variables with the paths of files: keys, what belongs to them, and the tool that is not a program.
const APPLE_KEY: &str = "SIDERAIL_APPLE_P12";
const APPLE_PASSWORD: &str = "SIDERAIL_APPLE_P12_PASSWORD_FILE";
const CHAIN: &str = "SIDERAIL_PLUGIN_CHAIN";
const KEY: &str = "SIDERAIL_PLUGIN_KEY";
/// JetBrains' signer, a jar from Maven Central.
const SIGNER: &str = "SIDERAIL_ZIP_SIGNER";
/// The one that holds the word itself; none if the key has no password.
const PASSWORD: &str = "SIDERAIL_PLUGIN_KEY_PASSWORD";

impl Signing {
    /// What has to be there first, each with how.
    pub(super) fn missing(self, root: &Path) -> Vec<String> {
        if self == Self::Off {
            return Vec::new();
        }
        let mut missing: Vec<String> = vendor_missing(root).into_iter().collect();
        if !Step::is_there("rcodesign", &["--version"]) {
            missing.push("`rcodesign`: cargo install apple-codesign".to_owned());
        }
        for name in [APPLE_KEY, APPLE_PASSWORD, CHAIN, KEY, SIGNER] {
            let is_file = std::env::var_os(name).is_some_and(|path| Path::new(&path).is_file());
            if !is_file {
                missing.push(format!("the variable {name}: the path of a file"));
            }
        }
        missing
    }

    /// Signs what a folder holds for macOS.
    pub(super) fn program(self, root: &Path, target: Target, folder: &Path) -> Result<(), String> {
        if self == Self::Off || !target.is_macos() {
            return Ok(());
        }
        let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for file in entries.flatten().map(|entry| entry.path()) {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            if name != "siderail" && name != "siderail-relay" && !name.ends_with(".dylib") {
                continue;
            }
            Step::new(root, "rcodesign sign --code-signature-flags runtime")
                .args(["--p12-file", &value(APPLE_KEY)])
                .args(["--p12-password-file", &value(APPLE_PASSWORD)])
                .paths([&file])
                .run()?;
        }
        Ok(())
    }

    /// Signs the plugin's archive in its place.
    pub(super) fn plugin(self, root: &Path, archive: &Path) -> Result<(), String> {
        if self == Self::Off {
            return Ok(());
        }
        let signed = archive.with_extension("signed");
        // Its tool takes the password as an argument: sign where nobody else can list processes, or take a key without.
        let password = value(PASSWORD);
        let password: &[&str] = match &*password {
            "" => &[],
            password => &["-key-pass", password],
        };
        Step::new(root, "java -jar")
            .args([&*value(SIGNER), "sign", "-in"])
            .paths([&archive.to_owned()])
            .args(["-out"])
            .paths([&signed])
            .args(["-cert-file", &value(CHAIN), "-key-file", &value(KEY)])
            .args(password.iter().copied())
            .run()?;
        fs::rename(&signed, archive).map_err(|e| format!("{}: {e}", archive.display()))
    }
}

fn value(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// What is signed goes to strangers, who have to reach somebody.
fn vendor_missing(root: &Path) -> Option<String> {
    let descriptor = "plugin/src/main/resources/META-INF/plugin.xml";
    let text = fs::read_to_string(root.join(descriptor)).unwrap_or_default();
    let is_missing = !text.contains("<vendor ") || text.contains("siderail.example");
    is_missing.then(|| format!("the vendor's email and address in {descriptor}"))
}
