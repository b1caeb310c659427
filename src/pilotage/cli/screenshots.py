"""`pilotage screenshots`: the README's pictures and generated blocks, made anew."""

import argparse
from collections.abc import Iterable
from importlib.resources import as_file, files
from pathlib import Path

from pilotage.cli.demo import RECORDING
from pilotage.cli.manual import renewed
from pilotage.cli.output import DONE, FOUND, say


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "screenshots",
        help="draw the README's pictures anew, and renew its tables",
        description="Draw each scene in each theme as SVG, the same files, byte for byte, on each run; and renew the"
        " generated blocks of the README.md beside their folder.",
    )
    parser.add_argument(
        "folder", metavar="FOLDER", nargs="?", default="screenshots", help="where (default: screenshots)"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; name the pictures that are stale")
    parser.set_defaults(run=run, commands=commands.choices)


def run(arguments: argparse.Namespace) -> int:
    """Draw or check; the exit status."""
    from pilotage.console.scenes import SCENES, draw
    from pilotage.console.themes import load_palettes

    folder = Path(arguments.folder)
    palettes, _ = load_palettes()
    with as_file(files("pilotage.demo")) as shipped:
        drawn = (
            (folder / f"{scene.name}-{theme}.svg", draw(scene, theme, shipped / RECORDING))
            for scene in SCENES
            for theme in palettes
        )
        stale = _check(drawn) if arguments.check else _write(drawn)
    return FOUND if stale + _renew(folder.absolute().parent / "README.md", arguments) else DONE


def _check(drawn: Iterable[tuple[Path, str]]) -> int:
    """Say which pictures are stale; how many are."""
    stale = [file for file, picture in drawn if not file.exists() or file.read_text("utf-8") != picture]
    for file in stale:
        say(f"{file} is stale; draw it anew with: pilotage screenshots")
    return len(stale)


def _write(drawn: Iterable[tuple[Path, str]]) -> int:
    """Write the pictures; none is stale then."""
    for file, picture in drawn:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(picture, "utf-8")
        say(str(file))
    return 0


def _renew(readme: Path, arguments: argparse.Namespace) -> int:
    """Renew the README's blocks, or say that they are stale; how many files are."""
    check = arguments.check
    if not readme.exists():
        return 0
    before = readme.read_text("utf-8")
    after = renewed(before, arguments.top, arguments.commands)
    if check and before != after:
        say(f"{readme} is stale; renew it with: pilotage screenshots")
        return 1
    if before != after:
        readme.write_text(after, "utf-8")
    return 0
