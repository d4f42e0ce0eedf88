//! What cmdlets do, and in full those that run, print or move.

use super::items::items_of;
use super::lists::elements;
use super::parameters::Parameters;
use crate::analysis::Dialect;
use crate::ir::{Arg, Collected, Origin, Stream};
use crate::judge::Judge;
use crate::program::Call;
use crate::programs;
use crate::programs::powershell::Cmdlet;
use crate::scope::Variable;
use siderail_syntax::powershell::LIST_SEPARATOR;
use std::rc::Rc;

/// Parameters that send a block to another machine.
const REMOTE: [&str; 4] = ["computername", "hostname", "session", "vmname"];

/// Whether a cmdlet is asked for help. A program says itself what it reads as that.
fn asks_for_help(cmdlet: Option<Cmdlet>, call: Call<'_>, parameters: &Parameters) -> bool {
    let is_cmdlet = is_alias(call.name) || call.name.contains('-');
    let is_asked = parameters.asks || parameters.has_help_word;
    if !is_asked || !is_cmdlet || call.program.n_before_help() > 0 {
        return false;
    }
    // To a cmdlet the words of programs are operands, of which most take none that they do not know.
    let has_block = || call.args.iter().any(|arg| arg.block().is_some());
    let takes_words = cmdlet.is_some_and(Cmdlet::takes_words);
    parameters.asks || !(takes_words || has_block())
}

/// Whether a name is one of PowerShell's own aliases, which go before functions where they are known: Unix has programs
/// in place of some.
pub(crate) fn is_alias(name: &str) -> bool {
    programs::powershell::alias(name).is_some()
}

/// Judges what is PowerShell's own; `None` for programs that are in the path.
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
    let by_alias = programs::powershell::alias(call.name);
    let cmdlet = by_alias.or_else(|| programs::powershell::cmdlet(call.name));
    let parameters = Parameters::of(call.args);
    if asks_for_help(cmdlet, call, &parameters) {
        return Some(Stream::printed(Origin::Program));
    }
    cmdlet
        .and_then(|cmdlet| judge.cmdlet(cmdlet, call, &parameters))
        .or_else(|| judge.spread(call))
}

impl Judge<'_> {
    fn cmdlet(
        &mut self,
        cmdlet: Cmdlet,
        call: Call<'_>,
        parameters: &Parameters,
    ) -> Option<Stream> {
        let printed = match cmdlet {
            Cmdlet::GetContent => self.get_content(call, parameters),
            Cmdlet::GetChildItem => self.get_child_item(call, parameters),
            Cmdlet::GetItem => items_of(parameters),
            Cmdlet::SetContent | Cmdlet::AddContent | Cmdlet::OutFile | Cmdlet::TeeObject => {
                self.save(cmdlet, call, parameters)
            }
            Cmdlet::ClearContent => {
                let paths = parameters.paths(0);
                self.edits(call, &paths.iter().collect::<Vec<_>>());
                Stream::Empty
            }
            Cmdlet::NewItem => self.new_item(call, parameters),
            Cmdlet::CopyItem | Cmdlet::MoveItem | Cmdlet::RenameItem => {
                self.copy_item(cmdlet, parameters);
                return None;
            }
            Cmdlet::RemoveItem => self.remove_item(call, parameters),
            Cmdlet::SelectString => self.select_string(call, parameters),
            Cmdlet::InvokeExpression => self.invoke_expression(call, parameters),
            Cmdlet::InvokeWebRequest => self.web_request(parameters),
            Cmdlet::WriteOutput => write_output(parameters),
            Cmdlet::WriteHost => Stream::Empty,
            Cmdlet::ForEachObject => self.for_each(call, parameters, true),
            Cmdlet::WhereObject => {
                self.for_each(call, parameters, false);
                self.io.stdin.clone()
            }
            Cmdlet::InvokeCommand if REMOTE.iter().any(|name| parameters.value(name).is_some()) => {
                // Another file system.
                Stream::printed(Origin::Program)
            }
            Cmdlet::InvokeCommand | Cmdlet::StartJob => {
                let printed = self.blocks(parameters);
                printed.unwrap_or_else(|| Stream::printed(Origin::Program))
            }
            Cmdlet::NewObject => self.new_object(call, parameters),
            Cmdlet::StartProcess => self.start_process(call, parameters),
            Cmdlet::StartBitsTransfer => {
                let file = parameters
                    .value("destination")
                    .or(parameters.positional.get(1));
                self.makes(file, Origin::Download);
                Stream::Empty
            }
            Cmdlet::InvokePester => {
                let argv = [Arg::new("pytest")];
                self.command(&argv, call.text)
            }
            Cmdlet::Filter => self.io.stdin.clone(),
            Cmdlet::ClearDisk => {
                self.loses(call.text, "Erases a disk.", &[]);
                Stream::Empty
            }
            _ => return self.state(cmdlet, call, parameters),
        };
        Some(printed)
    }

    /// Cmdlets that change or ask the session.
    fn state(&mut self, cmdlet: Cmdlet, call: Call<'_>, parameters: &Parameters) -> Option<Stream> {
        let printed = match (cmdlet, parameters.positional.as_slice()) {
            (Cmdlet::SetLocation, _) => self.set_location(parameters),
            (Cmdlet::PushLocation, _) => {
                self.scope.push_folder();
                self.set_location(parameters)
            }
            (Cmdlet::PopLocation, _) => {
                let folder = self.scope.pop_folder();
                self.scope.enter_folder(folder);
                Stream::Empty
            }
            (Cmdlet::SetAlias, [name, target, ..]) => {
                self.scope
                    .set_alias(&name.text.to_ascii_lowercase(), &target.text, None);
                Stream::Empty
            }
            (Cmdlet::SetAlias, _) => {
                let first = parameters.positional.first();
                let name = parameters.value("name").or(first);
                let target = parameters.value("value").or(first);
                if let (Some(name), Some(target)) = (name, target) {
                    self.scope
                        .set_alias(&name.text.to_ascii_lowercase(), &target.text, None);
                }
                Stream::Empty
            }
            (Cmdlet::RemoveAlias, names) => {
                for name in names {
                    self.scope
                        .remove_alias(&name.text.to_ascii_lowercase(), None);
                }
                Stream::Empty
            }
            (Cmdlet::SetVariable, [name, value, ..]) => {
                let value = Variable::Scalar(value.clone());
                self.scope.set(&name.text.to_ascii_lowercase(), value);
                Stream::Empty
            }
            (Cmdlet::GetCommand, [only]) if only.unknown.is_none() => {
                // No function is such a command.
                let is_program = parameters
                    .value("commandtype")
                    .or(parameters.value("type"))
                    .is_some_and(|kind| !kind.text.to_ascii_lowercase().contains("function"));
                let folder = if is_program { "/usr/bin/" } else { "" };
                Stream::supplied(format!("{folder}{}", only.text), None)
            }
            (Cmdlet::GetCommand, _) => Stream::printed(Origin::Variable),
            (Cmdlet::JoinPath, _) => joined_path(parameters),
            (Cmdlet::GetLocation, _) => Stream::supplied(self.scope.cwd().to_string(), None),
            (Cmdlet::OutNull, _) => Stream::Empty,
            (Cmdlet::AddType, arguments) => {
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

    fn set_location(&mut self, parameters: &Parameters) -> Stream {
        let folder = match parameters.paths(0).first() {
            Some(path) => self.target(path).path,
            None => self.places.home().to_owned(),
        };
        self.go_to(folder);
        Stream::Empty
    }

    /// Walks blocks with the items that flow in as `$_`, or calls the method that is named. `calls`: a name may be that
    /// of a method, and is no property.
    fn for_each(&mut self, call: Call<'_>, parameters: &Parameters, calls: bool) -> Stream {
        let items = self.piped_items();
        let input = self.io.stdin.clone();
        let items = if items.is_empty() {
            vec![Arg::unknown(Origin::Variable)]
        } else {
            items
        };
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
            if calls {
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

fn write_output(parameters: &Parameters) -> Stream {
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
