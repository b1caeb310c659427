"""`pilotage prepare`: what a preparation would give to an agent for a request, tried by hand (spec P2, L)."""

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from pilotage.cli.open import open_session, this_folder
from pilotage.cli.output import DONE, FOUND, WRONG_USE, print_object, print_row, print_text, say
from pilotage.figures import counted
from pilotage.records.preparation import Action, ActionResult, Bash
from pilotage.sessions.read import Session
from pilotage.settings import FaultySettings, Settings, load_settings

if TYPE_CHECKING:
    from pilotage.prepare.by_hand import ByHand
    from pilotage.prepare.run import Preparation
    from pilotage.records.capability import Catalog
    from pilotage.search.surroundings import Surroundings

_LINES = 8
_QUIET = 1.0


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "prepare",
        help="what a preparation would give to an agent for a request",
        description="Ask the configured model which capabilities an agent will need for a request and which files and"
        " commands it will want to see first, and do those. Nothing is written into a session.",
        epilog="Commands are run by Pilotage and not by the agent, so no guard of another extension sees them. The"
        " model is asked for commands that only look; nothing guarantees it. Where bubblewrap works they run confined.",
    )
    parser.add_argument("prompt", metavar="PROMPT", help="the request, as it would be given to the agent")
    parser.add_argument("--cwd", type=Path, metavar="DIR", help="the project; the session's, or this folder by default")
    parser.add_argument("--session", metavar="SESSION", help="a session in which the request would come next")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--dry-run", action="store_true", help="predict only: read nothing and run nothing")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prepare and print what came of it; the exit status. Raises NoSuchSession and UnreadableSession."""
    if not arguments.prompt.strip():
        say("pilotage: the request is empty")
        return WRONG_USE
    session = open_session(arguments.session) if arguments.session else None
    cwd = _folder(arguments.cwd, session)
    if not cwd.is_dir():
        say(f"pilotage: {cwd} is no folder; name another with --cwd")
        return WRONG_USE
    from pilotage.cli.surroundings import surroundings_of

    surroundings = surroundings_of(cwd)
    try:
        settings = load_settings()
    except FaultySettings as fault:
        say(f"pilotage: {fault}")
        return FOUND
    if surroundings.configuration is None:
        say(f"pilotage: {surroundings.fault}")
        return FOUND
    came = asyncio.run(_prepare(arguments, session, surroundings, settings))
    done = came.done
    if arguments.json:
        print_object(_as_object(done, surroundings.model))
    else:
        _print_prediction(done, came.catalog)
    _say_words(came, surroundings, is_dry=arguments.dry_run)
    return DONE if done.outcome == "ok" else FOUND


def _folder(named: Path | None, session: Session | None) -> Path:
    """The project: named, or the session's, or this folder."""
    if named is not None:
        return named.absolute()
    return Path(session.header.cwd) if session and session.header else this_folder()


async def _prepare(
    arguments: argparse.Namespace, session: Session | None, surroundings: "Surroundings", settings: Settings
) -> "ByHand":
    from pilotage.prepare.by_hand import prepare_by_hand

    waiting = asyncio.create_task(_say_later(surroundings.model))
    try:
        return await prepare_by_hand(
            arguments.prompt,
            surroundings,
            session,
            runs=not arguments.dry_run,
            confined_only=settings.confined_only,
        )
    finally:
        waiting.cancel()


async def _say_later(model: str) -> None:
    """Say whom one waits for once it takes more than a second (spec L4)."""
    await asyncio.sleep(_QUIET)
    say(f"waiting for {model}, for a minute at the most")


def _as_object(done: "Preparation", model: str) -> dict[str, object]:
    prediction = done.prediction
    results: list[ActionResult | None] = list(done.results)
    actions = prediction.actions if prediction else ()
    results += [None] * (len(actions) - len(results))
    return {
        "outcome": done.outcome,
        "failure": done.failure or None,
        "words": done.words or None,
        "model": model,
        "capabilities": [{"id": one.id, "why": one.why} for one in prediction.capabilities] if prediction else [],
        "actions": [_action_as_object(*pair) for pair in zip(actions, results, strict=True)],
        "index": {"entries": len(done.index.paths), "stopped": done.index.stopped},
        "tokens": {"input": done.exchange.input_tokens, "output": done.exchange.output_tokens},
        "seconds": round(done.exchange.seconds, 3),
        "child": {"file": done.child.file, "id": done.child.id} if done.child else None,
    }


def _action_as_object(action: Action, result: ActionResult | None) -> dict[str, object]:
    told: dict[str, object] = {"tool": _tool(action), "target": _target(action), "why": action.why}
    if result is None:
        return told
    return told | {
        "done": not result.refusal,
        "refusal": result.refusal or None,
        "is_error": result.is_error,
        "confined": result.confined if isinstance(action, Bash) and not result.refusal else None,
        "milliseconds": result.ended - result.started,
        "text": result.text,
    }


def _print_prediction(done: "Preparation", catalog: "Catalog") -> None:
    """What was predicted, and of each action how its result begins."""
    if done.prediction is None:
        return
    known = {entry.id: entry for entry in catalog.entries}
    for one in done.prediction.capabilities:
        path = known[one.id].path if one.id in known else None
        print_row([one.id, one.why, path or ""])
    results = dict(enumerate(done.results))
    for number, action in enumerate(done.prediction.actions):
        print_row([_tool(action), _target(action), action.why])
        if number in results:
            print_text(_told(results[number]))


def _told(result: ActionResult) -> str:
    if result.refusal:
        return f"    not done: {result.refusal}"
    lines = result.text.splitlines()
    more = [f"… {counted(len(lines) - _LINES, 'line')} more"] if len(lines) > _LINES else []
    return "\n".join(f"    {line}" for line in [*lines[:_LINES], *more])


def _say_words(came: "ByHand", surroundings: "Surroundings", *, is_dry: bool) -> None:
    done = came.done
    if done.words:
        say(f"pilotage: {done.words}")
    if done.outcome == "failed" and not surroundings.names_model:
        mend = f"set provider and model of capabilityDiscovery in {surroundings.agent / 'settings.json'}"
        say(f"no model is named, so {surroundings.model} was asked; to ask another, {mend}")
    if done.prediction and not done.prediction.capabilities and not done.prediction.actions:
        say("the model suggests nothing for this request")
    if is_dry and done.prediction and done.prediction.actions:
        say("nothing of it was read or run (--dry-run)")
    if came.confinement is not None and not came.confinement.works:
        say(came.confinement.words)
    if done.child:
        say(f"evidence: {done.child.file}")


def _tool(action: Action) -> str:
    return "bash" if isinstance(action, Bash) else "read"


def _target(action: Action) -> str:
    return action.command if isinstance(action, Bash) else action.path
