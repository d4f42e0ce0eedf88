//! Checks a native before it is released: it is for its machine, has the boundary's functions, needs nothing that is
//! not on every such machine, and contains nothing of the machine that it was built on.

use std::collections::BTreeSet;
use std::path::Path;

use object::read::macho::{MachHeader, MachOFile64};
use object::{BinaryFormat, Endianness, Object, ObjectSymbol};

use super::seal;
use super::targets::{GLIBC, System, Target};

/// The newest macOS that may be asked for, as `major.minor`.
const MACOS: (u32, u32) = (12, 0);
/// By this the virtual machine has the functions registered that Java calls; each is exported under its C name as well.
const ON_LOAD: &str = "JNI_OnLoad";
const C_NAMES: &str = "siderail_";
/// Where the functions are named.
const NATIVE: &str = "plugin/src/main/kotlin/dev/siderail/bridge/Native.kt";

/// Shared libraries of each system that are part of it.
const LINUX: [&str; 9] = [
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1",
    "libutil.so.1",
    "libgcc_s.so.1",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
];
const WINDOWS: [&str; 12] = [
    "advapi32.dll",
    "bcrypt.dll",
    "bcryptprimitives.dll",
    "kernel32.dll",
    "msvcrt.dll",
    "ntdll.dll",
    "ole32.dll",
    "secur32.dll",
    "shell32.dll",
    "user32.dll",
    "userenv.dll",
    "ws2_32.dll",
];

/// What is wrong with a native; nothing where it may go.
pub(super) fn faults(root: &Path, target: Target, name: &str, bytes: &[u8]) -> Vec<String> {
    let file = match object::File::parse(bytes) {
        Ok(file) => file,
        Err(error) => return vec![format!("it is no program or library: {error}")],
    };
    let mut faults = Vec::new();
    let format = match target.system {
        System::Linux => BinaryFormat::Elf,
        System::MacOs => BinaryFormat::MachO,
        System::Windows => BinaryFormat::Pe,
    };
    if file.format() != format || file.architecture() != target.machine {
        faults.push(format!(
            "it is {:?} for {:?}, not {format:?} for {:?}",
            file.format(),
            file.architecture(),
            target.machine
        ));
        return faults;
    }
    if name == target.library() {
        faults.extend(exports(root, &file));
    }
    faults.extend(match target.system {
        System::Linux => linux(bytes),
        System::MacOs => macos(bytes),
        System::Windows => windows(&file),
    });
    faults.extend(traces(root, bytes));
    faults
}

/// What registers the functions must be there, each that Kotlin declares, and no other of ours.
fn exports(root: &Path, file: &object::File<'_>) -> Vec<String> {
    let mut declared: BTreeSet<String> = match std::fs::read_to_string(root.join(NATIVE)) {
        Ok(text) => text
            .split("external fun ")
            .skip(1)
            .filter_map(|rest| rest.split('(').next().map(c_name))
            .collect(),
        Err(error) => return vec![format!("{NATIVE}: {error}")],
    };
    declared.insert(ON_LOAD.to_owned());
    let mut names: Vec<String> = file
        .exports()
        .into_iter()
        .flatten()
        .map(|export| String::from_utf8_lossy(export.name()).into_owned())
        .collect();
    names.extend(
        file.dynamic_symbols()
            .filter(ObjectSymbol::is_definition)
            .filter_map(|symbol| symbol.name().ok().map(str::to_owned)),
    );
    let exported: BTreeSet<String> = names
        .iter()
        .map(|name| name.trim_start_matches('_'))
        .filter(|name| name.starts_with(C_NAMES) || *name == ON_LOAD)
        .map(str::to_owned)
        .collect();
    match exported == declared && declared.len() > 1 {
        true => Vec::new(),
        false => vec![format!(
            "it exports {exported:?}, and Native.kt declares {declared:?}"
        )],
    }
}

/// `abiVersion` as the C header has it: `siderail_abi_version`.
fn c_name(name: &str) -> String {
    let mut c_name = C_NAMES.to_owned();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            c_name.push('_');
        }
        c_name.push(letter.to_ascii_lowercase());
    }
    c_name
}

fn linux(bytes: &[u8]) -> Vec<String> {
    let mut faults = Vec::new();
    let needed = elf_needed(bytes);
    for library in needed.iter().filter(|name| !LINUX.contains(&name.as_str())) {
        faults.push(format!("it needs {library}"));
    }
    if needed.is_empty() {
        faults.push("it does not say what it needs".to_owned());
    }
    for version in versions(bytes) {
        if version > GLIBC {
            faults.push(format!(
                "it needs glibc {}.{}, newer than {}.{}",
                version.0, version.1, GLIBC.0, GLIBC.1
            ));
        }
    }
    faults
}

fn elf_needed(bytes: &[u8]) -> Vec<String> {
    use object::elf::{DT_NEEDED, FileHeader64};
    use object::read::elf::{Dyn as _, FileHeader as _};
    let names = || -> object::read::Result<Vec<String>> {
        let header = FileHeader64::<Endianness>::parse(bytes)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, bytes)?;
        let Some((entries, link)) = sections.dynamic(endian, bytes)? else {
            return Ok(Vec::new());
        };
        let strings = sections.strings(endian, bytes, link)?;
        let mut names = Vec::new();
        for entry in entries {
            if entry.tag(endian) == DT_NEEDED {
                let name = entry.string(endian, strings)?;
                names.push(String::from_utf8_lossy(name).into_owned());
            }
        }
        Ok(names)
    };
    names().unwrap_or_default()
}

/// Versions of glibc that are named, once each.
fn versions(bytes: &[u8]) -> BTreeSet<(u32, u32)> {
    let text = String::from_utf8_lossy(bytes);
    text.split("GLIBC_")
        .skip(1)
        .filter_map(|rest| {
            let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
            let mut numbers = rest[..end.unwrap_or(rest.len())].split('.');
            Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
        })
        .collect()
}

fn macos(bytes: &[u8]) -> Vec<String> {
    let mut faults = Vec::new();
    let Ok(file) = MachOFile64::<Endianness>::parse(bytes) else {
        return vec!["its load commands cannot be read".to_owned()];
    };
    let endian = file.endian();
    let mut asks = None;
    let commands = file.macho_header().load_commands(endian, bytes, 0);
    for command in commands.into_iter().flat_map(|mut all| {
        std::iter::from_fn(move || all.next().ok().flatten()).collect::<Vec<_>>()
    }) {
        if let Ok(Some(dylib)) = command.dylib() {
            let name = command.string(endian, dylib.dylib.name).unwrap_or_default();
            let name = String::from_utf8_lossy(name);
            let is_systems = name.starts_with("/usr/lib/") || name.starts_with("/System/Library/");
            if !is_systems {
                faults.push(format!("it needs {name}"));
            }
        } else if command.cmd() == object::macho::LC_ID_DYLIB {
            let id = command.data::<object::macho::DylibCommand<Endianness>>();
            let name = id.and_then(|id| command.string(endian, id.dylib.name));
            let name = String::from_utf8_lossy(name.unwrap_or_default());
            if !name.starts_with("@rpath/") {
                faults.push(format!(
                    "its own name is {name}, a place of the machine that built it"
                ));
            }
        } else if let Ok(Some(build)) = command.build_version() {
            asks = Some(build.minos.get(endian));
        } else if command.cmd() == object::macho::LC_VERSION_MIN_MACOSX
            && let Ok(least) = command.data::<object::macho::VersionMinCommand<Endianness>>()
        {
            asks = Some(least.version.get(endian));
        }
    }
    faults.extend(seal::fault(bytes));
    match asks.map(|version| (version >> 16, version >> 8 & 0xff)) {
        Some(version) if version <= MACOS => {}
        Some((major, minor)) => faults.push(format!("it needs macOS {major}.{minor}")),
        None => faults.push("it does not say which macOS it needs".to_owned()),
    }
    faults
}

fn windows(file: &object::File<'_>) -> Vec<String> {
    let imports = file.imports().unwrap_or_default();
    let libraries: BTreeSet<String> = imports
        .iter()
        .map(|import| String::from_utf8_lossy(import.library()).to_lowercase())
        .collect();
    let of_system =
        |name: &String| name.starts_with("api-ms-win-") || WINDOWS.contains(&name.as_str());
    let mut faults: Vec<String> = libraries
        .iter()
        .filter(|name| !of_system(name))
        .map(|name| format!("it needs {name}"))
        .collect();
    if libraries.is_empty() {
        faults.push("it does not say what it needs".to_owned());
    }
    faults
}

/// Folders of the machine that built it.
fn traces(root: &Path, bytes: &[u8]) -> Vec<String> {
    let folders = [
        Some(root.to_owned()),
        std::env::home_dir(),
        super::cargo_home(),
    ];
    let mut faults = Vec::new();
    for folder in folders.into_iter().flatten() {
        let name = format!("{}/", folder.display());
        // A home of root's would be found in any text with `/`.
        if name.len() > 2 && contains(bytes, name.as_bytes()) {
            faults.push(format!(
                "it holds {name}, a folder of the machine that built it"
            ));
        }
    }
    faults
}

fn contains(bytes: &[u8], sought: &[u8]) -> bool {
    let Some((first, rest)) = sought.split_first() else {
        return true;
    };
    let mut from = bytes;
    while let Some(at) = from.iter().position(|byte| byte == first) {
        from = &from[at + 1..];
        if from.starts_with(rest) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{c_name, contains, faults, versions};
    use crate::natives::Target;

    fn judged(target: &str, file: &str, bytes: &[u8]) -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        faults(root, Target::named(target).unwrap(), file, bytes)
    }

    #[test]
    fn what_is_no_program_is_refused_for_every_machine() {
        for target in crate::natives::ALL {
            for bytes in [&b"text"[..], b"", b"MZ", b"\x7fELF\x02\x01\x01"] {
                assert!(!judged(target.name, target.library(), bytes).is_empty());
            }
        }
    }

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn a_program_is_refused_for_another_machine_as_a_library_and_with_traces_of_its_own() {
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let other = judged("windows-x86_64", "siderail-relay.exe", &bytes);
        assert_eq!(other.len(), 1, "{other:?}");
        assert!(
            other[0].contains("it is Elf for X86_64, not Pe"),
            "{other:?}"
        );
        let as_library = judged("linux-x86_64", "libsiderail_jni.so", &bytes);
        assert!(
            as_library
                .iter()
                .any(|fault| fault.contains("siderail_send")),
            "{as_library:?}"
        );
        let as_program = judged("linux-x86_64", "siderail-relay", &bytes);
        assert!(
            as_program
                .iter()
                .any(|fault| fault.contains("the machine that built it")),
            "{as_program:?}"
        );
    }

    /// A program for a Mac with one load command: it runs from macOS 11.0 on.
    fn unsigned_macho(processor: u32) -> Vec<u8> {
        let header = [0xfeed_facf, processor, 0, 2, 1, 24, 0, 0];
        let build_version = [0x32, 24, 1, 11 << 16, 11 << 16, 0];
        let words = header.into_iter().chain(build_version);
        words.flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn a_signature_is_wanted_on_every_mac() {
        for (target, processor) in [
            ("macos-aarch64", 0x0100_000c),
            ("macos-x86_64", 0x0100_0007),
        ] {
            let found = judged(target, "siderail-relay", &unsigned_macho(processor));
            assert!(
                found.len() == 1 && found[0].contains("no signature"),
                "{found:?}"
            );
        }
    }

    #[test]
    fn names_versions_and_traces_are_read() {
        assert_eq!(c_name("abiVersion"), "siderail_abi_version");
        let found: Vec<_> = versions(b"x\0GLIBC_2.17\0GLIBC_2.2.5\0GLIBC_PRIVATE\0")
            .into_iter()
            .collect();
        assert_eq!(found, [(2, 2), (2, 17)]);
        assert!(contains(b"aab", b"ab") && !contains(b"aa", b"ab"));
    }
}
