//! Cmdlets that read, write, list, search and remove files.

use super::parameters::Parameters;
use crate::ir::{Arg, Origin, Stream, Text, UNKNOWN};
use crate::judge::Judge;
use crate::paths::Target;
use crate::program::Call;
use crate::programs::powershell::Cmdlet;
use siderail_syntax::powershell::LIST_SEPARATOR;

impl Judge<'_> {
    pub(super) fn get_content(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        if parameters.has("wait") {
            return Stream::printed(Origin::Program);
        }
        let mut paths = parameters.paths(0);
        if paths.is_empty() {
            paths = self.piped_items();
        }
        let targets: Vec<Target> = paths.iter().map(|path| self.target(path)).collect();
        self.reads(call.text, &targets);
        if let Some(saved) = targets
            .iter()
            .find_map(|target| self.saved_at(&target.path))
        {
            return saved;
        }
        let inside = targets.iter().any(Target::is_inside);
        Stream::printed(if inside {
            Origin::ProjectFile
        } else {
            Origin::Elsewhere
        })
    }

    pub(super) fn get_child_item(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        let paths = parameters.paths(0);
        if paths
            .iter()
            .any(|path| path.text.starts_with('/') && path.text.len() < 4)
        {
            // `dir /s /b` was meant for cmd, and is judged as what was meant.
            let operands: Vec<&Arg> = paths
                .iter()
                .filter(|path| !path.text.starts_with('/'))
                .collect();
            return self.dir(call, &operands);
        }
        let folders = parameters.first_paths();
        let targets: Vec<Target> = match folders.as_slice() {
            [] => vec![self.here()],
            folders => folders.iter().map(|folder| self.target(folder)).collect(),
        };
        let searches = parameters.may_have("recurse")
            && (parameters.value("filter").is_some()
                || parameters.value("include").is_some()
                || paths.iter().any(|path| path.text.contains('*')));
        // From a folder above, only what goes down reaches the project.
        let recursive =
            parameters.may_have("recurse") && targets.iter().any(Target::reaches_inside);
        let inside: Vec<Target> = targets
            .iter()
            .filter(|target| target.is_inside() || recursive)
            .cloned()
            .collect();
        if searches {
            self.finds(call.text, &inside);
        } else {
            self.lists(call.text, "Lists a project folder.", &inside);
        }
        let found = |folder: &str| {
            let folder = folder
                .rsplit_once(['/', '\\'])
                .filter(|_| folder.contains('*'))
                .map_or(folder, |(f, _)| f);
            format!("{}/{UNKNOWN}\n", folder.trim_end_matches(['/', '\\']))
        };
        files(match folders.as_slice() {
            [] => found("."),
            folders => folders.iter().map(|folder| found(&folder.text)).collect(),
        })
    }

    /// `Set-Content`, `Out-File` and the like, with text that is given or flows in.
    pub(super) fn save(
        &mut self,
        cmdlet: Cmdlet,
        call: Call<'_>,
        parameters: &Parameters,
    ) -> Stream {
        let input = self.io.stdin.clone();
        let takes_value = matches!(cmdlet, Cmdlet::SetContent | Cmdlet::AddContent);
        let paths = parameters.first_paths();
        let mut targets: Vec<Target> = paths.iter().map(|path| self.target(path)).collect();
        if targets.is_empty() {
            return input;
        }
        let value = parameters
            .value("value")
            .or_else(|| parameters.value("inputobject"));
        let value = value.or_else(|| parameters.behind_paths().filter(|_| takes_value));
        let kept = match value {
            Some(value) => {
                let text = value.text.as_str().replace(LIST_SEPARATOR, "\n");
                Stream::supplied(text, value.unknown)
            }
            None => input.clone(),
        };
        for target in &targets {
            self.leaves(target);
            self.remember(&target.path, &kept);
        }
        // What a program prints may be saved; text that is given, or edited on its way, is written.
        let saves_output = match &input {
            Stream::Text(text) => {
                !text.supplied
                    && !matches!(text.unknown, Some(Origin::ProjectFile | Origin::Elsewhere))
            }
            _ => false,
        };
        targets.retain(Target::is_inside);
        if !targets.is_empty() && (value.is_some() || !saves_output) {
            self.writes(call.text, "Writes text into a project file.", &targets);
        }
        if cmdlet == Cmdlet::TeeObject {
            input
        } else {
            Stream::Empty
        }
    }

    pub(super) fn new_item(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        let paths = parameters.first_paths();
        let paths: Vec<&Arg> = paths.iter().collect();
        self.leaves_at(&paths);
        let kind = parameters.value("itemtype").or(parameters.value("type"));
        let kind = kind.map(|kind| kind.text.to_ascii_lowercase());
        if matches!(
            kind.as_deref(),
            Some("symboliclink" | "junction" | "hardlink")
        ) {
            let to = parameters.value("target").or(parameters.value("value"));
            if let Some(to) = to.cloned() {
                for path in paths {
                    self.links_to(path, &to, kind.as_deref() == Some("symboliclink"));
                }
            }
            return Stream::Empty;
        }
        if parameters.value("value").is_some() {
            self.edits(call, &paths);
        }
        Stream::Empty
    }

    /// `Copy-Item` and `Move-Item` write where they are told to, as a second word or by name; `Rename-Item` in the same
    /// folder, which the new name is looked at as if it were the current one: what it names counts, not where.
    pub(super) fn copy_item(&mut self, cmdlet: Cmdlet, parameters: &Parameters) {
        if cmdlet != Cmdlet::CopyItem {
            let from = parameters.first_paths();
            self.takes_away(&from.iter().collect::<Vec<_>>());
        }
        let named = match cmdlet {
            Cmdlet::RenameItem => "newname",
            _ => "destination",
        };
        let to = parameters.value(named).cloned();
        if let Some(to) = to.or_else(|| parameters.after_paths()) {
            self.leaves_at(&[&to]);
        }
    }

    pub(super) fn remove_item(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
        let mut paths = parameters.paths(0);
        if paths.is_empty() && !matches!(self.io.stdin, Stream::Inherited) {
            paths = self.piped_items();
        }
        for path in &paths {
            self.forgets(&path.text.to_ascii_lowercase());
        }
        if !parameters.has("whatif") {
            self.removes(call, &paths.iter().collect::<Vec<_>>());
        }
        Stream::Empty
    }

    /// `Remove-Item function:name`
    fn forgets(&mut self, path: &str) {
        let Some((drive, name)) = path.split_once(':') else {
            return;
        };
        let name = name.trim_start_matches(['\\', '/']);
        match drive {
            "function" => self.scope.undefine(name),
            "alias" => self.scope.remove_alias(name, None),
            _ => {}
        }
    }

    pub(super) fn select_string(&mut self, call: Call<'_>, parameters: &Parameters) -> Stream {
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
            self.searches(call.text, &targets);
        }
        let origin = if paths.is_empty() {
            self.io.stdin.origin()
        } else {
            None
        };
        Stream::printed(origin.unwrap_or(Origin::Program).max(Origin::Program))
    }

    /// The items that flow in: the lines of a text that is known, or one that is not.
    pub(super) fn piped_items(&self) -> Vec<Arg> {
        let Stream::Text(text) = &self.io.stdin else {
            return Vec::new();
        };
        let lines = text.text.split('\n').filter(|line| !line.is_empty());
        let items = lines.map(|line| Arg {
            unknown: text.unknown.filter(|_| line.contains(UNKNOWN)),
            ..Arg::new(line)
        });
        Arg::bounded(items.collect())
    }
}

pub(super) fn items_of(parameters: &Parameters) -> Stream {
    let lines: Vec<_> = parameters
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
