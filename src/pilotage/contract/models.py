"""The shape of each tool's call: one pydantic model a tool, the source of every schema (spec C1, C10).

The models judge arguments after repair and are strict: they turn nothing into anything else.
"""

import json
from typing import Annotated, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from pilotage.contract.provenance import has_visible_character


def _not_empty(text: str) -> str:
    if not text:
        raise PydanticCustomError("empty", "empty")
    return text


def _visible(text: str) -> str:
    if not has_visible_character(text):
        raise PydanticCustomError("empty", "empty")
    return text


# pydantic's own min_length refuses lone surrogates, which sessions hold; the schema tells it all the same.
_AT_LEAST_ONE = Field(json_schema_extra={"minLength": 1})

Visible = Annotated[str, AfterValidator(_visible), _AT_LEAST_ONE]
"""Text with at least one visible character."""

Filled = Annotated[str, AfterValidator(_not_empty), _AT_LEAST_ONE]
"""Text of at least one character, be it a space."""

Number = Annotated[float, Field(allow_inf_nan=False)]
"""A finite number, whole or not, as the host's own tools take it."""

Intent = Annotated[Visible, Field(description="intent, MANDATORY: where this action is heading.")]
"""The mandatory half of provenance (spec C2)."""

Rationale = Annotated[
    Visible | None,
    Field(
        description="rationale, optional: one sentence pointing at the evidence that set this action off; "
        "left out when that is the message just before."
    ),
]
"""The optional half of provenance (spec C3)."""


class Shape(BaseModel):
    """What all shapes share: strict types, and names as hosts write them."""

    model_config = ConfigDict(strict=True, frozen=True)


class Bash(Shape):
    """A call of `bash`."""

    command: Annotated[str, Field(description="command, MANDATORY: the shell command to run.")]
    """The shell command."""
    timeout: Annotated[
        Number | None,
        Field(description="timeout, optional: seconds after which the command is stopped; none when left out."),
    ] = None
    """The limit in seconds."""
    intent: Intent
    """Where the action is heading."""
    rationale: Rationale = None
    """The evidence that set it off."""


class Write(Shape):
    """A call of `write`."""

    path: Annotated[str, Field(description="path, MANDATORY: the file to write, relative or absolute.")]
    """The file's path."""
    content: Annotated[str, Field(description="content, MANDATORY: the whole text of the file.")]
    """The text; it may be empty."""
    intent: Intent
    """Where the action is heading."""
    rationale: Rationale = None
    """The evidence that set it off."""


class Replacement(Shape):
    """One edit of an `edit` call; it carries no provenance (spec C4)."""

    old_text: Annotated[
        Filled,
        Field(
            alias="oldText",
            description="oldText, MANDATORY: the text to replace; it occurs exactly once in the file.",
        ),
    ]
    """The text to replace."""
    new_text: Annotated[str, Field(alias="newText", description="newText, MANDATORY: the text that takes its place.")]
    """Its replacement; it may be empty."""


class Edit(Shape):
    """A call of `edit`."""

    path: Annotated[str, Field(description="path, MANDATORY: the file to edit, relative or absolute.")]
    """The file's path."""
    edits: Annotated[
        list[Replacement],
        Field(min_length=1, description="edits, MANDATORY: one or more replacements that do not overlap."),
    ]
    """The edits, each against the file as it was before the call."""
    intent: Intent
    """Where the action is heading."""
    rationale: Rationale = None
    """The evidence that set it off."""


class Read(Shape):
    """A call of `read`."""

    path: Annotated[str, Field(description="path, MANDATORY: the file to read, relative or absolute.")]
    """The file's path."""
    offset: Annotated[Number | None, Field(description="offset, optional: the line to start at, counted from 1.")] = (
        None
    )
    """The first line."""
    limit: Annotated[Number | None, Field(description="limit, optional: the most lines to read.")] = None
    """The number of lines."""
    intent: Intent
    """Where the action is heading."""
    rationale: Rationale = None
    """The evidence that set it off."""


MODELS: dict[str, type[Shape]] = {"bash": Bash, "write": Write, "edit": Edit, "read": Read}
"""The model of each tool."""


def shortest_form(tool: str) -> str:
    """Write the shortest valid call of a tool of the contract, as JSON text with `…` for every text."""
    return json.dumps(_form(MODELS[tool]), ensure_ascii=False)


def _form(model: type[BaseModel]) -> dict[str, object]:
    return {field.alias or name: _sample(field) for name, field in model.model_fields.items() if field.is_required()}


def _sample(field: FieldInfo) -> object:
    members = [kind for kind in get_args(field.annotation) if issubclass(kind, BaseModel)]
    return [_form(member) for member in members] or "…"
