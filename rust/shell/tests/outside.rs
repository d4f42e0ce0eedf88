//! Places outside of the project that a line writes to.

use siderail_shell::{Dialect, ProtectedPlaces, ShellInput, analyse};

#[test]
fn what_is_written_outside_is_known_even_where_project_and_home_are_temporary() {
    let outside = |command: &str, root: &str, home: &str| {
        let analysis = analyse(&ShellInput {
            command: command.as_bytes(),
            dialect: Dialect::Bash,
            root,
            roots: &[],
            cwd: root,
            home: Some(home),
            tools: None,
            protected_places: ProtectedPlaces::ours(),
        });
        analysis.outside
    };
    assert_eq!(outside("make >> ~/.rc", "/p", "/home/u"), ["/home/u/.rc"]);
    assert_eq!(outside("make > /tmp/log", "/p", "/home/u"), [""; 0]);
    assert_eq!(
        outside("make > ../log", "/tmp/t/p", "/home/u"),
        ["/tmp/t/log"]
    );
    assert_eq!(
        outside("make >> ~/.rc", "/p", "/tmp/t/home"),
        ["/tmp/t/home/.rc"]
    );
    assert_eq!(outside("make > log", "/tmp/t/p", "/tmp/t/home"), [""; 0]);
    // Deleting is never freer than writing.
    for command in [
        "rm -rf /tmp/x",
        "find /tmp/x -delete",
        "cd /tmp/x && git reset --hard",
    ] {
        assert_eq!(
            outside(command, "/tmp/p", "/home/u"),
            ["/tmp/x"],
            "{command}"
        );
        assert_eq!(outside(command, "/p", "/home/u"), [""; 0], "{command}");
    }
    assert_eq!(
        outside("rm -rf ../other", "/tmp/p", "/home/u"),
        ["/tmp/other"]
    );
    assert_eq!(outside("rm -rf src", "/tmp/p", "/home/u"), [""; 0]);
}
