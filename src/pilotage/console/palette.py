"""All commands in the palette, with their keys."""

from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from pilotage.console.commands import COMMANDS, Command, key_names


class RegistryProvider(Provider):
    """Offers every command that works on the screen in front."""

    async def discover(self) -> Hits:
        """All of them, as long as nothing is typed."""
        for command in self._commands():
            yield DiscoveryHit(self._label(command), partial(self._give, command), help=None)

    async def search(self, query: str) -> Hits:
        """Those that match what is typed."""
        matcher = self.matcher(query)
        for command in self._commands():
            label = self._label(command)
            score = matcher.match(label)
            if score > 0:
                yield Hit(score, matcher.highlight(label), partial(self._give, command))

    def _commands(self) -> list[Command]:
        """Those that have a key on the screen in front."""
        bound = {binding.id for bindings in self.screen._bindings.key_to_bindings.values() for binding in bindings}
        return [command for command in COMMANDS if command.id in bound]

    def _label(self, command: Command) -> str:
        keys = self.app._keymap.get(command.id, command.keys)
        return f"{command.words}   ({key_names(keys)})".replace("[", "\\[")

    async def _give(self, command: Command) -> None:
        await self.screen.run_action(command.action)
