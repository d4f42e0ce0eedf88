//! The commands of cmd.exe and the tools that come with Windows.

use crate::analysis::Dialect;
use crate::classify;
use crate::ir::{Arg, Origin, Sink, Stream, UNKNOWN, UNKNOWN_TEXT};
use crate::judge::Judge;
use crate::paths::Target;
use crate::program::Call;
use crate::reports::WHY_EMPTIES;

/// Commands that take `/?` wherever it stands: cmd's own, and programs that read their words as these do.
#[rustfmt::skip]
const BUILTINS: [&str; 20] = [
    "type", "dir", "del", "erase", "rd", "rmdir", "copy", "call", "start", "set", "format", "diskpart", "md", "mkdir",
    "move", "xcopy", "ren", "rename", "mklink", "echo",
];
/// Programs of Windows.
#[rustfmt::skip]
const TOOLS: [&str; 14] = [
    "findstr", "find", "more", "sort", "tree", "where", "robocopy", "forfiles", "wmic", "certutil", "bitsadmin",
    "msiexec", "regsvr32", "rundll32",
];

/// Judges what is cmd's own; `None` for programs that stand in the path.
pub(crate) fn command(judge: &mut Judge<'_>, call: Call<'_>) -> Option<Stream> {
    if BUILTINS.contains(&call.name) && asks_for_help(call) {
        return Some(Stream::printed(Origin::Program));
    }
    judge.leaves_empty(call);
    let operands: Vec<&Arg> = call.args.iter().filter(|arg| !is_switch(arg)).collect();
    let printed = match call.name {
        "type" => {
            let copies = Call {
                name: "cat",
                ..call
            };
            judge.print_files(copies, &operands)
        }
        "dir" => judge.dir(call, &operands),
        "ls" => return None,
        "del" | "erase" => {
            judge.removes(call, &operands);
            Stream::Empty
        }
        "rd" | "rmdir" => {
            if has_switch(call, 's') {
                judge.removes(call, &operands);
            }
            Stream::Empty
        }
        "copy" => judge.copy_console(call, &operands),
        "call" => match call.args.first() {
            Some(label) if label.text.starts_with(':') => Stream::printed(Origin::Program),
            _ => judge.command(call.args, call.text),
        },
        "start" => judge.start(call),
        "set" => {
            // `set /p name=text` prints its text.
            let asks = call
                .word(0)
                .get(..2)
                .is_some_and(|switch| switch.eq_ignore_ascii_case("/p"));
            if asks {
                Stream::supplied(UNKNOWN_TEXT, Some(Origin::Variable))
            } else {
                Stream::printed(Origin::Program)
            }
        }
        "format" | "diskpart" => {
            judge.loses(call.text, "Erases a disk.", &[]);
            Stream::Empty
        }
        "md" | "mkdir" => {
            judge.makes_folders(operands.iter().copied());
            judge.leaves_at(&operands);
            Stream::printed(Origin::Program)
        }
        "move" | "xcopy" => {
            if call.name == "move" {
                judge.takes_away(operands.get(..1).unwrap_or_default());
            }
            judge.leaves_at(operands.get(1..).unwrap_or_default());
            Stream::printed(Origin::Program)
        }
        "ren" | "rename" => {
            judge.takes_away(operands.get(..1).unwrap_or_default());
            // The new name is one in the same folder: what it names counts, not where.
            judge.leaves_at(operands.get(1..).unwrap_or_default());
            Stream::printed(Origin::Program)
        }
        "mklink" => {
            if let [link, to] = operands.as_slice() {
                judge.links_to(link, to, !has_switch(call, 'h'));
            }
            Stream::printed(Origin::Program)
        }
        "title" | "rem" | "cls" | "color" | "prompt" | "ver" | "vol" | "goto" | "setlocal"
        | "endlocal" | "assoc" | "ftype" | "path" | "verify" | "help" | "pause" | "time"
        | "date" | "break" => Stream::printed(Origin::Program),
        _ => return windows_tool(judge, call),
    };
    Some(printed)
}

/// Judges a program of Windows, called from cmd or PowerShell.
pub(crate) fn windows_tool(judge: &mut Judge<'_>, call: Call<'_>) -> Option<Stream> {
    if TOOLS.contains(&call.name) && asks_for_help(call) {
        return Some(Stream::printed(Origin::Program));
    }
    let operands: Vec<&Arg> = call.args.iter().filter(|arg| !is_switch(arg)).collect();
    match call.name {
        // Those of Unix have the same names.
        "more" | "tree" if classify::asks_for_help(call) => None,
        "findstr" => {
            let pattern = call.args.iter().any(|arg| {
                let lower = arg.text.to_ascii_lowercase();
                lower.starts_with("/c:") || lower.starts_with("/g:")
            });
            Some(judge.find_string(
                call,
                operands.get(usize::from(!pattern)..).unwrap_or_default(),
            ))
        }
        "find" if judge.places.is_windows() => {
            Some(judge.find_string(call, operands.get(1..).unwrap_or_default()))
        }
        "more" => {
            // Without a file it shows what is typed, as cat does.
            let name = if operands.is_empty() {
                "cat"
            } else {
                call.name
            };
            Some(judge.print_files(Call { name, ..call }, &operands))
        }
        "sort" if has_switch(call, 'o') => {
            let at = call
                .args
                .iter()
                .position(|arg| arg.text.eq_ignore_ascii_case("/o"));
            let file: Vec<&Arg> = at
                .and_then(|at| call.args.get(at + 1))
                .into_iter()
                .collect();
            judge.edits(call, &file);
            Some(Stream::printed(Origin::Program))
        }
        "tree" if judge.places.is_windows() => Some(judge.list(call, &operands)),
        "where" if has_switch(call, 'r') => {
            Some(judge.find_by_name(call, &operands[..operands.len().min(1)]))
        }
        "robocopy" => {
            judge.mirrors_folder(call, &operands);
            Some(Stream::printed(Origin::Program))
        }
        "forfiles" => Some(judge.for_files(call)),
        "wmic" => {
            let at = call
                .args
                .iter()
                .position(|arg| arg.text.eq_ignore_ascii_case("create"))?;
            let code = call.args.get(at + 1)?.clone();
            Some(judge.run_code(&code.text, code.unknown, Dialect::Cmd, call, false))
        }
        "certutil" | "bitsadmin" | "mshta" | "msiexec" | "regsvr32" | "rundll32" => {
            fetching_tool(judge, call)
        }
        _ => None,
    }
}

/// Programs of Windows that download or decode a file, or run what stands at an address.
fn fetching_tool(judge: &mut Judge<'_>, call: Call<'_>) -> Option<Stream> {
    let given: Vec<_> = call
        .args
        .iter()
        .map(|arg| arg.text.to_ascii_lowercase())
        .collect();
    let has_option = |option: &str| {
        given
            .iter()
            .any(|arg| arg.starts_with(['-', '/']) && arg[1..].starts_with(option))
    };
    match call.name {
        "certutil" if has_option("urlcache") => judge.makes(call.args.last(), Origin::Download),
        "certutil" if has_option("decode") => judge.makes(call.args.last(), Origin::Decoded),
        "bitsadmin" if has_option("transfer") || has_option("addfile") => {
            judge.makes(call.args.last(), Origin::Download);
        }
        "mshta" | "msiexec" | "regsvr32" | "rundll32"
            if given.iter().any(|arg| arg.contains("://")) =>
        {
            judge.unknown_code(Some(Origin::Download), call.text);
        }
        _ => return None,
    }
    Some(Stream::printed(Origin::Program))
}

impl Judge<'_> {
    /// `copy con file` writes what is typed, `copy file con` shows the file, `copy nul file` leaves nothing of it.
    fn copy_console(&mut self, call: Call<'_>, operands: &[&Arg]) -> Stream {
        let is_console = |arg: &Arg| arg.text.trim_end_matches(':').eq_ignore_ascii_case("con");
        let to = operands.get(1..).unwrap_or_default();
        self.leaves_at(to);
        let targets: Vec<Target> = to.iter().map(|file| self.target(file)).collect();
        self.overwrites(call.text, &targets);
        match operands {
            [from, to] if from.text.eq_ignore_ascii_case("nul") => self.removes(call, &[to]),
            [from, to] if is_console(from) => self.edits(call, &[to]),
            [from, to] if is_console(to) => return self.print_files(call, &[from]),
            _ => {}
        }
        Stream::Empty
    }

    /// `robocopy from to [files] /mir` takes away what the source does not have, `/move` what it has.
    fn mirrors_folder(&mut self, call: Call<'_>, operands: &[&Arg]) {
        let has = |names: &[&str]| {
            let mut switches = call.args.iter().filter(|arg| is_switch(arg));
            switches.any(|arg| names.iter().any(|name| arg.text.eq_ignore_ascii_case(name)))
        };
        let [from, to, ..] = operands else { return };
        if has(&["/l"]) {
            return;
        }
        self.leaves_at(&[to]);
        if has(&["/mir", "/purge"]) {
            self.removes(call, &[to]);
        }
        if has(&["/mov", "/move"]) {
            self.removes(call, &[from]);
        }
    }

    /// A command that prints nothing leaves an empty file behind its redirection.
    fn leaves_empty(&mut self, call: Call<'_>) {
        let silent = match call.name {
            "break" | "rem" | "title" | "color" | "setlocal" | "endlocal" | "goto" | "shift"
            | "pushd" | "popd" | "exit" => true,
            // By itself it prints the folder.
            "cd" | "chdir" => !call.args.is_empty(),
            "call" => call.args.is_empty(),
            _ => false,
        };
        if silent
            && let Sink::File(target) = self.io.stdout.clone()
            && target.is_inside()
        {
            self.writes(call.text, WHY_EMPTIES, std::slice::from_ref(&*target));
        }
    }

    /// `forfiles /p folder /c "command"`, whose command is told each file by words that begin with `@`.
    /// Like find it searches by name, unless it removes what it finds.
    fn for_files(&mut self, call: Call<'_>) -> Stream {
        let value = |letter: &str| {
            let at = call.args.iter().position(|arg| {
                let switch = arg.text.strip_prefix(['/', '-']);
                switch.is_some_and(|switch| switch.eq_ignore_ascii_case(letter))
            })?;
            call.args.get(at + 1)
        };
        let mark = self.scope.mark();
        if let Some(folder) = value("p") {
            let path = self.target(folder).path;
            self.scope.enter_folder(path);
        }
        let start = self.here();
        let command = value("c").map_or("cmd /c echo @file", |command| &command.text);
        let removes = command
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|word| {
                let word = word.to_ascii_lowercase();
                matches!(word.as_str(), "del" | "erase" | "rd" | "rmdir")
            });
        let text = command.replace("@path", &format!("{}/{UNKNOWN}", start.path));
        let text = ["@file", "@fname", "@relpath"]
            .iter()
            .fold(text, |text, name| {
                text.replace(name, &format!(".\\{UNKNOWN}"))
            });
        if !removes && start.reaches_inside() {
            self.finds(call.text, &[start]);
        }
        let output = self.run_code(&text, Some(Origin::Variable), Dialect::Cmd, call, false);
        self.scope.undo_to(mark);
        output
    }

    /// `dir` lists, with /s it searches.
    pub(crate) fn dir(&mut self, call: Call<'_>, operands: &[&Arg]) -> Stream {
        if !has_switch(call, 's') {
            return self.list(call, operands);
        }
        self.find_by_name(call, operands)
    }

    /// A search by name below folders, or below the current one.
    fn find_by_name(&mut self, call: Call<'_>, folders: &[&Arg]) -> Stream {
        let targets: Vec<Target> = match folders {
            [] => vec![self.here()],
            folders => folders.iter().map(|folder| self.target(folder)).collect(),
        };
        let reached: Vec<Target> = targets.into_iter().filter(Target::reaches_inside).collect();
        self.finds(call.text, &reached);
        Stream::printed(Origin::Program)
    }

    /// Searches text in files, or in what is piped in.
    fn find_string(&mut self, call: Call<'_>, files: &[&Arg]) -> Stream {
        let mut targets: Vec<Target> = files.iter().map(|file| self.target(file)).collect();
        if let (true, Stream::File(target)) = (files.is_empty(), &self.io.stdin) {
            targets.push(target.as_ref().clone());
        }
        let inside: Vec<Target> = targets.into_iter().filter(Target::is_inside).collect();
        if !inside.is_empty() && !self.is_silent() {
            self.searches(call.text, &inside);
        }
        Stream::printed(
            self.io
                .stdin
                .origin()
                .unwrap_or(Origin::Program)
                .max(Origin::Program),
        )
    }

    /// `start ["title"] [/switches] program arguments…`
    fn start(&mut self, call: Call<'_>) -> Stream {
        let mut rest = call.args;
        if rest.first().is_some_and(|first| first.quoted) {
            rest = &rest[1..];
        }
        while let Some((first, more)) = rest.split_first().filter(|(first, _)| is_switch(first)) {
            let valued = first.text.eq_ignore_ascii_case("/d");
            rest = more.get(usize::from(valued)..).unwrap_or_default();
        }
        self.command(rest, call.text)
    }
}

fn asks_for_help(call: Call<'_>) -> bool {
    call.args.iter().any(|arg| is_switch(arg) && arg.is("/?"))
}

fn is_switch(arg: &Arg) -> bool {
    arg.text.starts_with('/') && !arg.quoted
}

/// Whether a letter is among the switches, which may stand together: `/s/q`.
fn has_switch(call: Call<'_>, letter: char) -> bool {
    call.args.iter().filter(|arg| is_switch(arg)).any(|arg| {
        arg.text.split('/').any(|switch| {
            let mut letters = switch.chars();
            let first = letters.next().map(|first| first.to_ascii_lowercase());
            first == Some(letter) && letters.next().is_none_or(|next| next == ':' || next == '-')
        })
    })
}
