"""`pilotage check`: one call's arguments against the contract (spec C)."""

import argparse
import sys
from typing import TYPE_CHECKING

from pilotage.cli.output import DONE, FOUND, print_object, print_text
from pilotage.contract.marks import marks
from pilotage.records.fields import as_text

if TYPE_CHECKING:
    from pilotage.contract.check import Accepted


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "check",
        help="is a call acceptable? arguments as JSON on standard input",
        description="Check one call's arguments, given as JSON on standard input, against the contract.",
    )
    parser.add_argument("tool", metavar="TOOL", help="bash, write, edit or read")
    parser.add_argument("--json", action="store_true", help="the answer as one JSON object")
    parser.add_argument("--cut-off", action="store_true", help="the output limit ended this call")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the verdict; 1 when the call is not accepted."""
    from pilotage.contract.check import Accepted, check_text

    text = sys.stdin.buffer.read().decode("utf-8", "replace").removeprefix("\ufeff")
    verdict = check_text(arguments.tool, text, cut_off=arguments.cut_off)
    if isinstance(verdict, Accepted):
        if arguments.json:
            print_object(_accepted(verdict))
        else:
            print_text("\n".join(["accepted", *(f"  note: {note}" for note in verdict.notes)]))
        return DONE
    if arguments.json:
        violations = [{"kind": str(v.kind), "field": v.field, "message": v.message} for v in verdict.violations]
        print_object({"accepted": False, "violations": violations})
    else:
        print_text("\n".join(["not accepted", *(f"  {v.kind}: {v.message}" for v in verdict.violations)]))
    return FOUND


def _accepted(verdict: "Accepted") -> dict[str, object]:
    """The answer for an accepted call, with the marks that it earns by itself (spec C8)."""
    path, command = (as_text(verdict.arguments.get(name)) or None for name in ("path", "command"))
    provenance = verdict.provenance
    return {
        "accepted": True,
        "arguments": verdict.arguments,
        "provenance": {"intent": provenance.intent, "rationale": provenance.rationale},
        "notes": list(verdict.notes),
        "marks": [str(mark) for mark in marks(provenance.intent, target=path, command=command)],
    }
