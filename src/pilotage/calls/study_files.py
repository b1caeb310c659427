"""Many files studied, several at once, the one that began first told first."""

import gc
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from signal import SIG_DFL, SIGINT, signal

from msgspec import Struct

from pilotage.calls.study import Verdict, study_session, study_stretch
from pilotage.calls.study_facts import Seam, SessionFacts
from pilotage.calls.study_join import join
from pilotage.sessions.read import UnreadableSession
from pilotage.sessions.skim import WHOLE_FILE, Stretch, find_stretches
from pilotage.sessions.summary import read_header

WORTH_PROCESSES = 32 << 20
"""Bytes from which on more than one process pays."""

SHARES = 2
"""Stretches for each processor: with one each, all would wait for the one that had the least of the machine."""


class Unread(Struct, frozen=True):
    """A file that is not part of a study."""

    reason: str
    """Which file, and why."""


class _File(Struct, frozen=True):
    """One file before it is read."""

    path: Path
    """Where it is."""
    size: int
    """Its bytes."""
    began: float
    """When its session began; before all others where it does not say."""


def study_files(
    paths: Iterable[Path], *, replay: bool = False, tell: Callable[[int, int], None] | None = None
) -> Iterator[SessionFacts | Unread]:
    """Study each file, those that began earlier first, so that a fork comes after what it was forked from.

    A file that is named twice, or under two names, is read once. `tell` hears how many bytes were read, and of how
    many.
    """
    files = _in_order(paths)
    total = sum(file.size for file in files)
    if total >= WORTH_PROCESSES and _processors() > 1:
        yield from _study_at_once(files, total, replay=replay, tell=tell)
        return
    done = 0
    for file in files:
        yield study_file(file.path, replay=replay, tell=_from(done, total, tell))
        done += file.size


def study_file(
    path: Path, *, replay: bool = False, tell: Callable[[int, int], None] | None = None
) -> SessionFacts | Unread:
    """Study one file, or say why not."""
    try:
        return study_session(path, _verdict(replay=replay), tell)
    except UnreadableSession as error:
        return Unread(str(error))


def _study_part(path: Path, stretch: Stretch, *, replay: bool) -> tuple[SessionFacts, Seam] | None:
    """Study a stretch of a file; none where it cannot be read."""
    try:
        return study_stretch(path, stretch, _verdict(replay=replay))
    except UnreadableSession:
        return None


def _verdict(*, replay: bool) -> Verdict | None:
    """The present contract, where it is asked for: it loads pydantic."""
    if not replay:
        return None
    from pilotage.calls.replay import refusal_today

    return refusal_today


def _study_at_once(
    files: list[_File], total: int, *, replay: bool, tell: Callable[[int, int], None] | None
) -> Iterator[SessionFacts | Unread]:
    """Study files and stretches of large ones in as many processes as there are processors, the largest first."""
    # It costs a start-up dear, and few commands come here.
    from concurrent.futures import Future, ProcessPoolExecutor

    processors = _processors()
    share = max(WORTH_PROCESSES, total // (SHARES * processors))
    with ProcessPoolExecutor(processors, initializer=_begin_process) as pool:
        try:
            waiting: dict[Path, list[Future[tuple[SessionFacts, Seam] | None]]] = {}
            for file in sorted(files, key=lambda file: file.size, reverse=True):
                stretches = _stretches(file, share)
                parts = [pool.submit(_study_part, file.path, part, replay=replay) for part in stretches]
                waiting[file.path] = parts
            done = 0
            for file in files:
                whole = _joined([part.result() for part in waiting.pop(file.path)])
                yield whole or study_file(file.path, replay=replay, tell=_from(done, total, tell))
                done += file.size
                if tell:
                    tell(done, total)
        finally:
            pool.shutdown(cancel_futures=True)


def _begin_process() -> None:
    """Make a new process fit for a study."""
    # A person who ends the command ends its processes too, without a word of theirs.
    signal(SIGINT, SIG_DFL)
    # Most of what is kept is kept to the end: the collector would look through it in vain again and again.
    gc.set_threshold(50_000, 20, 100)


def _joined(parts: list[tuple[SessionFacts, Seam] | None]) -> SessionFacts | None:
    """The session that its stretches make; none where one could not be read, or they must not be studied apart."""
    read = [part for part in parts if part]
    return join(read) if len(read) == len(parts) else None


def _stretches(file: _File, size: int) -> list[Stretch]:
    """A file in stretches of about this size; in one where it cannot be read, as whoever does says why."""
    try:
        return find_stretches(file.path, max(1, round(file.size / size)))
    except UnreadableSession:
        return [WHOLE_FILE]


def _in_order(paths: Iterable[Path]) -> list[_File]:
    """Each file once, the one that began first in front."""
    files: dict[tuple[int, int] | Path, _File] = {}
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            # Whoever reads it says why it cannot be read.
            files.setdefault(path, _File(path, 0, 0.0))
            continue
        header = read_header(path) if stat.S_ISREG(status.st_mode) else None
        began = header.time if header and header.time is not None else 0.0
        files.setdefault((status.st_dev, status.st_ino), _File(path, status.st_size, began))
    return sorted(files.values(), key=lambda file: (file.began, str(file.path)))


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _from(done: int, total: int, tell: Callable[[int, int], None] | None) -> Callable[[int, int], None] | None:
    """What to tell of one file, as part of them all."""
    return (lambda read, _: tell(done + read, total)) if tell else None
