#!/usr/bin/env python3
"""The rig's own tests: the scripted model's choices and the verdicts on made-up logs.

No agent, no network, no client:  python3 tests/live/test_rig.py
"""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
from dialects import DIALECTS, of  # noqa: E402
from dialects.shapes import Request  # noqa: E402
from fleet import fill, load  # noqa: E402
from playbook import Playbook  # noqa: E402
from rig import applies  # noqa: E402
from tables import BEGIN, END, Matrix, write_page  # noqa: E402
from untouched import Visit, Way, holds  # noqa: E402
from verdict import Verdict, judge  # noqa: E402
from wine import SERVICES, of_wine  # noqa: E402

EDIT = {"name": "Edit", "arguments": {"new": "2"}}
WRITE = {"ide": "intellij_write_file", "want": {"path": "a", "content": "b"}}


def request(*tools, text=""):
    """What an agent shows its model: tools by name or (name, properties), and a user's text."""
    shown = Request()
    for tool in tools:
        name, properties = tool if isinstance(tool, tuple) else (tool, {})
        shown.tools[name] = ({"properties": properties}, "")
    shown.say("user", text)
    return shown


class PlaybookTest(unittest.TestCase):
    def choose(self, shown, *steps, **more):
        """The calls of the first answer, as "name(via)", with the record of it."""
        steps = [{"calls": calls} for calls in steps]
        answer, record = Playbook({"steps": steps, **more}).choose(shown)
        return [f"{call['name']}({call['via']})" for call in answer.calls], record

    def test_a_builtin_tool_that_is_not_offered_is_passed_over_and_recorded(self):
        calls, record = self.choose(request("srv__intellij_write_file"), [EDIT], [WRITE])
        self.assertEqual(calls, ["srv__intellij_write_file(offered)"])
        self.assertEqual(record["hidden"], [{"step": 0, "name": "Edit"}])

    def test_an_ide_tool_is_found_by_the_end_of_its_name_and_takes_the_offered_arguments(self):
        tool = ("mcp__any-server__intellij_write_file", {"file_path": {}, "text": {}})
        _, record = self.choose(request(tool, "my_intellij_write_file_2"), [WRITE])
        call = record["answer"]["tool_calls"][0]
        self.assertEqual(call["name"], tool[0])
        self.assertEqual(call["arguments"], {"file_path": "a", "text": "b"})

    def test_a_name_that_only_ends_alike_is_not_the_tool(self):
        calls, record = self.choose(request("dryrun_tests"), [{"ide": "run_tests"}])
        self.assertEqual(calls, [])
        self.assertEqual(record["not_offered"], [{"step": 0, "ide": "run_tests"}])

    def test_a_tool_that_is_not_listed_is_searched_for_once(self):
        search = {"tool": "ToolSearch", "arguments": {"query": "{name} {words}"}}
        playbook = Playbook({"steps": [{"calls": [WRITE]}], "deferred": search})
        shown = request("ToolSearch", text="there is srv__intellij_write_file")
        first, _ = playbook.choose(shown)
        self.assertEqual(
            first.calls[0]["arguments"],
            {"query": "srv__intellij_write_file intellij write file"},
        )
        second, record = playbook.choose(shown)
        self.assertEqual((second.calls, record["kind"]), ([], "fallback"))

    def test_a_tool_may_be_called_from_code(self):
        code = {"tool": "ts", "find": r"(\w+)\.{tool}\b", "arguments": {"code": "{found}: {args}"}}
        _, record = self.choose(request("ts", text="x.intellij_write_file"), [WRITE], code=code)
        call = record["answer"]["tool_calls"][0]
        self.assertEqual(call["via"], "code")
        self.assertEqual(call["arguments"], {"code": 'x: {"path": "a", "content": "b"}'})

    def test_a_request_without_tools_does_not_advance_the_script(self):
        calls, record = self.choose(request(), [EDIT])
        self.assertEqual((calls, record["kind"]), ([], "aside"))

    def test_every_dialect_reads_what_the_model_is_shown(self):
        function = {"name": "Edit", "description": "d", "parameters": {}}
        bodies = {
            "chat": {
                "messages": [{"role": "tool", "tool_call_id": "c", "content": "no"}],
                "tools": [{"type": "function", "function": function}],
            },
            "responses": {
                "input": [{"type": "function_call_output", "call_id": "c", "output": "no"}],
                "tools": [{"type": "function", **function}],
            },
            "anthropic": {
                "messages": [
                    {
                        "role": "user",
                        "content": [{"type": "tool_result", "tool_use_id": "c", "content": "no"}],
                    }
                ],
                "tools": [{"name": "Edit", "description": "d", "input_schema": {}}],
            },
            "gemini": {
                "contents": [{"parts": [{"functionResponse": {"id": "c", "response": "no"}}]}],
                "tools": [{"functionDeclarations": [function]}],
            },
        }
        for name, body in bodies.items():
            read = DIALECTS[name].read(body)
            self.assertEqual(list(read.tools), ["Edit"], name)
            self.assertEqual(read.messages[0]["tool_call_id"], "c", name)
            self.assertEqual(read.messages[0]["tool_result"].strip('"'), "no", name)

    def test_paths_belong_to_their_dialects(self):
        paths = [
            "/v1/chat/completions",
            "/v1/responses",
            "/v1/messages",
            "/m:streamGenerateContent",
        ]
        self.assertEqual([of(path) for path in paths], list(DIALECTS))
        self.assertIsNone(of("/v1/messages/count_tokens"))


class Story:
    """A made-up run: what the scripted model did and was shown, as its log has it."""

    def __init__(self, folder, **scenario):
        self.folder, self.now = folder, 100.0
        (folder / "project").mkdir()
        self.scenario = {"name": "s", "steps": [], "expect": [], **scenario}
        self.steps, self.llm, self.acp, self.events = [], [], [], []
        self.n_calls, self.answer = 0, None
        self.project_file("old")

    def project_file(self, text):
        (self.folder / "project" / "a.txt").write_text(text)
        self.file = text

    def shown(self, *messages):
        """A request of the agent to its model; what the model answers comes after it."""
        self.now += 1
        record = {"kind": "step", "step": None, "ts": self.now, "shown_tools": []}
        record |= {"new": list(messages), "files": {"a.txt": self.file}, "named_at_start": []}
        self.answer = record["answer"] = {"text": "", "tool_calls": []}
        self.llm.append(record)

    def calls(self, name, via="builtin", ide=None):
        self.n_calls += 1
        call = {"id": f"call_{self.n_calls:04d}", "name": name, "arguments": {}, "input": None}
        self.answer["tool_calls"].append({**call, "via": via, "ide": ide})
        self.llm[-1]["step"] = len(self.steps)
        self.steps.append({"what": "ide" if ide else "call"})
        return call["id"]

    def prompt(self, number):
        line = {"id": number, "method": "session/prompt", "params": {}}
        self.acp.append({"ts": self.now, "dir": "client", "msg": line})

    def prompt_ended(self, number, reason="end_turn"):
        self.now += 1
        line = {"id": number, "result": {"stopReason": reason}}
        self.acp.append({"ts": self.now, "dir": "agent", "msg": line})

    def verdict(self, expect, agent=None, code=0):
        self.scenario["expect"] = expect
        for name, lines in (("llm.jsonl", self.llm), ("acp.jsonl", self.acp)):
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (self.folder / name).write_text(text)
        trial = SimpleNamespace(
            agent={"name": "a", **(agent or {})},
            scenario=self.scenario,
            base=self.folder,
            project=self.folder / "project",
            events=self.events,
            steps=self.steps,
            code=code,
            hung=None,
            interrupted=None,
            left={},
            started=100.0,
            ended=self.now,
        )
        return judge(trial, verbose=True)


def result(call_id, text):
    return {"role": "tool", "tool_call_id": call_id, "tool_result": text}


def user(text):
    return {"role": "user", "text": text}


REASON = "Denied. Use srv__intellij_write_file with path and content."


class VerdictTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.story = Story(Path(folder.name), guide=["intellij_write_file"])
        self.story.prompt(1)
        self.story.shown(user("do it"))

    def check(self, expect, failed, **more):
        verdict = self.story.verdict(expect, **more)
        self.assertEqual(verdict.failed, failed, "\n".join(verdict.lines))
        return verdict

    def test_a_reason_in_the_tool_result_is_guidance_in_the_turn(self):
        call = self.story.calls("Edit")
        self.story.shown(result(call, REASON))
        self.assertTrue(self.check(["guidance", "builtin_blocked"], []).in_turn)

    def test_a_plain_reject_is_no_guidance(self):
        call = self.story.calls("Edit")
        self.story.shown(result(call, "The user rejected this."))
        self.assertFalse(self.check(["guidance"], ["guidance"]).in_turn)

    def test_a_longer_name_is_no_guidance(self):
        call = self.story.calls("Edit")
        self.story.shown(result(call, "There is intellij_write_file_later."))
        self.check(["guidance"], ["guidance"])

    def test_a_continuation_prompt_is_guidance_only_for_agents_that_allow_no_more(self):
        call = self.story.calls("Edit")
        self.story.shown(result(call, "Rejected."))
        self.story.prompt_ended(1)
        self.story.prompt(2)
        self.story.shown(user(REASON))
        self.assertFalse(self.check(["guidance"], ["guidance"]).in_turn)
        self.check(["guidance"], [], agent={"guidance_by": "prompt"})

    def test_guidance_after_the_ide_tool_was_called_is_late(self):
        self.story.calls("Edit")
        self.story.shown(user("Rejected."))
        call = self.story.calls("srv__intellij_write_file", "offered", "intellij_write_file")
        self.story.shown(result(call, f"Notice: {REASON}"))
        self.check(["guidance"], ["guidance"])
        self.check(["guidance"], [], agent={"guidance_by": "any"})

    def test_news_of_a_server_is_no_guidance(self):
        self.story.calls("Edit")
        self.story.shown(user("These tools are now available: srv__intellij_write_file"))
        self.check(["guidance"], ["guidance"])

    def test_a_hidden_tool_needs_no_guidance(self):
        self.story.llm[-1]["hidden"] = [{"step": 0, "name": "Edit"}]
        self.assertIsNone(self.check(["guidance", "builtin_blocked", "nudge"], []).in_turn)

    def test_an_edit_that_went_through_is_seen_in_the_file(self):
        call = self.story.calls("Edit")
        self.story.project_file("new")
        self.story.shown(result(call, REASON))
        self.check(["guidance", "builtin_blocked"], ["builtin_blocked"])

    def test_a_change_by_the_ide_tool_is_no_leak(self):
        call = self.story.calls("Edit")
        self.story.shown(result(call, REASON))
        self.story.calls("srv__intellij_write_file", "offered", "intellij_write_file")
        self.story.project_file("new")
        self.story.shown(user("done"))
        self.check(["builtin_blocked"], [])

    def test_the_tone_must_change_from_denial_to_denial(self):
        texts = [
            "No.",
            "No. Stay in the sandbox; try another way.",
            "No. Still no.",
            "No. Stop, and ask the user.",
        ]
        for text in texts:
            call = self.story.calls("Edit")
            self.story.shown(result(call, text))
        self.check(["nudge", "escalation_2", "escalation_4"], [])

    def test_the_same_words_with_another_number_are_the_same_words(self):
        for number in range(1, 5):
            call = self.story.calls("Edit")
            text = f"Denial {number}: no, try another way or stop."
            self.story.shown(result(call, text))
        expect = ["nudge", "escalation_2", "escalation_4"]
        self.check(expect, expect)

    def nudged(self, text):
        """What `access_nudge` fails with where the model was shown this after a refused call."""
        call = self.story.calls("srv__run_command", "offered", "run_command")
        self.story.steps[-1]["shows"] = "EACCES"
        self.story.shown(result(call, "Error: EACCES"))
        self.story.events.append({"event": "NUDGE", "_ts": 1})
        self.story.shown(user(text))
        return self.story.verdict(["access_nudge"]).failed

    def test_a_nudge_says_three_things_in_the_same_turn(self):
        folder = self.story.folder / "project"
        whole = (
            f"You work in a sandbox: the allowed folder is {folder}. Do not retry the same path."
            " Find another way inside."
        )
        self.assertEqual(self.nudged(whole.replace("retry", "use")), ["access_nudge"])
        self.assertEqual(self.nudged(whole), [])
        self.story.llm.pop()
        self.story.prompt_ended(1)
        self.assertEqual(self.nudged(whole), ["access_nudge"])
        self.story.events.clear()
        self.check(["access_nudge"], ["access_nudge"])

    def test_escalations_come_at_two_and_four_by_one_count_and_stand_in_the_summary(self):
        self.story.calls("Edit")
        self.story.scenario["scope"] = "session"
        at = lambda scope, n: {"event": "ESCALATION", "scope": scope, "denials": n, "_ts": 1}  # noqa: E731
        summary = {"event": "SUMMARY", "escalations": {"turn": 0, "session": 2}, "_ts": 1}
        self.story.events += [at("session", 2), at("session", 4), summary]
        self.check(["escalations"], [])
        self.story.scenario["scope"] = "turn"
        self.check(["escalations"], ["escalations"])
        self.story.events.insert(0, at("turn", 2))
        self.story.events.insert(1, at("turn", 4))
        self.check(["escalations"], ["escalations"])
        summary["escalations"]["turn"] = 2
        self.check(["escalations"], [])

    def test_a_rejected_question_is_a_denial(self):
        option = {"optionId": "no", "kind": "reject_once"}
        question = {"method": "session/request_permission", "id": 7, "params": {}}
        question["params"]["options"] = [option]
        answer = {"id": 7, "result": {"outcome": {"outcome": "selected", "optionId": "no"}}}
        self.story.acp.append({"ts": 101.0, "dir": "agent", "msg": question})
        self.check(["nothing_denied"], ["nothing_denied"])
        self.story.acp.append({"ts": 101.0, "dir": "client", "msg": answer})
        verdict = self.check(["nothing_denied"], ["nothing_denied"])
        self.assertIn("permission requests: reject_once", verdict.lines)

    def test_the_summary_must_name_the_file(self):
        self.story.project_file("new")
        self.story.scenario["written"] = {"a.txt": "new"}
        self.check(["summary", "file_written"], ["summary"])
        self.story.events.append({"event": "SUMMARY", "files_written": ["a.txt"], "_ts": 1})
        self.check(["summary", "file_written"], [])

    def test_exit_status_six_means_cancelled_and_nothing_else(self):
        self.check(["cancelled"], [], code=6)
        self.check(["turn_ended"], ["turn_ended"], code=6)
        self.check(["cancelled"], ["cancelled"], code=0)

    def test_an_agent_that_never_asked_its_model_fails(self):
        self.story.llm.clear()
        self.check([], ["model_reached"])


class TablesTest(unittest.TestCase):
    def test_a_page_gets_what_was_measured_and_keeps_the_rest(self):
        cells = {
            ("a", "s"): Verdict("ok", hidden=True),
            ("b", "s"): Verdict("FAIL", ["x"], ["y: yes", "x: no (/t/rig-b-abcdefgh/p)   <- FAIL"]),
        }
        agents = [{"name": name, "title": name, "install": {"npm": ["@p/q@1"]}} for name in "ab"]
        matrix = Matrix(agents, [{"name": "s"}], cells)
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text(f"before\n{BEGIN}\nearlier figures\n{END}\nafter\n")
            for _ in range(2):
                write_page(page, "the command", [("Heading", matrix)])
            text = page.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"), text)
        self.assertNotIn("earlier", text)
        self.assertIn("| a | hidden |\n| b | no: x |\n", text)
        self.assertIn("- b, s: x: no (p)\n", text)
        self.assertEqual(text.count("the command"), 1)
        self.assertEqual(matrix.figure(), "cells met: 1/2 = 0.50")


class UntouchedTest(unittest.TestCase):
    def changes(self, change, **agent):
        """What counts as changed after `change` has done its work in a home with one file."""
        agent = {"name": "a", "install": {}, **agent}
        visit = Visit(agent, Way("run", False, False), "no client", False)
        self.addCleanup(visit.drop)
        (visit.home / "mine.json").write_text('{"x": {"y": 1}}')
        visit.before = visit.snapshot()
        change(visit.home)
        return visit.changes(visit.snapshot())

    def test_a_changed_a_new_and_a_removed_file_and_a_link_in_its_place_are_seen(self):
        cases = {
            "home/mine.json": lambda home: (home / "mine.json").write_text("{}"),
            "home/new/file": lambda home: [(home / "new").mkdir(), (home / "new/file").touch()],
            "home/empty": lambda home: (home / "empty").mkdir(),
        }
        for path, change in cases.items():
            self.assertEqual(self.changes(change), [path])
        self.assertEqual(
            self.changes(lambda home: (home / "mine.json").unlink()), ["home/mine.json"]
        )

        def link(home):
            (home / "mine.json").rename(home / "other")
            (home / "mine.json").symlink_to(home / "other")

        self.assertEqual(self.changes(link, writes=["other"]), ["home/mine.json"])

    def test_what_the_agent_itself_writes_does_not_count(self):
        log = lambda home: [(home / "logs").mkdir(), (home / "logs/1").touch()]  # noqa: E731
        self.assertEqual(self.changes(log, writes=["logs/*"]), [])

    def test_a_file_that_the_agent_rewrites_must_keep_what_was_said_there(self):
        was = {"x": {"y": [1, 2]}}
        self.assertTrue(holds({"x": {"y": [1, 2], "z": 0}, "w": 1}, was))
        self.assertFalse(holds({"x": {"y": [1]}}, was))
        self.assertFalse(holds({}, was))
        self.assertFalse(holds(None, was))


class DataTest(unittest.TestCase):
    def test_every_scenario_can_be_played_and_judged_for_every_agent(self):
        from checks import Checks

        agents, scenarios = load()
        self.assertTrue(agents and scenarios)
        for scenario in scenarios.values():
            for name in scenario["expect"] + scenario.get("print", []):
                self.assertTrue(hasattr(Checks, name), f"{scenario['name']}: {name}")
            purposes = {step["call"] for step in scenario["steps"] if "call" in step}
            for agent in filter(lambda agent: applies(agent, scenario), agents.values()):
                missing = purposes - set(agent["calls"])
                self.assertFalse(missing, f"{agent['name']} for {scenario['name']}")

    def test_only_known_names_are_filled_in(self):
        template = {"a": ["{cwd}/x", '{"json": {cwd}}', "{unknown}"]}
        filled = fill(template, {"cwd": "/p"})
        self.assertEqual(filled, {"a": ["/p/x", '{"json": /p}', "{unknown}"]})


class WineTest(unittest.TestCase):
    def test_paths_are_those_of_wines_drive_and_only_its_own_services_are_left_out(self):
        self.assertEqual(of_wine("/a b/c"), "Z:\\a b\\c")
        for own in (r"C:\windows\system32\services.exe", "/usr/lib/wine/wineserver64"):
            self.assertTrue(SERVICES.search(own), own)
        for left in (r"C:\windows\system32\cmd.exe /c slow.cmd", r"Z:\x\codex-acp.exe"):
            self.assertFalse(SERVICES.search(left), left)


if __name__ == "__main__":
    # On standard output, where a caller that reads the last lines looks for them.
    unittest.main(testRunner=unittest.TextTestRunner(stream=sys.stdout))
