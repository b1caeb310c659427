"""The reminders pane: what reviews told, what became of it, and whether it was right (spec R3 to R9)."""

from collections.abc import Hashable, Sequence
from functools import partial
from pathlib import Path

from pilotage.console.attempt_lines import child_parts, child_path
from pilotage.console.commands import Where, bindings
from pilotage.console.messages import CommandGiven
from pilotage.console.panes import EMPTY_WORDS, Pane
from pilotage.console.parts import Part, Whole
from pilotage.console.pieces import Piece, PieceLine
from pilotage.console.reminder_lines import item_detail, item_line, item_text, longest_word, summary_line
from pilotage.console.review_desk import ReviewDesk
from pilotage.console.reviews import Failed, Going, Item, Reminded, is_going
from pilotage.console.screens.pane import PaneScreen
from pilotage.console.secrets_hidden import clean_part
from pilotage.console.themes import Palette
from pilotage.console.watched import Watched
from pilotage.console.widgets.choices import Choice, told
from pilotage.evidence.marks import marks_file
from pilotage.figures import age, counted
from pilotage.paths import agent_dir
from pilotage.plain import plain_line
from pilotage.records.attempt import Attempt


class RemindersScreen(PaneScreen):
    """Reminders and failed reviews, the newest on top, each with its source, its state and the calls since."""

    BINDINGS = bindings(Where.REMINDERS)
    pane = Pane.REMINDERS

    def __init__(self, palette: Palette, watched: Watched) -> None:
        super().__init__(palette, watched)
        kept = watched.kept.get(self.pane)
        self.desk = kept if isinstance(kept, ReviewDesk) else ReviewDesk()
        """What is known of the reviews."""
        watched.kept[self.pane] = self.desk

    def on_mount(self) -> None:
        """Read what was marked."""
        try:
            self.desk.read_marks()
        except OSError as error:
            self._complain(error)

    @property
    def is_settled(self) -> bool:
        """Whether no review that was asked for is under way."""
        return not self.watched.reviewing.is_going

    def choices(self) -> Sequence[Choice]:
        """How many reviews there were, and below it what they told."""
        self.desk.look(self.watched)
        reviews, sight = self.desk.reviews, self.watched.sight()
        if not reviews.items:
            return ()
        going, precisions = sum(is_going(item, sight) for item in reviews.items), self.desk.precisions()
        summary = Choice(lambda width: summary_line(reviews, going, precisions, width))
        longest = longest_word(reviews.items, sight)
        lines = (Choice(partial(self._line, item, longest), item.key) for item in reviews.items)
        return [summary, told([]), *lines]

    def _line(self, item: Item, longest: int, width: int) -> PieceLine:
        return item_line(item, self.desk.mark_of(item.key), self.watched.sight(), longest, width)

    def notice(self) -> Sequence[str]:
        """That there is no reminder; where reviews found nothing, that they did."""
        reviews = self.desk.reviews
        first, *others = EMPTY_WORDS[self.pane]
        if reviews.silent:
            return (
                f"No reminder: {counted(reviews.silent, 'review')} had nothing to say. That is no approval.",
                *others,
            )
        return (first, *others)

    def detail_of(self, key: Hashable, width: int) -> list[PieceLine]:
        """A reminder or a failed review in full."""
        item, timeline = self.desk.reviews.find(key), self.watched.timeline
        if item is None or timeline is None:
            return []
        return item_detail(
            item,
            timeline,
            self.watched.sight(),
            mark=self.desk.mark_of(item.key),
            whole=self.desk.whole,
            settings=str(agent_dir() / "settings.json"),
            width=width,
        )

    def hints(self) -> Sequence[Piece]:
        """What the keys do where the cursor is."""
        reviewing = self.watched.reviewing
        if reviewing.is_going:
            words = f"reviewing {age(reviewing.seconds)}"
            return Piece(words, "running"), Piece("Escape calls it off", "running", command="go-back")
        now = Piece("r review now", "dim", command="review-now")
        match self._chosen:
            case Reminded(attempt=attempt):
                evidence = Piece("e evidence" if attempt else "", "middle", command="show-evidence")
                mark = Piece("+ - right or wrong", "dim", command="mark-right")
                return now, mark, evidence
            case Failed() | Going():
                return now, Piece("e evidence", "middle", command="show-evidence")
        return (now,)

    @property
    def _chosen(self) -> Item | None:
        return self.desk.reviews.find(self.listing.chosen)

    def chosen_attempt(self) -> Attempt | None:
        """The review behind what is chosen."""
        match self._chosen:
            case Reminded(attempt=attempt) | Going(attempt=attempt):
                return attempt
            case Failed(attempts=attempts):
                return attempts[-1]
        return None

    # What the person does

    def action_mark_right(self) -> None:
        """Mark the reminder right, or take that back."""
        self._mark(is_right=True)

    def action_mark_wrong(self) -> None:
        """Mark the reminder wrong, or take that back."""
        self._mark(is_right=False)

    def _mark(self, *, is_right: bool) -> None:
        item = self._chosen
        if not isinstance(item, Reminded):
            self.notify("choose a reminder to mark", timeout=3, markup=False)
            return
        try:
            self.desk.toggle_mark(item.key, is_right=is_right)
        except OSError as error:
            self._complain(error)
        self.renew()

    def _complain(self, error: OSError) -> None:
        words = f"{plain_line(str(marks_file()))}: {error.strerror}; marks are kept there"
        self.notify(words, severity="error", markup=False)

    def action_go_back(self) -> None:
        """Call off the review that was asked for; out of the detail; out of the pane."""
        if not self.watched.reviewing.call_off():
            super().action_go_back()

    def show_whole(self) -> None:
        """From the detail on to the evidence."""
        if self.chosen_attempt() is None:
            super().show_whole()
        else:
            self.post_message(CommandGiven("show-evidence"))

    def parts(self) -> list[Part]:
        """What can be copied, without secrets."""
        item = self._chosen
        parts: list[Part] = []
        match item:
            case Reminded(pair=pair):
                parts += [clean_part("d", "deviation", pair.deviation), clean_part("s", "source", pair.source)]
            case Failed(attempts=attempts):
                parts.append(clean_part("w", "words", attempts[-1].words))
        attempt = self.chosen_attempt()
        parts += child_parts(attempt.child if attempt else None)
        return [part for part in parts if part.text]

    def whole(self) -> Whole | None:
        """All that is said of what is chosen."""
        item = self._chosen
        return Whole("reminder", item_text(item)) if item else None

    def target(self) -> Path | None:
        """The child session's file."""
        return child_path(self.chosen_attempt())
