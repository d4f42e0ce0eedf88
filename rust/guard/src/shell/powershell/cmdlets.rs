//! What cmdlets do, under all their aliases, and the few methods of .NET that matter.

use super::parameters::{Parameters, elements};
use crate::shell::commands::Call;
use crate::shell::ir::{Arg, Origin, Stream, Text, UNKNOWN};
use crate::shell::judge::Judge;
use crate::shell::paths::Target;
use crate::shell::scope::Variable;
use crate::shell::{Dialect, FindingKind};
use std::rc::Rc;

/// Items of a pipeline that a block is walked with one by one.
const ITEMS_LIMIT: usize = 8;

/// The cmdlet behind an alias; any other name as it is.
fn cmdlet(name: &str) -> &str {
    match name {
        "gc" | "cat" | "type" => "get-content",
        "gci" | "ls" | "dir" => "get-childitem",
        "sc" => "set-content",
        "ac" => "add-content",
        "clc" => "clear-content",
        "ni" => "new-item",
        "ri" | "rm" | "del" | "erase" | "rd" | "rmdir" => "remove-item",
        "sls" => "select-string",
        "iex" => "invoke-expression",
        "iwr" => "invoke-webrequest",
        "irm" => "invoke-restmethod",
        "echo" | "write" => "write-output",
        "sl" | "cd" | "chdir" => "set-location",
        "%" | "foreach" => "foreach-object",
        "?" | "where" => "where-object",
        "select" | "sort" | "ft" | "fl" | "fw" | "measure" | "group" | "gm" | "oh" | "compare" => {
            "filter"
        }
        "tee" => "tee-object",
        "cp" | "copy" | "cpi" => "copy-item",
        "mv" | "move" | "mi" => "move-item",
        "icm" => "invoke-command",
        "sajb" => "start-job",
        "saps" | "start" => "start-process",
        "sal" | "nal" => "set-alias",
        "gi" => "get-item",
        "sv" => "set-variable",
        name => name,
    }
}

/// Judges what is PowerShell's own; `None` for programs that stand in the path.
pub(in crate::shell) fn command(judge: &mut Judge<'_>, call: Call<'_>) -> Option<Stream> {
    if let Some(target) = judge.scope.alias(call.name).map(str::to_owned) {
        let argv: Vec<Arg> = std::iter::once(Arg::new(target))
            .chain(call.args.iter().cloned())
            .collect();
        return Some(judge.command(&argv, call.text));
    }
    if call.name.starts_with(['.', '[']) && call.name.len() > 1 {
        return judge.method(call);
    }
    // Elsewhere the short names are the system's own programs, whose options are different.
    let name = cmdlet(call.name);
    if call
        .args
        .iter()
        .any(|arg| matches!(arg.text.as_str(), "--help" | "--version" | "-?"))
    {
        return Some(Stream::printed(Origin::Program));
    }
    let parameters = Parameters::of(call.args);
    judge
        .cmdlet(name, call, &parameters)
        .or_else(|| judge.spread(call))
}

impl Judge<'_> {
    fn cmdlet(&mut self, name: &str, call: Call<'_>, parameters: &Parameters) -> Option<Stream> {
        let printed = match name {
            "get-content" => self.get_content(call, parameters),
            "get-childitem" => self.get_child_item(call, parameters),
            "get-item" | "resolve-path" => items_of(parameters),
            "set-content" | "add-content" | "out-file" | "tee-object" => {
                self.save(name, call, parameters)
            }
            "clear-content" => {
                let paths = parameters.paths(0);
                self.edits(call, &paths.iter().collect::<Vec<_>>());
                Stream::Empty
            }
            "new-item" => self.new_item(call, parameters),
            "remove-item" => self.remove_item(call, parameters),
            "select-string" => self.select_string(call, parameters),
            "invoke-expression" => self.invoke_expression(call, parameters),
            "invoke-webrequest" | "invoke-restmethod" => self.web_request(parameters),
            "write-output" | "write-host" | "write-information" => write_output(name, parameters),
            "set-location" | "push-location" => self.set_location(call, parameters),
            "pop-location" => {
                let folder = self.scope.pop_folder();
                self.scope.enter_folder(folder);
                Stream::Empty
            }
            "foreach-object" => self.for_each(parameters),
            "where-object" => {
                self.for_each(parameters);
                self.io.stdin.clone()
            }
            "invoke-command" | "start-job" | "measure-command" | "start-threadjob" => self
                .blocks(parameters)
                .unwrap_or_else(|| Stream::printed(Origin::Program)),
            "start-process" => self.start_process(call, parameters),
            "set-alias" | "new-alias" => {
                if let [name, target, ..] = parameters.positional.as_slice() {
                    self.scope
                        .set_alias(&name.text.to_ascii_lowercase(), &target.text);
                }
                Stream::Empty
            }
            "set-variable" => {
                if let [name, value, ..] = parameters.positional.as_slice() {
                    self.scope.set(
                        &name.text.to_ascii_lowercase(),
                        Variable::Scalar(value.clone()),
                    );
                }
                Stream::Empty
            }
            "get-command" | "gcm" => match call.args {
                [only] if only.unknown.is_none() => Stream::supplied(only.text.as_str(), None),
                _ => Stream::printed(Origin::Variable),
            },
            "join-path" => joined_path(parameters),
            "get-location" | "pwd" | "gl" => Stream::supplied(self.scope.cwd().to_string(), None),
            "filter" | "select-object" | "sort-object" | "out-string" | "format-table"
            | "format-list" | "out-host" | "out-default" | "get-unique" | "get-random" => {
                self.io.stdin.clone()
            }
            "format-volume" | "clear-disk" | "initialize-disk" | "remove-partition" => {
                self.loses(call, "Loses what is on a disk.");
                Stream::Empty
            }
            "out-null" => Stream::Empty,
            "add-type" => {
                // It compiles and loads what it is given.
                if parameters.positional.iter().any(Arg::is_all_unknown) {
                    self.unknown_code(Some(Origin::Variable), call.text);
                }
                Stream::Empty
            }
            "&" | "block" => self.blocks(parameters)?,
            _ => return None,
        };
        Some(printed)
    }

    /// A program gets the elements of a list as arguments of their own.
    fn spread(&mut self, call: Call<'_>) -> Option<Stream> {
        if !call
            .args
            .iter()
            .any(|arg| arg.text.contains(super::LIST_SEPARATOR))
        {
            return super::super::cmd::windows_tool(self, call);
        }
        let args: Vec<Arg> = call.args.iter().flat_map(elements).collect();
        let call = Call {
            args: &args,
            ..call
        };
        Some(super::super::cmd::windows_tool(self, call).unwrap_or_else(|| self.classify(call)))
    }

    fn get_content(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        if parameters.has("wait") && parameters.value("wait").is_none() {
            return Stream::printed(Origin::Program);
        }
        let mut paths = parameters.paths(0);
        if paths.is_empty() {
            paths = self.piped_items();
        }
        let targets: Vec<Target> = paths.iter().map(|path| self.target(path)).collect();
        self.reads(call.text, &targets);
        let downloaded = targets
            .iter()
            .any(|target| self.downloads.contains(&target.path));
        let inside = targets.iter().any(Target::is_inside);
        Stream::printed(match (downloaded, inside) {
            (true, _) => Origin::Download,
            (false, true) => Origin::ProjectFile,
            (false, false) => Origin::Elsewhere,
        })
    }

    fn get_child_item(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        let paths = parameters.paths(0);
        let folders: Vec<&Arg> = paths.iter().take(1).collect();
        let targets: Vec<Target> = match folders.as_slice() {
            [] => vec![self.here()],
            folders => folders.iter().map(|folder| self.target(folder)).collect(),
        };
        let searches = parameters.has("recurse")
            && (parameters.value("filter").is_some()
                || parameters.value("include").is_some()
                || paths.iter().any(|path| path.text.contains('*')));
        let recursive = searches && targets.iter().any(Target::reaches_inside);
        let inside: Vec<Target> = targets
            .iter()
            .filter(|target| target.is_inside() || recursive)
            .cloned()
            .collect();
        if !inside.is_empty() && !self.is_silent() {
            let (kind, why) = if searches {
                (FindingKind::FindFile, "Searches project files by name.")
            } else {
                (FindingKind::ListDir, "Lists a project folder.")
            };
            self.find(kind, Some("list_project_files"), call.text, why, &inside);
        }
        let folder = folders.first().map_or(".", |folder| folder.text.as_str());
        let folder = folder
            .rsplit_once(['/', '\\'])
            .filter(|_| folder.contains('*'))
            .map_or(folder, |(f, _)| f);
        files(format!(
            "{}/{UNKNOWN}\n",
            folder.trim_end_matches(['/', '\\'])
        ))
    }

    /// `Set-Content`, `Out-File` and the like, with text that is given or flows in.
    fn save(&mut self, name: &str, call: Call<'_>, parameters: &Parameters) -> Stream {
        let input = self.io.stdin.clone();
        let takes_value = matches!(name, "set-content" | "add-content");
        let given = parameters.value("value").is_some()
            || parameters.value("inputobject").is_some()
            || (takes_value
                && parameters.positional.len() > usize::from(parameters.value("path").is_none()));
        let path = parameters.paths(0).into_iter().next();
        let Some(path) = path else { return input };
        let target = self.target(&path);
        if input.origin() == Some(Origin::Download) {
            self.downloaded(target.path.clone());
        }
        // What a program prints may be saved; text that is given, or edited on its way, is written.
        let saves_output = match &input {
            Stream::Text(text) => {
                !text.supplied
                    && !matches!(text.unknown, Some(Origin::ProjectFile | Origin::Elsewhere))
            }
            _ => false,
        };
        if target.is_inside() && (given || !saves_output) {
            self.writes(call.text, "Writes text into a project file.", &[target]);
        }
        if name == "tee-object" {
            input
        } else {
            Stream::Empty
        }
    }

    fn new_item(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        let path = parameters.paths(0).into_iter().next();
        if let (Some(path), Some(_)) = (path, parameters.value("value")) {
            self.edits(call, &[&path]);
        }
        Stream::Empty
    }

    fn remove_item(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        let mut paths = parameters.paths(0);
        if paths.is_empty() && !matches!(self.io.stdin, Stream::Inherited) {
            paths = self.piped_items();
        }
        if !parameters.has("whatif") {
            self.removes(call, &paths.iter().collect::<Vec<_>>());
        }
        Stream::Empty
    }

    fn select_string(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        let has_pattern = parameters.value("pattern").is_some();
        let mut paths = parameters.paths(usize::from(!has_pattern));
        let piped = matches!(&self.io.stdin, Stream::Text(text) if text.names_files);
        if paths.is_empty() && piped {
            paths = self.piped_items();
        }
        let targets: Vec<Target> = paths
            .iter()
            .map(|path| self.target(path))
            .filter(Target::is_inside)
            .collect();
        if !targets.is_empty() && !parameters.has("quiet") && !self.is_silent() {
            self.found_text(call, &targets);
        }
        let origin = if paths.is_empty() {
            self.io.stdin.origin()
        } else {
            None
        };
        Stream::printed(origin.unwrap_or(Origin::Program).max(Origin::Program))
    }

    fn invoke_expression(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        let code = parameters
            .value("command")
            .or_else(|| parameters.positional.first())
            .cloned();
        match code {
            Some(code) => self.run_code(&code.text, code.unknown, Dialect::PowerShell, call, true),
            None => {
                let input = self.io.stdin.clone();
                self.run_stream(&input, Dialect::PowerShell, call, true)
            }
        }
    }

    fn web_request(&mut self, parameters: &Parameters) -> Stream {
        match parameters.value("outfile") {
            Some(file) => {
                let path = self.target(file).path;
                self.downloaded(path);
                Stream::Empty
            }
            None => Stream::printed(Origin::Download),
        }
    }

    fn set_location(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        if call.name.starts_with("push") {
            self.scope.push_folder();
        }
        let folder = match parameters.paths(0).first() {
            Some(path) => self.target(path).path,
            None => self.places.home().to_owned(),
        };
        self.scope.enter_folder(folder);
        Stream::Empty
    }

    /// Walks blocks with the items that flow in as `$_`.
    fn for_each(&mut self, parameters: &Parameters) -> Stream {
        let items = self.piped_items();
        let input = self.io.stdin.clone();
        let items = if items.is_empty() {
            vec![Arg::unknown(Origin::Variable)]
        } else {
            items
        };
        let mut output = Stream::Empty;
        for item in items {
            self.scope.set("_", Variable::Scalar(item.clone()));
            self.scope.set("psitem", Variable::Scalar(item));
            if let Some(printed) = self.blocks(parameters) {
                output = printed;
            } else {
                output = input.clone();
            }
        }
        output
    }

    /// Walks every block among the arguments.
    fn blocks(&mut self, parameters: &Parameters) -> Option<Stream> {
        let named = parameters
            .value("scriptblock")
            .or_else(|| parameters.value("process"));
        let named = named.or_else(|| parameters.value("filterscript"));
        let blocks = parameters
            .positional
            .iter()
            .chain(named)
            .filter_map(|arg| arg.block.clone());
        let blocks: Vec<Rc<_>> = blocks.collect();
        let mut output = None;
        for block in blocks {
            output = Some(self.block(&block));
        }
        output
    }

    /// The items that flow in: the lines of a text that is known, or one that is not.
    fn piped_items(&self) -> Vec<Arg> {
        let Stream::Text(text) = &self.io.stdin else {
            return Vec::new();
        };
        let lines = text
            .text
            .split('\n')
            .filter(|line| !line.is_empty())
            .take(ITEMS_LIMIT);
        lines
            .map(|line| Arg {
                unknown: text.unknown.filter(|_| line.contains(UNKNOWN)),
                ..Arg::new(line)
            })
            .collect()
    }

    fn start_process(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        let program = parameters
            .value("filepath")
            .or(parameters.positional.first());
        let arguments = parameters
            .value("argumentlist")
            .or(parameters.positional.get(1));
        let words = |arg: &Arg| -> Vec<Arg> {
            let pieces = elements(arg).into_iter();
            pieces
                .flat_map(|piece| piece.text.split(' ').map(Arg::new).collect::<Vec<_>>())
                .collect()
        };
        if let Some(program) = program {
            let argv: Vec<Arg> = std::iter::once(program.clone())
                .chain(arguments.into_iter().flat_map(words))
                .collect();
            self.command(&argv, call.text);
        }
        Stream::Empty
    }

    /// A method or static member, called with its arguments.
    fn method(&mut self, call: Call<'_>) -> Option<Stream> {
        let first = call.args.first();
        let (kind, member) = call.name.rsplit_once("::").unwrap_or(("", call.name));
        let files = matches!(
            kind,
            "[io.file]" | "[io.directory]" | "[io.streamwriter]" | "[io.streamreader]"
        );
        let file: Vec<&Arg> = first.into_iter().collect();
        match member {
            _ if files && (member.starts_with("read") || member == "opentext") => {
                let targets: Vec<Target> = file.iter().map(|file| self.target(file)).collect();
                self.reads(call.text, &targets);
                return Some(Stream::printed(Origin::ProjectFile));
            }
            _ if files
                && (member.starts_with("write")
                    || member.starts_with("append")
                    || member == "new") =>
            {
                self.edits(call, &file);
                return Some(Stream::Empty);
            }
            "delete" if files => self.removes(call, &file),
            ".downloadstring" | ".downloaddata" | ".openread" | ".getstringasync" => {
                return Some(Stream::printed(Origin::Download));
            }
            ".downloadfile" => {
                if let Some(file) = call.args.get(1) {
                    let path = self.target(file).path;
                    self.downloaded(path);
                }
            }
            "create" if kind.ends_with("scriptblock]") => {
                let code = first.cloned().unwrap_or_default();
                self.run_code(&code.text, code.unknown, Dialect::PowerShell, call, false);
                return Some(Stream::printed(Origin::Initialiser));
            }
            ".invokescript" | ".invokeexpression" => {
                let code = first.cloned().unwrap_or_default();
                return Some(self.run_code(
                    &code.text,
                    code.unknown,
                    Dialect::PowerShell,
                    call,
                    false,
                ));
            }
            "frombase64string" => return Some(Stream::printed(Origin::Decoded)),
            ".getstring" | ".getbytes" | ".trim" | ".replace" | ".tostring" => {
                let origin = call.args.iter().filter_map(|arg| arg.unknown).max();
                return Some(Stream::printed(origin.unwrap_or(Origin::Variable)));
            }
            "start" if kind.ends_with("process]") => {
                self.command(call.args, call.text);
            }
            _ => {
                let origin = call.args.iter().filter_map(|arg| arg.unknown).max();
                return Some(Stream::printed(
                    origin.unwrap_or(Origin::Variable).min(Origin::Decoded),
                ));
            }
        }
        Some(Stream::printed(Origin::Program))
    }

    /// What an expression prints.
    pub(in crate::shell) fn expression_value(&mut self, value: &Arg) -> Stream {
        if value.text.is_empty() {
            return Stream::Empty;
        }
        let printed = matches!(
            value.unknown,
            Some(Origin::Program | Origin::Download | Origin::Decoded)
        );
        let text = Text::new(format!("{}\n", value.text), value.unknown);
        Stream::Text(Text {
            supplied: !printed,
            ..text
        })
    }
}

fn items_of(parameters: &Parameters) -> Stream {
    let lines: Vec<String> = parameters
        .paths(0)
        .into_iter()
        .map(|path| path.text)
        .collect();
    if lines.is_empty() {
        return Stream::printed(Origin::Program);
    }
    files(format!("{}\n", lines.join("\n")))
}

/// Names of files, which other cmdlets take for the files themselves.
fn files(text: String) -> Stream {
    let unknown = text.contains(UNKNOWN).then_some(Origin::Program);
    Stream::Text(Text {
        names_files: true,
        ..Text::new(text, unknown)
    })
}

fn write_output(name: &str, parameters: &Parameters) -> Stream {
    if name != "write-output" {
        return Stream::Empty;
    }
    let mut joined = Arg::default();
    for (index, arg) in parameters
        .positional
        .iter()
        .chain(parameters.value("inputobject"))
        .enumerate()
    {
        if index > 0 {
            joined.text.push('\n');
        }
        joined.join(arg);
    }
    let text = joined.text.replace(super::LIST_SEPARATOR, "\n");
    Stream::supplied(format!("{text}\n"), joined.unknown)
}

fn joined_path(parameters: &Parameters) -> Stream {
    let mut parts = parameters.paths(0);
    parts.extend(parameters.value("childpath").cloned());
    let unknown = parts.iter().filter_map(|part| part.unknown).max();
    let text: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    Stream::supplied(text.join("/"), unknown)
}
