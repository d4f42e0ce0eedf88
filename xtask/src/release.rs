//! `cargo xtask release [--sign]`: everything that is released, made in one go on one Linux machine.
//!
//! The plugin with the natives of five machines, the command line for each of them, a list of what they are made of and
//! a sum of every file, in `dist/release`. That folder appears when all of it is made and judged; missing tools are
//! reported before anything is built.

use std::fs;
use std::path::{Path, PathBuf};

use crate::maven;
use crate::natives::{self, Target};
use crate::repack::repack;
use crate::step::Step;

mod materials;
mod signing;

pub(crate) use signing::Signing;

/// Bytes that the plugin may have: it is one download for all machines. docs/performance.md says what they are.
const MOST_BYTES: u64 = 22_000_000;
const PROGRAMS: [&str; 2] = ["siderail-relay", "siderail-cli"];
/// What goes beside the command line into its archive.
const BESIDE: [&str; 2] = ["LICENSE", "README.md"];

/// Makes `dist/release`.
pub(crate) fn run(root: &Path, signing: Signing) -> Result<(), String> {
    let missing = missing(root, signing);
    if !missing.is_empty() {
        let missing = missing.join("\n  ");
        return Err(format!(
            "a release needs\n  {missing}\nnothing was built; docs/install.md says more"
        ));
    }
    let (done, partial) = (root.join("dist/release"), root.join("dist/.release"));
    for folder in [&done, &partial] {
        remove(folder)?;
    }
    fs::create_dir_all(&partial).map_err(told(&partial))?;
    let mut made = Vec::new();
    for target in natives::ALL {
        println!("\n== {}", target.name);
        natives::build_for(root, target, &PROGRAMS)?;
        signing.program(root, target, &natives::placed(root, target))?;
        made.push(command_line(root, target, &partial, signing)?);
    }
    println!("\n== the plugin");
    made.push(plugin(root, &partial, signing)?);
    let materials = format!("siderail-{}.cdx.json", version());
    fs::write(partial.join(&materials), materials::list(root)?)
        .map_err(told(&partial.join(&materials)))?;
    made.push(materials);
    write_sums(&partial, &made)?;
    fs::rename(&partial, &done).map_err(told(&done))?;
    println!("\n== made in {}", done.display());
    for name in &made {
        println!("{:>9} bytes  {name}", size(&done.join(name))?);
    }
    Ok(())
}

fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// What has to be installed first, each once.
fn missing(root: &Path, signing: Signing) -> Vec<String> {
    let mut missing: Vec<String> = natives::ALL.into_iter().flat_map(Target::missing).collect();
    missing.extend(maven::find(root).err());
    for (program, package) in [
        ("tar", "tar"),
        ("gzip", "gzip"),
        ("jar", "a JDK from 17 on"),
    ] {
        if !Step::is_there(program, &["--version"]) {
            missing.push(format!("`{program}`: {package}"));
        }
    }
    missing.extend(signing.missing(root));
    let mut once = Vec::new();
    for line in missing {
        if !once.contains(&line) {
            once.push(line);
        }
    }
    once
}

/// The archive of the command line for a machine: its name. The same files make the same archive.
fn command_line(
    root: &Path,
    target: Target,
    folder: &Path,
    signing: Signing,
) -> Result<String, String> {
    let name = format!("siderail-{}-{}", version(), target.name);
    let inside = folder.join(&name);
    fs::create_dir(&inside).map_err(told(&inside))?;
    let program = target.program_of("siderail-cli");
    let built = natives::built(root, target).join(&program);
    fs::copy(&built, inside.join(&program)).map_err(told(&built))?;
    for file in BESIDE {
        fs::copy(root.join(file), inside.join(file)).map_err(told(&root.join(file)))?;
    }
    signing.program(root, target, &inside)?;
    let archive = match target.is_windows() {
        true => format!("{name}.zip"),
        false => format!("{name}.tar.gz"),
    };
    let pack = match target.is_windows() {
        true => "jar --create --no-manifest --date=2000-01-01T00:00:00Z --file",
        false => "tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime=@946684800",
    };
    let packer = match target.is_windows() {
        true => Step::new(folder, pack),
        false => Step::new(folder, pack).args(["--use-compress-program=gzip -9n", "--file"]),
    };
    packer.args([&*archive, &name]).run()?;
    remove(&inside)?;
    Ok(archive)
}

/// The plugin with the natives of all machines, judged as the marketplace judges it, and within its limit.
fn plugin(root: &Path, folder: &Path, signing: Signing) -> Result<String, String> {
    maven::release(root, folder)?;
    let name = format!("siderail-{}.zip", version());
    let archive = folder.join(&name);
    let listing = Step::new(folder, "jar --list --file")
        .paths([&archive])
        .output()?;
    let listing = String::from_utf8_lossy(&listing);
    for target in natives::ALL {
        for file in [target.library(), &target.program_of("siderail-relay")] {
            let entry = format!("siderail/native/{}/{file}", target.name);
            if !listing.lines().any(|line| line == entry) {
                return Err(format!("{name} has no {entry}"));
            }
        }
    }
    repack(&archive)?;
    signing.plugin(root, &archive)?;
    match size(&archive)? {
        size if size > MOST_BYTES => Err(format!(
            "{name} has {size} bytes, more than {MOST_BYTES}: see what has grown before the limit does"
        )),
        _ => Ok(name),
    }
}

/// `SHA256SUMS`, as `sha256sum --check` reads it.
fn write_sums(folder: &Path, names: &[String]) -> Result<(), String> {
    let mut text = String::new();
    for name in names {
        let bytes = fs::read(folder.join(name)).map_err(told(&folder.join(name)))?;
        text.push_str(&format!("{}  {name}\n", materials::sum(&bytes)));
    }
    let sums = folder.join("SHA256SUMS");
    fs::write(&sums, text).map_err(told(&sums))
}

fn size(file: &Path) -> Result<u64, String> {
    Ok(fs::metadata(file).map_err(told(file))?.len())
}

fn remove(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(told(folder)(error)),
        _ => Ok(()),
    }
}

fn told(path: &Path) -> impl Fn(std::io::Error) -> String {
    let path: PathBuf = path.to_owned();
    move |error| format!("{}: {error}", path.display())
}
