"""The contract tried out in the real Pi, against a model that is a script on the loopback: no key, no session file.

Pi runs in the folder at hand with an agent folder of its own, in which `extensions` is the person's and `trust.json` a
copy, but neither settings, packages, keys nor MCP servers are. So it proves what this Pi makes of the installed copy,
and what other extensions in that folder do to it; nothing is said of extensions that settings name.
"""

import json
import os
import shutil
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

from pilotage.contract.check import Refused, check, sentence
from pilotage.hosts.pi.finding import Finding, ok, wrong
from pilotage.plain import plain_line

CHECK = "dry run"

_PATIENCE = 60.0
_NAME = "pilotage-dry-run"
_CONTENT = "read under the contract"
_MEND = (
    "`pilotage install pi`, then look at the other findings; `pi -e` with the installed index.js shows Pi's own words"
)


class ScriptedModel:
    """An OpenAI-compatible server that makes one call an answer and then ends; a context manager."""

    def __init__(self, calls: list[tuple[str, dict[str, object]]]) -> None:
        self.results: list[str] = []
        """What it was told of its calls."""
        handler = type("Handler", (_Handler,), {"model": self, "calls": calls})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one model; a subclass knows which."""

    model: ScriptedModel
    calls: list[tuple[str, dict[str, object]]]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base class names it so
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer with the next call, or with the end."""
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        told = [message for message in body.get("messages", []) if message.get("role") == "tool"]
        self.model.results[:] = [_text(message.get("content")) for message in told]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        delta, reason = self._next(len(told))
        for part, end in ({"role": "assistant", **delta}, None), ({}, reason):
            chunk = {"choices": [{"index": 0, "delta": part, "finish_reason": end}]}
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")

    def _next(self, done: int) -> tuple[dict[str, object], str]:
        if done >= len(self.calls):
            return {"content": "Done."}, "stop"
        name, arguments = self.calls[done]
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {
            "tool_calls": [{"index": 0, "id": f"call_{done}", "type": "function", "function": function}]
        }, "tool_calls"


def _text(content: object) -> str:
    """The text of a message's content, be it text or a list of blocks."""
    if isinstance(content, list):
        return "".join(str(block.get("text", "")) for block in content if isinstance(block, dict))
    return str(content)


def try_contract(program: Path, cwd: Path, agent: Path) -> Finding:
    """Let Pi read a file without an intent and with one, and look at what the model was told."""
    with tempfile.TemporaryDirectory(prefix="pilotage-dry-run-") as folder:
        file = Path(folder) / "file.txt"
        file.write_text(_CONTENT, "utf-8")
        bare: dict[str, object] = {"path": str(file)}
        calls = [("read", bare), ("read", {**bare, "intent": "See whether a call with an intent runs"})]
        with ScriptedModel(calls) as model:
            _furnish(Path(folder) / "agent", agent, model.url)
            said = _run(program, cwd, Path(folder) / "agent")
        return _verdict(bare, model.results, said)


def _verdict(bare: dict[str, object], results: list[str], said: str) -> Finding:
    refused = check("read", bare)
    wanted = sentence(refused.violations) if isinstance(refused, Refused) else ""
    if results == [wanted, _CONTENT]:
        return ok(CHECK, "Pi refused a call without intent, in the contract's words, and ran the one with it")
    if not results:
        return wrong(CHECK, f"Pi made no call; it said: {plain_line(said, 400) or 'nothing'}", _MEND)
    if results[0] == _CONTENT:
        return wrong(CHECK, f"Pi ran a call without intent. {plain_line(said, 400)}".rstrip(), _MEND)
    return wrong(CHECK, f"Pi told the model: {plain_line(' / '.join(results), 400)}", _MEND)


def _furnish(folder: Path, agent: Path, url: str) -> None:
    """Make the agent folder of the run."""
    folder.mkdir()
    if (agent / "extensions").is_dir():
        (folder / "extensions").symlink_to((agent / "extensions").resolve())
    if (agent / "trust.json").is_file():
        shutil.copy(agent / "trust.json", folder / "trust.json")
    server = {"baseUrl": url, "api": "openai-completions", "apiKey": "none", "models": [{"id": _NAME}]}
    (folder / "models.json").write_text(json.dumps({"providers": {_NAME: server}}), "utf-8")
    settings = {"defaultProvider": _NAME, "defaultModel": _NAME, "quietStartup": True, "enableInstallTelemetry": False}
    (folder / "settings.json").write_text(json.dumps(settings), "utf-8")


def _run(program: Path, cwd: Path, agent: Path) -> str:
    """Run Pi to its end; what it said on stderr."""
    environment = {
        **os.environ,
        "PI_CODING_AGENT_DIR": str(agent),
        "PI_CODING_AGENT_SESSION_DIR": str(agent / "sessions"),
        "PI_OFFLINE": "1",
        "PI_SKIP_VERSION_CHECK": "1",
        "PI_TELEMETRY": "0",
    }
    words = [str(program), "--no-session", "--no-mcp", "--model", f"{_NAME}/{_NAME}", "-p", "Dry run."]
    try:
        done = subprocess.run(
            words,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return done.stderr.decode("utf-8", "replace")
