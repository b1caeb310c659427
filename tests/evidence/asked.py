"""Questions, answers and attempts to make evidence of."""

from pilotage.evidence.child import Origin
from pilotage.evidence.diagnostics import Subject
from pilotage.inference.question import Exchange, Failure, Question, Reply, RequestFailed
from pilotage.records.attempt import Action, ChildSession, Purpose, ReminderState, ReviewedPair

QUESTION = Question("trajectory", "Judge the trajectory.", "What was done:\ncall bash", {"type": "object"}, 100)
ORIGIN = Origin("parent-id", "/home/dev/parent.jsonl", "leaf0001", "attempt-1", "input-1")
SENT = Exchange(
    url="http://127.0.0.1:9931/v1/chat/completions",
    model="example/glm-5.3",
    request='{"model":"glm-5.3","messages":[{"role":"user","content":"Ünï \\u2028"}]}',
    replaced=2,
)
CAME = Exchange(
    url=SENT.url,
    model=SENT.model,
    request=SENT.request,
    response='{"choices":[{"message":{"content":"{\\"reminders\\":[]}"}}]}',
    status=200,
    seconds=1.25,
    replaced=2,
    input_tokens=900,
    output_tokens=12,
)
REPLY = Reply({"reminders": []}, '{"reminders":[]}', QUESTION.system, QUESTION.user, CAME)
BROKEN = RequestFailed(Failure.UNREACHABLE, "Nothing answers at 127.0.0.1:9931.", SENT)
ACTIONS = (
    Action("read", {"path": "notes.txt"}, "one\ntwo", False, 1_767_600_000.5, 0.002, None, "pilotage"),
    Action("bash", {"command": "false"}, "exit 1", True, 1_767_600_001.0, 0.3, True, "pilotage"),
)
SUBJECT = Subject("attempt-1", Purpose.TRAJECTORY, "input-1", "leaf0001", 15)
CHILD = ChildSession("/c.jsonl", "child-id")


def pair(
    deviation: str = "Edited before reading.", state: ReminderState = ReminderState.WAITING, *, found: bool = True
) -> ReviewedPair:
    """Give a reminder."""
    return ReviewedPair(deviation, "User: read first.", found, state)
