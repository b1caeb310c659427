import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.calls.timeline import Timeline
from pilotage.console.filters import Filter, parse_filter
from pilotage.console.view import View
from pilotage.records.row import RowKind
from tests.console.driven import growing, timeline_of
from tests.contract.examples import unhurried
from tests.handmade import agent, call, lines_of, ran, user, write_session

TURNS = (
    user("one"),
    agent(call("a", command="x"), call("b", command="y"), call("c", command="z")),
    ran("a"),
    ran("b", "no", is_error=True),
    user("two"),
    agent(call("d", command="x")),
    ran("d"),
)


@pytest.fixture
def view(tmp_path: Path) -> View:
    """Give two turns, the first with a batch of three."""
    return viewed(timeline_of(write_session(tmp_path / "s.jsonl", *TURNS)))


def viewed(timeline: Timeline) -> View:
    """Give a view that has been built."""
    view = View(timeline)
    view.rebuild(0)
    return view


def told(view: View) -> list[str]:
    """Give each line: the call's id, the user's words, or nothing for air."""
    rows = (view.row_at(line) for line in range(len(view.lines)))
    return [
        "" if row is None else view.timeline.calls.items[row.call].id if row.call >= 0 else row.text for row in rows
    ]


def check(view: View) -> None:
    """Prove what is so of every view: lines and rows agree, in order, and the counts are right."""
    numbers = [number for line in range(len(view.lines)) if (number := view.number_at(line)) is not None]
    assert numbers == sorted(set(numbers))
    assert view.shown == len(numbers)
    assert view.shown + view.hidden == len(view.timeline.rows)
    for number in range(len(view.timeline.rows)):
        line = view.line_of(number)
        assert (line is not None) == (number in numbers)
        assert line is None or view.number_at(line) == number
        nearest = view.number_at(view.nearest_line(number))
        assert nearest is None or nearest == max((n for n in numbers if n <= number), default=nearest)


def test_air_above_the_users_words(view: View) -> None:
    """The user's words stand apart from what is before them, not at the top."""
    assert told(view) == ["one", "a", "b", "c", "", "two", "d"]
    check(view)


def test_two_inputs_stand_together(tmp_path: Path) -> None:
    """There is no air between words of the user that follow one another."""
    view = viewed(timeline_of(write_session(tmp_path / "s.jsonl", user("one"), user("two"))))
    assert told(view) == ["one", "two"]


def test_filter(view: View) -> None:
    """Under a filter only its rows are shown, without air; the hidden ones are counted."""
    view.set_filter(parse_filter("is:failed"))
    assert told(view) == ["b"]
    assert (view.shown, view.hidden) == (1, 5)
    check(view)
    view.set_filter(Filter())
    assert len(told(view)) == 7


def test_a_call_comes_under_the_filter(tmp_path: Path) -> None:
    """A row comes or goes when its call changes so that it passes, or passes no longer."""
    path = write_session(tmp_path / "s.jsonl", *TURNS[:2])
    timeline = growing(path)
    timeline.take(timeline.session.take(timeline.session.follower.read()))
    view = viewed(timeline)
    view.set_filter(parse_filter("is:running"))
    assert told(view) == ["a", "b", "c"]
    with path.open("a") as file:
        file.writelines(lines_of(TURNS, 1)[2:4])
    change = timeline.take(timeline.session.take(timeline.session.follower.read()))
    view.rebuild(change.moved_from)
    assert view.refit(change.changed) == 0
    assert told(view) == ["c"]
    check(view)
    assert view.refit(change.changed) is None


def test_fold_a_batch(view: View) -> None:
    """A batch folds into its first call, which says how many more there are; again, and they are back."""
    view.toggle_fold(2)
    assert told(view) == ["one", "a", "", "two", "d"]
    assert view.folded_words(1) == "+ 2 more"
    check(view)
    view.toggle_fold(1)
    assert len(told(view)) == 7


def test_fold_a_turn(view: View) -> None:
    """A turn folds into the user's words, which say how many rows are behind them."""
    view.toggle_fold(5)
    assert told(view) == ["one", "a", "b", "c", "", "two"]
    assert view.folded_words(4) == "+ 1 row"
    row = view.row_at(5)
    assert row is not None
    assert view.is_folded(row)
    check(view)


def test_fold_all_turns(view: View) -> None:
    """All turns fold at once, without air between them, and unfold at once."""
    view.toggle_all_turns()
    assert told(view) == ["one", "two"]
    assert view.folded_words(0) == "+ 3 rows"
    view.toggle_all_turns()
    assert len(told(view)) == 7
    view.toggle_fold(1)
    view.toggle_all_turns()
    assert len(told(view)) == 7


def test_a_filter_unfolds(view: View) -> None:
    """A filter shows its rows out of folded turns and batches too, and no row then says that it stands for others."""
    view.toggle_fold(1)
    view.toggle_fold(5)
    view.set_filter(parse_filter("tool:bash"))
    assert told(view) == ["a", "b", "c", "d"]
    assert not any(view.is_folded(row) for row in view.timeline.rows)
    view.set_filter(Filter())
    assert told(view) == ["one", "a", "", "two"]


def test_before_the_first_input(tmp_path: Path) -> None:
    """Calls before the user's first words belong to no turn and cannot be folded away."""
    view = viewed(timeline_of(write_session(tmp_path / "s.jsonl", agent(call("a", command="x")), user("one"))))
    view.toggle_fold(0)
    assert told(view) == ["a", "", "one"]


def test_beyond_the_lines(view: View) -> None:
    """Beyond the lines there is no row, and an empty view has none."""
    assert view.row_at(-1) is view.row_at(99) is view.row_at(4) is None
    assert view.line_of(99) is None
    view.set_filter(parse_filter("nothing has this word"))
    assert view.nearest_line(3) == 0
    check(view)


@unhurried
@given(st.data())
def test_growth_is_as_good_as_a_new_view(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever is folded and filtered, lines that grew are those of a view that is built at once."""
    path = tmp_path_factory.mktemp("view") / "s.jsonl"
    made = data.draw(st.lists(st.sampled_from("urbn"), max_size=12))
    entries = []
    for number, kind in enumerate(made):
        entries += {
            "u": [user(f"u{number}")],
            "r": [agent(call(f"r{number}", command="x")), ran(f"r{number}")],
            "b": [agent(call(f"b{number}", command="x"), call(f"c{number}", command="y"))],
            "n": [user(f"back {number}", parentId=None)],
        }[kind]
    path.write_text("")
    timeline = growing(path)
    view = viewed(timeline)
    for line in lines_of(entries):
        with path.open("a") as file:
            file.write(line)
        change = timeline.take(timeline.session.take(timeline.session.follower.read()))
        view.rebuild(change.moved_from)
        view.refit(change.changed)
        match data.draw(st.sampled_from(["", "", "fold", "all", "filter", "clear", "branches"])):
            case "fold" if timeline.rows:
                view.toggle_fold(data.draw(st.integers(0, len(timeline.rows) - 1)))
            case "all":
                view.toggle_all_turns()
            case "filter":
                view.set_filter(parse_filter(data.draw(st.sampled_from(["is:ok", "is:running", "tool:bash", "u"]))))
            case "clear":
                view.set_filter(Filter())
            case "branches":
                view.rebuild(timeline.show_branches(all_branches=not timeline.all_branches).moved_from)
        check(view)
    lines, shown = list(view.lines), view.shown
    view.rebuild(0)
    assert (list(view.lines), view.shown) == (lines, shown)
    assert all(row.kind in RowKind for row in timeline.rows)


@pytest.mark.parametrize("typed", ["call", "is:ok run", "tool:bash e", "zz", "run is:failed"])
def test_typing_on_is_as_good_as_typing_at_once(view: View, typed: str) -> None:
    """A filter that is typed letter by letter ends with the lines that it gives at once."""
    fresh = viewed(view.timeline)
    fresh.set_filter(parse_filter(typed))
    for length in range(1, len(typed) + 1):
        with contextlib.suppress(ValueError):
            view.set_filter(parse_filter(typed[:length]))
    assert view.lines == fresh.lines
    assert (view.shown, view.hidden) == (fresh.shown, fresh.hidden)
