//! What `yolo` may do where a person has set that it allows what is dangerous, too: that, but nothing on protected files.
//!
//! Laid over a decision, which alone names the paths that it depends on. So the caller looks these up in between, and brings
//! their places.

use crate::context::{Context, Policy};
use crate::decision::{Decision, Reason, Verdict};
use crate::path::{PathFact, Place, below_root};

/// The paths whose true places say whether a danger may be allowed: those of the action (`paths`) and those in the findings.
/// None where it is asked about anyway.
pub fn paths_of_danger(decision: &Decision, paths: &[String], ctx: &Context) -> Vec<String> {
    let found = decision.findings.iter().flat_map(|finding| &finding.paths);
    let touched = found.chain(paths).filter(|_| is_meant(decision, ctx));
    touched.cloned().collect()
}

/// What becomes of the decision. `wanted`: its [`paths_of_danger`]; `places`: where these truly lie. Without the place of each
/// of them, as where the disk gave no answer, the decision stays.
pub fn with_dangers_allowed(
    decision: Decision,
    wanted: &[String],
    places: Option<&[PathFact]>,
    ctx: &Context,
) -> Decision {
    let is_free = |path: &String| {
        let mut facts = places.into_iter().flatten();
        let fact = facts.find(|fact| fact.given == *path);
        fact.is_some_and(|fact| !is_closed(fact, ctx))
    };
    let stays = !is_meant(&decision, ctx) || places.is_none() || !wanted.iter().all(is_free);
    match stays {
        true => decision,
        false => Decision {
            verdict: Verdict::Allow,
            reason: Reason::PolicyAllows,
            ..decision
        },
    }
}

fn is_meant(decision: &Decision, ctx: &Context) -> bool {
    ctx.yolo_dangerous
        && ctx.policy == Policy::Yolo
        && decision.verdict == Verdict::Ask
        && decision.reason == Reason::Dangerous
}

/// Protected by its name or by where it leads; folders above the project say nothing.
fn is_closed(fact: &PathFact, ctx: &Context) -> bool {
    let named = fact.given.strip_prefix(ctx.root);
    let named = named.unwrap_or_else(|| below_root(&fact.given, ctx.roots));
    let leads_to = match &fact.place {
        Place::Inside { relative } => Some(below_root(relative, ctx.roots)),
        Place::Outside | Place::Unknown => None,
    };
    let places = ctx.protected_places;
    places.has(named) || leads_to.is_some_and(|path| places.has(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name_form::NameForm;
    use crate::shell::{Dialect, ProtectedPlaces};
    use crate::tool::ActionKind;

    fn verdict(
        reason: Reason,
        (policy, yolo_dangerous): (Policy, bool),
        places: Option<&[PathFact]>,
    ) -> Verdict {
        let names = NameForm::new("{tool}", "server");
        let protected_places = ProtectedPlaces::ours();
        let ctx = Context {
            policy,
            yolo_dangerous,
            root: "/p",
            roots: &["/other".to_owned()],
            cwd: "/p",
            home: None,
            offered: &[],
            dialect: Dialect::Bash,
            places: &[],
            links: &[],
            protected_places,
            untold: &[],
            name_trusted: true,
            always_allowed: false,
            pass_tools: &[],
            tool_as_seen: &names,
        };
        let asks = Decision::new(Verdict::Ask, reason, ActionKind::Execute);
        let given = places.and_then(|places| Some(places.first()?.given.clone()));
        let paths = [given.unwrap_or_else(|| "a".to_owned())];
        let wanted = paths_of_danger(&asks, &paths, &ctx);
        let decision = with_dangers_allowed(asks, &wanted, places, &ctx);
        assert!(
            decision.verdict == Verdict::Ask || wanted == paths,
            "nothing is allowed without a look at its paths"
        );
        decision.verdict
    }

    fn at(given: &str, place: Place) -> [PathFact; 1] {
        let given = given.to_owned();
        [PathFact { given, place }]
    }

    fn inside(given: &str, relative: &str) -> [PathFact; 1] {
        let relative = relative.to_owned();
        at(given, Place::Inside { relative })
    }

    const ON: (Policy, bool) = (Policy::Yolo, true);

    #[test]
    fn dangers_are_allowed_by_yolo_alone_where_a_person_has_set_it() {
        let places = inside("a", "a");
        let by = |reason, set| verdict(reason, set, Some(&places));
        assert_eq!(by(Reason::Dangerous, ON), Verdict::Allow);
        assert_eq!(by(Reason::Dangerous, (Policy::Yolo, false)), Verdict::Ask);
        assert_eq!(by(Reason::Dangerous, (Policy::Ask, true)), Verdict::Ask);
        assert_eq!(by(Reason::OutsideProject, ON), Verdict::Ask);
    }

    #[test]
    fn dangers_are_never_allowed_on_protected_files_nor_without_a_look_at_the_disk() {
        let on = |places: Option<&[PathFact]>| verdict(Reason::Dangerous, ON, places);
        assert_eq!(on(None), Verdict::Ask);
        assert_eq!(on(Some(&[])), Verdict::Ask, "nobody knows where it lies");
        assert_eq!(on(Some(&at("/tmp/x", Place::Outside))), Verdict::Allow);
        for places in [
            inside("link", ".git/config"),
            inside("/p/.git/config", "a"),
            inside("a", "/other/.idea/x.xml"),
            at(".git/hooks", Place::Outside),
            at("/other/.git/hooks", Place::Unknown),
        ] {
            assert_eq!(on(Some(&places)), Verdict::Ask, "{places:?}");
        }
    }
}
