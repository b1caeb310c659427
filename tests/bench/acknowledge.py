"""What acknowledging an input costs while the recommendation hangs (spec N8, H6): the real Pi with and without it.

`python -m tests.bench.acknowledge [--inputs N]`: two Pis in rpc mode get the same inputs in turns; one has Pilotage in
it, and its recommendation takes 10 s. Of every input the time from the prompt to Pi's answer that it has started. Then,
while the recommendation hangs: the input must be in the session file, and the main model must not have been asked.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Self

from pilotage.hosts.pi.install import extension_folder, install
from tests.bench.figures import Figure, share, table
from tests.pi.find import Pi, find_pi
from tests.pi.preparing import ELSE, ON, is_main, questions
from tests.pi.run import RunningPi
from tests.pi.scenario import Scenario

GOAL_MS = 3.0
HANGS_MS = 10_000
PATIENCE = 5.0


class Measured:
    """One Pi, and how long each input took to be acknowledged."""

    def __init__(self, pi: Pi, folder: Path, *, served: bool) -> None:
        block = {"capabilityDiscovery": ON} if served else {}
        slow = {**ELSE, "turn": {"text": "{}", "delay_ms": HANGS_MS}}
        scenario = Scenario(mode="rpc", rules=[slow], fallback={"text": "Done.", "delay_ms": HANGS_MS}, settings=block)
        self.served = served
        self.times: list[float] = []
        """Milliseconds."""
        self.unsaved = 0
        """Inputs that were not in the session file while the recommendation hung."""
        self.asked = 0
        """Requests of the main model while the recommendation hung."""
        self._running = RunningPi(scenario, pi, folder)

    def __enter__(self) -> Self:
        self._running.__enter__()
        if self.served:
            install(extension_folder(self._running.home.agent))
        self._running.start()
        return self

    def __exit__(self, *what: object) -> None:
        self._running.__exit__(*what)

    def give(self, text: str) -> None:
        """Give an input, look at what there is while it waits, and stop it."""
        rpc, server = self._running.rpc, self._running.server
        before = len(server.requests)
        start = time.perf_counter()
        rpc.call({"type": "prompt", "message": text})
        self.times.append(1000 * (time.perf_counter() - start))
        end = time.monotonic() + PATIENCE
        while len(server.requests) == before:
            assert time.monotonic() < end, "nobody was asked"
            time.sleep(0.005)
        if self.served:
            assert questions(server.requests[before:])
            saved = "".join(path.read_text("utf-8") for path in self._running.home.session_files())
            self.unsaved += f'"text":"{text}"' not in saved
            self.asked += sum(map(is_main, server.requests[before:]))
        rpc.call({"type": "abort"})


def measure(inputs: int) -> list[Figure]:
    """All figures; the two Pis take turns, and which of them is first as well."""
    pi = find_pi()
    with (
        tempfile.TemporaryDirectory(prefix="pilotage-bench-") as folder,
        Measured(pi, Path(folder) / "with", served=True) as with_it,
        Measured(pi, Path(folder) / "bare", served=False) as without,
    ):
        for number in range(inputs):
            pair = (with_it, without) if number % 2 else (without, with_it)
            for one in pair:
                one.give(f"Input {number}.")
    # The first input of a process also starts what later ones find started.
    times, bare = with_it.times[1:], without.times[1:]
    added = [one - other for one, other in zip(times, bare, strict=True)]
    return [
        Figure("an acknowledgement, median, ms", share(times, 0.5), base=share(bare, 0.5), note=_spread(times)),
        Figure("the same without, median, ms", share(bare, 0.5), note=_spread(bare)),
        Figure("added, median of pairs, ms", share(added, 0.5), GOAL_MS, note=_spread(added)),
        Figure("added at p95, ms", share(times, 0.95) - share(bare, 0.95), GOAL_MS),
        Figure("the first input: added, ms", with_it.times[0] - without.times[0]),
        Figure("inputs not saved while it hung", with_it.unsaved, 0),
        Figure("main requests while it hung", with_it.asked, 0),
    ]


def _spread(values: list[float]) -> str:
    return " / ".join(f"{value:.1f}" for value in (share(values, 0.5), share(values, 0.95), max(values)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=40, help="inputs to each Pi")
    given = parser.parse_args()
    print(table(measure(given.inputs)))


if __name__ == "__main__":
    main()
