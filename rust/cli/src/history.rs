//! `siderail history`: the conversations that the engine has kept of a project, for people and programs.
//!
//! Reads, searches, exports and removes; what is kept and how is the engine's.

use std::path::Path;

use serde_json::json;
use siderail_engine::history::{Archive, Conversation, LeftOut, Listed, date, markdown};
use siderail_engine::{AgentSessions, SessionsWish};

use crate::agent_sessions;
use crate::args::{HistoryCommand, LaunchArgs, LoginArgs};
use crate::exit::{Exit, Failure};
use crate::render::Renderer;
use crate::run::options::project;
use crate::run::resume_choice::ago;
use crate::setup::Setup;
use crate::style::{Style, Tone, counted, harmless, one_line};
use crate::terminal::print_error;
use crate::terminal::{print, print_rows};

/// Blanks ahead of a continued row of a list.
const HANG: usize = 15;
/// Characters of a line.
const LINE: usize = 200;
/// Characters of a file's path.
const FILE: usize = 400;

/// Runs the command.
pub(crate) fn run(command: &HistoryCommand, setup: &Setup) -> Result<Exit, Failure> {
    let style = setup.manners.out;
    match command {
        HistoryCommand::List(args) if args.agent.is_some() => {
            let told = of_agent(
                (args.agent.as_ref(), args.agent_command.as_ref()),
                args.project.as_deref(),
                SessionsWish::List,
                setup,
            )?;
            list_of_agent(&told, args.json, style)
        }
        HistoryCommand::Remove(args) if args.agent.is_some() => {
            of_agent(
                (args.agent.as_ref(), args.agent_command.as_ref()),
                args.project.as_deref(),
                SessionsWish::Delete(args.which.clone()),
                setup,
            )?;
            print(&format!("{} was removed\n", one_line(&args.which, LINE)))
        }
        HistoryCommand::List(args) if args.all => {
            let archives = Archive::of_all_projects(&setup.state_folder()?).map_err(unreadable)?;
            let mut all = Vec::new();
            for archive in archives {
                let (listed, left_out) = archive.list_known().map_err(unreadable)?;
                tell_left_out(&left_out);
                all.extend(listed);
            }
            all.sort_by_key(|one| std::cmp::Reverse(one.changed));
            list(&all, Numbers::None, args.json, style)
        }
        HistoryCommand::List(args) => {
            let archive = archive(args.project.as_deref(), setup)?;
            let (all, left_out) = archive.list_known().map_err(unreadable)?;
            tell_left_out(&left_out);
            list(&all, Numbers::OfProject, args.json, style)
        }
        HistoryCommand::Show(args) => {
            let archive = archive(args.project.as_deref(), setup)?;
            let conversation = archive.read(&args.which).map_err(no_such)?;
            tell_damage(&conversation);
            match args.json {
                true => print(&json_lines(&conversation)),
                false => print_rows(&shown(&conversation, style), 0),
            }
        }
        HistoryCommand::Search(args) => {
            let archive = archive(args.project.as_deref(), setup)?;
            let text = args.text.join(" ");
            if text.trim().is_empty() {
                let hint = "give the text in quotes";
                return Err(Failure::usage("the text to find is empty", hint));
            }
            let found = archive.search(&text).map_err(unreadable)?;
            let mut out = String::new();
            for place in &found {
                out += &match args.json {
                    true => format!(
                        "{}\n",
                        json!({"id": place.id, "at": place.at, "turn": place.turn, "text": place.text})
                    ),
                    false => {
                        let id = style.paint(Tone::Place, &place.id);
                        format!(
                            "{id}  {}  {}\n",
                            date(place.at),
                            one_line(&place.text, LINE)
                        )
                    }
                };
            }
            if found.is_empty() {
                print_error("nothing found\n");
            }
            match args.json {
                true => print(&out),
                false => print_rows(&out, HANG),
            }
        }
        HistoryCommand::Export(args) => {
            let archive = archive(args.project.as_deref(), setup)?;
            let conversation = archive.read(&args.which).map_err(no_such)?;
            tell_damage(&conversation);
            print(&harmless(&markdown(&conversation, date)))
        }
        HistoryCommand::Remove(args) => {
            let archive = archive(args.project.as_deref(), setup)?;
            let gone = archive.remove(&args.which).map_err(not_removed)?;
            print(&format!("{} was removed\n", gone))
        }
    }
}

fn archive(folder: Option<&Path>, setup: &Setup) -> Result<Archive, Failure> {
    let project = project(folder, &setup.cwd)?;
    Ok(Archive::of_project(&setup.state_folder()?, &project))
}

/// Asks an agent about its own sessions; named by profile and, where given, its command.
fn of_agent(
    (agent, command): (Option<&String>, Option<&String>),
    project: Option<&Path>,
    wish: SessionsWish,
    setup: &Setup,
) -> Result<AgentSessions, Failure> {
    let args = LoginArgs {
        agent: agent.cloned().unwrap_or_default(),
        method: None,
        agent_command: command.cloned(),
        launch: LaunchArgs::default(),
    };
    agent_sessions::agent_sessions(&args, project, wish, setup)
}

fn list_of_agent(all: &AgentSessions, as_json: bool, style: Style) -> Result<Exit, Failure> {
    let mut out = String::new();
    for one in &all.found {
        if as_json {
            let line = json!({"id": one.id, "cwd": one.cwd, "title": one.title, "updated_at": one.updated_at});
            out += &format!("{line}\n");
            continue;
        }
        let id = style.paint(Tone::Place, &one_line(&one.id, LINE));
        let title = one_line(one.title.as_deref().unwrap_or_default(), LINE);
        let when = one_line(one.updated_at.as_deref().unwrap_or_default(), LINE);
        out += format!("{id}  {when}  {title}").trim_end();
        out.push('\n');
    }
    if all.has_more {
        print_error("the agent has more sessions than these; the list stops here\n");
    }
    if all.found.is_empty() {
        print_error("the agent remembers no session of this project\n");
    }
    match as_json {
        true => print(&out),
        false => print_rows(&out, HANG),
    }
}

fn unreadable(error: std::io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("the history cannot be read: {error}"))
}

fn no_such(error: std::io::Error) -> Failure {
    Failure::usage(
        error.to_string(),
        "`siderail history list` lists the saved conversations",
    )
}

fn not_removed(error: std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::ResourceBusy => {
            let hint = "end that run first, then remove the conversation";
            Failure::new(Exit::Failed, error.to_string()).hint(hint)
        }
        _ => no_such(error),
    }
}

/// What the numbers of a list mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// A conversation of the project, for other commands.
    OfProject,
    /// Nothing: the list is of all projects.
    None,
}

fn list(all: &[Listed], numbers: Numbers, as_json: bool, style: Style) -> Result<Exit, Failure> {
    let mut out = String::new();
    for (at, one) in all.iter().enumerate() {
        let head = &one.head;
        if as_json {
            let mut line = json!({"id": head.id, "project": head.project, "agent": head.agent,
                "agent_session": head.agent_session, "began": one.began, "changed": one.changed,
                "prompts": one.prompts, "title": one.title});
            if numbers == Numbers::OfProject {
                line["number"] = (at + 1).into();
            }
            out += &format!("{line}\n");
            continue;
        }
        let id = style.paint(Tone::Place, &head.id);
        let prompts = counted(one.prompts as u64, "prompt", "prompts");
        let about = style.paint(
            Tone::Dim,
            &format!("{}, {prompts}", one_line(&head.agent, LINE)),
        );
        let place = match numbers {
            Numbers::OfProject => format!("{:>3}  ", at + 1),
            Numbers::None => String::new(),
        };
        let project = match numbers {
            Numbers::OfProject => String::new(),
            Numbers::None => format!("  {}", one_line(&head.project, LINE)),
        };
        out += &format!(
            "{place}{id}  {}  {}  {about}{project}\n",
            ago(one.changed),
            one_line(&one.title, LINE)
        );
    }
    if all.is_empty() {
        print_error(match numbers {
            Numbers::OfProject => "no conversations are saved for this project\n",
            Numbers::None => "no conversations are saved\n",
        });
    }
    match as_json {
        true => print(&out),
        false => print_rows(&out, HANG),
    }
}

fn json_lines(conversation: &Conversation) -> String {
    let lines = conversation.entries.iter();
    let lines = lines.filter_map(|entry| serde_json::to_string(entry).ok());
    lines.map(|line| line + "\n").collect()
}

/// A conversation as it was seen.
fn shown(conversation: &Conversation, style: Style) -> String {
    let listed = &conversation.listed;
    let folder = Path::new(&listed.head.project);
    let mut renderer = Renderer::new(style).in_project(folder).talking();
    let head = format!(
        "{} with {}",
        date(listed.began),
        one_line(&listed.head.agent, LINE)
    );
    let mut out = format!("{}\n", style.paint(Tone::Dim, &head));
    for entry in &conversation.entries {
        out += &renderer.past_event(&entry.body);
    }
    out += &renderer.close_line();
    out
}

fn tell_left_out(left_out: &[LeftOut]) {
    for one in left_out {
        let file = one_line(&one.file.to_string_lossy(), FILE);
        let (why, id) = (one_line(&one.why, LINE), one_line(&one.id, LINE));
        print_error(&format!(
            "left out: {file}: {why} (`siderail history remove {id}` removes it)\n"
        ));
    }
}

fn tell_damage(conversation: &Conversation) {
    if conversation.damaged > 0 {
        let lines = counted(
            conversation.damaged as u64,
            "damaged line is",
            "damaged lines are",
        );
        print_error(&format!("{lines} left out\n"));
    }
}
