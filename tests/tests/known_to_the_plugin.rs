//! What the plugin knows by name is what the engine has: the agents, tools and settings that its page shows, the words
//! that it compares, and the letters that it does not show as they are. Three Kotlin files, written by these tests.
//!
//! `SIDERAIL_BLESS=1` writes them anew.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;
use siderail_engine::confine::written;
use siderail_engine::escape::picture;
use siderail_engine::guard::guidance::Surroundings;
use siderail_engine::guard::tool::{ActionKind, Needs, Runner, Tool};
use siderail_engine::guard::{Identity, Policy};
use siderail_engine::host::{TidyHow, ToolErrorCode};
use siderail_engine::profile::Profiles;
use siderail_engine::settings::{Key, Scope, Settings};
use siderail_engine::tools::definitions;
use siderail_event::{
    ChangeKind, DeniedBy, ErrorKind, GuidanceChannel, LoginKind, OptionKind, PermissionOptionKind,
    PlanChannel, PlanEntryStatus, PromptOrigin, Receipt, RequestChannel, ResumedBy, SessionOption,
    StopReason,
};
use siderail_view::conversation::{CallStatus, ItemKind, PatchKind, PromptWay, ProposalState};
use siderail_workspace::questions::QuestionKind;

const SETTINGS: &str = "plugin/src/main/kotlin/dev/siderail/settings/Known.kt";
const HEAD: &str = r#"package dev.siderail.settings

import dev.siderail.bridge.Policy
import dev.siderail.bridge.ToolName

/*
 * Written by tests/tests/known_to_the_plugin.rs from the engine's profiles, its tools and its settings; run it with
 * SIDERAIL_BLESS=1 once one of them has changed.
 */

/** An agent whose profile the engine has. */
data class KnownAgent(val id: String, val title: String, val install: String)

/** The agents to choose from. */
object KnownAgents {
    val all = listOf(
"#;
const TOOLS: &str = r#"    )

    fun title(id: String): String = all.find { it.id == id }?.title ?: id
}

/** The tools that can be switched off, in the order of their themes. */
object KnownTools {
"#;
const SETTINGS_SHOWN: &str = r#"    ).map(ToolName::word)

    /** Offered only where the person has switched such tools on. */
    val experimental = ToolName.entries.filter { it.isExperimental }.map(ToolName::word).toSet()
}

/** A setting by its name in files, and what its declaration says of it. */
sealed interface KnownSetting {
    val name: String
    val about: String
}

/** One that is on or off: what it is where nobody has chosen. */
data class KnownSwitch(override val name: String, val usual: Boolean, override val about: String) : KnownSetting

/** One that is a number: what it is where nobody has chosen, and what can be chosen. */
data class KnownNumber(override val name: String, val usual: Int, val range: IntRange, override val about: String) : KnownSetting

/** The engine's settings: two that have places of their own on the page, and those that have a row each. */
object KnownSettings {
"#;

const WORDS: &str = "plugin/src/main/kotlin/dev/siderail/bridge/EngineWords.kt";
const WORDS_HEAD: &str = r#"package dev.siderail.bridge

/*
 * Written by tests/tests/known_to_the_plugin.rs from the types of the engine that cross the boundary; run it with
 * SIDERAIL_BLESS=1 once their words have changed.
 */

/** A word of a closed list of the engine's. */
interface EngineWord {
    val word: String
}

/** The members of such a list by their words. */
open class Words<T : EngineWord>(all: List<T>) {
    private val byWord = all.associateBy { it.word }

    /** Null for a word of a later engine. */
    fun of(word: String): T? = byWord[word]
}
"#;

const TOOL_NAMES: &str = r#"
/**
 * One of the engine's own tools. A text names it by its constant.
 *
 * @property isGit whether it is one of those over git
 * @property isCommand whether it is given a command line
 * @property isOfIde whether the IDE performs it
 * @property isExperimental the same, and only where the person has switched such tools on
 */
enum class ToolName(
    override val word: String,
    val isGit: Boolean = false,
    val isCommand: Boolean = false,
    val isOfIde: Boolean = false,
    val isExperimental: Boolean = false,
) : EngineWord {
"#;
const NAMELESS: &str = r#"    ;

    override fun toString() = word

    companion object : Words<ToolName>(ToolName.entries)
}

/** What is shown in place of a tool's name where only the kind of a call is known, or nothing. */
object NamelessTools {
    val labels = setOf(
"#;

const BUNDLE: &str = "plugin/src/main/resources/messages/SiderailBundle.properties";

const LETTERS: &str = "plugin/src/main/kotlin/dev/siderail/ui/Letters.kt";
const LETTERS_HEAD: &str = r#"package dev.siderail.ui

/*
 * Written by tests/tests/known_to_the_plugin.rs from the rules by which the engine shows texts and writes names; run it
 * with SIDERAIL_BLESS=1 once they have changed.
 */

/** Characters that are not shown or written as they are, apart from line ends and tabs in texts. */
object Letters {
"#;

#[test]
fn the_plugin_knows_the_engines_agents_and_tools() {
    check(SETTINGS, &agents_and_tools());
}

#[test]
fn the_plugin_knows_the_engines_words() {
    check(WORDS, &engine_words());
}

#[test]
fn the_plugin_knows_the_letters_that_are_written_out() {
    check(LETTERS, &letters());
}

/// Words that are looked up among the plugin's texts, and shown as they are where a later engine has others.
#[test]
fn the_plugin_has_a_text_for_each_word_that_it_shows() {
    let bundle = std::fs::read_to_string(in_repository(BUNDLE)).expect("the plugin's texts");
    let keys: HashSet<&str> = bundle
        .lines()
        .filter_map(|line| Some(line.split_once('=')?.0))
        .collect();
    let shown = [
        ("policy", owned(&Policy::NAMES)),
        ("settings.policy", owned(&Policy::NAMES)),
        (
            "channel",
            all(GuidanceChannel::ALL, GuidanceChannel::as_str),
        ),
        ("channel", all(RequestChannel::ALL, RequestChannel::as_str)),
        ("receipt", all(Receipt::ALL, Receipt::as_str)),
        ("permission.kind", owned(PermissionOptionKind::WORDS)),
        ("changes.kind", all(ChangeKind::ALL, ChangeKind::as_str)),
        ("past.end", all(ResumedBy::ALL, ResumedBy::as_str)),
    ];
    let shown = shown
        .iter()
        .flat_map(|(key, words)| words.iter().map(move |word| format!("{key}.{word}")));
    let missing: Vec<String> = shown.filter(|key| !keys.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "{BUNDLE} has no {missing:?}");
}

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn check(path: &str, made: &str) {
    let file = in_repository(path);
    if std::env::var_os("SIDERAIL_BLESS").is_some() {
        std::fs::write(&file, made).expect("it can be written");
    }
    let kept = std::fs::read_to_string(&file).expect("the plugin's file");
    let differs = made.lines().zip(kept.lines()).find(|(a, b)| a != b);
    assert!(
        made == kept,
        "SIDERAIL_BLESS=1 writes {path} anew; first difference: {differs:?}"
    );
}

fn engine_words() -> String {
    let lists = [
        ("EventName", "What happened", event_names()),
        ("Policy", "A session's policy", owned(&Policy::NAMES)),
        (
            "StopReason",
            "Why a turn or a session ended",
            owned(StopReason::WORDS),
        ),
        (
            "PromptOrigin",
            "Who wrote a prompt",
            all(PromptOrigin::ALL, PromptOrigin::as_str),
        ),
        (
            "PlanChannel",
            "How a plan was proposed",
            all(PlanChannel::ALL, PlanChannel::as_str),
        ),
        (
            "PlanEntryStatus",
            "How far a step of a plan is",
            owned(PlanEntryStatus::WORDS),
        ),
        (
            "ActionKind",
            "What an action does",
            all(&ActionKind::ALL, ActionKind::as_str),
        ),
        (
            "DeniedBy",
            "Who denied a call",
            all(DeniedBy::ALL, DeniedBy::as_str),
        ),
        (
            "Receipt",
            "What is known of guidance on its way",
            all(Receipt::ALL, Receipt::as_str),
        ),
        (
            "PermissionOptionKind",
            "What an agent's option grants or refuses",
            owned(PermissionOptionKind::WORDS),
        ),
        (
            "ChangeKind",
            "What became of a file",
            all(ChangeKind::ALL, ChangeKind::as_str),
        ),
        (
            "LoginKind",
            "Who carries a login out",
            all(LoginKind::ALL, LoginKind::as_str),
        ),
        (
            "OptionKind",
            "What an option of a session takes",
            all(OptionKind::ALL, OptionKind::as_str),
        ),
        (
            "OptionCategory",
            "What an option of a session is about, as far as anything here depends on it",
            owned(&[SessionOption::MODEL]),
        ),
        (
            "ErrorKind",
            "What an error is about",
            all(ErrorKind::ALL, ErrorKind::as_str),
        ),
        (
            "PatchKind",
            "How what is shown of a conversation changes",
            all(PatchKind::ALL, PatchKind::as_str),
        ),
        (
            "ItemKind",
            "What an item of a conversation is",
            all(ItemKind::ALL, ItemKind::as_str),
        ),
        (
            "PromptWay",
            "How a prompt came to the model",
            all(PromptWay::ALL, PromptWay::as_str),
        ),
        (
            "CallStatus",
            "How far a call is",
            all(CallStatus::ALL, CallStatus::as_str),
        ),
        (
            "ProposalState",
            "What became of a proposed plan",
            all(ProposalState::ALL, ProposalState::as_str),
        ),
        ("HostRequest", "What the engine wants done here", requests()),
        (
            "TidyHow",
            "What decides how a text is tidied",
            variants::<TidyHow>(),
        ),
        (
            "QuestionKind",
            "What kind of answer a question wants",
            variants::<QuestionKind>(),
        ),
        (
            "ToolErrorCode",
            "What an expected failure of a tool is",
            variants::<ToolErrorCode>(),
        ),
    ];
    let mut text = WORDS_HEAD.to_owned();
    for (name, about, words) in &lists {
        let _ = writeln!(
            text,
            "\n/** {about}. */\nenum class {name}(override val word: String) : EngineWord {{"
        );
        for word in words {
            let _ = writeln!(text, "    {}({}),", word.to_uppercase(), quoted(word));
        }
        let _ = writeln!(
            text,
            "    ;\n\n    companion object : Words<{name}>({name}.entries)\n}}"
        );
    }
    tools(&mut text);
    text
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Those that share a word are one.
fn all<T: Copy>(members: &[T], word: fn(T) -> &'static str) -> Vec<String> {
    let mut words: Vec<_> = members.iter().copied().map(word).collect();
    words.dedup();
    owned(&words)
}

/// All that a host is asked to do: each request has its file, which `rust/jni/tests/boundary.rs` writes.
fn requests() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("boundary");
    let files = std::fs::read_dir(folder).expect("the folder");
    let name = |file: std::io::Result<std::fs::DirEntry>| {
        let name = file.expect("an entry").file_name();
        let name = name.to_str()?.strip_prefix("call.")?;
        Some(name.strip_suffix(".json")?.to_owned())
    };
    let mut names: Vec<String> = files.filter_map(name).collect();
    names.sort();
    names
}

/// The words by which an enum's variants are read: serde names them all where a word is none of them.
fn variants<T: DeserializeOwned>() -> Vec<String> {
    let read = serde_json::from_value::<T>(Value::from(""));
    let why = read.err().expect("no variant has this word").to_string();
    let (_, words) = why.split_once("expected ").unwrap_or_default();
    let words: Vec<&str> = words.split('`').skip(1).step_by(2).collect();
    assert!(words.len() > 1, "{why}");
    owned(&words)
}

/// The names of all events, in the order of the enum.
fn event_names() -> Vec<String> {
    let schema = schemars::schema_for!(siderail_event::EventBody).to_value();
    let events = schema["oneOf"].as_array().expect("a list of events");
    let name = |event: &Value| {
        let name = event["properties"]["event"]["const"].as_str();
        name.expect("an event's name").to_owned()
    };
    events.iter().map(name).collect()
}

fn letters() -> String {
    let is_picture =
        |letter, is_code| !matches!(letter, '\n' | '\t') && picture(letter, is_code).is_some();
    let is_quoted = |letter| written(Path::new(&format!("a{letter}"))).starts_with('"');
    let mut text = LETTERS_HEAD.to_owned();
    let mut put = |about: &str, name: &str, is_one: &dyn Fn(char) -> bool| {
        let _ = writeln!(text, "    /** {about}. */\n    val {name} = listOf(");
        for (first, last) in ranges(is_one) {
            let _ = writeln!(text, "        {first:#x}..{last:#x},");
        }
        let _ = writeln!(text, "    )\n");
    };
    put("A screen obeys them or shows nothing", "unseen", &|c| {
        is_picture(c, false)
    });
    put(
        "The same of code, of which nothing may be left out",
        "unseenInCode",
        &|c| is_picture(c, true),
    );
    put("A name that has one is quoted", "quoted", &is_quoted);
    text.trim_end().to_owned() + "\n}\n"
}

/// Where a rule holds, from the first to the last of each range.
fn ranges(holds: &dyn Fn(char) -> bool) -> Vec<(u32, u32)> {
    let mut all: Vec<(u32, u32)> = Vec::new();
    for letter in ('\0'..=char::MAX)
        .filter(|letter| holds(*letter))
        .map(u32::from)
    {
        match all.last_mut() {
            Some((_, last)) if *last + 1 == letter => *last = letter,
            _ => all.push((letter, letter)),
        }
    }
    all
}

fn agents_and_tools() -> String {
    let mut text = HEAD.to_owned();
    let profiles = Profiles::load(&[] as &[PathBuf]);
    assert!(profiles.problems().is_empty(), "{:?}", profiles.problems());
    let mut agents: Vec<_> = profiles.iter().collect();
    agents.sort_by_key(|agent| agent.title.to_lowercase());
    for agent in agents {
        let words = [&agent.name, &agent.title, &agent.install].map(|word| quoted(word));
        let _ = writeln!(text, "        KnownAgent({}),", words.join(", "));
    }
    text.push_str(TOOLS);
    let offered = definitions(Tool::ALL, Surroundings::Ide);
    let tools = offered.iter().map(|offered| Tool::named(&offered.name));
    let tools: Vec<Tool> = tools.collect::<Option<_>>().expect("tools of the table");
    let at_once = definitions::AT_ONCE;
    let _ = writeln!(text, "    /** The most that agents are offered at once. */");
    let _ = writeln!(
        text,
        "    const val AT_ONCE = {at_once}\n\n    val all = listOf("
    );
    for tool in tools {
        let _ = writeln!(text, "        ToolName.{},", constant(tool));
    }
    text.push_str(SETTINGS_SHOWN);
    settings(&mut text);
    text + "}\n"
}

/// Those that the page shows.
fn settings(text: &mut String) {
    let policy = Settings::default().policy.as_str().to_uppercase();
    let dangerous = setting(Key::YoloDangerous);
    let _ = writeln!(text, "    val policy = Policy.{policy}");
    let _ = writeln!(text, "    val yoloDangerous = {dangerous}");
    let shown = Key::ALL.iter().copied().filter(|key| key.is_in_ide());
    let (numbers, switches): (Vec<_>, Vec<_>) = shown.partition(|key| key.numbers().is_some());
    for (name, keys) in [("switches", switches), ("numbers", numbers)] {
        let _ = writeln!(text, "\n    val {name} = listOf(");
        for key in keys {
            let _ = writeln!(text, "        {},", setting(key));
        }
        let _ = writeln!(text, "    )");
    }
}

/// A switch or a number, as the plugin has it. It gives them for each session, which the engine takes of no other scope.
fn setting(key: Key) -> String {
    assert_eq!(key.scope(), Scope::Session, "the IDE cannot give `{key}`");
    let (name, about) = (quoted(key.name()), quoted(key.about()));
    let usual = Settings::default().json(key);
    match (&usual, key.numbers()) {
        (Value::Number(_), Some(range)) => {
            let (first, last) = (range.start(), range.end());
            format!("KnownNumber({name}, {usual}, {first}..{last}, {about})")
        }
        (Value::Bool(_), None) => format!("KnownSwitch({name}, {usual}, {about})"),
        _ => panic!("the IDE's page has no row for what `{key}` is: {usual}"),
    }
}

/// The table of our own tools, and the labels by which a call names none.
fn tools(text: &mut String) {
    text.push_str(TOOL_NAMES);
    for tool in Tool::all() {
        let facts = [
            (tool.is_git(), "isGit"),
            (tool.needs() == Needs::Command, "isCommand"),
            (
                matches!(tool.runner(), Runner::Host | Runner::HostOnTrial),
                "isOfIde",
            ),
            (tool.runner() == Runner::HostOnTrial, "isExperimental"),
        ];
        let facts = facts.iter().filter(|(holds, _)| *holds);
        let facts: String = facts.map(|(_, name)| format!(", {name} = true")).collect();
        let (constant, name) = (constant(tool), quoted(tool.name()));
        let _ = writeln!(text, "    {constant}({name}{facts}),");
    }
    text.push_str(NAMELESS);
    let labels: BTreeSet<&str> = Identity::nameless().collect();
    for label in labels {
        let _ = writeln!(text, "        {},", quoted(label));
    }
    text.push_str("    )\n}\n");
}

/// A tool's name in the table as Kotlin writes constants: `GitStatus` is `GIT_STATUS`.
fn constant(tool: Tool) -> String {
    let mut constant = String::new();
    for letter in format!("{tool:?}").chars() {
        if letter.is_uppercase() && !constant.is_empty() {
            constant.push('_');
        }
        constant.push(letter.to_ascii_uppercase());
    }
    constant
}

/// As Kotlin writes a text.
fn quoted(text: &str) -> String {
    format!("{text:?}").replace('$', "\\$")
}
