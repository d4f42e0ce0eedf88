//! Lists the files in `profiles`, so that a new agent needs one file there and no line elsewhere, and gathers from them
//! what every session needs, so that a starting program need not read them all.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

fn main() -> Result<(), Box<dyn Error>> {
    let own = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let folder = own.join("profiles");
    println!("cargo::rerun-if-changed=profiles");
    let mut files: Vec<_> = fs::read_dir(&folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files.sort();

    let others = own.join("other_agents.toml");
    println!("cargo::rerun-if-changed=other_agents.toml");
    let mut tables = vec![read(&others)?];
    let mut profiles = String::new();
    for file in files {
        tables.push(read(&file)?);
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        profiles.push_str(&format!("        ({name:?}, include_str!({file:?})),\n"));
    }
    let places = gathered(&tables, &["config_places"]);
    let names = gathered(&tables, &["guard", "tool_name_in_meta"]);
    let all = format!(
        "BuiltIn {{\n    profiles: &[\n{profiles}    ],\n    config_places: &{places:?},\n    \
         tool_name_in_meta: &{names:?},\n}}\n"
    );
    fs::write(out.join("agents.rs"), all)?;
    Ok(())
}

fn read(file: &Path) -> Result<Table, Box<dyn Error>> {
    let table = fs::read_to_string(file)?.parse();
    Ok(table.map_err(|error| format!("{}: {error}", file.display()))?)
}

/// The texts in the lists that have this path in the tables. Another value there is what the profiles' tests find.
fn gathered<'t>(tables: &'t [Table], path: &[&str]) -> Vec<&'t str> {
    let lists = tables.iter().filter_map(|table| {
        let mut names = path.iter();
        let first = table.get(*names.next()?)?;
        names.try_fold(first, |value, name| value.get(name))
    });
    let values = lists.filter_map(Value::as_array).flatten();
    values.filter_map(Value::as_str).collect()
}
