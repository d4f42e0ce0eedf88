//! Links do not lead a command line out of the project unseen: those that it makes, and those that are there.

use siderail_shell::{
    Analysis, Dialect, FindingKind, Link, ProtectedPlaces, ShellInput, analyse_following,
    fits_pattern,
};

fn judged_in(dialect: Dialect, root: &str, command: &str, links: &[(&str, &str)]) -> Analysis {
    let links: Vec<Link> = links
        .iter()
        .map(|(path, to)| Link {
            path: (*path).to_owned(),
            to: (*to).to_owned(),
        })
        .collect();
    let input = ShellInput {
        command: command.as_bytes(),
        dialect,
        root,
        roots: &[],
        cwd: root,
        home: Some("/home/u"),
        tools: None,
        protected_places: ProtectedPlaces::ours(),
    };
    analyse_following(&input, &links)
}

fn judged(command: &str, links: &[(&str, &str)]) -> Analysis {
    judged_in(Dialect::Bash, "/proj", command, links)
}

fn outside(command: &str) -> Vec<String> {
    judged(command, &[]).outside
}

#[test]
fn a_line_that_makes_a_link_and_writes_through_it_writes_where_the_link_leads() {
    for (command, place) in [
        ("ln -s /etc l && touch l/x", "/etc/x"),
        ("ln -s /etc l; cp a l/x", "/etc/x"),
        ("ln -s /etc l; cp a l", "/etc"),
        ("ln -sfn /etc ./l && make > l/x", "/etc/x"),
        ("ln -s /etc && touch etc/x", "/etc/x"),
        ("ln -s /etc . && touch etc/x", "/etc/x"),
        ("ln -s -t sub /etc /opt && touch sub/opt/x", "/opt/x"),
        ("ln -s ../../other sub/l && touch sub/l/x", "/other/x"),
        ("(ln -s /etc l); touch l/x", "/etc/x"),
        ("ln -s /etc l && cd l && touch x", "/etc/x"),
        ("ln -s /etc/deep l && touch l/../x", "/etc/x"),
        ("ln -s /etc a; ln -s a b; touch b/x", "/etc/x"),
        ("ln -s a b; ln -s /etc a; touch b/x", "/etc/x"),
        ("ln /etc/hosts l && make >> l", "/etc/hosts"),
        ("ln -s /etc l && touch l*/x", "/etc/x"),
        ("ln -s /etc l && mv l k && touch k/x", "/etc/x"),
        ("ln -s /etc l && cp -a l k && touch k/x", "/etc/x"),
        ("cp -s /etc/hosts h && make >> h", "/etc/hosts"),
        ("d=/etc; ln -s $d l && touch l/x", "/etc/x"),
        ("ln -s /etc /tmp/l && touch /tmp/l/x", "/etc/x"),
    ] {
        assert!(
            outside(command).contains(&place.to_owned()),
            "{command}: {:?}",
            outside(command)
        );
    }
}

#[test]
fn links_that_stay_in_the_project_or_are_only_made_ask_nothing() {
    for command in [
        "ln -s /etc l",
        "ln -s src l && touch l/x",
        "ln -s /tmp/out out && touch out/x",
        "ln -s /etc l && touch k/x l2/x",
        "ln -s /etc l && rm l",
        "ln -s a a && touch a/x",
        "ln -s a b && ln -s b a && touch a/x",
        "ln -s \"$X\" \"$Y\" && touch \"$Z/x\"",
    ] {
        assert_eq!(outside(command), [""; 0], "{command}");
    }
    // Readings follow links as well.
    let kinds = |command: &str| judged(command, &[]).findings;
    assert_eq!(kinds("ln -s /etc l && cat l/hosts"), []);
    assert_eq!(
        kinds("ln -s /proj/src /tmp/l && cat /tmp/l/a.rs")[0].kind,
        FindingKind::Read
    );
    assert_eq!(
        kinds("ln -s src l; cd l; cd ..; cat a.rs")[0].paths,
        ["/proj/a.rs"],
        "a shell goes back to where it came from"
    );
}

#[test]
fn links_made_in_the_shells_of_windows_are_followed_too() {
    for (dialect, command) in [
        (
            Dialect::PowerShell,
            r"New-Item -ItemType SymbolicLink -Path l -Target C:\other; Copy-Item a l\x",
        ),
        (
            Dialect::PowerShell,
            r"ni -Type Junction l -Value C:\other; ni l\x",
        ),
        (Dialect::Cmd, r"mklink /d l C:\other && copy a l\x"),
    ] {
        let outside = judged_in(dialect, r"C:\proj", command, &[]).outside;
        assert_eq!(outside, [r"C:\other\x"], "{command}");
    }
}

#[test]
fn what_is_written_is_told_with_all_that_a_link_could_change() {
    let written = |command: &str| judged(command, &[]).written;
    assert_eq!(written("touch l/x"), ["/proj/l/x"]);
    assert_eq!(written("cp b/a l"), ["/proj/l", "/proj/l/a"]);
    assert_eq!(written("touch l/../x"), ["/proj/l/../x"]);
    assert_eq!(written("touch l*/x"), ["/proj/l*/x"]);
    assert_eq!(written("touch l/$X/y"), ["/proj/l"]);
    assert_eq!(written("make > l/x 2>&1"), ["/proj/l/x"]);
    assert_eq!(written("cd l && tar xf a.tar -C k"), ["/proj/l/k"]);
    assert_eq!(written("touch /tmp/l/x"), ["/tmp/l/x"]);
    assert_eq!(written("grep -rn x l; wc -l l/x"), [""; 0]);
}

#[test]
fn links_that_are_there_are_followed_for_writing_and_reading() {
    let links = [("/proj/l", "/etc"), ("/proj/in", "/proj/src")];
    let outside = |command: &str| judged(command, &links).outside;
    assert_eq!(outside("cp a l/x"), ["/etc/x"]);
    assert_eq!(outside("touch l/../x"), ["/x"]);
    assert_eq!(outside("touch */x"), ["/etc/x"]);
    assert_eq!(outside("touch ?/x"), ["/etc/x"]);
    assert_eq!(outside("cd l && touch x"), ["/etc/x"]);
    assert_eq!(outside("cp -a l k && touch k/x"), ["/etc/x"]);
    assert_eq!(outside("touch in/x"), [""; 0]);
    assert_eq!(outside("touch l2/x"), [""; 0]);
    assert_eq!(judged("cat l/hosts", &links).findings, []);
    assert_eq!(
        judged("cat in/a.rs", &links).findings[0].paths,
        ["/proj/src/a.rs"]
    );
    let protected = judged("cp a g/hooks/x", &[("/proj/g", "/proj/.git")]).protected;
    assert_eq!(protected[0], ".git/hooks/x");
}

#[test]
fn what_is_moved_to_and_fro_is_followed_to_an_end() {
    for (command, names) in [
        ("mv a b; mv b a; touch b/x", &["/proj/b/x", "/proj/a/x"][..]),
        ("mv a b; mv b c; touch c/x", &["/proj/a/x", "/proj/b/x"]),
        (
            "mv a c; mv b a; mv c b; touch b/x",
            &["/proj/c/x", "/proj/a/x"],
        ),
        ("mv x/y x; touch x/q", &["/proj/x/y/q"]),
    ] {
        let written = judged(command, &[]).written;
        let has_all = names
            .iter()
            .all(|name| written.iter().any(|path| path == name));
        assert!(has_all && written.len() < 14, "{command}: {written:?}");
    }
    let swaps = "mv a b; mv b a; mv b c; mv c b; touch a/x b/x c/x; ".repeat(2_000);
    let begun = std::time::Instant::now();
    judged(&swaps, &[]);
    let took = begun.elapsed().as_secs();
    assert!(took < 20, "{took} s for {} bytes", swaps.len());
}

#[test]
fn many_links_and_long_paths_cost_a_line_no_more_than_its_length() {
    let long = "a/".repeat(40_000);
    let many: String = (0..5_000)
        .map(|n| format!("ln -s l{} l{n}; touch l{n}/x */{n}\n", n + 1))
        .collect();
    for command in [many, format!("ln -s /etc l; touch l/{long}x */{long}")] {
        let begun = std::time::Instant::now();
        judged(&command, &[]);
        let took = begun.elapsed().as_secs();
        assert!(took < 20, "{took} s for {} bytes", command.len());
    }
}

#[test]
fn a_pattern_fits_as_a_shell_expands_it() {
    for (pattern, name, fits) in [
        (".gi?", ".git", true),
        (".g*", ".git", true),
        (".[fg]it", ".git", true),
        (".[!g]it", ".git", false),
        (".g[[:alpha:]]t", ".git", true),
        (".g[[:alpha:]]", ".git", false),
        (".g[[:alpha:", ".git", false),
        (".git?", ".git", false),
    ] {
        assert_eq!(fits_pattern(pattern, name), fits, "{pattern}");
    }
}

#[test]
fn an_output_that_the_line_names_is_told_whatever_program_writes_it() {
    for command in [
        "gzip ../out/f",
        "xz -9 ../out/f",
        "bzip2 -k ../out/f",
        "gunzip ../out/f.gz",
        "zstd -o ../out/f a",
        "uniq a ../out/keep",
        "iconv -f latin1 -o ../out/f a",
        "tar cf ../out/a.tar src",
        "tar -czf ../out/a.tgz src",
        "tar --create --file=../out/a.tar src",
        "zip -r ../out/a.zip src",
        "7z a ../out/a.7z src",
        "7z x a.7z -o../out",
        "split -l 10 a ../out/part",
        "csplit -f ../out/part a 10",
        "mktemp ../out/XXXX",
        "mktemp -p ../out",
        "git archive -o ../out/a.zip HEAD",
        "git archive --output=../out/a.zip HEAD",
        "git -C ../out init",
        "git init ../out",
        "git -C ../out commit -am x",
        "git format-patch -o ../out HEAD~2",
        "git bundle create ../out/b HEAD",
        "xxd a ../out/x",
        "xxd -r a ../out/x",
        "script ../out/x",
        "script -q -c make ../out/x",
        "ssh-keygen -t ed25519 -f ../out/k -N ''",
        "sqlite3 ../out/x 'create table t(a)'",
        "sqlite3 -cmd '.timeout 1' ../out/x",
        "python3 -m venv ../out/v",
        "uv venv ../out/v",
        "pandoc a.md -o ../out/a.html",
        "prog --output=../out/a",
    ] {
        let found = outside(command);
        assert!(!found.is_empty(), "{command}");
    }
    for command in [
        "gzip -c ../out/f",
        "gzip a",
        "xz -T 0 a",
        "uniq ../a keep",
        "tar xf ../out/a.tar",
        "tar tzf ../out/a.tgz",
        "tar cf - ../out",
        "zip a.zip ../out/f",
        "7z l ../out/a.7z",
        "split ../out/f part",
        "mktemp",
        "mktemp -d /tmp/x.XXXX",
        "git archive HEAD",
        "git commit -m x",
        "git -C src add .",
        "git -C ../out log",
        "xxd ../out/x",
        "script -c 'make'",
        "ssh-keygen -l -f ../out/k",
        "sqlite3 -readonly ../out/x .dump",
        "python3 -m venv .venv",
        "make -C build",
        "prog -o ../x --help",
        "ps -o pid",
    ] {
        assert_eq!(outside(command), [""; 0], "{command}");
    }
    let links = [("/proj/l", "/etc")];
    for command in [
        "xxd a l/x",
        "sqlite3 l/x .dump",
        "python3 -m venv l/v",
        "git -C l init",
    ] {
        assert!(!judged(command, &links).outside.is_empty(), "{command}");
    }
}

#[test]
fn a_group_of_patterns_stands_for_every_name() {
    for command in [
        "shopt -s extglob; date > @(l)/keep",
        "shopt -s extglob; touch +(l)/x",
        "bash -O extglob -c 'touch !(x)/x'",
        "shopt -s extglob; p='?(l)'; touch $p/x",
    ] {
        let found = judged(command, &[("/proj/l", "/etc")]);
        assert!(!found.outside.is_empty(), "{command}: {found:?}");
        let told = outside(command);
        assert_eq!(told, [""; 0], "{command}");
    }
}
