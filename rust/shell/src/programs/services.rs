//! Package managers, services, disks, containers and the network. Each has its one row here or in a table beside it.

use crate::program::Role::{Does, First, Notes};
use crate::program::{Program, Role, named};

const FETCHES: Role = First(|judge, call| judge.fetches(call));
const PROMPTS: Role = First(|judge, call| judge.prompted(call));
const COPIES: Role = Notes(|judge, call| judge.copies_from_elsewhere(call));
const LOSES_SERVICE: Role = Notes(|judge, call| judge.loses_service(call));
const LOSES_DISK: Role = Notes(|judge, call| judge.loses_disk(call));
const CONTAINER: Role = Does(|judge, call| judge.container(call));
const DOWNLOADER: Role = Does(|judge, call| judge.downloader(call));
const CARRIES: Role = Notes(|judge, call| judge.carried_commands(call));
const GIT: Role = Does(|judge, call| Some(judge.git(call)));

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    named(&["gh"], &[FETCHES, LOSES_SERVICE]),
    named(&["pnpx", "pip", "pip3", "brew", "dnf", "yum", "zypper"], &[FETCHES]),
    named(&["sftp"], &[PROMPTS, COPIES, CARRIES]),
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
    named(&["tcpdump", "ssh", "fzf", "watchman-make", "chokidar", "nodemon"], &[CARRIES]),
    named(&["git"], &[GIT]),
];
