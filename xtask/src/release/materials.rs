//! The materials of a release: a bill of materials in CycloneDX's form, and the sums of files.
//!
//! Only packages whose code is in what people get: those of tests and of build scripts are left out. The plugin's jar
//! holds classes of ours alone, which a test of the archive sees to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::natives;
use crate::step::Step;

/// What people get is built from these.
const ROOTS: [&str; 3] = ["siderail-jni", "siderail-relay", "siderail-cli"];

/// The list as a file's text.
pub(super) fn list(root: &Path) -> Result<String, String> {
    let platforms = natives::ALL
        .map(|target| format!("--filter-platform {}", target.triple))
        .join(" ");
    let line = format!("metadata --format-version 1 --quiet --locked {platforms}");
    let output = Step::cargo(root, &line).output()?;
    let metadata: Value =
        serde_json::from_slice(&output).map_err(|e| format!("cargo metadata is no JSON: {e}"))?;
    let lock = fs::read_to_string(root.join("Cargo.lock"))
        .map_err(|error| format!("Cargo.lock: {error}"))?;
    let compiler = Step::new(root, "rustc --version").output()?;
    let compiler = String::from_utf8_lossy(&compiler);
    let list = bill(&metadata, &sums_in(&lock), compiler.trim());
    serde_json::to_string_pretty(&list).map_err(|e| e.to_string())
}

/// The sum of a file's bytes, as people compare it.
pub(super) fn sum(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

fn bill(metadata: &Value, sums: &BTreeMap<(String, String), String>, compiler: &str) -> Value {
    let built_in = built_in(metadata);
    let mut components: Vec<Value> = array(&metadata["packages"])
        .filter(|package| built_in.contains(text(&package["id"])))
        .map(|package| component(package, sums))
        .collect();
    components.sort_by_key(|component| text(&component["bom-ref"]).to_owned());
    // The standard library is part of every native.
    let version = compiler.split_whitespace().nth(1).unwrap_or("unknown");
    components.push(json!({
        "type": "library",
        "bom-ref": format!("pkg:generic/rust-std@{version}"),
        "name": "rust-std",
        "version": version,
        "licenses": [{"expression": "MIT OR Apache-2.0"}],
    }));
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {
            "type": "application",
            "name": "siderail",
            "version": env!("CARGO_PKG_VERSION"),
            "licenses": [{"expression": env!("CARGO_PKG_LICENSE")}],
        }},
        "components": components,
    })
}

/// The packages that are reached by normal dependencies from what people get.
fn built_in(metadata: &Value) -> BTreeSet<&str> {
    let nodes: BTreeMap<&str, &Value> = array(&metadata["resolve"]["nodes"])
        .map(|node| (text(&node["id"]), node))
        .collect();
    let mut reached = BTreeSet::new();
    let mut waiting: VecDeque<&str> = array(&metadata["packages"])
        .filter(|package| ROOTS.contains(&text(&package["name"])))
        .map(|package| text(&package["id"]))
        .collect();
    while let Some(id) = waiting.pop_front() {
        if !reached.insert(id) {
            continue;
        }
        let dependencies = nodes
            .get(id)
            .into_iter()
            .flat_map(|node| array(&node["deps"]));
        for dependency in dependencies {
            if array(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null()) {
                waiting.push_back(text(&dependency["pkg"]));
            }
        }
    }
    reached
}

fn component(package: &Value, sums: &BTreeMap<(String, String), String>) -> Value {
    let (name, version) = (text(&package["name"]), text(&package["version"]));
    let address = format!("pkg:cargo/{name}@{version}");
    let mut component = json!({
        "type": "library",
        "bom-ref": address,
        "name": name,
        "version": version,
    });
    if let Some(licence) = package["license"].as_str() {
        // Cargo's older way of writing a choice.
        let licence = licence.replace('/', " OR ");
        component["licenses"] = json!([{"expression": licence}]);
    }
    // Ours come from no registry.
    if let Some(sum) = sums.get(&(name.to_owned(), version.to_owned())) {
        component["purl"] = address.into();
        component["hashes"] = json!([{"alg": "SHA-256", "content": sum}]);
    }
    component
}

/// The sums of packages in a lock file, by name and version.
fn sums_in(lock: &str) -> BTreeMap<(String, String), String> {
    let mut sums = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let value = |name: &str| {
            let mut lines = package.lines();
            let line = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "))?;
            Some(line.trim_matches('"').to_owned())
        };
        if let (Some(name), Some(version), Some(sum)) =
            (value("name"), value("version"), value("checksum"))
        {
            sums.insert((name, version), sum);
        }
    }
    sums
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{bill, sum, sums_in};

    #[test]
    fn what_is_built_in_is_listed_with_licence_and_sum_and_tests_are_not() {
        let package = |name: &str, licence: &str| json!({"id": name, "name": name, "version": "1.0.0", "license": licence});
        let kind = |kind: Option<&str>| json!([{"kind": kind}]);
        let metadata = json!({
            "packages": [
                package("siderail-cli", "Apache-2.0"),
                package("memchr", "Unlicense/MIT"),
                package("proptest", "MIT"),
            ],
            "resolve": {"nodes": [
                {"id": "siderail-cli", "deps": [
                    {"pkg": "memchr", "dep_kinds": kind(None)},
                    {"pkg": "proptest", "dep_kinds": kind(Some("dev"))},
                ]},
                {"id": "memchr", "deps": []},
            ]},
        });
        let lock =
            "version = 4\n[[package]]\nname = \"memchr\"\nversion = \"1.0.0\"\nchecksum = \"ab\"\n";
        let listed = bill(&metadata, &sums_in(lock), "rustc 1.95.0 (x 2026-01-01)");
        let names: Vec<&str> = listed["components"]
            .as_array()
            .unwrap()
            .iter()
            .map(|component| component["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["memchr", "siderail-cli", "rust-std"]);
        let first = &listed["components"][0];
        assert_eq!(first["licenses"][0]["expression"], "Unlicense OR MIT");
        assert_eq!(first["hashes"][0]["content"], "ab");
        assert_eq!(listed["components"][2]["version"], "1.95.0");
    }

    #[test]
    fn sums_are_those_that_sha256sum_prints() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sum(b"abc"), expected);
    }
}
