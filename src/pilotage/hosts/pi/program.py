"""Pi itself and the Node that it runs on: whether they are there, and new enough."""

import re
import shutil
import subprocess
from pathlib import Path

from pilotage.hosts.pi.finding import Finding, ok, wrong
from pilotage.plain import plain_line

PI_VERSION = (1, 6)
NODE_VERSION = (22, 19)

_PATIENCE = 30.0
_GET_PI = "install Pi 1.6: npm install --global @earendil-works/pi-coding-agent@1.6"


def find_pi() -> Path | None:
    """Pi's program on the search path."""
    found = shutil.which("pi")
    return Path(found) if found else None


def examine_program() -> list[Finding]:
    """Look at Pi, and at Node where Pi is a script of it."""
    program = find_pi()
    if program is None:
        return [wrong("pi", "no `pi` on the search path", _GET_PI)]
    node = _examine_node() if _needs_node(program) else None
    if node is not None and node.mend:
        return [node]
    said = _answer([str(program), "--version"])
    version = _version(said)
    shown = f"{'.'.join(map(str, version)) if version else plain_line(said, 120)} at {program}"
    is_right = version[:2] == PI_VERSION
    own = ok("pi", shown) if is_right else wrong("pi", f"{shown}; Pilotage is made for Pi 1.6", _GET_PI)
    return [own, node] if node else [own]


def _examine_node() -> Finding:
    found = shutil.which("node")
    mend = "install Node 22.19 or newer, and see that `node` is on the search path"
    if found is None:
        return wrong("node", "no `node` on the search path, and Pi runs on it", mend)
    version = _version(_answer([found, "--version"]))
    shown = f"{'.'.join(map(str, version)) or 'an unknown version'} at {found}"
    return ok("node", shown) if version >= NODE_VERSION else wrong("node", f"{shown} is too old", mend)


def _needs_node(program: Path) -> bool:
    """Whether Pi is a script of Node; it comes as a program of its own as well."""
    try:
        with program.open("rb") as file:
            first = file.readline(200)
    except OSError:
        return False
    return first.startswith(b"#!") and b"node" in first


def _answer(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return done.stdout + done.stderr


def _version(text: str) -> tuple[int, ...]:
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", text)
    return tuple(int(number) for number in found.groups()) if found else ()
