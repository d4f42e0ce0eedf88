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
    /// Reads or writes as the flags of the system behind its first argument say.
    OpensByFlags,
    /// Perl's own `open`.
    PerlOpens,
    ReadsItself,
    WritesItself,
    Removes,
    RemovesItself,
    Runs,
    /// Calls what its first argument names with the others.
    Applies,
    /// Runs the text that it is called on.
    RunsItself,
    /// Runs what follows its first argument.
    RunsSecond,
    /// Runs code of the language itself.
    Evaluates,
    /// Runs the project's tests.
    Tests,
}

/// What must come before the name.
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
    /// Some object but these, in a script that mentions paths that are objects.
    AnyPath(&'static [&'static str]),
    /// Nothing, in a script that takes the name out of this module.
    Imported(&'static str),
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
    rule(
        &["open"],
        Before::One(&["io", "codecs", "builtins", "__builtins__", "tokenize", "aiofiles"]),
        Does::Opens,
    ),
    rule(&["open"], Before::One(OS), Does::OpensByFlags),
    rule(&["FileIO"], Before::Anything, Does::Opens),
    rule(&["open"], Before::One(PATHS), Does::OpensItself),
    rule(&["read_text", "read_bytes"], Before::Something, Does::ReadsItself),
    rule(&["write_text", "write_bytes"], Before::Something, Does::WritesItself),
    rule(&["unlink", "rmdir"], Before::One(PATHS), Does::RemovesItself),
    rule(&["unlink"], Before::AnyPath(OS), Does::RemovesItself),
    rule(&["open"], Before::AnyPath(NO_PATHS), Does::OpensItself),
    rule(&["getline", "getlines"], Before::One(&["linecache"]), Does::Reads),
    rule(&["input"], Before::One(&["fileinput"]), Does::Opens),
    rule(&["FileInput"], Before::Anything, Does::Opens),
    rule(&["main"], Before::One(&["pytest", "unittest"]), Does::Tests),
    rule(&["truncate"], Before::One(&["os"]), Does::Writes),
    rule(&["remove", "unlink", "removedirs"], Before::One(OS), Does::Removes),
    rule(&["rmtree"], Before::Anything, Does::Removes),
    rule(&["system", "popen"], Before::One(OS), Does::Runs),
    rule(&["system", "popen"], Before::Imported("os"), Does::Runs),
    rule(&["remove", "unlink", "removedirs"], Before::Imported("os"), Does::Removes),
    rule(&["execv", "execvp", "execl", "execlp", "execve", "execvpe"], Before::One(OS), Does::Runs),
    rule(&["spawnlp", "spawnvp", "spawnv", "spawnl"], Before::One(OS), Does::RunsSecond),
    rule(&["posix_spawn", "posix_spawnp"], Before::One(OS), Does::RunsSecond),
    rule(&["spawn"], Before::One(&["pty", "pexpect"]), Does::Runs),
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

#[rustfmt::skip]
const NO_PATHS: &[&str] = &[
    "os", "posix", "nt", "io", "codecs", "builtins", "gzip", "bz2", "lzma", "tarfile", "zipfile", "shelve", "dbm",
    "wave", "webbrowser", "Image",
];
const OS: &[&str] = &["os", "posix", "nt"];

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
    rule(&["truncate"], Before::One(&["fs", "promises", "fsp", "Deno"]), Does::Writes),
    rule(&["truncateSync"], Before::Anything, Does::Writes),
    rule(&["write"], Before::One(&["Bun"]), Does::Writes),
    rule(&["openSync"], Before::Anything, Does::Opens),
    rule(&["open"], Before::One(&["fs", "promises", "fsp", "Deno"]), Does::Opens),
    rule(
        &["rmSync", "rmdirSync", "unlinkSync", "removeSync", "rimrafSync", "emptyDirSync"],
        Before::Anything,
        Does::Removes,
    ),
    rule(&["rm", "rmdir", "unlink"], Before::Something, Does::Removes),
    rule(&["remove"], Before::One(&["Deno", "fs"]), Does::Removes),
    rule(&["rm", "rmdir", "unlink"], Before::Imported("fs"), Does::Removes),
    rule(&["rimraf"], Before::Nothing, Does::Removes),
    rule(&["execSync", "spawnSync", "execFileSync", "execFile"], Before::Anything, Does::Runs),
    rule(&["exec", "spawn", "fork"], Before::Mentioned("child_process"), Does::Runs),
    rule(&["run"], Before::One(&["Deno"]), Does::Runs),
    rule(&["execa", "execaSync", "execaCommand", "execaCommandSync"], Before::Nothing, Does::Runs),
    rule(&["spawn", "spawnSync", "Command"], Before::One(&["Bun", "Deno"]), Does::Runs),
    rule(&["eval", "Function"], Before::Nothing, Does::Evaluates),
    rule(&["eval"], Before::One(&["globalThis", "window", "global"]), Does::Evaluates),
    rule(&["runInThisContext", "runInNewContext"], Before::Anything, Does::Evaluates),
];

#[rustfmt::skip]
const PERL: &[Rule] = &[
    rule(&["open"], Before::Nothing, Does::PerlOpens),
    rule(&["open"], Before::One(&["CORE", "GLOBAL"]), Does::PerlOpens),
    rule(&["sysopen"], Before::Nothing, Does::OpensByFlags),
    rule(&["new"], Before::One(&["File"]), Does::Opens),
    rule(&["slurp", "slurp_utf8", "slurp_raw", "lines"], Before::One(&["path"]), Does::ReadsItself),
    rule(&["spew", "spew_utf8", "append", "append_utf8"], Before::One(&["path"]), Does::WritesItself),
    rule(&["remove", "remove_tree"], Before::One(&["path"]), Does::RemovesItself),
    rule(&["read_file", "slurp", "read_text", "read_binary"], Before::Nothing, Does::Reads),
    rule(&["read_file", "read_text", "read_lines"], Before::One(&["Slurp", "Slurper"]), Does::Reads),
    rule(&["write_file", "append_file", "truncate"], Before::Nothing, Does::Writes),
    rule(&["write_file", "write_text"], Before::One(&["Slurp", "Slurper"]), Does::Writes),
    rule(&["unlink", "rmtree", "remove_tree"], Before::Nothing, Does::Removes),
    rule(&["unlink"], Before::One(&["CORE", "GLOBAL"]), Does::Removes),
    rule(&["rmtree", "remove_tree"], Before::One(&["Path"]), Does::Removes),
    rule(&["system", "exec", "readpipe"], Before::Nothing, Does::Runs),
    rule(&["system", "exec"], Before::One(&["CORE", "GLOBAL"]), Does::Runs),
    rule(&["eval"], Before::Nothing, Does::Evaluates),
];

#[rustfmt::skip]
const RUBY: &[Rule] = &[
    rule(&["read", "readlines", "foreach", "binread"], Before::One(&["File", "IO"]), Does::Reads),
    rule(&["copy_stream"], Before::One(&["IO"]), Does::Reads),
    rule(&["read", "readlines", "binread", "each_line"], Before::One(&["Pathname"]), Does::ReadsItself),
    rule(&["write", "binwrite"], Before::One(&["Pathname"]), Does::WritesItself),
    rule(&["write", "binwrite", "truncate"], Before::One(&["File", "IO"]), Does::Writes),
    rule(&["open", "new"], Before::One(&["File"]), Does::Opens),
    rule(&["open"], Before::Nothing, Does::Opens),
    rule(&["delete", "unlink", "rmdir"], Before::One(&["File", "Dir"]), Does::Removes),
    rule(&["delete", "unlink", "rmtree"], Before::One(&["Pathname"]), Does::RemovesItself),
    rule(
        &["rm", "rm_f", "rm_r", "rm_rf", "remove_dir", "remove_entry", "remove_entry_secure", "remove_file", "rmtree"],
        Before::Anything,
        Does::Removes,
    ),
    rule(&["system", "exec", "spawn", "sh"], Before::Nothing, Does::Runs),
    rule(&["system", "exec", "spawn"], Before::One(&["Kernel", "Process", "PTY"]), Does::Runs),
    rule(
        &["popen", "capture2", "capture2e", "capture3", "popen2", "popen2e", "popen3"],
        Before::One(&["IO", "Open3"]),
        Does::Runs,
    ),
    rule(&["eval", "instance_eval", "class_eval"], Before::Nothing, Does::Evaluates),
];

#[rustfmt::skip]
const PHP: &[Rule] = &[
    rule(&["SplFileObject"], Before::Nothing, Does::Opens),
    rule(&["highlight_file", "show_source"], Before::Nothing, Does::Reads),
    rule(&["file_get_contents", "readfile", "file"], Before::Nothing, Does::Reads),
    rule(&["file_put_contents"], Before::Nothing, Does::Writes),
    rule(&["fopen"], Before::Nothing, Does::Opens),
    rule(&["unlink", "rmdir"], Before::Nothing, Does::Removes),
    rule(&["array_map", "call_user_func"], Before::Nothing, Does::Applies),
    rule(
        &["system", "exec", "shell_exec", "passthru", "popen", "proc_open", "pcntl_exec"],
        Before::Nothing,
        Does::Runs,
    ),
    rule(&["eval"], Before::Nothing, Does::Evaluates),
];

#[rustfmt::skip]
const LUA: &[Rule] = &[
    rule(&["execute"], Before::One(&["os"]), Does::Runs),
    rule(&["popen"], Before::One(&["io"]), Does::Runs),
    rule(&["remove"], Before::One(&["os", "lfs"]), Does::Removes),
    rule(&["rmdir"], Before::One(&["lfs"]), Does::Removes),
    rule(&["lines"], Before::One(&["io"]), Does::Reads),
    rule(&["open"], Before::One(&["io"]), Does::Opens),
    rule(&["load", "loadstring"], Before::Nothing, Does::Evaluates),
];

#[rustfmt::skip]
const LISP: &[Rule] = &[
    rule(&["system", "shell-command", "shell-command-to-string"], Before::Anything, Does::Runs),
    rule(&["call-process-shell-command", "run-shell-command", "sh"], Before::Anything, Does::Runs),
    rule(&["call-process", "start-process", "run-program"], Before::Anything, Does::Runs),
    rule(&["delete-file", "delete-directory", "delete-tree"], Before::Anything, Does::Removes),
];

/// Calls of many languages that mean the same in all of them.
#[rustfmt::skip]
const OTHER: &[Rule] = &[
    rule(&["system", "systemlist", "system2", "popen", "shell_exec"], Before::Anything, Does::Runs),
    rule(&["cmd"], Before::Something, Does::Runs),
    rule(&["execute", "executeFile"], Before::One(&["os"]), Does::Runs),
    rule(&["termopen", "jobstart", "job_start", "check_output"], Before::Anything, Does::Runs),
    rule(&["script"], Before::Nothing, Does::Runs),
    rule(&["execute"], Before::Something, Does::RunsItself),
    rule(&["unlink", "delete", "rm", "rmtree", "rmdir"], Before::Nothing, Does::Removes),
    rule(&["rm_rf", "rm", "rmdir", "rmtree", "remove"], Before::Something, Does::Removes),
    rule(&["delete"], Before::One(&["fn", "file", "File"]), Does::Removes),
];

pub(super) fn rules(language: Language) -> &'static [Rule] {
    match language {
        Language::Python => PYTHON,
        Language::JavaScript => JAVASCRIPT,
        Language::Perl => PERL,
        Language::Ruby => RUBY,
        Language::Php => PHP,
        Language::Lua => LUA,
        Language::Lisp => LISP,
        Language::Other => OTHER,
    }
}
