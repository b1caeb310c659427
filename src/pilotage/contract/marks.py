"""Quality marks on an intent: advice for people, cheap enough for every call of a session (spec C8)."""

import re
from functools import lru_cache

from msgspec import Struct

from pilotage.contract.words import first_word, spaceless, words_of
from pilotage.records.call import Mark

LOOKED_AT = 4000
"""How many characters of each text are looked at."""

_LEAST_WORDS = 4
_LEAST_SPACELESS = 12

_SENTENCE_END = re.compile(r"[.!?…]+(?:\s+|$)|[。！？；｡]+|\n+")

_PLAIN = bytes(ord(chr(byte).lower()) if byte < 128 and chr(byte).isalnum() else 32 for byte in range(256))
"""What each byte of an ASCII text counts as: a letter or digit in lower case, or a space."""

_FILLER = frozenset(
    # One text reads better than a list of two hundred quoted words.
    """
    a an the this that these those it its some any my our of for to in on at with and or then so as is be i we
    do does doing go going on let me us please now next again first just ok okay yes also
    step steps continue continuing proceed proceeding carry ahead move forward start begin finish done
    run running execute executing perform invoke call calling use using make making try
    command commands cmd bash shell script tool tools action operation task thing things stuff something
    test tests testing check checking look looking see view open show get
    read reading write writing edit editing update updating change changes changing modify modifying
    file files path content contents code
    weiter nächster nächste schritt befehl ausführen den die das der datei lesen schreiben testen
    continuer suivant suivante étape exécuter commande la le les fichier lire tester
    continuar siguiente paso ejecutar comando el archivo leer probar
    далее дальше продолжить продолжаю следующий шаг выполнить выполняю запустить команду команда тест файл
    继续 繼續 下一步 执行 執行 运行 運行 命令 执行命令 執行命令 运行命令 運行命令 测试 測試
    读取 讀取 查看 文件 读取文件 続ける 続行 次へ 実行 実行する コマンドを実行 コマンドを実行する
    テスト 読む ファイルを読む 확인 계속 실행 다음 단계 명령 테스트
    """.split()  # noqa: SIM905
)
"""Words that say nothing on their own, in the languages that agents are most often spoken to in."""


def marks(
    intent: str | None,
    *,
    target: str | None = None,
    command: str | None = None,
    previous: str | None = None,
    request: str | None = None,
) -> tuple[Mark, ...]:
    """Give the marks of an intent in the order of their list; none where there is no intent.

    `target` is the call's path or its command's first line, `command` the whole command, `previous` the
    intent of the call before, `request` what the user said last. Of each, the first 4,000 characters count.
    """
    if intent is None:
        return ()
    said = _said(intent[:LOOKED_AT])
    found = []
    if not said.telling:
        found.append(Mark.HOLLOW)
    if _repeats_target(said, target, command):
        found.append(Mark.REPEATS_TARGET)
    if previous is not None and _is_same(said, _said(previous[:LOOKED_AT])):
        found.append(Mark.REPEATS_PREVIOUS)
    if request is not None and _copies(said, request[:LOOKED_AT]):
        found.append(Mark.COPIES_REQUEST)
    return tuple(found)


class _Said(Struct, frozen=True, gc=False):
    """An intent as it is looked at."""

    text: str
    """The text."""
    words: list[str]
    """Its words."""
    spaced: str
    """The words with one space before and after each, so that a run of whole words is found in it."""
    telling: str
    """The first of its words that is no filler; nothing where all are."""


@lru_cache(maxsize=8)
def _said(text: str) -> _Said:
    """Look at an intent. The next call is held against it."""
    words = _words(text)
    telling = ""
    for word in words:
        if word not in _FILLER:
            telling = word
            break
    return _Said(text, words, _spaced(words), telling)


def _words(text: str) -> list[str]:
    """The words of a text; those of an ASCII text in half the time."""
    return text.encode().translate(_PLAIN).decode().split() if text.isascii() else words_of(text)


def _spaced(words: list[str]) -> str:
    return f" {' '.join(words)} "


def _is_same(said: _Said, previous: _Said) -> bool:
    if not said.words:
        return said.text.strip() == previous.text.strip()
    return said.spaced == previous.spaced


def _repeats_target(said: _Said, target: str | None, command: str | None) -> bool:
    """Whether the intent repeats the target, the whole command, or a path's last name."""
    if command and _repeats(said, command[:LOOKED_AT]):
        return True
    if not target or target == command:
        return False
    target = target[:LOOKED_AT]
    return _repeats(said, target) or (not command and _repeats(said, target.rstrip("/").rpartition("/")[2]))


def _repeats(said: _Said, text: str) -> bool:
    """Whether the words are those of the text, with nothing but filler around them."""
    # Most texts end here, and a command is long.
    if (text.isascii() and said.telling not in text.lower()) or first_word(text) not in said.words:
        return False
    part = _spaced(_words(text))
    at = said.spaced.find(part)
    return at >= 0 and _FILLER.issuperset(f"{said.spaced[:at]} {said.spaced[at + len(part) :]}".split())


def _copies(said: _Said, request: str) -> bool:
    """Whether a whole sentence of the request stands in the intent and makes up half of it at least."""
    spaced, unspaced = _sentences(request)
    for sentence, length in spaced:
        if sentence in said.spaced and 2 * length >= len(said.words):
            return True
    if not unspaced:
        return False
    whole = "".join(said.words)
    return any(sentence in whole and 2 * len(sentence) >= len(whole) for sentence in unspaced)


@lru_cache(maxsize=8)
def _sentences(request: str) -> tuple[list[tuple[str, int]], list[str]]:
    """Each sentence that is long enough to be copied: its words and their number, or its letters.

    Letters are what counts where the script puts no spaces between words. All calls of a turn are held against the
    same request.
    """
    spaced, unspaced = [], []
    for sentence in _SENTENCE_END.split(request):
        words = _words(sentence)
        if spaceless(sentence) >= _LEAST_SPACELESS:
            unspaced.append("".join(words))
        elif len(words) >= _LEAST_WORDS:
            spaced.append((_spaced(words), len(words)))
    return spaced, unspaced
