//! What a native has to be before it goes to people: of its machine, with the boundary's functions, needing nothing that
//! is not on every such machine, and without a word of the machine that it was built on.

use std::collections::BTreeSet;
use std::path::Path;

use object::read::macho::{MachHeader, MachOFile64};
use object::{BinaryFormat, Endianness, Object, ObjectSymbol};

use super::targets::{GLIBC, System, Target};

/// The newest macOS that may be asked for, as `major.minor`.
const MACOS: (u32, u32) = (12, 0);
/// What the functions that Java calls begin with; their names are those of `Native.kt`.
const JAVA: &str = "Java_dev_siderail_bridge_Native_";
/// Where those are named.
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

/// Each function that Kotlin declares must be there, and no other of that class.
fn exports(root: &Path, file: &object::File<'_>) -> Vec<String> {
    let declared: BTreeSet<String> = match std::fs::read_to_string(root.join(NATIVE)) {
        Ok(text) => text
            .split("external fun ")
            .skip(1)
            .filter_map(|rest| rest.split('(').next().map(str::to_owned))
            .collect(),
        Err(error) => return vec![format!("{NATIVE}: {error}")],
    };
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
        .filter_map(|name| name.trim_start_matches('_').strip_prefix(JAVA))
        .map(str::to_owned)
        .collect();
    match exported == declared && !declared.is_empty() {
        true => Vec::new(),
        false => vec![format!(
            "it exports {exported:?}, and Native.kt declares {declared:?}"
        )],
    }
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
    let (mut is_signed, mut asks) = (false, None);
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
        } else if command.cmd() == object::macho::LC_CODE_SIGNATURE {
            is_signed = true;
        } else if let Ok(Some(build)) = command.build_version() {
            asks = Some(build.minos.get(endian));
        } else if command.cmd() == object::macho::LC_VERSION_MIN_MACOSX
            && let Ok(least) = command.data::<object::macho::VersionMinCommand<Endianness>>()
        {
            asks = Some(least.version.get(endian));
        }
    }
    if !is_signed {
        faults.push("it has no signature, without which macOS on ARM starts nothing".to_owned());
    }
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
