//! Content roots of the project beside its folder: what a line writes and reads there.

use siderail_shell::{Analysis, Dialect, FindingKind, ProtectedPlaces, ShellInput, analyse};

fn analysed(root: &str, other: &str, command: &str) -> Analysis {
    let dialect = match root.starts_with('/') {
        true => Dialect::Bash,
        false => Dialect::PowerShell,
    };
    analysed_in(dialect, root, other, command)
}

fn analysed_in(dialect: Dialect, root: &str, other: &str, command: &str) -> Analysis {
    analyse(&ShellInput {
        command: command.as_bytes(),
        dialect,
        root,
        roots: &[other.to_owned()],
        cwd: root,
        home: Some("/home/u"),
        tools: None,
        protected_places: ProtectedPlaces::ours(),
    })
}

fn in_other(command: &str) -> Analysis {
    analysed("/code/proj", "/code/other", command)
}

fn kinds(analysis: &Analysis) -> Vec<FindingKind> {
    analysis.findings.iter().map(|found| found.kind).collect()
}

#[test]
fn what_is_written_in_another_content_root_is_written_inside() {
    for line in [
        "make > /code/other/log",
        "cp a ../other/b",
        "cd ../other && touch x",
        "cd /code/other/sub; make > ../log",
        "touch ~/../../code/other/x",
        "make > /code/other/$NAME",
        "mv a .",
        "mv a /code/other",
    ] {
        let analysis = in_other(line);
        assert_eq!(analysis.outside, Vec::<String>::new(), "{line}");
        assert!(!analysis.written.is_empty(), "{line}");
    }
    for line in [
        "make > /code/other2/log",
        "make > /code/othe",
        "make > /code/other/../x",
        "make > /code/oth*/x",
        "touch /CODE/other/x",
        "mv /code/other /elsewhere",
        "mv /code/proj /code/other/proj",
        "mv /code/proj/ /tmp/proj",
        "mv -t /tmp a ../proj",
        "mv /outside/x .",
        "mv -t . /outside/x",
        "mv /code/other ../proj/other",
    ] {
        assert!(!in_other(line).outside.is_empty(), "{line}");
    }
}

#[test]
fn its_files_are_read_searched_and_protected_like_the_projects() {
    for (line, kind) in [
        ("cat ../other/a.txt", FindingKind::Read),
        ("grep -r x /code/other/src", FindingKind::SearchText),
        ("ls /code/other", FindingKind::ListFolder),
        ("echo x > /code/other/a", FindingKind::Write),
        ("rm -rf /code/other/src", FindingKind::Destructive),
    ] {
        let analysis = in_other(line);
        assert_eq!(kinds(&analysis), [kind], "{line}");
    }
    assert!(kinds(&in_other("rm -rf /code/other/target")).is_empty());
    assert!(!in_other("cp x ../other/.git/hooks/y").protected.is_empty());
    // Folders above a root say nothing of what is in it.
    let hidden = analysed(
        "/code/proj",
        "/code/.claude/worktree",
        "cp x /code/.claude/worktree/y",
    );
    assert_eq!(hidden.outside, Vec::<String>::new());
}

#[test]
fn its_git_and_its_tests_are_not_those_of_the_projects_tools() {
    for command in ["git status", "git log", "cargo test", "mvn test", "pytest"] {
        assert_eq!(kinds(&in_other(command)).len(), 1, "{command}");
        let line = format!("cd ../other && {command}");
        assert_eq!(kinds(&in_other(&line)), [], "{line}");
        // What is found there does not hold for the project.
        let line = format!("[ -d x ] && cd ../other; {command}");
        assert_eq!(kinds(&in_other(&line)).len(), 1, "{line}");
    }
}

#[test]
fn on_windows_a_root_has_either_case_and_both_slashes() {
    let windows = |command: &str| analysed(r"C:\proj", r"D:\Other", command);
    for line in [
        r"Set-Content D:\Other\a.log x",
        r"Set-Content d:/other/a.log x",
    ] {
        assert_eq!(windows(line).outside, Vec::<String>::new(), "{line}");
    }
    assert!(!windows(r"Set-Content D:\Others\a.log x").outside.is_empty());
    for line in [
        "mv D:/Other C:/proj/other",
        "mv d:/OTHER/ C:/proj/other",
        "mv c:/Proj D:/Other/proj",
    ] {
        let analysis = analysed_in(Dialect::Bash, r"C:\proj", r"D:\Other", line);
        assert!(!analysis.outside.is_empty(), "{line}");
    }
    for (dialect, line) in [
        (Dialect::PowerShell, r"Move-Item C:\proj D:\Other\proj"),
        (
            Dialect::PowerShell,
            r"mv -Path D:\other -Destination C:\proj\other",
        ),
        (
            Dialect::PowerShell,
            r"Move-Item C:\proj\a,C:\proj D:\Other\proj",
        ),
        (
            Dialect::PowerShell,
            r"Move-Item -Path C:\proj\a,C:\proj -Destination D:\Other\old",
        ),
        (Dialect::PowerShell, r"Rename-Item C:\PROJ old"),
        (Dialect::PowerShell, r"rni C:\PROJ old"),
        (Dialect::PowerShell, r"ren -LP C:\PROJ old"),
        (
            Dialect::PowerShell,
            r"[IO.Directory]::Move('C:\proj', 'D:\Other\proj')",
        ),
        (Dialect::Cmd, r"move c:\proj D:\Other\proj"),
        (Dialect::Cmd, r"ren D:\Other old"),
    ] {
        let analysis = analysed_in(dialect, r"C:\proj", r"D:\Other", line);
        assert!(!analysis.outside.is_empty(), "{line}");
    }
    for (dialect, line) in [
        (Dialect::PowerShell, r"Move-Item C:\proj\a D:\Other\a"),
        (Dialect::PowerShell, r"Rename-Item C:\proj\a b"),
        (Dialect::Cmd, r"move a D:\Other\a"),
        (Dialect::Cmd, r"ren a b"),
    ] {
        let analysis = analysed_in(dialect, r"C:\proj", r"D:\Other", line);
        assert_eq!(analysis.outside, Vec::<String>::new(), "{line}");
    }
}

#[test]
fn no_folder_above_a_content_root_is_taken_for_a_builds_output() {
    let kinds = |line: &str| kinds(&analysed("/code/proj", "/code/build/lib", line));
    for line in ["rm -rf /code/build", "rm -rf /code/build/other"] {
        assert_eq!(kinds(line), [FindingKind::Destructive], "{line}");
    }
    assert!(kinds("rm -rf /code/dist/other").is_empty());
}
