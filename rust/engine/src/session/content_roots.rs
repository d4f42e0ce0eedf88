//! Content roots of the project beside its own folder, as the person's IDE names them while a session runs.
//!
//! A model of a project is made of files, too, which the agent may have edited. So while its session runs a root can only
//! go; one that comes is told, and counts once the person starts the agent anew. It knows no session.

use std::path::{Path, PathBuf};

use crate::confine::{Confinement, Private};
use crate::session::worker::Sight;

/// The project as named now.
pub(in crate::session) struct Named {
    confinement: Confinement,
    /// What is told of roots that cannot be taken.
    refused: Vec<String>,
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
        }
    }

    /// What belongs to the project of a session that runs, and what is told of that.
    pub(in crate::session) fn narrow(self, before: &Confinement) -> (Confinement, Vec<String>) {
        let now = before.clone().narrowed_to(&self.confinement);
        let mut told = changes(before, &now, &self.confinement);
        told.extend(self.refused);
        (now, told)
    }
}

/// Of the roots with which a session's next process begins, those that are `named` now. A login starts one, too, and
/// must not take in what has come since the person started the agent.
pub(in crate::session) fn only_named(known: &mut Vec<PathBuf>, named: &[PathBuf]) {
    known.retain(|root| named.contains(root));
}

/// What is the project's no more, and what will be once its agent is started anew.
fn changes(before: &Confinement, now: &Confinement, named: &Confinement) -> Vec<String> {
    let only = |of: &Confinement, other: &Confinement| -> Vec<String> {
        let is_new = |root: &&Path| other.further().all(|known| known != *root);
        let new = of.further().filter(is_new);
        new.map(|root| root.display().to_string()).collect()
    };
    let came = only(named, now).into_iter().map(|root| {
        format!(
            "{root} is a content root of the project now; its files count as outside until you start the agent anew, \
             since an agent may change what makes it one"
        )
    });
    let went = only(before, now).into_iter().map(|root| {
        format!("{root} is no content root of the project any more: its files count as outside")
    });
    came.chain(went).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_process_of_a_session_takes_in_no_root_that_came_since() {
        let paths = |names: &[&str]| -> Vec<PathBuf> { names.iter().map(PathBuf::from).collect() };
        let mut known = paths(&["/one", "/two"]);
        only_named(&mut known, &paths(&["/", "/two", "/three"]));
        assert_eq!(known, paths(&["/two"]));
    }

    #[test]
    fn a_root_can_only_go_while_a_session_runs() {
        let all = tempfile::tempdir().expect("a folder");
        let all = all.path().canonicalize().expect("it is there");
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
        let (now, told) = named(&[path(1), path(2)], Sight::Clear).narrow(&before);
        assert_eq!(further(&now), [path(1)]);
        let [came] = &told[..] else {
            panic!("{told:?}");
        };
        let root = path(2).display().to_string();
        assert!(came.starts_with(&root) && came.contains("until you start the agent anew"));
        let (now, told) = named(&[path(1)], Sight::Blind).narrow(&before);
        assert!(
            further(&now).is_empty() && told[0].contains("no content root"),
            "{told:?}"
        );
        let (now, told) = named(&[path(1), path(3)], Sight::Clear).narrow(&before);
        assert_eq!(further(&now), [path(1)]);
        assert!(
            told.len() == 1 && told[0].contains("your home folder"),
            "{told:?}"
        );
    }
}
