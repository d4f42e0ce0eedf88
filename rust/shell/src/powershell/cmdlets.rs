//! Cmdlets under all their aliases, and those that run, print or move.

use super::items::items_of;
use super::lists::elements;
use super::parameters::Parameters;
use crate::analysis::Dialect;
use crate::ir::{Arg, Collected, Origin, Stream};
use crate::judge::Judge;
use crate::program::Call;
use crate::scope::Variable;
use siderail_syntax::powershell::LIST_SEPARATOR;
use std::rc::Rc;

/// Parameters that send a block to another machine.
const REMOTE: [&str; 4] = ["computername", "hostname", "session", "vmname"];

/// Cmdlets that print or run their operands, whatever these are.
const TAKE_WORDS: [&str; 5] = [
    "write-output",
    "write-host",
    "write-information",
    "invoke-expression",
    "start-process",
];

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
        "ren" | "rni" => "rename-item",
        "icm" => "invoke-command",
        "sajb" => "start-job",
        "saps" | "start" => "start-process",
        "sal" | "nal" => "set-alias",
        "gi" => "get-item",
        "sv" => "set-variable",
        name => name,
    }
}

/// Whether a cmdlet is asked for help. A program says itself what it reads as that.
fn asks_for_help(name: &str, call: Call<'_>, parameters: &Parameters) -> bool {
    let is_cmdlet = name != call.name || name.contains('-');
    let is_asked = parameters.asks || parameters.has_help_word;
    if !is_asked || !is_cmdlet || call.program.n_before_help() > 0 {
        return false;
    }
    // To a cmdlet the words of programs are operands, of which most take none that they do not know.
    let has_block = || call.args.iter().any(|arg| arg.block().is_some());
    parameters.asks || !(TAKE_WORDS.contains(&name) || has_block())
}

/// Whether a name is one of PowerShell's own aliases, which go before functions where they are known: Unix has programs
/// in place of some.
pub(crate) fn is_alias(name: &str) -> bool {
    cmdlet(name) != name
}

/// Judges what is PowerShell's own; `None` for programs that stand in the path.
pub(crate) fn command(judge: &mut Judge<'_>, call: Call<'_>) -> Option<Stream> {
    if let Some(target) = judge
        .scope
        .alias(call.name, judge.reading)
        .map(str::to_owned)
    {
        let argv: Vec<Arg> = std::iter::once(Arg::new(target))
            .chain(call.args.iter().cloned())
            .collect();
        return Some(judge.shell_runs(&argv, call.text));
    }
    if call.name.starts_with(['.', '[']) && call.name.len() > 1 {
        return Some(judge.method(call));
    }
    // Elsewhere the short names are the system's own programs, whose options are different.
    let name = cmdlet(call.name);
    let parameters = Parameters::of(call.args);
    if asks_for_help(name, call, &parameters) {
        return Some(Stream::printed(Origin::Program));
    }
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
            "copy-item" | "move-item" | "rename-item" => {
                self.copy_item(name, parameters);
                return None;
            }
            "remove-item" => self.remove_item(call, parameters),
            "select-string" => self.select_string(call, parameters),
            "invoke-expression" => self.invoke_expression(call, parameters),
            "invoke-webrequest" | "invoke-restmethod" => self.web_request(parameters),
            "write-output" | "write-host" | "write-information" => write_output(name, parameters),
            "foreach-object" => self.for_each(call, parameters),
            "where-object" => {
                self.for_each(call, parameters);
                self.io.stdin.clone()
            }
            "invoke-command" if REMOTE.iter().any(|name| parameters.value(name).is_some()) => {
                // Another file system.
                Stream::printed(Origin::Program)
            }
            "invoke-command" | "start-job" | "measure-command" | "start-threadjob" => {
                let printed = self.blocks(parameters);
                printed.unwrap_or_else(|| Stream::printed(Origin::Program))
            }
            "new-object" => self.new_object(call, parameters),
            "start-process" => self.start_process(call, parameters),
            "start-bitstransfer" => {
                let file = parameters
                    .value("destination")
                    .or(parameters.positional.get(1));
                self.makes(file, Origin::Download);
                Stream::Empty
            }
            "invoke-pester" => {
                let argv = [Arg::new("pytest")];
                self.command(&argv, call.text)
            }
            "filter" | "select-object" | "sort-object" | "out-string" | "format-table"
            | "format-list" | "out-host" | "out-default" | "get-unique" | "get-random" => {
                self.io.stdin.clone()
            }
            "format-volume" | "clear-disk" | "initialize-disk" | "remove-partition" => {
                self.loses(call.text, "Erases a disk.", &[]);
                Stream::Empty
            }
            _ => return self.state(name, call, parameters),
        };
        Some(printed)
    }

    /// Cmdlets that change or ask the session.
    fn state(&mut self, name: &str, call: Call<'_>, parameters: &Parameters) -> Option<Stream> {
        let printed = match (name, parameters.positional.as_slice()) {
            ("set-location" | "push-location", _) => self.set_location(call, parameters),
            ("pop-location", _) => {
                let folder = self.scope.pop_folder();
                self.scope.enter_folder(folder);
                Stream::Empty
            }
            ("set-alias" | "new-alias", [name, target, ..]) => {
                self.scope
                    .set_alias(&name.text.to_ascii_lowercase(), &target.text, None);
                Stream::Empty
            }
            ("set-alias" | "new-alias", _) => {
                let first = parameters.positional.first();
                let name = parameters.value("name").or(first);
                let target = parameters.value("value").or(first);
                if let (Some(name), Some(target)) = (name, target) {
                    self.scope
                        .set_alias(&name.text.to_ascii_lowercase(), &target.text, None);
                }
                Stream::Empty
            }
            ("remove-alias", names) => {
                for name in names {
                    self.scope
                        .remove_alias(&name.text.to_ascii_lowercase(), None);
                }
                Stream::Empty
            }
            ("set-variable", [name, value, ..]) => {
                let value = Variable::Scalar(value.clone());
                self.scope.set(&name.text.to_ascii_lowercase(), value);
                Stream::Empty
            }
            ("get-command" | "gcm", [only]) if only.unknown.is_none() => {
                // No function is such a command.
                let is_program = parameters
                    .value("commandtype")
                    .or(parameters.value("type"))
                    .is_some_and(|kind| !kind.text.to_ascii_lowercase().contains("function"));
                let folder = if is_program { "/usr/bin/" } else { "" };
                Stream::supplied(format!("{folder}{}", only.text), None)
            }
            ("get-command" | "gcm", _) => Stream::printed(Origin::Variable),
            ("join-path", _) => joined_path(parameters),
            ("get-location" | "pwd" | "gl", _) => {
                Stream::supplied(self.scope.cwd().to_string(), None)
            }
            ("out-null", _) => Stream::Empty,
            ("add-type", arguments) => {
                // It compiles and loads what it is given.
                if arguments.iter().any(Arg::is_all_unknown) {
                    self.unknown_code(Some(Origin::Variable), call.text);
                }
                Stream::Empty
            }
            _ => return None,
        };
        Some(printed)
    }

    /// A program gets the elements of a list as arguments of their own.
    fn spread(&mut self, call: Call<'_>) -> Option<Stream> {
        if !call
            .args
            .iter()
            .any(|arg| arg.text.contains(LIST_SEPARATOR))
        {
            return crate::cmd::windows_tool(self, call);
        }
        let args: Vec<Arg> = call.args.iter().flat_map(elements).collect();
        let call = Call {
            args: &args,
            ..call
        };
        Some(crate::cmd::windows_tool(self, call).unwrap_or_else(|| self.classify(call)))
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
                self.downloaded(&path);
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
        self.go_to(folder);
        Stream::Empty
    }

    /// Walks blocks with the items that flow in as `$_`, or calls the method that is named.
    fn for_each(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        let items = self.piped_items();
        let input = self.io.stdin.clone();
        let items = if items.is_empty() {
            vec![Arg::unknown(Origin::Variable)]
        } else {
            items
        };
        let is_foreach = cmdlet(call.name) == "foreach-object";
        let mut output = Collected::default();
        let mut is_handed_on = false;
        for item in items {
            self.scope.set("_", Variable::Scalar(item.clone()));
            self.scope.set("psitem", Variable::Scalar(item.clone()));
            if let Some(printed) = self.blocks(parameters) {
                output.add(&printed);
                continue;
            }
            is_handed_on = true;
            let named = parameters.value("membername");
            let positional = parameters.positional.as_slice();
            let (member, rest) = match (named, positional) {
                (Some(member), rest) => (member, rest),
                (None, [member, rest @ ..]) => (member, rest),
                (None, []) => continue,
            };
            if is_foreach {
                self.member_of(&item, member, rest, call);
            }
        }
        if is_handed_on { input } else { output.finish() }
    }

    /// Walks every block among the arguments.
    fn blocks(&mut self, parameters: &Parameters) -> Option<Stream> {
        let named = parameters
            .value("scriptblock")
            .or_else(|| parameters.value("process"));
        let named = named.or_else(|| parameters.value("filterscript"));
        let ends = ["begin", "end"].map(|name| parameters.value(name));
        let blocks = parameters
            .positional
            .iter()
            .chain(named)
            .chain(ends.into_iter().flatten())
            .filter_map(|arg| arg.block().cloned());
        let blocks: Vec<Rc<_>> = blocks.collect();
        if blocks.is_empty() {
            return None;
        }
        let mut output = Collected::default();
        for block in blocks {
            output.add(&self.block(&block));
        }
        Some(output.finish())
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
    let text = joined.text.as_str().replace(LIST_SEPARATOR, "\n");
    Stream::supplied(format!("{text}\n"), joined.unknown)
}

fn joined_path(parameters: &Parameters) -> Stream {
    let mut parts = parameters.paths(0);
    parts.extend(parameters.value("childpath").cloned());
    let unknown = parts.iter().filter_map(|part| part.unknown).max();
    let text: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    Stream::supplied(text.join("/"), unknown)
}
