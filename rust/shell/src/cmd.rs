//! The commands of cmd.exe and the tools that come with Windows. Which names they have is for `programs`.

use crate::analysis::Dialect;
use crate::classify;
use crate::ir::{Arg, Origin, Sink, Stream, UNKNOWN, UNKNOWN_TEXT};
use crate::judge::Judge;
use crate::paths::Target;
use crate::program::Call;
use crate::programs::cmd::{Command, Silence, command as known};
use crate::reports::WHY_EMPTIES;

/// Judges what is cmd's own or a program of Windows; `None` for other programs that are in the path.
pub(crate) fn command(judge: &mut Judge<'_>, call: Call<'_>) -> Option<Stream> {
    known(call.name).and_then(|command| run(judge, command, call))
}

/// Judges a program of Windows, called from PowerShell.
pub(crate) fn windows_tool(judge: &mut Judge<'_>, call: Call<'_>) -> Option<Stream> {
    let program = known(call.name).filter(|command| command.is_program)?;
    run(judge, program, call)
}

fn run(judge: &mut Judge<'_>, command: Command, call: Call<'_>) -> Option<Stream> {
    if command.has_help && asks_for_help(call) {
        return Some(Stream::printed(Origin::Program));
    }
    judge.leaves_empty(command, call);
    let operands: Vec<&Arg> = call.args.iter().filter(|arg| !is_switch(arg)).collect();
    (command.does)(judge, call, &operands)
}

impl Judge<'_> {
    /// `set`, which with `/p name=text` prints its text.
    pub(crate) fn asks_or_sets(&self, call: Call<'_>) -> Stream {
        let switch = call.word(0).get(..2);
        if switch.is_some_and(|switch| switch.eq_ignore_ascii_case("/p")) {
            Stream::supplied(UNKNOWN_TEXT, Some(Origin::Variable))
        } else {
            Stream::printed(Origin::Program)
        }
    }

    pub(crate) fn deletes(&mut self, call: Call<'_>, files: &[&Arg]) -> Stream {
        self.removes(call, files);
        Stream::Empty
    }

    /// `rd /s folder`; without the switch the folder must be empty.
    pub(crate) fn removes_folders(&mut self, call: Call<'_>, folders: &[&Arg]) -> Stream {
        if has_switch(call, 's') {
            self.removes(call, folders);
        }
        Stream::Empty
    }

    /// `call :label`, or a command.
    pub(crate) fn calls(&mut self, call: Call<'_>) -> Stream {
        match call.args.first() {
            Some(label) if label.text.starts_with(':') => Stream::printed(Origin::Program),
            _ => self.command(call.args, call.text),
        }
    }

    pub(crate) fn erases_disk(&mut self, call: Call<'_>) -> Stream {
        self.loses(call.text, "Erases a disk.", &[]);
        Stream::Empty
    }

    pub(crate) fn makes_all(&mut self, folders: &[&Arg]) -> Stream {
        self.makes_folders(folders.iter().copied());
        self.leaves_at(folders);
        Stream::printed(Origin::Program)
    }

    /// Puts the first file where the second word says, for `ren` in the same folder: what it names counts, not where.
    /// `moves`: nothing is left behind.
    pub(crate) fn puts_elsewhere(&mut self, files: &[&Arg], moves: bool) -> Stream {
        if moves {
            self.takes_away(files.get(..1).unwrap_or_default());
        }
        self.leaves_at(files.get(1..).unwrap_or_default());
        Stream::printed(Origin::Program)
    }

    /// `mklink link target`
    pub(crate) fn makes_link(&mut self, call: Call<'_>, names: &[&Arg]) -> Stream {
        if let [link, to] = names {
            self.links_to(link, to, !has_switch(call, 'h'));
        }
        Stream::printed(Origin::Program)
    }

    /// `findstr pattern files`, or with the pattern in a switch.
    pub(crate) fn findstr(&mut self, call: Call<'_>, operands: &[&Arg]) -> Stream {
        let has_pattern = call.args.iter().any(|arg| {
            let lower = arg.text.to_ascii_lowercase();
            lower.starts_with("/c:") || lower.starts_with("/g:")
        });
        let files = operands.get(usize::from(!has_pattern)..);
        self.find_string(call, files.unwrap_or_default())
    }

    /// `find "text" files`; elsewhere than on Windows it is the search by name.
    pub(crate) fn finds_string(&mut self, call: Call<'_>, operands: &[&Arg]) -> Option<Stream> {
        let files = operands.get(1..).unwrap_or_default();
        let is_this = self.places.is_windows();
        is_this.then(|| self.find_string(call, files))
    }

    /// `more`, which without a file shows what is typed. The one of Unix has the same name.
    pub(crate) fn pages(&mut self, call: Call<'_>, files: &[&Arg]) -> Option<Stream> {
        let is_asked = classify::asks_for_help(call);
        (!is_asked).then(|| self.print_files(call, files, files.is_empty()))
    }

    /// `sort /o file`
    pub(crate) fn sorts_into(&mut self, call: Call<'_>) -> Option<Stream> {
        if !has_switch(call, 'o') {
            return None;
        }
        let mut args = call.args.iter();
        args.find(|arg| arg.text.eq_ignore_ascii_case("/o"));
        self.edits(call, args.next().as_slice());
        Some(Stream::printed(Origin::Program))
    }

    /// `tree`. The one of Unix has the same name.
    pub(crate) fn draws_tree(&mut self, call: Call<'_>, folders: &[&Arg]) -> Option<Stream> {
        let is_this = self.places.is_windows() && !classify::asks_for_help(call);
        is_this.then(|| self.list(call, folders))
    }

    /// `where /r folder pattern`
    pub(crate) fn finds_below(&mut self, call: Call<'_>, operands: &[&Arg]) -> Option<Stream> {
        let folder = &operands[..operands.len().min(1)];
        has_switch(call, 'r').then(|| self.find_by_name(call, folder))
    }

    /// `wmic process call create "command"`
    pub(crate) fn creates_process(&mut self, call: Call<'_>) -> Option<Stream> {
        let mut args = call.args.iter();
        args.find(|arg| arg.text.eq_ignore_ascii_case("create"))?;
        let code = args.next()?.clone();
        Some(self.run_code(&code.text, code.unknown, Dialect::Cmd, call, false))
    }

    /// `certutil -urlcache … file`, `certutil -decode … file`
    pub(crate) fn fetches_or_decodes(&mut self, call: Call<'_>) -> Option<Stream> {
        let origin = if has_option(call, "urlcache") {
            Origin::Download
        } else if has_option(call, "decode") {
            Origin::Decoded
        } else {
            return None;
        };
        self.makes(call.args.last(), origin);
        Some(Stream::printed(Origin::Program))
    }

    /// `bitsadmin /transfer … file`
    pub(crate) fn transfers_file(&mut self, call: Call<'_>) -> Option<Stream> {
        if !has_option(call, "transfer") && !has_option(call, "addfile") {
            return None;
        }
        self.makes(call.args.last(), Origin::Download);
        Some(Stream::printed(Origin::Program))
    }

    /// A program that runs what is at an address.
    pub(crate) fn opens_address(&mut self, call: Call<'_>) -> Option<Stream> {
        if !call.args.iter().any(|arg| arg.text.contains("://")) {
            return None;
        }
        self.unknown_code(Some(Origin::Download), call.text);
        Some(Stream::printed(Origin::Program))
    }

    /// `copy con file` writes what is typed, `copy file con` shows the file, `copy nul file` leaves nothing of it.
    pub(crate) fn copy_console(&mut self, call: Call<'_>, operands: &[&Arg]) -> Stream {
        let is_console = |arg: &Arg| arg.text.trim_end_matches(':').eq_ignore_ascii_case("con");
        let to = operands.get(1..).unwrap_or_default();
        self.leaves_at(to);
        let targets: Vec<Target> = to.iter().map(|file| self.target(file)).collect();
        self.overwrites(call.text, &targets);
        match operands {
            [from, to] if from.text.eq_ignore_ascii_case("nul") => self.removes(call, &[to]),
            [from, to] if is_console(from) => self.edits(call, &[to]),
            [from, to] if is_console(to) => return self.print_files(call, &[from], false),
            _ => {}
        }
        Stream::Empty
    }

    /// `robocopy from to [files] /mir` takes away what the source does not have, `/move` what it has.
    pub(crate) fn mirrors_folder(&mut self, call: Call<'_>, operands: &[&Arg]) -> Stream {
        let printed = Stream::printed(Origin::Program);
        let has = |names: &[&str]| {
            let mut switches = call.args.iter().filter(|arg| is_switch(arg));
            switches.any(|arg| names.iter().any(|name| arg.text.eq_ignore_ascii_case(name)))
        };
        let [from, to, ..] = operands else {
            return printed;
        };
        if has(&["/l"]) {
            return printed;
        }
        self.leaves_at(&[to]);
        if has(&["/mir", "/purge"]) {
            self.removes(call, &[to]);
        }
        if has(&["/mov", "/move"]) {
            self.removes(call, &[from]);
        }
        printed
    }

    /// A command that prints nothing leaves an empty file behind its redirection.
    fn leaves_empty(&mut self, command: Command, call: Call<'_>) {
        let is_silent = match command.is_silent {
            Silence::Never => false,
            Silence::Always => true,
            Silence::WithArguments => !call.args.is_empty(),
            Silence::WithoutArguments => call.args.is_empty(),
        };
        if is_silent
            && let Sink::File(target) = self.io.stdout.clone()
            && target.is_inside()
        {
            self.writes(call.text, WHY_EMPTIES, std::slice::from_ref(&*target));
        }
    }

    /// `forfiles /p folder /c "command"`, whose command gets each file by words that begin with `@`.
    /// Like find it searches by name, unless it removes what it finds.
    pub(crate) fn for_files(&mut self, call: Call<'_>) -> Stream {
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
            .any(|word| known(&word.to_ascii_lowercase()).is_some_and(|command| command.removes));
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
    pub(crate) fn start(&mut self, call: Call<'_>) -> Stream {
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

/// Whether an argument is an option that begins so.
fn has_option(call: Call<'_>, start: &str) -> bool {
    call.args.iter().any(|arg| {
        let option = arg.text.strip_prefix(['-', '/']);
        let begins = option.and_then(|option| option.get(..start.len()));
        begins.is_some_and(|begins| begins.eq_ignore_ascii_case(start))
    })
}

fn is_switch(arg: &Arg) -> bool {
    arg.text.starts_with('/') && !arg.quoted
}

/// Whether a letter is among the switches, which may be joined: `/s/q`.
fn has_switch(call: Call<'_>, letter: char) -> bool {
    call.args.iter().filter(|arg| is_switch(arg)).any(|arg| {
        arg.text.split('/').any(|switch| {
            let mut letters = switch.chars();
            let first = letters.next().map(|first| first.to_ascii_lowercase());
            first == Some(letter) && letters.next().is_none_or(|next| next == ':' || next == '-')
        })
    })
}
