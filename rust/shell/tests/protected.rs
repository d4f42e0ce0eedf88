//! A protected place is named however a line spells it.

use siderail_shell::{Dialect, ProtectedPlace, ProtectedPlaces, ShellInput, analyse};

/// Ours, and some as agents have them.
fn places() -> ProtectedPlaces {
    let more = [".github/hooks", "opencode.json"];
    ProtectedPlaces::with(more.map(|path| ProtectedPlace::parse(path).expect(path)))
}

fn protected(dialect: Dialect, command: &str) -> Vec<String> {
    let analysis = analyse(&ShellInput {
        command: command.as_bytes(),
        dialect,
        root: "/proj",
        roots: &[],
        cwd: "/proj",
        home: None,
        tools: None,
        protected_places: &places(),
    });
    analysis.protected
}

#[test]
fn globs_braces_quotes_and_variables_hide_no_protected_place() {
    for command in [
        "cp a .git/hooks/pre-commit",
        "cp a .gi?/description",
        "cp a .g*/hooks/x",
        "cp a .[g]it/config",
        "cp a .g[[:alpha:]]t/config",
        "cp a .GI?/config",
        "cp a ./.*/config",
        "cp a .{git,x}/config",
        "cp a .g{i,o}t/config",
        "cp a .g''it/config",
        "cp a .gi\\t/config",
        "g=.git; cp a $g/config",
        "cp a \".$X/config\"",
        "cp a $(echo .git)/config",
        "make > .gi?/x",
        "sh -c 'cp a .gi?/x'",
        "for d in .g*; do cp a $d/config; done",
        "touch .ide?/x",
        "touch .siderail.tom?",
        "touch .github/hook?/x",
        "cp a openc*.json",
        "shopt -s extglob; cp a .@(git)/hooks",
        "shopt -s extglob; cp a .@(gi|x)t/hooks",
        "shopt -s extglob; cp a .+(g)it/hooks",
        "shopt -s extglob; cp a .?(g)it/hooks",
        "shopt -s extglob; cp a .!(x)/hooks",
        "bash -O extglob -c 'cp a .g@(i)t/hooks'",
        "shopt -s extglob; p='.g@(i)t'; cp a $p/hooks",
        "shopt -s dotglob; cp a *git/hooks",
        "bash -O dotglob -c 'cp a *git/hooks'",
        "shopt -s dotglob\ncp a ?git/hooks",
        "setopt globdots; cp a *git/hooks",
        "GLOBIGNORE=x; cp a *git/hooks",
        "touch $(git rev-parse --git-dir)/zz",
        "touch \"$(git rev-parse --git-common-dir)/zz\"",
        "d=$(git rev-parse --absolute-git-dir); touch $d/zz",
        "touch $(git rev-parse --git-path hooks)/zz",
        "GIT_DIR=.git ./x",
        "./x --dir=.git",
        "./x a:.git:b",
        "python3 -c \"open('.git/config', 'w')\"",
    ] {
        let found = protected(Dialect::Bash, command);
        assert!(!found.is_empty(), "{command}");
    }
    for command in ["Copy-Item a .gi?\\config", "Copy-Item a *git\\config"] {
        let found = protected(Dialect::PowerShell, command);
        assert!(!found.is_empty(), "{command}");
    }
}

#[test]
fn ordinary_files_and_patterns_name_no_protected_place() {
    for command in [
        "cp a .gitignore b",
        "touch .gitattributes .github/workflows/ci.yml",
        "cp *.json out",
        "rm -f *.o",
        "make > out.*",
        "cp .env.* out",
        "cp a*/b c?/d [ab]/e",
        "cp a ../x ./y . ..",
        "touch src/**/*.rs",
        "cp *git/x out",
        "shopt -s dotglob; cp *.rs out; cp * out",
        "touch $(git rev-parse HEAD)",
        "cd $(git rev-parse --show-toplevel) && make",
        "git push origin main",
        "echo $X/.env",
        "cp \".gi?\" b",
        "cp $X/config $Y",
    ] {
        assert_eq!(protected(Dialect::Bash, command), [""; 0], "{command}");
    }
    let command = "Copy-Item * out; Copy-Item *.json out";
    assert_eq!(protected(Dialect::PowerShell, command), [""; 0]);
}

#[test]
fn what_a_line_writes_into_a_module_file_of_an_ide_is_protected() {
    for command in [
        "cp a app/app.iml",
        "echo x > app.iml",
        "cat a >> App.IML",
        "tee app.iml < a",
        "cd app && sed -i s/a/b/ app.iml",
        "m=app.iml; cp a $m",
        "mv a.xml app/app.iml",
        "cp a app.ipr",
    ] {
        assert!(!protected(Dialect::Bash, command).is_empty(), "{command}");
    }
    let windows = r"Set-Content app\app.iml x";
    assert!(!protected(Dialect::PowerShell, windows).is_empty());
    for (dialect, command) in [
        (Dialect::PowerShell, "Rename-Item x.txt app.iml"),
        (Dialect::PowerShell, "Rename-Item -Path x.txt app.iml"),
        (Dialect::PowerShell, "Rename-Item x.txt -NewName app.ipr"),
        (Dialect::PowerShell, "Move-Item -Path x.txt app.iml"),
        (Dialect::Cmd, "ren x.txt app.iml"),
    ] {
        assert!(!protected(dialect, command).is_empty(), "{command}");
    }
    for command in ["cp a app.iml.md", "echo iml > a"] {
        assert!(protected(Dialect::Bash, command).is_empty(), "{command}");
    }
}
