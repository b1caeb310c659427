"""The front matter of a skill's file, read as Pi's YAML 1.2 parser reads it and with bounds on what it may cost.

PyYAML's safe loader speaks YAML 1.1: there `yes` is a truth value and `2026-01-05` a date, where Pi sees text.
"""

import re
from collections.abc import Hashable

import yaml
from msgspec import Struct

from pilotage.records.fields import as_dict, as_text

MOST_BYTES = 64 * 1024
"""Bytes at the head of a file within which its front matter must end."""

_MOST_ALIASES = 100
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class FaultyFront(Exception):
    """Front matter that cannot be read."""

    def __init__(self, line: int, what: str, mend: str) -> None:
        super().__init__(what)
        self.line = line
        """The line of the file, counted from 1."""
        self.mend = mend
        """What its author can do."""


class Front(Struct, frozen=True):
    """What Pi reads of a skill's front matter, and the one field that Pilotage adds (spec D3)."""

    name: str = ""
    """The skill's name; empty where it has none that is text."""
    description: str = ""
    """Its description; empty where it has none that is text."""
    catalog_description: str | None = None
    """`metadata.catalog-description`: what the short list shows."""
    is_disabled: bool = False
    """Whether only a person may call it (`disable-model-invocation`)."""


def parse_front(text: str) -> Front:
    """The fields between the first two lines of `---`; empty ones where there are no such lines.

    `text` is the head of a file. Raises FaultyFront.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    end = text.find("\n---", 3) if text.startswith("---") else -1
    if end == -1:
        return Front()
    try:
        value = yaml.load(text[4:end], Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 2
        raise FaultyFront(line, f"its front matter is no YAML: {error.problem}", _mend(error)) from error
    except yaml.YAMLError as error:
        raise FaultyFront(2, "its front matter holds a character that YAML does not take", "take it out") from error
    except Exception as error:
        # Hostile tags bring PyYAML to whatever error there is.
        raise FaultyFront(2, "its front matter cannot be read", "write plain names and texts in it") from error
    # Nothing but texts leaves here: a hostile value shares its parts, and to print it would never end.
    fields = as_dict(value)
    short = _text(as_dict(fields.get("metadata")).get("catalog-description"))
    return Front(
        _text(fields.get("name")),
        _text(fields.get("description")),
        short or None,
        fields.get("disable-model-invocation") is True,
    )


def _text(value: object) -> str:
    return _LONE_SURROGATE.sub("\ufffd", as_text(value)).strip()


def _mend(error: yaml.MarkedYAMLError) -> str:
    if error.problem and "mapping values" in error.problem:
        return "put a value that holds a colon in quotes"
    return "mend the line; put a value with special signs in quotes"


class _Loader(yaml.SafeLoader):
    """A safe loader for YAML 1.2's own types that counts aliases and takes no key twice."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - as the base has it
    _aliases = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Count aliases: a few of them can stand for a billion values."""
        if self.check_event(yaml.AliasEvent):
            self._aliases += 1
            if self._aliases > _MOST_ALIASES:
                raise yaml.composer.ComposerError(None, None, "too many aliases", self.get_mark())
        return super().compose_node(parent, index)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Merge nothing: YAML 1.2 has no merge keys, and nested ones cost without bound."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
        """Refuse a key that is given twice, as Pi does."""
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(None, None, "a key is given twice", key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


def _no_text(loader: _Loader, node: yaml.Node) -> int:  # noqa: ARG001 - the loader calls it so
    """Stand for a number or nothing, which no field of a skill is."""
    return 0


_NO_TEXT = "tag:pilotage,2026:no-text"
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), list("tTfF")
)
_Loader.add_implicit_resolver(
    _NO_TEXT,
    re.compile(
        r"(?:~|null|Null|NULL|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
        r"|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|)\Z"
    ),
    ["~", "n", "N", "", *"-+.0123456789"],
)
_Loader.add_constructor(_NO_TEXT, _no_text)
