//! The sandbox from inside: the first process of its namespaces. Runs lines that come in, compares the project before
//! and after, looks for marks in what was printed, and sets all back.

use super::project::{self, FILES, OUTSIDE, ROOT};
use rustix::process::{WaitOptions, wait};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Seconds that a line may take.
const PATIENCE: &str = "6";
/// What lines print; they cannot tell it from a pipe's end.
const PRINTED: &str = "/run/printed";
const TRACE: &str = "/run/trace";
const TEMPLATE: &str = "/run/git";

/// How a shell's complaint ends, which is no text that the line supplies.
const COMPLAINT: &[u8] = b"command not found\n";

/// Programs that productions of the grammar may need.
pub const PROGRAMS: [&str; 24] = [
    "zsh", "fish", "dash", "python3", "perl", "node", "awk", "sed", "xargs", "jq", "git", "find",
    "tac", "shred", "less", "more", "ex", "parallel", "setsid", "stdbuf", "busybox", "strace",
    "column", "strings",
];

/// Answers until the input ends.
///
/// # Errors
/// Where this is no sandbox, or it broke.
pub fn serve() -> io::Result<()> {
    // Nothing is run where anything but the throw-away folders can be written.
    let is_sandbox = std::process::id() == 1
        && Path::new("/driver").exists()
        && fs::read_dir("/old")?.next().is_none()
        && File::create("/usr/siderail").is_err()
        && File::create("/siderail").is_err();
    if !is_sandbox {
        return Err(io::Error::other("this is not the sandbox"));
    }
    let mut stage = Stage::build()?;
    let has = |name: &&str| {
        ["/usr/bin", "/bin"]
            .iter()
            .any(|folder| Path::new(folder).join(name).exists())
    };
    let programs: Vec<_> = PROGRAMS.into_iter().filter(has).collect();
    let mut out = io::stdout().lock();
    writeln!(out, "ready {}", programs.join(" "))?;
    out.flush()?;
    let mut input = BufReader::new(io::stdin().lock());
    loop {
        let (mut shell, mut line) = (Vec::new(), Vec::new());
        if input.read_until(0, &mut shell)? == 0 {
            return Ok(());
        }
        input.read_until(0, &mut line)?;
        let text = |bytes: Vec<u8>| {
            String::from_utf8_lossy(&bytes)
                .trim_end_matches('\0')
                .to_owned()
        };
        for effect in stage.run(&text(shell), &text(line))? {
            writeln!(out, "{effect}")?;
        }
        writeln!(out, "done")?;
        out.flush()?;
    }
}

struct Stage {
    /// The files of the project as they are at the start of each line.
    before: BTreeMap<String, Vec<u8>>,
}

impl Stage {
    fn build() -> io::Result<Self> {
        fs::create_dir_all(ROOT)?;
        for (path, _) in FILES {
            put(path, project::text(path).as_bytes())?;
        }
        for name in ["build", "node_modules"] {
            put(&format!("{name}/made.txt"), b"made\n")?;
        }
        put("docs/guide.md", b"as committed\n")?;
        let known: Vec<_> = FILES
            .iter()
            .filter(|(_, known)| *known)
            .map(|(path, _)| *path)
            .collect();
        let steps = format!(
            "cd {ROOT} && git init -q --template= && git config user.name a && git config user.email a@b && \
             git add {} && git commit -qm one && git branch other && cp -a .git {TEMPLATE}",
            known.join(" ")
        );
        Command::new("bash")
            .args(["-c", &steps])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        // One file differs from its commit, so that there is something that git can lose.
        put("docs/guide.md", project::text("docs/guide.md").as_bytes())?;
        let before = tree()?;
        let stage = Self { before };
        stage.outside()?;
        Ok(stage)
    }

    fn outside(&self) -> io::Result<()> {
        for entry in fs::read_dir("/tmp")? {
            let path = entry?.path();
            let _ = if path.is_dir() && !path.is_symlink() {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
        }
        for path in OUTSIDE {
            fs::write(path, format!("outside {path}\nsecond e\n"))?;
        }
        Ok(())
    }

    fn run(&mut self, shell: &str, line: &str) -> io::Result<Vec<String>> {
        let (traced, shell) = match shell.strip_prefix("strace ") {
            Some(shell) => (true, shell),
            None => (false, shell),
        };
        let printed = File::create(PRINTED)?;
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", PATIENCE]);
        if traced {
            command.args([
                "strace",
                "-f",
                "-qq",
                "-o",
                TRACE,
                "-e",
                "trace=execve,openat,open,unlink,unlinkat,rename,renameat2,truncate",
            ]);
        }
        let status = command
            .args([shell, "-c", line])
            .current_dir(ROOT)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", "/home")
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(printed.try_clone()?)
            .stderr(printed)
            .status()?;
        self.end_all()?;
        let after = tree()?;
        let mut effects = Vec::new();
        let output = fs::read(PRINTED)?;
        for (path, _) in FILES {
            let mark = project::mark(path);
            if output
                .windows(mark.len())
                .any(|window| window == mark.as_bytes())
            {
                effects.push(format!("printed {path}"));
            }
        }
        for (path, text) in &self.before {
            match after.get(path) {
                None => effects.push(format!("removed {path}")),
                Some(now) if now != text => effects.push(written(path, now)),
                Some(_) => {}
            }
        }
        let created = after
            .iter()
            .filter(|(path, _)| !self.before.contains_key(*path));
        effects.extend(created.map(|(path, text)| written(path, text)));
        // What its shell cannot read does not run, or only its beginning.
        let said = String::from_utf8_lossy(&output).to_ascii_lowercase();
        let refusals = [
            "syntax error",
            "parse error",
            "unexpected",
            "unmatched",
            "missing end",
        ];
        let is_gone = [
            "not found",
            "no such file or directory",
            // A folder in the place of the program, as bash and dash say it.
            "/: is a directory",
            "/: permission denied",
        ];
        let has_complaint = after.values().any(|text| text.ends_with(COMPLAINT));
        if is_gone.iter().any(|words| said.contains(words)) || has_complaint {
            effects.push("missing".to_owned());
        }
        if refusals.iter().any(|refusal| said.contains(refusal)) {
            effects.push("invalid".to_owned());
        }
        if status.code() != Some(0) && status.code().is_none_or(|code| code == 137) {
            effects.push("timeout".to_owned());
        }
        if traced {
            let calls = fs::read_to_string(TRACE).unwrap_or_default();
            let of_note = |call: &&str| {
                !call.contains("ENOENT")
                    && (call.contains("execve")
                        || call.contains(ROOT)
                        || call.contains("AT_FDCWD, \"") && !call.contains("\"/"))
            };
            effects.extend(
                calls
                    .lines()
                    .filter(of_note)
                    .take(20)
                    .map(|call| format!("call {call}")),
            );
        }
        self.set_back(&after, line.contains("git"))?;
        Ok(effects)
    }

    /// Ends what a line left running: all processes of this namespace but the first.
    fn end_all(&self) -> io::Result<()> {
        let others = || -> io::Result<bool> {
            for entry in fs::read_dir("/proc")? {
                let name = entry?.file_name();
                let name = name.to_string_lossy();
                if name != "1" && name.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        for _ in 0..50 {
            while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
            if !others()? {
                return Ok(());
            }
            // This namespace alone is meant: no process outside of it can be seen from here.
            Command::new("bash")
                .args(["-c", "kill -9 -1"])
                .stderr(Stdio::null())
                .status()?;
        }
        Err(io::Error::other("processes are left that do not end"))
    }

    fn set_back(&self, after: &BTreeMap<String, Vec<u8>>, git: bool) -> io::Result<()> {
        if !Path::new(ROOT).is_dir() || after.values().any(|text| text == b"\0link") {
            let _ = fs::remove_dir_all(ROOT);
            fs::create_dir_all(ROOT)?;
        }
        for path in after.keys().filter(|path| !self.before.contains_key(*path)) {
            let _ = fs::remove_file(Path::new(ROOT).join(path));
        }
        for (path, text) in &self.before {
            if fs::read(Path::new(ROOT).join(path)).ok().as_ref() != Some(text) {
                put(path, text)?;
            }
        }
        if git || !Path::new(ROOT).join(".git").is_dir() {
            let steps = format!("rm -rf {ROOT}/.git; cp -a {TEMPLATE} {ROOT}/.git");
            Command::new("bash").args(["-c", &steps]).status()?;
        }
        self.outside()
    }
}

fn written(path: &str, text: &[u8]) -> String {
    let how = if text.is_empty() || text.ends_with(COMPLAINT) {
        "emptied"
    } else {
        "written"
    };
    format!("{how} {path}")
}

fn put(path: &str, text: &[u8]) -> io::Result<()> {
    let path = Path::new(ROOT).join(path);
    if let Some(folder) = path.parent()
        && fs::create_dir_all(folder).is_err()
    {
        fs::remove_file(folder)?;
        fs::create_dir_all(folder)?;
    }
    if path.is_dir() {
        fs::remove_dir_all(&path)?;
    }
    fs::write(path, text)
}

/// All files of the project but git's own.
fn tree() -> io::Result<BTreeMap<String, Vec<u8>>> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![PathBuf::from(ROOT)]);
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            let name = path
                .strip_prefix(ROOT)
                .map_err(io::Error::other)?
                .to_string_lossy()
                .into_owned();
            if kind.is_symlink() {
                files.insert(name, b"\0link".to_vec());
            } else if kind.is_dir() {
                if name != ".git" {
                    folders.push(path);
                }
            } else if kind.is_file() {
                files.insert(name, fs::read(path)?);
            }
        }
    }
    Ok(files)
}
