//! Siderail beside what others would use instead, on this machine, in one run.
//!
//! `siderail-peers --programs FOLDER [--typescript FOLDER] [--rounds N] [--only WORD]`, or `siderail-peers make-sources
//! FOLDER N ENDING` for a project of N files to measure with something else. The programs are
//! `siderail` and `siderail-relay`, built for release; `cargo xtask peers` builds and calls all of it. Peers
//! take turns round by round, so that whatever else the machine does hits all of them; a figure is the median
//! of the rounds, with the least and the most beside it. Nothing here is compared with a number from another
//! day: what cannot be run is said to be left out.

mod acp;
mod figures;
mod files;
mod machine;
mod mcp;
mod relay;
mod session;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use figures::Report;

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What the command line says.
struct Orders {
    programs: PathBuf,
    typescript: Option<PathBuf>,
    rounds: usize,
    only: Option<String>,
}

impl Orders {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut orders = Self {
            programs: PathBuf::new(),
            typescript: None,
            rounds: 5,
            only: None,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--programs" => orders.programs = value()?.into(),
                "--typescript" => orders.typescript = Some(value()?.into()),
                "--rounds" => orders.rounds = value()?.parse().map_err(|_| "not a number")?,
                "--only" => orders.only = Some(value()?),
                _ => return Err(format!("unknown word {word}")),
            }
        }
        if !orders.programs.join("siderail").exists() {
            return Err("--programs names no folder with `siderail` in it".into());
        }
        Ok(orders)
    }

    fn wants(&self, part: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == part)
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let outcome = match words.next().as_deref() {
        // The servers that are measured are processes of this program.
        Some("serve-ours") => mcp::ours::serve(&words.next().unwrap_or_default()),
        Some("make-sources") => files::make_for(&words.collect::<Vec<_>>()),
        Some("serve-rmcp") => mcp::rmcp::serve(words.next().as_deref()),
        first => {
            let words = first.map(str::to_owned).into_iter().chain(words);
            Orders::parse(words)
                .map_err(Failure::from)
                .and_then(|orders| run(&orders))
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("siderail-peers: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(orders: &Orders) -> Result<(), Failure> {
    println!("{}", machine::describe(orders.typescript.as_deref()));
    let mut report = Report::default();
    if orders.wants("acp") {
        acp::measure(orders.rounds, &mut report)?;
    }
    if orders.wants("mcp") {
        mcp::measure(orders, &mut report)?;
    }
    if orders.wants("relay") {
        relay::measure(orders, &mut report)?;
    }
    if orders.wants("files") {
        files::measure(orders.rounds, &mut report)?;
    }
    if orders.wants("session") {
        session::measure(orders, &mut report)?;
    }
    report.close();
    Ok(())
}

/// A program among those that were built.
fn program(folder: &Path, name: &str) -> Result<PathBuf, Failure> {
    // Programs are started in other folders.
    Ok(folder.join(name).canonicalize()?)
}
