"""The MCP servers that Pi is told of: whether the file parses, and whether each server's program is there."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pilotage.hosts.pi.finding import Finding, note, ok, wrong
from pilotage.jsonfiles import FaultyFile, load_object
from pilotage.plain import plain_line

CHECK = "mcp servers"


def examine_servers(bases: list[Path], cwd: Path) -> list[Finding]:
    """Look at mcp.json in each base; nothing is started."""
    findings = [found for base in bases for found in _examine_file(base / "mcp.json", cwd)]
    return findings or [note(CHECK, "none are set up")]


def _examine_file(file: Path, cwd: Path) -> list[Finding]:
    try:
        servers = load_object(file).get("mcpServers", {})
    except FaultyFile as fault:
        return [wrong(CHECK, str(fault), "mend the file: Pi reads none of its servers")]
    if not isinstance(servers, Mapping):
        return [wrong(CHECK, f"{file}: mcpServers is no object", "name each server as a key of it")]
    findings = []
    for name, server in servers.items():
        shown = plain_line(str(name), 60)
        lack = _lack(server, cwd)
        findings.append(
            wrong(CHECK, f"{shown}: {lack}", f"mend it in {file}") if lack else ok(CHECK, f"{shown}: {_what(server)}")
        )
    return findings


def _lack(server: object, cwd: Path) -> str | None:
    """What is wrong with one server's entry."""
    if not isinstance(server, Mapping):
        return "is no object"
    command, url = server.get("command"), server.get("url")
    if server.get("enabled") is False or (command is None and url is None and server):
        # Switched off, or a project's word on a server that stands in the user's file.
        return None
    if isinstance(url, str):
        return None if _is_web(url) else "its url is no http URL"
    if not isinstance(command, str) or not command:
        return "has neither command nor url"
    folder = server.get("cwd")
    place = cwd / folder if isinstance(folder, str) else cwd
    there = (place / command).exists() if "/" in command else shutil.which(command) is not None
    return None if there else f"there is no program {plain_line(command, 200)}"


def _is_web(url: str) -> bool:
    try:
        return urlsplit(url).scheme in ("http", "https")
    except ValueError:
        return False


def _what(server: Mapping[str, object]) -> str:
    if server.get("enabled") is False:
        return "switched off"
    told = server.get("command") or server.get("url")
    return plain_line(str(told), 200) if told else "set up in another file"
