"""What a host shows a model of each tool: its JSON Schema, made from the models, and its description (spec C9, C10)."""

from importlib.resources import files
from string import Template

from msgspec import Struct
from pydantic.json_schema import JsonSchemaValue

from pilotage.contract.models import MODELS

_FIRST = ("intent", "rationale")
_NOT_TOLD = frozenset({"$defs", "default", "title"})


class ToolSchema(Struct, frozen=True):
    """One tool as a host declares it."""

    tool: str
    """The tool's name."""
    description: str
    """What it does, and the sentence on investigations."""
    parameters: dict[str, object]
    """The JSON Schema of its arguments: no pattern, no reference, nothing but what a model needs."""


def tool_schema(tool: str) -> ToolSchema:
    """Describe a tool of the contract; raises KeyError for any other.

    Provenance stands first among the properties: a model writes them in that order, and so says where it is
    heading before it acts. An optional field is of its own type alone: null, which the contract takes for
    absent, is repaired and not asked for (spec C3, C5).
    """
    whole = MODELS[tool].model_json_schema()
    told = _told(whole, whole.get("$defs", {}))
    del told["description"]
    properties = told["properties"]
    told["properties"] = {name: properties[name] for name in sorted(properties, key=lambda name: name not in _FIRST)}
    told["required"] = [name for name in told["properties"] if name in told["required"]]
    return ToolSchema(tool, describe_tool(tool), told)


def describe_tool(tool: str) -> str:
    """Give the tool's own description: paragraphs of one line each, an empty line between them."""
    text = Template(_file(tool)).substitute(investigation=_file("investigation"))
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _file(name: str) -> str:
    return (files("pilotage.contract") / "descriptions" / f"{name}.md").read_text("utf-8").strip()


def _told(node: JsonSchemaValue, shapes: dict[str, JsonSchemaValue]) -> JsonSchemaValue:
    """Give a schema with its references resolved, without titles and defaults."""
    if "$ref" in node:
        inner = _told(shapes[node["$ref"].rpartition("/")[2]], shapes)
        # A shape's docstring is for whoever reads the code.
        return {name: value for name, value in inner.items() if name != "description"}
    told = {name: value for name, value in node.items() if name not in _NOT_TOLD}
    if "anyOf" in told:
        (only,) = (kind for kind in told.pop("anyOf") if kind != {"type": "null"})
        told = {**only, **told}
    if "properties" in told:
        told["properties"] = {name: _told(value, shapes) for name, value in told["properties"].items()}
    if "items" in told:
        told["items"] = _told(told["items"], shapes)
    return told
