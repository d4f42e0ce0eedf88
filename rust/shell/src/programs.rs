//! The programs that a file name pattern in place of a command may spell, so that `/bin/shr[e]d` is judged as what it
//! becomes.

use super::call::Call;
use super::classify::READERS;
use super::fold::has_pattern;
use super::ir::{Arg, Origin, Stream, UNKNOWN};
use super::judge::Judge;
use super::patterns;
use siderail_syntax::excerpt::Excerpt;

/// A pattern that fits more programs than this says too little.
const PROGRAMS_LIMIT: usize = 24;

/// Programs with findings, and programs that run others; those that print files have their own table.
#[rustfmt::skip]
const PROGRAMS: [&str; 168] = [
    "sed", "awk", "gawk", "mawk", "grep",
    "egrep", "fgrep", "zgrep", "rgrep", "rg", "ag", "ack", "ugrep", "find", "bfs", "fd", "fdfind", "locate", "ls", "dir",
    "vdir", "tree", "exa", "eza", "tee", "sponge", "dd", "truncate", "patch", "ed", "ex", "red", "vi", "vim", "vim.tiny",
    "nvim", "emacs", "nano", "cp", "mv", "ln", "install", "rsync", "rm", "unlink", "shred", "rmdir", "wipe", "srm",
    "rimraf", "gio", "trash", "git", "svn", "hg", "python", "python3", "python2", "perl", "ruby", "node", "nodejs",
    "deno", "bun", "php", "lua", "bash", "sh", "zsh", "dash", "ksh", "mksh", "fish", "csh", "tcsh", "rbash", "busybox",
    "toybox", "pwsh", "curl", "wget", "nc", "ncat", "netcat", "socat", "ssh", "scp", "sftp", "env", "xargs", "parallel",
    "sudo", "doas", "su", "runuser", "nohup", "nice", "ionice", "time", "timeout", "stdbuf", "setsid", "setpriv",
    "setarch", "chroot", "unshare", "nsenter", "flock", "script", "watch", "strace", "ltrace", "gdb", "taskset", "chrt",
    "prlimit", "start-stop-daemon", "systemd-run", "cargo", "npm", "npx", "pnpm", "yarn", "go", "gradle", "mvn", "make",
    "pytest", "tox", "nox", "jest", "vitest", "dotnet", "ctest", "bazel", "sbt", "swift", "rspec", "phpunit", "mkfs",
    "mkfs.ext4", "mkswap", "wipefs", "fdisk", "sfdisk", "parted", "cryptsetup", "kill", "killall", "pkill", "chmod",
    "chown", "chgrp", "crontab", "at", "batch", "tar", "zip", "7z", "sqlite3", "docker", "podman", "openssl", "base64",
    "echo", "printf", "sort", "shuf",
];

impl Judge<'_> {
    /// Runs a command whose name is a pattern: whichever program it spells.
    pub(super) fn spelled(&mut self, first: &Arg, args: &[Arg], text: &Excerpt) -> Option<Stream> {
        let base = first.text.rsplit('/').next().unwrap_or_default();
        if !has_pattern(base) || base.contains(UNKNOWN) {
            return None;
        }
        if first.text.contains('/') && !self.is_installed(first) {
            return Some(Stream::printed(Origin::Program));
        }
        let readers = READERS.iter().flat_map(|reader| reader.names);
        let known = readers.chain(&PROGRAMS);
        let fitting = known.filter(|name| patterns::matches(base, name));
        let names: Vec<&str> = fitting.copied().collect();
        self.budget.pay(PROGRAMS.len());
        if names.len() > PROGRAMS_LIMIT {
            self.cannot_tell(text, "What runs is whatever fits a pattern.");
        } else {
            let is_one = names.len() == 1;
            for name in names {
                let (name, is_local) = (&*self.plain_name(name), false);
                let call = Call {
                    name,
                    is_local,
                    args,
                    text,
                };
                let output = self.classify(call);
                if is_one {
                    return Some(output);
                }
            }
        }
        Some(Stream::printed(Origin::Program))
    }
}
