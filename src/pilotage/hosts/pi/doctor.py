"""What works between Pi and Pilotage and what does not, one finding after the other (spec H1)."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from pilotage.hosts.pi.configuration import FaultyConfiguration, passed_over, read_configuration
from pilotage.hosts.pi.dry_run import CHECK as DRY_RUN
from pilotage.hosts.pi.dry_run import try_contract
from pilotage.hosts.pi.finding import Finding, Verdict, note, ok, wrong
from pilotage.hosts.pi.install import ENTRY, Installed, State, extension_folder, inspect
from pilotage.hosts.pi.mcp_servers import examine_servers
from pilotage.hosts.pi.model_server import examine_server
from pilotage.hosts.pi.others import examine_others
from pilotage.hosts.pi.process import examine_process
from pilotage.hosts.pi.program import examine_program, find_pi
from pilotage.hosts.pi.terminal import examine_terminal
from pilotage.hosts.pi.trust import Trust, find_trust
from pilotage.jsonfiles import FaultyFile, load_object
from pilotage.prepare.confine import confinement

_INSTALL = "pilotage install pi"


def examine(cwd: Path, agent: Path, *, dry_run: bool = False) -> Iterator[Finding]:
    """Look at everything; `agent` is Pi's own folder. With `dry_run` Pi is started, once."""
    program = examine_program()
    yield from program
    trust, found = _examine_trust(cwd, agent)
    yield found
    counts = trust is Trust.TRUSTED
    user, project = _settings(agent), _settings(cwd / ".pi")
    yield from _faults(user, project if counts else {})
    bases = {agent: _given(user), **({cwd / ".pi": _given(project)} if counts else {})}
    yield from _examine_extension(bases, cwd, trust)
    yield from examine_others(bases)
    yield from _examine_configuration(agent, _given(user), _given(project) if counts else {})
    yield from examine_servers(list(bases), cwd)
    yield from examine_terminal()
    if dry_run:
        path = find_pi()
        is_able = path is not None and all(finding.verdict is Verdict.OK for finding in program)
        yield try_contract(path, cwd, agent) if path and is_able else note(DRY_RUN, "not tried: Pi cannot be run")


def _settings(base: Path) -> dict[str, object] | FaultyFile:
    try:
        return load_object(base / "settings.json")
    except FaultyFile as fault:
        return fault


def _given(settings: dict[str, object] | FaultyFile) -> dict[str, object]:
    return {} if isinstance(settings, FaultyFile) else settings


def _faults(*files: dict[str, object] | FaultyFile) -> Iterator[Finding]:
    for settings in files:
        if isinstance(settings, FaultyFile):
            yield wrong("settings", str(settings), "mend the file: Pi leaves all of it out")


def _examine_trust(cwd: Path, agent: Path) -> tuple[Trust, Finding]:
    check = "trust"
    try:
        trust = find_trust(cwd, agent)
    except FaultyFile as fault:
        return Trust.ASKED, wrong(check, str(fault), "mend the file: Pi cannot tell whom it trusts")
    mend = "run `pi` here and answer that you trust it, or `pi --approve` for one run"
    return trust, {
        Trust.NOTHING: ok(check, f"nothing in {cwd} would need trust"),
        Trust.TRUSTED: ok(check, f"Pi trusts {cwd}"),
        Trust.REFUSED: note(check, f"Pi does not trust {cwd}; what lies in its .pi does not count", mend),
        Trust.ASKED: note(check, f"Pi asks whether to trust {cwd}; until then its .pi does not count", mend),
    }[trust]


def _examine_extension(bases: Mapping[Path, Mapping[str, object]], cwd: Path, trust: Trust) -> Iterator[Finding]:
    check = "extension"
    found = {base: inspect(extension_folder(base)) for base in bases}
    there = {base: one for base, one in found.items() if one.state is not State.ABSENT}
    for base, one in there.items():
        off = _switched_off(base, bases[base])
        if off:
            yield wrong(
                check, f"{one.folder} is switched off by {off!r} in {base / 'settings.json'}", "remove that entry"
            )
        else:
            yield _told(check, one, f"{_INSTALL} --project" if base == cwd / ".pi" else _INSTALL)
            if one.state is State.CURRENT:
                yield examine_process(one.folder)
    if not there:
        untrusted = inspect(extension_folder(cwd / ".pi"))
        if trust is not Trust.TRUSTED and untrusted.state is not State.ABSENT:
            yield wrong(check, f"{untrusted.folder} is there, but Pi does not trust the project", "see trust above")
        else:
            yield wrong(check, "not installed: calls need no intent", _INSTALL)


def _told(check: str, one: Installed, command: str) -> Finding:
    names = ", ".join(one.names)
    match one.state:
        case State.CURRENT:
            return ok(check, f"{one.folder}, of Pilotage {one.version}; `pilotage doctor --dry-run` tries it out")
        case State.OUTDATED:
            return wrong(check, f"{one.folder} is of Pilotage {one.version} and not what this one installs", command)
        case State.BROKEN:
            return wrong(check, f"{one.folder} lacks {names}", command)
        case State.CHANGED:
            return wrong(check, f"{one.folder}: {names} changed", f"save what is yours, remove it, then {command}")
        case _:
            return wrong(check, f"{one.folder} was not put there by pilotage", f"move it away, then {command}")


def _switched_off(base: Path, settings: Mapping[str, object]) -> str:
    """The entry of `extensions` that keeps Pi from loading what lies in its folder, if there is one."""
    named = settings.get("extensions")
    entries = [text for text in named if isinstance(text, str)] if isinstance(named, list) else []
    file = extension_folder(base) / ENTRY
    exact = {file.relative_to(base).as_posix(), file.as_posix()}
    for text in entries:
        if text.startswith("-") and text[1:].removeprefix("./") in exact:
            return text
    if any(text.startswith("+") and text[1:].removeprefix("./") in exact for text in entries):
        return ""
    matching = (text for text in entries if text.startswith("!"))
    return next((text for text in matching if any(fnmatchcase(name, text[1:]) for name in {*exact, file.name})), "")


def _examine_commands() -> Finding:
    """Whether commands of a preparation are confined; either way, what that does not mean (spec P5)."""
    check, found = "commands", confinement()
    limits = "Pilotage runs them itself, so that guards of other extensions do not see them"
    if found.works:
        return ok(check, f"{found.words}; {limits}")
    mend = "install bubblewrap, or set confined-only in Pilotage's settings.toml so that none is run"
    return note(check, f"{found.words}; they are asked to be read-only, and nothing guarantees it; {limits}", mend)


def _examine_configuration(agent: Path, user: Mapping[str, object], project: Mapping[str, object]) -> Iterator[Finding]:
    check = "configuration"
    try:
        configuration = read_configuration(user, project)
    except FaultyConfiguration as faults:
        yield wrong(
            check, f"the whole block is void: {faults}", f"mend capabilityDiscovery in {agent / 'settings.json'}"
        )
        return
    features = {
        "capability prediction": configuration.capability_prediction,
        "action prediction": configuration.action_prediction,
        "reviews": configuration.trajectory_warnings,
    }
    on = [name for name, is_on in features.items() if is_on]
    yield ok(check, f"on: {', '.join(on) or 'nothing'}; model {configuration.provider}/{configuration.model}")
    if configuration.action_prediction and configuration.max_suggested_actions:
        yield _examine_commands()
    ignored = passed_over(project)
    if ignored:
        yield note(
            check, f"the project's {' and '.join(ignored)} is passed over: only you choose who reads the trajectory"
        )
    try:
        yield examine_server(configuration, agent)
    except FaultyFile as fault:
        yield wrong("model server", str(fault), "mend the file: Pi cannot read it either")
