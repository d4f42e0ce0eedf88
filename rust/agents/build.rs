//! Lists the files in `profiles`, so that a new agent needs one file there and no line elsewhere.

use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("profiles");
    println!("cargo::rerun-if-changed=profiles");
    let mut files: Vec<_> = fs::read_dir(&folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files.sort();
    let mut list = String::from("[\n");
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        list.push_str(&format!("    ({name:?}, include_str!({file:?})),\n"));
    }
    list.push_str("]\n");
    fs::write(
        Path::new(&std::env::var("OUT_DIR")?).join("agents.rs"),
        list,
    )?;
    Ok(())
}
