"""Pilotage's own block in Pi's settings, `capabilityDiscovery` (spec G1, G2, G4).

Strict: one fault makes the whole block void, and every fault is named.
"""

import json
from collections.abc import Callable, Mapping

from msgspec import Struct, convert, to_builtins

from pilotage.records.configuration import LEVELS, Configuration

BLOCK = "capabilityDiscovery"
"""The block's key in settings.json."""

_MOST_STEPS = 1000
_MOST_ACTIONS = 8
_NEVER_FROM_A_PROJECT = ("provider", "model")


class FaultyConfiguration(Exception):
    """A block that cannot be used; its text names every fault."""


def read_configuration(user: Mapping[str, object], project: Mapping[str, object] | None = None) -> Configuration:
    """Read the block from the user's settings, and from a project's where Pi trusts it.

    What a project says of a key counts before what the user says; provider and model it cannot set, so that a
    cloned repository does not choose who reads the trajectory: they are passed over there. Raises
    FaultyConfiguration.
    """
    own, others = _block(user), _block(project or {})
    faults = [*_faults(own, ""), *_faults(others, "project: ")]
    if faults:
        raise FaultyConfiguration("; ".join(faults))
    allowed = {name: value for name, value in others.items() if name not in _NEVER_FROM_A_PROJECT}
    return convert(own | allowed, Configuration)


def passed_over(project: Mapping[str, object]) -> list[str]:
    """Name the keys in a project's block that only the user may set."""
    block = project.get(BLOCK)
    return [name for name in _NEVER_FROM_A_PROJECT if isinstance(block, Mapping) and name in block]


class _Key(Struct, frozen=True):
    """One key of the block."""

    wanted: str
    """What its value must be, in words."""
    is_valid: Callable[[object], bool]
    """Whether a value is that."""
    means: str
    """What it is for, for people."""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _up_to(most: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _is_level(value: object) -> bool:
    return value in LEVELS


def _is_command(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_text(word) for word in value)


_A_LEVEL = f"one of {', '.join(LEVELS)}"
_STEPS = f"a whole number from 0 to {_MOST_STEPS}"
_ACTIONS = f"a whole number from 0 to {_MOST_ACTIONS}"

_KEYS = {
    "provider": _Key(
        "text",
        _is_text,
        "whom is asked; without a provider of that name in models.json, Pi's `llama.cpp`; never from a project",
    ),
    "model": _Key(
        "text",
        _is_text,
        "the model that is asked; never from a project",
    ),
    "capabilityPrediction": _Key(
        "true or false",
        _is_flag,
        "predict for each input which skills and tools it needs",
    ),
    "actionPrediction": _Key(
        "true or false",
        _is_flag,
        "predict for each input which files and commands are worth a look, and look",
    ),
    "trajectoryWarnings": _Key(
        "true or false",
        _is_flag,
        "review what the agent does, and remind it",
    ),
    "trajectoryWarningEverySteps": _Key(
        _STEPS,
        _up_to(_MOST_STEPS),
        "after how many steps it is reviewed; 0 is never",
    ),
    "maxSuggestedActions": _Key(
        _ACTIONS,
        _up_to(_MOST_ACTIONS),
        "the most reads and commands for one input; Pilotage runs them itself, where no guard of another extension"
        " sees them, and nothing guarantees that a command only reads",
    ),
    "autoRecommendThinkingLevel": _Key(
        _A_LEVEL,
        _is_level,
        "how much the model thinks for a preparation or a review",
    ),
    "toolSearchThinkingLevel": _Key(
        _A_LEVEL,
        _is_level,
        "how much it thinks for a search",
    ),
    "trajectoryCommand": _Key(
        "a list of words, the first a program",
        _is_command,
        "a command that tells the trajectory of the session file named after its words, in place of the built-in one",
    ),
}


def key_table() -> list[tuple[str, str, str, str]]:
    """Each key of the block with its default as JSON, what its value must be, and what it is for."""
    defaults: dict[str, object] = to_builtins(Configuration())
    return [(name, json.dumps(defaults[name]), key.wanted, key.means) for name, key in _KEYS.items()]


def _block(settings: Mapping[str, object]) -> dict[str, object]:
    block = settings.get(BLOCK, {})
    if not isinstance(block, Mapping):
        msg = f"{BLOCK} must be an object"
        raise FaultyConfiguration(msg)
    return dict(block)


def _faults(block: Mapping[str, object], where: str) -> list[str]:
    """Everything that is wrong with a block, one sentence each."""
    faults = []
    for name, value in block.items():
        if name not in _KEYS:
            faults.append(f"{where}{name} is not a key of {BLOCK}; there are {', '.join(_KEYS)}")
        elif not _KEYS[name].is_valid(value):
            faults.append(f"{where}{name} must be {_KEYS[name].wanted}")
    return faults
