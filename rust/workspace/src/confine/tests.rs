//! Paths through links, dots and addresses, inside a project and out of it.

use std::os::unix::fs::symlink;

use super::*;

/// A project `p` beside a folder `elsewhere`, both below one canonical folder.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("p");
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("src/a.rs"), "").unwrap();
    fs::create_dir(folder.path().join("elsewhere")).unwrap();
    (folder, root)
}

#[track_caller]
fn check(root: &Path, given: &str, relative: &str, exists: bool) {
    let confined = Confinement::new(root).unwrap().resolve(given).unwrap();
    assert_eq!(confined.relative, relative, "{given}");
    assert_eq!(confined.exists, exists, "{given}");
    let relative = if relative == "." { "" } else { relative };
    let absolute: PathBuf = root.join(relative).components().collect();
    assert_eq!(confined.absolute, absolute, "{given}");
}

#[track_caller]
fn refused(root: &Path, given: &str) {
    let result = Confinement::new(root).unwrap().resolve(given);
    assert!(
        matches!(
            result,
            Err(Refusal::Outside { .. } | Refusal::Unfollowable { .. })
        ),
        "{given}: {result:?}"
    );
}

#[test]
fn paths_inside_are_named_from_the_project_with_slashes() {
    let (_folder, root) = place();
    check(&root, "src/a.rs", "src/a.rs", true);
    check(&root, "./src/../src//a.rs", "src/a.rs", true);
    assert_eq!(
        Confinement::new(&root).unwrap().resolve(""),
        Err(Refusal::Empty)
    );
    check(&root, ".", ".", true);
    check(&root, "src/..", ".", true);
    check(&root, root.to_str().unwrap(), ".", true);
    check(
        &root,
        root.join("src/a.rs").to_str().unwrap(),
        "src/a.rs",
        true,
    );
    check(
        &root,
        &format!("file://{}/src/a%2Ers", root.display()),
        "src/a.rs",
        true,
    );
}

#[test]
fn what_does_not_exist_yet_is_appended_as_written() {
    let (_folder, root) = place();
    check(&root, "new/deep/a.rs", "new/deep/a.rs", false);
    check(&root, "new/../src/a.rs", "src/a.rs", true);
    check(&root, "src/a.rs/below", "src/a.rs/below", false);
    refused(&root, "new/../../elsewhere");
    refused(&root, "new/deep/../../../elsewhere/x");
}

#[test]
fn names_are_compared_whole() {
    let (folder, root) = place();
    fs::create_dir(folder.path().join("p2")).unwrap();
    refused(&root, "../p2/x");
    refused(&root, folder.path().join("p2").to_str().unwrap());
    refused(&root, "..");
    refused(&root, "/");
}

#[test]
fn links_are_followed_wherever_they_stand() {
    let (_folder, root) = place();
    symlink("../elsewhere", root.join("out")).unwrap();
    symlink("src", root.join("in")).unwrap();
    symlink("../elsewhere/new", root.join("dangling_out")).unwrap();
    symlink("fresh/new", root.join("dangling_in")).unwrap();
    symlink(root.join("src"), root.join("absolute")).unwrap();
    refused(&root, "out");
    refused(&root, "out/x");
    refused(&root, "dangling_out");
    check(&root, "in/a.rs", "src/a.rs", true);
    check(&root, "absolute/a.rs", "src/a.rs", true);
    check(&root, "in/../src", "src", true);
    check(&root, "dangling_in", "fresh/new", false);
    // The system goes to the link target's parent, not back to the project.
    refused(&root, "out/../elsewhere");
    check(&root, "out/../p/src", "src", true);
}

#[test]
fn a_link_in_the_last_place_can_be_the_thing_itself() {
    let (_folder, root) = place();
    symlink("../elsewhere", root.join("out")).unwrap();
    let confinement = Confinement::new(&root).unwrap();
    let entry = confinement.resolve_entry("out").unwrap();
    assert_eq!((entry.relative.as_str(), entry.exists), ("out", true));
    assert!(confinement.resolve_entry("out/x").is_err());
    assert!(confinement.resolve_entry("out/..").is_err());
}

#[test]
fn loops_and_errors_count_as_outside() {
    let (_folder, root) = place();
    symlink("b", root.join("a")).unwrap();
    symlink("a", root.join("b")).unwrap();
    refused(&root, "a");
    refused(&root, "a/x");
    refused(&root, "x\0y");
    refused(&root, &"n".repeat(10_000));
}

#[test]
fn a_file_system_that_folds_case_has_one_name_for_both() {
    let (_folder, root) = place();
    let exact = Confinement::new(&root).unwrap();
    let folding = Confinement {
        folds_case: true,
        ..exact.clone()
    };
    let shouted = PathBuf::from(root.to_string_lossy().to_uppercase()).join("SRC/a.rs");
    assert_eq!(exact.relative(&shouted), None);
    assert_eq!(folding.relative(&shouted).as_deref(), Some("SRC/a.rs"));
    let longer = PathBuf::from(format!("{}2", root.display())).join("a.rs");
    assert_eq!(folding.relative(&longer), None);
}

#[test]
fn a_project_that_is_no_folder_is_refused() {
    let (_folder, root) = place();
    assert!(Confinement::new(&root.join("src/a.rs")).is_err());
    assert!(Confinement::new(&root.join("missing")).is_err());
}

#[test]
fn unusable_file_addresses_are_told_apart_from_paths() {
    let (_folder, root) = place();
    let confinement = Confinement::new(&root).unwrap();
    for given in ["file://host/x", "file:x", "file:///%4", "file:///%gg"] {
        let refusal = confinement.resolve(given).unwrap_err();
        assert!(matches!(refusal, Refusal::BadAddress(_)), "{given}");
    }
}

/// `*` fits all here.
fn links_on(root: &Path, path: &str, looks: &mut Looks) -> Option<Vec<FoundLink>> {
    let path = root.join(path);
    let fits = |pattern: &str, _: &str| pattern == "*";
    let confinement = Confinement::new(root).unwrap();
    confinement.links_on(path.to_str().unwrap(), fits, looks)
}

#[test]
fn a_link_is_found_among_hundreds_of_folders() {
    let (_folder, root) = place();
    for n in 0..400 {
        fs::create_dir(root.join(format!("d{n}"))).unwrap();
    }
    let last = fs::read_dir(&root).unwrap().last().unwrap().unwrap();
    symlink("../../elsewhere", last.path().join("out")).unwrap();
    let found = links_on(&root, "*/out/x", &mut Looks::default()).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].path, last.path().join("out"));
    assert_eq!(found[0].to, root.parent().unwrap().join("elsewhere"));
}

#[test]
fn the_paths_of_a_line_share_one_bound_and_none_past_it_passes_for_one_without_links() {
    let (_folder, root) = place();
    for n in 0..200 {
        fs::create_dir(root.join(format!("d{n}"))).unwrap();
    }
    symlink("../elsewhere", root.join("out")).unwrap();
    let mut looks = Looks::default();
    let told = (0..20).take_while(|_| links_on(&root, "*/x", &mut looks).is_some());
    assert!(told.count() < 10);
    assert_eq!(links_on(&root, "out/x", &mut looks), None);
    let found = links_on(&root, "out/x", &mut Looks::default());
    assert_eq!(found.map(|found| found.len()), Some(1));
}
