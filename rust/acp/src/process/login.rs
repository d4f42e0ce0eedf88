//! The environment of a login shell: a program that was started from a desktop lacks the PATH entries of nvm, pyenv,
//! cargo and the like.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::{CommandLine, ProcessTree, StderrTail, Streams};

/// Marks the beginning and the end of the environment in the output, which start-up files print into as well.
const MARKER: &str = "-- siderail environment --";

/// Longest output that is looked at.
const OUTPUT_LIMIT: u64 = 4 << 20;

/// Variables that belong to the shell that was asked, not to the user.
const OF_THE_SHELL: [&str; 5] = ["_", "SHLVL", "PWD", "OLDPWD", "TERM"];

/// Asks a login shell for its environment: that of `base`, as the shell's start-up files change it. `None` when the
/// shell is missing, fails, prints something else, or takes longer than `limit`; `base` is then the best there is.
pub async fn login_environment(
    shell: &Path,
    base: &BTreeMap<String, String>,
    limit: Duration,
) -> Option<BTreeMap<String, String>> {
    let mut env = base.clone();
    // Start-up files that begin a terminal multiplexer or draw a prompt leave a dumb terminal alone.
    env.insert("TERM".to_owned(), "dumb".to_owned());
    let (program, home) = (shell.to_str()?.to_owned(), base.get("HOME").cloned());
    let start = move || {
        let home = home.map(PathBuf::from).filter(|home| home.is_dir());
        let line = CommandLine {
            program,
            args: arguments(),
            env,
            cwd: home.unwrap_or("/".into()),
        };
        ProcessTree::spawn(&line, None, Streams::OutputOnly).ok()
    };
    // The home folder may be on a disk that gives no answer.
    let mut shell = tokio::task::spawn_blocking(start).await.ok()??;
    let stdout = shell.stdout.take()?;
    // Read and forgotten: a full pipe would stop the shell.
    let _said = shell
        .stderr
        .take()
        .map(|stderr| StderrTail::follow(stderr, None));
    let mut output = Vec::new();
    let complete = async {
        let mut limited = stdout.take(OUTPUT_LIMIT);
        let mut piece = vec![0; 16 * 1024];
        while let Ok(n @ 1..) = limited.read(&mut piece).await {
            output.extend_from_slice(&piece[..n]);
            if let Some(found) = parse(&output) {
                return Some(found);
            }
        }
        None
    };
    let found = timeout(limit, complete).await.ok().flatten()?;
    // Dropping the shell kills it, should a start-up file keep it waiting.
    drop(shell);
    Some(with_own(found, base))
}

/// nvm and its like are set up in the start-up files of *interactive* shells. Without a terminal such a shell may be
/// asked; with one it would want to own it and be stopped, but then the environment comes from a shell already.
fn arguments() -> Vec<OsString> {
    let has_terminal = siderail_os::console::is_owned();
    let script = format!("printf '%s\\000' '{MARKER}'; env -0; printf '%s' '{MARKER}'");
    let flags: &[&str] = if has_terminal {
        &["-l", "-c"]
    } else {
        &["-l", "-i", "-c"]
    };
    flags
        .iter()
        .map(|flag| OsString::from(*flag))
        .chain([script.into()])
        .collect()
}

/// The environment in an output; `None` while it is not complete.
fn parse(output: &[u8]) -> Option<BTreeMap<String, String>> {
    let text = String::from_utf8_lossy(output);
    let mut parts = text.splitn(3, MARKER).skip(1);
    let (entries, _closed) = (parts.next()?, parts.next()?);
    let entries = entries
        .split('\0')
        .filter_map(|entry| entry.split_once('='));
    let env = entries
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect::<BTreeMap<_, _>>();
    env.contains_key("PATH").then_some(env)
}

/// The shell's own variables as they were before it was asked.
fn with_own(
    mut env: BTreeMap<String, String>,
    base: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    for name in OF_THE_SHELL {
        env.remove(name);
        if let Some(value) = base.get(name) {
            env.insert(name.to_owned(), value.clone());
        }
    }
    env
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, expected: Option<&[(&str, &str)]>) {
        let found = parse(output.replace('M', MARKER).as_bytes());
        let expected = expected.map(|pairs| {
            pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect()
        });
        assert_eq!(found, expected, "{output:?}");
    }

    #[test]
    fn what_start_up_files_print_is_not_taken_for_variables() {
        check(
            "hello A=1\nM\0PATH=/a:/b\0X=1\n2=3\0Mbye",
            Some(&[("PATH", "/a:/b"), ("X", "1\n2=3")]),
        );
    }

    #[test]
    fn an_unfinished_or_empty_answer_is_none() {
        check("M\0PATH=/a\0", None);
        check("M\0M", None);
        check("nothing", None);
        check("M\0=x\0PATH=\0M", Some(&[("PATH", "")]));
    }
}
