//! `run_tests` with pytest, by a script that prints what that prints.

use serde_json::json;

use crate::fixture::Project;
use crate::runs::command_line;

const RUN: &str = "run_tests";

#[test]
fn pytest_is_read_from_its_summary() {
    let project = Project::with(&[("web/tests/test_a.py", ""), ("web/conftest.py", "")]);
    project.program(
        "python3",
        "cat <<'END'
=================================== FAILURES ===================================
______________________________ TestMath.test_bad _______________________________
tests/test_a.py:5: in test_bad
    assert 1 + 1 == 3
E   assert (1 + 1) == 3
___________________________ ERROR collecting test_b ____________________________
/usr/lib/python3/site-packages/x.py:9: in load
tests/test_a.py:9: in <module>
E   ValueError: boom
=========================== short test summary info ============================
FAILED tests/test_a.py::TestMath::test_bad - assert (1 + 1) == 3
=== 1 failed, 3 passed, 1 skipped, 1 xfailed, 1 error in 65.19s (0:01:05) ===
END
exit 1\n",
    );
    let text = project.ok(RUN, json!({"module": "web"}));
    assert!(
        text.starts_with("7 tests: 3 passed, 2 failed, 2 skipped (pytest, exit code 1"),
        "{text}"
    );
    assert!(
        text.contains("FAILED TestMath.test_bad at web/tests/test_a.py:5\n"),
        "{text}"
    );
    assert!(
        text.contains("FAILED test_b at web/tests/test_a.py:9\n"),
        "{text}"
    );
    let line = |target: &str| {
        let line = command_line(&project, json!({"module": "web", "target": target}));
        line.replace("python3 -m pytest -ra --color=no --tb=short ", "")
    };
    assert_eq!(
        line("tests/test_a.py::TestMath"),
        "tests/test_a.py::TestMath"
    );
    assert_eq!(line("web/tests/test_a.py"), "tests/test_a.py");
    assert_eq!(line("TestMath.test_bad"), "-k TestMath and test_bad");
}

#[test]
fn a_file_that_python_cannot_read_is_told_with_its_own_line_and_without_pythons_insides() {
    let project = Project::with(&[("test_a.py", ""), ("helper.py", "")]);
    let root = project.root().canonicalize().unwrap();
    let root = root.display();
    project.program(
        "python3",
        &format!(
            "cat <<'END'
==================================== ERRORS ====================================
__________________________ ERROR collecting test_a.py __________________________
/opt/py/lib/python3.11/site-packages/_pytest/python.py:528: in importtestmodule
    mod = import_path(
/opt/py/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
<frozen importlib._bootstrap>:1204: in _gcd_import
    ???
/usr/lib/python3/dist-packages/x.py:5: in parse
    return compile(source, filename, mode, flags,
E     File \"{root}/test_a.py\", line 3
E       def test_a(:
E   SyntaxError: invalid syntax
__________________________ ERROR collecting test_c.py __________________________
test_c.py:1: in <module>
    import helper
E     File \"{root}/helper.py\", line 7
E       x = [
E   SyntaxError: '[' was never closed
=========================== short test summary info ============================
ERROR test_a.py
ERROR test_c.py
============================== 2 errors in 0.93s ===============================
END
exit 2\n"
        ),
    );
    let text = project.ok(RUN, json!({}));
    assert!(
        text.contains("FAILED test_a.py at test_a.py:3\n    E     File"),
        "{text}"
    );
    assert!(text.contains("FAILED test_c.py at helper.py:7\n"), "{text}");
    assert!(text.contains("SyntaxError: invalid syntax"), "{text}");
}

#[test]
fn a_library_beside_the_project_is_not_taken_for_its_code_and_a_file_above_the_module_is() {
    let project = Project::with(&[("web/test_a.py", ""), ("shared/h.py", "")]);
    project.program(
        "python3",
        "cat <<'END'
=================================== FAILURES ===================================
____________________________________ test_a ____________________________________
test_a.py:4: in test_a
    helper()
../shared/h.py:7: in helper
    json.loads('')
../../.pyenv/versions/3.12/lib/python3.12/json/decoder.py:355: in raw_decode
    raise JSONDecodeError(s, err.value)
E   ValueError: boom
============================== 1 failed in 0.12s ===============================
END
exit 1\n",
    );
    let text = project.ok(RUN, json!({"module": "web"}));
    assert!(text.contains("FAILED test_a at shared/h.py:7\n"), "{text}");
    assert!(!text.contains("raise JSONDecodeError"), "{text}");
    assert!(text.contains("ValueError: boom"), "{text}");
}
