"""Records `tests/data` and the demo anew with the real Pi: `python -m tests.pi.record [NAME …]`.

Every scenario leaves one file of its own name. Those that go on with another's recording are played last. Where one
sets Pilotage up, Pilotage serves Pi, and a folder of the same name holds the children.
Folders of this machine get neutral names; ids and times are those of the recording, so that every new one
differs.
"""

import sys
from pathlib import Path

from pilotage.evidence.child import FOLDER
from pilotage.hosts.pi.configuration import BLOCK
from pilotage.hosts.pi.install import extension_folder, install
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
    return record_all(scenario, pi)[0]


def record_all(scenario: Scenario, pi: Pi) -> tuple[str, dict[str, str]]:
    """The same, and the children that Pilotage wrote beside it, text by file name."""
    with RunningPi(scenario, pi) as running:
        if BLOCK in scenario.settings:
            install(extension_folder(running.home.agent))
        running.start()
        running.play()
        run = running.finish()
        names = running.neutral_names() | {str(running.home.temporary / FOLDER): f"/tmp/{FOLDER}"}
        texts = {path: neutral(path.read_text("utf-8"), names) for path in running.home.session_files()}
    own = [text for path, text in texts.items() if path.parent == running.home.session_folder]
    if len(own) != 1:
        raise RuntimeError(f"{len(own)} session files; Pi said: {run.errors}")
    return own[0], {path.name: text for path, text in texts.items() if path.parent != running.home.session_folder}


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
        session, children = record_all(scenario, pi)
        path.write_text(session, "utf-8")
        _write_children(path.with_suffix(""), children)
        sys.stdout.write(f"{name}: {path.stat().st_size} bytes\n")
    return 0


def _write_children(folder: Path, children: dict[str, str]) -> None:
    """Write the children into a folder, in place of those of the recording before."""
    for path in folder.glob("*.jsonl"):
        path.unlink()
    for name, text in children.items():
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
