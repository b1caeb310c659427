"""Run the real Pi in a throwaway home and project, against the scripted model.

`run_pi` plays a scenario to its end. `RunningPi` is for tests that look on while Pi works: the folders exist
as soon as it is entered, and Pi starts when it is told to.
"""

import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from tests.pi.find import Pi
from tests.pi.home import Home
from tests.pi.model_server import ModelServer, Request
from tests.pi.neutral import restored
from tests.pi.rpc import Rpc
from tests.pi.scenario import HERE, Scenario

Found = TypeVar("Found")

DATA = HERE.parent / "data"
"""Where recordings are kept."""


@dataclass(frozen=True)
class Run:
    """What a run left behind."""

    exit_code: int
    """Pi's exit code; negative for a signal."""
    sessions: list[str]
    """The session files' content, oldest first."""
    requests: list[Request]
    """Every model request."""
    output: str
    """Standard output, in `print` and `json` mode."""
    errors: str
    """Standard error."""


class RunningPi:
    """A home, a project and a model server from `__enter__` on, and from `start` on the Pi that uses them.

    Everything lies below `folder`, or below a temporary folder that is removed at the end.
    """

    def __init__(self, scenario: Scenario, pi: Pi, folder: Path | None = None) -> None:
        self.home = Home(folder or Path(tempfile.mkdtemp(prefix="pilotage-pi-")))
        """The folders."""
        self.server = ModelServer(scenario)
        """The model."""
        self.process: subprocess.Popen[bytes] | None = None
        """Pi, once it was started."""
        self._scenario, self._pi = scenario, pi
        self._is_temporary = folder is None
        self._rpc: Rpc | None = None

    @property
    def rpc(self) -> Rpc:
        """The conversation with a Pi that was started in rpc mode."""
        if self._rpc is None:
            raise RuntimeError("Pi was not started in rpc mode")
        return self._rpc

    def __enter__(self) -> Self:
        self.server.__enter__()
        self.home.fill(self._scenario, self.server.url)
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                if stream is not None:
                    stream.close()
        self.server.__exit__()
        if self._is_temporary:
            shutil.rmtree(self.home.root, ignore_errors=True)

    def start(self, *more: str) -> None:
        """Start Pi, with further words, and return at once; in rpc mode, when it is ready."""
        is_rpc = self._scenario.mode == "rpc"
        root = self.home.root
        with (root / "errors").open("wb") as errors, (root / "output").open("wb") as output:
            self.process = subprocess.Popen(
                [*self._command(), *more],
                cwd=self.home.project,
                env=self._environment(),
                stdin=subprocess.PIPE if is_rpc else subprocess.DEVNULL,
                stdout=subprocess.PIPE if is_rpc else output,
                stderr=errors,
            )
        if is_rpc:
            self._rpc = Rpc(self.process)
            self._rpc.call({"type": "get_state"})

    def play(self) -> None:
        """Do the scenario's rpc steps, one after the other."""
        for step in self._scenario.rpc:
            self._do(step)

    def finish(self, timeout: float = 120) -> Run:
        """Wait until Pi has ended (in rpc mode, ask it to) and collect what it left.

        `subprocess.TimeoutExpired` is raised when Pi does not end within `timeout` seconds.
        """
        if self.process is None:
            raise RuntimeError("Pi was not started")
        if self.process.stdin is not None:
            self.process.stdin.close()
        exit_code = self.process.wait(timeout)
        sessions = [path.read_text("utf-8") for path in self.home.session_files()]
        said = [(self.home.root / name).read_text("utf-8", "replace") for name in ("output", "errors")]
        return Run(exit_code, sessions, self.server.requests, *said)

    def neutral_names(self) -> dict[str, str]:
        """Give the neutral name of each folder of this run."""
        return self.home.names(self._pi)

    def wait_for_line(self, text: str, timeout: float = 60) -> None:
        """Wait until a session file holds `text`; raise `TimeoutError` if none does within `timeout` seconds."""
        files = self.home.session_files
        self.wait_until(lambda: any(text in path.read_text("utf-8", "replace") for path in files()), timeout)

    def wait_until(self, look: Callable[[], Found | None], timeout: float = 60) -> Found:
        """Look until there is something, and return it; raise `TimeoutError` after `timeout` seconds."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if found := look():
                return found
            time.sleep(0.01)
        raise TimeoutError(f"what was waited for did not come within {timeout:g} s")

    def _do(self, step: dict[str, Any]) -> None:
        """Do one rpc step: what it is stands in its only key."""
        match step:
            case {"prompt": str(text)}:
                self.rpc.prompt(text)
            case {"begin": str(text)}:
                self.rpc.call({"type": "prompt", "message": text})
            case {"call": dict(command)}:
                self.rpc.call(command)
            case {"wait": str(kind)}:
                self.rpc.wait_for(kind)
            case {"wait_for_line": str(text)}:
                self.wait_for_line(text)
            case {"sleep": int() | float() as seconds}:
                time.sleep(seconds)
            case {"signal": str(name)} if self.process:
                self.process.send_signal(signal.Signals[name])
                self.process.wait(20)
            case _:
                raise ValueError(f"no such step: {step}")

    def _command(self) -> list[str]:
        """Return the words that start Pi for this scenario."""
        modes = {"print": ["-p"], "json": ["--mode", "json"], "rpc": ["--mode", "rpc"]}
        scenario = self._scenario
        words = [*scenario.arguments, *modes[scenario.mode], *scenario.prompts]
        return [*self._pi.command, *(["--session", str(self._resumed())] if scenario.resume else []), *words]

    def _resumed(self) -> Path:
        """Copy the recording that is gone on with to where Pi would have it, and return its path."""
        content = restored((DATA / self._scenario.resume).read_text("utf-8"), self.neutral_names())
        self.home.session_folder.mkdir(parents=True)
        path = self.home.session_folder / f"2026-01-01T00-00-00-000Z_{self._scenario.resume}"
        path.write_text(content, "utf-8")
        return path

    def _environment(self) -> dict[str, str]:
        own = {name: value.replace("{HERE}", str(HERE)) for name, value in self._scenario.environment.items()}
        return {**self.home.environment(self._pi), **own}


def run_pi(scenario: Scenario, pi: Pi, folder: Path | None = None) -> Run:
    """Play a scenario from beginning to end and return what it left."""
    with RunningPi(scenario, pi, folder) as running:
        running.start()
        running.play()
        return running.finish()
