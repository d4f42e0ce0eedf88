//! The boundary as others declare it: the C header, the plugin's `Native.kt`, and a C program that uses it.
//!
//! The header is made anew and compared; `SIDERAIL_BLESS=1` writes it. The natives' names and descriptors are compared
//! with the Kotlin source, because only loading would find a difference otherwise.

use std::path::{Path, PathBuf};
use std::process::Command;

use siderail_jni::natives;

#[path = "jvm/built.rs"]
mod built;

fn own() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn header() -> PathBuf {
    own().join("include/siderail.h")
}

#[test]
fn the_header_says_what_the_library_does() {
    let config = cbindgen::Config::from_file(own().join("cbindgen.toml")).expect("a configuration");
    let generated = cbindgen::Builder::new()
        .with_config(config)
        .with_src(own().join("src/abi.rs"))
        .generate()
        .expect("a header");
    let mut bytes = Vec::new();
    generated.write(&mut bytes);
    let generated = String::from_utf8(bytes).expect("text");
    if std::env::var_os("SIDERAIL_BLESS").is_some() {
        std::fs::write(header(), &generated).expect("it can be written");
    }
    assert!(
        read(&header()) == generated,
        "include/siderail.h is not what src/abi.rs says: run this test with SIDERAIL_BLESS=1 and look at what changes"
    );
}

#[test]
fn the_header_has_each_verb_of_the_natives() {
    let header = read(&header());
    for (name, _) in natives::table() {
        let name = snake(&name);
        assert!(header.contains(&format!("siderail_{name}(")), "{name}");
    }
    let code = header.lines().filter(|line| !line.starts_with(['/', ' ']));
    let n_functions = code.filter(|line| line.contains(" siderail_")).count();
    assert_eq!(n_functions, natives::table().len(), "verbs are five");
}

#[test]
fn native_kt_declares_each_native_with_its_descriptor_and_no_other() {
    let source = own().join("../../plugin/src/main/kotlin/dev/siderail/bridge/Native.kt");
    let source = read(&source);
    let declared: Vec<(String, String)> = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("external fun "))
        .map(descriptor)
        .collect();
    assert_eq!(declared, natives::table());
    let version = format!("ABI_VERSION: Int = {}", siderail_jni::bridge::ABI_VERSION);
    assert!(source.contains(&version), "Native.kt lacks `{version}`");
    let statics = source.matches("@JvmStatic").count();
    assert_eq!(statics, declared.len(), "every external function is static");
}

/// Name and descriptor of `name(parameter: Type, …): Type`.
fn descriptor(declaration: &str) -> (String, String) {
    let (name, rest) = declaration.split_once('(').expect("parameters");
    let (parameters, result) = rest.rsplit_once(')').expect("parameters end");
    let types: String = parameters
        .split(',')
        .filter_map(|parameter| parameter.split_once(':'))
        .map(|(_, kind)| jvm_type(kind.trim()))
        .collect();
    let result = result.trim_start_matches(':').trim();
    (name.to_owned(), format!("({types}){}", jvm_type(result)))
}

fn jvm_type(kotlin: &str) -> String {
    match kotlin {
        "" => "V".to_owned(),
        "Int" => "I".to_owned(),
        "Long" => "J".to_owned(),
        "ByteArray" => "[B".to_owned(),
        own => format!("Ldev/siderail/bridge/{own};"),
    }
}

fn snake(camel: &str) -> String {
    let mut snake = String::new();
    for c in camel.chars() {
        if c.is_uppercase() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

#[test]
fn a_c_program_opens_an_engine_hears_its_events_and_survives_errors() {
    let folder = tempfile::Builder::new()
        .prefix("sc")
        .tempdir_in(std::env::temp_dir())
        .expect("a folder");
    let library = built::built("libtesting.so");
    let program = folder.path().join("smoke");
    let compiled = Command::new("cc")
        .args([
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Wpedantic",
            "-Werror",
            "-I",
        ])
        .arg(own().join("include"))
        .arg(own().join("tests/smoke.c"))
        .arg(&library)
        .args(["-lpthread", "-o"])
        .arg(&program)
        .output()
        .expect("there is a C compiler named cc");
    let told = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success() && told.is_empty(), "{told}");
    std::fs::create_dir(folder.path().join("project")).expect("a folder");
    let ran = Command::new(&program)
        .arg(folder.path())
        .arg(built::built("agent"))
        .env("LD_LIBRARY_PATH", library.parent().expect("a folder"))
        .output()
        .expect("it starts");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{:?}\n{told}", ran.status);
}
