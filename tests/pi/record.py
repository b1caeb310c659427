"""Records `tests/data` and the demo anew with the real Pi: `python -m tests.pi.record [NAME …]`.

Every scenario leaves one file of its own name. Those that go on with another's recording are played last.
Folders of this machine get neutral names; ids and times are those of the recording, so that every new one
differs.
"""

import sys

from tests.pi.find import NoPiError, Pi, find_pi
from tests.pi.neutral import neutral
from tests.pi.run import DATA, RunningPi
from tests.pi.scenario import HERE, Scenario, load_scenario

DEMO = HERE.parents[1] / "src" / "pilotage" / "demo" / "recording.jsonl"
"""What `pilotage demo` plays."""


def record(scenario: Scenario, pi: Pi) -> str:
    """Play a scenario and return the session file that it left, folders renamed.

    `RuntimeError` is raised when it left no session file, or more than one.
    """
    with RunningPi(scenario, pi) as running:
        running.start()
        running.play()
        run = running.finish()
        if len(run.sessions) != 1:
            raise RuntimeError(f"{len(run.sessions)} session files; Pi said: {run.errors}")
        return neutral(run.sessions[0], running.neutral_names())


def scenarios(names: list[str]) -> dict[str, Scenario]:
    """Load the named scenarios, or all; those that go on with a recording come last."""
    paths = sorted(path for path in (HERE / "scenarios").iterdir() if not path.stem.endswith("_reminders"))
    loaded = {path.stem: load_scenario(path) for path in paths if not names or path.stem in names}
    return dict(sorted(loaded.items(), key=lambda item: bool(item[1].resume)))


def main(names: list[str]) -> int:
    """Record what is named, or everything; return 1 when there is no Pi."""
    try:
        pi = find_pi()
    except NoPiError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for name, scenario in scenarios(names).items():
        path = DEMO if name == "demo" else DATA / f"{name}.jsonl"
        path.write_text(record(scenario, pi), "utf-8")
        sys.stdout.write(f"{name}: {path.stat().st_size} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
