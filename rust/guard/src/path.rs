//! Where a path lies: inside the project, outside, or in an unknown place.
//!
//! Lexical only. What a symbolic link or a letter's case makes of a path is for the engine to find out; it passes the
//! answer in as a [`PathFact`]. Unix and Windows paths are distinguished by the project's root, not by the machine this
//! runs on.

use percent_encoding::percent_decode_str;
use siderail_shell::protected_places::plain_name;

/// A path of an action and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFact {
    /// The path as the action names it.
    pub given: String,
    /// Where it lies.
    pub place: Place,
}

/// Where a path lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the project.
    Inside {
        /// Relative to the project's root, with `/`; empty for the root itself. In another content root absolute.
        relative: String,
    },
    /// Not in the project.
    Outside,
    /// Unknown; counts as inside.
    Unknown,
}

/// Places a path lexically. `given` may be absolute, relative to `cwd`, `~/…` or `file://…`;
/// without a known home `~/…` is outside.
pub fn locate(given: &str, root: &str, cwd: &str, home: Option<&str>) -> PathFact {
    let style = Style::of(root);
    let place = match style.resolve(given, cwd, home) {
        Resolved::Absolute(path) => style.compare(&path, root),
        Resolved::Elsewhere => Place::Outside,
        Resolved::Untold => Place::Unknown,
    };
    PathFact {
        given: given.to_owned(),
        place,
    }
}

/// The same in a project that has content roots elsewhere.
pub fn locate_among(
    given: &str,
    root: &str,
    roots: &[String],
    cwd: &str,
    home: Option<&str>,
) -> PathFact {
    let mut fact = locate(given, root, cwd, home);
    let inside = |root: &String| match locate(given, root, cwd, home).place {
        Place::Inside { relative } if relative.is_empty() => Some(root.clone()),
        Place::Inside { relative } => Some(format!("{root}/{relative}")),
        Place::Outside | Place::Unknown => None,
    };
    if fact.place == Place::Outside
        && let Some(relative) = roots.iter().find_map(inside)
    {
        fact.place = Place::Inside { relative };
    }
    fact
}

/// What an absolute path adds to its content root; others as they are. Names of folders above say nothing of it.
pub fn below_root<'p>(relative: &'p str, roots: &[String]) -> &'p str {
    let below = |root: &String| {
        let rest = relative.strip_prefix(root.as_str())?;
        (rest.is_empty() || rest.starts_with(['/', '\\'])).then_some(rest)
    };
    roots.iter().find_map(below).unwrap_or(relative)
}

/// The path made absolute on `cwd`. `.` and doubled separators go, `..` stays (a symbolic link
/// before it would make lexical removal wrong). What cannot be made absolute comes back as given.
pub fn make_absolute(given: &str, cwd: &str) -> String {
    let style = Style::of(cwd);
    match style.resolve(given, cwd, None) {
        Resolved::Absolute(path) => style.tidy(&path),
        Resolved::Elsewhere | Resolved::Untold => given.to_owned(),
    }
}

enum Resolved {
    Absolute(String),
    Elsewhere,
    Untold,
}

/// The two ways of writing paths.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Unix,
    Windows,
}

impl Style {
    fn of(root: &str) -> Self {
        if drive_of(root).is_some() || root.starts_with(r"\\") {
            Self::Windows
        } else {
            Self::Unix
        }
    }

    fn resolve(self, given: &str, cwd: &str, home: Option<&str>) -> Resolved {
        let from_url = given.strip_prefix("file://").map(|rest| {
            let rest = rest.strip_prefix("localhost").unwrap_or(rest);
            let path = percent_decode_str(rest).decode_utf8_lossy();
            match path.strip_prefix('/') {
                Some(rest) if drive_of(rest).is_some() => rest.to_owned(),
                _ => path.into_owned(),
            }
        });
        let given = from_url.as_deref().unwrap_or(given);
        if given.is_empty() || given.contains('\0') {
            return Resolved::Untold;
        }
        let below_home = given.strip_prefix('~').filter(|rest| {
            rest.is_empty() || rest.starts_with('/') || self.separates_at_start(rest)
        });
        match (below_home, home) {
            (Some(rest), Some(home)) => Resolved::Absolute(format!("{home}{rest}")),
            (Some(_), None) => Resolved::Elsewhere,
            (None, _) if self == Self::Unix => resolve_unix(given, cwd),
            (None, _) => resolve_windows(given, cwd),
        }
    }

    fn separates_at_start(self, text: &str) -> bool {
        self == Self::Windows && text.starts_with('\\')
    }

    fn split(self, path: &str) -> impl Iterator<Item = &str> {
        path.split(move |c| c == '/' || (c == '\\' && self == Self::Windows))
            .filter(|part| !part.is_empty() && *part != ".")
    }

    /// The path's parts with `..` applied; at the top `..` changes nothing.
    fn components(self, path: &str) -> Vec<&str> {
        let mut components = Vec::new();
        for part in self.split(path) {
            if part == ".." {
                let at_drive = components.len() == 1 && drive_of(components[0]).is_some();
                if !(at_drive && self == Self::Windows) {
                    components.pop();
                }
            } else {
                components.push(part);
            }
        }
        components
    }

    fn compare(self, path: &str, root: &str) -> Place {
        let (path, root) = (self.components(path), self.components(root));
        let inside = path.len() >= root.len()
            && root.iter().zip(&path).all(|(a, b)| self.is_same_name(a, b));
        if inside {
            Place::Inside {
                relative: path[root.len()..].join("/"),
            }
        } else {
            Place::Outside
        }
    }

    fn is_same_name(self, a: &str, b: &str) -> bool {
        match self {
            Self::Unix => a == b,
            Self::Windows => plain_name_windows(a) == plain_name_windows(b),
        }
    }

    fn tidy(self, path: &str) -> String {
        let parts: Vec<&str> = self.split(path).collect();
        match self {
            Self::Unix => format!("/{}", parts.join("/")),
            Self::Windows if path.starts_with(r"\\") => format!(r"\\{}", parts.join(r"\")),
            Self::Windows if parts.len() == 1 => format!(r"{}\", parts[0]),
            Self::Windows => parts.join(r"\"),
        }
    }
}

fn plain_name_windows(name: &str) -> String {
    if drive_of(name).is_some() {
        return name.to_lowercase();
    }
    plain_name(name)
}

fn resolve_unix(given: &str, cwd: &str) -> Resolved {
    if given.starts_with('/') {
        Resolved::Absolute(given.to_owned())
    } else if drive_of(given).is_some() || given.starts_with(r"\\") || !cwd.starts_with('/') {
        Resolved::Untold
    } else {
        Resolved::Absolute(format!("{cwd}/{given}"))
    }
}

fn resolve_windows(given: &str, cwd: &str) -> Resolved {
    let given = given
        .strip_prefix(r"\\?\UNC\")
        .map(|share| format!(r"\\{share}"))
        .unwrap_or_else(|| given.strip_prefix(r"\\?\").unwrap_or(given).to_owned());
    if let Some(rest) = drive_of(&given) {
        // `C:x` is relative to a folder that only the shell knows.
        let is_rooted = rest.is_empty() || rest.starts_with(['\\', '/']);
        return if is_rooted {
            Resolved::Absolute(given)
        } else {
            Resolved::Untold
        };
    }
    if given.starts_with(r"\\") {
        return Resolved::Absolute(given);
    }
    if let Some(rest) = given.strip_prefix(['/', '\\']) {
        // Shells of Unix descent write `/c/proj` for `C:\proj`.
        let mut letters = rest.chars();
        let drive = letters.next().filter(char::is_ascii_alphabetic);
        let ends = matches!(letters.next(), None | Some('/'));
        return match (drive, ends, given.starts_with('/')) {
            (Some(drive), true, true) => Resolved::Absolute(format!("{drive}:/{}", &rest[1..])),
            _ => Resolved::Absolute(format!("{}\\{rest}", cwd.get(..2).unwrap_or_default())),
        };
    }
    Resolved::Absolute(format!("{cwd}\\{given}"))
}

/// What follows the drive's colon, when the path starts with a drive letter.
fn drive_of(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(|c: char| c.is_ascii_alphabetic())?;
    rest.strip_prefix(':')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::ProtectedPlaces;
    use proptest::prelude::*;

    fn check(given: &str, want: &str) {
        let place = locate(given, "/proj", "/proj/sub", Some("/home/u")).place;
        assert_eq!(shown(&place), want, "{given}");
    }

    fn check_windows(given: &str, want: &str) {
        let place = locate(given, r"C:\proj", r"C:\proj\sub", Some(r"C:\Users\u")).place;
        assert_eq!(shown(&place), want, "{given}");
    }

    fn shown(place: &Place) -> String {
        match place {
            Place::Inside { relative } => format!("inside {relative}"),
            Place::Outside => "outside".to_owned(),
            Place::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn a_path_is_placed_by_whole_components() {
        check("/proj", "inside ");
        check("/proj/", "inside ");
        check("/proj/src/A.java", "inside src/A.java");
        check("/proj2/src", "outside");
        check("/projsrc", "outside");
        check("a.rs", "inside sub/a.rs");
        check("../a.rs", "inside a.rs");
        check("../../proj/./a.rs", "inside a.rs");
        check("../../etc/passwd", "outside");
        check("/proj/../etc", "outside");
        check("//proj//x", "inside x");
        check("/PROJ/x", "outside");
        check("/", "outside");
        check("../..", "outside");
    }

    #[test]
    fn home_urls_and_nonsense_are_placed_as_a_shell_or_a_model_means_them() {
        check("~", "outside");
        check("~/x", "outside");
        check("~x", "inside sub/~x");
        check("file:///proj/a%20b.rs", "inside a b.rs");
        check("file://localhost/proj/%2e%2e/etc", "outside");
        check("file:///proj/%C3%A9", "inside \u{e9}");
        check("file:///proj/%ff", "inside \u{fffd}");
        // What encodes nothing stays as it is; a sign is no digit.
        for plain in ["%+5", "%-1", "%g0", "%4", "%", "%\u{e9}"] {
            check(
                &format!("file:///proj/a{plain}"),
                &format!("inside a{plain}"),
            );
        }
        check("", "unknown");
        check("a\0b", "unknown");
        check(r"C:\proj\x", "unknown");
        let at_home = locate("~/proj/x", "/home/u/proj", "/", Some("/home/u"));
        assert_eq!(shown(&at_home.place), "inside x");
        let homeless = locate("~/proj/x", "/home/u/proj", "/", None);
        assert_eq!(homeless.place, Place::Outside);
    }

    #[test]
    fn windows_paths_are_compared_as_windows_does() {
        check_windows(r"C:\proj\src\A.java", "inside src/A.java");
        check_windows(r"c:/PROJ/src/A.java", "inside src/A.java");
        check_windows(r"\\?\C:\proj\x", "inside x");
        check_windows(r"C:\proj.\x", "inside x");
        check_windows(r"..\a.rs", "inside a.rs");
        check_windows(r"..\..\..\..\x", "outside");
        check_windows(r"\proj\x", "inside x");
        check_windows("/c/proj/x", "inside x");
        check_windows("C:x", "unknown");
        check_windows(r"D:\proj\x", "outside");
        check_windows(r"\\server\proj\x", "outside");
        check_windows(r"~\x", "outside");
        check_windows("file:///C:/proj/x", "inside x");
    }

    #[test]
    fn a_path_in_another_content_root_is_inside_and_keeps_its_whole_name() {
        let roots = ["/code/.claude/other".to_owned()];
        let place = |given: &str| {
            let home = Some("/code");
            shown(&locate_among(given, "/proj", &roots, "/proj/sub", home).place)
        };
        let whole = "inside /code/.claude/other/a.rs";
        for given in [
            "/code/.claude/other/a.rs",
            "../../code/.claude/other/a.rs",
            "~/.claude/other/a.rs",
        ] {
            assert_eq!(place(given), whole, "{given}");
        }
        assert_eq!(place("../a.rs"), "inside a.rs");
        assert_eq!(place("/code/.claude/other2"), "outside");
        assert_eq!(place("/code/.claude/other/../x"), "outside");
        assert_eq!(below_root(&whole[7..], &roots), "/a.rs");
        assert_eq!(
            below_root("/code/.claude/other2", &roots),
            "/code/.claude/other2"
        );
        assert_eq!(below_root("a.rs", &roots), "a.rs");
    }

    #[test]
    fn making_absolute_keeps_the_dots_that_a_link_could_change() {
        assert_eq!(make_absolute("src/A.java", "/proj"), "/proj/src/A.java");
        assert_eq!(make_absolute("./link/../x", "/proj/"), "/proj/link/../x");
        assert_eq!(make_absolute("/a//b/.", "/proj"), "/a/b");
        assert_eq!(make_absolute("~/x", "/proj"), "~/x");
        assert_eq!(make_absolute(r"src\A.cs", r"C:\proj"), r"C:\proj\src\A.cs");
        assert_eq!(
            make_absolute(r"\\srv\share\x", r"C:\proj"),
            r"\\srv\share\x"
        );
        assert_eq!(make_absolute(r"C:\", r"C:\proj"), r"C:\");
    }

    proptest! {
        #[test]
        fn enough_steps_up_always_lead_out(
            steps in prop::collection::vec("[a-z.]{1,4}|\\.|\\.\\.", 0..12),
            tail in "[a-z]{1,5}/?[a-z]{0,5}",
        ) {
            let down = steps.iter().filter(|step| *step != "..").count();
            let up = "../".repeat(down + 3);
            let given = format!("{}/{up}{tail}", steps.join("/"));
            let fact = locate(&given, "/deep/proj", "/deep/proj/sub", None);
            prop_assume!(!given.starts_with('/'));
            prop_assert_eq!(fact.place, Place::Outside);
        }

        #[test]
        fn an_inside_path_is_below_the_root_when_walked(given in "\\PC{0,40}") {
            if let Place::Inside { relative } = locate(&given, "/proj", "/proj", None).place {
                prop_assert!(relative.split('/').all(|part| part != ".."));
            }
            let _ = locate(&given, r"C:\proj", r"C:\proj", Some(r"C:\u"));
            let _ = make_absolute(&given, "/proj");
            let _ = make_absolute(&given, r"C:\proj");
            let _ = ProtectedPlaces::ours().has(&given);
        }
    }
}
