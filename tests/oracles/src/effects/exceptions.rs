//! What has an effect and is allowed all the same: each row names the rule or ruling of the policy that allows it.

use super::line::Line;

/// A command with an effect that the policy does not count.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// The rule or ruling.
    pub ruling: &'static str,
    /// The command, written as in [`super::leaves`].
    pub command: &'static str,
}

const NO_TOOL: &str = "rule 8: no IDE tool, no redirect (cp, mv, sort, cut, diff, cmp, ln)";
pub(super) const OTHER_READERS: &str =
    "ruling on other readers (jq, strings, xxd, od, base64, column, while read, mapfile)";
pub(super) const SAVED: &str = "ruling: what a program prints may be saved in a file";
const COPIED: &str =
    "ruling of write_file: only text that the line itself supplies; a copied file is rule 8's cp";
/// Saves both outputs; written as in [`super::leaves`].
const BOTH_OUTPUTS: &str = "echo x &> {F}";
const BUILD_OUTPUT: &str = "ruling: build output may go";

/// All of them.
pub const EXCEPTIONS: &[Exception] = &[
    Exception {
        ruling: NO_TOOL,
        command: "cp /tmp/o1 {F}",
    },
    Exception {
        ruling: NO_TOOL,
        command: "cp {F} copy.txt",
    },
    Exception {
        ruling: NO_TOOL,
        command: "mv {F} /tmp/moved",
    },
    Exception {
        ruling: NO_TOOL,
        command: "mv {F} moved.txt",
    },
    Exception {
        ruling: NO_TOOL,
        command: "sort {F}",
    },
    Exception {
        ruling: NO_TOOL,
        command: "cut -c1-80 {F}",
    },
    Exception {
        ruling: NO_TOOL,
        command: "diff {F} /tmp/o1",
    },
    Exception {
        ruling: NO_TOOL,
        command: "ln -sf /tmp/o1 {F}",
    },
    Exception {
        ruling: OTHER_READERS,
        command: "jq|jq -R . {F}",
    },
    Exception {
        ruling: OTHER_READERS,
        command: "strings|strings {F}",
    },
    Exception {
        ruling: OTHER_READERS,
        command: "column|column {F}",
    },
    Exception {
        ruling: OTHER_READERS,
        command: "while read -r l; do echo \"$l\"; done < {F}",
    },
    Exception {
        ruling: OTHER_READERS,
        command: "mapfile -t a < {F}; echo \"${a[0]}\"",
    },
    Exception {
        ruling: SAVED,
        command: "date > {F}",
    },
    Exception {
        ruling: SAVED,
        command: "seq 3 >> made.txt",
    },
    Exception {
        ruling: SAVED,
        command: "uname -a | tee {F}",
    },
    Exception {
        ruling: COPIED,
        command: "tee {F} < /tmp/o1",
    },
    Exception {
        ruling: BUILD_OUTPUT,
        command: "rm -rf build packages/web/dist",
    },
    Exception {
        ruling: BUILD_OUTPUT,
        command: "find . -name node_modules -prune -exec rm -rf {} +",
    },
];

/// Whether a path of the project is build output, which may be written and removed.
pub fn is_build_output(path: &str) -> bool {
    path.split('/')
        .any(|part| ["build", "dist", "node_modules"].contains(&part))
}

/// Whether a file may be made, or left with nothing in it: `touch` is one of the commands that no tool replaces (rule 8),
/// and what a program prints may be saved, also where it prints nothing since it, or what it is to read, is not there, or
/// since it is a folder.
pub fn may_be_emptied(line: &Line, is_missing: bool) -> bool {
    is_missing || line.parts.contains(&"touch /tmp/x") || is_read_as_bash(line)
}

/// A ruling: `&>` redirects both outputs, as in bash, unless the line itself starts a plain `sh`. A plain `sh` that is
/// given the line puts the command into the background instead, and empties the file in the folder where it began.
fn is_read_as_bash(line: &Line) -> bool {
    line.shell == "dash"
        && line.parts.contains(&BOTH_OUTPUTS)
        && !line.parts.iter().any(|part| part.contains("sh -c"))
}
