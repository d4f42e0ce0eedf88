//! Programs that read, search, list, write, copy, pack and remove files, or pass text on. Each has its one row here or in a table beside it.

use crate::program::Role::{Does, First, Notes};
use crate::program::{Program, Role, named};

const PROMPTS: Role = First(|judge, call| judge.prompted(call));
const OUTPUTS: Role = First(|judge, call| judge.outputs(call));
const MAKES: Role = Notes(|judge, call| judge.makes_files(call));
const COPIES: Role = Notes(|judge, call| judge.copies_from_elsewhere(call));
const LOSES_COPYING: Role = Notes(|judge, call| judge.loses_copying(call));
const LOSES_PACKED: Role = Notes(|judge, call| judge.loses_packed(call));
const READER: Role = Does(|judge, call| judge.reader(call));
const SEARCHER: Role = Does(|judge, call| judge.searcher(call));
const LISTER: Role = Does(|judge, call| judge.lister(call));
const WRITER: Role = Does(|judge, call| judge.writer(call));
const REMOVER: Role = Does(|judge, call| judge.remover(call));
const FILTER: Role = Does(|judge, call| judge.filter(call));
const FISH_TEXT: Role = Does(|judge, call| judge.fish_string(call));
const CARRIES: Role = Notes(|judge, call| judge.carried_commands(call));

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    named(&["less", "more", "most"], &[PROMPTS, READER]),
    named(&["ex", "ed", "red", "vim", "vi", "nvim", "gvim", "view"], &[PROMPTS, WRITER]),
    named(&["tar"], &[OUTPUTS, MAKES, LOSES_PACKED, FILTER, CARRIES]),
    named(&["gtar", "bsdtar", "7z", "7za", "7zr", "7zz", "rar"], &[OUTPUTS, LOSES_PACKED]),
    named(
        &[
            "gzip", "gunzip", "bunzip2", "xz", "unxz", "zstd", "unzstd", "brotli", "dos2unix", "unix2dos", "uniq",
            "xxd", "iconv", "shuf", "mktemp",
        ],
        &[OUTPUTS, FILTER],
    ),
    named(&["bzip2", "lzma", "unlzma", "lz4", "csplit", "ssh-keygen", "virtualenv"], &[OUTPUTS]),
    named(&["split"], &[OUTPUTS, CARRIES]),
    named(&["zip"], &[OUTPUTS, LOSES_PACKED, CARRIES]),
    named(&["cp", "ln", "install"], &[MAKES, LOSES_COPYING, FILTER]),
    named(&["mv"], &[MAKES, FILTER]),
    named(&["rsync"], &[MAKES, COPIES, LOSES_COPYING, FILTER, CARRIES]),
    named(&["scp"], &[MAKES, COPIES, CARRIES]),
    named(
        &[
            "mkdir", "touch", "mkfifo", "rmdir", "unzip", "gcc", "g++", "cc", "c++", "clang", "clang++", "rustc",
            "ld", "as", "javac", "kotlinc", "scalac",
        ],
        &[MAKES],
    ),
    named(&["chmod", "chown", "chgrp"], &[MAKES, REMOVER]),
    named(&["sed", "awk", "cat", "head", "tail", "bat", "batcat", "nl", "tac"], &[READER]),
    named(
        &[
            "grep", "egrep", "fgrep", "zgrep", "bzgrep", "xzgrep", "zegrep", "zfgrep", "rgrep", "ripgrep", "ug",
            "ugrep", "pt", "sift", "ack-grep",
        ],
        &[SEARCHER],
    ),
    named(&["rg", "ag", "ack"], &[SEARCHER, CARRIES]),
    named(
        &[
            "ls", "dir", "vdir", "ll", "la", "exa", "eza", "lsd", "tree", "find", "bfs", "fd", "fdfind",
        ],
        &[LISTER],
    ),
    named(
        &[
            "echo", "print", "printf", "tee", "dd", "truncate", "patch", "apply_patch", "applypatch",
        ],
        &[WRITER],
    ),
    named(&["sponge"], &[WRITER, FILTER]),
    named(
        &[
            "rm", "unlink", "shred", "srm", "wipe", "rimraf", "del-cli", "trash-cli", "gio", "gvfs-rm", "wipefs",
            "blkdiscard", "mkswap", "sfdisk", "sgdisk", "kill", "mkfs", "mke2fs", "mkfs.",
        ],
        &[REMOVER],
    ),
    named(
        &[
            "base64", "base32", "basenc", "openssl", "gpg", "gpg2", "age", "uudecode", "zcat", "xzcat", "bzcat",
            "zstdcat", "ascii85", "tr", "cut", "rev", "fold", "fmt", "expand", "unexpand", "column", "paste",
            "join", "strings", "od", "hexdump", "jq", "yq", "pv", "buffer", "mbuffer", "ts", "tsort", "envsubst",
            "m4", "cpp", "colrm", "col", "ansifilter", "aha", "wc", "which", "type", "where", "whereis", "pwd",
            "dirname", "basename", "realpath", "readlink", "cygpath", "wslpath",
        ],
        &[FILTER],
    ),
    named(&["sort", "man"], &[FILTER, CARRIES]),
    named(&["string"], &[FISH_TEXT]),
];
