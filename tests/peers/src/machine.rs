//! What was measured on, and which versions: figures mean nothing without.

use std::fs;
use std::path::Path;

const LOCK: &str = include_str!("../Cargo.lock");

/// Kind of machine and versions, without anything that names it.
pub(crate) fn describe(typescript: Option<&Path>) -> String {
    let n_cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let gigabytes = field(&memory, "MemTotal:").map_or(0, |kilobytes| kilobytes / 1_000_000);
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let mut text = format!(
        "machine: {n_cores} cores ({}), {gigabytes} GB of memory, {}\n",
        model.map_or("unknown", |(_, model)| model),
        std::env::consts::OS,
    );
    for name in ["agent-client-protocol", "rmcp", "tokio", "serde_json"] {
        text.push_str(&format!("{name} {}, ", locked(name)));
    }
    match typescript.and_then(typescript_version) {
        Some(version) => text.push_str(&format!("TypeScript server SDK {version}")),
        None => text.push_str("the TypeScript SDK is left out: it needs Node and npm"),
    }
    text
}

/// The version of a package in our lock file.
pub(crate) fn locked(name: &str) -> &'static str {
    let mut lines = LOCK.lines();
    let wanted = format!("name = \"{name}\"");
    lines.find(|line| **line == wanted);
    let version = lines
        .next()
        .and_then(|line| line.strip_prefix("version = "));
    version.unwrap_or("?").trim_matches('"')
}

fn typescript_version(folder: &Path) -> Option<String> {
    let file = folder.join("node_modules/@modelcontextprotocol/server/package.json");
    let package: serde_json::Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    package["version"].as_str().map(str::to_owned)
}

/// A process's memory in kilobytes: what it uses now, and the most that it used.
pub(crate) fn memory(pid: u32) -> Option<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    Some((field(&status, "VmRSS:")?, field(&status, "VmHWM:")?))
}

/// The processor time of all threads that a process has, in nanoseconds.
pub(crate) fn processor_time(pid: u32) -> Option<f64> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let times = threads.flatten().map(|thread| {
        let times = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        times.split_whitespace().next()?.parse::<f64>().ok()
    });
    times.sum()
}

fn field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}
