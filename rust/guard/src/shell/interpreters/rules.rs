//! The calls that matter in each language.

use super::scan::Language;

/// What a call does with one of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    Reads,
    Writes,
    /// Reads or writes as its second argument or `mode` says.
    Opens,
    /// The same on the object that it is called on.
    OpensItself,
    ReadsItself,
    WritesItself,
    Removes,
    RemovesItself,
    Runs,
    /// Runs code of the language itself.
    Evaluates,
    /// Runs the project's tests.
    Tests,
}

/// What must stand in front of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Anything,
    Nothing,
    /// Some object.
    Something,
    /// One of these objects.
    One(&'static [&'static str]),
    /// Nothing or anything, in a script that mentions this name.
    Mentioned(&'static str),
}

pub(super) struct Rule {
    pub(super) names: &'static [&'static str],
    pub(super) before: Before,
    pub(super) does: Does,
}

const fn rule(names: &'static [&'static str], before: Before, does: Does) -> Rule {
    Rule {
        names,
        before,
        does,
    }
}

#[rustfmt::skip]
const PYTHON: &[Rule] = &[
    rule(&["open"], Before::Nothing, Does::Opens),
    rule(&["open"], Before::One(&["io", "codecs", "builtins"]), Does::Opens),
    rule(&["open"], Before::One(PATHS), Does::OpensItself),
    rule(&["read_text", "read_bytes"], Before::Something, Does::ReadsItself),
    rule(&["write_text", "write_bytes"], Before::Something, Does::WritesItself),
    rule(&["unlink", "rmdir"], Before::One(PATHS), Does::RemovesItself),
    rule(&["getline", "getlines"], Before::One(&["linecache"]), Does::Reads),
    rule(&["input"], Before::One(&["fileinput"]), Does::Reads),
    rule(&["main"], Before::One(&["pytest", "unittest"]), Does::Tests),
    rule(&["truncate"], Before::One(&["os"]), Does::Writes),
    rule(&["remove", "unlink", "removedirs"], Before::One(&["os"]), Does::Removes),
    rule(&["rmtree"], Before::Anything, Does::Removes),
    rule(&["system", "popen"], Before::One(&["os"]), Does::Runs),
    rule(&["execv", "execvp", "execl", "execlp", "spawnlp"], Before::One(&["os"]), Does::Runs),
    rule(
        &["check_output", "check_call", "Popen", "getoutput", "getstatusoutput"],
        Before::Anything,
        Does::Runs,
    ),
    rule(&["run", "call"], Before::Mentioned("subprocess"), Does::Runs),
    rule(&["create_subprocess_shell", "create_subprocess_exec"], Before::Anything, Does::Runs),
    rule(&["exec", "eval"], Before::Nothing, Does::Evaluates),
    rule(&["exec", "eval"], Before::One(&["builtins"]), Does::Evaluates),
];

/// Stands for objects that are paths.
pub(super) const PATHS: &[&str] = &["Path", "PosixPath", "pathlib"];

#[rustfmt::skip]
const JAVASCRIPT: &[Rule] = &[
    rule(&["readFileSync", "readFile", "createReadStream"], Before::Anything, Does::Reads),
    rule(&["readTextFile", "readTextFileSync"], Before::Anything, Does::Reads),
    rule(&["file"], Before::One(&["Bun"]), Does::Reads),
    rule(
        &["writeFileSync", "writeFile", "appendFileSync", "appendFile"],
        Before::Anything,
        Does::Writes,
    ),
    rule(
        &["writeTextFile", "writeTextFileSync", "createWriteStream"],
        Before::Anything,
        Does::Writes,
    ),
    rule(&["truncateSync"], Before::Anything, Does::Writes),
    rule(&["write"], Before::One(&["Bun"]), Does::Writes),
    rule(&["openSync"], Before::Anything, Does::Opens),
    rule(
        &["rmSync", "rmdirSync", "unlinkSync", "removeSync", "rimrafSync", "emptyDirSync"],
        Before::Anything,
        Does::Removes,
    ),
    rule(&["rm", "rmdir", "unlink"], Before::Something, Does::Removes),
    rule(&["remove"], Before::One(&["Deno", "fs"]), Does::Removes),
    rule(&["rimraf"], Before::Nothing, Does::Removes),
    rule(&["execSync", "spawnSync", "execFileSync", "execFile"], Before::Anything, Does::Runs),
    rule(&["exec", "spawn", "fork"], Before::Mentioned("child_process"), Does::Runs),
    rule(&["spawn", "spawnSync", "Command"], Before::One(&["Bun", "Deno"]), Does::Runs),
    rule(&["eval", "Function"], Before::Nothing, Does::Evaluates),
    rule(&["eval"], Before::One(&["globalThis", "window", "global"]), Does::Evaluates),
    rule(&["runInThisContext", "runInNewContext"], Before::Anything, Does::Evaluates),
];

#[rustfmt::skip]
const PERL: &[Rule] = &[
    rule(&["open", "sysopen"], Before::Nothing, Does::Opens),
    rule(&["read_file", "slurp", "read_text"], Before::Nothing, Does::Reads),
    rule(&["write_file", "append_file"], Before::Nothing, Does::Writes),
    rule(&["unlink", "rmtree", "remove_tree"], Before::Nothing, Does::Removes),
    rule(&["system", "exec"], Before::Nothing, Does::Runs),
    rule(&["eval"], Before::Nothing, Does::Evaluates),
];

#[rustfmt::skip]
const RUBY: &[Rule] = &[
    rule(&["read", "readlines", "foreach", "binread"], Before::One(&["File", "IO"]), Does::Reads),
    rule(&["write", "binwrite"], Before::One(&["File", "IO"]), Does::Writes),
    rule(&["open", "new"], Before::One(&["File"]), Does::Opens),
    rule(&["open"], Before::Nothing, Does::Opens),
    rule(&["delete", "unlink"], Before::One(&["File"]), Does::Removes),
    rule(
        &["rm", "rm_f", "rm_r", "rm_rf", "remove_dir", "remove_entry", "remove_entry_secure"],
        Before::Anything,
        Does::Removes,
    ),
    rule(&["system", "exec", "spawn"], Before::Nothing, Does::Runs),
    rule(
        &["popen", "capture2", "capture2e", "capture3"],
        Before::One(&["IO", "Open3"]),
        Does::Runs,
    ),
    rule(&["eval", "instance_eval", "class_eval"], Before::Nothing, Does::Evaluates),
];

#[rustfmt::skip]
const PHP: &[Rule] = &[
    rule(&["file_get_contents", "readfile", "file"], Before::Nothing, Does::Reads),
    rule(&["file_put_contents"], Before::Nothing, Does::Writes),
    rule(&["fopen"], Before::Nothing, Does::Opens),
    rule(&["unlink"], Before::Nothing, Does::Removes),
    rule(
        &["system", "exec", "shell_exec", "passthru", "popen", "proc_open"],
        Before::Nothing,
        Does::Runs,
    ),
    rule(&["eval"], Before::Nothing, Does::Evaluates),
];

pub(super) fn rules(language: Language) -> &'static [Rule] {
    match language {
        Language::Python => PYTHON,
        Language::JavaScript => JAVASCRIPT,
        Language::Perl => PERL,
        Language::Ruby => RUBY,
        Language::Php => PHP,
    }
}
