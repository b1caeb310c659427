"""Run the real Pi with Pilotage's extension in it, and without, and compare what came of it."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pilotage.hosts.pi.install import extension_folder, install
from tests.pi.find import Pi
from tests.pi.neutral import neutral
from tests.pi.run import Run, RunningPi
from tests.pi.scenario import Scenario

Json = dict[str, Any]

_LOG = re.compile(r"pi-bash-[0-9a-f]+")


@dataclass(frozen=True)
class Left:
    """What a run left behind, with the folders of this machine renamed."""

    run: Run
    """The run as it was."""
    entries: list[Json]
    """The session file's entries."""
    files: dict[str, bytes]
    """The project's files by their path."""

    @property
    def results(self) -> list[Json]:
        """What the model was told of each call: tool, text, details, and whether it failed."""
        wanted = ("toolCallId", "toolName", "content", "details", "isError")
        told = [entry["message"] for entry in self.entries if entry.get("message", {}).get("role") == "toolResult"]
        return [{name: message.get(name) for name in wanted} for message in told]

    @property
    def texts(self) -> list[str]:
        """The first text of each result."""
        return [result["content"][0]["text"] for result in self.results]

    @property
    def declared(self) -> dict[str, Json]:
        """The tools of the first model request by name."""
        return {tool["function"]["name"]: tool["function"] for tool in self.run.requests[0].body.get("tools", [])}


def play(
    scenario: Scenario,
    pi: Pi,
    folder: Path,
    *,
    served: bool = True,
    home: dict[str, str] | None = None,
    change: Callable[[RunningPi], None] | None = None,
) -> Left:
    """Play a scenario with or without the extension.

    `home` are programs in the home folder, text by name; `change` is done before Pi starts.
    """
    with RunningPi(scenario, pi, folder) as running:
        for name, text in (home or {}).items():
            program = running.home.folder / name
            program.write_text(text)
            program.chmod(0o755)
        if served:
            install(extension_folder(running.home.agent))
        if change is not None:
            change(running)
        running.start()
        running.play()
        run = running.finish()
        lines = [_LOG.sub("pi-bash-0", neutral(text, running.neutral_names())) for text in run.sessions]
        project = running.home.project
        files = {
            path.relative_to(project).as_posix(): path.read_bytes() for path in project.rglob("*") if path.is_file()
        }
    return Left(run, [json.loads(line) for text in lines for line in text.splitlines()], files)


def calling(*calls: tuple[str, Json], **more: Any) -> Scenario:
    """A scenario in which the model makes these calls, one after the other."""
    turns: list[Json] = [{"tool_calls": [{"name": name, "arguments": arguments}]} for name, arguments in calls]
    return Scenario(prompts=["Go."], turns=[*turns, {"text": "Done."}], **more)
