import json

import pytest

from pilotage.cli.output import cropped, print_object, print_row, print_text, say
from tests.handmade import HOSTILE


def test_object_is_one_safe_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A record is one printable line, and reads back as what it was but for lone surrogates (spec U8)."""
    print_object({"text": f"a\nb {HOSTILE}", HOSTILE: [1.5, None, True]})
    (line,) = capsys.readouterr().out.splitlines()
    assert line.isprintable()
    kept = HOSTILE.replace("\ud800", "\ufffd").replace("\udcff", "\ufffd")
    assert json.loads(line) == {"text": f"a\nb {kept}", kept: [1.5, None, True]}


def test_text_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Text for people keeps newlines and shows all else that is hidden as signs."""
    print_text(f"a\r\nb\n{HOSTILE}")
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["a", "b"]
    assert all(line.isprintable() for line in lines)
    assert "[bold]x[/bold]" in lines[2]


def test_row_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A row is one line whatever its cells hold; a cell keeps its width, and an empty one leaves no gap."""
    print_row(["a  ", "", "b\nc", "   ", HOSTILE, "d   "])
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("a    b c  ␛[31mred")
    assert line.endswith("  d")
    assert line.isprintable()


def test_words_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """Words are no data: they go to stderr, as safe as the data (spec L1)."""
    say(HOSTILE)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.rstrip("\n").isprintable()


def test_nothing_is_cut_for_a_program() -> None:
    """A line for a program is never cut."""
    assert cropped("x" * 10_000) == "x" * 10_000
