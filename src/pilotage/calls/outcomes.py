"""What became of a call, told from its result (spec K2)."""

import re

from pilotage.contract.kinds import refusal
from pilotage.records.call import Kind, Outcome, Rejection
from pilotage.records.entry import NestedCall, ToolResult

_ABORTED = re.compile(r"(?:\A|\n)[ \t]*(?:Command|Operation|This operation was|Request was) aborted\.?\s*\Z")
_EXIT_CODE = re.compile(r"Command exited with code (\d+)\s*\Z")

_NESTED = {"ok": Outcome.OK, "unfinished": Outcome.UNANSWERED}


def judge(tool: str, result: ToolResult, *, timed: bool, stop_reason: str) -> tuple[Outcome, Rejection | None]:
    """The outcome of a call, and why it never ran if it did not.

    `timed` says that the file carries durations, so that an error without one never ran (`HOST.md` a). Where it
    carries none, the wording alone decides, and an error that it does not tell is a failure.
    """
    if not result.is_error:
        return Outcome.OK, None
    if _is_abort(result.text):
        return Outcome.ABORTED, None
    if result.duration_ms is not None:
        return Outcome.FAILED, None
    rejection = refusal(tool, result.text)
    if rejection is None and timed and stop_reason == "length":
        rejection = Rejection(Kind.CUT_OFF, (), result.text)
    if rejection:
        return Outcome.REJECTED, rejection
    if timed:
        return Outcome.BLOCKED, Rejection(Kind.BLOCKED, (), result.text)
    return Outcome.FAILED, None


def judge_nested(call: NestedCall) -> tuple[Outcome, Rejection | None]:
    """The outcome of a call that another tool made; the host notes its status and its error's first words."""
    if call.status in _NESTED:
        return _NESTED[call.status], None
    if _is_abort(call.error):
        return Outcome.ABORTED, None
    rejection = refusal(call.tool, call.error)
    return (Outcome.REJECTED if rejection else Outcome.FAILED), rejection


def _is_abort(text: str) -> bool:
    # The pattern is slow on a long text, and few texts hold the word.
    return "aborted" in text and _ABORTED.search(text) is not None


def exit_code(result: ToolResult) -> int | None:
    """The exit code that a failed command's text ends with; Pi keeps it nowhere else."""
    match = _EXIT_CODE.search(result.text) if result.is_error else None
    return int(match.group(1)) if match and len(match.group(1)) < 10 else None
