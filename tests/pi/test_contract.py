"""The extension in the real Pi: what it refuses, and that all else is as without it."""

import json
from pathlib import Path
from typing import Any

import pytest

from pilotage.contract.check import Refused, check, sentence
from pilotage.contract.provenance import PROVENANCE_TOOLS
from pilotage.contract.schema import tool_schema
from pilotage.hosts.pi.install import extension_folder, install
from tests.cli.program import run
from tests.contract.examples import INTENT
from tests.pi.find import Pi
from tests.pi.run import RunningPi, run_pi
from tests.pi.scenario import Scenario
from tests.pi.served import Json, Left, calling, play

pytestmark = pytest.mark.pi

TOUCH = {"command": "touch ran"}
WRITE = {"path": "ran", "content": "x"}
EDIT: Json = {"path": "notes.txt", "edits": [{"oldText": "one", "newText": "ran"}]}
READ = {"path": "notes.txt"}
NOTES = {"notes.txt": "one\ntwo\nthree\nfour\n"}

REFUSED: list[tuple[str, Json]] = [
    ("bash", TOUCH),
    ("bash", {**TOUCH, "intent": ""}),
    ("bash", {**TOUCH, "intent": " \t\u200b\u3000"}),
    ("bash", {**TOUCH, "intent": None}),
    ("bash", {**TOUCH, "intent": 5}),
    ("bash", {**TOUCH, "intent": True}),
    ("bash", {**TOUCH, "intent": ["why"]}),
    ("bash", {**TOUCH, "intent": {"text": "why"}}),
    ("bash", {**TOUCH, "intent": INTENT, "rationale": "\u2060"}),
    ("bash", {**TOUCH, "intent": INTENT, "rationale": 3}),
    ("bash", {**TOUCH, "rationale": ""}),
    ("write", WRITE),
    ("write", {**WRITE, "intent": "\u2800"}),
    ("edit", EDIT),
    ("edit", {"path": "notes.txt", "edits": json.dumps(EDIT["edits"])}),
    ("edit", {"path": "notes.txt", "oldText": "one", "newText": "ran"}),
    ("edit", {"path": "notes.txt", "edits": [{"oldText": "one", "newText": "ran", "intent": INTENT}]}),
    ("read", READ),
    ("read", {**READ, "intent": "\ufeff"}),
]
"""Calls with nothing wrong but their provenance."""


def expected(tool: str, arguments: object) -> str:
    """Give the sentence that the contract itself has for a call."""
    verdict = check(tool, arguments)
    assert isinstance(verdict, Refused)
    return sentence(verdict.violations)


def calls_of(left: Left, folder: Path) -> list[Json]:
    """Give what `pilotage calls --json` prints of a session."""
    session = folder / "s.jsonl"
    session.write_text(left.run.sessions[0], "utf-8")
    return [json.loads(line) for line in run("calls", session, "--json").stdout.splitlines()]


def told_of(rejection: Json) -> tuple[str, list[str]]:
    """Give a rejection's kind and fields."""
    return rejection["kind"], rejection["fields"]


def test_refused_calls_never_run(pi: Pi, tmp_path: Path) -> None:
    """Without a visible intent the agent reads exactly the contract's sentence, and nothing runs (spec H2, C2)."""
    left = play(calling(*REFUSED, files=NOTES), pi, tmp_path)
    assert left.texts == [expected(tool, arguments) for tool, arguments in REFUSED]
    assert all(result["isError"] for result in left.results)
    assert left.files == {"notes.txt": NOTES["notes.txt"].encode()}


def test_refusals_are_read_back(pi: Pi, tmp_path: Path) -> None:
    """`pilotage calls` tells each refusal's kind and fields, and the intent as the model gave it (spec K5)."""
    left = play(calling(*REFUSED[:9], ("bash", {**TOUCH, "intent": INTENT})), pi, tmp_path)
    calls = calls_of(left, tmp_path)
    read = [(call["outcome"], call["rejection"] and told_of(call["rejection"])) for call in calls]
    missing, empty = ("missing-intent", ["intent"]), ("empty-intent", ["intent"])
    hollow = ("empty-rationale", ["rationale"])
    kinds = [missing, empty, empty, *[missing] * 5, hollow]
    assert read == [*(("rejected", kind) for kind in kinds), ("ok", None)]
    assert [call["intent"] for call in calls] == [None, "", " \t\u200b\u3000", *[None] * 5, INTENT, INTENT]


def test_what_is_no_object_is_left_to_pi(pi: Pi, tmp_path: Path) -> None:
    """Arguments that are no JSON, or none at all, get Pi's own words, which tell what was wrong with them."""
    raw = ['{"command": "touch', "[]", "null", "{}"]
    turns = [{"tool_calls": [{"name": "bash", "arguments_raw": text}]} for text in raw]
    left = play(Scenario(prompts=["Go."], turns=turns), pi, tmp_path)
    assert all(text.startswith("Invalid arguments for tool") for text in left.texts[:3])
    assert "intent: missing" in left.texts[3]
    kinds = [call["rejection"]["kind"] for call in calls_of(left, tmp_path)]
    assert kinds == ["not-json", "not-json", "not-json", "missing-intent"]


def told(**arguments: Any) -> Json:
    """Give arguments with an intent."""
    return {**arguments, "intent": INTENT}


SAME: list[tuple[str, Json]] = [
    ("read", told(path="notes.txt")),
    ("read", told(path="notes.txt", offset=2, limit=1)),
    ("read", told(path="notes.txt", offset="2", limit=None, rationale=None)),
    ("read", told(path="notes.txt", offset=99)),
    ("read", told(path="missing.txt")),
    ("read", told(path="swatch.png", rationale="The user named it.")),
    ("write", told(path="new/file.txt", content="été\r\n")),
    ("write", told(path="empty.txt", content="")),
    ("edit", told(path="code.py", edits=[{"oldText": "a = 1", "newText": "a = 2"}, {"oldText": "b", "newText": ""}])),
    ("edit", told(path="code.py", edits='[{"oldText": "a = 2", "newText": "a = 3"}]')),
    ("edit", told(path="code.py", edits={"oldText": "a = 3", "newText": "a = 4"})),
    ("edit", told(path="code.py", oldText="a = 4", newText="a = 5")),
    ("edit", told(path="code.py", edits=[{"oldText": "nowhere", "newText": "x"}])),
    (
        "edit",
        told(
            path="code.py",
            edits=[{"oldText": "a = 5", "newText": "a = 6", "newText_dummy": "", "intent": " ", "rationale": 3}],
        ),
    ),
    ("bash", told(command="echo out; echo err >&2")),
    ("bash", told(command="exit 3", why="an extra key")),
    ("bash", told(command="true", timeout=None)),
    ("bash", told(command="echo slow; sleep 5", timeout=0.2)),
    ("bash", told(command="seq 3000")),
    ("bash", told(command='echo $0 $PREFIX $PI_MODEL; pwd; test -n "$PI_SESSION_ID"')),
    ("bash", told(command=7)),
    ("bash", told(command=None)),
    ("read", told()),
]
"""Calls with an intent: some succeed, some fail, some are not what Pi accepts."""

FILES = {**NOTES, "code.py": "a = 1\nb\n", "swatch.png": "@png"}

SETTINGS: Json = {"shellPath": "~/shell", "shellCommandPrefix": "PREFIX=set", "images": {"autoResize": False}}


@pytest.mark.parametrize("settings", [{}, SETTINGS], ids=["defaults", "settings"])
def test_accepted_calls_run_as_without(pi: Pi, tmp_path: Path, settings: Json) -> None:
    """With an intent every call has the same text, details and effects as without Pilotage (spec H2)."""
    scenario = calling(*SAME, files=FILES, settings=settings)
    shell = {"shell": '#!/bin/sh\nexec bash "$@"\n'}
    served = play(scenario, pi, tmp_path, home=shell)
    bare = play(scenario, pi, tmp_path.with_name(f"{tmp_path.name}-bare"), served=False, home=shell)
    assert served.files == bare.files
    for one, other in zip(served.results, bare.results, strict=True):
        assert _without_received(one) == _without_received(other)
    assert said(served.entries) == said(bare.entries)


def _without_received(result: Json) -> Json:
    """Give a result without the arguments that a validation repeats, provenance and order of fields among them."""
    text = result["content"][0]["text"]
    if not text.startswith("Validation failed"):
        return result
    lines = sorted(text.partition("\n\nReceived arguments:")[0].splitlines())
    return {**result, "content": lines}


def said(entries: list[Json]) -> list[list[Json]]:
    """Give what the model said, calls with their arguments among it."""
    return [entry["message"]["content"] for entry in entries if entry.get("message", {}).get("role") == "assistant"]


def test_provenance_stays_in_the_session(pi: Pi, tmp_path: Path) -> None:
    """The session file keeps the call as the model made it, provenance and extra keys included (spec C4)."""
    left = play(calling(*SAME, files=FILES), pi, tmp_path)
    kept = [block["arguments"] for content in said(left.entries) for block in content if block["type"] == "toolCall"]
    assert kept == [arguments for _, arguments in SAME]


def test_raw_line_breaks_in_edits(pi: Pi, tmp_path: Path) -> None:
    """Edits in a JSON string with raw line breaks, which Pi alone refuses, are accepted as `check` does (cases D2)."""
    edits = '[{"oldText": "one\ntwo", "newText": "1\t\n\\"2\\""}]'
    left = play(calling(("edit", told(path="notes.txt", edits=edits)), files=NOTES), pi, tmp_path)
    assert left.files["notes.txt"] == b'1\t\n"2"\nthree\nfour\n'


def test_model_is_shown_what_schema_prints(pi: Pi, tmp_path: Path) -> None:
    """The tools of a request have the schemas and descriptions that `pilotage schema` prints (spec C10)."""
    left = play(calling(), pi, tmp_path)
    printed = {record["tool"]: record for record in map(json.loads, run("schema", "--json").stdout.splitlines())}
    assert set(left.declared) == set(PROVENANCE_TOOLS) == set(printed)
    for name, tool in left.declared.items():
        assert (tool["description"], tool["parameters"]) == (printed[name]["description"], printed[name]["parameters"])


def test_limits_are_those_of_pi(pi: Pi, tmp_path: Path) -> None:
    """Our descriptions name every limit, option and kind of image that Pi's own name."""
    left = play(calling(), pi, tmp_path, served=False)
    figures = {"bash": ["2000 lines", "50KB", "imeout in seconds"], "read": ["2000 lines", "50KB", "offset"]}
    figures["read"] += ["jpg, png, gif, webp, bmp"]
    for name, wanted in figures.items():
        for text in (left.declared[name]["description"], tool_schema(name).description):
            assert [figure for figure in wanted if figure not in text] == []


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        ([], {}),
        ([], {"defaultTools": ["-bash", "+grep"]}),
        (["--tools", "read,ls"], {}),
        (["--exclude-tools", "write"], {}),
        (["--no-builtin-tools"], {}),
        (["--no-tools"], {}),
    ],
    ids=str,
)
def test_tools_are_those_that_were_chosen(pi: Pi, tmp_path: Path, arguments: list[str], settings: Json) -> None:
    """The extension turns no tool on that the person turned off, and none off."""
    scenario = calling(arguments=arguments, settings=settings)
    served = play(scenario, pi, tmp_path)
    bare = play(scenario, pi, tmp_path.with_name(f"{tmp_path.name}-bare"), served=False)
    assert list(served.declared) == list(bare.declared)


def test_prompt_is_that_of_pi(pi: Pi, tmp_path: Path) -> None:
    """The system prompt, with its lines on each tool, is the same as without Pilotage."""
    served = play(calling(), pi, tmp_path)
    bare = play(calling(), pi, tmp_path.with_name(f"{tmp_path.name}-bare"), served=False)
    first = [
        entry["message"]["sections"]
        for left in (served, bare)
        for entry in left.entries
        if "sections" in entry.get("message", {})
    ]
    assert first[0] == first[1]


def test_resumed_session_keeps_its_tools(pi: Pi, data: Path, tmp_path: Path) -> None:
    """A session that was recorded without Pilotage goes on with the four tools under the contract."""
    assert (data / "plain.jsonl").exists()
    turns = [{"tool_calls": [{"name": "bash", "arguments": TOUCH}]}]
    left = play(Scenario(prompts=["Go on."], turns=turns, resume="plain.jsonl"), pi, tmp_path)
    assert set(left.declared) == set(PROVENANCE_TOOLS)
    assert left.texts[-1] == expected("bash", TOUCH)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("contract.json", None),
        ("contract.json", ""),
        ("contract.json", "{}"),
        ("contract.json", "[]"),
        ("contract.json", '{"tools": {}, "visible": ".", "sentence": {}}'),
        ("contract.json", '{"tools": {"bash": {}}, "visible": "[", "sentence": {}}'),
        ("contract.js", None),
        ("shadow.js", "import { nothing } from './nowhere.js';\n"),
        ("shadow.js", "this is no program"),
        ("rendering.js", "export const other = 1;\n"),
        ("rendering.js", "throw new Error('broken');\n"),
    ],
)
def test_broken_copy_never_stops_pi(pi: Pi, tmp_path: Path, name: str, content: str | None) -> None:
    """With a broken or missing file Pi starts and works as without it, with one line on stderr (spec H1)."""
    with RunningPi(calling(("bash", TOUCH)), pi, tmp_path) as running:
        folder = extension_folder(running.home.agent)
        install(folder)
        (folder / name).unlink()
        if content is not None:
            (folder / name).write_text(content)
        running.start()
        done = running.finish()
        assert (running.home.project / "ran").exists()
    assert (done.exit_code, done.output.strip()) == (0, "Done.")
    assert done.errors.startswith("pilotage: calls need no intent: ")


def test_nothing_is_said_where_all_is_well(pi: Pi, tmp_path: Path) -> None:
    """The extension writes nothing at all: standard output belongs to the answer and to protocols (spec H4)."""
    left = play(calling(("bash", told(**TOUCH))), pi, tmp_path)
    assert (left.run.output.strip(), left.run.errors.strip()) == ("Done.", "")


def test_project_installation(pi: Pi, tmp_path: Path) -> None:
    """In a project the extension works where Pi trusts the project, and does nothing where not (spec G4)."""
    for approval, texts in (["--approve"], [expected("bash", TOUCH)]), ([], ["(no output)"]):
        scenario = calling(("bash", TOUCH), arguments=approval)
        with RunningPi(scenario, pi, tmp_path / f"{len(approval)}") as running:
            install(extension_folder(running.home.project / ".pi"))
            running.start()
            done = running.finish()
        results = [json.loads(line)["message"] for line in done.sessions[0].splitlines() if '"toolResult"' in line]
        assert [result["content"][0]["text"] for result in results] == texts


def test_two_copies_are_one(pi: Pi, tmp_path: Path) -> None:
    """The extension in Pi's own folder and in the project's does no harm: the call is judged once."""
    with RunningPi(calling(("bash", told(**TOUCH)), arguments=["--approve"]), pi, tmp_path) as running:
        install(extension_folder(running.home.agent))
        install(extension_folder(running.home.project / ".pi"))
        running.start()
        done = running.finish()
        assert (running.home.project / "ran").exists()
    assert (done.exit_code, done.errors.strip()) == (0, "")


def test_another_extension_keeps_its_tool(pi: Pi, tmp_path: Path) -> None:
    """A tool that another extension shadows, maybe with a sandbox in it, stays its own; the others are ours."""
    scenario = calling(("bash", TOUCH), ("read", READ), extensions=["other_bash.js"])
    left = play(scenario, pi, tmp_path)
    assert left.texts == ["elsewhere\n", expected("read", READ)]
    assert left.run.exit_code == 0
    assert left.run.errors.startswith("pilotage: bash is another extension's and needs no intent: ")


def test_contract_outlives_a_session(pi: Pi, tmp_path: Path) -> None:
    """After another session was begun the tools are still under the contract."""
    steps: list[Json] = [{"prompt": "Go."}, {"call": {"type": "new_session"}}, {"prompt": "Go on."}]
    turns: list[Json] = [{"tool_calls": [{"name": "bash", "arguments": TOUCH}]}, {"text": "Done."}]
    left = play(Scenario(mode="rpc", rpc=steps, turns=turns * 2), pi, tmp_path)
    assert left.texts == [expected("bash", TOUCH)] * 2


def test_help_and_models_still_list(pi: Pi, tmp_path: Path) -> None:
    """What Pi answers without a session, it answers with the extension too."""
    done = run_pi(Scenario(arguments=["--list-models"]), pi, tmp_path)
    assert done.exit_code == 0
