import random

from pilotage.catalog.merge import fill_in, merge
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, Catalog, CatalogFault

LOADABLE, DECLARED, FAR = CapabilityState.LOADABLE, CapabilityState.DECLARED, CapabilityState.NOT_CONNECTED


def skill(name: str, description: str = "", **fields: str) -> Capability:
    """Give a skill."""
    return Capability(f"skill:{name}", CapabilityKind.SKILL, name, description, LOADABLE, **fields)


def mcp(name: str, state: CapabilityState = LOADABLE, description: str = "", **fields: object) -> Capability:
    """Give a server or one of its tools."""
    server = fields.pop("server", name.split("__")[1])
    return Capability(f"mcp:{name}", CapabilityKind.MCP, name, description, state, server=str(server), **fields)  # type: ignore[arg-type]


def tool(name: str) -> Capability:
    """Give a deferred tool."""
    return Capability(f"tool:{name}", CapabilityKind.TOOL, name, "", LOADABLE)


def test_the_nearer_says_the_state_and_the_disk_fills_in() -> None:
    """State and words come from the first catalog; what it leaves out comes from the second (spec D2)."""
    near = Catalog((mcp("mcp__t__a", DECLARED, "Near.", origin="host"), skill("s", "d")))
    disk = Catalog(
        (
            mcp("mcp__t__a", FAR, "Disk.", parameters={"type": "object"}, namespace="n", origin="mcp.json"),
            skill("s", "other", path="/s/SKILL.md", short="Short."),
        )
    )
    first, second = merge(near, disk).entries
    assert first == skill("s", "d", path="/s/SKILL.md", short="Short.")
    assert second == mcp("mcp__t__a", DECLARED, "Near.", parameters={"type": "object"}, namespace="n", origin="host")


def test_a_description_that_is_a_part_gives_way() -> None:
    """An empty description, the short one, and the beginning of the other one give way to the whole one."""
    whole = skill("s", "Reads tables.\nUse it before a passage.")
    for part in (skill("s"), skill("s", "Tides.", short="Tides."), skill("s", "Reads tables."), skill("s", "Reads t…")):
        assert merge(Catalog((part,)), Catalog((whole,))).entries[0].description == whole.description
    assert merge(Catalog((skill("s", "Mine."),)), Catalog((whole,))).entries[0].description == "Mine."
    assert merge(Catalog((skill("s", "Mine."),)), Catalog((skill("s"),))).entries[0].description == "Mine."


def test_a_servers_own_name_is_kept() -> None:
    """A name that was read out of a tool's, with `_` for `-`, gives way to the server's own."""
    near, disk = mcp("mcp__my_t__a", server="my_t"), mcp("mcp__my_t__a", server="my-t")
    assert merge(Catalog((near,)), Catalog((disk,))).entries[0].server == "my-t"


def test_order_does_not_depend_on_who_answered_first() -> None:
    """Skills keep the order of their source; servers stand before their tools, all by name."""
    skills = [skill("z"), skill("a")]
    others = [
        mcp("mcp__b"),
        mcp("mcp__b__one"),
        mcp("mcp__b__two"),
        mcp("mcp__b_2"),
        mcp("mcp__b_2__one"),
        mcp("mcp__lost__tool"),
        tool("x"),
        tool("y"),
    ]
    shuffled = others.copy()
    for seed in range(5):
        random.Random(seed).shuffle(shuffled)
        merged = merge(Catalog(tuple(skills)), *(Catalog((one,)) for one in shuffled))
        assert list(merged.entries) == skills + others


def test_names_that_differ_in_signs_stay_apart() -> None:
    """Two tools whose names differ in `-`, `_` or `.` only are both there (spec D5)."""
    names = {"read-file", "read_file", "read.file"}
    assert {entry.name for entry in merge(Catalog(tuple(map(tool, names)))).entries} == names


def test_faults_and_ages_are_joined() -> None:
    """Each fault is told once; of two ages the nearer catalog's counts."""
    fault, other = CatalogFault("a", "b"), CatalogFault("c", "d")
    merged = merge(Catalog((), (fault,), {"t": 1.0}), Catalog((), (fault, other), {"t": 2.0, "u": 3.0}))
    assert (merged.faults, merged.ages) == ((fault, other), {"t": 1.0, "u": 3.0})


def test_filling_in_adds_nothing() -> None:
    """Where the host is to be filled in, what only the disk knows stays out."""
    filled = fill_in(Catalog((skill("s"),)), Catalog((skill("s", "d"), skill("other", "e"))))
    assert filled.entries == (skill("s", "d"),)
