"""Preparations in the real Pi: what the model is made to predict, and what the main model was given of it."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pilotage.hosts.pi.install import extension_folder, install
from tests.pi.find import Pi
from tests.pi.model_server import Request
from tests.pi.run import Run, RunningPi
from tests.pi.scenario import Scenario

Json = dict[str, Any]

QUESTION = "You look ahead for a coding agent"
OURS = "pilotage_"
ON = {"provider": "example", "model": "glm-5.3", "capabilityPrediction": True, "actionPrediction": True}
WHY = "To see what is asked"
ELSE = {"match": QUESTION, "where": "first", "turn": {"text": "I know nothing of that."}}
"""The rule for every other preparation; it comes last."""


def reading(*names: str) -> list[Json]:
    """Give the actions that read these files of the project."""
    return [{"kind": "read", "path": f"project:{name}", "why": WHY} for name in names]


def running(command: str) -> Json:
    """Give the action that runs a command."""
    return {"kind": "bash", "command": command, "why": WHY}


def predicts(request: str, *actions: Json, capabilities: Iterable[str] = (), **turn: object) -> Json:
    """Give the rule by which the model answers the preparation of a request that begins so."""
    told = {"capabilities": [{"id": one, "why": WHY} for one in capabilities], "actions": list(actions)}
    match = rf"{QUESTION}.*=== request · \w+ ===\\n{request}"
    return {"match": match, "where": "any", "turn": {"text": json.dumps(told), **turn}}


@contextmanager
def served(scenario: Scenario, pi: Pi, folder: Path, links: dict[str, str] | None = None) -> Iterator[RunningPi]:
    """Start Pi with Pilotage in it; `links` are made in the project, what they lead to by name."""
    with RunningPi(scenario, pi, folder) as playing:
        install(extension_folder(playing.home.agent))
        for name, target in (links or {}).items():
            (playing.home.project / name).symlink_to(target)
        playing.start()
        yield playing


def is_question(request: Request) -> bool:
    """Tell whether a request is a preparation's."""
    return str(request.body["messages"][0]["content"]).startswith(QUESTION)


def is_main(request: Request) -> bool:
    """Tell whether a request is the main model's: only there are tools declared."""
    return "tools" in request.body


def questions(requests: Iterable[Request]) -> list[Request]:
    """Pick the preparations' requests."""
    return [request for request in requests if is_question(request)]


def text_of(message: Json) -> str:
    """Give a message's text."""
    content = message.get("content")
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content or ())


def is_ours(message: Json) -> bool:
    """Tell whether Pilotage put a message into a request."""
    calls = message.get("tool_calls") or [{"id": message.get("tool_call_id") or ""}]
    is_text = message["role"] == "user" and text_of(message).startswith("[Pilotage, not the user]")
    return is_text or calls[0]["id"].startswith(OURS)


def told(request: Request) -> list[tuple[str, list[Json]]]:
    """Give each input of a request with what Pilotage put right behind it; it stands nowhere else."""
    inputs: list[tuple[str, list[Json]]] = []
    can_follow = False
    for message in request.body["messages"]:
        if is_ours(message):
            assert can_follow, "something was put where no input is before it"
            inputs[-1][1].append(message)
        else:
            can_follow = message["role"] == "user"
            if can_follow:
                inputs.append((text_of(message), []))
    return inputs


def brought(messages: list[Json]) -> list[tuple[str, str]]:
    """Give path or command of each action in what Pilotage put behind an input, and the result."""
    calls = [call for message in messages for call in message.get("tool_calls") or ()]
    results = {message["tool_call_id"]: text_of(message) for message in messages if message["role"] == "tool"}
    assert [call["id"] for call in calls] == list(results)
    given = [(json.loads(call["function"]["arguments"]), results[call["id"]]) for call in calls]
    return [(arguments.get("path") or arguments["command"], text) for arguments, text in given]


def own_session(run: Run, number: int = 0) -> list[Json]:
    """Give the entries of a main session of a run, in the order in which they began; children are left out."""
    sessions = [[json.loads(line) for line in text.splitlines()] for text in run.sessions]
    own = [entries for entries in sessions if not str(entries[0]["cwd"]).endswith("/tmp/pilotage")]
    return sorted(own, key=lambda entries: entries[0]["timestamp"])[number]


def data_of(entries: list[Json], custom_type: str) -> list[Json]:
    """Give the data of all custom entries of a type."""
    return [entry["data"] for entry in entries if entry.get("customType") == custom_type]


def ends(entries: list[Json]) -> list[tuple[str, str]]:
    """Give how each attempt ended: its outcome and the kind of its failure."""
    notes = data_of(entries, "capability-prefetch-diagnostic")
    return [(note["outcome"], note.get("failure", {}).get("kind", "")) for note in notes if note["event"] == "end"]
