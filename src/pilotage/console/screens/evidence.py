"""The evidence browser: session, inputs, attempts, and the model's real input and output (spec U5, E)."""

from collections.abc import Hashable, Sequence
from functools import partial
from pathlib import Path

from textual import work

from pilotage.console.attempt_lines import child_parts
from pilotage.console.commands import Where, bindings
from pilotage.console.comparing import compared, role_of, title
from pilotage.console.evidence_desk import attempt_at, evidence_desk, prepared_by
from pilotage.console.evidence_lines import node_detail, node_line, part_words
from pilotage.console.evidence_messages import AttemptOpened, InputsCompared
from pilotage.console.evidence_opening import OpenedAttempt, open_attempt
from pilotage.console.evidence_tree import AttemptNode, InputNode, Node, PartNode, WordsNode, part_key
from pilotage.console.panes import EMPTY_WORDS, Pane
from pilotage.console.parts import Part, Whole
from pilotage.console.pieces import Piece, PieceLine
from pilotage.console.screens.pane import PaneScreen
from pilotage.console.screens.whole import WholeText
from pilotage.console.secrets_hidden import clean_part, hidden_words, hide
from pilotage.console.themes import Palette
from pilotage.console.watched import Watched
from pilotage.console.widgets.choices import Choice, told
from pilotage.evidence.lost import folders_of
from pilotage.paths import agent_dir
from pilotage.plain import plain_line
from pilotage.records.attempt import Attempt, ChildSession, Prepared
from pilotage.sessions.read import Session

FIRST_PART = "output"
"""The part to go to when an attempt is opened from elsewhere."""


class EvidenceScreen(PaneScreen):
    """The tree of evidence, and the text of what is chosen."""

    BINDINGS = bindings(Where.EVIDENCE)
    pane = Pane.EVIDENCE

    def __init__(self, palette: Palette, watched: Watched) -> None:
        super().__init__(palette, watched)
        self.desk = evidence_desk(watched.kept)
        """What is unfolded and read."""
        self._goes_to = ""
        self._is_told = False

    def on_mount(self) -> None:
        """Go to the attempt that was meant; without one the newest is unfolded."""
        attempts = self.watched.attempts.items if self.watched.attempts else []
        aimed, self.watched.aimed = self.watched.aimed, ""
        if aimed:
            self.desk.unfold(aimed)
            self._goes_to = aimed
        elif attempts and not self.desk.opened:
            self.desk.unfold(attempts[-1].id)
        self._open_due()

    def on_unmount(self) -> None:
        """What is still being read is read again when the pane is shown once more."""
        self.desk.forget()

    @property
    def is_settled(self) -> bool:
        """Whether all that is unfolded was read."""
        return not self.desk.is_reading

    def choices(self) -> Sequence[Choice]:
        """The tree."""
        self.desk.look(self.watched)
        choices: list[Choice] = []
        for node in self.desk.nodes:
            choices += [told([])] if isinstance(node, InputNode) else []
            choices.append(Choice(partial(self._line, node), node.key))
        return choices

    def _line(self, node: Node, width: int) -> PieceLine:
        return node_line(node, self.watched.sight(), marked=self.desk.marked, width=width)

    def notice(self) -> Sequence[str]:
        """That there is none, and what makes some."""
        return EMPTY_WORDS[self.pane]

    def detail_of(self, key: Hashable, width: int) -> list[PieceLine]:
        """A node in full."""
        node, timeline = self.desk.find(key), self.watched.timeline
        if node is None or timeline is None:
            return []
        attempt = attempt_at(node)
        opened = self.desk.opened.get(attempt.id) if attempt else None
        settings = str(agent_dir() / "settings.json")
        return node_detail(node, timeline, self.watched.sight(), opened, self.desk.whole, settings, width)

    def hints(self) -> Sequence[Piece]:
        """What the keys do where the cursor is."""
        compare = Piece("c with this one" if self.desk.marked else "c compare", "dim", command="compare-inputs")
        match self._chosen:
            case AttemptNode(is_unfolded=is_unfolded):
                fold = "z fold" if is_unfolded else "z unfold"
                return compare, Piece(fold, "middle", command="toggle-parts")
            case PartNode():
                return (
                    compare,
                    Piece("y copy", "dim", command="copy-part"),
                    Piece("Enter text", "middle", command="open-detail"),
                )
        return ()

    def grew(self) -> None:
        """An attempt may have come further."""
        super().grew()
        self._open_due()

    @property
    def _chosen(self) -> Node | None:
        return self.desk.find(self.listing.chosen)

    def chosen_attempt(self) -> Attempt | None:
        """The attempt that the chosen line belongs to."""
        return attempt_at(self._chosen)

    # Reading

    def _open_due(self) -> None:
        """Read what is unfolded and not read yet."""
        timeline, attempts = self.watched.timeline, self.watched.attempts
        if timeline is None or attempts is None:
            return
        for attempt in self.desk.to_open(self.watched):
            self._open(timeline.session, attempt, prepared_by(self.watched, attempt), list(attempts.items))

    @work(thread=True, group="evidence", exit_on_error=False)
    def _open(self, session: Session, attempt: Attempt, prepared: Prepared | None, others: Sequence[Attempt]) -> None:
        try:
            opened = open_attempt(session, attempt, prepared, folders_of(others))
        except Exception as error:  # noqa: BLE001 - the border of the thread: silence would look like reading for ever
            opened = OpenedAttempt(attempt, (), f"{type(error).__name__}: {error}")
        self.post_message(AttemptOpened(opened))

    def on_attempt_opened(self, message: AttemptOpened) -> None:
        """An attempt was read."""
        self.desk.take(message.opened)
        self.renew()

    def renew(self, *, anew: bool = False) -> None:
        """Tell everything again; the cursor goes to the attempt that was meant, once it is read to its answer."""
        super().renew(anew=anew)
        self._is_told = self._is_told or anew
        attempt, opened = self._goes_to, self.desk.opened.get(self._goes_to)
        if not attempt or not self._is_told:
            return
        parts = [part_key(attempt, FIRST_PART), ("words", attempt)] if opened else []
        if any(map(self.listing.choose, parts)):
            self._goes_to = ""
        else:
            self.listing.choose(("attempt", attempt))

    # What the person does

    def action_open_detail(self) -> None:
        """Unfold an attempt; the text of a part; from there the whole text."""
        match self._chosen:
            case AttemptNode() if not self.detail.has_focus:
                self.action_toggle_parts()
            case _:
                super().action_open_detail()

    def action_toggle_parts(self) -> None:
        """Fold or unfold the attempt that the line belongs to."""
        attempt = self.chosen_attempt()
        if attempt is None:
            return
        if self.desk.is_unfolded(attempt.id):
            self.desk.fold(attempt.id)
            self.listing.choose(("attempt", attempt.id))
        else:
            self.desk.unfold(attempt.id)
        self.renew()
        self._open_due()

    def action_compare_inputs(self) -> None:
        """Mark an attempt, or compare it with the one that is marked."""
        attempt = self.chosen_attempt()
        if attempt is None:
            self.notify("choose an attempt to compare its input", timeout=3, markup=False)
        elif not self.desk.marked:
            self.desk.marked = attempt.id
            self.notify("marked c; another c on a second attempt compares both inputs", timeout=4, markup=False)
        elif self.desk.marked == attempt.id:
            self.desk.marked = ""
        else:
            first, self.desk.marked = self.desk.marked, ""
            self._compare_with(first, attempt)
        self.renew()

    def _compare_with(self, first: str, second: Attempt) -> None:
        timeline = self.watched.timeline
        attempts = self.watched.attempts.items if self.watched.attempts else []
        one = next((attempt for attempt in attempts if attempt.id == first), None)
        if timeline is None or one is None:
            return
        self._compare(timeline.session, one, second)

    @work(thread=True, exclusive=True, group="comparing", exit_on_error=False)
    def _compare(self, session: Session, first: Attempt, second: Attempt) -> None:
        """Read both where that was not done, and compare them."""
        known = self.desk.opened
        try:
            folders = folders_of((first, second))
            opened = [known.get(one.id) or open_attempt(session, one, None, folders) for one in (first, second)]
            fault = next((one.fault for one in opened if one.fault), "")
            text = "" if fault else compared(*opened)
        except Exception as error:  # noqa: BLE001 - the border of the thread: nothing shown would look like no difference
            text, fault = "", f"{type(error).__name__}: {error}"
        self.post_message(InputsCompared(f"{title(first)} and {title(second)}", text, fault))

    def on_inputs_compared(self, message: InputsCompared) -> None:
        """Show the differences."""
        if message.fault:
            self.notify(f"no comparison: {plain_line(message.fault)}", severity="warning", markup=False)
            return
        name = message.title
        take = partial(self._take_compared, name)
        self.app.push_screen(WholeText(self.palette, name, message.text, take, role_of))

    def _take_compared(self, name: str, how: str, text: str) -> None:
        self._take(how, text, name)

    def parts(self) -> list[Part]:
        """What can be copied of what is chosen, without secrets."""
        parts: list[Part] = []
        match self._chosen:
            case PartNode(part=part):
                hidden = hidden_words(part.hidden)
                name = part_words(part)
                parts.append(Part("t", f"{name}, {hidden}" if hidden else name, part.text))
            case InputNode(words=words):
                parts.append(clean_part("t", "words", words))
        attempt = self.chosen_attempt()
        if attempt:
            parts.append(Part("a", "attempt", attempt.id))
        parts += child_parts(self._child)
        return [part for part in parts if part.text]

    def whole(self) -> Whole | None:
        """The whole text of a part, without secrets."""
        match self._chosen:
            case PartNode(part=part):
                return Whole(part_words(part), part.text)
            case WordsNode(words=words):
                return Whole("evidence", hide(words).text)
        return None

    def target(self) -> Path | None:
        """The child session's file."""
        child = self._child
        return Path(child.file) if child and child.file else None

    @property
    def _child(self) -> ChildSession | None:
        """The child of the attempt that the chosen line belongs to."""
        attempt = self.chosen_attempt()
        opened = self.desk.opened.get(attempt.id) if attempt else None
        return attempt.child or (opened.found if opened else None) if attempt else None
