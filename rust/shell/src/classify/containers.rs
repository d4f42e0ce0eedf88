//! Containers that are given folders of this machine. What runs in one works on another file system, but for these
//! folders: what it loses in them is lost here. Everything else about it is the container's own.

use crate::analysis::Dialect;
use crate::args::{Grammar, Options};
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::kinds::FindingKind;
use crate::paths::Places;
use crate::program::Call;

/// Folders of one container that are looked at.
const FOLDERS_LIMIT: usize = 4;

/// Options in front of the subcommand.
#[rustfmt::skip]
const BEFORE: Grammar = Grammar::wrapper("HcDl", &["host", "context", "config", "log-level", "url", "connection"]);

/// Options of `run` and `create` that have a value.
#[rustfmt::skip]
const RUN: Grammar = Grammar {
    gnu: false,
    ..Grammar::wrapper(
        "acehlmpuvw",
        &[
            "volume", "mount", "workdir", "entrypoint", "name", "env", "env-file", "user", "publish",
            "network", "net", "label", "label-file", "platform", "memory", "cpus", "hostname", "add-host",
            "cap-add", "cap-drop", "device", "dns", "expose", "gpus", "group-add", "ip", "ipc", "link",
            "log-driver", "log-opt", "pid", "pull", "restart", "runtime", "security-opt", "shm-size",
            "stop-signal", "stop-timeout", "sysctl", "tmpfs", "ulimit", "userns", "uts", "volumes-from",
            "cidfile", "cgroupns", "pod", "arch", "os", "annotation", "attach", "cpuset-cpus", "memory-swap",
        ],
    )
};

/// A folder of this machine, and where the container sees it.
struct Folder {
    here: Arg,
    there: String,
}

impl Judge<'_> {
    pub(crate) fn container(&mut self, call: Call<'_>) -> Option<Stream> {
        let words = BEFORE.split(call.args).operands;
        let words = match words {
            [first, rest @ ..] if first.is("container") => rest,
            words => words,
        };
        let (subcommand, args) = words.split_first()?;
        if !matches!(subcommand.text.as_str(), "run" | "create") {
            return None;
        }
        let options = RUN.split(args);
        let (_, inner) = options.operands.split_first()?;
        let entry = options.value("", "entrypoint");
        let argv: Vec<Arg> = entry.into_iter().chain(inner).cloned().collect();
        let mut given = folders(&options);
        given.retain(|folder| {
            let here = self.target(&folder.here);
            self.hurts(&here)
        });
        for folder in given.iter().take(FOLDERS_LIMIT) {
            self.loses_there(&argv, &options, &folder.there, call);
        }
        if given.len() > FOLDERS_LIMIT {
            self.cannot_tell(
                call.text,
                "Mounts more folders into a container than can be checked.",
            );
        }
        Some(Stream::printed(Origin::Program))
    }

    /// Judges what a container does to one folder that it was given.
    fn loses_there(&mut self, argv: &[Arg], options: &Options<'_>, there: &str, call: Call<'_>) {
        if !self.budget.pay(64) {
            return;
        }
        let places = std::mem::replace(&mut self.places, Places::in_container(there));
        let dialect = std::mem::replace(&mut self.dialect, Dialect::Bash);
        let saved = std::mem::take(&mut self.saved);
        let (mark, since, io) = (self.scope.mark(), self.findings.since(), self.io.clone());
        let folder = options.value("w", "workdir");
        let folder = folder.map_or_else(|| "/".to_owned(), |folder| folder.text.to_string());
        self.scope.enter_folder(folder);
        self.command(argv, call.text);
        self.findings
            .keep(since, |kind| kind == FindingKind::Destructive);
        self.scope.undo_to(mark);
        self.io = io;
        self.saved = saved;
        self.dialect = dialect;
        self.places = places;
    }
}

/// The folders of this machine that a container may write to.
fn folders(options: &Options<'_>) -> Vec<Folder> {
    let volumes = options.values("v", "volume").filter_map(volume);
    let mounts = options.values("", "mount").filter_map(mount);
    volumes.chain(mounts).collect()
}

/// `here:there[:options]`, where a name without a slash is no folder of this machine.
fn volume(value: &Arg) -> Option<Folder> {
    let (mut here, mut there) = value.text.rsplit_once(':')?;
    if !there.starts_with('/') {
        if there.split(',').any(|option| option == "ro") {
            return None;
        }
        (here, there) = here.rsplit_once(':')?;
    }
    let is_folder = here.contains(['/', '\\', crate::ir::UNKNOWN]) || here.starts_with(['.', '~']);
    (is_folder && there.starts_with('/')).then(|| Folder {
        here: value.with_text(here),
        there: there.to_owned(),
    })
}

/// `type=bind,source=…,target=…`
fn mount(value: &Arg) -> Option<Folder> {
    let fields = || {
        value
            .text
            .split(',')
            .map(|field| field.split_once('=').unwrap_or((field, "")))
    };
    let field = |names: [&str; 3]| {
        let mut found = fields().filter(|(name, _)| names.contains(name));
        found.next().map(|(_, value)| value)
    };
    let binds = field(["type"; 3]) == Some("bind");
    let is_read_only = field(["readonly", "ro", "readonly"]).is_some_and(|value| value != "false");
    let here = field(["source", "src", "source"])?;
    let there = field(["target", "dst", "destination"])?;
    (binds && !is_read_only && there.starts_with('/')).then(|| Folder {
        here: value.with_text(here),
        there: there.to_owned(),
    })
}
