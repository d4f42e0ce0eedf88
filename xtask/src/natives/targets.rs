//! The five machines that natives are built for, and what builds for each on Linux.

use std::path::Path;
use std::process::Command;

use crate::step::Step;

/// Linux: the oldest C library that Rust's own library runs with.
pub(super) const GLIBC: (u32, u32) = (2, 17);

/// The oldest macOS that natives run on; Zig's own choice is one of the newest.
pub(super) const OLDEST_MACOS: &str = "12.0";

/// One machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// As the plugin's loader names it.
    pub(crate) name: &'static str,
    /// As rustup names it.
    pub(crate) triple: &'static str,
    pub(crate) system: System,
    /// As an object file names its processor.
    pub(super) machine: object::Architecture,
}

/// What differs between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Linux,
    MacOs,
    Windows,
}

pub(crate) const ALL: [Target; 5] = [
    Target {
        name: "linux-x86_64",
        triple: "x86_64-unknown-linux-gnu",
        system: System::Linux,
        machine: object::Architecture::X86_64,
    },
    Target {
        name: "linux-aarch64",
        triple: "aarch64-unknown-linux-gnu",
        system: System::Linux,
        machine: object::Architecture::Aarch64,
    },
    Target {
        name: "macos-x86_64",
        triple: "x86_64-apple-darwin",
        system: System::MacOs,
        machine: object::Architecture::X86_64,
    },
    Target {
        name: "macos-aarch64",
        triple: "aarch64-apple-darwin",
        system: System::MacOs,
        machine: object::Architecture::Aarch64,
    },
    Target {
        name: "windows-x86_64",
        triple: "x86_64-pc-windows-gnu",
        system: System::Windows,
        machine: object::Architecture::X86_64,
    },
];

impl Target {
    pub(super) fn named(name: &str) -> Result<Self, String> {
        let found = ALL.into_iter().find(|target| target.name == name);
        found.ok_or_else(|| {
            let names = ALL.map(|target| target.name).join(", ");
            format!("there is no target {name}; there are {names}")
        })
    }

    pub(crate) fn library(self) -> &'static str {
        match self.system {
            System::Linux => "libsiderail_jni.so",
            System::MacOs => "libsiderail_jni.dylib",
            System::Windows => "siderail_jni.dll",
        }
    }

    /// The program of a package, as the system names it.
    pub(crate) fn program_of(self, package: &str) -> String {
        // The command line is a library with a small program, and that has the project's name.
        let name = match package {
            "siderail-cli" => "siderail",
            name => name,
        };
        let suffix = match self.system {
            System::Windows => ".exe",
            System::Linux | System::MacOs => "",
        };
        format!("{name}{suffix}")
    }

    pub(crate) fn is_windows(self) -> bool {
        self.system == System::Windows
    }

    pub(crate) fn is_macos(self) -> bool {
        self.system == System::MacOs
    }

    /// The command ahead of `rustc` or `build`. Zig brings linkers and the C libraries of Linux and macOS.
    pub(super) fn builder(self) -> &'static str {
        match self.system {
            System::Windows => "cargo",
            System::Linux | System::MacOs => "cargo-zigbuild",
        }
    }

    /// The triple that the builder is given: with the C library's version where Zig can choose one.
    pub(super) fn given(self) -> String {
        match self.system {
            System::Linux => format!("{}.{}.{}", self.triple, GLIBC.0, GLIBC.1),
            System::MacOs | System::Windows => self.triple.to_owned(),
        }
    }

    /// What has to be installed first, each with how.
    pub(crate) fn missing(self) -> Vec<String> {
        let mut missing = Vec::new();
        if !has_library(self.triple) {
            missing.push(format!(
                "Rust's library for {}: rustup target add {}",
                self.name, self.triple
            ));
        }
        let tools: &[(&str, &[&str], &str)] = match self.system {
            System::Windows => &[(
                "x86_64-w64-mingw32-gcc",
                &["--version"],
                "on Debian, apt-get install gcc-mingw-w64-x86-64",
            )],
            System::Linux | System::MacOs => &[
                ("cargo-zigbuild", &["--help"], "pip install cargo-zigbuild"),
                (
                    "python3",
                    &["-m", "ziglang", "version"],
                    "pip install ziglang",
                ),
            ],
        };
        for (program, words, how) in tools {
            if !Step::is_there(program, words) {
                missing.push(format!("`{program} {}`: {how}", words.join(" ")));
            }
        }
        missing
    }
}

/// Whether rustup has brought the library for a triple.
pub(crate) fn has_library(triple: &str) -> bool {
    let found = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", triple])
        .output();
    found.is_ok_and(|found| Path::new(String::from_utf8_lossy(&found.stdout).trim()).is_dir())
}
