"""Public runs of agents with known mistakes, as sessions to review; the data stay where they are.

`DATA` holds `who_and_when/*/*.json` (a run that failed, the step of its mistake named by a person) and
`tau_airline.json` (runs under a policy, each with a reward of 0 or 1).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

from pilotage.records.fields import as_dict, as_list, as_text
from tests.handmade import Fields, agent, call, ran, user

MISTAKE, CLEAN, FAILED = "mistake", "clean", "failed"
"""What a prefix is: one that holds a known mistake; one without; the whole of a run that failed somewhere."""

_TERMINALS = ("Computer_terminal", "ComputerTerminal")


@dataclass(frozen=True)
class Run:
    """One run as a session."""

    name: str
    """Its source and number."""
    system: dict[str, str]
    """Sections of the system prompt, the source of principles."""
    entries: tuple[tuple[Fields, ...], ...]
    """For each step of the run what a session says of it."""
    mistake: int | None = None
    """The step of the mistake, from 0."""
    succeeded: bool = False
    """Whether the run reached its goal."""


@dataclass(frozen=True)
class Prefix:
    """The beginning of a run, to be reviewed."""

    run: Run
    """The run."""
    steps: int
    """How many steps it holds."""
    kind: str
    """What it is."""

    @property
    def key(self) -> str:
        """The name under which its result is kept."""
        return f"{self.run.name}:{self.steps}"

    def session(self) -> list[Fields]:
        """Give the entries of its session."""
        prompt: Fields = {"type": "message", "message": {"role": "system", "content": "", "sections": self.run.system}}
        return [prompt, *chain.from_iterable(self.run.entries[: self.steps])]


def prefixes(runs: Sequence[Run], k: int) -> Iterator[Prefix]:
    """Give what is reviewed of each run, so that any first part of it has runs of every source.

    Of a run with a known mistake the `k` prefixes from the mistake on and two that end before it; of one that
    succeeded two; of one that failed somewhere the whole.
    """
    for run in runs:
        whole = len(run.entries)
        if run.mistake is not None:
            before = sorted({run.mistake // 2 + 1, run.mistake})
            yield from (Prefix(run, steps, CLEAN) for steps in before if 1 < steps <= run.mistake)
            yield from (
                Prefix(run, steps, MISTAKE) for steps in range(run.mistake + 1, min(run.mistake + k, whole) + 1)
            )
        elif run.succeeded:
            yield from (
                Prefix(run, steps, CLEAN) for steps in sorted({_step_end(run, whole // 2), _step_end(run, whole)})
            )
        else:
            yield Prefix(run, _step_end(run, whole), FAILED)


def _step_end(run: Run, steps: int) -> int:
    """Give the last end of a step up to here: a review is never asked while the user speaks or a call runs."""
    while steps > 1 and not _ends_step(run.entries[steps - 1][-1]):
        steps -= 1
    return steps


def _ends_step(entry: Fields) -> bool:
    message = as_dict(entry.get("message"))
    return message.get("role") == "toolResult" or message.get("stopReason") == "stop"


def read_runs(data: Path) -> list[Run]:
    """Read all runs, those of each source in turn."""
    folders = [
        sorted((data / "who_and_when" / name).glob("*.json")) for name in ("Algorithm-Generated", "Hand-Crafted")
    ]
    sources: list[list[Run]] = [[_who_and_when(path) for path in paths] for paths in folders]
    airline = data / "tau_airline.json"
    if airline.exists():
        sources.append([_airline(number, run) for number, run in enumerate(json.loads(airline.read_text()))])
    return [run for turn in zip_longest(*sources) for run in turn if run is not None]


def _who_and_when(path: Path) -> Run:
    run = json.loads(path.read_text())
    entries = [_said(as_dict(step)) for step in run["history"]]
    entries[0] = (user(as_text(run["question"])), *entries[0])
    system = {name: text for name, text in as_dict(run.get("system_prompt")).items() if isinstance(text, str)}
    return Run(f"{path.parent.name}/{path.stem}", system, tuple(entries), mistake=int(run["mistake_step"]))


def _said(step: dict[str, object]) -> tuple[Fields, ...]:
    """What one of several agents said; what a terminal printed is no more told than any other result."""
    name = as_text(step.get("name")) or as_text(step.get("role"))
    text = as_text(step.get("content"))
    if name == "human":
        return ()
    if name in _TERMINALS:
        failed = "exitcode: 0" not in text
        return (agent(call("run", "terminal")), ran("run", text, is_error=failed))
    return (agent(text=f"{name}: {text}", stop="stop"),)


def _airline(number: int, run: dict[str, object]) -> Run:
    messages = [as_dict(message) for message in as_list(run.get("traj"))]
    policy = as_text(messages[0].get("content")) if messages else ""
    entries = tuple(_message(message) for message in messages[1:])
    return Run(f"tau_airline/{number}", {"policy": policy}, entries, succeeded=run.get("reward") == 1)


def _message(message: dict[str, object]) -> tuple[Fields, ...]:
    text = as_text(message.get("content"))
    if message.get("role") == "user":
        return (user(text),)
    if message.get("role") == "tool":
        return (ran(as_text(message.get("tool_call_id")), text, is_error=text.startswith("Error")),)
    calls = [_call(as_dict(made)) for made in as_list(message.get("tool_calls"))]
    return (agent(*calls, text=text, stop="toolUse" if calls else "stop"),)


def _call(made: dict[str, object]) -> Fields:
    function = as_dict(made.get("function"))
    arguments = as_dict(json.loads(as_text(function.get("arguments")) or "{}"))
    return call(as_text(made.get("id")), as_text(function.get("name")), **arguments)
