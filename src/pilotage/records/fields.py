"""Careful looks into objects whose shape nobody vouches for."""


def as_dict(value: object) -> dict[str, object]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """The value if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def content_blocks(message: dict[str, object]) -> list[dict[str, object]]:
    """A message's content as blocks; content that is one text is one block (`HOST.md` a)."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [as_dict(block) for block in as_list(content)]


def text_of_blocks(blocks: list[dict[str, object]]) -> str:
    """The text of content blocks, one below the other; an image leaves a placeholder, thinking and calls nothing."""
    parts = []
    for block in blocks:
        if block.get("type") == "text":
            parts.append(as_text(block.get("text")))
        elif block.get("type") == "image":
            parts.append("[image]")
    return "\n".join(part for part in parts if part)
