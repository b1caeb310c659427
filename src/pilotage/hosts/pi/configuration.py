"""Pilotage's own block in Pi's settings, `capabilityDiscovery` (spec G1, G2, G4).

Strict: one fault makes the whole block void, and every fault is named.
"""

from collections.abc import Callable, Mapping

from msgspec import Struct, convert

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
    "provider": _Key("text", _is_text),
    "model": _Key("text", _is_text),
    "capabilityPrediction": _Key("true or false", _is_flag),
    "actionPrediction": _Key("true or false", _is_flag),
    "trajectoryWarnings": _Key("true or false", _is_flag),
    "trajectoryWarningEverySteps": _Key(_STEPS, _up_to(_MOST_STEPS)),
    "maxSuggestedActions": _Key(_ACTIONS, _up_to(_MOST_ACTIONS)),
    "autoRecommendThinkingLevel": _Key(_A_LEVEL, _is_level),
    "toolSearchThinkingLevel": _Key(_A_LEVEL, _is_level),
    "trajectoryCommand": _Key("a list of words, the first a program", _is_command),
}


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
