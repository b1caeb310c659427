"""A list of lines that costs the same with a hundred rows and with a million (Textual's line API).

A row is one line and never wraps, so growth needs no layout: a list that does not follow its end is not even
painted when rows are added below.
"""

from textual.cache import LRUCache
from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from pilotage.console.commands import Where, bindings
from pilotage.console.messages import CursorMoved, RowOpened
from pilotage.console.pieces import PieceLine, strip_of
from pilotage.console.themes import Palette

WHEEL = 3
"""Lines that one turn of the wheel moves."""


class LineList(ScrollView, can_focus=True):
    """Lines with a cursor; a subclass says what they are."""

    DEFAULT_CSS = """
    LineList { scrollbar-size: 0 0; overflow-x: hidden; overflow-y: scroll; }
    """
    BINDINGS = bindings(Where.LIST)
    has_cursor = True
    """Whether one line is the chosen one."""

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._palette = palette
        self._strips: LRUCache[tuple[int, int, bool], Strip] = LRUCache(1024)
        self._count = 0
        self._notice: list[PieceLine] = []
        self.cursor = 0
        """The number of the chosen line."""
        self.follows = False
        """Whether the cursor stays at the end while lines are added."""

    def line_at(self, number: int, width: int) -> PieceLine:
        """One line, at most `width` cells wide."""
        raise NotImplementedError

    def is_resting_place(self, number: int) -> bool:
        """Whether the cursor may stand on a line."""
        return 0 <= number < self._count

    @property
    def count(self) -> int:
        """How many lines there are."""
        return self._count

    def set_palette(self, palette: Palette) -> None:
        """Paint with other colours from now on."""
        self._palette = palette
        self._strips.clear()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the window."""
        width = self.size.width
        number = y + round(self.scroll_y)
        if number >= self._count:
            notice = self._notice if not self._count else []
            return strip_of(notice[y] if y < len(notice) else [], width, self._palette)
        chosen = self.has_cursor and number == self.cursor and self.is_resting_place(number)
        key = (number, width, chosen)
        strip = self._strips.get(key)
        if strip is None:
            line = self.line_at(number, width)
            strip = strip_of(line, width, self._palette, "cursor" if chosen else "ground")
            self._strips[key] = strip
        return strip

    def show(self, count: int, changed_from: int) -> None:
        """There are `count` lines now, and those from `changed_from` on are not what they were."""
        grown_only = changed_from >= self._count and count >= self._count
        first_hidden = round(self.scroll_y) + self.size.height
        self._count = count
        self.set_reactive(Widget.virtual_size, Size(max(1, self.size.width), count))
        if not grown_only:
            self._strips.clear()
        if self.follows or self.cursor >= count:
            self._go(count - 1)
        if not grown_only or changed_from < first_hidden:
            self.refresh()

    def set_notice(self, notice: list[PieceLine]) -> None:
        """What is shown while there is no line."""
        if notice != self._notice:
            self._notice = notice
            self.refresh()

    def cursor_moved(self) -> None:
        """Tell that the cursor stands on another row."""
        self.post_message(CursorMoved())

    def move_window(self, lines: int) -> None:
        """Move the window by so many lines, as its rows moved."""
        top = min(max(0, round(self.scroll_y) + lines), max(0, self.virtual_size.height))
        self.set_reactive(Widget.virtual_size, Size(max(1, self.size.width), top + self.size.height))
        self.scroll_to(y=top, animate=False, immediate=True)

    def forget(self, numbers: list[int]) -> None:
        """These lines changed in place."""
        top = round(self.scroll_y)
        for number in numbers:
            for chosen in (False, True):
                self._strips.discard((number, self.size.width, chosen))
            if top <= number < top + self.size.height:
                self.refresh_line(number)

    def on_resize(self) -> None:
        """Keep the chosen line in sight, whatever the new size."""
        self._strips.clear()
        self.set_reactive(Widget.virtual_size, Size(max(1, self.size.width), self._count))
        self._keep_in_sight()

    def action_cursor_down(self) -> None:
        """To the next line."""
        self._step(1)

    def action_cursor_up(self) -> None:
        """To the line before."""
        self._step(-1)

    def action_page_down(self) -> None:
        """A window down."""
        self._step(max(1, self.size.height - 1))

    def action_page_up(self) -> None:
        """A window up."""
        self._step(-max(1, self.size.height - 1))

    def action_go_first(self) -> None:
        """To the first line."""
        self.follows = False
        self._go(0)

    def action_go_last(self) -> None:
        """To the last line, and stay there."""
        self.follows = True
        self._go(self._count - 1)

    def go_to(self, number: int) -> None:
        """To a line; the end is followed no longer."""
        self.follows = False
        self._go(number)

    def on_click(self, event: Click) -> None:
        """A click chooses a line; a second one opens it."""
        offset = event.get_content_offset(self)
        if offset is None or not self.has_cursor:
            return
        number = offset.y + round(self.scroll_y)
        if not self.is_resting_place(number):
            return
        again = number == self.cursor
        self.follows = False
        self._go(number)
        if again:
            self.post_message(RowOpened())

    def _on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self._wheel(WHEEL)

    def _on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self._wheel(-WHEEL)

    def _wheel(self, lines: int) -> None:
        """Move the window; a cursor that leaves it comes along."""
        top = min(max(0, round(self.scroll_y) + lines), max(0, self._count - self.size.height))
        if lines < 0:
            self.follows = False
        self.scroll_to(y=top, animate=False, immediate=True)
        if self.has_cursor:
            inside = min(max(self.cursor, top), top + self.size.height - 1)
            self._go(inside)

    def _step(self, lines: int) -> None:
        if not self.has_cursor:
            self._wheel(lines)
            return
        if lines < 0:
            self.follows = False
        self._go(self.cursor + lines, 1 if lines > 0 else -1)

    def _go(self, number: int, direction: int = -1) -> None:
        """Put the cursor on a line, or on the nearest one where it may stand."""
        number = min(max(0, number), max(0, self._count - 1))
        if not self.has_cursor:
            self.scroll_to(y=number, animate=False, immediate=True)
            return
        number = self._resting_place(number, direction)
        before, self.cursor = self.cursor, number
        if before != number:
            self.refresh_line(before)
            self.refresh_line(number)
            self.cursor_moved()
        self._keep_in_sight()

    def _resting_place(self, number: int, direction: int) -> int:
        for step in (direction, -direction):
            at = number
            while 0 <= at < self._count:
                if self.is_resting_place(at):
                    return at
                at += step
        return number

    def _keep_in_sight(self) -> None:
        top, height = round(self.scroll_y), max(1, self.size.height)
        if self.follows:
            target = max(0, self._count - height)
        elif not self.has_cursor:
            target = min(top, max(0, self._count - height))
        elif self.cursor < top:
            target = self.cursor
        elif self.cursor >= top + height:
            target = self.cursor - height + 1
        else:
            target = min(top, max(0, self._count - height))
        if target != top:
            self.scroll_to(y=target, animate=False, immediate=True)
