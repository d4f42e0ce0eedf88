//! The decision: what is allowed, asked or denied, and what the model is asked to do instead.
//!
//! A pure table over [`Action`] and [`Context`]. It asks nobody and remembers nothing. A denial is
//! stronger than a question: what an offered tool replaces is denied even where it is dangerous
//! besides.

use crate::action::{Action, ActionKind, Identity};
use crate::builtin;
use crate::decision::{Decision, Reason, Verdict};
use crate::found;
use crate::guidance::{self, Guidance};
use crate::normalize::{IdentityRule, fields};
use crate::path::{Place, below_root};
use crate::shell::{self, Analysis, ShellInput, ShellVerdict};

pub use crate::context::{Context, Policy};

/// Decides about an action of the agent.
pub fn decide(action: &Action, ctx: &Context) -> Decision {
    let decision = match &action.identity {
        Identity::OwnTool(tool) => of_own_name(action, tool.kind(), ctx),
        Identity::OtherMcp { .. } => of_other_server(action, ctx),
        Identity::Builtin(_) | Identity::Unknown => of_builtin(action, ctx),
    };
    let is_lenient = matches!(
        decision.reason,
        Reason::NeedsPerson | Reason::AlwaysAllowed | Reason::PolicyAllows
    );
    if is_lenient && !action.unread.is_empty() {
        // It is not known completely what runs: it could be anything.
        return Decision {
            verdict: Verdict::Ask,
            reason: Reason::Dangerous,
            kind: ActionKind::Opaque,
            ..decision
        };
    }
    decision
}

/// An own tool by its name: allowed, since our server has a gate of its own. The rules about places hold here
/// too, because the name is the agent's word: a call that never reaches the gate must not get past them.
fn of_own_name(action: &Action, kind: ActionKind, ctx: &Context) -> Decision {
    if action.contradictory {
        Decision::new(Verdict::Ask, Reason::Contradictory, kind)
    } else if !ctx.name_trusted {
        Decision::new(Verdict::Ask, Reason::OwnToolUntrusted, kind)
    } else if action
        .paths
        .iter()
        .any(|path| is_protected_place(path, ctx))
    {
        Decision::new(Verdict::Ask, Reason::ProtectedPath, kind)
    } else if action.command.is_none() && leads_outside(action, ctx) {
        // No tool of ours leaves the project, so what carries the name and does is not a call of ours.
        Decision::new(Verdict::Ask, Reason::OutsideProject, kind)
    } else {
        of_own_command(action, kind, ctx)
    }
}

/// The places that the command of an own tool touches; the rest of its line is the gate's to judge.
fn of_own_command(action: &Action, kind: ActionKind, ctx: &Context) -> Decision {
    let (outside, protected) = analysis(action, ctx).map_or_else(Default::default, |analysis| {
        (analysis.outside, analysis.protected)
    });
    let decision = if !protected.is_empty() {
        Decision::new(Verdict::Ask, Reason::ProtectedPath, kind)
    } else if !outside.is_empty() {
        Decision::new(Verdict::Ask, Reason::Dangerous, kind)
    } else {
        Decision::new(Verdict::Allow, Reason::OwnTool, kind)
    };
    Decision {
        outside,
        protected,
        ..decision
    }
}

/// Another server's command may run anywhere, so it is never redirected; a dangerous one is still
/// asked.
fn of_other_server(action: &Action, ctx: &Context) -> Decision {
    let analysis = analysis(action, ctx);
    let (findings, outside, protected) = analysis.map_or_else(Default::default, |analysis| {
        (analysis.findings, analysis.outside, analysis.protected)
    });
    let is_dangerous = !outside.is_empty()
        || findings
            .iter()
            .any(|finding| ShellVerdict::of(finding.kind) == ShellVerdict::Ask);
    let decision = if !protected.is_empty() {
        Decision::new(Verdict::Ask, Reason::ProtectedPath, ActionKind::OtherServer)
    } else if is_dangerous {
        Decision::new(Verdict::Ask, Reason::Dangerous, ActionKind::OtherServer)
    } else {
        what_is_left(Reason::OtherServer, ActionKind::OtherServer, ctx)
    };
    Decision {
        findings,
        outside,
        protected,
        ..decision
    }
}

fn of_builtin(action: &Action, ctx: &Context) -> Decision {
    let kind = builtin::of_action(action);
    if kind == ActionKind::SwitchMode {
        return what_is_left(Reason::SwitchMode, kind, ctx);
    }
    if action.command.is_none() && is_pass_tool(kind, action, ctx) {
        return Decision::new(Verdict::Allow, Reason::PassThrough, kind);
    }
    // A tool's name says what it does; a kind alone is a hint.
    let touches_nothing = action.rule != IdentityRule::Kind || action.paths.is_empty();
    let runs_nothing = action.command.is_none() && action.unread.is_empty();
    if kind == ActionKind::Think && runs_nothing && touches_nothing {
        return Decision::new(Verdict::Allow, Reason::Internal, kind);
    }
    let analysis = analysis(action, ctx);
    if ctx.policy.redirects() {
        if let Some(guidance) = replacement(kind, action, ctx) {
            let findings = analysis.map_or_else(Vec::new, |analysis| analysis.findings);
            return Decision {
                findings,
                ..denied(Reason::BuiltinReplaced, kind, guidance)
            };
        }
        if let Some(decision) = analysis
            .as_ref()
            .and_then(|analysis| denied_command(&action.identity.label(), analysis, ctx))
        {
            return decision;
        }
    }
    let decision = match analysis {
        Some(analysis) => of_command(analysis, &action.paths, ctx),
        None => of_files(kind, action, ctx),
    };
    let is_left = decision.reason == Reason::PolicyAllows;
    let changes_outside = may_change_files(kind, action) && leads_outside(action, ctx);
    if is_left && (changes_outside || runs_outside(action, ctx)) {
        // The project is what a policy is about: a change elsewhere is a person's to allow.
        return Decision {
            verdict: Verdict::Ask,
            reason: Reason::OutsideProject,
            kind,
            ..decision
        };
    }
    decision
}

/// True unless the call only looks. What it shows counts, whatever it calls itself: a command that
/// comes with a change of a file is such a change, too.
pub(crate) fn may_change_files(kind: ActionKind, action: &Action) -> bool {
    let only_looks = kind.looks() || kind == ActionKind::Fetch;
    let is_command = action.command.is_some() || kind == ActionKind::Execute;
    let told = action.raw["kind"].as_str().map(ActionKind::from_acp);
    let named = builtin::of_tool(&action.identity.label());
    let calls_itself_a_change = [told, named]
        .iter()
        .flatten()
        .any(|kind| kind.changes_files());
    fields::has_diff(&action.raw) || calls_itself_a_change || !(only_looks || is_command)
}

fn leads_outside(action: &Action, ctx: &Context) -> bool {
    let mut places = action.paths.iter().map(|path| place_of(path, ctx));
    places.any(|place| place == Place::Outside)
}

/// A command that starts in a folder elsewhere: its words say little about where it writes.
fn runs_outside(action: &Action, ctx: &Context) -> bool {
    let folder = action.run_folder(ctx.cwd);
    action.command.is_some() && place_of(&folder, ctx) == Place::Outside
}

/// A file tool that nothing replaces, and everything unknown.
fn of_files(kind: ActionKind, action: &Action, ctx: &Context) -> Decision {
    // A command that is unknown could be any.
    if matches!(
        kind,
        ActionKind::Execute | ActionKind::Input | ActionKind::Delete
    ) {
        return Decision::new(Verdict::Ask, Reason::Dangerous, kind);
    }
    if action
        .paths
        .iter()
        .any(|path| is_protected_place(path, ctx))
    {
        return Decision::new(Verdict::Ask, Reason::ProtectedPath, kind);
    }
    let places = action.paths.iter().map(|path| place_of(path, ctx));
    let is_outside =
        !action.paths.is_empty() && places.clone().all(|place| place == Place::Outside);
    let reason = if is_outside {
        Reason::OutsideProject
    } else {
        Reason::NeedsPerson
    };
    what_is_left(reason, kind, ctx)
}

/// A command that is not denied: dangerous, on protected files, writing outside, or ordinary.
pub(crate) fn of_command(analysis: Analysis, paths: &[String], ctx: &Context) -> Decision {
    let dangerous = analysis
        .findings
        .iter()
        .find(|finding| ShellVerdict::of(finding.kind) == ShellVerdict::Ask);
    let touched = analysis
        .findings
        .iter()
        .flat_map(|finding| &finding.paths)
        .chain(paths);
    let is_protected = !analysis.protected.is_empty()
        || touched
            .into_iter()
            .any(|path| is_protected_place(path, ctx));
    let decision = if is_protected {
        // Before the dangers, which a setting may allow.
        let kind = dangerous.map_or(ActionKind::Execute, |finding| found::kind(finding.kind));
        Decision::new(Verdict::Ask, Reason::ProtectedPath, kind)
    } else if let Some(finding) = dangerous {
        Decision::new(Verdict::Ask, Reason::Dangerous, found::kind(finding.kind))
    } else if !analysis.outside.is_empty() {
        // The project is what the policy is about: elsewhere a person is asked, as before losing work.
        Decision::new(Verdict::Ask, Reason::Dangerous, ActionKind::Execute)
    } else {
        let kind = analysis
            .findings
            .first()
            .map_or(ActionKind::Execute, |finding| found::kind(finding.kind));
        what_is_left(Reason::NeedsPerson, kind, ctx)
    };
    Decision {
        findings: analysis.findings,
        outside: analysis.outside,
        protected: analysis.protected,
        ..decision
    }
}

/// The denial of a command that offered tools replace. `denied` is the tool that runs it.
pub(crate) fn denied_command(
    denied_tool: &str,
    analysis: &Analysis,
    ctx: &Context,
) -> Option<Decision> {
    if analysis.verdict != ShellVerdict::Redirect {
        return None;
    }
    let guidance = guidance::command::guidance(denied_tool, &analysis.findings, ctx)?;
    let kind = analysis
        .findings
        .iter()
        .find(|finding| finding.instead.map(found::tool) == Some(guidance.tool))
        .map_or(ActionKind::Execute, |finding| found::kind(finding.kind));
    Some(Decision {
        findings: analysis.findings.clone(),
        ..denied(Reason::ShellAbuse, kind, guidance)
    })
}

fn denied(reason: Reason, kind: ActionKind, guidance: Guidance) -> Decision {
    Decision {
        instead: Some(guidance.tool),
        guidance: Some(guidance.text),
        ..Decision::new(Verdict::Deny, reason, kind)
    }
}

/// What the policy and a remembered `Always` make of something that is neither allowed nor denied.
pub(crate) fn what_is_left(reason: Reason, kind: ActionKind, ctx: &Context) -> Decision {
    if ctx.always_allowed && reason.may_be_remembered() {
        Decision::new(Verdict::Allow, Reason::AlwaysAllowed, kind)
    } else if ctx.policy == Policy::Yolo {
        Decision::new(Verdict::Allow, Reason::PolicyAllows, kind)
    } else {
        Decision::new(Verdict::Ask, reason, kind)
    }
}

/// The guidance for a built-in file tool, when it touches the project and an offered tool replaces
/// it.
fn replacement(kind: ActionKind, action: &Action, ctx: &Context) -> Option<Guidance> {
    let places: Vec<Place> = action
        .paths
        .iter()
        .map(|path| place_of(path, ctx))
        .collect();
    let is_outside = !places.is_empty() && places.iter().all(|place| *place == Place::Outside);
    let is_unreadable =
        kind == ActionKind::Read && action.paths.iter().any(|path| is_no_text(path));
    // Agents read their own configuration; through our tools a person would be asked as well.
    let is_own_configuration = kind.looks()
        && action
            .paths
            .iter()
            .any(|path| is_protected_place(path, ctx));
    if is_outside || is_unreadable || is_own_configuration {
        return None;
    }
    let relative: Vec<String> = places
        .into_iter()
        .filter_map(|place| match place {
            Place::Inside { relative } => Some(relative),
            Place::Outside | Place::Unknown => None,
        })
        .collect();
    guidance::builtin::guidance(kind, action, &relative, ctx.tool_as_seen)
        .filter(|guidance| ctx.offered.contains(&guidance.tool))
}

/// A picture or document, which a tool for text cannot show.
fn is_no_text(path: &str) -> bool {
    let extension = path
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_ascii_lowercase());
    matches!(
        extension.as_deref(),
        Some("png" | "jpg" | "jpeg" | "gif" | "webp" | "bmp" | "ico" | "tiff" | "pdf")
    )
}

/// A tool that reads is let pass for ordinary files of the project, and judged as any other for the rest.
fn is_pass_tool(kind: ActionKind, action: &Action, ctx: &Context) -> bool {
    let Identity::Builtin(name) = &action.identity else {
        return false;
    };
    let is_ordinary = |path: &String| {
        matches!(place_of(path, ctx), Place::Inside { .. }) && !is_protected_place(path, ctx)
    };
    let reads_on = !action.paths.is_empty() && action.paths.iter().all(is_ordinary);
    ctx.pass_tools.contains(name) && (kind != ActionKind::Read || reads_on)
}

pub(crate) fn analysis(action: &Action, ctx: &Context) -> Option<Analysis> {
    let command = action.command.as_deref()?;
    let cwd = action.run_folder(ctx.cwd);
    Some(analyse(command, &cwd, ctx))
}

pub(crate) fn analyse(command: &str, cwd: &str, ctx: &Context) -> Analysis {
    let tools = found::offered(ctx.offered);
    let input = ShellInput {
        command: command.as_bytes(),
        dialect: ctx.dialect,
        root: ctx.root,
        roots: ctx.roots,
        cwd,
        home: ctx.home,
        tools: Some(&tools),
        protected_places: ctx.protected_places,
    };
    let mut analysis = shell::analyse_following(&input, ctx.links);
    let untold = ctx.untold.iter();
    let untold = untold.map(|path| format!("{path} (it is unknown where its links lead)"));
    analysis.outside.extend(untold);
    analysis
}

/// Where a path lies: as the engine found out, else lexically.
pub(crate) fn place_of(path: &str, ctx: &Context) -> Place {
    ctx.places
        .iter()
        .find(|fact| fact.given == path)
        .map_or_else(|| ctx.locate(path), |fact| fact.place.clone())
}

/// Protected by its place, or by its name where it leads out of the project through a link.
pub(crate) fn is_protected_place(path: &str, ctx: &Context) -> bool {
    let places = ctx.protected_places;
    [ctx.locate(path), place_of(path, ctx)]
        .iter()
        .any(|place| match place {
            Place::Inside { relative } => places.has(below_root(relative, ctx.roots)),
            Place::Outside | Place::Unknown => places.has(path),
        })
}
