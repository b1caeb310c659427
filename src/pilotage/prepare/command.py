"""Running one command to its end, with all that it starts (spec P5)."""

import os
import selectors
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from pilotage.prepare import keeper
from pilotage.prepare.confine import Confinement, confined, shell
from pilotage.prepare.tail import Tail

SECONDS = 2.0
"""How long a command may take (spec P5)."""

_KEEPER = str(Path(keeper.__file__).resolve())
_SLACK = 3.0
_LINGER = 0.2
_KEPT = frozenset(
    {"HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER", "XDG_CONFIG_HOME"}
    | {"VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME", "GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR"}
)
_GIVEN = {
    "AI_AGENT": "pilotage",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "TERM": "dumb",
}


class CommandEnd(Struct, frozen=True):
    """What came of a command."""

    text: str
    """What an agent reads, as the host's own bash says it (`HOST.md` b)."""
    is_error: bool
    """Whether it failed or its time was over."""
    is_cancelled: bool = False
    """Whether it was called off."""


class RunningCommand:
    """A command that was started; whoever starts it waits for its end."""

    def __init__(self, command: str, folder: str, confinement: Confinement | None, seconds: float = SECONDS) -> None:
        """Start it in the folder, which must be real and absolute; raises OSError.

        With a confinement, it runs confined by it.
        """
        run = [shell(), "-c", command]
        self.seconds = seconds
        self._report, report = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", _KEEPER, str(seconds), str(report)]
                + (run if confinement is None else confined(confinement, folder, run)),
                cwd=folder,
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(report,),
                start_new_session=True,
            )
        except OSError:
            os.close(self._report)
            raise
        finally:
            os.close(report)

    def cancel(self) -> None:
        """Have every process of it ended at once; `wait` then comes back."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    def wait(self) -> CommandEnd:
        """Wait until the command and its processes are gone; blocks for little more than its time."""
        tail = Tail()
        try:
            report = self._followed(tail)
            self._process.wait(_SLACK)
        except subprocess.TimeoutExpired:
            report = ""
        finally:
            self._close()
        return _told(tail, report, self.seconds)

    def _followed(self, tail: Tail) -> str:
        """Take output until the keeper has reported; gives the report, empty where there was none."""
        output = self._process.stdout
        assert output is not None
        os.set_blocking(output.fileno(), False)
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            selector.register(self._report, selectors.EVENT_READ)
            report: str | None = None
            deadline = time.monotonic() + self.seconds + _SLACK
            while selector.get_map() and (left := deadline - time.monotonic()) > 0:
                for key, _ in selector.select(left):
                    data = os.read(key.fd, 1 << 16)
                    if key.fd == self._report:
                        report = data.decode("utf-8", "replace").strip()
                        # What still holds the output now is no process of the command's.
                        deadline = min(deadline, time.monotonic() + _LINGER)
                    elif data:
                        tail.add(data)
                    if not data or key.fd == self._report:
                        selector.unregister(key.fileobj)
        return report or ""

    def _close(self) -> None:
        with suppress(OSError):
            self.cancel()
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        os.close(self._report)


def _told(tail: Tail, report: str, seconds: float) -> CommandEnd:
    """What the keeper's report means, in the host's words."""
    word, _, rest = report.partition(" ")
    if word == "exited" and rest == "0":
        return CommandEnd(tail.text(), False)
    if word == "exited":
        return CommandEnd(tail.text(f"Command exited with code {rest}"), True)
    if word == "cancelled":
        return CommandEnd(tail.text("Command aborted", nothing=""), True, is_cancelled=True)
    if word == "timed-out":
        ended = f". The shell exited with code {rest}, but processes it started went on" if rest else ""
        return CommandEnd(tail.text(f"Command timed out after {seconds:g} seconds{ended}", nothing=""), True)
    if word == "failed":
        return CommandEnd(tail.text(f"Command could not be started: {rest}", nothing=""), True)
    return CommandEnd(tail.text("Command terminated without an exit code", nothing=""), True)


def _environment() -> dict[str, str]:
    """Little of Pilotage's own environment: no secret that it may hold is for a model to read."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith("LC_")}
    return kept | _GIVEN
