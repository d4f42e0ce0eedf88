//! Reads the settings files, and says to a person what is wrong with a project's.
//!
//! What the values mean and which one wins is the engine's. A mistake in the user's own file or
//! environment ends the command; a project's is only said, because it may not decide that either.

use std::collections::BTreeMap;
use std::fs::{self, File as OpenFile};
use std::io::{self, Read as _};
use std::path::Path;

use siderail_engine::memory::Memory;
use siderail_engine::settings::{self, File, Layer, Resolved, Sources};

use crate::exit::Failure;
use crate::style::one_line;
use crate::terminal::print_error;

/// The user's file in the settings folder.
const USER: &str = "config.toml";
/// The project's file in its folder.
const PROJECT: &str = ".siderail.toml";
/// Bytes of a settings file.
const MOST_BYTES: u64 = 64 << 10;
/// Characters of a message that a file's own words can make long.
const LINE: usize = 400;

/// Reads what there is and finds out what is in force.
///
/// # Errors
/// A usage failure that names file or variable, key, and what is allowed.
pub(crate) fn resolve(
    settings_folder: Option<&Path>,
    project: Option<&Path>,
    env: BTreeMap<String, String>,
    flags: Layer,
) -> Result<Resolved, Failure> {
    let sources = Sources {
        user: settings_folder.and_then(|folder| read(&folder.join(USER))),
        project: project.and_then(|folder| read(&folder.join(PROJECT))),
        env,
        flags,
    };
    settings::resolve(&sources).map_err(|error| {
        let allowed = format!("allowed is {}", error.allowed);
        Failure::usage(one_line(&error.to_string(), LINE), allowed)
    })
}

/// Says on standard error what a project's file gets wrong or does not get.
pub(crate) fn announce(resolved: &Resolved) {
    if let Some(error) = &resolved.project_broken {
        print_error(&format!(
            "error: {}; the project's file counts as the strictest settings\nhint: allowed is {}\n",
            one_line(&error.to_string(), LINE),
            error.allowed
        ));
    }
    for not_followed in &resolved.not_followed {
        print_error(&format!("note: {}\n", one_line(not_followed, LINE)));
    }
}

/// Says on standard error that what was always allowed in the project had to be set aside.
pub(crate) fn announce_memory(state_folder: &Path, project: &Path) {
    if let Some(message) = Memory::of_project(state_folder, project).check() {
        print_error(&format!("error: {}\n", one_line(&message, LINE)));
    }
}

/// A settings file; none where there is nothing of that name.
fn read(path: &Path) -> Option<File> {
    let text = match text_of(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        text => text.map_err(|error| error.to_string()),
    };
    Some(File {
        path: path.display().to_string(),
        text,
    })
}

/// A stranger's project could hold a pipe, or a file without end.
fn text_of(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut text = String::new();
    let mut limited = OpenFile::open(path)?.take(MOST_BYTES + 1);
    limited.read_to_string(&mut text)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(io::Error::other("it is too large"));
    }
    Ok(text)
}
