"""What a tool's JSON Schema says in words: names and descriptions of its parameters (spec D7).

A schema is somebody else's: circular, dangling, deep and huge ones cost that tool some of its words and nothing more.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from urllib.parse import unquote

from msgspec import Struct

MOST_NODES = 500
"""Subschemas that are looked at."""

MOST_CHARACTERS = 10_000
"""Characters of names, and of descriptions, that are kept."""

_DEEPEST = 16
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "contains", "not", "if", "then", "else")


class SchemaText(Struct, frozen=True):
    """The words of a schema."""

    names: str
    """Names of properties."""
    descriptions: str
    """Descriptions and titles."""


def schema_text(schema: Mapping[str, object] | None) -> SchemaText:
    """The names and descriptions in a schema and in what its local `$ref`s point to."""
    names, descriptions = _Words(), _Words()
    seen: set[int] = set()
    waiting: list[tuple[object, int]] = [(schema, 0)]
    while waiting and len(seen) < MOST_NODES:
        node, depth = waiting.pop()
        if not isinstance(node, Mapping) or id(node) in seen or depth > _DEEPEST:
            continue
        seen.add(id(node))
        names.add(_names(node))
        descriptions.add([node.get("title"), node.get("description")])
        waiting += [(child, depth + 1) for child in reversed(_children(node, schema))]
    return SchemaText(" ".join(names.kept), "\n".join(descriptions.kept))


class _Words:
    """Texts, up to a bound for all of them together."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self._left = MOST_CHARACTERS

    def add(self, texts: Iterable[object]) -> None:
        """Keep what is text and not empty."""
        for text in texts:
            if isinstance(text, str) and text and self._left:
                self.kept.append(text[: self._left])
                self._left -= len(self.kept[-1])


def _names(node: Mapping[str, object]) -> Iterable[object]:
    properties = node.get("properties")
    return islice(properties, MOST_NODES) if isinstance(properties, Mapping) else ()


def _children(node: Mapping[str, object], root: object) -> list[object]:
    """The subschemas of a schema, in its order; a `$ref` is followed where it points into `root`."""
    children: list[object] = []
    for key in ("properties", "patternProperties"):
        inside = node.get(key)
        if isinstance(inside, Mapping):
            children += islice(inside.values(), MOST_NODES)
    children += [node.get(key) for key in _SINGLE]
    for key in _LISTS:
        inside = node.get(key)
        if isinstance(inside, list | tuple):
            children += inside[:MOST_NODES]
    reference = node.get("$ref")
    if isinstance(reference, str):
        children.append(_target(reference, root))
    return children


def _target(reference: str, root: object) -> object:
    """What a local reference points to; None for any other, and where nothing is."""
    if not reference.startswith("#"):
        return None
    found = root
    for part in unquote(reference[1:]).split("/")[1 : _DEEPEST + 1]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping):
            found = found.get(key)
        elif isinstance(found, list) and key.isdecimal() and len(key) < 5 and int(key) < len(found):
            found = found[int(key)]
        else:
            return None
    return found
