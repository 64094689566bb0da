"""Facts of the stub run: the project's graph, rebuilt with empty nodes, as LangGraph runs it."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from courtroom.models.fact_model import FactModel, Place


class RouteChoice(FactModel):
    """Nodes that a router starts together. JSON keys are `from` and `to`."""

    from_: str = Field(alias="from")
    to: tuple[str, ...]

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class RouteRun(FactModel):
    """One run: the first choice of each router that has one, and the nodes of each step, step 1
    first.

    `has_end` is false where it ran until the recursion limit; its steps are then the first ones.
    """

    choices: tuple[RouteChoice, ...]
    steps: tuple[tuple[str, ...], ...]
    has_end: bool


class KeyFault(FactModel):
    """Key of the state that nodes break; `places` are the lines where they write it.

    `is_unchanged`: all of them return under it what they got. `is_rebuilt`: all of them return the
    entries that they got, made anew. `adds_nothing`: none of them writes anything new under any
    key. `is_in_place`: some of them add to the list itself that they got. `also` are keys that they
    return in the same way, where a fresh run holds nothing yet. `is_alone`: seen from the nodes
    alone, as the graph did not run.
    """

    key: str
    nodes: tuple[str, ...]
    places: tuple[Place, ...]
    is_unchanged: bool = False
    is_rebuilt: bool = Field(False, exclude_if=lambda is_rebuilt: not is_rebuilt)
    adds_nothing: bool = Field(False, exclude_if=lambda adds_nothing: not adds_nothing)
    is_in_place: bool = Field(False, exclude_if=lambda is_in_place: not is_in_place)
    also: tuple[str, ...] = Field((), exclude_if=lambda keys: not keys)
    is_alone: bool = Field(False, exclude_if=lambda is_alone: not is_alone)


class GuardedKey(FactModel):
    """Key of the state that nodes look at before they add to it: a second run may add nothing."""

    key: str
    nodes: tuple[str, ...]


class RepeatedNode(FactModel):
    """Node that runs several times because branches of different lengths lead to it and no join
    waits.

    `lengths` are the steps of the branches from `fork`, their last node in common; `steps` those in
    which it runs; `starters` the nodes before it on each branch. `choices` must be made for it:
    none where it holds on every route on which the node runs. `followers` run again after it, those
    in `routed` where the routers after the nodes `routers` decide the same each time.
    `places` are the lines of the edges that lead to it. `added` are the keys under operator.add to
    which it and its followers add what they return, in each run again, `guarded` those at which
    some of them look before that.
    """

    node: str
    fork: str
    lengths: tuple[int, ...]
    steps: tuple[int, ...]
    starters: tuple[tuple[str, ...], ...]
    followers: tuple[str, ...]
    routed: tuple[str, ...] = ()
    routers: tuple[str, ...] = ()
    choices: tuple[RouteChoice, ...]
    places: tuple[Place, ...]
    added: tuple[KeyFault, ...] = ()
    guarded: tuple[GuardedKey, ...] = Field((), exclude_if=lambda rows: not rows)


class IdleNode(FactModel):
    """Node that runs on no route; `place` is that of its add_node."""

    node: str
    place: Place | None


class EndlessLoop(FactModel):
    """Nodes that run until the recursion limit, as no route leaves them.

    Those after the nodes `routers` decide the same in each round: no node of the loop changes what
    they test, the `keys`.
    """

    nodes: tuple[str, ...]
    places: tuple[Place, ...]
    routers: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


class StubRuns(FactModel):
    """Runs of one graph along every combination of its routes.

    `combinations`: the number that was run; not `is_complete` past a bound. `steps` holds for each
    node the steps in which it runs on some route. `runs` may leave out the last ones. `refused` has
    LangGraph's reasons not to compile the graph; nothing is run then. A null has its reason in
    `unknown`, under its name. `conflicts`: nodes of one step write a key that takes one write in a
    step, so that LangGraph stops with InvalidUpdateError. `doubled`: nodes return what they got
    through operator.add, which adds it once more.
    """

    combinations: int = Field(ge=0)
    is_complete: bool
    steps: dict[str, tuple[int, ...]]
    runs: tuple[RouteRun, ...]
    refused: tuple[str, ...]
    repeated: tuple[RepeatedNode, ...] | None
    idle: tuple[IdleNode, ...] | None
    endless: tuple[EndlessLoop, ...] | None
    conflicts: tuple[KeyFault, ...] | None
    doubled: tuple[KeyFault, ...] | None
    unknown: dict[str, str] = Field(default_factory=dict)


class InnerRuns(StubRuns):
    """Runs of a graph inside a node; `at` is the path to that node from the main graph."""

    at: tuple[str, ...] = Field(min_length=1)


class GraphRunFact(StubRuns):
    """Runs of the main graph, and of those inside its nodes."""

    inner: tuple[InnerRuns, ...] = ()
