"""What is read as Pi reads it, held against the real Pi's own code."""

import json
import subprocess
from pathlib import Path
from typing import Any

import anyio
import pytest

from pilotage.catalog.mcp_config import read_servers
from pilotage.catalog.mcp_server import server_of
from pilotage.catalog.mcp_tools import tool_name
from pilotage.catalog.mcp_values import Unresolved, resolve_values
from pilotage.catalog.skills import find_skills
from tests.catalog.written import write_json, write_skill
from tests.pi.find import Pi

pytestmark = pytest.mark.pi

NAMES = [
    ("tides", "high_water"),
    ("my-tides", "high.water"),
    ("s", "潮汐"),
    ("s", "😀 x"),
    ("s", "n" * 56),
    ("s", "n" * 57),
    ("long-" * 12, "tool"),
]
ENTRIES: dict[str, Any] = {
    "a": {"command": "x"},
    "b-c": {"url": "https://x/y"},
    "b_c": {"command": "y"},
    "off": {"command": "x", "enabled": False},
    "old": {"command": "x", "exposure": "codemode-deferred"},
    "sse": {"type": "sse", "url": "http://x"},
    "both": {"command": "x", "url": "https://z"},
    "typed": {"type": "stdio", "url": "https://z"},
    "args": {"command": "x", "args": "y"},
    "time": {"command": "x", "timeout": 0},
    "late": {"command": "x", "timeout": 0.5},
    "auth": {"url": "https://x", "auth": {"provider": "p"}},
    "empty": {},
    "bad name": {"command": "x"},
    "odd": {"command": "x", "toolExposure": {"a": "zz"}},
}
OF_PROJECT: dict[str, Any] = {
    "a": {"exposure": "direct"},
    "off": {"enabled": True},
    "old": {"args": ["q"]},
    "gone": {"enabled": True},
    "late": {"command": "z"},
    "auth": {"url": "https://evil", "auth": {"provider": "p"}},
}
VALUES = [
    "plain",
    "$KEY",
    "a${KEY}b",
    "$$KEY",
    "$!x",
    "${no name}",
    "${",
    "$",
    "$GONE",
    "x$GONE",
    "$EMPTY",
    "5$",
    "$KEY$KEY",
]


def ask_pi(pi: Pi, script: str, *arguments: str, **variables: str) -> Any:
    """Run a script with Pi's packages and return what it prints as JSON; PKG stands for the coding agent's folder."""
    packages = (pi.packages / "node_modules" / "@earendil-works").as_uri()
    code = script.replace("PKG", f"{packages}/pi-coding-agent/dist").replace("MCP", f"{packages}/pi-mcp/dist")
    command = [str(pi.node), "--input-type=module", "-e", code, *arguments]
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=variables or None)
    return json.loads(done.stdout)


def test_names_of_tools(pi: Pi) -> None:
    """Names and hashes are Pi's."""
    script = """import { createMcpToolName as name } from "MCP/naming.js";
    const of = ([s, t]) => [name(s, t), name(s, t, () => true)];
    console.log(JSON.stringify(JSON.parse(process.argv[1]).map(of)));"""
    expected = [[tool_name(*one), tool_name(*one, hashed=True)] for one in NAMES]
    assert ask_pi(pi, script, json.dumps(NAMES)) == expected


def test_servers(pi: Pi, tmp_path: Path) -> None:
    """The same servers are taken from the same files, with the same exposure; as many entries are refused."""
    write_json(tmp_path / "agent" / "mcp.json", {"mcpServers": ENTRIES})
    write_json(tmp_path / "project" / ".pi" / "mcp.json", {"mcpServers": OF_PROJECT})
    script = """import { loadMcpConfig } from "PKG/extensions/mcp/config.js";
    const [agentDir, cwd] = process.argv.slice(1);
    console.log(JSON.stringify(loadMcpConfig({ agentDir, cwd, projectTrusted: true })));"""
    theirs = ask_pi(pi, script, str(tmp_path / "agent"), str(tmp_path / "project"))
    ours = read_servers(tmp_path / "agent", tmp_path / "project", trusted=True)
    assert [(server.name, server.exposure, server.source) for server in ours.servers] == [
        (server["name"], server["config"].get("exposure", "codemode"), server["source"])
        for server in theirs["servers"]
        if server["config"].get("enabled") is not False
    ]
    assert len(ours.faults) == len(theirs["errors"])


def test_values(pi: Pi) -> None:
    """Values are filled in alike, and the same ones cannot be."""
    script = """import { resolveConfigValueUncached as resolve } from "PKG/core/resolve-config-value.js";
    console.log(JSON.stringify(JSON.parse(process.argv[1]).map((value) => resolve(value) ?? null)));"""
    theirs = ask_pi(pi, script, json.dumps(VALUES), KEY="k1", EMPTY="")
    assert [anyio.run(_resolved, value) for value in VALUES] == theirs


async def _resolved(value: str) -> str | None:
    server = server_of("a", {"command": "x", "env": {"A": value}}, "mcp.json")
    try:
        return (await resolve_values(server, {"KEY": "k1", "EMPTY": ""}, run_commands=False)).env["A"]
    except Unresolved:
        return None


@pytest.mark.parametrize("trusted", [True, False])
def test_skills(pi: Pi, home: Path, tmp_path: Path, trusted: bool) -> None:
    """The same skills are found in the same order, with the same descriptions, from the same files."""
    agent, project = home / ".pi" / "agent", tmp_path / "repository" / "one"
    _write_skills(agent, home, project, tmp_path)
    script = """
    import { SettingsManager } from "PKG/core/settings-manager.js";
    import { DefaultResourceLoader } from "PKG/core/resource-loader.js";
    const [cwd, agentDir, trusted] = process.argv.slice(1);
    const settingsManager = SettingsManager.create(cwd, agentDir);
    settingsManager.setProjectTrusted(trusted === "True");
    const off = { noExtensions: true, noPromptTemplates: true, noThemes: true };
    const loader = new DefaultResourceLoader({ cwd, agentDir, settingsManager, ...off });
    await loader.reload();
    const shown = loader.getSkills().skills.filter((skill) => !skill.disableModelInvocation);
    console.log(JSON.stringify(shown.map((skill) => [skill.name, skill.description, skill.filePath])));"""
    theirs = ask_pi(pi, script, str(project), str(agent), str(trusted), HOME=str(home))
    ours = find_skills(agent, project, trusted=trusted)
    assert [[entry.name, entry.description, entry.path] for entry in ours.entries] == theirs


def _write_skills(agent: Path, home: Path, project: Path, tmp_path: Path) -> None:
    """Write skills of every kind into every place."""
    own, shared = agent / "skills", home / ".agents" / "skills"
    places = [
        own / place for place in ("one", "one/below", "group/two", ".hidden", "node_modules/x", "off", "out", "in")
    ]
    places += [shared / "one", shared / "shared", tmp_path / "named" / "e1", tmp_path / "named" / "e2"]
    places += [project / ".pi" / "skills" / name for name in ("one", "mine")]
    places += [project / ".agents" / "skills" / "here", tmp_path / "repository" / ".agents" / "skills" / "above"]
    places += [project / ".pi" / "more" / "m1", project / ".pi" / "more" / "m2", own / "ignored", own / "part" / "drop"]
    for place in places:
        write_skill(place / "SKILL.md")
    fronts = {
        "yes": "description: yes",
        "date": "description: 2026-01-05\ndisable-model-invocation: yes",
        "people": "description: d\ndisable-model-invocation: true",
        "number": "description: 5",
        "twice": "description: a\ndescription: b",
        "colon": "description: a: b",
        "named": "name: another\ndescription: d",
    }
    for name, front in fronts.items():
        write_skill(own / name / "SKILL.md", front)
    for folder in (own, shared):
        write_skill(folder / "top.md", f"name: top-{folder.parent.name}\ndescription: d")
        write_skill(folder / "group" / "low.md", f"name: low-{folder.parent.name}\ndescription: d")
        (folder / "README.md").write_text("# Skills\n")
    (own / ".gitignore").write_text("/Ignored/\n")
    (own / "part" / ".ignore").write_text("drop\n")
    (own / "linked").symlink_to(tmp_path / "named" / "e1")
    (tmp_path / "repository" / ".git").mkdir()
    words = [str(tmp_path / "named"), "!**/e2", "-skills/off/SKILL.md", "!out", "!in", "+skills/in"]
    write_json(agent / "settings.json", {"skills": words})
    write_json(project / ".pi" / "settings.json", {"skills": ["more", "-more/m2"]})
