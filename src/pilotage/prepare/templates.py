"""The words of this room, rendered from its Markdown files."""

import hashlib
from functools import cache
from importlib.resources import files
from string import Template


def rendered(name: str, /, **values: str) -> str:
    """Render a file of `prompts`; raises KeyError where a name in it has no value."""
    return _template(name).substitute(values)


def marked(name: str, text: str) -> str:
    """Text between two lines that it cannot hold itself: both carry a mark that is made from it.

    The mark is the same for the same text, so that what does not change between two questions stays the same to
    the letter and a server can keep it.
    """
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return rendered("part", name=name, mark=mark, text=text)


@cache
def _template(name: str) -> Template:
    return Template((files("pilotage.prepare") / "prompts" / f"{name}.md").read_text("utf-8").strip())
