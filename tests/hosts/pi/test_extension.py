"""The extension's own modules, run by Node: the contract is the one that `check` knows, the rendering is Pi's."""

import json
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pilotage.contract.check import Accepted, Refused, check, sentence
from pilotage.contract.provenance import has_visible_character
from pilotage.hosts.pi.install import extension_folder, install
from tests.contract.examples import BARE, INTENT, call
from tests.pi.find import Pi

pytestmark = pytest.mark.pi

HERE = Path(__file__).parent

HALVES: list[object] = [None, True, False, 5, 1.5, [], ["x"], {}, "", " ", "\u200b", "\u2800", "\ud83d", "ok", "理由"]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an installed copy of the extension."""
    folder = extension_folder(tmp_path_factory.mktemp("agent"))
    install(folder)
    return folder


def judged(pi: Pi, copy: Path, calls: list[tuple[str, object]]) -> list[dict[str, Any]]:
    """Give what the extension says to each call."""
    lines = "\n".join(json.dumps(call) for call in calls)
    words = [str(pi.node), "--no-warnings", str(HERE / "judge.js"), str(copy)]
    done = subprocess.run(words, input=lines, capture_output=True, check=True, text=True, timeout=60)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_visible_characters_are_the_same(pi: Pi, copy: Path) -> None:
    """The extension finds the same characters visible as `check`, of all that this Python's Unicode knows (spec C2).

    A few combining marks changed their category between two versions of Unicode; nothing else may differ.
    """
    known = [code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) != "Cn"]
    (answer,) = judged(pi, copy, [("", known)])
    differing = set(answer["visible"]) ^ {code for code in known if has_visible_character(chr(code))}
    assert {code for code in differing if unicodedata.category(chr(code))[0] != "M"} == set()
    assert len(differing) < 20


def test_refusals_are_the_same(pi: Pi, copy: Path) -> None:
    """Whatever stands in place of intent and rationale, the extension says what `check` says (spec H2)."""
    intents: list[dict[str, object]] = [{}, *({"intent": half} for half in HALVES)]
    calls = [
        (tool, {**bare, **intent, "rationale": rationale})
        for tool, bare in BARE.items()
        for intent in intents
        for rationale in HALVES
    ]
    for (tool, arguments), answer in zip(calls, judged(pi, copy, list(calls)), strict=True):
        verdict = check(tool, arguments)
        wanted = {"refused": sentence(verdict.violations)} if isinstance(verdict, Refused) else None
        assert (answer if "refused" in answer else None) == wanted


NAMES = ("path", "content", "command", "timeout", "offset", "limit", "why", "oldText", "intent2", "__proto__", "edits2")
VALUES: tuple[object, ...] = (None, "", " ", "3", "x", 7, True, [], {}, {"intent": "x"})


def test_extra_keys_never_refuse(pi: Pi, copy: Path) -> None:
    """Whatever else a call carries, the extension accepts it where `check` does, with the same keys (spec C4)."""
    chance = Random(7)
    calls: list[tuple[str, object]] = []
    for _ in range(1000):
        tool = chance.choice(list(BARE))
        extra = {chance.choice(NAMES): chance.choice(VALUES) for _ in range(chance.randint(0, 5))}
        calls.append((tool, {**extra, **call(tool)}))
    for (tool, arguments), answer in zip(calls, judged(pi, copy, calls), strict=True):
        verdict = check(tool, arguments)
        assert "accepted" in answer
        if isinstance(verdict, Accepted):
            bare = answer["accepted"].keys() - {"intent", "rationale"}
            assert bare == verdict.arguments.keys()


def test_edits_carry_no_provenance(pi: Pi, copy: Path) -> None:
    """Per-edit provenance and other extra keys of an edit are stripped and never refused (spec C4)."""
    extras = [
        {},
        {"intent": "x"},
        {"intent": None, "rationale": 3},
        {"newText_dummy": ""},
        {"path": "p", "_comment": []},
    ]
    edits = [{**extra, "oldText": str(place), "newText": ""} for place, extra in enumerate(extras)]
    (answer,) = judged(pi, copy, [("edit", call("edit", edits=edits))])
    assert answer["accepted"]["edits"] == [{"oldText": str(place), "newText": ""} for place, _ in enumerate(extras)]


@pytest.mark.parametrize("given_value", [None, [], "text", 7, True, {}])
def test_what_is_no_call_is_left_to_pi(pi: Pi, copy: Path, given_value: object) -> None:
    """What is no object, or holds nothing, comes back as it is: Pi has its own words for it."""
    assert judged(pi, copy, [("bash", given_value)]) == [{"accepted": given_value}]


DOUBLE = """
export const seen = [];
const definition = (name, options) => ({
  name, options, label: name, parameters: {}, promptSnippet: "own",
  execute(id, params, ...others) { seen.push([name, options, params, others]); return "done"; },
});
export const createBashToolDefinition = (folder, options) => definition("bash", options);
export const createEditToolDefinition = (folder, options) => definition("edit", options);
export const createReadToolDefinition = (folder, options) => definition("read", options);
export const createWriteToolDefinition = (folder, options) => definition("write", options);
export const SettingsManager = { inMemory: (settings) => ({
  getShellPath: () => settings.shellPath, getShellCommandPrefix: () => settings.shellCommandPrefix,
  getImageAutoResize: () => settings.images?.autoResize,
}) };
"""
"""A Pi whose tools only note what reaches them."""

CALLER = """
import { shadowTools } from "./shadow.js";
import { loadContract } from "./contract.js";
import { seen } from "@earendil-works/pi-coding-agent";
const tools = [];
const pi = {
  on: (_name, handler) => (pi.begin = handler), getAllTools: () => [], registerTool: (tool) => tools.push(tool),
  registerToolRenderer: () => undefined,
  getSettings: () => ({ shellPath: "/s", shellCommandPrefix: "p", images: { autoResize: false } }),
};
shadowTools(pi, loadContract(new URL("./contract.json", import.meta.url)));
pi.begin({}, { cwd: "/w" });
for (const tool of tools) {
  const edits = [{ oldText: "a", newText: "b", intent: "x" }];
  const given = { path: "f", why: 1, intent: "see", rationale: "asked", edits };
  tool.execute("id", tool.prepareArguments(given), "signal", "update", "ctx");
}
const kept = tools.map((tool) => [tool.name, tool.promptSnippet, tool.defaultActive]);
console.log(JSON.stringify({ seen, tools: kept }));
"""


def test_provenance_never_reaches_pis_own_tool(pi: Pi, copy: Path, tmp_path: Path) -> None:
    """Pi's own tools get the arguments that they know, the signal and the rest as they came, and Pi's settings."""
    folder = tmp_path / "copy"
    shutil.copytree(copy, folder)
    for name, text in ("pi-coding-agent", DOUBLE), ("pi-tui", "export class Container {}\nexport class Text {}\n"):
        package = folder / "node_modules" / "@earendil-works" / name
        package.mkdir(parents=True)
        (package / "package.json").write_text('{"type": "module", "exports": "./index.js"}')
        (package / "index.js").write_text(text)
    (folder / "caller.mjs").write_text(CALLER)
    words = [str(pi.node), "--no-warnings", str(folder / "caller.mjs")]
    done = subprocess.run(words, capture_output=True, check=True, text=True, timeout=60)
    told = json.loads(done.stdout)
    edits, rest = [{"oldText": "a", "newText": "b"}], ["signal", "update", "ctx"]
    assert told["seen"] == [
        ["bash", {"shellPath": "/s", "commandPrefix": "p"}, {}, rest],
        ["edit", None, {"path": "f", "edits": edits}, rest],
        ["read", {"autoResizeImages": False}, {"path": "f"}, rest],
        ["write", None, {"path": "f"}, rest],
    ]
    assert told["tools"] == [[name, "own", False] for name in ("bash", "edit", "read", "write")]


def plain(lines: list[str]) -> list[str]:
    """Give lines without their colours."""
    return [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in lines]


def result(text: str, details: object = None, *, failed: bool = False) -> dict[str, object]:
    """Give a result as Pi hands it to its terminal."""
    return {"content": [{"type": "text", "text": text}], "details": details, "isError": failed}


DIFF = {"diff": "-1 one\n+1 two", "firstChangedLine": 1}

DRAWN: list[dict[str, Any]] = [
    {"tool": "bash", "arguments": {"command": "ls", "timeout": 3}, "result": result("a\nb\n")},
    {"tool": "bash", "arguments": {"command": "false"}, "result": result("Command exited with code 1", failed=True)},
    {"tool": "read", "arguments": {"path": "f.py", "offset": 2, "limit": 3}, "result": result("x = 1\n")},
    {"tool": "write", "arguments": {"path": "f.py", "content": "x = 1\ny = 2\n"}, "result": result("Successfully")},
    {
        "tool": "edit",
        "arguments": {"path": "f.txt", "edits": [{"oldText": "one", "newText": "two"}]},
        "result": result("Successfully", DIFF),
    },
    {
        "tool": "edit",
        "arguments": {"path": "gone.txt", "edits": [{"oldText": "one", "newText": "two"}]},
        "result": result("Could not edit", failed=True),
    },
]


@pytest.fixture(scope="module")
def linked(pi: Pi, copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy that finds Pi's packages, with a file to edit beside it."""
    folder = tmp_path_factory.mktemp("linked") / "copy"
    shutil.copytree(copy, folder)
    (folder / "node_modules").symlink_to(pi.packages / "node_modules")
    (folder / "f.txt").write_text("one\n")
    shutil.copy(HERE / "render.js", folder / "render.mjs")
    return folder


def drawn(pi: Pi, linked: Path, calls: list[dict[str, Any]]) -> list[Any]:
    """Give how Pi draws each call with its own tool, and with ours, at four moments."""
    words = [str(pi.node), "--no-warnings", "render.mjs"]
    done = subprocess.run(
        words, cwd=linked, input=json.dumps(calls), capture_output=True, check=False, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


@pytest.mark.parametrize("rationale", [None, "The user asked for it."])
def test_intent_is_drawn_in_front(pi: Pi, linked: Path, rationale: str | None) -> None:
    """Intent and rationale come first, then all that Pi itself shows, colours and diff included (pi/PROBES.md f)."""
    calls = [{**one, "arguments": {**one["arguments"], "intent": INTENT, "rationale": rationale}} for one in DRAWN]
    for own, ours in drawn(pi, linked, calls):
        for bare, told in zip(own, ours, strict=True):
            said = [INTENT] if rationale is None else [INTENT, rationale]
            shown = [line for line in plain(told) if line]
            assert shown[: len(said)] == said
            assert [line for line in told if plain([line])[0] not in said] == bare


def test_call_without_intent_is_drawn_as_pi_draws_it(pi: Pi, linked: Path) -> None:
    """While a call has no intent, or one that is no text, nothing is added."""
    values: list[object] = [None, 5, " ", []]
    calls = [{**one, "arguments": {**one["arguments"], "intent": value}} for one in DRAWN for value in values]
    for own, ours in drawn(pi, linked, calls):
        assert ours == own


def test_hostile_intent_steers_no_terminal(pi: Pi, linked: Path) -> None:
    """Whatever an intent holds is drawn on one line with no escape, control or bidirectional character (spec U8)."""
    hostile = "a\x1b]0;x\x07b\x9b31m\ud800\u202ec\u2028d\r\ne\tf"
    calls = [{**one, "arguments": {**one["arguments"], "intent": hostile}} for one in DRAWN]
    for _, ours in drawn(pi, linked, calls):
        for told in ours:
            first = next(line for line in plain(told) if line)
            assert first == "a ]0;x b 31m c d e f"
