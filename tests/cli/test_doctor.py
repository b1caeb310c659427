"""`pilotage doctor`, with a Pi that only tells its version; the real one is tried in tests/pi/test_doctor.py."""

import http.server
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pilotage.hosts.pi.install import extension_folder, install
from tests.cli.conftest import Pilotage

Findings = dict[str, list[dict[str, str]]]


def program(folder: Path, name: str, said: str, first: str = "#!/bin/sh") -> None:
    """Put a program on the search path that says one thing."""
    file = folder / name
    file.write_text(f"{first}\nprintf '%s\\n' '{said}'\n")
    file.chmod(0o755)


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder of the search path, with a Pi in it that tells its version."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    program(folder, "pi", "1.6.2")
    return folder


@pytest.fixture
def work(tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that the doctor is called in."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.delenv("LLAMA_BASE_URL", raising=False)
    return folder


@pytest.fixture
def agent(home: Path) -> Path:
    """Return Pi's own folder, with the extension in it."""
    folder = home / ".pi" / "agent"
    install(extension_folder(folder))
    return folder


def examined(pilotage: Pilotage, status: int) -> Findings:
    """Give the findings by what was looked at."""
    done = pilotage("doctor", "--json")
    found: Findings = {}
    for record in done.records:
        assert list(record) == ["check", "verdict", "words", "mend"]
        found.setdefault(str(record["check"]), []).append({name: str(value) for name, value in record.items()})
    assert done.status == status, found
    assert done.err == ""
    return found


def verdicts(found: Findings) -> dict[str, list[str]]:
    """Give the verdicts by what was looked at."""
    return {check: [one["verdict"] for one in findings] for check, findings in found.items()}


def write(file: Path, value: object) -> None:
    """Write a JSON file, or text as it is."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")


def test_all_is_well(pilotage: Pilotage, work: Path, agent: Path) -> None:
    """Where nothing is wrong the status is 0, and a wrong thing has a mend while a right one has none (spec L1)."""
    found = examined(pilotage, 0)
    assert verdicts(found) == {
        "pi": ["ok"],
        "trust": ["ok"],
        "extension": ["ok"],
        "process": ["ok"],
        "other extensions": ["ok"],
        "configuration": ["ok"],
        "model server": ["note"],
        "mcp servers": ["note"],
        "signs": ["ok"],
        "colour": ["ok"],
        "clipboard": ["note"],
    }
    assert found["pi"][0]["words"].startswith("1.6.2 at ")


def test_words_for_people(pilotage: Pilotage, work: Path, agent: Path, bin_folder: Path) -> None:
    """For people each finding is a line, verdict first, and its mend one below it."""
    (bin_folder / "pi").unlink()
    lines = pilotage("doctor").lines
    assert lines[0] == "wrong pi                no `pi` on the search path"
    assert lines[1].strip().startswith("mend: install Pi 1.6: ")


def test_nothing_is_changed(pilotage: Pilotage, work: Path, home: Path) -> None:
    """The doctor writes nothing, whatever it finds."""
    examined(pilotage, 1)
    assert list(home.iterdir()) == []
    assert list(work.iterdir()) == []


@pytest.mark.parametrize(
    ("said", "words"), [("1.5.9", "1.5.9 at "), ("2.0.0", "2.0.0 at "), ("hello", "hello at "), ("", " at ")]
)
def test_other_versions(pilotage: Pilotage, work: Path, agent: Path, bin_folder: Path, said: str, words: str) -> None:
    """A Pi of another version is wrong, and what it said is told."""
    program(bin_folder, "pi", said)
    (finding,) = examined(pilotage, 1)["pi"]
    assert words in finding["words"]
    assert "Pilotage is made for Pi 1.6" in finding["words"]


@pytest.mark.parametrize(
    ("version", "verdict"), [("v22.19.0", "ok"), ("v24.1.0", "ok"), ("v22.18.9", "wrong"), (None, "wrong")]
)
def test_node(pilotage: Pilotage, work: Path, agent: Path, bin_folder: Path, version: str | None, verdict: str) -> None:
    """Where Pi is a script of Node, Node 22.19 or newer has to be there."""
    (bin_folder / "pi").write_text("#!/usr/bin/env node\n")
    if version:
        # It stands for Pi as well, which it is asked to run.
        program(bin_folder, "node", f"{version}")
        (bin_folder / "node").write_text(f'#!/bin/sh\ncase "$1" in --version) echo {version};; *) echo 1.6.0;; esac\n')
        (bin_folder / "env").symlink_to("/usr/bin/env")
    found = examined(pilotage, 0 if verdict == "ok" else 1)
    assert verdicts(found)["node"] == [verdict]


def test_not_installed(pilotage: Pilotage, work: Path, home: Path) -> None:
    """Without the extension, how to install it is the mend."""
    (finding,) = examined(pilotage, 1)["extension"]
    assert (finding["verdict"], finding["mend"]) == ("wrong", "pilotage install pi")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("contract.json", None, "lacks contract.json"),
        ("shadow.js", "// mine", "shadow.js changed"),
        ("installed.json", "{}", "was not put there by pilotage"),
    ],
)
def test_faulty_copy(pilotage: Pilotage, work: Path, agent: Path, name: str, content: str | None, words: str) -> None:
    """A copy that lacks a file, was changed or is not ours is wrong, and what is wrong is named."""
    file = extension_folder(agent) / name
    file.unlink()
    if content is not None:
        file.write_text(content)
    (finding,) = examined(pilotage, 1)["extension"]
    assert words in finding["words"]
    assert "pilotage install pi" in finding["mend"]


@pytest.mark.parametrize(
    ("entries", "is_off"),
    [
        (["-extensions/pilotage/index.js"], True),
        (["!extensions/**"], True),
        (["!*pilotage*"], True),
        (["!extensions/other*"], False),
        (["!extensions/**", "+extensions/pilotage/index.js"], False),
        (["./mine.js"], False),
    ],
)
def test_switched_off(pilotage: Pilotage, work: Path, agent: Path, entries: list[str], is_off: bool) -> None:
    """An entry in Pi's settings that keeps the extension from being loaded is found."""
    write(agent / "settings.json", {"extensions": entries})
    (finding,) = examined(pilotage, 1 if is_off else 0)["extension"]
    assert ("is switched off" in finding["words"]) is is_off


@pytest.mark.parametrize(
    ("decision", "verdict", "extension"),
    [(True, "ok", "ok"), (False, "note", "wrong"), (None, "note", "wrong")],
)
def test_project(
    pilotage: Pilotage, work: Path, home: Path, decision: bool | None, verdict: str, extension: str
) -> None:
    """What lies in a project's .pi counts where Pi trusts the project (spec G4)."""
    install(extension_folder(work / ".pi"))
    write(home / ".pi" / "agent" / "trust.json", {os.path.realpath(work.parent): decision})
    found = verdicts(examined(pilotage, 0 if decision else 1))
    assert (found["trust"], found["extension"]) == ([verdict], [extension])


def test_trust_by_default(pilotage: Pilotage, work: Path, agent: Path) -> None:
    """Without a decision Pi's setting decides; a decision nearer to the folder comes first."""
    write(work / ".pi" / "settings.json", {})
    write(agent / "settings.json", {"defaultProjectTrust": "always"})
    assert verdicts(examined(pilotage, 0))["trust"] == ["ok"]
    real = Path(os.path.realpath(work))
    write(agent / "trust.json", {str(real): False, str(real.parent): True})
    assert verdicts(examined(pilotage, 0))["trust"] == ["note"]
    write(agent / "trust.json", "not JSON")
    assert verdicts(examined(pilotage, 1))["trust"] == ["wrong"]


@pytest.mark.parametrize(
    ("name", "text", "verdict"),
    [
        ("mine.js", 'pi.registerTool({ name: "bash" })', "note"),
        ("mine.ts", "pi.registerTool({ ...createReadToolDefinition(cwd) })", "note"),
        ("box/index.js", "pi.registerTool({\n  name: 'tool_search',\n})", "note"),
        ("box/package.json", '{"name": "@somebody/pi-tool-intent"}', "wrong"),
        ("pi-discovery/index.js", "export default function () {}", "wrong"),
        ("mine.js", 'pi.registerTool({ name: "weather" })', "ok"),
        ("mine.js", 'const name = { name: "bash" }', "ok"),
        ("notes.md", 'pi.registerTool({ name: "bash" })', "ok"),
        (".hidden.js", 'pi.registerTool({ name: "bash" })', "ok"),
    ],
)
def test_others(pilotage: Pilotage, work: Path, agent: Path, name: str, text: str, verdict: str) -> None:
    """Other extensions that take a tool of the contract are found by their text, the seeds' own by name (spec H1)."""
    write(agent / "extensions" / name, text)
    found = examined(pilotage, 1 if verdict == "wrong" else 0)
    assert verdicts(found)["other extensions"] == [verdict]


def test_others_in_settings(pilotage: Pilotage, work: Path, agent: Path) -> None:
    """Extensions and packages that settings name are looked at, those of an untrusted project are not."""
    write(agent / "mine" / "index.js", 'pi.registerTool({ name: "edit" })')
    packages = ["npm:@arkkwang/pi-discovery", {"source": "git:example.org/x"}]
    write(agent / "settings.json", {"extensions": ["mine", "gone.js", "-builtin:mcp"], "packages": packages})
    write(work / ".pi" / "extensions" / "pi-tool-intent" / "index.js", "")
    found = examined(pilotage, 1)["other extensions"]
    assert [one["verdict"] for one in found] == ["wrong", "note"]
    assert "mine seems to take edit" in found[1]["words"]


@pytest.mark.parametrize("text", ["{", "[]", '{"theme": "dark", // comment\n}', "\ufeff{]", "[" * 100_000])
def test_faulty_settings(pilotage: Pilotage, work: Path, agent: Path, text: str) -> None:
    """Settings that Pi cannot read are named, with line and column, and stay as they are (cases J1, J2)."""
    write(agent / "settings.json", text)
    (finding,) = examined(pilotage, 1)["settings"]
    assert str(agent / "settings.json") in finding["words"]
    assert (agent / "settings.json").read_text("utf-8") == text


def test_settings_with_a_mark(pilotage: Pilotage, work: Path, agent: Path) -> None:
    """A byte order mark does no harm."""
    write(agent / "settings.json", '\ufeff{"capabilityDiscovery": {"model": "small"}}')
    assert "llama/small" in examined(pilotage, 0)["configuration"][0]["words"]


def test_faulty_configuration(pilotage: Pilotage, work: Path, agent: Path) -> None:
    """A faulty block is void as a whole, and every fault is named (spec G2)."""
    write(agent / "settings.json", {"capabilityDiscovery": {"model": 1, "autoRecommend": True}})
    (finding,) = examined(pilotage, 1)["configuration"]
    assert "model must be text; autoRecommend is not a key" in finding["words"]


def test_project_does_not_choose_the_model(pilotage: Pilotage, work: Path, agent: Path) -> None:
    """A trusted project's provider is passed over, and that is said (spec G4)."""
    write(agent / "settings.json", {"defaultProjectTrust": "always"})
    write(work / ".pi" / "settings.json", {"capabilityDiscovery": {"provider": "evil"}})
    first, second = examined(pilotage, 0)["configuration"]
    assert "llama/iq3" in first["words"]
    assert "the project's provider is passed over" in second["words"]


@pytest.fixture
def answering() -> Iterator[str]:
    """Return the URL of a server that has nothing."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Silent)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


class _Silent(http.server.BaseHTTPRequestHandler):
    """Refuses everything."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base class names it so
        """Say nothing."""

    def do_GET(self) -> None:
        """Refuse, and remember nothing."""
        assert "authorization" not in self.headers
        self.send_error(401)


def test_server_that_answers(pilotage: Pilotage, work: Path, agent: Path, answering: str) -> None:
    """Any answer will do, and no key is sent; models.json may hold comments and trailing commas."""
    settings = {"capabilityDiscovery": {"provider": "own", "trajectoryWarnings": True}}
    write(agent / "settings.json", settings)
    write(
        agent / "models.json",
        f'{{ // mine\n"providers": {{"own": {{"baseUrl": "{answering}/v1", "apiKey": "secret"}},}},}}',
    )
    (finding,) = examined(pilotage, 0)["model server"]
    assert (finding["verdict"], finding["words"]) == ("ok", f"own/iq3 answers at {answering}/v1")


@pytest.mark.parametrize("place", ["environment", "auth.json"])
def test_local_server(
    pilotage: Pilotage, work: Path, agent: Path, answering: str, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """The local llama.cpp is looked for where Pi looks for it (pi/HOST.md f)."""
    if place == "environment":
        monkeypatch.setenv("LLAMA_BASE_URL", f"{answering}/")
    else:
        write(agent / "auth.json", {"llama.cpp": {"type": "api_key", "env": {"LLAMA_BASE_URL": answering}}})
    assert verdicts(examined(pilotage, 0))["model server"] == ["ok"]


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/v1", "ftp://x", "nonsense", "http://127.0.0.1:99999/v1", "http://["]
)
def test_server_that_does_not_answer(pilotage: Pilotage, work: Path, agent: Path, url: str) -> None:
    """A server that does not answer is wrong where a feature asks it by itself, and a note where none does."""
    write(agent / "models.json", {"providers": {"llama": {"baseUrl": url}}})
    assert verdicts(examined(pilotage, 0))["model server"] == ["note"]
    write(agent / "settings.json", {"capabilityDiscovery": {"capabilityPrediction": True}})
    assert verdicts(examined(pilotage, 1))["model server"] == ["wrong"]


def test_server_that_only_pi_knows(pilotage: Pilotage, work: Path, agent: Path) -> None:
    """Of a provider that stands in no file nothing is claimed."""
    write(agent / "settings.json", {"capabilityDiscovery": {"provider": "anthropic", "trajectoryWarnings": True}})
    assert verdicts(examined(pilotage, 0))["model server"] == ["note"]


def test_mcp_servers(pilotage: Pilotage, work: Path, agent: Path, bin_folder: Path) -> None:
    """Each server's program has to be there, and its URL to be one; nothing is started."""
    program(bin_folder, "server", "started")
    servers = {
        "good": {"command": "server"},
        "web": {"url": "https://example.org/mcp"},
        "off": {"command": "gone", "enabled": False},
        "gone": {"command": "no-such-program"},
        "odd": {"url": "ftp://example.org"},
        "worse": {"url": "http://["},
        "empty": {},
        "list": [],
        "\x1b[2J": {"command": "./nope"},
    }
    write(agent / "mcp.json", {"mcpServers": servers})
    found = examined(pilotage, 1)["mcp servers"]
    assert [one["verdict"] for one in found] == ["ok"] * 3 + ["wrong"] * 6
    assert "\x1b" not in pilotage("doctor").out


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": []}'])
def test_faulty_mcp_file(pilotage: Pilotage, work: Path, agent: Path, text: str) -> None:
    """A file that does not parse is wrong, and named."""
    write(agent / "mcp.json", text)
    (finding,) = examined(pilotage, 1)["mcp servers"]
    assert str(agent / "mcp.json") in finding["words"]


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"TERM": "dumb"}, "TERM is dumb"),
        ({"TERM": ""}, "TERM is not set"),
        ({"TERM": "xterm"}, "16 colours are sure"),
        ({"COLORTERM": "truecolor"}, "true colour"),
        ({"NO_COLOR": "1"}, "none is wanted"),
    ],
)
def test_colour(
    pilotage: Pilotage,
    work: Path,
    agent: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    words: str,
) -> None:
    """What the environment tells of colours is told, and none of it is a fault."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert words in examined(pilotage, 0)["colour"][0]["words"]


def test_clipboard_in_tmux(pilotage: Pilotage, work: Path, agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within tmux what it lets through is told."""
    monkeypatch.setenv("TMUX", "x")
    assert "tmux" in examined(pilotage, 0)["clipboard"][0]["words"]


def test_dry_run_without_pi(pilotage: Pilotage, work: Path, agent: Path, bin_folder: Path) -> None:
    """Without a Pi the dry run is not claimed to have been."""
    (bin_folder / "pi").unlink()
    last = pilotage("doctor", "--dry-run", "--json").records[-1]
    assert (last["check"], last["verdict"], last["words"]) == ("dry run", "note", "not tried: Pi cannot be run")


def test_dry_run_with_a_program_that_is_no_pi(pilotage: Pilotage, work: Path, agent: Path) -> None:
    """A program that makes no call fails the dry run."""
    done = pilotage("doctor", "--dry-run", "--json")
    assert (done.status, done.records[-1]["verdict"]) == (1, "wrong")
    assert "Pi made no call" in str(done.records[-1]["words"])
