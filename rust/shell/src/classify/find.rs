//! `find`, `bfs` and `fd`: searching by name, and what they run on what they find.

use super::list::names_below;
use super::xargs::replaced;
use crate::args::Grammar;
use crate::ir::{Arg, Origin, Stream, UNKNOWN};
use crate::judge::Judge;
use crate::paths::Target;
use crate::program::{Call, Fact};

/// Where a search goes and what it does there.
struct Search<'c> {
    starts: Vec<&'c Arg>,
    /// Commands to run on what is found, and whether they run in its folder.
    commands: Vec<(&'c [Arg], bool)>,
    deletes: bool,
    writes: Vec<&'c Arg>,
    /// It only explains itself.
    explains: bool,
}

/// Tests and actions of find and bfs whose value is neither, whatever it looks like.
#[rustfmt::skip]
const VALUED: &[&str] = &[
    "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname",
    "-regextype", "-type", "-xtype", "-fstype", "-size", "-amin", "-cmin", "-mmin", "-atime", "-ctime", "-mtime",
    "-used", "-since", "-asince", "-csince", "-msince", "-bsince", "-newer", "-anewer", "-cnewer", "-bnewer", "-maxdepth", "-mindepth", "-user",
    "-group", "-uid", "-gid", "-perm", "-flags", "-inum", "-links", "-samefile", "-context", "-printf",
    "-files0-from", "-limit", "-xattrname",
];

impl Judge<'_> {
    pub(crate) fn find_files(&mut self, call: Call<'_>, is_bfs: bool) -> Stream {
        let search = parse_find(call.args, is_bfs);
        if search.explains {
            return Stream::printed(Origin::Program);
        }
        let written: Vec<&Arg> = search.writes.clone();
        self.edits(call, &written);
        self.searched(call, &search)
    }

    fn searched(&mut self, call: Call<'_>, search: &Search<'_>) -> Stream {
        let targets: Vec<Target> = if search.starts.is_empty() {
            vec![self.here()]
        } else {
            search
                .starts
                .iter()
                .map(|start| self.target(start))
                .collect()
        };
        let mut removes = search.deletes;
        if search.deletes {
            self.deletes_found(call, &targets);
        }
        let place = self.findings.since();
        for (command, in_folder) in &search.commands {
            removes |= self.run_on_found(call, command, *in_folder, &search.starts);
        }
        removes |= self.findings.loses_since(place);
        let reached: Vec<Target> = targets.into_iter().filter(Target::reaches_inside).collect();
        if !removes {
            self.finds(call.text, &reached);
        }
        names_below(search.starts.first().map(|start| start.text.as_str()))
    }

    fn deletes_found(&mut self, call: Call<'_>, starts: &[Target]) {
        self.leaves_temporary(starts);
        let hurt: Vec<Target> = starts
            .iter()
            .filter(|start| self.hurts(&self.places.below(start)))
            .cloned()
            .collect();
        if !hurt.is_empty() {
            self.loses(call.text, "Removes what it finds.", &hurt);
        }
    }

    /// Runs a command on something below the starts; says whether it is one that removes.
    fn run_on_found(
        &mut self,
        call: Call<'_>,
        command: &[Arg],
        in_folder: bool,
        starts: &[&Arg],
    ) -> bool {
        let start = starts
            .iter()
            .find(|start| self.target(start).reaches_inside())
            .or(starts.first());
        let mut found = start.map_or_else(|| Arg::new("."), |start| (*start).clone());
        found.text.push('/');
        found.push_unknown(Origin::Variable);
        let mark = self.scope.mark();
        if in_folder {
            let folder = self.target(&found).path;
            self.scope.enter_folder(folder);
            found = Arg {
                text: format!("./{UNKNOWN}").into(),
                unknown: Some(Origin::Variable),
                ..Arg::default()
            };
        }
        let argv = replaced(command, "{}", Some(&found));
        self.command(&argv, call.text);
        self.scope.undo_to(mark);
        let name = command
            .first()
            .map_or("", |arg| arg.text.rsplit('/').next().unwrap_or_default());
        self.knows(name, Fact::Removes)
    }

    /// `fd [pattern] [folders…]`
    pub(crate) fn fd(&mut self, call: Call<'_>) -> Stream {
        let marker =
            |arg: &Arg| matches!(arg.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
        let split = call.args.iter().position(marker).unwrap_or(call.args.len());
        let (own, command) = call.args.split_at(split);
        #[rustfmt::skip]
        let long = &[
            "extension", "type", "exclude", "max-depth", "min-depth", "exact-depth", "size", "color", "threads",
            "owner", "changed-within", "changed-before", "base-directory", "search-path", "max-results", "format",
        ];
        let options = Grammar::of("etEdSjocC", long).split(own);
        let mut starts: Vec<&Arg> = options.files().get(1..).unwrap_or_default().to_vec();
        starts.extend(options.values("", "search-path"));
        starts.extend(options.values("C", "base-directory"));
        let mut command: Vec<Arg> = command.get(1..).unwrap_or_default().to_vec();
        if !command.is_empty() && !command.iter().any(|arg| arg.text.contains('{')) {
            command.push(Arg::new("{}"));
        }
        let commands = if command.is_empty() {
            Vec::new()
        } else {
            vec![(command.as_slice(), false)]
        };
        let search = Search {
            starts,
            commands,
            deletes: false,
            writes: Vec::new(),
            explains: false,
        };
        self.searched(call, &search)
    }
}

/// Reads folders and an expression; bfs takes folders between tests as well.
fn parse_find(args: &[Arg], is_bfs: bool) -> Search<'_> {
    let mut search = Search {
        starts: Vec::new(),
        commands: Vec::new(),
        deletes: false,
        writes: Vec::new(),
        explains: false,
    };
    let mut index = 0;
    while let Some(arg) = args.get(index) {
        match arg.text.as_str() {
            "-H" | "-L" | "-P" => {}
            "-D" => index += 1,
            text if text.starts_with("-O") => {}
            text if text.starts_with('-') || matches!(text, "(" | "!" | ")") => break,
            _ => search.starts.push(arg),
        }
        index += 1;
    }
    while let Some(arg) = args.get(index) {
        index += 1;
        match arg.text.as_str() {
            "-delete" => search.deletes = true,
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = args.get(index..).unwrap_or_default();
                let length = rest.iter().position(|arg| arg.is(";") || arg.is("+"));
                let length = length.unwrap_or(rest.len());
                search
                    .commands
                    .push((&rest[..length], arg.text.ends_with("dir")));
                index += length + 1;
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                search.writes.extend(args.get(index));
                index += 1;
            }
            "-help" | "--help" | "-version" | "--version" => search.explains = true,
            text if VALUED.contains(&text) || text.starts_with("-newer") => index += 1,
            "-f" if is_bfs => {
                search.starts.extend(args.get(index));
                index += 1;
            }
            "-S" | "-D" | "-j" if is_bfs => index += 1,
            text if is_bfs && !text.starts_with('-') && !matches!(text, "(" | ")" | "!" | ",") => {
                search.starts.push(arg);
            }
            _ => {}
        }
    }
    search
}
