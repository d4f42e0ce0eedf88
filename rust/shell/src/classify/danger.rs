//! What loses work or data: removing files, disks, permissions of everything.

use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::paths::{Place, Target, parts};
use crate::program::Call;

/// Folders that builds make and that may go.
#[rustfmt::skip]
const BUILD_OUTPUT: [&str; 16] = [
    "target", "build", "dist", "out", "bin", "obj", "node_modules", ".gradle", "__pycache__",
    "coverage", ".next", ".nuxt", ".venv", "venv", ".tox", ".cache",
];

const WHY_DISK: &str = "Writes over a disk.";

impl Judge<'_> {
    /// `gio remove files`
    pub(crate) fn removes_behind(&mut self, call: Call<'_>) -> Option<Stream> {
        let (subcommand, args) = call.args.split_first()?;
        if subcommand.is("remove") {
            let options = call.program.grammar.split(args);
            self.removes(call, options.files());
            return Some(Stream::printed(Origin::Program));
        }
        None
    }

    /// Tools of disks that lose what is on them when they get one of these words.
    pub(super) fn loses_disk(&mut self, words: &[&str], call: Call<'_>) {
        // Those with questions of their own lose nothing before they are answered.
        let answered =
            words.is_empty() && matches!(self.io.stdin, Stream::Text(_) | Stream::File(_));
        let named = call.args.iter().any(|arg| {
            words.contains(&arg.text.as_str()) || words.contains(&"-w") && arg.has_letter('w')
        });
        let lists = call.has("-l") || call.has("--list");
        if (answered && !lists) || named {
            self.loses(call.text, WHY_DISK, &[]);
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

    /// A finding where one of the targets is a disk, which is then written over.
    pub(crate) fn overwrites(&mut self, text: &str, targets: &[Target]) {
        if targets.iter().any(|target| is_disk(&target.path)) {
            self.loses(text, WHY_DISK, &[]);
        }
    }

    /// `cp image disk`
    pub(crate) fn copies_over(&mut self, call: Call<'_>) {
        if let [_, .., to] = call.options().files() {
            let target = self.target(to);
            self.overwrites(call.text, &[target]);
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

    /// `rsync --delete` takes away what the source does not have, `--remove-source-files` what it has.
    pub(crate) fn mirrors(&mut self, call: Call<'_>) {
        let options = call.options();
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

    /// `ln -f`
    pub(crate) fn replaces_by_link(&mut self, call: Call<'_>) {
        if call.args.iter().any(is_forced) {
            self.empties(call);
        }
    }

    /// `cp /dev/null file` leaves nothing of it, nor does a link to it that is put in the file's place.
    pub(crate) fn empties(&mut self, call: Call<'_>) {
        let options = call.options();
        let Some((to, from)) = options.files().split_last() else {
            return;
        };
        if from.iter().any(|file| file.is("/dev/null")) {
            self.removes(call, &[to]);
        }
    }

    /// Whether losing what is there would hurt.
    pub(crate) fn hurts(&self, target: &Target) -> bool {
        let kept = match target.place {
            Place::Temporary | Place::Special => return false,
            // The project goes with it.
            Place::Above => return true,
            Place::Inside => self.places.below_root(&target.path),
            // Elsewhere `bin` is where programs are installed.
            Place::Elsewhere if is_system(&target.path) => return true,
            Place::Elsewhere => self.places.beyond_roots(&target.path),
        };
        let own = target.place == Place::Inside;
        !is_compiled(kept)
            && !parts(kept).any(|part| is_build_output(part) && (own || part != "bin"))
    }

    /// `kill -9 -1` ends everything that a user runs.
    pub(crate) fn kill(&mut self, call: Call<'_>) -> Stream {
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
        Stream::printed(Origin::Program)
    }

    pub(crate) fn permissions(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let files = options.files().get(1..).unwrap_or_default();
        self.leaves_at(files);
        let everything = options.has("R", "recursive")
            && files.iter().any(|file| {
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
        Stream::printed(Origin::Program)
    }
}

/// `-f`, among other letters as well.
pub(super) fn is_forced(arg: &Arg) -> bool {
    arg.has_letter('f') || arg.is("--force")
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
    #[rustfmt::skip]
    const FOLDERS: [&str; 14] = [
        "/bin", "/sbin", "/usr", "/lib", "/etc", "/boot", "/opt", "/system", "/library", "/applications",
        "c:/windows", "c:/program files", "c:/program files (x86)", "c:/programdata",
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
fn is_disk(path: &str) -> bool {
    const RAW: &str = "\\\\.\\";
    const DRIVE: &str = "PhysicalDrive";
    let Some(name) = path.strip_prefix("/dev/") else {
        let raw = path.strip_prefix(RAW).unwrap_or_default();
        let start = raw.get(..DRIVE.len());
        let is_volume = matches!(raw.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic());
        return is_volume || start.is_some_and(|start| start.eq_ignore_ascii_case(DRIVE));
    };
    let disks = [
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "loop", "mapper/", "dm-", "md",
    ];
    disks.iter().any(|disk| name.starts_with(disk))
}
