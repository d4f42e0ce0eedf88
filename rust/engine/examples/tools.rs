//! What the tool list costs: bytes of each tool as agents get it, and of all, against the budget.

use siderail_engine::tools::definitions::{MOST_BYTES, all};

fn main() {
    let size = |tool| serde_json::to_string(tool).map_or(0, |json| json.len());
    let tools = all();
    for tool in &tools {
        println!("{:>6}  {}", size(tool), tool.name);
    }
    let whole = serde_json::to_string(&tools).map_or(0, |json| json.len());
    println!(
        "{whole:>6}  all {} tools, of {MOST_BYTES} bytes",
        tools.len()
    );
}
