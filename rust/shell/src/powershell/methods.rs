//! The few methods and static members of .NET that matter, and what an expression is worth.

use crate::ir::{Arg, Origin, Stream, Text};
use crate::judge::Judge;
use crate::program::Call;

impl Judge<'_> {
    /// A method or static member, called with its arguments.
    pub(super) fn method(&mut self, call: Call<'_>) -> Stream {
        let (kind, member) = call.name.rsplit_once("::").unwrap_or(("", call.name));
        let printed = if kind.is_empty() {
            self.file_method(member, call)
        } else {
            self.file_member(kind, member, call)
        };
        if let Some(printed) = printed {
            return printed;
        }
        let code = call.args.first().cloned().unwrap_or_default();
        let origin = call.args.iter().filter_map(|arg| arg.unknown).max();
        let origin = origin.unwrap_or(Origin::Variable);
        match member {
            ".downloadstring" | ".downloaddata" | ".getstringasync" => {
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
            ".invokescript" | ".invokeexpression" => self.run_here(&code.text, code.unknown, call),
            "frombase64string" => Stream::printed(Origin::Decoded),
            "start" if kind.ends_with("process]") => {
                self.command(call.args, call.text);
                Stream::Empty
            }
            "new" if kind.contains("stream") => Stream::printed(origin.max(Origin::Program)),
            _ if member.ends_with("stream") => Stream::printed(origin.max(Origin::Program)),
            // What is made of downloaded or decoded text still is that.
            _ => Stream::printed(origin),
        }
    }

    /// What an expression prints.
    pub(crate) fn expression_value(&mut self, value: &Arg) -> Stream {
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
