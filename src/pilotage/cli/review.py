"""`pilotage review`: a session judged by its own principles, once or as it goes on (spec R8)."""

import argparse

from pilotage.cli.open import add_session, count
from pilotage.cli.output import WRONG_USE, say


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "review",
        help="whether the agent of a session left its principles, judged by a model",
        description="Have the configured model judge whether the agent of a session left a principle of its system"
        " prompt, of the request or of a skill, and print its reminders. They are for you: nothing is written into the"
        " session, and the agent learns nothing of it.",
        epilog="The model is the one of capabilityDiscovery in Pi's settings.json; it is given the end of what was said"
        " and done, without outputs, and known secrets are replaced first. No reminder is no approval.",
    )
    add_session(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a review")
    parser.add_argument("--follow", action="store_true", help="go on: review it every N steps as they happen")
    parser.add_argument("--every", type=count, metavar="N", help="with --follow, the N; else as configured")
    parser.add_argument("--dry-run", action="store_true", help="print the request that would be sent, and send nothing")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Review, print what came of it; the exit status. Raises NoSuchSession and UnreadableSession."""
    if arguments.every is not None and not arguments.follow:
        say("pilotage: --every goes with --follow; without it a session is reviewed once")
        return WRONG_USE
    if arguments.dry_run and arguments.follow:
        say("pilotage: --dry-run shows one request, so it does not go with --follow")
        return WRONG_USE
    if arguments.every == 0:
        say("pilotage: --every is at least 1")
        return WRONG_USE
    # What follows loads what asks a model, which other commands need not wait for.
    from pilotage.cli.review_run import review

    return review(arguments)
