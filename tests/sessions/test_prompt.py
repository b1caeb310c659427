from pathlib import Path

from pilotage.sessions.prompt import Prompt, prompt_of
from pilotage.sessions.read import read_session
from tests.handmade import Fields, agent, user, write_session


def system(content: object = "", **message: object) -> Fields:
    """Give a system message."""
    return {"type": "message", "message": {"role": "system", "content": content, **message}}


def of(folder: Path, *entries: Fields) -> Prompt:
    """Give the prompt of these entries."""
    return prompt_of(read_session(write_session(folder / "s.jsonl", *entries)))


def names(prompt: Prompt) -> list[object]:
    """Give the names of the declared tools."""
    return [tool["name"] for tool in prompt.tools]


def test_recorded_prompt(data: Path) -> None:
    """The sections stand in the order in which the host sends them, and the tools are declared with their schemas."""
    prompt = prompt_of(read_session(data / "deferred.jsonl"))
    assert list(prompt.sections) == ["preamble", "tools", "rules", "docs", "cwd", "mcp_servers"]
    assert prompt.text == "\n\n".join(prompt.sections.values())
    assert names(prompt) == ["read", "bash", "edit", "write", "tool_search", "mcp__tides__high_water"]
    assert all(isinstance(tool["parameters"], dict) and tool["description"] for tool in prompt.tools)


def test_recorded_compaction(data: Path) -> None:
    """After a compaction the prompt is the one that it kept."""
    prompt = prompt_of(read_session(data / "compaction.jsonl"))
    assert prompt.sections["preamble"].startswith("You are a coding assistant")
    assert names(prompt) == ["read", "bash", "edit", "write"]


def test_old_sessions(data: Path) -> None:
    """Files of older hosts hold no prompt."""
    for name in ("version1", "version2"):
        assert prompt_of(read_session(data / f"{name}.jsonl")) == Prompt("", {}, ())


def test_patches(tmp_path: Path) -> None:
    """A later message changes, adds and takes away; what comes again after it was taken away stands last."""
    prompt = of(
        tmp_path,
        system(sections={"a": "1", "b": "2", "c": "3"}, toolsAdded=[{"name": "x"}, {"name": "y"}]),
        user(),
        system(sections={"b": None, "a": "one"}, toolsRemoved=[{"name": "x"}]),
        system(sections={"b": "two", "d": ""}, toolsAdded=[{"name": "x", "description": "new"}]),
    )
    assert list(prompt.sections.items()) == [("a", "one"), ("c", "3"), ("b", "two"), ("d", "")]
    assert prompt.text == "one\n\n3\n\ntwo"
    assert prompt.tools == ({"name": "y"}, {"name": "x", "description": "new"})


def test_plain_prompts(tmp_path: Path) -> None:
    """A prompt without sections stands before those that have one; later ones follow it."""
    blocks = [{"type": "text", "text": "b"}, {"type": "image"}, {"type": "text", "text": "c"}]
    assert of(tmp_path, system("a"), system(blocks, sections={"s": "d"})).text == "a\n\nb\nc\n\nd"


def test_branches_that_were_left(tmp_path: Path) -> None:
    """Only the active branch counts."""
    left = system(sections={"a": "2"}, toolsAdded=[{"name": "x"}])
    prompt = of(tmp_path, system(sections={"a": "1"}), user(), left, {**agent(text="So."), "parentId": "e2"})
    assert (prompt.text, prompt.tools) == ("1", ())


def test_checkpoint(tmp_path: Path) -> None:
    """A compaction takes the place of all before it, even where it kept no prompt."""
    before, after = system(sections={"a": "1"}), system(sections={"b": "2"})
    kept = {"role": "system", "content": "", "sections": {"c": "3"}, "toolsAdded": [{"name": "x"}]}
    compaction: Fields = {"type": "compaction", "summary": "s", "firstKeptEntryId": "e1"}
    prompt = of(tmp_path, before, user(), compaction | {"systemMessage": kept}, after)
    assert (prompt.text, names(prompt)) == ("3\n\n2", ["x"])
    assert of(tmp_path, before, user(), compaction).text == ""


def test_shapes_that_nobody_vouches_for(tmp_path: Path) -> None:
    """Whatever is not of the host's shape says nothing."""
    odd = system(7, sections={"a": 1, "b": ["x"]}, toolsAdded={"name": "x"}, toolsRemoved=["y", 3, None])
    assert of(tmp_path, odd, system(None, sections="text", toolsAdded=[5])) == Prompt("", {}, ())
