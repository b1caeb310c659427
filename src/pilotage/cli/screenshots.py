"""`pilotage screenshots`: the README's pictures and generated blocks, made anew."""

import argparse
from importlib.resources import files
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
    recording = (files("pilotage.demo") / RECORDING).read_bytes()
    palettes, _ = load_palettes()
    stale = 0
    for scene in SCENES:
        for theme in palettes:
            file = folder / f"{scene.name}-{theme}.svg"
            picture = draw(scene, theme, recording)
            if arguments.check:
                if not file.exists() or file.read_text("utf-8") != picture:
                    stale += 1
                    say(f"{file} is stale; draw it anew with: pilotage screenshots")
                continue
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(picture, "utf-8")
            say(str(file))
    return FOUND if stale + _renew(folder.absolute().parent / "README.md", arguments) else DONE


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
