//! Times a file tool: `timed FOLDER ROUNDS TOOL ARGUMENTS`. Prints the answer's first line, then the milliseconds of
//! each round, one per line. For comparing with other programs; see `cargo xtask peers`.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::questions::NobodyToAsk;
use siderail_workspace::tools::{FileTools, Tool};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, rounds, tool, arguments] = arguments.as_slice() else {
        return Err("usage: timed FOLDER ROUNDS TOOL ARGUMENTS".into());
    };
    let tool = Tool::named(tool).ok_or_else(|| format!("{tool} is not one of our tools"))?;
    let arguments = serde_json::from_str(arguments)?;
    let tools = FileTools::new(Arc::new(NobodyToAsk));
    let folder = Path::new(folder);
    for round in 0..rounds.parse::<usize>()? {
        let started = Instant::now();
        let outcome = tools
            .run(folder, tool, &arguments, &CancelFlag::new(), &|_| {})
            .map_err(|failure| failure.to_string())?;
        let took = started.elapsed();
        if round == 0 {
            println!("{}", outcome.text.lines().next().unwrap_or_default());
        }
        println!("{:.3}", took.as_secs_f64() * 1_000.0);
    }
    Ok(())
}
