"""The generated blocks of the README: help texts, key table, signs, filter, themes."""

import os
import re
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

WIDTH = 100

_BLOCK = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def renewed(readme: str, top: ArgumentParser, commands: dict[str, ArgumentParser]) -> str:
    """The README with each generated block as it should be."""
    blocks = make_blocks(top, commands)
    return _BLOCK.sub(lambda match: f"{match.group(1)}\n{blocks[match.group('name')]}\n\n{match.group(3)}", readme)


def make_blocks(top: ArgumentParser, commands: dict[str, ArgumentParser]) -> dict[str, str]:
    """Every block by name; the help texts are those of the whole program and of its commands."""
    from pilotage.console.commands import key_table
    from pilotage.console.status import FILTER_FORMS, SIGN_MEANINGS
    from pilotage.console.themes import load_palettes
    from pilotage.hosts.pi.configuration import key_table as configuration_table
    from pilotage.settings import setting_table

    palettes, _ = load_palettes()
    keys = [f"**{str(where).capitalize()}**\n\n{_keys(rows)}" for where, rows in key_table({})]
    return {
        "help": f"```text\n{_help_texts(top, commands)}\n```",
        "keys": "\n\n".join(keys),
        "signs": _table(("sign", "meaning"), [(f"`{sign}`", meaning) for sign, meaning in SIGN_MEANINGS]),
        "filter": _table(("typed", "shows"), [(f"`{form}`", meaning) for form, meaning in FILTER_FORMS]),
        "configuration": _table(
            ("key", "default", "value", "what"),
            [(f"`{key}`", f"`{default}`", wanted, means) for key, default, wanted, means in configuration_table()],
        ),
        "settings": _table(
            ("setting", "value", "what"), [(f"`{name}`", wanted, means) for name, wanted, means in setting_table()]
        ),
        "themes": ", ".join(f"`{name}`" for name in palettes),
    }


def _help_texts(top: ArgumentParser, commands: dict[str, ArgumentParser]) -> str:
    """What `--help` prints, for the program and for each command."""
    with _columns(WIDTH):
        texts = [f"$ pilotage --help\n{top.format_help()}"]
        texts += [f"$ pilotage {name} --help\n{sub.format_help()}" for name, sub in commands.items()]
    return "\n".join(texts).rstrip()


@contextmanager
def _columns(width: int) -> Iterator[None]:
    """Help texts of one width, whatever the terminal."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(width)
    try:
        yield
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


def _keys(rows: Iterable[tuple[str, str, str]]) -> str:
    cells = [(" ".join(f"`{key}`" for key in keys.split()), words, f"`{command}`") for keys, command, words in rows]
    return _table(("keys", "what", "id"), cells)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
