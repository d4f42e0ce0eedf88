//! What loses work or data: removing files, disks, permissions of everything.

use super::options::SHRED;
use crate::args::Grammar;
use crate::call::Call;
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::paths::{Place, Target, parts};

/// Folders that builds make and that may go.
#[rustfmt::skip]
const BUILD_OUTPUT: [&str; 16] = [
    "target", "build", "dist", "out", "bin", "obj", "node_modules", ".gradle", "__pycache__",
    "coverage", ".next", ".nuxt", ".venv", "venv", ".tox", ".cache",
];

/// Tools of disks, and the words with which they write; none where they ask for them.
#[rustfmt::skip]
pub(super) const DISK_TOOLS: &[(&[&str], &[&str])] = &[
    (
        &["parted"],
        &["mklabel", "mktable", "mkpart", "rm", "resizepart", "mkpartfs", "disk_set", "rescue"],
    ),
    (&["fdisk", "gdisk", "cfdisk", "cgdisk"], &[]),
    (&["cryptsetup"], &["luksFormat", "luksErase", "erase", "reencrypt", "luksKillSlot"]),
    (&["mdadm"], &["--zero-superblock", "--create", "-C"]),
    (&["nvme"], &["format", "sanitize", "delete-ns", "write-zeroes"]),
    (&["hdparm"], &["--security-erase", "--security-erase-enhanced", "--trim-sector-ranges"]),
    (&["badblocks"], &["-w"]),
    (
        &["diskutil"],
        &["eraseDisk", "eraseVolume", "partitionDisk", "zeroDisk", "secureErase", "reformat"],
    ),
];

impl Judge<'_> {
    pub(crate) fn remover(&mut self, call: Call<'_>) -> Option<Stream> {
        match call.name {
            "rm" | "unlink" | "shred" | "srm" | "wipe" => {
                let grammar = if call.name == "shred" {
                    SHRED
                } else {
                    Grammar::gnu("", &["interactive"])
                };
                let options = grammar.split(call.args);
                self.removes(call, options.files());
            }
            "rimraf" | "del-cli" | "trash-cli" => {
                let options = Grammar::gnu("", &[]).split(call.args);
                self.removes(call, options.files());
            }
            "gio" | "gvfs-rm" if call.name == "gvfs-rm" || call.word(0) == "remove" => {
                let skipped = usize::from(call.name == "gio");
                let args = call.args.get(skipped..).unwrap_or_default();
                let options = Grammar::gnu("", &[]).split(args);
                self.removes(call, options.files());
            }
            "wipefs" | "blkdiscard" | "mkswap" | "sfdisk" | "sgdisk" => {
                self.loses(call.text, "Writes over a disk.", &[])
            }
            "kill" => self.kill(call),
            "chmod" | "chown" | "chgrp" => self.permissions(call),
            name if name == "mkfs" || name.starts_with("mkfs.") || name == "mke2fs" => {
                self.loses(call.text, "Writes over a disk.", &[]);
            }
            _ => return None,
        }
        Some(Stream::printed(Origin::Program))
    }

    /// Tools of disks that lose what is on them when they are told one of these words.
    pub(crate) fn loses_disk(&mut self, call: Call<'_>) {
        let mut tools = DISK_TOOLS.iter();
        let Some((_, words)) = tools.find(|(names, _)| names.contains(&call.name)) else {
            return;
        };
        // Those with questions of their own lose nothing before they are answered.
        let answered =
            words.is_empty() && matches!(self.io.stdin, Stream::Text(_) | Stream::File(_));
        let named = call.args.iter().any(|arg| {
            let bundle = arg.text.starts_with('-') && !arg.text.starts_with("--");
            words.contains(&arg.text.as_str())
                || (bundle && words.contains(&"-w") && arg.text.contains('w'))
        });
        let lists = call.has("-l") || call.has("--list");
        if (answered && !lists) || named {
            self.loses(call.text, "Writes over a disk.", &[]);
        }
    }

    /// A finding for those files whose loss would hurt.
    pub(crate) fn removes(&mut self, call: Call<'_>, files: &[&Arg]) {
        let targets: Vec<Target> = files.iter().map(|file| self.entry(file)).collect();
        self.leaves_temporary(&targets);
        let hurt = targets.into_iter().filter(|target| self.hurts(target));
        let targets: Vec<Target> = hurt.collect();
        if !targets.is_empty() {
            let why = "Removes files that no build recreates.";
            self.loses(call.text, why, &targets);
        }
    }

    /// In temporary folders deleting is judged as writing is.
    pub(super) fn leaves_temporary(&mut self, targets: &[Target]) {
        for target in targets
            .iter()
            .filter(|target| target.place == Place::Temporary)
        {
            self.leaves(target);
        }
    }

    /// Programs that copy, and in some forms of theirs lose what was there.
    pub(crate) fn loses_copying(&mut self, call: Call<'_>) {
        match call.name {
            "rsync" => self.mirrors(call),
            "cp" | "install" => self.empties(call),
            "ln" if call.args.iter().any(|arg| is_forced(&arg.text)) => self.empties(call),
            _ => {}
        }
    }

    /// `rsync --delete` takes away what the source does not have, `--remove-source-files` what it has.
    fn mirrors(&mut self, call: Call<'_>) {
        let long = &[
            "rsh",
            "exclude",
            "include",
            "filter",
            "files-from",
            "exclude-from",
        ];
        let options = Grammar::of("efBTM", long).split(call.args);
        let mut flags = options.flags.iter().map(|flag| flag.name);
        let takes = flags.any(|name| name == "del" || name.starts_with("delete"));
        let moves = options.has("", "remove-source-files");
        if !(takes || moves) || options.has("n", "dry-run") {
            return;
        }
        let Some((to, from)) = options.files().split_last() else {
            return;
        };
        let lost = if moves {
            from
        } else {
            std::slice::from_ref(to)
        };
        // `host:path` is another file system.
        let here: Vec<&Arg> = lost
            .iter()
            .copied()
            .filter(|file| !file.text.contains(':'))
            .collect();
        self.removes(call, &here);
    }

    /// `cp /dev/null file` leaves nothing of it, nor does a link to it that is put in the file's place.
    fn empties(&mut self, call: Call<'_>) {
        let long = &["target-directory", "suffix", "mode", "owner", "group"];
        let options = Grammar::gnu("tSmgo", long).split(call.args);
        let Some((to, from)) = options.files().split_last() else {
            return;
        };
        if from.iter().any(|file| file.is("/dev/null")) {
            self.removes(call, &[to]);
        }
    }

    /// Whether losing what stands there would hurt.
    pub(crate) fn hurts(&self, target: &Target) -> bool {
        let kept = match target.place {
            Place::Temporary | Place::Special => return false,
            Place::Inside => self.places.below_root(&target.path),
            // Elsewhere `bin` is where programs are installed.
            Place::Above | Place::Elsewhere if is_system(&target.path) => return true,
            Place::Above | Place::Elsewhere => &target.path,
        };
        let own = target.place == Place::Inside;
        !is_compiled(kept)
            && !parts(kept).any(|part| is_build_output(part) && (own || part != "bin"))
    }

    /// `kill -9 -1` ends everything that a user runs.
    fn kill(&mut self, call: Call<'_>) {
        let words: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
        let everything = match words.as_slice() {
            [.., "-1"] if words.len() > 1 => true,
            [.., "--", "-1"] => true,
            _ => false,
        };
        let lists = words
            .first()
            .is_some_and(|first| matches!(*first, "-l" | "-L"));
        if everything && !lists {
            self.loses(call.text, "Ends all processes of the user.", &[]);
        }
    }

    fn permissions(&mut self, call: Call<'_>) {
        let options = Grammar::gnu("", &["reference", "from"]).split(call.args);
        if !options.has("R", "recursive") {
            return;
        }
        let files = options.files().get(1..).unwrap_or_default();
        let everything = files.iter().any(|file| {
            let path = self.target(file).path;
            self.places.is_everything(&path)
        });
        if everything {
            self.loses(
                call.text,
                "Changes the permissions of a whole system or home folder.",
                &[],
            );
        }
    }
}

/// `-f`, among other letters as well.
fn is_forced(text: &str) -> bool {
    let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    letters.is_some_and(|letters| letters.contains('f')) || text == "--force"
}

/// Whether a file is one that only a compiler writes, by the end of its name.
fn is_compiled(path: &str) -> bool {
    const ENDS: [&str; 7] = [".o", ".lo", ".pyc", ".pyo", ".class", ".gcda", ".gcno"];
    ENDS.iter().any(|end| path.ends_with(end))
}

/// Whether a folder of this name is made by builds.
pub(crate) fn is_build_output(name: &str) -> bool {
    BUILD_OUTPUT.contains(&name) || (name.starts_with('.') && name.ends_with("_cache"))
}

/// Whether a path belongs to the system, where no build puts anything.
fn is_system(path: &str) -> bool {
    const FOLDERS: [&str; 14] = [
        "/bin",
        "/sbin",
        "/usr",
        "/lib",
        "/etc",
        "/boot",
        "/opt",
        "/system",
        "/library",
        "/applications",
        "c:/windows",
        "c:/program files",
        "c:/program files (x86)",
        "c:/programdata",
    ];
    let lower = path.to_ascii_lowercase();
    let below = |folder: &str| {
        lower
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    lower.matches('/').count() < 2 || FOLDERS.iter().any(|folder| below(folder))
}

/// Whether a path names a disk or a part of one.
pub(crate) fn is_disk(path: &str) -> bool {
    let Some(name) = path.strip_prefix("/dev/") else {
        return path
            .to_ascii_lowercase()
            .starts_with("\\\\.\\physicaldrive");
    };
    let disks = [
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "loop", "mapper/", "dm-", "md",
    ];
    disks.iter().any(|disk| name.starts_with(disk))
}
