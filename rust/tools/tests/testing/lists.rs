//! `list_tests`, over sources of each language.

use serde_json::json;

use crate::fixture::{Project, next_call};

const LIST: &str = "list_tests";

fn project() -> Project {
    Project::with(&[
        (
            "src/lib.rs",
            "fn helper() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    #[ignore]\n    fn one() {}\n\n    \
             #[tokio::test]\n    async fn two() {}\n    fn not_a_test() {}\n}\n",
        ),
        (
            "app/src/test/java/com/x/FooTest.java",
            "class FooTest {\n  void helper() {}\n  @Test\n  @DisplayName(\"x (y)\")\n  public void works() {}\n  \
             @ParameterizedTest @ValueSource(ints = {1})\n  void each(int n) {}\n}\n",
        ),
        (
            "app/src/test/kotlin/BarTest.kt",
            "class BarTest {\n    @Test\n    fun `reads as a sentence`() {}\n    fun other() {}\n}\n",
        ),
        (
            "py/test_a.py",
            "def test_top():\n    pass\nclass TestMath:\n    def test_sum(self):\n        pass\n    def helper(self): pass\n",
        ),
        ("py/other.py", "def test_not_collected(): pass\n"),
        (
            "go/a_test.go",
            "package a\nfunc TestAdd(t *testing.T) {}\nfunc helper() {}\n",
        ),
        (
            "web/a.test.ts",
            "describe('math', () => {\n  it('adds', () => {});\n  test.each([1])(\"skips\", () => {});\n  \
             test(\"says \\\"hi\\\"\", f);\n  submit('not one');\n});\n",
        ),
        (
            "net/ATests.cs",
            "public class ATests {\n  [Fact]\n  public async Task Holds() {}\n}\n",
        ),
        ("node_modules/x/b.test.js", "test('hidden', f)\n"),
        (".gitignore", "node_modules\n"),
    ])
}

#[test]
fn tests_of_every_language_are_found_with_their_lines_and_nothing_else() {
    let text = project().ok(LIST, json!({}));
    assert_eq!(
        text,
        "11 tests in 7 files\n\
         app/src/test/java/com/x/FooTest.java\n  5: FooTest.works\n  7: FooTest.each\n\
         app/src/test/kotlin/BarTest.kt\n  3: BarTest.reads as a sentence\n\
         go/a_test.go\n  2: TestAdd\n\
         net/ATests.cs\n  3: ATests.Holds\n\
         py/test_a.py\n  1: test_top\n  4: TestMath.test_sum\n\
         src/lib.rs\n  6: one\n  9: two\n\
         web/a.test.ts\n  2: adds\n  4: says \\\n"
    );
}

#[test]
fn a_folder_a_file_and_a_pattern_narrow_the_list_and_pages_go_on() {
    let project = project();
    let text = project.ok(LIST, json!({"path": "py"}));
    assert!(text.starts_with("2 tests in 1 files\n"), "{text}");
    let text = project.ok(LIST, json!({"path": "go/a_test.go"}));
    assert!(text.starts_with("1 tests in 1 files\n"), "{text}");
    let text = project.ok(LIST, json!({"pattern": "footest"}));
    assert!(text.starts_with("2 tests in 1 files\n"), "{text}");
    let text = project.ok(LIST, json!({"pattern": "nothing"}));
    assert!(
        text.contains("none of the 11 tests here has `nothing`"),
        "{text}"
    );
    let text = project.ok(LIST, json!({"path": "py/other.py"}));
    assert!(text.contains("no tests are marked"), "{text}");
    let mut arguments = json!({"limit": 4});
    let mut n_tests = 0;
    loop {
        let text = project.ok(LIST, arguments);
        n_tests += text.lines().filter(|line| line.starts_with("  ")).count();
        match next_call(&text) {
            Some(next) => arguments = next,
            None => break,
        }
    }
    assert_eq!(n_tests, 11);
}

#[test]
fn what_git_ignores_is_left_out_unless_it_is_named() {
    let project = Project::with(&[
        (".gitignore", "generated/\nlocal_test.go\n"),
        ("a_test.go", "func TestA(t *testing.T) {}\n"),
        ("local_test.go", "func TestLocal(t *testing.T) {}\n"),
        ("generated/b_test.go", "func TestB(t *testing.T) {}\n"),
        ("größe_test.go", "func TestGröße(t *testing.T) {}\n"),
        ("inner/c_test.go", "func TestInner(t *testing.T) {}\n"),
    ]);
    for folder in [".", "inner"] {
        let made = std::process::Command::new("git")
            .args(["init", "--quiet"])
            .current_dir(project.path(folder))
            .status();
        assert!(made.unwrap().success());
    }
    let text = project.ok(LIST, json!({}));
    assert_eq!(
        text,
        "3 tests in 3 files\na_test.go\n  1: TestA\ngröße_test.go\n  1: TestGröße\n\
         inner/c_test.go\n  1: TestInner\n"
    );
    let named = project.ok(LIST, json!({"path": "generated"}));
    assert!(named.contains("1: TestB"), "{named}");
}

#[test]
fn tests_made_by_a_function_under_another_name_are_found() {
    let project = Project::with(&[
        (
            "a.test.mjs",
            "import t from 'node:test';\nt('one', f);\nconst x = set('no test');\n",
        ),
        (
            "b.test.ts",
            "import { describe, test as check } from \"vitest\";\n  check.only('two', f);\n",
        ),
        (
            "c.test.js",
            "const { it: runs } = require('node:test');\nruns(`three`, f);\nit('four', f);\n",
        ),
        (
            "d.test.js",
            "import t from './helpers';\nt('no test', f);\n",
        ),
    ]);
    let text = project.ok(LIST, json!({}));
    assert_eq!(
        text,
        "4 tests in 3 files\na.test.mjs\n  2: one\nb.test.ts\n  2: two\nc.test.js\n  2: three\n  3: four\n"
    );
}

#[test]
fn names_by_the_thousand_for_what_makes_a_test_keep_no_list_from_coming() {
    let mut text = format!("import {} from 'node:test';\n", "long".repeat(50));
    for name in 0..20_000 {
        text.push_str(&format!("import t{name:060} from 'node:test';\n"));
    }
    text.push_str(&format!("t{:060}('first', f);\ntest('plain', f);\n", 0));
    let project = Project::with(&[("a.test.mjs", text.as_str())]);
    assert_eq!(
        project.ok(LIST, json!({})),
        "2 tests in 1 files\na.test.mjs\n  20002: first\n  20003: plain\n"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_whose_name_is_no_text_is_listed_as_other_tools_read_it() {
    use std::os::unix::ffi::OsStrExt;
    let project = Project::new();
    let name = std::ffi::OsStr::from_bytes(b"bad\xff_test.go");
    std::fs::write(project.root().join(name), "func TestA(t *testing.T) {}\n").unwrap();
    let made = std::process::Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(project.root())
        .status();
    assert!(made.unwrap().success());
    let text = project.ok(LIST, json!({}));
    assert_eq!(
        text,
        "1 tests in 1 files\n\"bad\\377_test.go\"\n  1: TestA\n"
    );
    let named = project.ok(LIST, json!({"path": "\"bad\\377_test.go\""}));
    assert_eq!(named, text);
}
