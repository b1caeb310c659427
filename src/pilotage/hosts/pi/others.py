"""Other extensions that take the same tools, found by reading them and not by running them (spec H1)."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pilotage.contract.provenance import PROVENANCE_TOOLS
from pilotage.hosts.pi.finding import Finding, note, ok, wrong
from pilotage.hosts.pi.install import NAME

CHECK = "other extensions"

_RIVALS = {
    "pi-tool-intent": "it asks for intents in its own way",
    "pi-discovery": "it takes tool_search and prepares context in its own way",
}
"""The extensions that Pilotage comes from, by their package."""

_TOOLS = "|".join((*PROVENANCE_TOOLS, "tool_search"))
_REGISTERS = re.compile(r"\bregisterTool\b")
_NAMES = re.compile(rf"""\bname\s*:\s*["'`]({_TOOLS})["'`]""")
_SPREADS = re.compile(r"\bcreate(Bash|Read|Write|Edit)Tool(?:Definition)?\b")
_MOST_BYTES = 2_000_000
_MEND = "keep one of the two: move the other away, or take this one out with `pilotage uninstall pi`"


def examine_others(bases: Mapping[Path, Mapping[str, object]]) -> list[Finding]:
    """Look at the extensions of each base, Pi's own folder and a trusted project's, with its settings."""
    findings = []
    for base, settings in bases.items():
        findings += [found for name in _packages(settings) if (found := _rival(name, base / "settings.json"))]
        for entry in _entries(base, settings):
            findings += _examine(entry)
    return findings or [ok(CHECK, "none takes a tool of the contract, as far as their text tells")]


def _rival(name: str, where: Path) -> Finding | None:
    for rival, what in _RIVALS.items():
        if rival in name:
            return wrong(CHECK, f"{rival} is among the packages of {where}: {what}", f"pi remove {name}")
    return None


def _packages(settings: Mapping[str, object]) -> Iterator[str]:
    packages = settings.get("packages")
    for package in packages if isinstance(packages, list) else ():
        source = package.get("source") if isinstance(package, Mapping) else package
        if isinstance(source, str):
            yield source


def _entries(base: Path, settings: Mapping[str, object]) -> Iterator[Path]:
    """The files and folders that Pi takes extensions from, Pilotage's own left out."""
    folder = base / "extensions"
    if folder.is_dir():
        for entry in sorted(folder.iterdir()):
            is_extension = entry.suffix in (".js", ".ts") or (entry.is_dir() and _has_entry(entry))
            if is_extension and entry.name != NAME and not entry.name.startswith("."):
                yield entry
    named = settings.get("extensions")
    for text in named if isinstance(named, list) else ():
        if isinstance(text, str) and text[:1] not in ("-", "+", "!") and ":" not in text:
            path = _path(base, text)
            if path.exists():
                yield path


def _path(base: Path, text: str) -> Path:
    try:
        return base / Path(text).expanduser()
    except RuntimeError:
        return base / text


def _has_entry(folder: Path) -> bool:
    return any((folder / name).exists() for name in ("index.js", "index.ts", "package.json"))


def _examine(entry: Path) -> list[Finding]:
    rival = next((name for name in _RIVALS if name in _package_name(entry) or name in entry.name), None)
    if rival:
        return [wrong(CHECK, f"{rival} lies in {entry}: {_RIVALS[rival]}", _MEND)]
    texts = [_text(file) for file in _scripts(entry)]
    taken = {found.lower() for text in texts if _REGISTERS.search(text) for found in _taken(text)}
    if not taken:
        return []
    names = ", ".join(sorted(taken))
    words = f"{entry} seems to take {names}; Pilotage leaves a tool to whoever has it, and its calls need no intent"
    return [note(CHECK, words, f"if that is not wanted, {_MEND}")]


def _taken(text: str) -> list[str]:
    return _NAMES.findall(text) + _SPREADS.findall(text)


def _package_name(entry: Path) -> str:
    return _text(entry / "package.json") if entry.is_dir() else ""


def _scripts(entry: Path) -> list[Path]:
    if not entry.is_dir():
        return [entry]
    folders = [entry, entry / "src", entry / "extensions", entry / "dist"]
    return [file for folder in folders if folder.is_dir() for file in folder.iterdir() if file.suffix in (".js", ".ts")]


def _text(file: Path) -> str:
    """The beginning of a file; nothing where it cannot be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
