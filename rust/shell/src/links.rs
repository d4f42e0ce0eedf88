//! Links: those that the caller has found on disk, and those that the line makes itself. A path that goes through one
//! leads where the link does, and `..` behind it to the folder there.
//!
//! It asks no file system. What was moved or copied together with its links is remembered as well, since a link
//! among it has another name then. Past a bound nothing more is remembered.

use super::ir::UNKNOWN;
use super::paths::{Place, Places, Target, has_odd_parts, parts};
use super::patterns;

/// A link and where it leads in the end, both absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The link itself; no folder on the way to it is one.
    pub path: String,
    /// What it leads to.
    pub to: String,
}

/// Links that are remembered, and the length of their paths and of those that are followed.
const MOST_LINKS: usize = 64;
const MOST_BYTES: usize = 1024;
/// Links in one path.
const MOST_STEPS: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Links {
    known: Vec<Link>,
    /// What has another name now: the new one and the old.
    moved: Vec<Link>,
}

impl Links {
    pub(super) fn of(links: &[Link], places: &Places) -> Self {
        let mut known = Self::default();
        for link in links {
            let path = places.absolute(&link.path, "/");
            push(&mut known.known, path, places.absolute(&link.to, "/"));
        }
        known
    }

    /// A link that is there from now on.
    pub(super) fn learn(&mut self, path: String, to: String) {
        push(&mut self.known, path, to);
    }

    /// A place whose content was elsewhere before.
    pub(super) fn learn_moved(&mut self, path: String, from: String) {
        push(&mut self.moved, path, from);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Whether there is none, and nothing has another name now.
    pub(super) fn is_untouched(&self) -> bool {
        self.known.is_empty() && self.moved.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.known.len() + self.moved.len()
    }

    /// Whether the path is that of a link itself.
    pub(super) fn is_one(&self, places: &Places, target: &Target) -> bool {
        self.known
            .iter()
            .any(|link| is_same(places, &link.path, &target.path))
    }

    /// Where a target leads when its links are followed.
    pub(super) fn followed(&self, places: &Places, target: Target, is_pattern: bool) -> Target {
        let path = target.way.as_deref().unwrap_or(&target.path);
        if self.known.is_empty() || target.place == Place::Special || path.len() > MOST_BYTES {
            return target;
        }
        let Some(mut path) = self.step(places, path, is_pattern) else {
            return target;
        };
        for _ in 0..MOST_STEPS {
            let Some(next) = self.step(places, &path, is_pattern) else {
                break;
            };
            path = next;
        }
        let path = places.absolute(&path, "/");
        Target {
            place: places.place(&path, is_pattern),
            path,
            way: None,
        }
    }

    /// The path with its first link replaced by what that leads to.
    fn step(&self, places: &Places, path: &str, is_pattern: bool) -> Option<String> {
        let may_begin = |link: &Link| path.starts_with(link.path.as_str());
        let is_plain = !is_pattern && !places.is_windows() && !has_odd_parts(path);
        if is_plain && !self.known.iter().any(may_begin) {
            return None;
        }
        let mut current = String::with_capacity(path.len());
        let mut at = 0;
        for part in parts(path) {
            at += part.len() + 1;
            match part {
                "" | "." => continue,
                ".." => {
                    current.truncate(current.rfind('/').unwrap_or(0));
                    continue;
                }
                _ => {}
            }
            if !current.is_empty() || path.starts_with('/') {
                current.push('/');
            }
            current.push_str(part);
            if let Some(to) = self.link_at(places, &current, is_pattern) {
                let rest = path.get(at..).unwrap_or_default();
                return Some(match rest.is_empty() {
                    true => to.to_owned(),
                    false => format!("{to}/{rest}"),
                });
            }
        }
        None
    }

    /// What the link of this path leads to. Of several that a pattern stands for, one that leads out of the project.
    fn link_at(&self, places: &Places, path: &str, is_pattern: bool) -> Option<&str> {
        let fits = |link: &&Link| {
            is_same(places, &link.path, path) || (is_pattern && fits_parts(path, &link.path))
        };
        let mut fitting = self.known.iter().rev().filter(fits);
        let first = fitting.next()?;
        let leads_out = |link: &&Link| places.place(&link.to, false) != Place::Inside;
        let out = Some(first).filter(leads_out);
        let found = out.or_else(|| fitting.find(leads_out)).unwrap_or(first);
        Some(&found.to)
    }

    /// Which other names a path had before the line moved it, the last move first.
    pub(super) fn moved_from(&self, places: &Places, target: &Target) -> Vec<Target> {
        let mut found: Vec<Target> = Vec::new();
        for moved in self.moved.iter().rev() {
            for at in 0..=found.len().min(MOST_LINKS) {
                let later = at.checked_sub(1).map_or(target, |at| &found[at]);
                let rest = later.path.strip_prefix(moved.path.as_str());
                if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
                    let path = format!("{}{rest}", moved.to);
                    let named = Target {
                        place: places.place(&path, false),
                        path,
                        way: None,
                    };
                    let earlier = self.followed(places, named, false);
                    if found.iter().all(|known| known.path != earlier.path) {
                        found.push(earlier);
                    }
                }
            }
        }
        found
    }
}

fn push(links: &mut Vec<Link>, path: String, to: String) {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_told = !name.contains(UNKNOWN) && path != to;
    let mut same = links.iter().rev().filter(|link| link.path == path);
    if same.next().is_some_and(|link| link.to == to) {
        return;
    }
    if is_told && links.len() < MOST_LINKS && path.len() + to.len() <= MOST_BYTES {
        links.push(Link { path, to });
    }
}

fn is_same(places: &Places, one: &str, other: &str) -> bool {
    match places.is_windows() {
        true => one.eq_ignore_ascii_case(other),
        false => one == other,
    }
}

/// Whether a path of patterns stands for another path, part by part.
fn fits_parts(pattern: &str, path: &str) -> bool {
    let mut parts = path.split('/');
    let fits = |part: &str| parts.next().is_some_and(|own| patterns::matches(part, own));
    pattern.split('/').all(fits) && parts.next().is_none()
}
