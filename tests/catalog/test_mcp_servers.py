from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from pilotage.catalog.mcp_cache import ListingCache
from pilotage.catalog.mcp_config import Configured
from pilotage.catalog.mcp_remembered import remembered_servers
from pilotage.catalog.mcp_servers import list_servers
from pilotage.records.capability import CapabilityState, Catalog
from tests.catalog.running import Asked, Setting, is_group_gone, list_servers_now, script, served_over_http, shell

CANARY = "canary-7f3a91"
SHORT = "cnry"


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setting]:
    """All kinds of servers but one that is silent; every one of them is given a secret."""
    root = tmp_path_factory.mktemp("servers")
    (root / "words").write_text("early")
    with served_over_http(CANARY) as address:
        yield Setting(
            root,
            tides=script(
                "tides",
                description="Tides.",
                exposure="deferred",
                toolExposure={"list-*": "direct"},
                env={"TIDES_KEY": CANARY, "PROCESS_FILE": str(root / "tides.pid")},
            ),
            wind={"url": f"{address}/mcp", "headers": {"Authorization": "Bearer ${WIND_KEY}"}},
            locked={"url": f"{address}/mcp", "headers": {"Authorization": f"Bearer {CANARY}x"}},
            broken={"url": f"{address}/broken?key={CANARY}", "headers": {"Authorization": f"Bearer {CANARY}"}},
            nobody={"url": f"http://127.0.0.1:9/{SHORT}"},
            chatty=script("chatty", env={"CHATTY_KEY": SHORT}),
            dying=script("dying", env={"DYING_KEY": "$WIND_KEY"}),
            endless=script("endless"),
            same=script("endless", "same"),
            many=script("many"),
            changing=script("changing", str(root / "words")),
            unset={"command": "true", "env": {"KEY": "${NO_SUCH_KEY}"}},
            command={"command": "true", "env": {"KEY": "!echo secret"}},
            missing={"command": "no-such-program"},
            flood=shell("yes"),
            exits=shell(f"echo bye {CANARY} >&2; exit 7", env={"KEY": CANARY}),
        )


@pytest.fixture(scope="module")
def asked(setting: Setting) -> Asked:
    """What came of asking them all at once."""
    return setting.ask(WIND_KEY=CANARY)


def test_a_server_over_pipes(asked: Asked) -> None:
    """A server that does as it should is in the catalog with its tools, under Pi's names."""
    tools = asked.tools("tides")
    assert list(tools) == ["mcp__tides", "mcp__tides__high_water", "mcp__tides__list_harbours"]
    tool = tools["mcp__tides__high_water"]
    assert tool.id == "mcp:mcp__tides__high_water"
    assert tool.description == "The next high water at a harbour."
    assert tool.parameters is not None
    assert tool.parameters["properties"]["harbour"]["description"] == "The harbour's name"
    assert tool.namespace.startswith("Tides.\nTide tables of two harbours.")
    assert (tool.state, tools["mcp__tides"].state) == (CapabilityState.LOADABLE, CapabilityState.LOADABLE)
    assert tools["mcp__tides__list_harbours"].state is CapabilityState.DECLARED
    assert asked.faults("tides") == []


def test_a_server_over_http(asked: Asked) -> None:
    """A server over HTTP gets the header with its variable filled in, and is in the catalog."""
    assert list(asked.tools("wind")) == ["mcp__wind", "mcp__wind__wind"]
    assert asked.tools("wind")["mcp__wind"].description == "Buoys."
    assert asked.faults("wind") == []


def test_servers_over_http_that_refuse(asked: Asked) -> None:
    """A refused key, a failing server and an address where nobody listens are told apart, with no word of theirs."""
    assert asked.faults("locked") == ["asks for a sign-in (HTTP 401)"]
    assert asked.faults("broken") == ["answered initialize with HTTP 500"]
    assert asked.faults("nobody") == ["cannot be reached (ConnectError)"]


def test_a_server_that_prints(asked: Asked) -> None:
    """What a server prints beside messages is told, JSON that is no message included, and its tools are there."""
    assert list(asked.tools("chatty")) == ["mcp__chatty", "mcp__chatty__chat"]
    [fault] = asked.faults("chatty")
    assert fault.startswith("wrote 2 lines to standard output that are no messages: Starting with [secret")


def test_a_server_that_dies(asked: Asked) -> None:
    """A server that dies between two pages costs its tools; exit code and last words are told."""
    [fault] = asked.faults("dying")
    assert fault.startswith("ended with exit code 3 before it answered tools/list; its last words: Traceback")
    assert fault.endswith("KeyError: 'tides'")
    assert {entry.state for entry in asked.tools("dying").values()} == {CapabilityState.NOT_CONNECTED}


def test_servers_that_cannot_start(asked: Asked) -> None:
    """No program, an early end, a flood instead of messages: each is told for what it is."""
    assert asked.faults("missing") == ["its program is not there"]
    [fault] = asked.faults("exits")
    assert fault.startswith("ended with exit code 7 before it answered initialize; its last words: bye [secret")
    assert asked.faults("flood") == ["prints to standard output without end"]


def test_values_that_cannot_be_had(asked: Asked) -> None:
    """A variable that is not set is named, and a command is not run unasked; neither server is started."""
    assert asked.faults("unset") == ["env KEY needs NO_SUCH_KEY, which is not set"]
    assert asked.faults("command") == ["env KEY is a command, and nobody asked to run it"]


def test_lists_without_end(asked: Asked) -> None:
    """A list that never ends is cut off at its page cap, one that turns in a circle at the first cursor again."""
    assert asked.faults("endless") == ["goes on listing after 1000 pages and 1000 tools"]
    assert asked.faults("same") == ["gives the same cursor again after 2 pages and 2 tools"]


def test_three_thousand_tools(asked: Asked) -> None:
    """All pages of a long list are taken."""
    tools = asked.tools("many")
    assert len(tools) == 3001
    assert "mcp__many__gauge_2999" in tools
    assert asked.faults("many") == []


def test_a_list_that_changes_while_it_is_read(asked: Asked) -> None:
    """A server that says meanwhile that its list is another one is asked again."""
    assert list(asked.tools("changing")) == ["mcp__changing", "mcp__changing__early", "mcp__changing__late"]
    assert asked.faults("changing") == []


def test_no_secret_comes_out(asked: Asked, setting: Setting) -> None:
    """No value of a variable or header is in the catalog, in the cache, or on this process's terminal."""
    everything = [asked.output, asked.errors, *(path.read_text() for path in setting.cache.iterdir())]
    assert len(everything) > 5
    assert not [text for text in everything if CANARY in text]
    assert f"with {SHORT}" not in asked.output
    assert asked.errors == ""


def test_nothing_is_left_running(asked: Asked, setting: Setting) -> None:
    """When the catalog is there, a server's whole process group is gone, the program that it started too."""
    assert is_group_gone(setting.root / "tides.pid")


def test_every_fault_says_where_and_how_to_mend_it(asked: Asked) -> None:
    """Each fault names a server and a mend."""
    assert all(fault.where and fault.what and fault.mend for fault in asked.catalog.faults)


def test_the_good_ones_are_there_in_time(tmp_path: Path) -> None:
    """A server that never answers has its time and no more; the others are there, and it is told of it."""
    file = tmp_path / "silent.pid"
    setting = Setting(
        tmp_path,
        silent=script("silent", env={"PROCESS_FILE": str(file), "SILENT_KEY": CANARY}),
        tides=script("tides", env={"PROCESS_FILE": str(tmp_path / "tides.pid")}),
    )
    asked = setting.ask(limit=4)
    assert len(asked.tools("tides")) == 3
    assert list(asked.tools("silent")) == ["mcp__silent"]
    [fault] = asked.faults("silent")
    assert fault.startswith("did not answer initialize within 4 s; its last words: waiting for a licence with [secret")
    assert is_group_gone(file)
    assert CANARY not in asked.output + asked.errors


def test_a_slow_list_is_told_as_far_as_it_came(tmp_path: Path) -> None:
    """A server that is still listing when its time is up gives what came so far, and it is told how much that is."""
    answer = '{"jsonrpc":"2.0","id":ID,"result":RESULT}'
    about = '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}'
    page = '{"tools":[{"name":"first","inputSchema":{"type":"object"}}],"nextCursor":"2"}'
    lines = [answer.replace("ID", str(number)).replace("RESULT", said) for number, said in ((1, about), (2, page))]
    words = f"read a; echo '{lines[0]}'; read a; read a; echo '{lines[1]}'; exec sleep 60"
    catalog = list_servers_now(Setting(tmp_path, slow=shell(words)).configured, limit=1)
    assert [entry.name for entry in catalog.entries] == ["mcp__slow", "mcp__slow__first"]
    assert [fault.what for fault in catalog.faults] == ["was not done with listing after 1 s: 1 tools in 1 pages"]


def test_the_last_list_stands_in(tmp_path: Path) -> None:
    """Where a server fails, the list that it gave before is used, with its age, and the failure is told."""
    (tmp_path / "words").write_text("one late")
    setting = Setting(tmp_path, words=script("changing", str(tmp_path / "words")))
    cache = ListingCache(setting.cache)
    fresh = list_servers_now(setting.configured, cache, limit=30)
    assert fresh.ages == {}
    (tmp_path / "words").unlink()
    again = list_servers_now(setting.configured, cache, limit=30)
    assert [entry.name for entry in again.entries] == [entry.name for entry in fresh.entries]
    assert {entry.state for entry in again.entries} == {CapabilityState.NOT_CONNECTED}
    assert again.ages.keys() == {"words"}
    assert [fault.where for fault in again.faults] == ["words"]


def test_a_refresh_sees_the_new_list(tmp_path: Path) -> None:
    """A fresh list takes the place of the one that was kept."""
    (tmp_path / "words").write_text("old late")
    setting = Setting(tmp_path, words=script("changing", str(tmp_path / "words")))
    cache = ListingCache(setting.cache)
    assert names(list_servers_now(setting.configured, cache, limit=30)) == ["mcp__words__late", "mcp__words__old"]
    (tmp_path / "words").write_text("new late")
    assert names(list_servers_now(setting.configured, cache, limit=30)) == ["mcp__words__late", "mcp__words__new"]
    assert names(remembered_servers(setting.configured, cache)) == ["mcp__words__late", "mcp__words__new"]


def test_what_is_remembered_starts_nothing(tmp_path: Path) -> None:
    """Without asking there are the servers, and nothing runs: not even a server with a fault is noticed."""
    setting = Setting(tmp_path, trap=shell(f"touch {tmp_path / 'trap'}", description="A trap."))
    catalog = remembered_servers(setting.configured, ListingCache(setting.cache))
    assert [(entry.name, entry.description, entry.state) for entry in catalog.entries] == [
        ("mcp__trap", "A trap.", CapabilityState.NOT_CONNECTED)
    ]
    assert not (tmp_path / "trap").exists()


def test_progress_is_told(tmp_path: Path) -> None:
    """Whoever waits hears how many servers are done."""
    heard: list[tuple[int, int]] = []
    setting = Setting(tmp_path, one=shell("exit 1"), two=shell("exit 2"))
    list_servers_now(setting.configured, limit=5, tell=lambda done, of: heard.append((done, of)))
    assert heard == [(1, 2), (2, 2)]


def test_asking_can_be_called_off(tmp_path: Path) -> None:
    """Cancelling the asking ends what was started."""
    file = tmp_path / "silent.pid"
    setting = Setting(tmp_path, silent=script("silent", env={"PROCESS_FILE": str(file), "SILENT_KEY": CANARY}))
    anyio.run(_asked_for_a_moment, setting.configured, file)
    assert is_group_gone(file)


async def _asked_for_a_moment(configured: Configured, file: Path) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(list_servers, configured)
        while not (file.exists() and file.read_text()):
            await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()


def names(catalog: Catalog) -> list[str]:
    """Give the names of the tools, sorted."""
    return sorted(entry.name for entry in catalog.entries if entry.parameters is not None)


def test_a_server_that_will_not_end(tmp_path: Path) -> None:
    """A server that is deaf to its input's end and to SIGTERM is killed, with all that it started."""
    file = tmp_path / "pid"
    words = f"trap '' TERM; echo $$ > {file}; sleep 60 & while :; do sleep 1; done"
    list_servers_now(Setting(tmp_path, deaf=shell(words)).configured, limit=0.5)
    assert is_group_gone(file)


def test_a_program_that_left_its_group(tmp_path: Path) -> None:
    """What a server started and set free holds its pipes open, and nobody up."""
    catalog = list_servers_now(Setting(tmp_path, free=shell("setsid sleep 3 & exit 4")).configured, limit=60)
    assert [fault.what for fault in catalog.faults] == ["ended with exit code 4 before it answered initialize"]


def test_odd_messages_cost_themselves(tmp_path: Path) -> None:
    """A tool without a schema, one with a bottomless schema and one with a lone surrogate cost themselves at most."""
    deep = '{"a":' * 150 + "1" + "}" * 150
    tools = ",".join(
        [
            '{"name":"good","inputSchema":{"type":"object"}}',
            '{"name":"none"}',
            f'{{"name":"deep","inputSchema":{deep}}}',
            '{"name":"odd","description":"\\\\ud800 \\\\u0007","inputSchema":{"type":7,"required":"x"}}',
            "5",
        ]
    )
    about = '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}'
    script_file = tmp_path / "server.sh"
    script_file.write_text(
        f'read a; echo \'{{"jsonrpc":"2.0","id":1,"result":{about}}}\'; read a; read a; '
        f'printf \'%b\\n\' \'{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{tools}]}}}}\'; read a'
    )
    setting = Setting(tmp_path, odd={"command": "/bin/sh", "args": [str(script_file)]})
    catalog = list_servers_now(setting.configured, ListingCache(setting.cache), limit=5)
    assert names(catalog) == ["mcp__odd__good", "mcp__odd__odd"]
    assert [fault.what for fault in catalog.faults] == [
        "lists 3 tools without a name or an input schema, or with one that has no end"
    ]
    assert names(remembered_servers(setting.configured, ListingCache(setting.cache))) == names(catalog)
