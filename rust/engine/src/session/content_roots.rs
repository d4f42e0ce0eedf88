//! Content roots of the project beside its own folder, as the person's IDE names them while a session runs.
//!
//! The IDE's model of a project is made of files, too, which the agent may have edited. So while its session runs,
//! roots can only be removed; a new one is reported, and counts once the person restarts the agent. It knows no
//! session.

use std::path::{Path, PathBuf};

use crate::confine::{Confinement, Private};
use crate::session::worker::Sight;

const NO_ANSWER: &str = "The disk gives no answer, so files of the project's content roots count as outside until you restart the agent";

/// The project as named now.
pub(in crate::session) struct Named {
    confinement: Confinement,
    /// What is reported of roots that cannot be accepted.
    refused: Vec<String>,
    /// The disk gave no answer.
    is_blind: bool,
}

impl Named {
    /// The project with these roots. Where the disk gives no answer, it has none.
    pub(in crate::session) fn new(
        project: Confinement,
        roots: &[PathBuf],
        private: Private<'_>,
        sight: Sight,
    ) -> Self {
        let (confinement, refused) = match sight {
            Sight::Clear => project.with_named_roots(roots, private),
            Sight::Blind => (project.with_roots(&[]), Vec::new()),
        };
        Self {
            confinement,
            refused,
            is_blind: sight == Sight::Blind,
        }
    }

    /// What belongs to the project of a running session, and what is reported of that. `waiting`: the roots that count
    /// from the next start on, each of which is reported once.
    pub(in crate::session) fn narrow(
        self,
        before: &Confinement,
        waiting: &mut Vec<PathBuf>,
    ) -> (Confinement, Vec<String>) {
        let now = before.clone().narrowed_to(&self.confinement);
        if self.is_blind {
            let told = before.further().next().map(|_| NO_ANSWER.to_owned());
            return (now, told.into_iter().collect());
        }
        let came = without(&self.confinement, &now);
        let new = came.iter().filter(|root| !waiting.contains(root));
        let mut told: Vec<String> = new.map(|root| outside_yet(root)).collect();
        let went = without(before, &now);
        told.extend(went.iter().map(|root| outside_now(root)));
        told.extend(self.refused);
        *waiting = came;
        (now, told)
    }
}

/// Of the roots with which a session's next process begins, those that are `named` now, or lie in one that is. A login
/// starts one, too, and must not add what has come since the person started the agent.
pub(in crate::session) fn only_named(known: &mut Vec<PathBuf>, named: &[PathBuf]) {
    known.retain(|root| named.iter().any(|named| root.starts_with(named)));
}

/// The roots of one that the other lacks.
fn without(of: &Confinement, other: &Confinement) -> Vec<PathBuf> {
    let lacks = |root: &&Path| other.further().all(|known| known != *root);
    of.further().filter(lacks).map(Path::to_owned).collect()
}

fn outside_yet(root: &Path) -> String {
    format!(
        "{} is a content root of the project now. Its files stay outside until you restart the agent, because an agent \
         could have added it",
        root.display()
    )
}

fn outside_now(root: &Path) -> String {
    format!(
        "{} is no content root of the project any more: its files count as outside",
        root.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_process_of_a_session_takes_in_no_root_that_came_since() {
        let paths = |names: &[&str]| -> Vec<PathBuf> { names.iter().map(PathBuf::from).collect() };
        let mut known = paths(&["/one", "/two", "/four/a"]);
        only_named(&mut known, &paths(&["/one/b", "/two", "/three", "/four"]));
        assert_eq!(known, paths(&["/two", "/four/a"]));
    }

    #[test]
    fn a_root_can_only_go_while_a_session_runs() {
        let all = tempfile::tempdir().expect("a folder");
        // As its own paths are: without the prefix that Windows puts before canonical ones.
        let all = Confinement::new(all.path()).expect("it is there");
        let all = all.root().to_owned();
        let names = ["project", "one", "two", "home"];
        for name in names {
            std::fs::create_dir(all.join(name)).expect("a folder");
        }
        let path = |at: usize| all.join(names[at]);
        let home = path(3);
        let named = |roots: &[PathBuf], sight| {
            let project = Confinement::new(&path(0)).expect("it is there");
            let private = Private {
                home: Some(&home),
                own: &[],
            };
            Named::new(project, roots, private, sight)
        };
        let before = named(&[path(1)], Sight::Clear).confinement;
        let further = |project: &Confinement| -> Vec<PathBuf> {
            project.further().map(Path::to_owned).collect()
        };
        assert_eq!(further(&before), [path(1)]);
        let mut waiting = Vec::new();
        let (now, told) = named(&[path(1), path(2)], Sight::Clear).narrow(&before, &mut waiting);
        assert_eq!(further(&now), [path(1)]);
        let [came] = &told[..] else {
            panic!("{told:?}");
        };
        let root = path(2).display().to_string();
        assert!(came.starts_with(&root) && came.contains("until you restart the agent"));
        let (_, told) = named(&[path(1), path(2)], Sight::Clear).narrow(&before, &mut waiting);
        assert!(told.is_empty(), "it was told: {told:?}");
        let (now, told) = named(&[path(1)], Sight::Blind).narrow(&before, &mut waiting);
        assert!(further(&now).is_empty() && told == [NO_ANSWER], "{told:?}");
        let (now, told) = named(&[path(1), path(3)], Sight::Clear).narrow(&before, &mut waiting);
        assert_eq!(further(&now), [path(1)]);
        assert!(
            told.len() == 1 && told[0].contains("your home folder"),
            "{told:?}"
        );
    }
}
