import pytest

from pilotage.hosts.pi.configuration import BLOCK, FaultyConfiguration, passed_over, read_configuration
from pilotage.records.configuration import Configuration

WHOLE: dict[str, object] = {
    "provider": "zai",
    "model": "glm-5.3-flash",
    "capabilityPrediction": True,
    "actionPrediction": True,
    "trajectoryWarnings": True,
    "trajectoryWarningEverySteps": 15,
    "maxSuggestedActions": 0,
    "autoRecommendThinkingLevel": "low",
    "toolSearchThinkingLevel": "max",
    "trajectoryCommand": ["tell", "--short"],
}


def test_defaults() -> None:
    """Without a block everything is off, and the model is the local one (spec G1)."""
    found = read_configuration({})
    assert found == Configuration()
    assert (found.provider, found.model, found.trajectory_warning_every_steps) == ("llama", "iq3", 5)
    assert (found.max_suggested_actions, found.tool_search_thinking_level) == (3, "medium")
    assert not found.asks_by_itself


def test_everything_set() -> None:
    """Each key of the block can be set (spec G1)."""
    found = read_configuration({BLOCK: WHOLE, "theme": "dark"})
    assert found == Configuration("zai", "glm-5.3-flash", True, True, True, 15, 0, "low", "max", ("tell", "--short"))
    assert found.asks_by_itself


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("provider", "", "provider must be text"),
        ("provider", 3, "provider must be text"),
        ("model", None, "model must be text"),
        ("capabilityPrediction", "yes", "capabilityPrediction must be true or false"),
        ("actionPrediction", 1, "actionPrediction must be true or false"),
        ("trajectoryWarnings", None, "trajectoryWarnings must be true or false"),
        ("trajectoryWarningEverySteps", -1, "must be a whole number from 0 to 1000"),
        ("trajectoryWarningEverySteps", 1001, "must be a whole number from 0 to 1000"),
        ("trajectoryWarningEverySteps", 2.5, "must be a whole number from 0 to 1000"),
        ("trajectoryWarningEverySteps", True, "must be a whole number from 0 to 1000"),
        ("trajectoryWarningEverySteps", "5", "must be a whole number from 0 to 1000"),
        ("maxSuggestedActions", 9, "must be a whole number from 0 to 8"),
        ("autoRecommendThinkingLevel", "High", "must be one of off, minimal, low, medium, high, xhigh, max"),
        ("toolSearchThinkingLevel", ["off"], "must be one of off"),
        ("trajectoryCommand", "tell", "trajectoryCommand must be a list of words"),
        ("trajectoryCommand", [], "trajectoryCommand must be a list of words"),
        ("trajectoryCommand", ["tell", 3], "trajectoryCommand must be a list of words"),
        ("trajectoryWarningOnUserInput", True, "trajectoryWarningOnUserInput is not a key of capabilityDiscovery"),
        ("autoRecommend", True, "autoRecommend is not a key of capabilityDiscovery"),
        ("prefetch", {}, "prefetch is not a key of capabilityDiscovery"),
    ],
)
def test_faults(key: str, value: object, words: str) -> None:
    """An unknown or legacy key, a wrong type or a value out of range makes the whole block invalid (spec G2)."""
    with pytest.raises(FaultyConfiguration) as refusal:
        read_configuration({BLOCK: {**WHOLE, key: value}})
    assert words in str(refusal.value)


def test_every_fault_is_named() -> None:
    """One message names all faults, a project's too (spec G2)."""
    with pytest.raises(FaultyConfiguration) as refusal:
        read_configuration({BLOCK: {"model": 1, "nope": 2}}, {BLOCK: {"maxSuggestedActions": 99}})
    assert [word in str(refusal.value) for word in ("model must", "nope is", "project: maxSuggestedActions must")] == [
        True
    ] * 3


@pytest.mark.parametrize("block", [None, [], "on", 3, True])
def test_block_must_be_an_object(block: object) -> None:
    """A block of another type is refused."""
    with pytest.raises(FaultyConfiguration, match="capabilityDiscovery must be an object"):
        read_configuration({BLOCK: block})


def test_project_may_not_choose_the_model() -> None:
    """What a project says counts first, but provider and model it cannot set (spec G4)."""
    project = {BLOCK: {"provider": "evil", "model": "reader", "trajectoryWarningEverySteps": 2}}
    found = read_configuration({BLOCK: WHOLE}, project)
    assert (found.provider, found.model, found.trajectory_warning_every_steps) == ("zai", "glm-5.3-flash", 2)
    assert read_configuration({}, project).provider == "llama"
    assert passed_over(project) == ["provider", "model"]
    assert passed_over({}) == passed_over({BLOCK: None}) == []
