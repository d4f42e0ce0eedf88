//! The few methods and static members of .NET that matter, and what an expression is worth.

use crate::shell::commands::Call;
use crate::shell::ir::{Arg, Origin, Stream, Text};
use crate::shell::judge::Judge;
use crate::shell::paths::Target;

impl Judge<'_> {
    /// A method or static member, called with its arguments.
    pub(super) fn method(&mut self, call: Call<'_>) -> Stream {
        let (kind, member) = call.name.rsplit_once("::").unwrap_or(("", call.name));
        if let Some(printed) = self.file_member(kind, member, call) {
            return printed;
        }
        let code = call.args.first().cloned().unwrap_or_default();
        let origin = call.args.iter().filter_map(|arg| arg.unknown).max();
        let origin = origin.unwrap_or(Origin::Variable);
        match member {
            ".downloadstring" | ".downloaddata" | ".openread" | ".getstringasync" => {
                Stream::printed(Origin::Download)
            }
            ".downloadfile" => {
                if let Some(file) = call.args.get(1) {
                    let path = self.target(file).path;
                    self.downloaded(&path);
                }
                Stream::Empty
            }
            "create" if kind.ends_with("scriptblock]") => {
                // The block is judged here, so that running it later is nothing more.
                self.run_here(&code.text, code.unknown, call);
                Stream::printed(Origin::Initialiser)
            }
            ".delete" => {
                let item: Vec<&Arg> = call.args.iter().take(1).collect();
                // Many things besides files can be deleted.
                if !code.text.is_empty() && !code.is_all_unknown() {
                    self.removes(call, &item);
                }
                Stream::Empty
            }
            ".invokescript" | ".invokeexpression" => self.run_here(&code.text, code.unknown, call),
            "frombase64string" => Stream::printed(Origin::Decoded),
            "start" if kind.ends_with("process]") => {
                self.command(call.args, call.text);
                Stream::Empty
            }
            // What is made of downloaded or decoded text still is that.
            _ => Stream::printed(origin),
        }
    }

    /// The members of .NET's file types.
    fn file_member(&mut self, kind: &str, member: &str, call: Call<'_>) -> Option<Stream> {
        let file: Vec<&Arg> = call.args.iter().take(1).collect();
        let reads = member.starts_with("read") || member == "opentext";
        let writes = member.starts_with("write") || member.starts_with("append");
        match kind {
            "[io.file]" | "[io.streamreader]" if reads || kind.ends_with("reader]") => {
                let targets: Vec<Target> = file.iter().map(|file| self.target(file)).collect();
                self.reads(call.text, &targets);
                Some(Stream::printed(Origin::ProjectFile))
            }
            "[io.file]" | "[io.streamwriter]" if writes || kind.ends_with("writer]") => {
                self.edits(call, &file);
                Some(Stream::Empty)
            }
            "[io.file]" | "[io.directory]" if member == "delete" => {
                self.removes(call, &file);
                Some(Stream::Empty)
            }
            _ => None,
        }
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
