"""Whether a reminder's source stands in what the review was given as principles (spec R9).

It must stand there word for word, up to spacing, case and quotation marks. A source is read strictly: what cannot be
proved is only marked, and the person sees it all the same.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from pilotage.contract.words import spaceless, words_of

LABEL = 160
"""Characters of a source that may stand outside its quotations: a label says where to look, and no more."""

_DOUBLE = '"“”„‟«»「」『』〝〞〟＂'
_SINGLE = "'‘’‚‛‹›`´＇"
_CLOSINGS = {
    "double": {
        '"': '"',
        "“": "”“",
        "”": "”",
        "„": "“”",
        "‟": "”",
        "«": "»",
        "»": "«",
        "「": "」",
        "『": "』",
        "〝": "〞〟",
        "＂": "＂",
    },
    "single": {"'": "'", "‘": "’", "‚": "‘’", "‛": "’", "‹": "›", "›": "‹", "`": "`´", "＇": "＇"},
}
"""For each mark that can begin a quotation those that can end it."""

_ELLIPSIS = re.compile(r"[\[(]?\s*(?:…|⋯|\.{3,})\s*[\])]?")
_LABELLED = re.compile(rf"[^\n]{{1,{LABEL}}}?(?:[:：]|\s[—–-])\s*(?P<words>\S.*)", re.DOTALL)
_EDGES = " \t\r\n.,;:!?。，；：！？、()[]*-—–"
_ONLY_LABELS = frozenset({"user request", "users request", "the users request", "system prompt", "the system prompt"})

_LEAST_LETTERS = 7
_LEAST_SPACELESS = 4
_LONG_WORD = 5


class Searchable(Struct, frozen=True):
    """A text folded for comparison: no spaces, no quotation marks, one case."""

    letters: str
    """The characters that count."""
    edges: bytes
    """For each of them, and for the end, 1 where a word may begin or end before it."""

    def find(self, piece: "Searchable", start: int) -> int:
        """The end of the first place from `start` on at which the piece stands in whole words; -1 for none."""
        at = self.letters.find(piece.letters, start)
        while at >= 0:
            end = at + len(piece.letters)
            if self.edges[at] and self.edges[end]:
                return end
            at = self.letters.find(piece.letters, at + 1)
        return -1


def searchable(text: str) -> Searchable:
    """Fold a text for comparison; it takes linear time."""
    letters, edges, is_in_word = [], bytearray(), False
    for char in unicodedata.normalize("NFKC", text.translate(_WITHOUT_QUOTES)).casefold():
        if char.isspace():
            is_in_word = False
            continue
        category = unicodedata.category(char)
        if category == "Cf":
            continue
        is_of_word = (char.isalnum() or category[0] == "M") and not (char > "~" and spaceless(char))
        edges.append(not (is_in_word and is_of_word))
        letters.append(char)
        is_in_word = is_of_word
    return Searchable("".join(letters), bytes(edges) + b"\x01")


_WITHOUT_QUOTES = dict.fromkeys(map(ord, _DOUBLE + _SINGLE))


def source_found(source: str, principles: Sequence[Searchable]) -> bool:
    """Whether the words that a source quotes stand in the principles, each quotation whole in one of them.

    Without quotation marks all that follows its label must stand there. An ellipsis parts a quotation into pieces,
    which must stand in one principle in their order. A word or two prove nothing on their own.
    """
    return any(_all_stand(quotations, principles) for quotations in _readings(source.strip()))


def _all_stand(quotations: Sequence[str], principles: Sequence[Searchable]) -> bool:
    return any(map(_is_telling, quotations)) and all(_stands(quotation, principles) for quotation in quotations)


def _stands(quotation: str, principles: Sequence[Searchable]) -> bool:
    parts = _parts(quotation)
    if len(parts) > 1 and not all(map(_is_telling, parts)):
        # "Never … run the tests" could be put together from anywhere.
        return False
    pieces = [searchable(part) for part in parts]
    return any(_in_order(pieces, principle) for principle in principles)


def _parts(quotation: str) -> list[str]:
    """The pieces between ellipses, without the punctuation around them."""
    return [part for part in (part.strip(_EDGES) for part in _ELLIPSIS.split(quotation)) if part]


def _in_order(pieces: Iterable[Searchable], principle: Searchable) -> bool:
    end = 0
    for piece in pieces:
        end = principle.find(piece, end)
        if end < 0:
            return False
    return True


def _is_telling(text: str, least_words: int = 2) -> bool:
    """Whether words can be a principle at all: three of them, two with a long one, or four signs of Han or Kana."""
    if spaceless(text) >= _LEAST_SPACELESS:
        return True
    words = words_of(text.translate(_WITHOUT_QUOTES))
    if len(words) < least_words or sum(map(len, words)) < _LEAST_LETTERS:
        return False
    return len(words) >= 3 or max(map(len, words)) >= _LONG_WORD


def _readings(source: str) -> Iterator[list[str]]:
    """The ways to read a source, each the quotations that it then consists of."""
    for closings in _CLOSINGS.values():
        body = _body(source, closings)
        if not body:
            continue
        quotations, outside = _quotations(body, closings)
        if len(source) - len(body) + outside <= LABEL:
            yield [quotation for quotation in quotations if _parts(quotation)]
        # A quotation within a quotation ends the outer one too early: then all of it may be one.
        whole = _outermost(body, closings)
        if len(source) - len(whole) <= LABEL:
            yield [whole]
        return
    yield from _unquoted(source)


def _unquoted(source: str) -> Iterator[list[str]]:
    labelled = _LABELLED.match(source)
    for text in (labelled["words"] if labelled else "", source):
        name = " ".join(text.translate(_WITHOUT_QUOTES).casefold().split()).strip(_EDGES)
        if name not in _ONLY_LABELS and _is_telling(text, least_words=3 if text is source else 2):
            yield [text]


def _body(source: str, closings: dict[str, str]) -> str:
    """The source from its first quotation on, which is the first behind a colon or a dash; empty without one."""
    marks = re.escape("".join(closings))
    found = re.search(rf"[:：—–-]\s*(?=[{marks}])", source)
    if found:
        return source[found.end() :]
    found = re.search(rf"(?<!\w)[{marks}]", source)
    return source[found.start() :] if found else ""


def _quotations(body: str, closings: dict[str, str]) -> tuple[list[str], int]:
    """What stands in quotation marks, and how many characters stand outside; the last mark may be missing."""
    found, outside, place = [], 0, 0
    while place < len(body):
        ends = closings.get(body[place])
        if ends is None or (place and body[place - 1].isalnum()):
            outside += 1
            place += 1
            continue
        end = next((at for at in range(place + 1, len(body)) if _closes(body, at, ends)), len(body))
        found.append(body[place + 1 : end])
        place = end + 1
    return found, outside


def _closes(body: str, at: int, ends: str) -> bool:
    """Whether a character ends a quotation; an apostrophe within a word does not."""
    within_word = body[at - 1].isalnum() and body[at + 1 : at + 2].isalnum()
    return body[at] in ends and not (body[at] in _SINGLE and within_word)


def _outermost(body: str, closings: dict[str, str]) -> str:
    """All between the first quotation mark and the last one; to the end where there is no other."""
    ends = "".join(closings.values())
    last = max((at for at in range(1, len(body)) if body[at] in ends), default=len(body))
    return body[1:last]
