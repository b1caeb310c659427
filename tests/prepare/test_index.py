import itertools
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pilotage.prepare.index import PREFIX, Bound, Index, Limits, build_index
from tests.prepare.trees import git, listed_by_git, plant

AS_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
ENDLESS = Limits(levels=99, entries=10**9, characters=10**9, visits=10**9)


def held() -> float:
    """Give a time that does not pass."""
    return 0.0


def listed(folder: Path, limits: Limits | None = None) -> set[str]:
    """List a folder while the clock is held."""
    return {path.removeprefix(PREFIX) for path in build_index(folder, held, limits).paths}


def index(folder: Path, **limits: int) -> Index:
    """Give the index of a folder within these bounds while the clock is held."""
    return build_index(folder, held, Limits(**limits))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give an empty repository."""
    git(tmp_path, "init", "--quiet")
    return tmp_path


NAMES = st.sampled_from(["a", "b", "ab", "foo", "foo.c", "a.o", "b ", "#x", "!y", "é", "[a]", "a*b", "a-b", "-"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PIECES = st.sampled_from(
    [
        *("a", "b", "c", "o", "foo", "é", ".", "-", "]", "#", "!", " ", "\\ ", "\t", "\r"),
        *("*", "**", "***", "?", "/", "**/", "/**", "/**/", "\\", "\\*", "\\/"),
        *("[a", "[!a]", "[^b]", "[a-c]", "[]a]", "[[:alpha:]]", "[[:x:]]", "[a\\]]", "[b-a]", "[.-0]", "[/]"),
    ]
)
LINES = st.tuples(
    st.sampled_from(["", "", "", "!", "/", "!/", "#", "\\!", "\\#"]),
    st.lists(PIECES, max_size=5).map("".join),
    st.sampled_from(["", "", "/", " ", "  ", "\r"]),
).map("".join)
RULES = st.lists(LINES, min_size=1, max_size=4).map("\n".join)
FOLDERS = st.one_of(st.just(""), PATHS.map(lambda path: f"{path}/"))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    paths=st.lists(PATHS, min_size=1, max_size=10),
    nested=st.dictionaries(FOLDERS, RULES, min_size=1, max_size=3),
    exclude=RULES,
    personal=RULES,
    below=FOLDERS,
)
def test_as_git_lists(
    home: Path, paths: list[str], nested: dict[str, str], exclude: str, personal: str, below: str
) -> None:
    """Whatever the ignore files say, nested, the repository's or the person's, the index is git's list (spec P3).

    It is so from the top of the repository and from any folder in it.
    """
    plant(home, {".config/git/ignore": personal})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        git(folder, "init", "--quiet")
        plant(folder, dict.fromkeys(paths, ""))
        plant(folder, {f"{place}.gitignore": rules for place, rules in nested.items()})
        plant(folder, {".git/info/exclude": exclude})
        here = folder / below if (folder / below).is_dir() else folder
        assert listed(here) == listed_by_git(here)


def test_child_over_root(folder: Path) -> None:
    """A child's rule over the root's, and no way back into a folder that is ignored (cases H1, libgit2#7284)."""
    plant(
        folder,
        {
            ".gitignore": "**/kept/\nlost/\n*.log\n",
            "pkg/.gitignore": "!kept\n!a.log\n",
            "pkg/kept/x": "",
            "kept/x": "",
            "lost/.gitignore": "!x\n",
            "lost/x": "",
            "pkg/a.log": "",
            "pkg/b.log": "",
        },
    )
    assert listed(folder) == {".gitignore", "pkg/.gitignore", "pkg/kept/x", "pkg/a.log"} == listed_by_git(folder)


def test_configured_excludes(folder: Path) -> None:
    """The ignore file that git's configuration names is read, in place of the usual one."""
    plant(folder, {"mine": "*.a", "x.a": "", "x.b": ""})
    git(folder, "config", "core.excludesFile", str(folder / "mine"))
    assert listed(folder) == {"mine", "x.b"} == listed_by_git(folder)


def test_case_as_configured(folder: Path) -> None:
    """Names are compared without case where git does so."""
    plant(folder, {".gitignore": "*.LOG\n/Docs\n", "a.log": "", "docs/x": "", "a.txt": ""})
    git(folder, "config", "core.ignoreCase", "true")
    assert listed(folder) == {".gitignore", "a.txt"} == listed_by_git(folder)


def test_ignored_main_folder(folder: Path) -> None:
    """A folder that git would ignore as a whole has an empty index."""
    plant(folder, {".gitignore": "scratch/", "scratch/here/x": ""})
    assert listed(folder / "scratch" / "here") == set() == listed_by_git(folder / "scratch" / "here")


def test_work_tree_elsewhere(folder: Path) -> None:
    """In a linked work tree the repository's own rules hold as well."""
    git(folder, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "--allow-empty", "-qm", "x")
    git(folder, "worktree", "add", "-q", "tree")
    plant(folder, {".git/info/exclude": "*.a", "tree/x.a": "", "tree/x.b": ""})
    assert listed(folder / "tree") == {"x.b"} == listed_by_git(folder / "tree")


def test_nested_repository(folder: Path) -> None:
    """A repository of its own is listed as a folder and not entered; what only looks like one is a folder."""
    plant(folder, {"a/x": "", "fake/.git/HEAD": "ref: refs/heads/main\n", "fake/x": "", "sub/y": "", "sub/deep/z": ""})
    git(folder / "sub", "init", "--quiet")
    assert listed(folder) == {"a/x", "fake/x", "sub/"} == listed_by_git(folder)


def test_without_repository(tmp_path: Path) -> None:
    """Outside a repository the folder's own ignore files hold, and the person's."""
    plant(tmp_path, {".gitignore": "*.a", "x.a": "", "x.b": "", "d/.gitignore": "!x.a", "d/x.a": ""})
    assert listed(tmp_path) == {".gitignore", "x.b", "d/.gitignore", "d/x.a"}


def test_closed_names(folder: Path) -> None:
    """Hidden, dependency and build folders and credentials are out where nothing ignores them (cases H5)."""
    plant(folder, dict.fromkeys([".github/x", "node_modules/x", "a/build/x", ".env", "a/id_rsa", "a/x", ".editor"], ""))
    assert listed(folder) == {"a/x", ".editor"} == listed_by_git(folder)


def test_links(folder: Path) -> None:
    """A link to a file is listed; one to a folder, to itself, in a circle or nowhere costs nothing else (cases B5)."""
    plant(folder, {"a/x": ""})
    for name, target in [("file", "a/x"), ("dir", "a"), ("loop", "."), ("self", "self"), ("lost", "nowhere")]:
        (folder / name).symlink_to(target)
    (folder / "a" / "up").symlink_to("..")
    assert listed(folder) == {"a/x", "file"} == listed_by_git(folder)


def test_odd_names(folder: Path) -> None:
    """Names that are not UTF-8 or would leave their line cost nothing else."""
    plant(folder, dict.fromkeys(map(os.fsdecode, (b"\xff/x", b"\xfe", b"a\nb", b"ok")), ""))
    assert listed(folder) == {"ok"} == listed_by_git(folder)


def test_no_files(folder: Path) -> None:
    """Pipes and sockets are no files."""
    os.mkfifo(folder / "pipe")
    os.mkfifo(folder / ".gitignore")
    plant(folder, {"x": ""})
    assert listed(folder) == {"x"}


@AS_ROOT
def test_unreadable_folder(folder: Path) -> None:
    """A folder that may not be read costs itself alone (cases B6)."""
    plant(folder, {"closed/x": "", "open/x": ""})
    (folder / "closed").chmod(0)
    assert listed(folder) == {"open/x"}
    (folder / "closed").chmod(0o700)


def test_no_folder(tmp_path: Path) -> None:
    """A folder that is not there, or is a file, has an empty index."""
    plant(tmp_path, {"x": ""})
    assert index(tmp_path / "gone").paths == index(tmp_path / "x").paths == ()


def test_too_large_ignore_file(folder: Path) -> None:
    """A folder whose ignore file nobody can read to its end is left out."""
    plant(folder, {"a/.gitignore": "x\n" * (1 << 20), "a/secret": "", "b": ""})
    assert listed(folder) == {"b"}


def test_breadth_first(folder: Path) -> None:
    """What is near comes first, in order of its bytes (spec P3)."""
    plant(folder, dict.fromkeys(["b", "a/b/c", "a/x", "Z", "c/y"], ""))
    assert index(folder).paths == tuple(PREFIX + path for path in ("Z", "b", "a/x", "c/y", "a/b/c"))


def test_levels(folder: Path) -> None:
    """Three levels are looked at, and that there is more is said."""
    plant(folder, dict.fromkeys(["a/b/c", "a/b/d/e"], ""))
    found = build_index(folder, held)
    assert (found.paths, found.stopped) == (("project:a/b/c",), Bound.LEVELS)
    assert index(folder, levels=4).stopped is None


def test_entries(folder: Path) -> None:
    """No more than 200 entries, and that there is more is said."""
    plant(folder, {f"{number:03}": "" for number in range(201)})
    found = build_index(folder, held)
    assert (len(found.paths), found.stopped) == (200, Bound.ENTRIES)
    (folder / "200").unlink()
    assert (len(build_index(folder, held).paths), build_index(folder, held).stopped) == (200, None)


def test_characters(folder: Path) -> None:
    """No more than 6,000 characters, and that there is more is said."""
    plant(folder, {f"{number:03}{'x' * 200}": "" for number in range(40)})
    found = build_index(folder, held)
    assert sum(len(path) + 1 for path in found.paths) <= 6000
    assert (len(found.paths), found.stopped) == (28, Bound.CHARACTERS)


def test_visits(folder: Path) -> None:
    """No more than 2,000 names are looked at, ignored ones included, and that there is more is said."""
    plant(folder, {".gitignore": "*.tmp"} | {f"{number}.tmp": "" for number in range(2100)})
    found = build_index(folder, held)
    assert (found.visited, found.stopped) == (2000, Bound.VISITS)


def test_time(folder: Path) -> None:
    """When the clock says 100 ms, it is over; what was found until then stands, and that there is more is said."""
    plant(folder, {f"{number:03}": "" for number in range(150)})
    clock = itertools.count(0, 0.0004)
    found = build_index(folder, lambda: next(clock))
    assert found.stopped is Bound.TIME
    assert 0 < len(found.paths) < 150
    assert 0.1 <= found.seconds < 0.102


def test_time_while_reading_rules(folder: Path) -> None:
    """An ignore file of half a million lines does not hold it up."""
    plant(folder, {".gitignore": "x\n" * 500_000, "a": ""})
    clock = itertools.count(0, 0.001)
    assert build_index(folder, lambda: next(clock)).stopped is Bound.TIME


def test_real_clock(tmp_path: Path) -> None:
    """In 100,000 files with 50 nested ignore files the real clock stops it, and it says so."""
    rules = "".join(f"*.tmp{number}\nout{number}/\n/x{number}/**/y\n[ab]{number}*c?\n" for number in range(20))
    plant(tmp_path, {f"d{outer}/.gitignore": rules for outer in range(50)})
    for outer, inner in itertools.product(range(50), range(20)):
        place = tmp_path / f"d{outer}" / f"e{inner}"
        place.mkdir()
        for number in range(100):
            os.link(tmp_path / f"d{outer}" / ".gitignore", f"{place}/{number}")
    found = build_index(tmp_path, limits=ENDLESS)
    assert found.stopped is Bound.TIME
    assert found.words.endswith("stopped by its bound on time")
    assert build_index(tmp_path).stopped is not None
    shutil.rmtree(tmp_path)
