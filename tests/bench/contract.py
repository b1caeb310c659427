"""What the contract costs in the host (spec N6): the same session of the real Pi with and without the extension.

`python -m tests.bench.contract [--calls N] [--rounds N]`: pairs of runs, each of so many calls against a scripted model
that takes no time; of every call the time from the model's message to the result's in the session file, and beside it
what the extension's own work on the arguments takes, in one Node.
"""

import argparse
import json
import subprocess
import tempfile
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from pilotage.hosts.pi.install import extension_folder, install
from tests.bench.figures import Figure, share, table
from tests.pi.find import Pi, find_pi
from tests.pi.scenario import Scenario
from tests.pi.served import play

GOAL_MS = 2.0

LONG = "\n".join(f"line {number}: what the file says there" for number in range(400))

TIMER = """
import { loadContract } from "./contract.js";
const contract = loadContract(new URL("./contract.json", import.meta.url));
const calls = JSON.parse(process.argv[2]);
const times = [];
for (let round = 0; round < 300; round++) {
  for (const [tool, given] of calls) {
    const start = process.hrtime.bigint();
    try { contract.get(tool).accepted(given); } catch { /* a refusal costs as well */ }
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
}
console.log(JSON.stringify(times));
"""


def made_calls(count: int) -> list[tuple[str, dict[str, Any]]]:
    """Calls of each tool, short and long, as a session has them."""
    intent = {"intent": "Does the limit hold where the server stays silent? A third request would say no"}
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("read", {"path": "notes.txt", **intent}),
        ("write", {"path": "long.txt", "content": LONG, **intent, "rationale": "The user asked for it."}),
        ("edit", {"path": "long.txt", "edits": [{"oldText": "line 7:", "newText": "line 7:"}], **intent}),
        ("read", {"path": "long.txt", "offset": 3, "limit": 5, **intent}),
    ]
    return [kinds[number % len(kinds)] for number in range(count)]


def played(pi: Pi, count: int, *, served: bool) -> list[float]:
    """For each call of a run the milliseconds from its message to its result."""
    turns = [{"tool_calls": [{"name": name, "arguments": given}]} for name, given in made_calls(count)]
    scenario = Scenario(prompts=["Go."], turns=turns, files={"notes.txt": "one\ntwo\n"})
    with tempfile.TemporaryDirectory(prefix="pilotage-bench-") as folder:
        left = play(scenario, pi, Path(folder), served=served)
    entries = [entry for entry in left.entries if entry["type"] == "message"]
    return [
        1000 * (_moment(after) - _moment(before))
        for before, after in pairwise(entries)
        if after["message"]["role"] == "toolResult" and before["message"]["role"] == "assistant"
    ]


def _moment(entry: dict[str, Any]) -> float:
    return datetime.fromisoformat(entry["timestamp"]).timestamp()


def judged(pi: Pi, count: int) -> list[float]:
    """The milliseconds that the extension's own work on each call's arguments takes."""
    with tempfile.TemporaryDirectory(prefix="pilotage-bench-") as folder:
        copy = extension_folder(Path(folder))
        install(copy)
        (copy / "timer.mjs").write_text(TIMER)
        calls = [*made_calls(count), ("bash", {"command": "ls"}), ("edit", {"path": "f", "edits": "[" + LONG + "]"})]
        words = [str(pi.node), "--no-warnings", str(copy / "timer.mjs"), json.dumps(calls)]
        done = subprocess.run(words, capture_output=True, check=True, text=True)
    times: list[float] = json.loads(done.stdout)
    return times


def measure(calls: int, rounds: int) -> list[Figure]:
    """All figures; runs with and without the extension take turns."""
    pi = find_pi()
    with_it: list[float] = []
    without: list[float] = []
    for _ in range(rounds):
        with_it += played(pi, calls, served=True)
        without += played(pi, calls, served=False)
    own = judged(pi, 8)
    mean, bare = sum(with_it) / len(with_it), sum(without) / len(without)
    return [
        Figure("a call in Pi, mean, ms", mean, base=bare, note=_spread(with_it)),
        Figure("the same without, mean, ms", bare, note=_spread(without)),
        Figure("added a call, ms", mean - bare, GOAL_MS),
        Figure("added a call at p95, ms", share(with_it, 0.95) - share(without, 0.95), GOAL_MS),
        Figure("the judgement alone at p95, µs", 1000 * share(own, 0.95), 1000 * GOAL_MS, note=_spread(own, 1000)),
    ]


def _spread(values: list[float], factor: float = 1) -> str:
    return " / ".join(f"{factor * value:.0f}" for value in (share(values, 0.5), share(values, 0.95), max(values)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=60, help="calls in each run")
    parser.add_argument("--rounds", type=int, default=6, help="pairs of runs")
    given = parser.parse_args()
    print(table(measure(given.calls, given.rounds)))


if __name__ == "__main__":
    main()
