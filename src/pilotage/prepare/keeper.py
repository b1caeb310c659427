"""The keeper: a small process that runs one command and lives until every process of it is gone (spec P5).

It is run as a file, by itself and with nothing but the standard library, so that it starts in some milliseconds. It
adopts whatever the command leaves behind, in whichever session or group, which nobody but a parent can (Linux). It
ends everything when the time is over, when its standard input closes (Pilotage cancelled, or died), and shortly after
the command itself has ended.

    keeper.py SECONDS REPORT COMMAND…

REPORT is an open file descriptor that gets one line at the end: `exited CODE`, `timed-out`, `timed-out CODE` where the
command had ended and its children had not, `cancelled`, or `failed WORDS` where it could not be started. No line means
that the keeper itself was killed.
"""

import ctypes
import os
import select
import signal
import sys
import time
from contextlib import suppress

GRACE = 0.1
"""Seconds that children of a command that has ended may take to end as well, as the host has it."""

_STEP = 0.02
_LAST = 1.0
_SUBREAPER = 36


class Watch:
    """One command and when it must be over."""

    def __init__(self, child: int, seconds: float) -> None:
        self.child = child
        self.deadline = time.monotonic() + seconds
        self.code: int | None = None
        self.ended = 0.0
        self.has_children = True

    def reap(self) -> None:
        """Take the exit codes of all that have ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.has_children = False
                return
            if pid == 0:
                return
            if pid == self.child:
                code = os.waitstatus_to_exitcode(status)
                self.code = code if code >= 0 else 128 - code
                self.ended = time.monotonic()

    def ending(self) -> str:
        """How it ended; empty while it has not."""
        now = time.monotonic()
        if self.code is not None and (not self.has_children or now >= self.ended + GRACE):
            return f"exited {self.code}"
        if now >= self.deadline:
            return "timed-out" if self.code is None else f"timed-out {self.code}"
        return ""


def main(arguments: list[str]) -> None:
    """Run the command, see to its end, and report."""
    report = int(arguments[1])
    os.set_inheritable(report, False)
    adopt_orphans()
    woken = _wake_at_exits()
    child, fault = start(arguments[2:])
    _let_go_of_output()
    if child is None:
        os.write(report, f"failed {fault}\n".encode())
        return
    watch = Watch(child, float(arguments[0]))
    ending = _wait(watch, woken)
    end_all(child)
    os.write(report, f"{ending}\n".encode())


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends; nothing where the system has no such thing."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def start(command: list[str]) -> tuple[int | None, str]:
    """Start the command in a session of its own with nothing to read; its process id, or why there is none."""
    fault_end, fault_start = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            os.execvp(command[0], command)
        except OSError as error:
            os.write(fault_start, (error.strerror or "unknown fault").encode())
        finally:
            os._exit(127)
    os.close(fault_start)
    fault = os.read(fault_end, 4096).decode("utf-8", "replace")
    os.close(fault_end)
    return (None, fault) if fault else (child, "")


def _wait(watch: Watch, woken: int) -> str:
    while True:
        watch.reap()
        ending = watch.ending()
        if ending:
            return ending
        ready, _, _ = select.select([0, woken], [], [], _STEP)
        if woken in ready:
            os.read(woken, 4096)
        if 0 in ready and not os.read(0, 4096):
            return "cancelled"


def _wake_at_exits() -> int:
    """A pipe that can be read whenever a child has ended."""
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    return woken


def _let_go_of_output() -> None:
    """Leave the output to the command alone, so that it ends when the command's processes do."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)


def end_all(child: int) -> None:
    """End every process of the command: all are stopped before any is killed, so that none can start another."""
    with suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    deadline = time.monotonic() + _LAST
    stopped: set[int] = set()
    while found := descendants(os.getpid()):
        is_late = time.monotonic() >= deadline
        fresh = found - stopped
        _signal_all(fresh, signal.SIGSTOP)
        stopped |= fresh
        if is_late or not fresh:
            _signal_all(found, signal.SIGKILL)
            _reap_all()
            stopped.clear()
        if is_late:
            break
    _reap_all()


def descendants(root: int) -> set[int]:
    """The living processes below one, by the process table; empty where there is none to read."""
    children: dict[int, list[int]] = {}
    with suppress(OSError):
        for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib would double the start
            if name.isdigit() and (parent := _living_parent(name)):
                children.setdefault(parent, []).append(int(name))
    found: set[int] = set()
    waiting = [root]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            if pid not in found:
                found.add(pid)
                waiting.append(pid)
    return found


def _living_parent(name: str) -> int:
    """The parent of a process; 0 for one that is gone, or dead and waits to be reaped."""
    try:
        with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0
    return int(fields[1]) if len(fields) > 1 and fields[0] not in (b"Z", b"X") else 0


def _signal_all(pids: set[int], number: int) -> None:
    for pid in pids:
        with suppress(OSError):
            os.kill(pid, number)


def _reap_all() -> None:
    with suppress(OSError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    main(sys.argv[1:])
