import asyncio
import json
import re
import subprocess
from pathlib import Path

import pytest

from pilotage.prepare.candidates import candidates
from pilotage.prepare.execute import run_actions
from pilotage.prepare.index import build_index
from pilotage.records.preparation import Action, ActionResult, Bash, Read
from tests.pi.find import Pi
from tests.prepare.conftest import UNCONFINED
from tests.prepare.trees import plant

pytestmark = pytest.mark.pi

ASK = """
import { createBashToolDefinition, createReadToolDefinition } from PACKAGE;
const [cwd, questions] = process.argv.slice(1);
const answers = [];
for (const { tool, args } of JSON.parse(questions)) {
  const options = { exposeSessionEnvironment: false };
  const own = tool === "read" ? createReadToolDefinition(cwd) : createBashToolDefinition(cwd, options);
  try {
    const result = await own.execute("x", args, undefined, undefined, { cwd });
    answers.push([result.content[0].text, result.isError ?? false]);
  } catch (error) {
    answers.push([error.message, true]);
  }
}
console.log(JSON.stringify(answers));
"""

FILES: dict[str, str | bytes] = {
    "two lines": "one\ntwo\n",
    "empty": "",
    "no newline": "x",
    "as many": "x\n" * 2000,
    "one more": "x\n" * 2001,
    "more at the end": "x\n" * 2000 + "end",
    "mark": b"\xef\xbb\xbfhi\r\n",
    "@at": "at",
    "~tilde": "tilde",
}
COMMANDS = [
    *("echo hi", "true", "exit 3", "echo x; exit 4", "kill -9 $$", "printf 'a\\n\\n\\n'", "printf '\\377a'"),
    *("seq 3000", "seq 1999; echo", "for i in $(seq 600); do printf '%0200d\\n' $i; done", "sleep 9; echo"),
    *("head -c 100000 /dev/zero | tr '\\0' b", "for i in $(seq 30000); do echo é; done | tr -d '\\n'"),
]


def of_pi(pi: Pi, folder: Path, questions: list[dict[str, object]]) -> list[tuple[str, bool]]:
    """Give what Pi's own tools answer."""
    package = pi.packages / "node_modules" / "@earendil-works" / "pi-coding-agent" / "dist" / "index.js"
    script = ASK.replace("PACKAGE", json.dumps(package.as_uri()))
    command = [str(pi.node), "--input-type=module", "-e", script, str(folder), json.dumps(questions)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [(text, is_error) for text, is_error in json.loads(done.stdout)]


def of_pilotage(folder: Path, actions: list[Action]) -> list[ActionResult]:
    """Give what Pilotage has for the agent, each action with a budget of its own."""
    known = candidates(folder, build_index(folder, lambda: 0.0), [])
    runs = (run_actions([action], known, folder, budget=1, confinement=UNCONFINED) for action in actions)
    return [asyncio.run(run)[0] for run in runs]


def test_results_are_as_of_pi(pi: Pi, tmp_path: Path) -> None:
    """What the agent reads is what Pi's own tools would say, but that no file with the whole output is named."""
    plant(tmp_path, FILES)
    results = of_pilotage(
        tmp_path, [*(Read(f"project:{name}", "w") for name in FILES), *(Bash(one, "w") for one in COMMANDS)]
    )
    questions: list[dict[str, object]] = [
        {"tool": "read", "args": {"path": result.path}}
        if isinstance(result.action, Read)
        else {"tool": "bash", "args": {"command": result.action.command, "timeout": 2}}
        for result in results
    ]
    kept = re.compile(r"(?: \(line is [^)]*\))?\. Full output: [^\]]*\]$", re.MULTILINE)
    theirs = [
        (kept.sub(". The full output was not kept.]", text), fault) for text, fault in of_pi(pi, tmp_path, questions)
    ]
    assert [(result.text, result.is_error) for result in results] == theirs
