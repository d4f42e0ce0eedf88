//! .NET's file types: what opens, writes and removes a file, by a constructor, a static member or a method.

use super::lists::elements;
use super::parameters::Parameters;
use crate::ir::{Arg, Collected, Origin, Stream};
use crate::judge::Judge;
use crate::paths::Target;
use crate::program::Call;
use crate::scope::Variable;
use siderail_syntax::powershell::OF_OBJECT;

impl Judge<'_> {
    /// `New-Object type arguments`
    pub(super) fn new_object(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        let mut words = parameters.positional.iter();
        let kind = parameters.value("typename").or_else(|| words.next());
        let Some(kind) = kind.filter(|_| parameters.value("comobject").is_none()) else {
            return Stream::printed(Origin::Program);
        };
        let kind = format!("[{}]", kind.text.to_ascii_lowercase());
        let lists = parameters.value("argumentlist").into_iter().chain(words);
        // Arguments in brackets are a list of lines.
        let args: Vec<Arg> = lists
            .flat_map(elements)
            .flat_map(|arg| {
                let lines: Vec<Arg> = arg
                    .text
                    .split('\n')
                    .map(|line| arg.with_text(line))
                    .collect();
                lines
            })
            .collect();
        let call = Call {
            args: &args,
            ..call
        };
        self.file_member(&kind, "new", call)
            .unwrap_or_else(|| Stream::printed(Origin::Program))
    }

    /// The members of .NET's file types.
    pub(super) fn file_member(
        &mut self,
        kind: &str,
        member: &str,
        call: Call<'_>,
    ) -> Option<Stream> {
        let kind = kind.trim_matches(['[', ']']);
        let kind = kind.strip_prefix("system.").unwrap_or(kind);
        let kind = kind.strip_prefix("io.").unwrap_or(kind);
        let first = call.args.first();
        let file: Vec<&Arg> = first.into_iter().collect();
        let reads = member.starts_with("read") || matches!(member, "opentext" | "openread");
        let writes = member.starts_with("write")
            || member.starts_with("append")
            || matches!(member, "openwrite" | "create" | "createtext");
        let printed = match (kind, member) {
            ("streamreader" | "streamwriter", "new") if first.is_some_and(is_stream) => {
                let origin = first.and_then(|stream| stream.unknown);
                Stream::printed(origin.max(Some(Origin::Program)).unwrap_or(Origin::Program))
            }
            ("streamreader", "new") => self.opens_to_read(call, &file),
            ("streamwriter", "new") => self.opens_to_write(call, &file),
            ("filestream", "new") | ("file", "open") => {
                self.opens(call, first?, call.args.get(1..).unwrap_or_default())
            }
            ("fileinfo" | "directoryinfo", "new") => {
                let path = first?;
                Stream::answered(path.text.clone(), path.unknown)
            }
            ("file" | "directory", "delete")
            | ("microsoft.visualbasic.fileio.filesystem", "deletefile" | "deletedirectory") => {
                self.removes(call, &file);
                Stream::Empty
            }
            ("file" | "directory", "copy" | "move" | "replace") => {
                if member == "move" {
                    self.takes_away(&call.args.first().into_iter().collect::<Vec<_>>());
                }
                self.leaves_at(&call.args.get(1).into_iter().collect::<Vec<_>>());
                Stream::Empty
            }
            ("file" | "microsoft.visualbasic.fileio.filesystem", _) if reads => {
                self.opens_to_read(call, &file)
            }
            ("file" | "microsoft.visualbasic.fileio.filesystem", _) if writes => {
                self.edits(call, &file);
                Stream::Empty
            }
            ("path", "combine" | "join") => combined(call.args),
            ("path", "getfullpath") => Stream::answered(first?.text.clone(), first?.unknown),
            ("path", "gettemppath" | "gettempfilename") => {
                let file = if member == "gettemppath" { "" } else { "/x" };
                Stream::answered(format!("{}{file}", self.places.temporary()), None)
            }
            _ => return None,
        };
        Some(printed)
    }

    /// A method that is about what it is called on, or about the file that a script host is given.
    pub(super) fn file_method(&mut self, name: &str, call: Call<'_>) -> Option<Stream> {
        let object = call.args.first()?;
        let is_known = !object.text.is_empty() && !object.is_all_unknown();
        let file = [object];
        let printed = match name {
            ".foreach" | ".where" => self.for_each_of(object, call),
            ".deletefile" | ".deletefolder" => {
                self.removes(call, &file);
                Stream::Empty
            }
            ".createtextfile" => self.opens_to_write(call, &file),
            ".opentextfile" if matches!(call.word(1), "2" | "8") => {
                self.opens_to_write(call, &file)
            }
            ".opentextfile" => self.opens_to_read(call, &file),
            // Of a web client, whose address follows.
            ".openread" if call.args.len() > 1 => Stream::printed(Origin::Download),
            _ if !is_known => return None,
            ".delete" => {
                self.removes(call, &file);
                Stream::Empty
            }
            ".opentext" | ".openread" => self.opens_to_read(call, &file),
            ".createtext" | ".appendtext" | ".openwrite" => self.opens_to_write(call, &file),
            ".open" => self.opens(call, object, &call.args[1..]),
            _ => return None,
        };
        Some(printed)
    }

    /// Calls a method by its name on an item of a pipeline.
    pub(super) fn member_of(
        &mut self,
        item: &Arg,
        member: &Arg,
        rest: &[Arg],
        call: Call<'_>,
    ) -> Stream {
        let name = format!(".{}", member.text.to_ascii_lowercase());
        if !OF_OBJECT.contains(&name.as_str()) {
            return Stream::printed(item.unknown.unwrap_or(Origin::Program));
        }
        let args: Vec<Arg> = std::iter::once(item).chain(rest).cloned().collect();
        let call = crate::programs::call(&name, call.is_local, &args, call.text);
        self.file_method(&name, call)
            .unwrap_or_else(|| Stream::printed(Origin::Program))
    }

    /// `(items).ForEach({ … })`, `(items).ForEach('Method')`
    fn for_each_of(&mut self, object: &Arg, call: Call<'_>) -> Stream {
        let Some(does) = call.args.get(1) else {
            return Stream::printed(Origin::Program);
        };
        let lists = elements(object);
        let items = lists
            .iter()
            .flat_map(|arg| arg.text.split('\n').map(|line| arg.with_text(line)));
        let items: Vec<Arg> = items.filter(|item| !item.text.is_empty()).collect();
        let mut output = Collected::default();
        for item in Arg::bounded(items) {
            let printed = match does.block().cloned() {
                Some(block) => {
                    self.scope.set("_", Variable::Scalar(item.clone()));
                    self.scope.set("psitem", Variable::Scalar(item));
                    self.block(&block)
                }
                None => self.member_of(&item, does, call.args.get(2..).unwrap_or_default(), call),
            };
            output.add(&printed);
        }
        output.finish()
    }

    fn opens_to_read(&mut self, call: Call<'_>, files: &[&Arg]) -> Stream {
        let targets: Vec<Target> = files.iter().map(|file| self.target(file)).collect();
        self.reads(call.text, &targets);
        Stream::printed(Origin::ProjectFile)
    }

    fn opens_to_write(&mut self, call: Call<'_>, files: &[&Arg]) -> Stream {
        self.edits(call, files);
        Stream::printed(Origin::Program)
    }

    /// Opens a file with a mode and an access, which say what it is opened for.
    fn opens(&mut self, call: Call<'_>, file: &Arg, how: &[Arg]) -> Stream {
        let word = |at: usize| {
            let word: Option<&Arg> = how.get(at);
            word.map_or(String::new(), |word| word.text.to_ascii_lowercase().into())
        };
        let makes = matches!(
            word(0).as_str(),
            "create" | "createnew" | "truncate" | "append" | "openorcreate"
        );
        let reads_only = word(1) == "read";
        if !reads_only && (makes || matches!(word(1).as_str(), "write" | "readwrite")) {
            self.opens_to_write(call, &[file])
        } else {
            self.opens_to_read(call, &[file])
        }
    }
}

/// Whether what a reader is made of is a stream and not a path.
fn is_stream(arg: &Arg) -> bool {
    arg.is_all_unknown() && arg.unknown > Some(Origin::Variable)
}

/// Parts of a path, of which one that is absolute takes the place of those in front.
fn combined(parts: &[Arg]) -> Stream {
    let mut path = Arg::default();
    for part in parts {
        let is_absolute =
            part.text.starts_with(['/', '\\']) || part.text.as_bytes().get(1) == Some(&b':');
        if path.text.is_empty() || is_absolute {
            path = part.clone();
        } else {
            path.text.push('/');
            path.join(part);
        }
    }
    Stream::answered(path.text, path.unknown)
}
