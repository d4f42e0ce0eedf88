//! The patch format of Codex and Copilot (`*** Begin Patch`), as a tool's text or inside a shell
//! command.
//!
//! Only its headers are read: which files it adds, updates, deletes or moves. The shell analysis
//! judges whatever else the same command line does.

const BEGIN: &str = "*** Begin Patch";

/// The files that a patch names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Patch {
    /// All files, as written in the headers.
    pub(crate) paths: Vec<String>,
    /// True when it does nothing but delete.
    pub(crate) only_deletes: bool,
    /// The folder that the command enters before patching (`cd sub && apply_patch …`).
    pub(crate) base: Option<String>,
}

/// A text that is a patch and nothing else.
pub(crate) fn plain(text: &str) -> Option<Patch> {
    text.trim_start().starts_with(BEGIN).then(|| headers(text))
}

/// A command line that feeds a patch to `apply_patch`. A patch that is only printed or saved does
/// not count.
pub(crate) fn in_command(command: &str) -> Option<Patch> {
    let at = command.find(BEGIN)?;
    let (before, body) = command.split_at(at);
    let (lead, arguments) = split_at_apply_patch(before)?;
    let is_fed = arguments.contains("<<") || arguments.trim_start().starts_with(['\'', '"', '$']);
    if !is_fed {
        return None;
    }
    Some(Patch {
        base: entered_folder(lead),
        ..headers(body)
    })
}

/// Splits at the last `apply_patch` that is in the place of a command.
fn split_at_apply_patch(before: &str) -> Option<(&str, &str)> {
    before
        .rmatch_indices("apply_patch")
        .chain(before.rmatch_indices("applypatch"))
        .find_map(|(at, word)| {
            let (lead, rest) = (&before[..at], &before[at + word.len()..]);
            let lead_word = lead.trim_end_matches([' ', '\t']);
            let starts_command =
                lead_word.is_empty() || lead_word.ends_with(['\n', ';', '&', '|', '(', '{']);
            let ends_word = rest.starts_with([' ', '\t', '<', '\n', '\'', '"']);
            (starts_command && ends_word).then_some((lead, rest))
        })
}

/// The operand of a leading `cd`, when the line begins with one.
fn entered_folder(lead: &str) -> Option<String> {
    let rest = lead.trim_start().strip_prefix("cd ")?;
    let end = rest.find(['&', ';', '\n'])?;
    let folder = rest[..end].trim().trim_matches(['\'', '"']);
    (!folder.is_empty()).then(|| folder.to_owned())
}

fn headers(text: &str) -> Patch {
    let mut patch = Patch::default();
    let mut deletes = 0;
    for line in text.lines() {
        let Some(header) = line.trim_end().strip_prefix("*** ") else {
            continue;
        };
        let path = ["Add File: ", "Update File: ", "Delete File: ", "Move to: "]
            .iter()
            .find_map(|kind| header.strip_prefix(kind));
        if let Some(path) = path {
            patch.paths.push(path.trim().to_owned());
            deletes += usize::from(header.starts_with("Delete"));
        }
    }
    patch.only_deletes = deletes > 0 && deletes == patch.paths.len();
    patch
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "*** Begin Patch\n*** Update File: src/A.java\n\
                        *** Move to: src/B.java\n@@\n-a\n+b\n\
                        *** Add File: c.txt\n+*** Delete File: no.txt\n*** End Patch\n";

    fn check(command: &str, want: Option<&[&str]>) {
        let paths = in_command(command).map(|patch| patch.paths);
        assert_eq!(
            paths.as_deref(),
            want.map(|want| want.iter().map(|x| x.to_string()).collect::<Vec<_>>())
                .as_deref(),
            "{command}"
        );
    }

    #[test]
    fn a_patch_fed_to_apply_patch_names_its_files() {
        let all: &[&str] = &["src/A.java", "src/B.java", "c.txt"];
        check(&format!("apply_patch <<'EOF'\n{BODY}EOF\n"), Some(all));
        check(
            &format!("cd sub && apply_patch <<EOF\n{BODY}EOF"),
            Some(all),
        );
        check(&format!("apply_patch '{BODY}'"), Some(all));
        check(&format!("true;applypatch <<\"X\"\n{BODY}X"), Some(all));
        let patch = in_command(&format!("cd 'sub dir'; apply_patch <<E\n{BODY}E")).unwrap();
        assert_eq!(patch.base.as_deref(), Some("sub dir"));
    }

    #[test]
    fn a_patch_that_is_only_text_is_no_edit() {
        check(&format!("cat > x.patch <<'EOF'\n{BODY}EOF\n"), None);
        check(&format!("echo apply_patch <<'EOF'\n{BODY}EOF\n"), None);
        check(&format!("./apply_patch_all <<'EOF'\n{BODY}EOF\n"), None);
        check("apply_patch <<'EOF'\nEOF", None);
        check("", None);
    }

    #[test]
    fn a_patch_that_only_deletes_is_told_apart() {
        let text = "*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch";
        assert_eq!(
            plain(text).map(|patch| (patch.paths.len(), patch.only_deletes)),
            Some((2, true))
        );
        assert!(!plain(BODY).unwrap().only_deletes);
        assert_eq!(plain("hello *** Begin Patch"), None);
    }
}
