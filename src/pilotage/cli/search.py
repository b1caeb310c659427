"""`pilotage search`: what an agent could use, found by name, by words or by a model (spec D2, D4 to D8)."""

import argparse
from pathlib import Path

from pilotage.cli.output import WRONG_USE, say


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "search",
        help="find skills, MCP tools and other tools that an agent could use",
        description="Find skills, MCP servers and tools by an exact name, by words, and by a model where one is named.",
    )
    parser.add_argument("query", metavar="QUERY", help="a wish, an exact name, either after skill: mcp: or tool:, or *")
    parser.add_argument("--limit", type=int, metavar="N", help="the best N only")
    parser.add_argument("--json", action="store_true", help="the answer as one JSON object")
    parser.add_argument("--cwd", type=Path, metavar="DIR", help="the project; else the session's, or this folder")
    parser.add_argument("--session", metavar="SESSION", help="a session, by file or id: what it declares counts too")
    parser.add_argument(
        "--catalog",
        type=Path,
        metavar="FILE",
        help="search what a file of JSON lines lists, and nothing else",
    )
    parser.add_argument("--no-model", action="store_true", help="find by names and words only")
    parser.add_argument("--no-servers", action="store_true", help="ask no MCP server: take what they listed last")
    parser.add_argument("--run-commands", action="store_true", help="run the commands in mcp.json that give keys")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what is found; the exit status. Raises NoSuchSession and UnreadableSession."""
    if arguments.limit is not None and arguments.limit < 1:
        say(f"pilotage: --limit is at least 1, not {arguments.limit}")
        return WRONG_USE
    if arguments.cwd and not arguments.cwd.is_dir():
        say(f"pilotage: {arguments.cwd} is no folder")
        return WRONG_USE
    # What follows loads a parser and word lists, which other commands need not wait for.
    from pilotage.cli.search_run import search

    return search(arguments)
