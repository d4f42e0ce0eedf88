//! Finds the program of a command line as an absolute path, on the PATH that the program itself will have.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use siderail_os::System;
use siderail_os::files::{is_executable, programs_named};

use super::command_line::CommandLine;

/// Why a program could not be started, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The command line is empty.
    #[error("no program was named; give the agent's command line")]
    NoProgram,
    /// The folder to run in is not there.
    #[error("the folder {} does not exist or is not a folder; open an existing project", cwd.display())]
    NoFolder {
        /// The folder.
        cwd: PathBuf,
    },
    /// No file of that name is in any folder of PATH.
    #[error(
        "`{program}` was not found on PATH ({}); install it, or name it by its full path",
        searched(directories)
    )]
    NotFound {
        /// The name as given.
        program: String,
        /// The folders that were searched.
        directories: Vec<PathBuf>,
    },
    /// There is no file at the path.
    #[error("{} does not exist; check the path, or install the program", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// There is a folder.
    #[error("{} is a folder; name the program in it", path.display())]
    IsFolder {
        /// The path.
        path: PathBuf,
    },
    /// There is a file, and it cannot be run.
    #[error("{} is not executable; make it so (`chmod +x`) or name another program", path.display())]
    NotExecutable {
        /// The path.
        path: PathBuf,
    },
    /// The operating system refused to start it.
    #[error("{} could not be started: {source}{}", path.display(), hint(source))]
    Failed {
        /// The path.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
}

impl SpawnError {
    pub(super) fn failed(path: &Path, source: io::Error) -> Self {
        Self::Failed {
            path: path.to_owned(),
            source,
        }
    }
}

fn searched(directories: &[PathBuf]) -> String {
    if directories.is_empty() {
        return "which is empty".to_owned();
    }
    let names = directories
        .iter()
        .map(|directory| directory.display().to_string());
    format!("searched {}", names.collect::<Vec<_>>().join(", "))
}

fn hint(failure: &io::Error) -> &'static str {
    match failure.kind() {
        io::ErrorKind::NotFound => {
            "; the interpreter that its first line names is missing, install it"
        }
        io::ErrorKind::PermissionDenied => "; check the permissions of the file and its folder",
        _ if failure.raw_os_error() == Some(EXEC_FORMAT) => {
            "; it is neither a program for this machine nor a script with a first line that names its interpreter"
        }
        _ => "",
    }
}

/// ENOEXEC, the same number on Linux and macOS.
const EXEC_FORMAT: i32 = 8;

/// The absolute path of a command line's program.
///
/// A name is looked for in the folders of the PATH in its environment; empty and relative entries are left out,
/// because a project's own folder is no place to find an agent in. A path is taken relative to its folder.
///
/// # Errors
/// Says what is missing: the folder, the file, or the right to run it.
pub fn resolve(line: &CommandLine) -> Result<PathBuf, SpawnError> {
    if line.program.is_empty() {
        return Err(SpawnError::NoProgram);
    }
    if !line.cwd.is_dir() {
        return Err(SpawnError::NoFolder {
            cwd: line.cwd.clone(),
        });
    }
    let program = Path::new(&line.program);
    if program.components().count() > 1 || program.is_absolute() || line.program.starts_with('.') {
        let path = line.cwd.join(program);
        let path = std::path::absolute(&path).unwrap_or(path);
        return match programs_named(&path, extensions(line))
            .into_iter()
            .find(|path| path.is_file())
        {
            Some(path) if is_executable(&path) => Ok(path),
            Some(path) => Err(SpawnError::NotExecutable { path }),
            None if path.is_dir() => Err(SpawnError::IsFolder { path }),
            None if path.exists() => Err(SpawnError::NotExecutable { path }),
            None => Err(SpawnError::NoFile { path }),
        };
    }
    let directories = std::env::split_paths(variable(line, "PATH").unwrap_or_default())
        .filter(|directory| directory.is_absolute())
        .collect::<Vec<_>>();
    let mut not_executable = None;
    for directory in &directories {
        for path in programs_named(&directory.join(program), extensions(line)) {
            if path.is_file() {
                if is_executable(&path) {
                    return Ok(path);
                }
                not_executable.get_or_insert(path);
            }
        }
    }
    Err(match not_executable {
        Some(path) => SpawnError::NotExecutable { path },
        None => SpawnError::NotFound {
            program: line.program.clone(),
            directories,
        },
    })
}

/// The extensions of programs on Windows.
fn extensions(line: &CommandLine) -> Option<&str> {
    variable(line, "PATHEXT").and_then(OsStr::to_str)
}

/// A variable of the command line's environment; on Windows names are matched without regard to case.
fn variable<'a>(line: &'a CommandLine, name: &str) -> Option<&'a OsStr> {
    let found = line.env.iter().find(|(key, _)| {
        if System::HERE.is_windows() {
            key.eq_ignore_ascii_case(name)
        } else {
            key.as_str() == name
        }
    });
    found.map(|(_, value)| OsStr::new(value))
}
