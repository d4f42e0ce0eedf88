//! What cargo knows of the workspace, as plain data.

use std::path::Path;

use serde_json::Value;

use crate::step::Step;

/// The packages of the workspace.
pub(crate) struct Workspace {
    pub(crate) packages: Vec<Package>,
}

/// A package of the workspace.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Relative to the workspace, with `/`.
    pub(crate) folder: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A direct dependency of a package.
#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// False for those of tests and build scripts.
    pub(crate) normal: bool,
    /// True for packages of this workspace.
    pub(crate) ours: bool,
}

/// A package that is built into something here, ours or not.
pub(crate) struct Licensed {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: Option<String>,
}

impl Workspace {
    /// Asks cargo; needs no network.
    pub(crate) fn load(root: &Path) -> Result<Self, String> {
        let metadata = metadata(root, "--no-deps")?;
        let packages = array(&metadata, "packages")
            .map(|package| package_of(package, root))
            .collect();
        Ok(Self { packages })
    }
}

/// All packages of the lock file for all platforms; cargo may have to fetch some of them first.
pub(crate) fn licensed(root: &Path) -> Result<Vec<Licensed>, String> {
    let metadata = metadata(root, "--quiet --locked")?;
    Ok(array(&metadata, "packages")
        .map(|package| Licensed {
            name: text(package, "name"),
            version: text(package, "version"),
            licence: package["license"].as_str().map(str::to_owned),
        })
        .collect())
}

fn metadata(root: &Path, options: &str) -> Result<Value, String> {
    let output = Step::cargo(root, &format!("metadata --format-version 1 {options}")).output()?;
    serde_json::from_slice(&output).map_err(|e| format!("cargo metadata is no JSON: {e}"))
}

fn package_of(package: &Value, root: &Path) -> Package {
    let manifest = text(package, "manifest_path");
    let folder = Path::new(&manifest).parent().unwrap_or(root);
    let folder = folder
        .strip_prefix(root)
        .unwrap_or(folder)
        .to_string_lossy()
        .replace('\\', "/");
    let dependencies = array(package, "dependencies")
        .map(|dependency| Dependency {
            name: text(dependency, "name"),
            normal: dependency["kind"].is_null(),
            ours: dependency["path"].is_string(),
        })
        .collect();
    Package {
        name: text(package, "name"),
        folder,
        dependencies,
    }
}

fn array<'a>(value: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    value[member].as_array().into_iter().flatten()
}

fn text(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap_or_default().to_owned()
}
