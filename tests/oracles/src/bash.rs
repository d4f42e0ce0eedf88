//! bash itself as a witness: is a program valid, how does bash print it, and which commands does it start.
//!
//! Programs are only ever run that [`crate::generator`] wrote, and with nothing on `PATH` but programs that
//! note their arguments.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A bash that is installed here.
#[derive(Clone, Debug)]
pub struct Bash {
    path: PathBuf,
}

/// No program here needs more than a fraction of this.
const PATIENCE: Duration = Duration::from_secs(30);
/// Seconds after which a program ends even if whoever started it was killed.
const LIFETIME: &str = "40";
/// Becomes the bash whose path comes first, with the arguments that follow, under a limit of processor seconds that all
/// that it starts inherits: a loop such as `until echo` never ends where nobody reads what it says.
const LIMITED: &str = "ulimit -t 20; exec \"$0\" \"$@\"";

impl Bash {
    /// The bash of this machine, where it is one that can print programs.
    pub fn find() -> Option<Self> {
        let folders = ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"];
        folders
            .iter()
            .map(|folder| Self {
                path: Path::new(folder).join("bash"),
            })
            .find(|bash| bash.path.is_file() && bash.pretty("true").is_some())
    }

    /// Whether bash reads the whole program without complaint. A here-document that the end of the text
    /// ends is only warned of, and counts as a complaint.
    pub fn accepts(&self, program: &str) -> bool {
        let output = self.read("-n", program);
        output.is_some_and(|output| output.status.success() && output.stderr.is_empty())
    }

    /// The program as bash prints it; `None` where bash cannot read it.
    pub fn pretty(&self, program: &str) -> Option<String> {
        let output = self.read("--pretty-print", program)?;
        let fine = output.status.success() && output.stderr.is_empty();
        fine.then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What bash says of a program that it must not run.
    fn read(&self, option: &str, program: &str) -> Option<Output> {
        let mut child = Command::new(&self.path)
            .args(["-c", LIMITED])
            .arg(&self.path)
            .arg(option)
            .env_clear()
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .ok()?;
        let mut stdin = child.stdin.take()?;
        // bash may stop reading at an error.
        let _ = stdin.write_all(program.as_bytes());
        drop(stdin);
        child.wait_with_output().ok()
    }
}

/// A place where a program can run without doing anything.
#[derive(Debug)]
pub struct Stage {
    bash: PathBuf,
    folder: TempDir,
}

/// Commands that only note their arguments here.
const NOTED: [&str; 8] = ["cat", "head", "sed", "grep", "rm", "ls", "find", "wc"];
/// Programs that run others.
const REAL: [&str; 4] = ["bash", "env", "nice", "timeout"];
/// Where they note them.
const LOG: &str = "SIDERAIL_ORACLES_LOG";

impl Stage {
    /// Sets the stage up in a folder for temporary files.
    ///
    /// # Errors
    /// Where files cannot be written, or one of the few real programs is missing.
    pub fn build(bash: &Bash) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let programs = folder.path().join("bin");
        fs::create_dir(&programs)?;
        for name in NOTED {
            let path = programs.join(name);
            fs::write(&path, format!("#!/bin/sh\necho \"$*\" >> \"${LOG}\"\n"))?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        for name in REAL {
            let real = ["/usr/bin", "/bin"]
                .iter()
                .map(|folder| Path::new(folder).join(name))
                .find(|path| path.is_file())
                .ok_or_else(|| io::Error::other(format!("{name} is not installed")))?;
            std::os::unix::fs::symlink(real, programs.join(name))?;
        }
        Ok(Self {
            bash: bash.path.clone(),
            folder,
        })
    }

    /// Runs a generated program and says which of its files were given to a command or written to.
    /// `None` where it did not end in time, or where bash lost its own way: in quotes inside of `"${x:-'…'}"` it looks
    /// for the end of a substitution when it is run, and does not always find it.
    ///
    /// # Errors
    /// Where bash cannot be started or its traces cannot be read.
    pub fn run(&self, program: &str) -> io::Result<Option<BTreeSet<String>>> {
        // A folder of its own, since what runs in the background may still write when bash has ended.
        let place = tempfile::tempdir_in(self.folder.path())?;
        let (work, log) = (place.path().join("work"), place.path().join("log"));
        let complaints = place.path().join("complaints");
        fs::create_dir(&work)?;
        fs::write(&log, "")?;
        let programs = self.folder.path().join("bin");
        // The processor limit does not end what only waits.
        let child = Command::new(programs.join("timeout"))
            .args(["--signal=KILL", LIFETIME])
            .arg(&self.bash)
            .args(["-c", LIMITED])
            .arg(&self.bash)
            .args(["-c", program])
            .env_clear()
            .env("PATH", &programs)
            .env(LOG, &log)
            .current_dir(&work)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&complaints)?)
            .process_group(0)
            .spawn()?;
        let ended = wait(child)?;
        let mut used = BTreeSet::new();
        // Arguments are bytes, which need not be letters.
        for line in String::from_utf8_lossy(&fs::read(&log)?).lines() {
            let words = line.split_whitespace();
            used.extend(words.map(|word| word.trim_start_matches("./").to_owned()));
        }
        for entry in fs::read_dir(&work)? {
            used.insert(entry?.file_name().to_string_lossy().into_owned());
        }
        used.retain(|word| crate::generator::is_marker(word));
        let complaints = fs::read(&complaints)?;
        let lost =
            String::from_utf8_lossy(&complaints).contains("unexpected EOF while looking for");
        Ok((ended && !lost).then_some(used))
    }
}

/// Waits for a child, but not for ever; says whether it ended by itself. What is left of its group ends with it.
fn wait(mut child: Child) -> io::Result<bool> {
    let begun = Instant::now();
    let group = Pid::from_child(&child);
    // As long as nobody has taken notice of its end, its number is not given to another.
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let mut ended = false;
    while !ended && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(2));
        ended = waitid(WaitId::Pid(group), look)?.is_some();
    }
    match kill_process_group(group, Signal::KILL) {
        Ok(()) | Err(Errno::SRCH) => {}
        Err(error) => return Err(error.into()),
    }
    child.wait()?;
    Ok(ended)
}
