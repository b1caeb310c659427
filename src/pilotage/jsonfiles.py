"""A host's own JSON files, read and never written, with the liberties that Pi takes with each (`HOST.md` c, e, f)."""

import json
import re
from pathlib import Path

_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*', re.DOTALL)
_TRAILING = re.compile(r'"(?:\\.|[^"\\])*"|,(\s*[}\]])', re.DOTALL)


class FaultyFile(Exception):
    """A file that Pi cannot use; its text names the file, and line and column where that helps."""


def load_object(path: Path, *, comments: bool = False) -> dict[str, object]:
    """Read a JSON object; an empty one where there is no file.

    A byte order mark is taken; line comments and trailing commas only where Pi takes them too. Raises
    FaultyFile.
    """
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        msg = f"{path}: {error}"
        raise FaultyFile(msg) from error
    try:
        value: object = json.loads(_without_comments(text) if comments else text)
    except json.JSONDecodeError as error:
        hint = "" if comments or error.pos >= len(text) or text[error.pos] != "/" else "; Pi takes no comments here"
        msg = f"{path}: {error.msg}, line {error.lineno} column {error.colno}{hint}"
        raise FaultyFile(msg) from error
    except (ValueError, RecursionError) as error:
        msg = f"{path}: {error}"
        raise FaultyFile(msg) from error
    if not isinstance(value, dict):
        msg = f"{path}: not an object"
        raise FaultyFile(msg)
    return value


def _without_comments(text: str) -> str:
    """The text without line comments and trailing commas; what stands in strings stays."""
    bare = _COMMENT.sub(lambda match: match[0] if match[0].startswith('"') else "", text)
    return _TRAILING.sub(lambda match: match[0] if match[0].startswith('"') else match[1], bare)
