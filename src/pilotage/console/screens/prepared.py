"""The prepared pane: what was suggested to the agent, what was read and run for it, and what became of it (spec P9)."""

from collections.abc import Hashable, Sequence
from functools import partial
from pathlib import Path

from textual import work
from textual.worker import get_current_worker

from pilotage.calls.timeline import Timeline
from pilotage.console.attempt_lines import child_parts, child_path
from pilotage.console.panes import EMPTY_WORDS, Pane
from pilotage.console.parts import Part, Whole
from pilotage.console.pieces import Piece, PieceLine
from pilotage.console.preparations import Fated, Preparation, fate_of, part_key
from pilotage.console.prepared_desk import Chosen, PreparedDesk
from pilotage.console.prepared_lines import (
    action_detail,
    action_line,
    failure_line,
    preparation_detail,
    preparation_line,
    suggestion_detail,
    suggestion_line,
    target_of,
)
from pilotage.console.prepared_messages import FateKnown
from pilotage.console.screens.pane import PaneScreen
from pilotage.console.secrets_hidden import clean_part, hide
from pilotage.console.themes import Palette
from pilotage.console.watched import Watched
from pilotage.console.widgets.choices import Choice, told
from pilotage.paths import agent_dir
from pilotage.records.attempt import Action, Attempt, Suggestion


class PreparedScreen(PaneScreen):
    """Each preparation with its suggestions and actions, the newest on top."""

    pane = Pane.PREPARED

    def __init__(self, palette: Palette, watched: Watched) -> None:
        super().__init__(palette, watched)
        kept = watched.kept.get(self.pane)
        self.desk = kept if isinstance(kept, PreparedDesk) else PreparedDesk()
        """What is known of the preparations."""
        watched.kept[self.pane] = self.desk

    def on_unmount(self) -> None:
        """What is still being looked at is looked at again when the pane is shown once more."""
        self.desk.forget()

    @property
    def is_settled(self) -> bool:
        """Whether it is known what became of all of them."""
        return not self.desk.is_looking

    def choices(self) -> Sequence[Choice]:
        """Each preparation with what belongs to it, and air between them."""
        self.desk.look(self.watched)
        self._look_at_due()
        choices: list[Choice] = []
        for item in self.desk.items:
            choices += [told([])] if choices else []
            choices += self._lines_of(item)
        return choices

    def _lines_of(self, item: Preparation) -> list[Choice]:
        fated, sight = self.desk.fated(item), self.watched.sight()
        lines = [Choice(partial(preparation_line, item, fated, sight), ("preparation", item.id))]
        if item.attempt and item.attempt.outcome in ("failed", "skipped"):
            lines.append(Choice(partial(failure_line, item)))
        elif item.attempt and item.attempt.outcome == "ok" and not (item.prepared or self.desk.actions(item)):
            lines.append(told([Piece("       nothing was needed", "dim")]))
        for number, suggestion in enumerate(item.prepared.suggestions if item.prepared else ()):
            fate = fated.suggestions[number] if fated and number < len(fated.suggestions) else suggestion.state
            lines.append(Choice(partial(suggestion_line, suggestion, fate), part_key(item.id, "suggestion", number)))
        for number, action in enumerate(self.desk.actions(item)):
            done = fated.done[number] if fated and number < len(fated.done) else None
            lines.append(Choice(partial(action_line, action, done), part_key(item.id, "action", number)))
        return lines

    def _look_at_due(self) -> None:
        timeline = self.watched.timeline
        if timeline is not None and (due := self.desk.due(timeline)):
            self._look(timeline, due)

    @work(thread=True, group="fates", exit_on_error=False)
    def _look(self, timeline: Timeline, due: Sequence[tuple[Preparation, object]]) -> None:
        """Look what became of preparations, one after the other."""
        worker = get_current_worker()
        for item, stamp in due:
            if worker.is_cancelled:
                return
            try:
                fated = fate_of(timeline, item)
            except Exception as error:  # noqa: BLE001 - the border of the thread: the session may be read anew meanwhile
                fated = Fated(fault=f"{type(error).__name__}: {error}")
            self.post_message(FateKnown(item.id, stamp, fated))

    def on_fate_known(self, message: FateKnown) -> None:
        """It is known what became of one of them."""
        self.desk.take(message.preparation, message.stamp, message.fated)
        self.renew()

    def notice(self) -> Sequence[str]:
        """That there is none, and what makes some."""
        return EMPTY_WORDS[self.pane]

    def detail_of(self, key: Hashable, width: int) -> list[PieceLine]:
        """A preparation, a suggestion or an action in full."""
        chosen = self.desk.find(key)
        if chosen is None:
            return []
        fated, number = chosen.fated, chosen.number
        match chosen.part:
            case Suggestion() as suggestion:
                fate = fated.suggestions[number] if fated and number < len(fated.suggestions) else suggestion.state
                return list(suggestion_detail(suggestion, fate, width))
            case Action() as action:
                done = fated.done[number] if fated and number < len(fated.done) else None
                return list(action_detail(action, done, width))
        settings = str(agent_dir() / "settings.json")
        sight = self.watched.sight()
        return list(preparation_detail(chosen.preparation, fated, sight, self.desk.whole, settings, width))

    def hints(self) -> Sequence[Piece]:
        """What the keys do where the cursor is."""
        if self.chosen_attempt() is None:
            return ()
        return Piece("y copy", "dim", command="copy-part"), Piece("e evidence", "middle", command="show-evidence")

    @property
    def _chosen(self) -> Chosen | None:
        return self.desk.find(self.listing.chosen)

    def chosen_attempt(self) -> Attempt | None:
        """The preparation behind what is chosen."""
        chosen = self._chosen
        return chosen.preparation.attempt if chosen else None

    def parts(self) -> list[Part]:
        """What can be copied of what is chosen, without secrets."""
        chosen = self._chosen
        parts: list[Part] = []
        match chosen and chosen.part:
            case Suggestion() as suggestion:
                parts += [Part("i", "id", suggestion.id), clean_part("w", "why", suggestion.why)]
            case Action() as action:
                parts.append(clean_part("t", "path" if action.tool == "read" else "command", target_of(action)))
                whole = self.whole()
                if whole:
                    parts.append(Part("r", "result", whole.text))
        attempt = self.chosen_attempt()
        parts += child_parts(attempt.child if attempt else None)
        return [part for part in parts if part.text]

    def whole(self) -> Whole | None:
        """What an action brought, without secrets."""
        chosen = self._chosen
        if chosen is None or not isinstance(chosen.part, Action) or chosen.fated is None:
            return None
        done = chosen.fated.done
        text = done[chosen.number].text if chosen.number < len(done) else ""
        return Whole(f"{chosen.part.tool} {hide(target_of(chosen.part)).text}", text)

    def target(self) -> Path | None:
        """The child session's file."""
        return child_path(self.chosen_attempt())
