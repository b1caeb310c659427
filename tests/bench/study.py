"""How fast a study reads whole files, beside DuckDB and jq on the same bytes (spec N2).

`python -m tests.bench.study [--megabytes N]`: Pi-like sessions, once in twenty files and once in one. `pilotage
study` is timed as a whole program, from its start to its last word. DuckDB (from PyPI, in an environment of the
benchmark's own) and jq only count calls by tool: DuckDB once with the shape of each line told beforehand, all else
being skipped, and once with messages as JSON. All take turns, and the least of five runs counts, as other work on the
machine can only lengthen one. The memory is that of the largest process, and of all that run at once together.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
import venv
from dataclasses import dataclass
from pathlib import Path

from tests.bench.pi_like import write_sessions

RUNS = 5

_DUCKDB = """
import sys, duckdb
for row in duckdb.execute(sys.argv[1], [sys.argv[2]]).fetchall():
    print(*row)
"""
_SHAPED = """
select block.name, count(*) from (
    select unnest(message.content) as block from read_json(
        ?, format = 'newline_delimited', ignore_errors = true,
        columns = {'message': 'STRUCT(content STRUCT("type" VARCHAR, name VARCHAR)[])'}))
where block.type = 'toolCall' group by 1 order by 1"""
_AS_JSON = """
select block->>'name', count(*) from (
    select unnest(from_json(message->'content', '["JSON"]')) as block
    from read_json(?, format = 'newline_delimited', columns = {'message': 'JSON'})
    where message->>'role' = 'assistant')
where block->>'type' = 'toolCall' group by 1 order by 1"""
_JQ = 'select(.message.role == "assistant") | .message.content[] | select(.type == "toolCall") | .name'


@dataclass(frozen=True)
class Timed:
    """What one program took."""

    seconds: float
    """From its start to its end."""
    processor: float
    """Seconds of all processors together."""
    largest: float = 0
    """Megabytes of its largest process."""
    together: float = 0
    """Megabytes of its processes together, what they share counted once."""


def measure(commands: dict[str, list[str]]) -> dict[str, Timed]:
    """Run each command several times, in turn; of each the shortest run, with the most memory of any."""
    runs: dict[str, list[Timed]] = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, command in commands.items():
            runs[name].append(_run(command))
    return {name: _best(found) for name, found in runs.items()}


def _best(runs: list[Timed]) -> Timed:
    best = min(runs, key=lambda run: run.seconds)
    return Timed(best.seconds, best.processor, max(run.largest for run in runs), max(run.together for run in runs))


def _run(command: list[str]) -> Timed:
    before, begun = os.times(), time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        memory = _Memory(process.pid)
        process.wait()
        seconds = time.perf_counter() - begun
        memory.end()
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    after = os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return Timed(seconds, processor, memory.largest, memory.together)


class _Memory:
    """Looks at the memory of a process and its children while they run, where the system tells of it."""

    def __init__(self, root: int) -> None:
        self.largest = self.together = 0.0
        self._root = root
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Look no more."""
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(0.05):
            sizes = [_proportional(pid) for pid in _with_children(self._root)]
            self.largest = max(self.largest, *(resident for resident, _ in sizes), 0)
            self.together = max(self.together, sum(own for _, own in sizes))


def _with_children(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *(below for child in children for below in _with_children(int(child)))]


def _proportional(pid: int) -> tuple[float, float]:
    """Megabytes of a process: all that it holds, and its share of what it shares."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0, 0
    sizes = {words[0]: int(words[1]) / 1024 for line in lines if len(words := line.split()) == 3}
    return sizes.get("Rss:", 0), sizes.get("Pss:", 0)


def duckdb_python(folder: Path) -> str:
    """A Python with DuckDB, in an environment that is there for this benchmark only."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "duckdb"], check=True)
    return python


def compare(name: str, files: list[Path], python: str) -> str:
    """Time all three over the same files."""
    size = sum(file.stat().st_size for file in files) / 1e6
    folder = files[0].parent
    study = [sys.executable, "-m", "pilotage", "study", str(folder), "--json"]
    found = measure(
        {
            "study": study,
            "study --replay": [*study, "--replay"],
            "DuckDB, told the shape": [python, "-c", _DUCKDB, _SHAPED, f"{folder}/*.jsonl"],
            "DuckDB, whatever the shape": [python, "-c", _DUCKDB, _AS_JSON, f"{folder}/*.jsonl"],
            "jq": ["jq", "-r", _JQ, *map(str, files)],
        }
    )
    lines = [f"{name}, {size:.0f} MB{'':<20} seconds   MB/s  processor  x study  largest MB  together MB"]
    for program, timed in found.items():
        lines.append(
            f"  {program:<36}{timed.seconds:>9.2f}{size / timed.seconds:>7.0f}{timed.processor:>11.2f}"
            f"{timed.seconds / found['study'].seconds:>9.2f}{timed.largest:>12.0f}{timed.together:>13.0f}"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    size = parser.parse_args().megabytes * 1_000_000
    with tempfile.TemporaryDirectory(prefix="pilotage-bench-") as name:
        folder = Path(name)
        # What is installed has its bytecode; a checkout may be told not to keep any.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        python = duckdb_python(folder / "duckdb")
        for files in (20, 1):
            (folder / str(files)).mkdir()
            written = write_sessions(folder / str(files), files, size // files)
            print(compare(f"{files} files" if files > 1 else "one file", written, python), flush=True)
            for file in written:
                file.unlink()


if __name__ == "__main__":
    main()
