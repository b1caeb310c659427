"""Quality marks on an intent: advice for people, cheap enough for every call of a session (spec C8)."""

import re
from functools import lru_cache

from pilotage.contract.words import first_word, spaceless, words_of
from pilotage.records.call import Mark

LOOKED_AT = 4000
"""How many characters of each text are looked at."""

_LEAST_WORDS = 4
_LEAST_SPACELESS = 12

_SENTENCE_END = re.compile(r"[.!?…]+(?:\s+|$)|[。！？；｡]+|\n+")

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
    words = words_of(intent[:LOOKED_AT])
    found = []
    if _is_filler(words):
        found.append(Mark.HOLLOW)
    if any(_repeats(words, text) for text in _targets(target, command)):
        found.append(Mark.REPEATS_TARGET)
    if previous is not None and _is_same(intent, words, previous):
        found.append(Mark.REPEATS_PREVIOUS)
    if request is not None and _copies(words, request[:LOOKED_AT]):
        found.append(Mark.COPIES_REQUEST)
    return tuple(found)


def _is_filler(words: list[str]) -> bool:
    return _FILLER.issuperset(words)


def _is_same(intent: str, words: list[str], previous: str) -> bool:
    if not words:
        return intent[:LOOKED_AT].strip() == previous[:LOOKED_AT].strip()
    previous = previous[:LOOKED_AT]
    return words[0] == first_word(previous) and words == words_of(previous)


def _targets(target: str | None, command: str | None) -> list[str]:
    """List what the intent may repeat: the target, the whole command, and a path's last name."""
    texts = [text[:LOOKED_AT] for text in dict.fromkeys((target, command)) if text]
    if target and not command:
        texts.append(target[:LOOKED_AT].rstrip("/").rpartition("/")[2])
    return texts


def _repeats(words: list[str], text: str) -> bool:
    """Whether the words are those of the text, with nothing but filler around them."""
    if first_word(text) not in words:
        # Most texts end here, and a command is long.
        return False
    rest = _without(words, words_of(text))
    return rest is not None and _is_filler(rest)


def _without(words: list[str], part: list[str]) -> list[str] | None:
    """Cut the first place where `part` stands whole out of the words; None where it does not."""
    whole, wanted = f" {' '.join(words)} ", f" {' '.join(part)} "
    at = whole.find(wanted) if part else -1
    return None if at < 0 else f"{whole[:at]} {whole[at + len(wanted) :]}".split()


def _copies(words: list[str], request: str) -> bool:
    """Whether a whole sentence of the request stands in the intent and makes up half of it at least."""
    return any(_copies_sentence(words, part, is_spaceless=is_spaceless) for part, is_spaceless in _sentences(request))


def _copies_sentence(words: list[str], part: list[str], *, is_spaceless: bool) -> bool:
    if is_spaceless:
        copied, whole = "".join(part), "".join(words)
        return copied in whole and 2 * len(copied) >= len(whole)
    return 2 * len(part) >= len(words) and part[0] in words and _without(words, part) is not None


@lru_cache(maxsize=8)
def _sentences(request: str) -> tuple[tuple[list[str], bool], ...]:
    """The words of each sentence that is long enough to be copied, and whether its script puts no spaces there.

    All calls of a turn are held against the same request.
    """
    sentences = [sentence for sentence in _SENTENCE_END.split(request) if sentence]
    found = ((words_of(sentence), spaceless(sentence) >= _LEAST_SPACELESS) for sentence in sentences)
    return tuple((words, is_spaceless) for words, is_spaceless in found if is_spaceless or len(words) >= _LEAST_WORDS)
