//! `cargo xtask deploy [FOLDER]`: the archive, unpacked into the plugin folder of an IDE on this machine.
//!
//! An IDE loads the native library from there while it runs and reads its plugins at its start alone. So it prints the
//! steps that are left to you: stop the IDE before, start it afterwards.

use std::fs;
use std::path::{Path, PathBuf};

use crate::maven;
use crate::step::Step;

/// The plugin's folder in the archive and among an IDE's plugins.
const PLUGIN: &str = "siderail";
/// The oldest IDE that the plugin is for, as the end of its folder's name.
const OLDEST: (u32, u32) = (2025, 3);

/// Builds the archive if it is missing and puts it into `folder`, or into the one IDE that is found.
pub(crate) fn run(root: &Path, folder: Option<&str>) -> Result<(), String> {
    let plugins = match folder {
        Some(folder) => PathBuf::from(folder),
        None => only(plugin_folders(&places()))?,
    };
    if !plugins.is_dir() {
        return Err(format!("{} is not a folder", plugins.display()));
    }
    let archive = maven::archive(root);
    if !archive.is_file() {
        maven::dist(root)?;
    }
    println!(
        "1. stop the IDE, if it runs: it has the library of {} open",
        plugins.display()
    );
    install(&archive, &plugins)?;
    println!("4. start the IDE; View, Tool Windows, Siderail");
    Ok(())
}

/// Unpacks beside the old plugin first, so that an archive that cannot be read costs nothing.
fn install(archive: &Path, plugins: &Path) -> Result<(), String> {
    let unpacked = plugins.join(format!(".{PLUGIN}-unpacked"));
    remove(&unpacked)?;
    fs::create_dir(&unpacked).map_err(|e| format!("{}: {e}", unpacked.display()))?;
    let outcome = unpack(archive, &unpacked).and_then(|()| {
        let (from, to) = (unpacked.join(PLUGIN), plugins.join(PLUGIN));
        if !from.is_dir() {
            return Err(format!("{} holds no plugin", archive.display()));
        }
        println!("2. remove {}", to.display());
        remove(&to)?;
        println!("3. unpack {}", archive.display());
        fs::rename(&from, &to).map_err(|e| format!("{}: {e}", to.display()))
    });
    outcome.and(remove(&unpacked))
}

/// With the JDK's own program, which every platform has that builds the plugin. It drops the modes of files.
fn unpack(archive: &Path, to: &Path) -> Result<(), String> {
    let archive = fs::canonicalize(archive).map_err(|e| format!("{}: {e}", archive.display()))?;
    let archive = archive.display().to_string();
    Step::new(to, "jar --extract --file")
        .args([archive.as_str()])
        .run()?;
    make_executable(&to.join(PLUGIN).join("native"))
}

/// The library and the relay of each platform.
#[cfg(unix)]
fn make_executable(natives: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let within = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    for file in within(natives).flat_map(|platform| within(&platform.path())) {
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o755))
            .map_err(|e| format!("{}: {e}", file.path().display()))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_executable(_natives: &Path) -> Result<(), String> {
    Ok(())
}

fn remove(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(format!(
            "{}: {e}; is the IDE still running?",
            folder.display()
        )),
        _ => Ok(()),
    }
}

fn only(folders: Vec<PathBuf>) -> Result<PathBuf, String> {
    match folders.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(format!(
            "found no IDE of {}.{} or later; name its plugin folder: cargo xtask deploy FOLDER",
            OLDEST.0, OLDEST.1
        )),
        several => {
            let mut text = "found several IDEs; choose one:".to_owned();
            for folder in several {
                text += &format!("\n  cargo xtask deploy '{}'", folder.display());
            }
            Err(text)
        }
    }
}

/// Where JetBrains' IDEs keep the plugins that a person installed, and what lies between an IDE's folder and its plugins.
fn places() -> Vec<(PathBuf, &'static str)> {
    let below = |variable: &str, path: &str| {
        let home = std::env::var_os(variable)?;
        Some(Path::new(&home).join(path))
    };
    let place = if cfg!(windows) {
        (below("APPDATA", "JetBrains"), "plugins")
    } else if cfg!(target_os = "macos") {
        (
            below("HOME", "Library/Application Support/JetBrains"),
            "plugins",
        )
    } else {
        let data = below("XDG_DATA_HOME", "JetBrains");
        (data.or_else(|| below("HOME", ".local/share/JetBrains")), "")
    };
    place
        .0
        .map(|folder| (folder, place.1))
        .into_iter()
        .collect()
}

/// The plugin folders of IDEs that are new enough. One in which no plugin was ever installed may be missing on disk.
fn plugin_folders(places: &[(PathBuf, &str)]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (place, plugins) in places {
        for ide in fs::read_dir(place).into_iter().flatten().flatten() {
            let name = ide.file_name();
            let folder = ide.path().join(plugins);
            if version(&name.to_string_lossy()).is_some_and(|it| it >= OLDEST) && folder.is_dir() {
                found.push(folder);
            }
        }
    }
    found.sort();
    found
}

/// The version at the end of a folder's name, such as `IntelliJIdea2025.3`.
fn version(name: &str) -> Option<(u32, u32)> {
    let digits = name.find(|letter: char| letter.is_ascii_digit())?;
    let (year, minor) = name[digits..].split_once('.')?;
    Some((year.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::{install, only, plugin_folders, version};

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn ides_that_are_new_enough_are_found_by_the_names_of_their_folders() {
        assert_eq!(version("IntelliJIdea2025.3"), Some((2025, 3)));
        assert_eq!(version("consentOptions"), None);
        assert_eq!(version("Daemon7"), None);
        let place = scratch("ides");
        for name in [
            "IntelliJIdea2025.2",
            "IntelliJIdea2025.3",
            "RustRover2026.1",
            "consentOptions",
        ] {
            fs::create_dir_all(place.join(name).join("plugins")).unwrap();
        }
        fs::create_dir(place.join("GoLand2026.1")).unwrap();
        let found = plugin_folders(&[(place.clone(), "plugins")]);
        let wanted = ["IntelliJIdea2025.3/plugins", "RustRover2026.1/plugins"];
        assert_eq!(found, wanted.map(|path| place.join(path)));
        let choice = only(found).unwrap_err();
        assert!(
            choice.contains("cargo xtask deploy '") && choice.contains("RustRover2026.1"),
            "{choice}"
        );
        assert!(
            only(Vec::new())
                .unwrap_err()
                .contains("cargo xtask deploy FOLDER")
        );
        fs::remove_dir_all(place).unwrap();
    }

    /// An archive of one empty, executable file: a local header, the directory, its end.
    fn archive_of(name: &str) -> Vec<u8> {
        let length = u16::try_from(name.len()).unwrap().to_le_bytes();
        let mut local = b"PK\x03\x04\x14\0".to_vec();
        local.extend([0; 20]);
        local.extend(length);
        local.extend([0; 2]);
        local.extend(name.as_bytes());
        let mut directory = b"PK\x01\x02\x14\x03\x14\0".to_vec();
        directory.extend([0; 20]);
        directory.extend(length);
        directory.extend([0; 8]);
        directory.extend((0o100_755_u32 << 16).to_le_bytes());
        directory.extend([0; 4]);
        directory.extend(name.as_bytes());
        let mut end = b"PK\x05\x06\0\0\0\0\x01\0\x01\0".to_vec();
        for part in [&directory, &local] {
            end.extend(u32::try_from(part.len()).unwrap().to_le_bytes());
        }
        end.extend([0; 2]);
        [local, directory, end].concat()
    }

    #[test]
    fn a_new_plugin_takes_the_place_of_the_whole_old_one() {
        let plugins = scratch("replaced");
        let old = plugins.join("siderail/lib/old.jar");
        fs::create_dir_all(old.parent().unwrap()).unwrap();
        fs::write(&old, "").unwrap();
        let archive = plugins.join("new.zip");
        fs::write(&archive, archive_of("siderail/native/linux-x86_64/relay")).unwrap();
        install(&archive, &plugins).unwrap();
        let new = plugins.join("siderail/native/linux-x86_64/relay");
        assert!(!old.exists() && !plugins.join(".siderail-unpacked").exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(
                fs::metadata(&new).unwrap().permissions().mode() & 0o111,
                0o111
            );
        }
        fs::write(&archive, archive_of("other/relay")).unwrap();
        assert!(install(&archive, &plugins).is_err());
        assert!(new.is_file());
        fs::remove_dir_all(plugins).unwrap();
    }

    #[test]
    fn an_archive_that_cannot_be_read_leaves_the_old_plugin() {
        let plugins = scratch("plugins");
        let old = plugins.join("siderail/lib/old.jar");
        fs::create_dir_all(old.parent().unwrap()).unwrap();
        fs::write(&old, "").unwrap();
        let archive = plugins.join("broken.zip");
        fs::write(&archive, "no archive").unwrap();
        assert!(install(&archive, &plugins).is_err());
        assert!(old.is_file());
        fs::remove_dir_all(plugins).unwrap();
    }
}
