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
fn what_is_known_without_a_disk_is_what_a_look_finds() {
    let (_folder, root) = place();
    symlink("../elsewhere", root.join("out")).unwrap();
    symlink("src", root.join("in")).unwrap();
    let confinement = Confinement::new(&root).unwrap();
    // A mount that changes anywhere meanwhile makes the kernel say that it does not know.
    let known = |given: &str| (0..100).find_map(|_| confinement.resolve_at_once(given));
    let tells = known(".").is_some();
    let absolute = format!("{}/src/a.rs", root.display());
    let address = format!("file://{absolute}");
    let quoted = quoted(Path::new("src/a.rs"));
    for given in [
        "src/a.rs",
        "./src//a.rs/",
        ".",
        "src",
        &absolute,
        &address,
        &quoted,
    ] {
        let looked = confinement.resolve(given).unwrap();
        assert_eq!(known(given), tells.then_some(looked), "{given}");
    }
    // Not every file system remembers what is missing.
    let missing = confinement.resolve("src/new").unwrap();
    assert!(known("src/new").is_none_or(|known| known == missing));
    let outside = format!("{}2/a.rs", root.display());
    for given in [
        "",
        "in/a.rs",
        "in",
        "out",
        "out/x",
        "src/../src/a.rs",
        "..",
        "/",
        &outside,
    ] {
        assert_eq!(confinement.resolve_at_once(given), None, "{given}");
    }
    // A link that came since is on the way to all of them.
    let moved = root.with_file_name("moved");
    fs::rename(&root, &moved).unwrap();
    symlink(&moved, &root).unwrap();
    for given in ["src/a.rs", "src/new", ".", &absolute] {
        assert!(confinement.resolve(given).is_err(), "{given}");
        assert_eq!(confinement.resolve_at_once(given), None, "{given}");
    }
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
        base: Root {
            folds_case: true,
            ..exact.base.clone()
        },
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
    for given in [
        "file://host/x",
        "file:x",
        "file:///%4",
        "file:///%gg",
        "file:///%+5",
        "file:///%%41",
        "file:///%\u{e9}",
        "file:///%ff",
    ] {
        let refusal = confinement.resolve(given).unwrap_err();
        assert!(matches!(refusal, Refusal::BadAddress(_)), "{given}");
    }
}

#[test]
fn two_hexadecimal_digits_are_a_byte_of_an_address_and_nothing_else_is() {
    let ascii = || (0..=0x7f_u8).map(char::from);
    for (high, low) in ascii().flat_map(|high| ascii().map(move |low| (high, low))) {
        let encoded = format!("x%{high}{low}y");
        let byte = high.to_digit(16).zip(low.to_digit(16));
        let byte = byte.map(|(high, low)| char::from_u32(high * 16 + low).unwrap());
        // A byte beyond ASCII is no text by itself.
        let text = byte.filter(char::is_ascii).map(|byte| format!("x{byte}y"));
        assert_eq!(
            percent_decoded(&encoded).as_deref(),
            text.as_deref(),
            "{encoded}"
        );
    }
    for (encoded, text) in [("a%C3%a9", "a\u{e9}"), ("\u{e9}", "\u{e9}"), ("", "")] {
        assert_eq!(percent_decoded(encoded).as_deref(), Some(text), "{encoded}");
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

/// A project as [`place`] makes it, with that folder beside it as a content root.
fn with_roots(root: &Path, named: &[PathBuf], home: Option<&Path>) -> (Confinement, Vec<String>) {
    let confinement = Confinement::new(root).unwrap();
    let home = Some(home.unwrap_or(Path::new("/nobody's/home")));
    confinement.with_named_roots(named, Private { home, own: &[] })
}

#[test]
fn a_content_root_elsewhere_is_inside_and_its_files_are_named_absolutely() {
    let (_folder, root) = place();
    let other = root.with_file_name("elsewhere");
    let (confinement, refused) = with_roots(&root, std::slice::from_ref(&other), None);
    assert_eq!(
        (confinement.further().collect::<Vec<_>>(), refused),
        (vec![other.as_path()], Vec::new())
    );
    let named = other.join("new/a.rs").display().to_string();
    for given in [
        named.as_str(),
        "../elsewhere/new/a.rs",
        &format!("file://{named}"),
    ] {
        let confined = confinement.resolve(given).unwrap();
        assert_eq!(
            (confined.relative.as_str(), confined.exists),
            (named.as_str(), false),
            "{given}"
        );
        assert_eq!(confined.absolute, other.join("new/a.rs"));
    }
    assert_eq!(
        confinement.resolve("src/a.rs").unwrap().relative,
        "src/a.rs"
    );
    assert_eq!(
        confinement.unquoted(&other.join("x")).as_deref(),
        Some("x"),
        "a name is compared from its own root on"
    );
    for given in ["..", "../elsewhere2", "../elsewhere/..", "/etc/passwd"] {
        let refusal = confinement.resolve(given).unwrap_err();
        let told = refusal.to_string();
        assert!(told.contains(other.to_str().unwrap()), "{told}");
    }
}

#[test]
fn links_lead_from_one_root_to_another_and_nowhere_else() {
    let (folder, root) = place();
    let other = root.with_file_name("elsewhere");
    fs::create_dir(folder.path().join("third")).unwrap();
    symlink("../elsewhere", root.join("over")).unwrap();
    symlink("../p/src", other.join("back")).unwrap();
    symlink("../third", other.join("out")).unwrap();
    let (confinement, _) = with_roots(&root, std::slice::from_ref(&other), None);
    let relative = |given: &str| confinement.resolve(given).map(|found| found.relative);
    assert_eq!(
        relative("over/x"),
        Ok(other.join("x").display().to_string())
    );
    assert_eq!(relative("over/back/a.rs"), Ok("src/a.rs".to_owned()));
    assert!(relative("over/out/x").is_err());
    assert!(relative(other.join("out").to_str().unwrap()).is_err());
    // Held by its own folder, in which no link is followed.
    let through = Confined {
        absolute: other.join("back/a.rs"),
        relative: String::new(),
        exists: true,
    };
    assert!(confinement.hold(&through).is_err());
    let straight = confinement.resolve("over/back/a.rs").unwrap();
    assert!(confinement.hold(&straight).unwrap().file().is_ok());
}

#[test]
fn roots_in_each_other_count_once_and_everything_of_a_person_is_none() {
    let (folder, root) = place();
    let above = root.parent().unwrap().to_owned();
    let home = above.join("elsewhere/me");
    fs::create_dir_all(home.join("work/inner")).unwrap();
    let further = |named: &[PathBuf], home: Option<&Path>| {
        let (confinement, refused) = with_roots(&root, named, home);
        let further: Vec<PathBuf> = confinement.further().map(Path::to_owned).collect();
        (further, refused.len())
    };
    let inner = home.join("work/inner");
    let work = home.join("work");
    let in_project = root.join("src");
    let named = [
        in_project,
        inner,
        work.clone(),
        folder.path().join("missing"),
    ];
    assert_eq!(further(&named, Some(&home)), (vec![work], 0));
    for whole in [Path::new("/"), &home, home.parent().unwrap()] {
        let named = [whole.to_owned()];
        assert_eq!(further(&named, Some(&home)), (Vec::new(), 1), "{whole:?}");
    }
    symlink(&home, above.join("link")).unwrap();
    assert_eq!(further(&[above.join("link")], Some(&home)), (Vec::new(), 1));
    assert_eq!(
        further(std::slice::from_ref(&above), None),
        (vec![above], 0)
    );
}

#[test]
fn what_a_person_keeps_beside_projects_is_no_root() {
    let (_folder, root) = place();
    let home = root.with_file_name("elsewhere");
    let own = [home.join("AppData/siderail")];
    fs::create_dir_all(home.join(".ssh/keys")).unwrap();
    fs::create_dir_all(own[0].join("history")).unwrap();
    fs::create_dir(home.join("code")).unwrap();
    let refused = |named: PathBuf, home: Option<&Path>| {
        let private = Private { home, own: &own };
        let confinement = Confinement::new(&root).unwrap();
        let (confinement, refused) = confinement.with_named_roots(&[named], private);
        assert_eq!(confinement.further().count(), 1 - refused.len());
        refused.join("")
    };
    for (named, why) in [
        (".ssh", "hidden folder"),
        (".ssh/keys", "hidden folder"),
        ("AppData", "its own files"),
        ("AppData/siderail/history", "its own files"),
    ] {
        let told = refused(home.join(named), Some(&home));
        assert!(told.contains(why), "{named}: {told}");
    }
    assert_eq!(refused(home.join("code"), Some(&home)), "");
    let told = refused(home.join("code"), None);
    assert!(told.contains("not known"), "{told}");
}

#[test]
fn a_link_in_the_place_of_the_projects_folder_or_above_it_makes_nothing_inside() {
    for replaced in ["above/p", "above"] {
        let (folder, _) = place();
        let top = folder.path().canonicalize().unwrap();
        let root = top.join("above/p");
        fs::create_dir_all(root.join("src")).unwrap();
        let before = Confinement::known(&root).unwrap();
        let given = root.join("src/x").display().to_string();
        assert!(before.resolve(&given).is_ok());
        fs::rename(top.join(replaced), top.join("away")).unwrap();
        symlink(top.join("away"), top.join(replaced)).unwrap();
        assert!(before.resolve(&given).is_err(), "followed, it is elsewhere");
        for path in ["src/x", "src"] {
            let refusal = before.resolve(path).unwrap_err().to_string();
            assert!(refusal.contains("a link has replaced"), "{refusal}");
        }
        assert!(Confinement::known(&root).is_err(), "{replaced}");
        let found = before.links_on(&given, |_, _| false, &mut Looks::default());
        assert_eq!(found.map(|links| links.len()), Some(1), "{replaced}");
    }
}

#[test]
fn a_root_that_vanishes_or_becomes_a_link_is_none_any_more() {
    let (folder, root) = place();
    let other = root.with_file_name("elsewhere");
    let taken = [other.clone()];
    let again = || Confinement::new(&root).unwrap().with_roots(&taken);
    let in_it = other.join("x").display().to_string();
    let before = again();
    assert!(before.resolve(&in_it).is_ok());
    fs::remove_dir(&other).unwrap();
    assert!(again().resolve(&in_it).is_err());
    let gone = before.resolve(&in_it).unwrap();
    assert!(before.hold(&gone).is_err());
    fs::create_dir(folder.path().join("third")).unwrap();
    symlink("third", &other).unwrap();
    assert_eq!(again().further().count(), 0);
    assert!(again().resolve(&in_it).is_err());
    assert!(before.hold(&gone).is_err());
}

#[test]
fn each_root_has_the_case_of_its_own_file_system() {
    let (_folder, root) = place();
    let other = root.with_file_name("elsewhere");
    let mut exact = with_roots(&root, std::slice::from_ref(&other), None).0;
    let shouted = PathBuf::from(other.to_string_lossy().to_uppercase()).join("a");
    assert_eq!(exact.relative(&shouted), None);
    exact.further[0].folds_case = true;
    assert!(exact.relative(&shouted).is_some());
    let shouted = PathBuf::from(root.to_string_lossy().to_uppercase()).join("a");
    assert_eq!(exact.relative(&shouted), None);
}
