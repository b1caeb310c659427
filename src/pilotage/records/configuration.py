"""What a person may set for discovery, preparation and review (spec G1)."""

from msgspec import Struct

LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")
"""The thinking levels (spec M3)."""


class Configuration(Struct, frozen=True, rename="camel"):
    """The block `capabilityDiscovery` of Pi's settings."""

    provider: str = "llama"
    """The provider of the model that is asked; without one of that name in models.json, Pi's `llama.cpp`."""
    model: str = "iq3"
    """The model that is asked."""
    capability_prediction: bool = False
    """Whether capabilities are predicted for an input."""
    action_prediction: bool = False
    """Whether reads and commands are predicted for an input."""
    trajectory_warnings: bool = False
    """Whether the trajectory is reviewed."""
    trajectory_warning_every_steps: int = 5
    """After how many steps it is reviewed; 0 is never."""
    max_suggested_actions: int = 3
    """The most reads and commands for one input."""
    auto_recommend_thinking_level: str = "medium"
    """How much the model thinks for a preparation or review."""
    tool_search_thinking_level: str = "medium"
    """How much the model thinks for a search."""
    trajectory_command: tuple[str, ...] | None = None
    """The command that tells a trajectory, in place of the built-in renderer."""

    @property
    def asks_by_itself(self) -> bool:
        """Whether a model is asked without a person's doing."""
        return self.capability_prediction or self.action_prediction or self.trajectory_warnings
