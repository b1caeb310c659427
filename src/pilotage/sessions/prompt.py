"""The system prompt and the declared tools, replayed along the active branch (`HOST.md` a)."""

from collections.abc import Iterator

from msgspec import Struct

from pilotage.records.fields import as_dict, as_list, as_text, content_blocks
from pilotage.sessions.context import effective
from pilotage.sessions.read import Session


class Prompt(Struct, frozen=True):
    """What the main model is told before the conversation, as far as the session keeps it.

    An extension can give one run another prompt, and can keep a declared tool out of a request: the file says neither.
    """

    content: str
    """The text that stands before the sections; empty where the host wrote sections only."""
    sections: dict[str, str]
    """The text of each section by its name, in the order of the request."""
    tools: tuple[dict[str, object], ...]
    """The declared tools, each with name, description and parameters."""

    @property
    def text(self) -> str:
        """The whole prompt as the host sends it."""
        return "\n\n".join(part for part in (self.content, *self.sections.values()) if part)


def prompt_of(session: Session) -> Prompt:
    """The prompt and tools at the end of the active branch; an empty one where the file has none.

    Each system message patches the one before; a compaction holds the state at its time. Raises UnreadableSession
    when the file changed meanwhile.
    """
    said: list[str] = []
    sections: dict[str, str] = {}
    tools: dict[str, dict[str, object]] = {}
    for message in _system_messages(session):
        said.append("\n".join(as_text(block.get("text")) for block in content_blocks(message) if _is_text(block)))
        for name, text in as_dict(message.get("sections")).items():
            if isinstance(text, str):
                sections[name] = text
            elif text is None:
                sections.pop(name, None)
        for tool in map(as_dict, as_list(message.get("toolsRemoved"))):
            tools.pop(as_text(tool.get("name")), None)
        for tool in map(as_dict, as_list(message.get("toolsAdded"))):
            if tool:
                tools[as_text(tool.get("name"))] = tool
    return Prompt("\n\n".join(text for text in said if text), sections, tuple(tools.values()))


def _is_text(block: dict[str, object]) -> bool:
    return block.get("type") == "text"


def _system_messages(session: Session) -> Iterator[dict[str, object]]:
    """The system messages in the effective context, the one that a compaction keeps among them."""
    for item in effective(session):
        entry = session.entry(item.entry)
        if entry.role == "system":
            yield as_dict(session.body(entry).get("message"))
        elif entry.type == "compaction":
            yield as_dict(session.body(entry).get("systemMessage"))
