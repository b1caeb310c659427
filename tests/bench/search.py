"""How well and how fast wishes find their tools, beside other rankers on the same data (spec N5).

`python -m tests.bench.search PATH [--sizes 100 1000 10000] [--cap N]`: PATH holds `tools.jsonl`, `catalogs.json` and
`queries.jsonl`. Pi's own ranking runs where `RIG_PI` names Pi and PATH holds `pi_rank.mjs`; it indexes anew for each
query, so that 10,000 tools take it many minutes. bm25s and SQLite's FTS5 get our terms: they tell what ranking adds.

A tool that a query accepts counts as its gold. Gains are binary. Figures are averaged within each set of queries and
then over the sets. Times are processor time.
"""

import argparse
import json
import math
import os
import random
import shutil
import sqlite3
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, Catalog
from pilotage.search.answer import answer
from pilotage.search.index import Index, build_index
from pilotage.search.texts import Field, local_name, texts_of
from pilotage.search.tokens import terms
from tests.bench.figures import share

DEPTH = 10
MISTAKES = 300


@dataclass(frozen=True)
class Asked:
    """One wish and the tools that fulfil it."""

    id: str
    """Its id."""
    query: str
    """Its words."""
    set: str
    """The set that it belongs to."""
    accepted: tuple[frozenset[str], ...]
    """For each tool that is wanted the ids that count as it."""


@dataclass(frozen=True)
class Score:
    """How well one wish was answered, or many on average."""

    gain: float
    """nDCG@10."""
    recalls: tuple[float, ...]
    """The part of the wanted tools among the first 1, 5 and 10."""


@dataclass
class Ranked:
    """What one ranker did."""

    name: str
    """Which."""
    build: float | None = None
    """Seconds for its index; none where it makes one for each wish."""
    milliseconds: list[float] = field(default_factory=list)
    """For each wish."""
    scores: dict[str, list[Score]] = field(default_factory=lambda: defaultdict(list))
    """By set."""

    def add(self, asked: Asked, ids: Sequence[str], milliseconds: float) -> None:
        """Take an answer."""
        self.milliseconds.append(milliseconds)
        self.scores[asked.set].append(score(asked, ids))


Ranking = Callable[[str], Sequence[str]]


class Skipped(Exception):
    """A ranker that cannot run here; its text says why."""


def score(asked: Asked, ids: Sequence[str]) -> Score:
    """Score a ranking: each wanted tool counts once, at the first of the ids that it accepts."""
    left, gains = list(asked.accepted), []
    for id_ in ids[:DEPTH]:
        hit = next((accepted for accepted in left if id_ in accepted), None)
        gains.append(hit is not None)
        if hit is not None:
            left.remove(hit)
    wanted = len(asked.accepted)
    gained = sum(1 / math.log2(place + 2) for place, gain in enumerate(gains) if gain)
    best = sum(1 / math.log2(place + 2) for place in range(min(wanted, DEPTH)))
    return Score(gained / best, tuple(sum(gains[:depth]) / wanted for depth in (1, 5, DEPTH)))


def mean(scores: Sequence[Score]) -> Score:
    """The average of scores."""
    recalls = zip(*(one.recalls for one in scores), strict=True)
    return Score(sum(one.gain for one in scores) / len(scores), tuple(sum(each) / len(scores) for each in recalls))


def read_tools(path: Path) -> dict[str, Capability]:
    """The tools as capabilities, under the ids of the data."""
    return {tool["id"]: _capability(tool) for tool in map(json.loads, (path / "tools.jsonl").open("rb"))}


def _capability(tool: dict[str, object]) -> Capability:
    params, namespace = tool["params"], tool.get("namespace")
    assert isinstance(params, dict)
    assert namespace is None or isinstance(namespace, dict)
    return Capability(
        str(tool["id"]),
        CapabilityKind.MCP if namespace else CapabilityKind.TOOL,
        str(tool["name"]),
        str(tool["description"]),
        CapabilityState.LOADABLE,
        parameters={
            "type": "object",
            "properties": {name: {"type": "string", "description": str(text)} for name, text in params.items()},
        },
        server=namespace and str(namespace["name"]),
        namespace=str(namespace["description"]) if namespace else "",
    )


def read_queries(path: Path, ids: frozenset[str], cap: int | None) -> list[Asked]:
    """The first wishes whose wanted tools are all among these ids."""
    rows = [json.loads(line) for line in (path / "queries.jsonl").open("rb")]
    return [_asked(row) for row in rows if ids.issuperset(row["gold"])][:cap]


def _asked(row: dict[str, object]) -> Asked:
    gold = row["gold"]
    assert isinstance(gold, list)
    accept = row.get("accept") or [[id_] for id_ in gold]
    assert isinstance(accept, list)
    accepted = tuple(frozenset({id_, *also}) for id_, also in zip(gold, accept, strict=True))
    return Asked(str(row["id"]), str(row["query"]), str(row["set"]), accepted)


def ours(catalog: Catalog) -> Ranking:
    """Answer with all that an answer holds, words for people included."""
    index = build_index(catalog)
    return lambda query: [one.id for one in answer(catalog, index, query, DEPTH).suggestions]


def bm25s(catalog: Catalog) -> Ranking:
    """The library bm25s over our terms of all fields."""
    try:
        import bm25s as library
    except ImportError:
        raise Skipped("bm25s is not installed") from None
    corpus = [[term for text in texts_of(entry) for term in terms(text.text)] or ["-"] for entry in catalog.entries]
    retriever = library.BM25()
    retriever.index(corpus, show_progress=False)
    ids = [entry.id for entry in catalog.entries]

    def rank(query: str) -> list[str]:
        wanted = [term for term in dict.fromkeys(terms(query)) if term in retriever.vocab_dict]
        if not wanted:
            return []
        found, scores = retriever.retrieve([wanted], k=min(DEPTH, len(ids)), show_progress=False, n_threads=1)
        return [ids[number] for number, value in zip(found[0], scores[0], strict=True) if value > 0]

    return rank


def fts5(catalog: Catalog) -> Ranking:
    """SQLite's FTS5 over our terms, names 3, descriptions 1 and parameters 0.5."""
    database = sqlite3.connect(":memory:")
    try:
        database.execute("create virtual table tool using fts5(name, description, parameters, tokenize = 'unicode61')")
    except sqlite3.OperationalError as error:
        raise Skipped(f"SQLite has no FTS5: {error}") from None
    columns = ({Field.NAME}, {Field.DESCRIPTION, Field.SERVER}, {Field.PARAMETER, Field.PARAMETER_TEXT})
    for number, entry in enumerate(catalog.entries):
        texts = texts_of(entry)
        row = [" ".join(term for text in texts if text.field in some for term in terms(text.text)) for some in columns]
        database.execute("insert into tool(rowid, name, description, parameters) values (?, ?, ?, ?)", (number, *row))
    ids = [entry.id for entry in catalog.entries]
    ask = f"select rowid from tool where tool match ? order by bm25(tool, 3, 1, 0.5) limit {DEPTH}"

    def rank(query: str) -> list[str]:
        words = " OR ".join(f'"{term}"' for term in dict.fromkeys(terms(query)))
        return [ids[number] for (number,) in database.execute(ask, (words,))] if words else []

    return rank


def measure(name: str, ranker: Callable[[Catalog], Ranking], catalog: Catalog, queries: Sequence[Asked]) -> Ranked:
    """Let a ranker answer every wish."""
    begun = time.process_time()
    rank = ranker(catalog)
    ranked = Ranked(name, time.process_time() - begun)
    for asked in queries:
        begun = time.process_time()
        ids = rank(asked.query)
        ranked.add(asked, ids, 1000 * (time.process_time() - begun))
    return ranked


def measure_pi(path: Path, catalog: Catalog, queries: Sequence[Asked]) -> Ranked:
    """Let Pi's own code rank; it gives names, each of which stands for any tool of that name."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for entry in catalog.entries:
        by_name[entry.name].append(entry.id)
    answers = {row["id"]: row for row in _pi_rows(path, len(catalog.entries), len(queries))}
    ranked = Ranked("Pi")
    for asked in queries:
        row = answers[asked.id]
        wanted = frozenset().union(*asked.accepted)
        ids = []
        for name in row["names"]:
            alike = sorted(by_name[name], key=lambda id_: (id_ not in wanted, id_))
            ids.append(next((id_ for id_ in alike if id_ not in ids), alike[0]))
        ranked.add(asked, ids, row["ms"])
    return ranked


def _pi_rows(path: Path, size: int, cap: int) -> Iterator[dict[str, object]]:
    program, script, node = os.environ.get("RIG_PI"), path / "pi_rank.mjs", shutil.which("node")
    if not program or not script.is_file() or not node:
        raise Skipped("needs RIG_PI, node, and pi_rank.mjs beside the data")
    ranker = Path("extensions", "tool-search", "tool.js")
    folder = next((above for above in Path(program).resolve().parents if (above / ranker).is_file()), None)
    if folder is None:
        raise Skipped(f"{program} is not beside Pi's {ranker}")
    ended = subprocess.run(
        [node, str(script), str(size), str(cap)],
        env={**os.environ, "PI_DIST": str(folder)},
        capture_output=True,
        check=False,
    )
    if ended.returncode:
        raise Skipped(f"Pi's ranking ended with {ended.returncode}: {ended.stderr.decode(errors='replace')[-200:]}")
    return map(json.loads, ended.stdout.splitlines())


def report(size: int, queries: int, rankings: Sequence[Ranked]) -> None:
    """Print what rankers did, side by side."""
    print(f"\n{size:,} tools, {queries:,} wishes")
    print(f"{'':<16}{'nDCG@10':>8}{'R@1':>7}{'R@5':>7}{'R@10':>7}{'p50 ms':>9}{'p95 ms':>9}{'index s':>9}")
    for ranked in rankings:
        whole = mean([mean(scores) for scores in ranked.scores.values()])
        recalls = "".join(f"{recall:>7.3f}" for recall in whole.recalls)
        times = "".join(f"{share(ranked.milliseconds, part):>9.2f}" for part in (0.5, 0.95))
        build = "-" if ranked.build is None else f"{ranked.build:.2f}"
        print(f"{ranked.name:<16}{whole.gain:>8.3f}{recalls}{times}{build:>9}")
    print(f"{'nDCG@10 by set':<24}" + "".join(f"{ranked.name:>9}" for ranked in rankings))
    for name in sorted(rankings[0].scores):
        figures = "".join(f"{mean(ranked.scores[name]).gain:>9.3f}" for ranked in rankings)
        print(f"  {name:<16}{len(rankings[0].scores[name]):>6}{figures}")


def report_names(catalog: Catalog) -> None:
    """Print how often names are found: exact ones, local ones, and ones with a mistake in them."""
    index = build_index(catalog)
    full = [_is_first(catalog, index, entry.name, entry.name) for entry in catalog.entries]
    local = [_is_first(catalog, index, local_name(entry).upper(), local_name(entry)) for entry in catalog.entries]
    print(f"exact name first {sum(full) / len(full):.4f}, local name in capitals first {sum(local) / len(local):.4f}")
    chance = random.Random(1)
    names = sorted({name for entry in catalog.entries if len(name := local_name(entry)) > 4 and name.isascii()})
    times, found = [], []
    for name in chance.sample(names, min(MISTAKES, len(names))):
        place = chance.randrange(1, len(name) - 1)
        begun = time.process_time()
        near = answer(catalog, index, name[:place] + name[place + 1 :], 5).suggestions
        times.append(1000 * (time.process_time() - begun))
        found.append(any(name in (one.name, one.name.rpartition("__")[2]) for one in near))
    print(f"name without one of its letters in the first five {sum(found) / len(found):.3f}, p95 ms", end=" ")
    print(f"{share(times, 0.95):.2f}")


def _is_first(catalog: Catalog, index: Index, typed: str, name: str) -> bool:
    found = answer(catalog, index, typed, 1).suggestions
    wanted = name.strip().casefold()
    return bool(found) and wanted in (found[0].name.strip().casefold(), found[0].name.casefold().rpartition("__")[2])


def main() -> None:
    """Rank every wish with every ranker, at every size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--sizes", nargs="+", default=["100", "1000", "10000"])
    parser.add_argument("--cap", type=int, help="so many wishes at most, for each size")
    arguments = parser.parse_args()
    tools = read_tools(arguments.path)
    catalogs = json.loads((arguments.path / "catalogs.json").read_bytes())
    for size in arguments.sizes:
        catalog = Catalog(tuple(tools[id_] for id_ in catalogs[size]))
        queries = read_queries(arguments.path, frozenset(catalogs[size]), arguments.cap)
        rankings = []
        for name, ranker in (("ours", ours), ("bm25s", bm25s), ("FTS5", fts5)):
            try:
                rankings.append(measure(name, ranker, catalog, queries))
            except Skipped as why:
                print(f"{name} is skipped: {why}")
        try:
            rankings.append(measure_pi(arguments.path, catalog, queries))
        except Skipped as why:
            print(f"Pi is skipped: {why}")
        report(len(catalog.entries), len(queries), rankings)
        report_names(catalog)


if __name__ == "__main__":
    main()
