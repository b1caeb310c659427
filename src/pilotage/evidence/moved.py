"""Evidence that lies elsewhere than where it was written, as with a recording that is played or drawn (spec L3)."""

from pathlib import Path, PurePath

from pilotage.evidence.child import ORIGIN_TYPE
from pilotage.evidence.fields import text_in
from pilotage.records.attempt import DIAGNOSTIC_TYPE
from pilotage.records.fields import as_dict

Fields = dict[str, object]


def child_name(entry: Fields) -> str:
    """The name of the child's file that a parent's entry points to; empty where it points to none."""
    return PurePath(text_in(_child(entry), "file")).name if entry.get("customType") == DIAGNOSTIC_TYPE else ""


def with_child(entry: Fields, file: Path) -> Fields:
    """A parent's entry that points to its child in this file."""
    return entry | {"data": as_dict(entry.get("data")) | {"childSession": _child(entry) | {"file": str(file)}}}


def with_parent(entry: Fields, file: Path) -> Fields:
    """A child's header or entry that names its parent in this file; any other as it is."""
    if entry.get("type") == "session":
        return entry | {"parentSession": str(file)}
    if entry.get("customType") == ORIGIN_TYPE:
        return entry | {"data": as_dict(entry.get("data")) | {"file": str(file)}}
    return entry


def _child(entry: Fields) -> Fields:
    return as_dict(as_dict(entry.get("data")).get("childSession"))
