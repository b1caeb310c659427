"""What a served session is to whoever asks a model for it: where notes go, and whom to ask (spec E2, M2)."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from pilotage.hosts.pi.channel import Channel, HostFailed
from pilotage.inference.question import Question, Reply, Sent
from pilotage.inference.resolve import resolve
from pilotage.inference.target import Target, target_from_host
from pilotage.records.attempt import DIAGNOSTIC_TYPE
from pilotage.records.configuration import Configuration
from pilotage.records.fields import as_dict, as_text
from pilotage.redaction import secret_values

Data = dict[str, object]


class Parent:
    """Pi's side of a session, reached through the extension."""

    def __init__(self, channel: Channel, agent: Path, environ: Mapping[str, str]) -> None:
        self._channel = channel
        self._agent = agent
        self._environ = environ
        self.secrets = secret_values(environ)
        """Values that leave this machine in no body."""

    async def append(self, custom_type: str, data: Data) -> str:
        """Write an entry outside the model's context; its id. Raises HostFailed."""
        said = await self._channel.ask("append", {"customType": custom_type, "data": data})
        return as_text(said.get("entry"))

    async def note(self, data: Data) -> None:
        """Write a diagnostic entry. Raises HostFailed."""
        await self.append(DIAGNOSTIC_TYPE, data)

    async def leaf(self) -> str | None:
        """The id of the session's last entry; none where Pi does not say."""
        try:
            return as_text((await self._channel.ask("leaf", {})).get("entry")) or None
        except HostFailed:
            return None

    async def target(self, configuration: Configuration) -> Target:
        """The configured model, with the key that Pi itself has for it.

        One that Pi does not know under that name, as the local llama.cpp server, is looked up in Pi's files. Raises
        RequestFailed.
        """
        named = {"provider": configuration.provider, "model": configuration.model}
        try:
            said = await self._channel.ask("auth", dict(named))
        except HostFailed:
            said = {}
        if as_dict(said.get("model")):
            return target_from_host({"provider": configuration.provider, **said})
        return await resolve(configuration, self._agent, self._environ)

    def asker(self, configuration: Configuration, level: str) -> Callable[[Question, float, Sent], Awaitable[Reply]]:
        """Asks the configured model at a thinking level, within so many seconds. Raises RequestFailed."""

        async def ask_configured(question: Question, seconds: float, sent: Sent) -> Reply:
            # The client is loaded when it is needed: most sessions ask nothing.
            from pilotage.inference.request import ask

            target = await self.target(configuration)
            return await ask(target, question, level=level, deadline=seconds, environ=self._environ, sent=sent)

        return ask_configured
