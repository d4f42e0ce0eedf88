//! Services, disks, containers and the network.

use crate::args::Grammar;
use crate::ir::{Origin, Stream};
use crate::program::Role::{Always, Carries, Does, Erases, Keeps, Notes, Sets, SetsUp};
use crate::program::{Program, Role, named, roughly};

const CONTAINS: Role = Does(|judge, call| judge.container(call));
const DOWNLOADS: Role = Does(|_, _| Some(Stream::printed(Origin::Download)));

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    // Subcommands that take away what a service, a database or a disk keeps; the options have a value in front of them.
    named(&["terraform", "tofu", "terragrunt"], &[Keeps(&["destroy", "run-all destroy"])]),
    roughly(
        &["pulumi", "cdk", "vagrant"], Grammar::of("Csac", &["cwd", "stack", "app", "context"]), &[Keeps(&["destroy"])],
    ),
    roughly(
        &["kubectl", "oc"],
        Grammar::of("ns", &["namespace", "context", "kubeconfig", "cluster", "user", "server"]),
        &[Keeps(&["delete"])],
    ),
    roughly(
        &["helm"], Grammar::of("n", &["namespace", "kube-context", "kubeconfig"]),
        &[Keeps(&["uninstall", "delete", "del", "un"])],
    ),
    roughly(&["mysqladmin", "mariadb-admin"], Grammar::of("uhPS", &["user", "host", "port"]), &[Keeps(&["drop"])]),
    roughly(
        &["redis-cli", "valkey-cli"], Grammar::of("hpnaus", &["user", "pass"]), &[Keeps(&["flushall", "flushdb"])],
    ),
    roughly(&["gh"], Grammar::of("R", &["repo"]), &[
        Always(|judge, call| judge.clones_hosted(call)), Keeps(&["repo delete"]),
    ]),
    named(&["zfs", "zpool"], &[Keeps(&["destroy"])]),
    // They do nothing else.
    named(&["dropdb", "dropuser", "lvremove", "vgremove", "pvremove"], &[Keeps(&[])]),

    // Disks, and the words with which their tools write; none where they ask for them.
    named(
        &["parted"],
        &[Erases(&["mklabel", "mktable", "mkpart", "rm", "resizepart", "mkpartfs", "disk_set", "rescue"])],
    ),
    named(&["fdisk", "gdisk", "cfdisk", "cgdisk"], &[Erases(&[])]),
    named(&["cryptsetup"], &[Erases(&["luksFormat", "luksErase", "erase", "reencrypt", "luksKillSlot"])]),
    named(&["mdadm"], &[Erases(&["--zero-superblock", "--create", "-C"])]),
    named(&["nvme"], &[Erases(&["format", "sanitize", "delete-ns", "write-zeroes"])]),
    named(&["hdparm"], &[Erases(&["--security-erase", "--security-erase-enhanced", "--trim-sector-ranges"])]),
    named(&["badblocks"], &[Erases(&["-w"])]),
    named(
        &["diskutil"],
        &[Erases(&["eraseDisk", "eraseVolume", "partitionDisk", "zeroDisk", "secureErase", "reformat"])],
    ),

    named(&["docker", "podman", "nerdctl"], &[CONTAINS]),

    roughly(&["curl"], CURL, &[Does(|judge, call| Some(judge.curl(call)))]),
    roughly(&["wget", "wget2"], WGET, &[Does(|judge, call| Some(judge.wget(call)))]),
    roughly(
        &["aria2c", "axel"], Grammar::gnu("odxsj", &["out", "dir"]), &[Does(|judge, call| Some(judge.aria2(call)))],
    ),
    named(&["http", "https", "xh", "lynx", "w3m", "links", "fetch", "lwp-request", "GET"], &[DOWNLOADS]),
    roughly(&["sftp"], Grammar::of("BbcDFiJloPRSsX", &[]), &[
        super::shells::FTP, Notes(|judge, call| judge.transfers(call)), Sets(&[("oS", "")]),
    ]),
    roughly(&["ssh"], Grammar::wrapper("oSiplFJLRDWbcmEeIQwB", &[]), &[Sets(&[("o", "")])]),

    roughly(&["tcpdump"], Grammar::of("zwriGCsF", &[]), &[Carries(&[("z", "")])]),
    roughly(
        &["fzf"], Grammar::of("qdfnm", &["preview", "bind", "query", "delimiter"]),
        &[Carries(&[("", "preview"), ("", "bind")]), SetsUp(&["--bash", "--zsh", "--fish"])],
    ),
    roughly(&["watchman-make"], Grammar::of("pt", &["run"]), &[Carries(&[("", "run")])]),
    roughly(&["chokidar"], Grammar::of("cdti", &["command"]), &[Carries(&[("c", "command")])]),
    roughly(&["nodemon"], Grammar::of("xew", &["exec", "ext", "watch"]), &[Carries(&[("x", "exec")])]),
];

#[rustfmt::skip]
const CURL: Grammar = Grammar::of(
    "AbcCdDeEFhHKmoPQrtTuUwxXyYz",
    &[
        "output", "output-dir", "header", "data", "data-raw", "data-binary", "request", "user",
        "user-agent", "cookie", "form", "max-time", "connect-timeout", "retry", "proxy", "cacert",
        "cert", "key", "url", "write-out", "referer", "resolve", "config", "upload-file", "range",
        "retry-delay", "json",
    ],
);
#[rustfmt::skip]
const WGET: Grammar = Grammar::gnu(
    "oaeiBtTwQPUDAOR",
    &[
        "output-document", "output-file", "directory-prefix", "header", "user-agent", "timeout",
        "tries", "input-file", "user", "password", "post-data", "post-file", "method", "body-data",
        "referer",
    ],
);
