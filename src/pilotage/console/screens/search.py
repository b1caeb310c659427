"""The search pane: everything that the agent could use, found while one types or by a model (spec U4)."""

import asyncio
import time
from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from textual import work
from textual.widget import Widget

from pilotage.console.agent_searches import AgentSearch
from pilotage.console.capability_lines import capability_detail, capability_line, schema_text, whole_text
from pilotage.console.commands import Where, bindings
from pilotage.console.loops import Errand
from pilotage.console.messages import PromptChanged, QueryEntered
from pilotage.console.panes import Pane
from pilotage.console.parts import Part, Whole
from pilotage.console.pieces import Piece, PieceLine
from pilotage.console.screens.pane import PaneScreen
from pilotage.console.search_desk import SearchDesk
from pilotage.console.search_lines import (
    fault_choices,
    fault_detail,
    search_choices,
    search_detail,
    search_key,
)
from pilotage.console.search_messages import CatalogRead, WishAnswered
from pilotage.console.taking import copy_text
from pilotage.console.themes import Palette
from pilotage.console.watched import Watched
from pilotage.console.widgets.choices import Choice, told
from pilotage.console.widgets.prompt import QueryLine
from pilotage.plain import plain_line
from pilotage.records.capability import Capability, Catalog, CatalogFault
from pilotage.search.answer import Answer, Suggestion
from pilotage.search.index import Index, build_index
from pilotage.search.lookup import ask_model, asked_catalog, by_words, found_catalog, said_catalog, servers_of, together
from pilotage.search.surroundings import Surroundings
from pilotage.sessions.read import Session

MOST_CHOSEN = 20
"""Capabilities that a model may choose."""


class SearchScreen(PaneScreen):
    """A line of input, what is found, the agent's own searches, and what the catalog lacks."""

    BINDINGS = bindings(Where.INPUT, Where.SEARCH)
    pane = Pane.SEARCH

    def __init__(self, palette: Palette, watched: Watched) -> None:
        super().__init__(palette, watched)
        kept = watched.kept.get(self.pane)
        self.desk = kept if isinstance(kept, SearchDesk) else SearchDesk()
        """What is known and asked; it is found again when the pane is opened once more."""
        watched.kept[self.pane] = self.desk
        self.desk.wish = ""
        self._servers = Errand[Catalog]()
        self._model = Errand[Answer]()
        self._items: dict[Hashable, tuple[Capability, Suggestion] | AgentSearch | CatalogFault] = {}
        self._seen: list[AgentSearch] = []

    def compose_top(self) -> Iterable[Widget]:
        """The line of input."""
        hint = "a wish, an exact name, or nothing for everything"
        yield QueryLine("query", hint, self.desk.query)

    def on_mount(self) -> None:
        """Begin to look."""
        self._look(run_commands=False, asks=not self.desk.is_complete)

    def on_unmount(self) -> None:
        """Call off what is under way."""
        self._servers.call_off()
        self._model.call_off()

    def take_keys(self) -> None:
        """To the line of input."""
        self.query_line.focus()

    @property
    def query_line(self) -> QueryLine:
        """The line of input."""
        return self.query_one(QueryLine)

    @property
    def is_settled(self) -> bool:
        """Whether all was looked at, and no model is being asked."""
        return self.desk.is_complete and not self.desk.wish

    # What there is

    def _look(self, *, run_commands: bool, asks: bool) -> None:
        """Look at session and disk, and ask the servers where that is wanted."""
        self._servers.call_off()
        self._servers = Errand[Catalog]()
        if asks:
            self.desk.is_complete, self.desk.since = False, self.watched.sight().now
        timeline = self.watched.timeline
        session = timeline.session if timeline else None
        before = None if asks else self.desk.told
        self._read(self._servers, session, self.watched.cwd, before, run_commands=run_commands)

    @work(thread=True, exclusive=True, group="catalog", exit_on_error=False)
    def _read(
        self, errand: Errand[Catalog], session: Session | None, cwd: Path, before: Catalog | None, *, run_commands: bool
    ) -> None:
        """The session first, then the disk, then the servers; `before` is what the last two told already."""
        try:
            surroundings = self.watched.surroundings(cwd)
            said = said_catalog(session) if session else Catalog(())

            def tell(found: Catalog, done: int, total: int) -> None:
                index = build_index(together(said, found))
                if not errand.is_called_off:
                    self.post_message(CatalogRead(index, surroundings, found, done, total))

            found = before if before is not None else found_catalog(surroundings)
            servers = len(servers_of(surroundings).servers) if before is None else 0
            tell(found, 0, servers)
            if servers and not errand.is_called_off:
                found = errand.run(asked_catalog(surroundings, run_commands=run_commands, tell=tell))
                tell(found, servers, servers)
        except asyncio.CancelledError:
            return
        except Exception as error:  # noqa: BLE001 - the border of the thread: silence would look like an empty catalog
            fault = CatalogFault("the catalog", f"{type(error).__name__}: {error}", "u looks again")
            catalog = Catalog((), (fault,))
            self.post_message(CatalogRead(build_index(catalog), Surroundings(cwd), catalog, 0, 0))

    def on_catalog_read(self, message: CatalogRead) -> None:
        """More is known; a cursor that nobody moved stays at the top."""
        is_first = self.desk.index is None or (self.listing.is_at_first and not self.detail.has_focus)
        self.desk.take_catalog(message.index, message.surroundings, message.found, message.done, message.total)
        self.renew(anew=is_first)

    def grew(self) -> None:
        """The agent may have searched; seconds pass."""
        searches = self.desk.searches(self.watched.timeline)
        if searches != self._seen:
            self._look(run_commands=False, asks=not self.desk.is_complete)
            self.renew()
        elif self.desk.wish or not self.desk.is_complete:
            self.renew()
        else:
            self.tell()

    # What is shown

    def choices(self) -> Sequence[Choice]:
        """What is found; below it the agent's searches, and what is not as it should be."""
        desk, now = self.desk, self.watched.sight().now
        width = max(20, self.listing.size.width - 2)
        lines = [told([Piece(" "), *line]) for line in desk.state_lines(now, width)]
        found = desk.found()
        lines += [Choice(partial(capability_line, entry, one), entry.id) for entry, one in found]
        self._seen = desk.searches(self.watched.timeline)
        searches = [] if desk.query.strip() else self._seen
        catalog = desk.index.catalog if desk.index else Catalog(())
        self._items = {entry.id: (entry, one) for entry, one in found}
        self._items |= {search_key(search): search for search in searches}
        self._items |= {fault: fault for fault in catalog.faults}
        return [*lines, *search_choices(searches), *fault_choices(catalog)]

    def detail_of(self, key: Hashable, width: int) -> list[PieceLine]:
        """A capability, a search or a fault in full."""
        match self._items.get(key):
            case (Capability() as entry, Suggestion() as found):
                old = self.desk.index.catalog.ages.get(entry.server or "") if self.desk.index else None
                return list(capability_detail(entry, found, old, width))
            case AgentSearch() as search:
                return list(search_detail(search, width))
            case CatalogFault() as fault:
                return list(fault_detail(fault, width))
        return []

    def hints(self) -> Sequence[Piece]:
        """What the keys do where the cursor is."""
        if self.desk.wish:
            return (Piece("Escape calls it off", "running", command="go-back"),)
        if not self.query_line.has_focus:
            return (
                Piece("/ type", "dim", command="edit-query"),
                Piece("a ask the model", "dim", command="ask-model"),
                Piece("y copy", "dim", command="copy-part"),
            )
        asks = bool(self._wish) and not self.desk.is_answered
        enter = Piece("Enter ask the model", "middle", command="ask-model")
        return (
            Piece("Ctrl+Y copy name", "dim", command="copy-name"),
            Piece("Tab list", "dim", command="switch-pane"),
            enter if asks else Piece("Enter detail", "middle", command="open-detail"),
        )

    @property
    def last_hint(self) -> Piece:
        """The palette while one types, as a question mark would only be typed."""
        typing = self.query_line.has_focus
        return Piece("Ctrl+P all", "dim", command="show-palette") if typing else super().last_hint

    def on_descendant_focus(self) -> None:
        """Other keys, other hints."""
        self.tell()

    # What the person does

    @property
    def _wish(self) -> str:
        return self.desk.query.strip().strip("*")

    def on_prompt_changed(self, message: PromptChanged) -> None:
        """Find while one types."""
        if message.purpose == self.query_line.purpose and message.value != self.desk.query:
            self.desk.query = message.value
            self.renew(anew=True)

    def on_query_entered(self, _: QueryEntered) -> None:
        """Ask the model; when it was asked, or there is nothing to ask, the detail."""
        if self._wish and not self.desk.is_answered and not self.desk.wish:
            self.action_ask_model()
        else:
            self.open_detail()

    def action_ask_model(self) -> None:
        """Ask the model for what stands in the line."""
        desk = self.desk
        if not self._wish or desk.index is None or desk.surroundings is None or desk.wish:
            return
        desk.wish, desk.wish_since = desk.query.strip(), self.watched.sight().now
        self._model = Errand[Answer]()
        self._ask(self._model, desk.index, desk.wish, desk.surroundings)
        self.renew()

    @work(thread=True, exclusive=True, group="model", exit_on_error=False)
    def _ask(self, errand: Errand[Answer], index: Index, wish: str, surroundings: Surroundings) -> None:
        started = time.monotonic()
        try:
            answer = errand.run(ask_model(index, wish, surroundings, MOST_CHOSEN))
        except asyncio.CancelledError:
            return
        except Exception as error:  # noqa: BLE001 - the border of the thread: silence would look like a slow model
            answer = replace(by_words(index, wish), routing_error=f"{type(error).__name__}: {error}")
        if not errand.is_called_off:
            self.post_message(WishAnswered(wish, answer, time.monotonic() - started))

    def on_wish_answered(self, message: WishAnswered) -> None:
        """There is an answer."""
        self.desk.take_answer(message.query, message.answer, message.seconds)
        self.renew(anew=True)

    def action_go_back(self) -> None:
        """Call off what is asked; out of the detail; out of the pane."""
        if self.desk.wish:
            self._model.call_off()
            self.desk.wish = ""
            self.renew()
        else:
            super().action_go_back()

    def action_switch_pane(self) -> None:
        """From the line to the list, on to the detail, and back to the line."""
        if self.query_line.has_focus:
            self.listing.focus()
        elif self.listing.has_focus and not self.has_class("-single"):
            self.open_detail()
        else:
            self.remove_class("-detail")
            self.query_line.focus()

    def action_edit_query(self) -> None:
        """To the line of input."""
        self.remove_class("-detail")
        self.query_line.focus()

    def action_ask_servers(self) -> None:
        """Look at everything anew, and ask all servers."""
        self._look(run_commands=False, asks=True)

    def action_run_commands(self) -> None:
        """The same, with commands for values run."""
        self._look(run_commands=True, asks=True)

    def action_copy_name(self) -> None:
        """Copy the exact name."""
        parts = self.parts()
        if parts:
            copy_text(self.app, parts[0].text, parts[0].name)

    def parts(self) -> list[Part]:
        """What can be copied of what is chosen, the exact name first."""
        match self._items.get(self.listing.chosen):
            case (Capability() as entry, _):
                schema = schema_text(entry.parameters) if entry.parameters is not None else ""
                parts = [
                    Part("n", "name", entry.name),
                    Part("i", "id", entry.id),
                    Part("p", "path", entry.path or ""),
                    Part("d", "description", entry.description),
                    Part("s", "schema", schema),
                ]
            case AgentSearch() as search:
                parts = [Part("q", "query", search.query), Part("l", "loaded", "\n".join(search.loaded))]
            case CatalogFault() as fault:
                parts = [Part("w", "where", fault.where), Part("t", "what", fault.what), Part("m", "mend", fault.mend)]
            case _:
                parts = []
        return [part for part in parts if part.text]

    def whole(self) -> Whole | None:
        """The whole text of what is chosen."""
        match self._items.get(self.listing.chosen):
            case (Capability() as entry, _):
                return Whole(plain_line(entry.name, 200), whole_text(entry))
            case AgentSearch() as search:
                return Whole("search", "\n".join([search.query, "", *search.loaded, search.failure]))
            case CatalogFault() as fault:
                return Whole("fault", f"{fault.where}\n{fault.what}\n{fault.mend}")
        return None

    def target(self) -> Path | None:
        """A skill's file, or the file in which a server is configured."""
        match self._items.get(self.listing.chosen):
            case (Capability(path=path, origin=origin), _):
                return Path(path or origin) if path or Path(origin).is_absolute() else None
        return None

    def action_list_down(self) -> None:
        """To the next row."""
        self.listing.action_cursor_down()

    def action_list_up(self) -> None:
        """To the row before."""
        self.listing.action_cursor_up()

    def action_list_page_down(self) -> None:
        """A window down."""
        self.listing.action_page_down()

    def action_list_page_up(self) -> None:
        """A window up."""
        self.listing.action_page_up()
