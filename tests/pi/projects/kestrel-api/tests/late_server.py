"""A server double with its own clock: some acknowledgements come late, as the real service's do."""

from heapq import heappop, heappush
from random import Random

from kestrel.part import Part

YELLOW, RED, PLAIN = "\033[33m", "\033[31m", "\033[0m"


class LateServer:
    """Stores parts and acknowledges them after a delay that the seed decides."""

    def __init__(self, seed: int, trace: bool = False) -> None:
        self.now = 0.0
        self.stored: list[int] = []
        self.late = 0
        self._random = Random(seed)
        self._trace = trace
        self._keys: set[str] = set()
        self._acks: list[tuple[float, int]] = []

    def send(self, part: Part, key: str) -> None:
        """Take one part; a key that is known already is dropped, and acknowledged again."""
        known = key in self._keys
        if not known:
            self._keys.add(key)
            self.stored.append(part.number)
        delay = self._delay()
        heappush(self._acks, (self.now + delay, part.number))
        self.late += delay > 0.25
        mark = f"{YELLOW}[late]{PLAIN}" if delay > 0.25 else "[soon]"
        fate = "dropped" if known else "stored"
        self._say(f"[send] part {part.number:>2} key {key[:6]} {fate}, ack {mark} +{delay:.3f}")

    def next_ack(self, wait: float) -> int | None:
        """The next acknowledgement within `wait` seconds of the double's own clock."""
        if self._acks and self._acks[0][0] <= self.now + wait:
            due, number = heappop(self._acks)
            self.now = max(self.now, due)
            self._say(f"[ack]  part {number:>2}")
            return number
        self.now += wait
        self._say(f"{RED}[none]{PLAIN} nothing within {wait:.2f}")
        return None

    def _delay(self) -> float:
        late = self._random.random() < 0.010
        return self._random.uniform(0.26, 0.7) if late else self._random.uniform(0.02, 0.12)

    def _say(self, text: str) -> None:
        if self._trace:
            print(f"[{self.now:7.3f}s] {text}")
