//! Where a path leads, by its letters alone: inside the project, above it, below a temporary folder, elsewhere.
//!
//! It asks no file system. An unknown part counts as inside, unless what comes before it
//! decides otherwise. Windows paths have drive letters, both slashes, and no case.

mod forms;

use super::ir::{Arg, Pattern, UNKNOWN};
use super::patterns;
pub(super) use super::target::{Place, Target};
use std::borrow::Cow;

/// Stands for the home folder where the input does not name one.
const SOME_HOME: &str = "~";
/// Stands for the temporary folder of the machine.
const SOME_TEMP: &str = "~tmp";
const UNIX_TEMP: &str = "/~tmp";
const WINDOWS_TEMP: &str = "c:/~tmp";

/// The project's place in the file system.
#[derive(Debug)]
pub(super) struct Places {
    root: Vec<String>,
    /// The same as a path.
    root_path: String,
    /// The project's content roots elsewhere, as paths.
    further: Vec<String>,
    home: String,
    /// The first letter of the root as given.
    drive: String,
    windows: bool,
    is_container: bool,
    /// Whether the project lies below a temporary folder.
    is_temporary: bool,
}

impl Places {
    pub(super) fn new(root: &str, roots: &[String], home: Option<&str>) -> Self {
        let windows = is_windows(root);
        let drive = root.get(..1).unwrap_or_default().to_owned();
        let mut places = Self {
            root: Vec::new(),
            root_path: String::new(),
            further: Vec::new(),
            home: String::new(),
            drive,
            windows,
            is_container: false,
            is_temporary: false,
        };
        let root = places.absolute(root, "/");
        places.root = components(&root).map(str::to_owned).collect();
        let lead = if windows { "" } else { "/" };
        places.root_path = format!("{lead}{}", places.root.join("/"));
        places.home = match home {
            Some(home) => places.absolute(home, "/"),
            None if windows => format!("c:/{SOME_HOME}"),
            None => format!("/{SOME_HOME}"),
        };
        let further = roots.iter().map(|root| places.absolute(root, "/"));
        places.further = further.collect();
        let beside = format!("{}/x", places.root_path);
        places.is_temporary = places.outside(&beside) == Place::Temporary;
        places
    }

    /// A container that is given a folder: the project is what lies there, and everything else is its own.
    pub(super) fn in_container(folder: &str) -> Self {
        Self {
            is_container: true,
            is_temporary: false,
            ..Self::new(folder, &[], None)
        }
    }

    pub(super) fn is_windows(&self) -> bool {
        self.windows
    }

    pub(super) fn home(&self) -> &str {
        &self.home
    }

    /// The root as an absolute path.
    pub(super) fn root_path(&self) -> &str {
        &self.root_path
    }

    /// Whether a folder is there on every machine, as those of the system, and those above the project and the home.
    pub(super) fn always_has(&self, folder: &str) -> bool {
        let is_above = |path: &str| {
            path.strip_prefix(folder.trim_end_matches('/'))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let known = folder.trim_start_matches('/');
        let is_system = known.is_empty()
            || matches!(
                known,
                "private/tmp" | "var/tmp" | "dev/shm" | "usr/bin" | "usr/local"
            )
            || matches!(
                known,
                "usr/lib" | "usr/share" | "var/log" | "usr/local/bin" | "c:/windows"
            )
            || !known.contains('/') && !known.contains(UNKNOWN) && self.is_top(known);
        is_system
            || is_above(self.root_path())
            || is_above(&self.home)
            || is_above(self.temporary())
    }

    /// Folders right below the root of a system, or drives.
    fn is_top(&self, name: &str) -> bool {
        if self.windows {
            return name.len() == 2 && name.ends_with(':');
        }
        #[rustfmt::skip]
        let known = [
            "bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt", "proc", "root", "run", "sbin", "srv",
            "sys", "tmp", "usr", "var", "Users", "Applications", "Library", "Volumes", "System", "private",
        ];
        known.contains(&name)
    }

    pub(super) fn temporary(&self) -> &'static str {
        match self.windows {
            true => WINDOWS_TEMP,
            false => UNIX_TEMP,
        }
    }

    /// The absolute form of a path, `.` and `..` taken away. An unknown start stays unknown.
    pub(super) fn absolute(&self, path: &str, cwd: &str) -> String {
        let joined = self.joined(path, cwd);
        if !joined.ends_with('/') && !has_odd_parts(&joined) {
            return joined;
        }
        let lead = usize::from(joined.starts_with('/'));
        let mut kept = String::with_capacity(joined.len());
        kept.push_str(&joined[..lead]);
        for part in parts(&joined) {
            match part {
                "" | "." => {}
                ".." => {
                    let last = kept[lead..].rfind('/').map_or(lead, |at| lead + at + 1);
                    if !kept[last..].contains(UNKNOWN) {
                        kept.truncate(last.saturating_sub(1).max(lead));
                    }
                }
                _ => {
                    if kept.len() > lead {
                        kept.push('/');
                    }
                    kept.push_str(part);
                }
            }
        }
        kept
    }

    /// Where an argument leads when it is taken as a path.
    pub(super) fn target(&self, arg: &Arg, cwd: &str) -> Target {
        let text = forms::of_file(&arg.text);
        let is_stream = arg.stream().is_some() || arg.reader().is_some();
        if is_stream || forms::is_special(text, self.windows) {
            let is_odd = text.starts_with('/') && has_odd_parts(text);
            return Target {
                place: Place::Special,
                path: match is_odd {
                    true => self.absolute(text, "/"),
                    false => text.to_owned(),
                },
                way: None,
            };
        }
        if forms::is_elsewhere_than_files(cwd, self.windows) && !text.contains(':') {
            return Target {
                place: Place::Special,
                path: format!("{cwd}/{text}"),
                way: None,
            };
        }
        let rooted = self.rooted(text, cwd);
        let path = self.absolute(&rooted, cwd);
        let place = self.place(&path, arg.pattern != Pattern::None);
        let goes_up = rooted.as_bytes().windows(2).any(|pair| pair == b"..");
        let way = goes_up.then(|| self.joined(&rooted, cwd));
        Target { place, path, way }
    }

    /// A path made absolute, with all its parts.
    fn joined(&self, path: &str, cwd: &str) -> String {
        if !self.windows {
            return joined(path, cwd);
        }
        let unified = with_slashes(path);
        with_drive(&unified).unwrap_or_else(|| joined(&unified, cwd))
    }

    /// Forms of an absolute path that only exist on Windows: `\x`, and `/c/x` or `/mnt/c/x` of a Unix shell.
    fn rooted<'t>(&self, text: &'t str, cwd: &str) -> Cow<'t, str> {
        if !self.windows {
            return text.into();
        }
        let unified = with_slashes(text);
        let rest = unified
            .strip_prefix("/mnt")
            .filter(|rest| rest.starts_with('/'));
        let rest = rest.unwrap_or(&unified);
        let bytes = rest.as_bytes();
        let drive = bytes.len() >= 2 && bytes[0] == b'/' && bytes[1].is_ascii_alphabetic();
        if drive && bytes.get(2).is_none_or(|byte| *byte == b'/') {
            return format!("{}:{}", &rest[1..2], &rest[2..]).into();
        }
        if unified.starts_with('/') && !unified.starts_with("//") {
            return format!("{}{unified}", cwd.get(..2).unwrap_or("c:")).into();
        }
        unified
    }

    /// Where an absolute path leads.
    pub(super) fn place(&self, path: &str, pattern: bool) -> Place {
        match self.place_by_root(path, pattern) {
            Place::Elsewhere | Place::Temporary if self.is_further(path) => Place::Inside,
            place => place,
        }
    }

    /// Whether a path lies in a content root of the project other than its own folder, by what is known of it.
    fn is_further(&self, path: &str) -> bool {
        self.further_root_of(path).is_some()
    }

    fn further_root_of(&self, path: &str) -> Option<&String> {
        let is_in = |root: &&String| {
            let head = path.get(..root.len());
            let is_same = head.is_some_and(|head| self.same(head, root));
            is_same && matches!(path.as_bytes().get(root.len()), None | Some(b'/'))
        };
        self.further.iter().find(is_in)
    }

    /// Whether a path is one of the project's own folders, and not below it.
    pub(super) fn is_root(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let roots = std::iter::once(&self.root_path).chain(&self.further);
        roots.into_iter().any(|root| self.same(root, path))
    }

    /// Whether the project's git and tests are those of a folder: of its other content roots they are not.
    pub(super) fn is_at_home(&self, here: &Target) -> bool {
        here.is_inside() && (self.further.is_empty() || self.is_in_base(&here.path))
    }

    /// Whether a path lies in the project's own folder, and not in another content root.
    pub(super) fn is_in_base(&self, path: &str) -> bool {
        self.place_by_root(path, false) == Place::Inside
    }

    fn place_by_root(&self, path: &str, pattern: bool) -> Place {
        // Most paths begin just as the root does.
        if let Some(rest) = path.strip_prefix(self.root_path())
            && !self.root.is_empty()
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return Place::Inside;
        }
        let unknown_start = !path.starts_with('/') && path.starts_with(UNKNOWN);
        if unknown_start {
            return Place::Inside;
        }
        let mut parts = components(path);
        let has_unknown = path.bytes().any(|byte| byte == UNKNOWN as u8);
        for own in &self.root {
            let Some(part) = parts.next() else {
                return Place::Above;
            };
            if has_unknown && let Some((before, _)) = part.split_once(UNKNOWN) {
                let fits = self.starts_with(own, before);
                return if fits {
                    Place::Inside
                } else {
                    self.outside(path)
                };
            }
            if !(self.same(own, part) || (pattern && patterns::matches(part, own))) {
                return self.outside(path);
            }
        }
        Place::Inside
    }

    fn starts_with(&self, text: &str, start: &str) -> bool {
        let head = text.get(..start.len());
        head.is_some_and(|head| self.same(head, start))
    }

    /// Whether two names or paths are one: on Windows case does not matter.
    fn same(&self, one: &str, other: &str) -> bool {
        match self.windows {
            true => one.eq_ignore_ascii_case(other),
            false => one == other,
        }
    }

    fn outside(&self, path: &str) -> Place {
        if self.is_container {
            return Place::Special;
        }
        let from = path.trim_start_matches('/');
        let end = from.bytes().position(|byte| byte == b'/');
        let first = &from[..end.unwrap_or(from.len())];
        let holders = ["tmp", SOME_TEMP, "var", "dev", "private"];
        let may_be = |holder: &&str| first.eq_ignore_ascii_case(holder);
        if !self.windows && !holders.iter().any(may_be) {
            return Place::Elsewhere;
        }
        let lower: Cow<'_, str> = match path.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => path.to_ascii_lowercase().into(),
            false => path.into(),
        };
        let mut first_parts = [""; 7];
        let mut n_parts = 0;
        for (at, part) in first_parts.iter_mut().zip(components(&lower)) {
            *at = part;
            n_parts += 1;
        }
        let below = match &first_parts[..n_parts] {
            ["tmp" | SOME_TEMP, _, ..] | ["var", "tmp", _, ..] | ["dev", "shm", _, ..] => true,
            ["private", "tmp", _, ..] | ["private", "var", "tmp" | "folders", _, ..] => true,
            ["var", "folders", _, ..] => true,
            [_, SOME_TEMP | "temp" | "tmp", _, ..] => self.windows,
            [_, "windows", "temp", _, ..] => self.windows,
            [_, "users", _, "appdata", "local", "temp", _, ..] => self.windows,
            [_, SOME_HOME, "appdata", "local", "temp", _, ..] => self.windows,
            _ => false,
        };
        if below {
            Place::Temporary
        } else {
            Place::Elsewhere
        }
    }

    /// Something below a folder.
    pub(super) fn below(&self, folder: &Target) -> Target {
        let path = format!("{}/{UNKNOWN}", folder.path);
        let place = match folder.place {
            Place::Elsewhere => self.place(&path, false),
            place => place,
        };
        Target {
            place,
            path,
            way: None,
        }
    }

    /// What a path inside adds to the root; all of it when its start is unknown.
    pub(super) fn below_root<'p>(&self, path: &'p str) -> &'p str {
        if path.starts_with(UNKNOWN) {
            return path;
        }
        if !self.further.is_empty()
            && self.place_by_root(path, false) != Place::Inside
            && let Some(root) = self.further_root_of(path)
        {
            return &path[root.len()..];
        }
        let mut rest = path;
        for _ in &self.root {
            let from = rest.trim_start_matches('/');
            rest = from.find('/').map_or("", |at| &from[at..]);
        }
        rest
    }

    /// What a path outside adds to the folders that it has in common with the project: those are no build's output,
    /// whatever their names are.
    pub(super) fn beyond_roots<'p>(&self, path: &'p str) -> &'p str {
        let roots = std::iter::once(&self.root_path).chain(&self.further);
        let rests = roots.map(|root| self.unshared(path, root));
        rests.min_by_key(|rest| rest.len()).unwrap_or(path)
    }

    /// A path without the first parts that another one has as well.
    fn unshared<'p>(&self, path: &'p str, other: &str) -> &'p str {
        let mut rest = path;
        for own in components(other) {
            let from = rest.trim_start_matches('/');
            let (part, behind) = from.split_at(from.find('/').unwrap_or(from.len()));
            if !self.same(part, own) {
                break;
            }
            rest = behind;
        }
        rest
    }

    /// Whether a folder is below a temporary one, or is one itself.
    pub(super) fn is_temporary(&self, cwd: &str) -> bool {
        self.place(&format!("{cwd}/x"), false) == Place::Temporary
    }

    /// Whether something below a temporary folder may be of worth: the project lies in one as well, or it
    /// belongs to the home folder.
    pub(super) fn is_somebodys(&self, path: &str) -> bool {
        let below_home = path.strip_prefix(self.home.as_str());
        self.is_temporary || below_home.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Whether the path is the root of a drive, a home folder, or all that is in one.
    pub(super) fn is_everything(&self, path: &str) -> bool {
        let path = path.trim_end_matches("/*").trim_end_matches('/');
        let drive = path.len() == 2 && path.ends_with(':');
        path.is_empty() || drive || path.eq_ignore_ascii_case(&self.home)
    }

    /// The path as a person would write it.
    pub(super) fn shown(&self, path: &str) -> Option<String> {
        let placeholder = path.starts_with("/~") || path.starts_with("c:/~");
        if path.contains(UNKNOWN) || placeholder {
            return None;
        }
        if !self.windows {
            return Some(path.to_owned());
        }
        // The drive's letter as the input writes it.
        let own = path
            .get(..1)
            .filter(|letter| letter.eq_ignore_ascii_case(&self.drive));
        let shown = path.replace('/', "\\");
        Some(own.map_or(shown.clone(), |_| format!("{}{}", self.drive, &shown[1..])))
    }
}

/// A path of Windows with one sort of slashes.
fn with_slashes(path: &str) -> Cow<'_, str> {
    if path.bytes().any(|byte| byte == b'\\') {
        path.replace('\\', "/").into()
    } else {
        path.into()
    }
}

/// A path behind the folder that it starts from, if it does.
fn joined(path: &str, cwd: &str) -> String {
    if path.starts_with(['/', UNKNOWN]) {
        return path.to_owned();
    }
    let mut joined = String::with_capacity(cwd.len() + 1 + path.len());
    joined.push_str(cwd);
    joined.push('/');
    joined.push_str(path);
    joined
}

fn components(path: &str) -> impl Iterator<Item = &str> {
    parts(path).filter(|part| !part.is_empty())
}

/// What `path.split('/')` gives, for names of a few bytes: there a search that is made for long texts takes longer.
pub(super) fn parts(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.bytes().position(|byte| byte == b'/') else {
            rest = None;
            return Some(text);
        };
        rest = Some(&text[end + 1..]);
        Some(&text[..end])
    })
}

/// Whether some part of a path is empty, or begins with a dot.
pub(super) fn has_odd_parts(path: &str) -> bool {
    let is_odd = |pair: &[u8]| pair[0] == b'/' && matches!(pair[1], b'/' | b'.');
    path.as_bytes().windows(2).any(is_odd)
}

/// A path that begins with a drive letter, which is made a small one.
fn with_drive(path: &str) -> Option<String> {
    let bytes = path.as_bytes();
    let letter = bytes.first().filter(|byte| byte.is_ascii_alphabetic())?;
    let letter = char::from(letter.to_ascii_lowercase());
    (bytes.get(1) == Some(&b':')).then(|| format!("{letter}:/{}", &path[2..]))
}

fn is_windows(root: &str) -> bool {
    let bytes = root.as_bytes();
    bytes.get(1) == Some(&b':') || root.starts_with("\\\\")
}
