import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "pilotage"
MODULES = sorted(SOURCE.rglob("*.py"))

STOREYS = [
    {"records"},
    {"contract", "sessions"},
    {"calls"},
    {"trajectory"},  # It tells calls with what became of them.
    {"catalog", "inference"},
    {"search"},
    {"evidence"},
    {"prepare", "review"},
    {"engine"},
    {"hosts", "console"},
    {"demo", "cli"},
    {"__main__"},
]
"""From the ground up; what stands in one set are strangers to each other."""

BESIDE = {"paths", "settings", "plain", "figures", "jsonfiles", "redaction", "__init__"}
"""Modules beside the storeys: anyone may read them."""

OWNERS = {
    "textual": {"console"},
    "rich": {"console", "cli"},
    "httpx": {"inference"},
    "httpx2": {"catalog"},
    "mcp": {"catalog"},
    "mcp_types": {"catalog"},
    "pydantic": {"contract"},
    "pydantic_core": {"contract"},
}
"""Libraries that cost a start-up dear, and who may import them."""


def room(module: Path) -> str:
    """Name the room that a module is in: the folder under `pilotage`, or the module itself."""
    return module.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(module: Path) -> Iterator[str]:
    """Give every name that a module imports, deferred or for types only: an import is an import."""
    for node in ast.walk(ast.parse(module.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms(module: Path) -> set[str]:
    """Name the rooms of ours that a module imports from."""
    known = {room(path) for path in MODULES}
    names = {name.split(".")[1] for name in imported(module) if name.startswith("pilotage.")}
    return {name if name in known else "__init__" for name in names}


def storey(name: str) -> int:
    """Give the height of a room."""
    return next(height for height, names in enumerate(STOREYS) if name in names)


def test_every_room_has_a_storey() -> None:
    """Every folder and module under `pilotage` stands on one storey or beside them all."""
    assert {room(module) for module in MODULES} - BESIDE <= set().union(*STOREYS)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_imports_point_down(module: Path) -> None:
    """A module imports from its own room, from storeys below and from what stands beside; from no other."""
    here = room(module)
    others = rooms(module) - BESIDE - {here}
    if here in BESIDE:
        assert others == set()
    assert {name for name in others if storey(name) >= storey(here)} == set()


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_libraries_have_owners(module: Path) -> None:
    """A costly library is imported in the rooms that own it and in no other."""
    libraries = {name.split(".")[0] for name in imported(module)} & OWNERS.keys()
    assert {library for library in libraries if room(module) not in OWNERS[library]} == set()


def test_records_import_nothing_of_ours() -> None:
    """Records stand on nothing but each other."""
    names = set().union(*(rooms(module) for module in MODULES if room(module) == "records"))
    assert names <= {"records"}


@pytest.mark.parametrize(
    "module",
    [module for module in MODULES if module.name == "__init__.py"],
    ids=lambda path: path.parent.relative_to(SOURCE.parent).as_posix(),
)
def test_packages_say_what_lives_there(module: Path) -> None:
    """A package's own module is its docstring and imports nothing, as everyone in it would pay for it."""
    tree = ast.parse(module.read_bytes())
    assert ast.get_docstring(tree)
    assert list(imported(module)) == []


def test_the_walk_sees_what_it_should(tmp_path: Path) -> None:
    """Deferred imports, imports for types and imports within a `try` are all seen."""
    module = tmp_path / "x.py"
    module.write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import textual.app\n"
        "def f():\n    from pilotage.console import app\n"
        "try:\n    import rich as r, httpx\nexcept ImportError:\n    pass\n"
    )
    seen = {"typing.TYPE_CHECKING", "textual.app", "pilotage.console.app", "rich", "httpx"}
    assert set(imported(module)) == seen
