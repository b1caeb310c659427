"""A model that gives one answer and a session that takes notes, for whatever runs an attempt."""

import json

from pilotage.evidence.diagnostics import Data
from pilotage.inference.question import Exchange, Question, Reply, Sent

EXCHANGE = Exchange(
    url="http://127.0.0.1:9931/v1/chat/completions",
    model="example/glm-5.3",
    request='{"model":"glm-5.3"}',
    response="{}",
    status=200,
    seconds=1.5,
    input_tokens=900,
    output_tokens=40,
)
"""What goes over the wire each time."""


class Scripted:
    """A model with one answer and a session that takes notes; both keep what they were given, in order."""

    def __init__(self, answer: object, fault: BaseException | None = None) -> None:
        self.answer = answer
        self.fault = fault
        self.broken = ""
        self.questions: list[Question] = []
        self.left: list[float] = []
        self.notes: list[Data] = []
        self.order: list[str] = []

    async def ask(self, question: Question, left: float, sent: Sent) -> Reply:
        """Answer, or fail."""
        self.order.append("ask")
        self.questions.append(question)
        self.left.append(left)
        sent(EXCHANGE)
        if self.fault:
            raise self.fault
        text = json.dumps(self.answer)
        return Reply(json.loads(text), text, question.system, question.user, EXCHANGE)

    async def note(self, data: Data) -> None:
        """Take a note; one kind of it cannot be written."""
        self.write(str(data["event"]))
        self.notes.append(data)

    def write(self, what: str) -> None:
        """Note that something is written; what is broken cannot be."""
        self.order.append(what)
        if what == self.broken:
            msg = "the disk is full"
            raise OSError(msg)

    @property
    def end(self) -> Data:
        """The note of the end: the last one."""
        assert self.notes[-1]["event"] == "end"
        return self.notes[-1]
