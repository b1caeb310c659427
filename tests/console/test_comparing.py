from hypothesis import given
from hypothesis import strategies as st

from pilotage.console.comparing import MOST_LINES, compared, role_of
from pilotage.console.evidence_opening import EvidencePart, Ground, OpenedAttempt
from pilotage.records.attempt import Attempt, Purpose


def opened(text: str, step: int = 5, system: str = "Judge.") -> OpenedAttempt:
    """Give an attempt with this input."""
    attempt = Attempt(f"a{step}", Purpose.TRAJECTORY, "", "", step=step, started=1_767_603_600.0)
    texts = (("system", system), ("input", text))
    return OpenedAttempt(attempt, tuple(EvidencePart(name, one, Ground.RECORDED, "") for name, one in texts))


def differences(one: str, other: str) -> list[str]:
    """Give the lines that tell how two inputs differ."""
    told = compared(opened(one), opened(other, 10)).split("\n")
    return told[told.index(next(line for line in told if line.startswith("input:"))) + 1 :]


def test_what_is_compared() -> None:
    """Both attempts are named; what is the same is said in a word, what differs line by line with some around it."""
    text = "\n".join(f"line {number}" for number in range(40))
    told = compared(opened(text), opened(text.replace("line 20", "another line"), 10)).split("\n")
    assert told[:2] == ["- review of step 5 at 09:00:00", "+ review of step 10 at 09:00:00"]
    assert "system: the same, 6 characters" in told
    assert told[told.index("@@ -18,7 +18,7 @@") + 1 :][:8] == [
        *(" line 17", " line 18", " line 19", "-line 20", "+another line", " line 21", " line 22", " line 23")
    ]
    assert not any("line 16" in line for line in told)


def test_the_same() -> None:
    """Equal inputs have no differences."""
    assert differences("one\ntwo", "one\ntwo") == [""]


@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
def test_it_is_what_difflib_says(before: list[str], after: list[str]) -> None:
    """Leaving out what both begin and end with changes no place: each line can be found where it is said to be."""
    one, other = "\n".join(before), "\n".join(after)
    if one == other:
        return
    told = differences(one, other)
    old, new = one.split("\n"), other.split("\n")
    at_old = at_new = 0
    for line in told:
        if line.startswith("@@"):
            places = [place[1:].split(",")[0] for place in line.strip("@ ").split(" ")]
            at_old, at_new = (int(place) for place in places)
        elif line[:1] in ("-", " ") and line:
            assert old[at_old - 1] == line[1:]
        if line[:1] in ("+", " ") and line:
            assert new[at_new - 1] == line[1:]
        at_old += line[:1] in ("-", " ")
        at_new += line[:1] in ("+", " ")
    assert sum(line.startswith("-") for line in told) - sum(line.startswith("+") for line in told) == len(old) - len(
        new
    )


def test_huge_inputs_are_bounded() -> None:
    """Only so many lines are compared, and it is said where it ends."""
    one = "\n".join(f"{number} a" for number in range(3 * MOST_LINES))
    told = differences(one, one.replace(" a", " b"))
    assert told[-2] == f"@@ only the first {MOST_LINES:,} lines from the first difference on were compared @@"
    assert len(told) < 3 * MOST_LINES


def test_roles() -> None:
    """Each kind of line has its own role."""
    assert [role_of(line) for line in ("@@ -1 +1 @@", "+a", "-a", " a", "input: x", "")] == [
        *("running", "ok", "failed", "text", "middle", "middle")
    ]
