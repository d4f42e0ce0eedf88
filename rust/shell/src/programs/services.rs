//! Package managers, services, disks, containers and the network. Each has its one row here or in a table beside it.

use crate::args::Grammar;
use crate::program::Role::{Carries, Does, First, Notes, Sets};
use crate::program::{Program, Role, named, roughly};

const FETCHES: Role = First(|judge, call| judge.fetches(call));
const PROMPTS: Role = First(|judge, call| judge.prompted(call));
const LOSES_SERVICE: Role = Notes(|judge, call| judge.loses_service(call));
const LOSES_DISK: Role = Notes(|judge, call| judge.loses_disk(call));
const CONTAINER: Role = Does(|judge, call| judge.container(call));
const DOWNLOADER: Role = Does(|judge, call| judge.downloader(call));

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    named(&["gh"], &[FETCHES, LOSES_SERVICE]),
    named(&["pnpx", "pip", "pip3", "brew", "dnf", "yum", "zypper"], &[FETCHES]),
    roughly(&["sftp"], Grammar::of("BbcDFiJloPRSsX", &[]), &[
        PROMPTS, Notes(|judge, call| judge.transfers(call)), Sets(&[("oS", "")]),
    ]),
    named(
        &[
            "terraform", "tofu", "terragrunt", "pulumi", "cdk", "vagrant", "kubectl", "oc", "helm", "dropdb",
            "dropuser", "mysqladmin", "mariadb-admin", "redis-cli", "valkey-cli", "zfs", "zpool", "lvremove",
            "vgremove", "pvremove",
        ],
        &[LOSES_SERVICE],
    ),
    named(
        &[
            "parted", "fdisk", "gdisk", "cfdisk", "cgdisk", "cryptsetup", "mdadm", "nvme", "hdparm", "badblocks",
            "diskutil",
        ],
        &[LOSES_DISK],
    ),
    named(&["docker", "podman", "nerdctl"], &[CONTAINER]),
    named(
        &[
            "curl", "wget", "wget2", "aria2c", "axel", "http", "https", "xh", "lynx", "w3m", "links", "fetch",
            "lwp-request", "GET",
        ],
        &[DOWNLOADER],
    ),
    roughly(&["ssh"], Grammar::wrapper("oSiplFJLRDWbcmEeIQwB", &[]), &[Sets(&[("o", "")])]),
    roughly(&["tcpdump"], Grammar::of("zwriGCsF", &[]), &[Carries(&[("z", "")])]),
    roughly(
        &["fzf"], Grammar::of("qdfnm", &["preview", "bind", "query", "delimiter"]),
        &[Carries(&[("", "preview"), ("", "bind")])],
    ),
    roughly(&["watchman-make"], Grammar::of("pt", &["run"]), &[Carries(&[("", "run")])]),
    roughly(&["chokidar"], Grammar::of("cdti", &["command"]), &[Carries(&[("c", "command")])]),
    roughly(&["nodemon"], Grammar::of("xew", &["exec", "ext", "watch"]), &[Carries(&[("x", "exec")])]),
];
