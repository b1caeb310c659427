import hashlib
import os
import socket
import threading
from pathlib import Path

import pytest

from pilotage.prepare.candidates import Place
from pilotage.prepare.read_file import MOST_BYTES, FileText, NotRead, read_text
from tests.prepare.trees import plant

AS_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give an allowed folder with something beside it."""
    plant(tmp_path, {"outside/secret": "secret", "in/a/x": "inside", "in/.git/config": "secret", "in/.env": "secret"})
    return tmp_path / "in"


def read(folder: Path, path: str) -> FileText:
    """Read a candidate."""
    return read_text(Place(str(folder), tuple(path.split("/")), path))


def refusal(folder: Path, path: str) -> str:
    """Say why a candidate is not read."""
    with pytest.raises(NotRead) as caught:
        read(folder, path)
    return str(caught.value)


def test_whole_file(folder: Path) -> None:
    """A text is given whole, with its digest and size for later comparison (spec P7)."""
    digest = hashlib.sha256(b"inside").hexdigest()
    assert read(folder, "a/x") == FileText("inside", digest, 6, is_complete=True)


def test_long_file(folder: Path) -> None:
    """Beyond 2,000 lines the host's own note stands in place of the rest, and the read is not complete (spec P7)."""
    plant(folder, {"two": "x\n" * 2000, "more": "x\n" * 2001})
    assert read(folder, "two").is_complete
    found = read(folder, "more")
    assert not found.is_complete
    assert found.text.endswith("x\n\n[Showing lines 1-2000 of 2002. Use offset=2001 to continue.]")
    assert found.size == 4002


def test_size(folder: Path) -> None:
    """50,000 bytes are read and one more is not (spec P4)."""
    plant(folder, {"most": "x" * MOST_BYTES, "over": "x" * (MOST_BYTES + 1)})
    assert read(folder, "most").size == MOST_BYTES
    assert refusal(folder, "over") == "it has more than 50,000 bytes"


@pytest.mark.parametrize("data", [b"\xff\xfea\0", b"caf\xe9", b"a\0b", b"\x89PNG\r\n\x1a\n"])
def test_no_text(folder: Path, data: bytes) -> None:
    """What is not UTF-8 text is not read."""
    plant(folder, {"x": data})
    assert refusal(folder, "x").startswith("it is not text")


def test_link_inside(folder: Path) -> None:
    """A link to a file inside is read, also by way of a linked folder."""
    (folder / "file").symlink_to("a/x")
    (folder / "dir").symlink_to(folder / "a")
    assert read(folder, "file").text == read(folder, "dir/x").text == "inside"


@pytest.mark.parametrize("target", ["../outside/secret", "/etc/passwd", "/proc/self/environ", "a/../../outside/secret"])
def test_link_outside(folder: Path, target: str) -> None:
    """A link that leads out is not followed, however it is written."""
    (folder / "x").symlink_to(target)
    assert refusal(folder, "x") == "it leads out of the folder"


def test_linked_folder_outside(folder: Path) -> None:
    """Nor is a folder on the way that leads out, or to a folder whose name only begins alike."""
    (folder / "out").symlink_to("../outside")
    plant(folder.parent, {"in2/x": "secret"})
    (folder / "alike").symlink_to("../in2")
    assert refusal(folder, "out/secret") == refusal(folder, "alike/x") == "it leads out of the folder"


@pytest.mark.parametrize("target", [".env", ".git/config"])
def test_link_to_what_is_never_listed(folder: Path, target: str) -> None:
    """A link to a credential, or into a hidden folder, is no way around the rule."""
    (folder / "notes.txt").symlink_to(target)
    assert refusal(folder, "notes.txt") == "it leads to what is never listed"


def test_circle(folder: Path) -> None:
    """A link to itself is refused in the system's words (cases B5)."""
    (folder / "x").symlink_to("x")
    assert "symbolic links" in refusal(folder, "x")


@pytest.mark.parametrize("kind", ["folder", "pipe", "socket", "device"])
def test_no_regular_file(folder: Path, kind: str) -> None:
    """Only regular files are read; a pipe that nobody writes to holds nobody up."""
    place = folder / "x"
    if kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.relpath(place))
    else:
        try:
            os.mknod(place, 0o20666, os.makedev(1, 5))
        except PermissionError:
            pytest.skip("only root makes devices")
    assert refusal(folder, "x") == ("it is a folder" if kind == "folder" else "it is not a regular file")


def test_vanished(folder: Path) -> None:
    """A file or folder that is gone by now is said to be (cases B6)."""
    assert refusal(folder, "gone") == refusal(folder, "gone/x") == "it is gone"
    assert refusal(folder / "gone", "x") == "it is gone"


def test_file_in_place_of_a_folder(folder: Path) -> None:
    """A file that stands where a folder was is an error like any other."""
    assert refusal(folder, "a/x/y") == "Not a directory"


@AS_ROOT
def test_forbidden(folder: Path) -> None:
    """A file that may not be read is refused in the system's words."""
    (folder / "a" / "x").chmod(0)
    assert refusal(folder, "a/x") == "Permission denied"


def test_swapped_while_read(folder: Path) -> None:
    """However often a file is swapped for a link that leads out, what is outside is never read."""
    (folder / "file").write_text("inside")
    (folder / "link").symlink_to("../outside/secret")
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            for source in ("link", "file"):
                os.link(folder / source, folder / "next", follow_symlinks=False)
                (folder / "next").replace(folder / "x")

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen = set()
    try:
        for _ in range(2000):
            try:
                seen.add(read(folder, "x").text)
            except NotRead:
                continue
    finally:
        done.set()
        swapper.join()
    assert seen == {"inside"}


def test_swapped_folder_while_read(folder: Path) -> None:
    """Nor when the folder on the way is swapped."""
    (folder / "link").symlink_to("../outside")
    plant(folder, {"dir/secret": "inside"})
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            for place in (folder / "dir", folder / "link"):
                place.rename(folder / "x").rename(place)

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen = set()
    try:
        for _ in range(2000):
            try:
                seen.add(read(folder, "x/secret").text)
            except NotRead:
                continue
    finally:
        done.set()
        swapper.join()
    assert seen <= {"inside"}
