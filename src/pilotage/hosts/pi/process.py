"""The process that the extension starts for each session: whether it starts, and answers (spec H4)."""

import json
import subprocess
from pathlib import Path

from pilotage.hosts.pi.finding import Finding, ok, wrong
from pilotage.hosts.pi.install import SERVING
from pilotage.plain import plain_line
from pilotage.records.fields import as_dict, as_list, as_text

CHECK = "process"

_PATIENCE = 10.0
_QUESTION = b'{"id": 1, "method": "close", "params": {}}\n'


def examine_process(folder: Path) -> Finding:
    """Start the process that the extension in a folder starts, and let it answer once."""
    mend = "pilotage install pi, from the Pilotage that is to serve"
    try:
        serving = as_dict(json.loads((folder / SERVING).read_bytes()))
    except (OSError, ValueError) as error:
        return wrong(CHECK, f"{folder / SERVING} cannot be read: {plain_line(str(error), 200)}", mend)
    command = [as_text(word) for word in as_list(serving.get("command"))]
    shown = plain_line(" ".join(command), 300)
    try:
        ran = subprocess.run(command, input=_QUESTION, capture_output=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return wrong(CHECK, f"{shown} did not end within {_PATIENCE:g} s", mend)
    except (OSError, ValueError, IndexError) as error:
        return wrong(CHECK, f"{shown} cannot be started: {plain_line(str(error), 200)}", mend)
    if ran.returncode == 0 and b'"result"' in ran.stdout:
        return ok(CHECK, f"answers: {shown}")
    last = ran.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return wrong(CHECK, f"{shown} does not answer: {plain_line(last, 200) or f'it ended with {ran.returncode}'}", mend)
