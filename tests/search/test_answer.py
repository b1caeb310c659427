import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.inference.question import Failure, RequestFailed
from pilotage.records.capability import Capability, CapabilityState, Catalog
from pilotage.search.answer import Answer, Mode, answer, is_wish
from pilotage.search.index import build_index
from pilotage.search.semantic import Choice, Chosen
from tests.search.catalogs import DECLARED, NOT_CONNECTED, OFFICE, catalog, mcp_server, mcp_tool, skill, tool

INDEX = build_index(OFFICE)


def ask(query: str, limit: int = 8) -> Answer:
    """Ask the office's catalog without a model."""
    return answer(OFFICE, INDEX, query, limit)


def of(entries: Catalog, query: str, limit: int = 8) -> Answer:
    """Ask another catalog without a model."""
    return answer(entries, build_index(entries), query, limit)


def ids(found: Answer) -> list[str]:
    """Give the ids of what is suggested."""
    return [one.id for one in found.suggestions]


@pytest.mark.parametrize("query", ["*", "", "   ", "...", "!?", "* *", "🙂", "\u200b"])
def test_a_list_lists_and_does_nothing_else(query: str) -> None:
    """`*`, nothing and signs alone list what there is, load nothing and say how many more (`cases.md` F2)."""
    found = ask(query, 5)
    assert found.mode is Mode.LIST
    assert (found.total, len(found.suggestions), found.more) == (12, 5, 7)
    assert found.loaded == ()


def test_a_list_of_one_kind() -> None:
    """A kind before the sign narrows the list."""
    assert ids(ask("skill:*")) == ["skill:release-notes"]
    assert ask("MCP:").total == 7


@pytest.mark.parametrize(
    "query", ["weather_forecast", "WEATHER_FORECAST", "tool:weather_forecast", "Tool: weather-forecast"]
)
def test_an_exact_name_is_loaded(query: str) -> None:
    """One tool that is named is the answer, and is loaded."""
    found = ask(query)
    assert found.mode is Mode.EXACT
    assert ids(found) == ["tool:weather_forecast"]
    assert found.loaded == ("weather_forecast",)
    assert found.available_tools == ("notify", "weather_forecast")


def test_a_declared_tool_is_found_and_not_loaded_again() -> None:
    """What is loaded already is found, and is no longer loaded (spec D8)."""
    found = ask("notify")
    assert ids(found) == ["tool:notify"]
    assert found.loaded == ()
    assert found.available_tools == ("notify",)


def test_a_skill_is_given_with_its_path() -> None:
    """A skill is suggested with the file to read, and never loaded."""
    found = ask("skill:release-notes")
    assert found.suggestions[0].path == "/skills/release-notes/SKILL.md"
    assert found.loaded == ()


@pytest.mark.parametrize("query", ["mcp:mcp__playwright", "mcp__playwright", "playwright"])
def test_a_server_stands_for_its_tools(query: str) -> None:
    """A server's name gives the server and loads its tools; the server itself is nothing to load."""
    found = ask(query)
    assert ids(found) == [
        "mcp:mcp__playwright",
        "mcp:mcp__playwright__browser_click",
        "mcp:mcp__playwright__browser_open",
    ]
    assert found.loaded == ("mcp__playwright__browser_click", "mcp__playwright__browser_open")


def test_a_server_that_is_not_connected() -> None:
    """Of a server whose tools nobody knows only itself is given."""
    found = ask("mcp:mcp__tracker")
    assert ids(found) == ["mcp:mcp__tracker"]
    assert found.loaded == ()


def test_a_tool_named_like_its_server() -> None:
    """A name that a server shares with its own tool means the tool."""
    found = of(catalog(mcp_server("fetch"), mcp_tool("fetch", "fetch", "Fetch an address.")), "fetch")
    assert ids(found) == ["mcp:mcp__fetch__fetch"]
    assert found.loaded == ("mcp__fetch__fetch",)


def test_one_local_name_of_two_servers_loads_neither() -> None:
    """Tools of several servers are all shown with their ids, and none is picked silently."""
    found = ask("create_issue")
    assert ids(found) == ["mcp:mcp__github__create_issue", "mcp:mcp__gitlab__create_issue"]
    assert found.loaded == ()
    assert "ask for mcp:mcp__gitlab__create_issue" in found.suggestions[1].why
    assert ask("mcp:mcp__gitlab__create_issue").loaded == ("mcp__gitlab__create_issue",)


def test_variants_are_all_shown_and_none_is_picked() -> None:
    """Names that differ in a sign are shown together; an id says which is meant (spec D5)."""
    entries = catalog(tool("read_file"), tool("read-file"), tool("read.file"))
    found = of(entries, "read-file")
    assert ids(found)[0] == "tool:read-file"
    assert set(ids(found)) == {"tool:read-file", "tool:read.file", "tool:read_file"}
    assert found.loaded == ()
    chosen = of(entries, "tool:read-file")
    assert ids(chosen)[0] == "tool:read-file"
    assert chosen.loaded == ("read-file",)


def test_a_full_name_is_more_than_a_local_one() -> None:
    """A tool whose whole name was typed is meant, though a server's tool ends like it."""
    found = of(catalog(mcp_tool("a", "search"), tool("search")), "search")
    assert ids(found) == ["tool:search", "mcp:mcp__a__search"]
    assert found.loaded == ("search",)


def test_a_kind_tells_namesakes_apart() -> None:
    """A skill and a tool of one name are told apart by the word before the colon."""
    entries = catalog(skill("notify"), tool("notify"))
    assert of(entries, "notify").loaded == ()
    assert ids(of(entries, "skill:notify")) == ["skill:notify"]
    assert of(entries, "tool:notify").loaded == ("notify",)


def test_a_wish_within_a_kind() -> None:
    """A kind before a wish leaves all others out."""
    assert ids(ask("skill: notes for a release")) == ["skill:release-notes"]
    assert ids(ask("tool: create an issue")) == []


def test_a_wish_is_explained_and_loaded() -> None:
    """What shares telling words with a wish is loaded, and says which words."""
    found = ask("what will the weather be in Oslo")
    assert found.mode is Mode.NATIVE
    assert ids(found) == ["tool:weather_forecast"]
    assert (
        found.suggestions[0].why
        == "name: weather, forecast (for weather); description: forecast (for weather), weather"
    )
    assert found.loaded == ("weather_forecast",)


def test_a_name_with_a_mistake_comes_before_words() -> None:
    """A typing mistake in a name still leads to it first."""
    found = ask("read_documnet")
    assert found.mode is Mode.NATIVE
    assert ids(found)[0] == "tool:read_document"
    assert found.loaded[0] == "read_document"


def test_a_beginning_of_many_names_loads_none() -> None:
    """Where more names begin as typed than can be shown, none of them is meant beyond doubt."""
    entries = catalog(*(tool(f"get_thing_{n}") for n in range(5)))
    assert len(of(entries, "get_thing").loaded) == 5
    assert of(entries, "get_thing", 3).total == 5
    assert of(entries, "get_thing", 3).loaded == ()


def test_a_servers_own_words_load_nothing_beside_a_match() -> None:
    """Tools of which only the server's description matches are not loaded along with the one that is meant."""
    said = "Everything about repositories, issues and translations."
    tools = (
        mcp_tool("forge", "create_issue", "Create an issue in a repository."),
        mcp_tool("forge", "translate", "Translate text between languages."),
    )
    entries = Catalog(
        tuple(Capability(t.id, t.kind, t.name, t.description, t.state, None, None, t.server, said) for t in tools)
    )
    assert of(entries, "create an issue in my repository").loaded == ("mcp__forge__create_issue",)


def test_what_is_not_connected_is_not_loaded() -> None:
    """A tool whose server did not answer is shown, and cannot be loaded."""
    found = of(catalog(mcp_tool("lake", "tide_table", "Tells the tides.", NOT_CONNECTED)), "when is high tide")
    assert len(found.suggestions) == 1
    assert found.loaded == ()


def test_a_person_who_looks_around_loads_nothing() -> None:
    """A search by hand activates nothing."""
    assert answer(OFFICE, INDEX, "weather_forecast", loading=False).loaded == ()


def test_nothing_found_says_so() -> None:
    """A wish that nothing fits has an empty answer and no error."""
    found = ask("zzyzx")
    assert (found.mode, found.total, found.suggestions, found.routing_error) == (Mode.NATIVE, 0, (), None)


CHOICE = Choice(
    (
        Chosen("tool:convert_currency", "For the price in euros.", 0.4),
        Chosen("skill:release-notes", "For the notes.", 0.9),
        Chosen("tool:notify", "To tell them.", 0.8),
        Chosen("mcp:mcp__playwright", "To look it up.", 0.3),
    )
)


def test_a_models_choice_is_ranked_by_words() -> None:
    """Inside what a model chose words rank; what shares none comes after, in the model's order (spec D6)."""
    found = answer(OFFICE, INDEX, "write the release notes", choice=CHOICE)
    assert found.mode is Mode.SEMANTIC
    assert ids(found) == ["skill:release-notes", "tool:convert_currency", "tool:notify", "mcp:mcp__playwright"]
    assert found.suggestions[0].confidence == 0.9
    assert found.suggestions[0].why == "For the notes."
    assert found.loaded == ("convert_currency",)
    assert found.total == 4


def test_a_model_that_found_nothing_is_believed() -> None:
    """An empty choice is an answer, and words do not overrule it."""
    found = answer(OFFICE, INDEX, "weather in Oslo", choice=Choice(()))
    assert (found.mode, found.total, found.loaded) == (Mode.SEMANTIC, 0, ())


def test_a_failure_is_said() -> None:
    """Where the model failed, words answer and the failure is told (spec D6)."""
    failure = RequestFailed(Failure.TIMEOUT, "The model did not answer within 60 s.")
    found = answer(OFFICE, INDEX, "weather in Oslo", failure=failure)
    assert found.mode is Mode.NATIVE
    assert ids(found) == ["tool:weather_forecast"]
    assert found.routing_error == "timeout: The model did not answer within 60 s."
    assert answer(OFFICE, INDEX, "notify", failure=failure).routing_error is None


def test_only_a_wish_is_for_a_model() -> None:
    """Lists and exact names need no model."""
    assert [is_wish(OFFICE, INDEX, query) for query in ("*", "notify", "mcp:mcp__playwright", "weather in Oslo")] == [
        False,
        False,
        False,
        True,
    ]


def test_states_may_have_changed() -> None:
    """An index serves on when tools were loaded since it was built."""
    later = Catalog(
        tuple(
            tool(entry.name, entry.description, DECLARED) if entry.id == "tool:weather_forecast" else entry
            for entry in OFFICE.entries
        )
    )
    found = answer(later, INDEX, "weather in Oslo")
    assert ids(found) == ["tool:weather_forecast"]
    assert found.loaded == ()
    assert found.available_tools == ("notify", "weather_forecast")


def test_the_keys_of_the_answer() -> None:
    """As JSON an answer has the specification's keys, and none for what there is not (spec D8)."""
    assert json.loads(json.dumps(ask("weather_forecast").to_json())) == {
        "mode": "exact",
        "total": 1,
        "suggestions": [{"id": "tool:weather_forecast", "name": "weather_forecast", "why": "exact name"}],
        "loaded": ["weather_forecast"],
        "availableTools": ["notify", "weather_forecast"],
    }
    failure = RequestFailed(Failure.REFUSED, "No.")
    value = answer(OFFICE, INDEX, "zzyzx", failure=failure).to_json()
    assert value["routingError"] == "refused: No."
    chosen = json.loads(json.dumps(answer(OFFICE, INDEX, "the release", choice=CHOICE).to_json()))
    assert set(chosen["suggestions"][0]) == {"id", "name", "why", "confidence", "path"}


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_is_positive(limit: int) -> None:
    """A limit below one is refused in Pi's words."""
    with pytest.raises(ValueError, match="limit must be a positive integer"):
        ask("x", limit)


NAMES = st.text(max_size=12) | st.sampled_from(
    ["mcp__a__b", "mcp__a", "a__b", "read_file", "read-file", "tool:x", "*", "__", "mcp__", "É", "天气", "skill:"]
)


@st.composite
def catalogs(draw: st.DrawFn) -> Catalog:
    """Make catalogs with hostile names."""
    kinds = [
        lambda name: tool(name, f"About {name}."),
        lambda name: skill(name, f"How to {name}."),
        lambda name: mcp_tool("srv", name, "Does."),
        lambda name: mcp_server(name, "Serves."),
        lambda name: Capability(f"mcp:{name}", mcp_tool("a", "b").kind, name, name, CapabilityState.DECLARED),
    ]
    entries = [draw(st.sampled_from(kinds))(name) for name in draw(st.lists(NAMES, max_size=8))]
    return Catalog(tuple({entry.id: entry for entry in entries}.values()))


@given(catalogs(), NAMES | st.text(max_size=40), st.integers(1, 5), st.integers(0, 5))
def test_any_catalog_answers_any_query(entries: Catalog, query: str, limit: int, seed: int) -> None:
    """Nothing typed and nothing named fails, and the order in which servers connected changes nothing."""
    found = answer(entries, build_index(entries), query, limit)
    assert found.total >= len(found.suggestions)
    assert len(found.suggestions) <= limit
    assert len(set(ids(found))) == len(found.suggestions)
    assert set(found.loaded) <= {one.name for one in found.suggestions}
    shuffled = list(entries.entries)
    Random(seed).shuffle(shuffled)
    again = Catalog(tuple(shuffled))
    assert answer(again, build_index(again), query, limit) == found


@given(catalogs(), st.data())
def test_an_exact_name_is_always_first(entries: Catalog, data: st.DataObject) -> None:
    """Whoever types a name that holds a letter or digit gets an entry of that name first, full or local (spec D5)."""
    named = [entry.name for entry in entries.entries if any(sign.isalnum() for sign in entry.name)]
    if not named:
        return
    name = data.draw(st.sampled_from(named))
    if name.lower().rstrip().endswith(":"):
        return
    first = answer(entries, build_index(entries), name, 3).suggestions[0]
    assert first.name.strip().casefold() == name.strip().casefold()
    local = name.rpartition("__")[2].strip()
    if any(sign.isalnum() for sign in local) and ":" not in local:
        first = answer(entries, build_index(entries), local.upper(), 3).suggestions[0]
        ends = (first.name.strip().casefold(), first.name.rpartition("__")[2].strip().casefold())
        assert local.upper().casefold() in ends
