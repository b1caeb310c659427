"""`pilotage schema`: what a host shows a model of each tool of the contract (spec C9, C10)."""

import argparse
from typing import TYPE_CHECKING

from pilotage.cli.output import DONE, WRONG_USE, print_object, print_text, say
from pilotage.contract.provenance import PROVENANCE_TOOLS

if TYPE_CHECKING:
    from pilotage.contract.schema import ToolSchema


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "schema",
        help="what a model is shown of the contract's tools",
        description="Print the description and the JSON Schema of one tool of the contract, or of all.",
    )
    parser.add_argument("tool", metavar="TOOL", nargs="?", help="bash, write, edit or read; nothing: all")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print; the exit status."""
    from pilotage.contract.schema import tool_schema
    from pilotage.contract.wording import unknown_tool_message

    if arguments.tool and arguments.tool not in PROVENANCE_TOOLS:
        say(f"pilotage: {unknown_tool_message(arguments.tool)}")
        return WRONG_USE
    for place, tool in enumerate([arguments.tool] if arguments.tool else PROVENANCE_TOOLS):
        schema = tool_schema(tool)
        if arguments.json:
            parts = {"tool": tool, "description": schema.description, "parameters": schema.parameters}
            print_object(parts)
        else:
            print_text(("\n" if place else "") + _for_people(schema))
    return DONE


def _for_people(schema: "ToolSchema") -> str:
    """The description, and a line for each field; those of a field's own fields are set in."""
    return "\n".join([schema.tool, *_set_in(schema.description.split("\n\n")), *_fields(schema.parameters)])


def _fields(shape: dict[str, object]) -> list[str]:
    properties = shape.get("properties")
    lines: list[str] = []
    for field in properties.values() if isinstance(properties, dict) else ():
        lines.append(f"  - {field['description']}")
        lines += _set_in(_fields(field.get("items", {})))
    return lines


def _set_in(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]
