"""Reviews in the real Pi: what the model is made to say of a trajectory, and what came of it."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.pi.model_server import Request
from tests.pi.preparing import is_main
from tests.pi.run import RunningPi

Json = dict[str, Any]

QUESTION = "coding agent at work"
NOTE = "capability-prefetch-diagnostic"
REMINDER = "capability-trajectory-warning"
INTENT = "Does it end well? An error would say no"
ENDED = '"event":"end"'


def reviewing(every: int, **more: object) -> Json:
    """Give the settings with which the trajectory is reviewed every so many steps."""
    block = {"provider": "example", "model": "glm-5.3", "trajectoryWarnings": True, **more}
    return {"capabilityDiscovery": {**block, "trajectoryWarningEverySteps": every}}


def says(*pairs: tuple[str, str], **more: object) -> Json:
    """Give the answer to a review that has these reminders."""
    return {"text": json.dumps({"reminders": pairs}), **more}


def rule(*turns: Json) -> Json:
    """Give the rule by which reviews are answered, one after the other."""
    return {"match": QUESTION, "where": "first", "turns": list(turns) or [says()]}


def step(*commands: str) -> Json:
    """Give a turn of the main model that runs these commands at once; one that does nothing where there is none."""
    calls = [{"command": command, "intent": INTENT} for command in commands or ("true",)]
    return {"tool_calls": [{"name": "bash", "arguments": call} for call in calls]}


def once_ended(count: int) -> Json:
    """Give a step whose command goes on until so many reviews of the session have ended."""
    return step(_until(f"""[ "$(grep -c '{ENDED}' "$PI_SESSION_FILE")" -ge {count} ]"""))


def once_there(name: str) -> Json:
    """Give a step whose command goes on until the test has put a file of that name into the project."""
    return step(_until(f"[ -e {name} ]"))


def _until(condition: str) -> str:
    return f"for n in $(seq 400); do {condition} && exit 0; sleep 0.05; done; exit 1"


def entries_of(path: Path) -> list[Json]:
    """Give a session's entries."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def parents(running: RunningPi) -> list[Path]:
    """Give the sessions that Pi itself has written, oldest first."""
    return sorted(running.home.session_folder.glob("*.jsonl"))


def notes(path: Path, event: str = "end") -> list[Json]:
    """Give what the diagnostic entries of one event tell."""
    data = [entry["data"] for entry in entries_of(path) if entry.get("customType") == NOTE]
    return [one for one in data if one["event"] == event]


def await_ends(running: RunningPi, count: int, event: str = "end") -> list[Json]:
    """Wait until so many reviews of the newest session have ended, or come to another event; their notes."""

    def look() -> list[Json] | None:
        sessions = parents(running)
        found = notes(sessions[-1], event) if sessions else []
        return found if len(found) >= count else None

    return running.wait_until(look) if count else []


def states(end: Json) -> list[str]:
    """Give the state of each reminder of a review's end."""
    return [reminder["state"] for reminder in end["reminders"]]


def asked(requests: Iterable[Request]) -> list[Request]:
    """Pick the requests of reviews."""
    return [request for request in requests if QUESTION in str(request.body["messages"][0]["content"])]


def mains(requests: Iterable[Request]) -> list[Request]:
    """Pick the requests of the main model."""
    return [request for request in requests if is_main(request)]


def reminded(requests: Iterable[Request]) -> list[int]:
    """Count for each request the reminders in it."""
    return [request.raw.decode().count("Automatic review by Pilotage") for request in requests]


def due_steps(path: Path, every: int) -> list[int]:
    """Give the steps of a session without branches after which a review is due, by the session's entries alone."""
    due: list[int] = []
    at = 0
    for entry in entries_of(path):
        message = entry.get("message", {})
        if message.get("role") == "user":
            at = 0
        elif message.get("role") == "assistant" and message["stopReason"] not in ("aborted", "error"):
            at += 1
            due += [at] if every and at % every == 0 else []
    return due
