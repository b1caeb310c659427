"""How well a model reviews, on public runs with known mistakes (spec R): with whatever server its user names.

`python -m tests.bench.review DATA --base-url URL --model NAME [--key-env NAME] [--level LEVEL] [--limit N] [--k 3]
[--seconds 60] [--out FILE]`. Each prefix of a run becomes a session file and is reviewed as an observed session
is: same excerpt, prompt, request, checks and evidence. Results are kept in FILE, a line for each; what stands there
is not asked again. A prefix from the mistake on is passed over once an earlier one brought a reminder.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from pilotage.evidence.diagnostics import Data, Subject
from pilotage.inference.question import Question, Reply, Sent
from pilotage.inference.request import ask
from pilotage.inference.target import Target, bearer, make_target
from pilotage.records.attempt import Purpose
from pilotage.records.configuration import LEVELS, Configuration
from pilotage.review.run import Material, run_review
from tests.bench.figures import share, spread
from tests.bench.review_data import CLEAN, FAILED, MISTAKE, Prefix, prefixes, read_runs
from tests.handmade import write_session

PROVIDER = "bench"


@dataclass(frozen=True)
class Result:
    """What one review brought."""

    model: str
    """The model that was asked."""
    key: str
    """The prefix."""
    kind: str
    """What the prefix is."""
    seconds: float
    """How long the review took."""
    failure: str = ""
    """Why it failed."""
    words: str = ""
    """The same for a person."""
    tokens: Sequence[int] = (0, 0)
    """Tokens sent and received."""
    reminders: Sequence[Sequence[str]] = ()
    """Its reminders."""
    sourced: Sequence[bool] = field(default_factory=tuple)
    """For each whether its source stands in what the model was given."""

    @property
    def run(self) -> str:
        """The run that the prefix is of."""
        return self.key.rpartition(":")[0]


async def review(prefix: Prefix, target: Target, level: str, seconds: float, folder: Path) -> Result:
    """Review one prefix."""
    path = write_session(folder / "session.jsonl", *prefix.session())

    async def asked(question: Question, left: float, sent: Sent) -> Reply:
        return await ask(target, question, level=level, deadline=left, sent=sent)

    async def noted(_: Data) -> None:
        """An observed session is not written to."""

    began = time.monotonic()
    reviewed = await run_review(
        Subject(prefix.key, Purpose.TRAJECTORY, prefix.run.name, None, prefix.steps),
        Material(path),
        configuration=Configuration(provider=target.provider, model=target.model),
        ask=asked,
        note=noted,
        is_served=False,
        seconds=seconds,
    )
    return Result(
        model=target.model,
        key=prefix.key,
        kind=prefix.kind,
        seconds=round(time.monotonic() - began, 2),
        failure=reviewed.failure,
        words=reviewed.words,
        tokens=(reviewed.exchange.input_tokens, reviewed.exchange.output_tokens),
        reminders=[[pair.deviation, pair.source] for pair in reviewed.pairs],
        sourced=[pair.source_found for pair in reviewed.pairs],
    )


def read_results(path: Path, model: str) -> dict[str, Result]:
    """Read what is there of a model, by prefix; a last line that is torn is as good as absent."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            result = Result(**json.loads(line))
        except (ValueError, TypeError):
            continue
        if result.model == model:
            found[result.key] = result
    return found


async def review_all(
    wanted: Sequence[Prefix], known: dict[str, Result], out: Path, reviewed: Callable[[Prefix], Awaitable[Result]]
) -> list[Result]:
    """Review what is not known yet, and keep each result as soon as it is there."""
    results: list[Result] = []
    found: set[str] = set()
    with out.open("a", encoding="utf-8") as kept:
        for number, prefix in enumerate(wanted, 1):
            if prefix.kind == MISTAKE and prefix.run.name in found:
                continue
            result = known.get(prefix.key)
            if result is None:
                result = await reviewed(prefix)
                kept.write(json.dumps(asdict(result), ensure_ascii=False) + "\n")
                kept.flush()
            if result.kind == MISTAKE and result.reminders:
                found.add(result.run)
            results.append(result)
            tell = f"{number} of {len(wanted)}: {prefix.key}, {len(result.reminders)} reminders {result.failure}"
            print(f"\r{tell:<100.100}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return results


def report(results: Iterable[Result], k: int) -> str:
    """Write the figures down."""
    of_kind: dict[str, list[Result]] = defaultdict(list)
    every = list(results)
    for result in every:
        if not result.failure:
            of_kind[result.kind].append(result)
    mistakes = {result.run for result in every if result.kind == MISTAKE}
    found = {result.run for result in of_kind[MISTAKE] if result.reminders}
    alarmed = [result for result in of_kind[CLEAN] if result.reminders]
    failed = [result for result in of_kind[FAILED] if result.reminders]
    sourced = [is_found for result in every for is_found in result.sourced]
    failures = Counter(result.failure for result in every if result.failure)
    lines = [
        f"reviews                                   {len(every)}",
        f"mistakes with a reminder within {k} steps    {_part(len(found), len(mistakes))}",
        f"clean prefixes with a reminder (false)    {_part(len(alarmed), len(of_kind[CLEAN]))}",
        f"failed runs with a reminder at their end  {_part(len(failed), len(of_kind[FAILED]))}",
        f"reminders whose source stands there       {_part(sum(sourced), len(sourced))}",
        f"reviews that failed                       {_part(failures.total(), len(every))}  {dict(failures) or ''}",
    ]
    asked = [result for result in every if result.tokens[0]]
    if asked:
        sent, received = ([result.tokens[side] for result in asked] for side in (0, 1))
        lines += [
            f"tokens sent, median / 95 %                {share(sent, 0.5):,} / {share(sent, 0.95):,}",
            f"tokens received, median / 95 %            {share(received, 0.5):,} / {share(received, 0.95):,}",
            f"milliseconds, median / 95 % / most        {spread([result.seconds for result in every])}",
        ]
    return "\n".join(lines)


def _part(count: int, whole: int) -> str:
    return f"{count} of {whole}" + (f" ({100 * count / whole:.1f} %)" if whole else "")


def main() -> None:
    """Review, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder with who_and_when and tau_airline.json")
    parser.add_argument("--base-url", required=True, help="an OpenAI-compatible server, as in http://127.0.0.1:9931/v1")
    parser.add_argument("--model", required=True, help="the model, as the server names it")
    parser.add_argument("--key-env", help="the variable that holds the key; it is written down nowhere")
    parser.add_argument("--level", choices=LEVELS, default="off", help="how much the model thinks; off otherwise")
    parser.add_argument("--limit", type=int, help="review no more prefixes than this")
    parser.add_argument("--k", type=int, default=3, help="steps within which a mistake is to be found; 3 otherwise")
    parser.add_argument("--seconds", type=float, default=60, help="how long one review may take; 60 otherwise")
    kept = Path(tempfile.gettempdir()) / "pilotage-review.jsonl"
    parser.add_argument("--out", type=Path, default=kept, help=f"where results are kept; {kept} otherwise")
    given = parser.parse_args()
    if given.key_env and not os.environ.get(given.key_env):
        parser.error(f"{given.key_env} is not set")
    runs = read_runs(given.data)
    if not runs:
        parser.error(f"{given.data}: holds neither who_and_when nor tau_airline.json")
    entry = {"reasoning": given.level != "off"}
    headers = bearer(os.environ[given.key_env] if given.key_env else "")
    target = make_target(PROVIDER, given.model, PROVIDER, given.base_url, entry, headers)
    wanted = list(prefixes(runs, given.k))[: given.limit]
    with tempfile.TemporaryDirectory(prefix="pilotage-review-") as folder:
        # The evidence of a benchmark does not belong among a person's sessions.
        os.environ["PI_CODING_AGENT_DIR"] = folder
        reviewed = partial(review, target=target, level=given.level, seconds=given.seconds, folder=Path(folder))
        known = read_results(given.out, given.model)
        print(report(asyncio.run(review_all(wanted, known, given.out, reviewed)), given.k))


if __name__ == "__main__":
    main()
