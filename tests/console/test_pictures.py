"""The README's pictures and generated blocks are what the program gives now."""

import multiprocessing
import re
from argparse import ArgumentParser
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from pilotage.cli.demo import RECORDING
from pilotage.cli.main import parser
from pilotage.cli.manual import make_blocks, renewed
from pilotage.console.scenes import SCENES, Scene, draw, tidied
from tests.console.driven import palettes

TOP = Path(__file__).parents[2]
FOLDER = TOP / "screenshots"
PICTURES = [(scene, palette.name) for scene in SCENES for palette in palettes()]
AGAIN = (SCENES[0], "light")
"""A picture that is drawn a second time."""


def drawn(scene: Scene, theme: str) -> str:
    """Draw one picture; meant for a process of its own, as drawing is mostly waiting."""
    with as_file(files("pilotage.demo")) as shipped:
        return draw(scene, theme, shipped / RECORDING)


@pytest.fixture(scope="module")
def pictures() -> Iterator[dict[tuple[str, str], str]]:
    """Draw all pictures, several at once."""
    with ProcessPoolExecutor(6, multiprocessing.get_context("spawn")) as processes:
        again = processes.submit(drawn, *AGAIN)
        jobs = {(scene.name, theme): processes.submit(drawn, scene, theme) for scene, theme in PICTURES}
        yield {name: job.result() for name, job in jobs.items()} | {("again", ""): again.result()}


@pytest.mark.parametrize(("scene", "theme"), PICTURES, ids=lambda value: getattr(value, "name", value))
def test_pictures_are_not_stale(pictures: dict[tuple[str, str], str], scene: Scene, theme: str) -> None:
    """Each committed picture is, byte for byte, what is drawn now: else run `pilotage screenshots`."""
    assert (FOLDER / f"{scene.name}-{theme}.svg").read_text("utf-8") == pictures[scene.name, theme]


def test_drawn_twice(pictures: dict[tuple[str, str], str]) -> None:
    """A picture that is drawn twice is the same."""
    assert pictures["again", ""] == pictures[AGAIN[0].name, AGAIN[1]]


def test_no_other_pictures() -> None:
    """There is no picture of a scene or a theme that is no more."""
    assert {file.name for file in FOLDER.iterdir()} == {f"{scene.name}-{theme}.svg" for scene, theme in PICTURES}


def test_readme_shows_pictures_that_are_there() -> None:
    """Every picture that the README shows is there, in a light and in a dark theme."""
    readme = (TOP / "README.md").read_text("utf-8")
    shown = re.findall(r'(?:srcset|src)="(.+?\.svg)"', readme)
    assert shown
    assert [name for name in shown if not (TOP / name).is_file()] == []
    assert len([name for name in shown if name.endswith("-light.svg")]) == len(
        [name for name in shown if name.endswith("-dark.svg")]
    )


def test_pictures_name_nothing_of_this_machine() -> None:
    """A picture needs nothing from elsewhere, and names neither a machine nor a person's folder."""
    for file in FOLDER.iterdir():
        text = file.read_text("utf-8")
        assert re.findall(r"(?:href|src|url)\W+https?://", text) == []
        assert "@font-face" not in text
        assert str(TOP) not in text
        assert "pilotage-scene-" not in text


def commands() -> tuple[ArgumentParser, dict[str, ArgumentParser]]:
    """Give the whole command line and its commands."""
    parsed = parser().parse_args(["screenshots"])
    return parsed.top, parsed.commands


def test_readme_is_not_stale() -> None:
    """The README's generated blocks are what the program says now: else run `pilotage screenshots`."""
    readme = (TOP / "README.md").read_text("utf-8")
    assert renewed(readme, *commands()) == readme
    assert set(re.findall(r"<!-- generated: ([\w-]+) -->", readme)) == set(make_blocks(*commands()))


def test_blocks_are_renewed() -> None:
    """A block is replaced and what stands around it stays."""
    text = "before\n<!-- generated: themes -->\nold\n<!-- end -->\nafter\n"
    assert (
        renewed(text, *commands())
        == f"before\n<!-- generated: themes -->\n\n{make_blocks(*commands())['themes']}\n\n<!-- end -->\nafter\n"
    )
    assert renewed("nothing here", *commands()) == "nothing here"


def test_blanks_become_places() -> None:
    """Blanks before a text are turned into its place, so that no viewer drops them; text of blanks alone stays."""
    text = '<text class="x" x="12.2" y="20" textLength="48.8" clip-path="u">&#160;&#160;ab</text>'
    assert tidied(text) == '<text class="x" x="36.6" y="20" textLength="24.4" clip-path="u">ab</text>'
    blank = '<text class="x" x="12.2" y="20" textLength="24.4">&#160;&#160;</text>'
    assert tidied(blank) == blank
