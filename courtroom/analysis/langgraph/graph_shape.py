"""What a graph's edges amount to: who starts several nodes at once, where several meet, what runs in a row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Edge = tuple[str, str]


def shape_of(
    edges: Iterable[Edge], routed: Mapping[str, Iterable[Iterable[str]]]
) -> dict[str, object]:
    """The fields of courtroom.models.facts.GraphShape.

    `routed`: for each node with a router, the sets of nodes it may start together. A node that can start two at
    once fans out; one that two plain edges reach is a join; a chain is a run of nodes with one way in and out.
    """
    after: dict[str, list[str]] = {}
    before: dict[str, list[str]] = {}
    for start, end in edges:
        after.setdefault(start, []).append(end)
        before.setdefault(end, []).append(start)
    together = {start: list(ends) for start, ends in after.items()}
    for start, outcomes in routed.items():
        widest = max((list(outcome) for outcome in outcomes), key=len, default=[])
        together[start] = list(dict.fromkeys([*together.get(start, []), *widest]))
    return {
        "fan_outs": {start: ends for start, ends in together.items() if len(ends) > 1},
        "joins": {
            end: starts for end, starts in before.items() if len(starts) > 1 and end != "END"
        },
        "chains": _chains(after, before, set(routed)),
    }


def _chains(
    after: Mapping[str, list[str]], before: Mapping[str, list[str]], routed: set[str]
) -> list[list[str]]:
    """Runs of at least three nodes, START and END included, in which nothing splits, joins or is routed."""
    follows = {
        start: ends[0]
        for start, ends in after.items()
        if len(ends) == 1 and start not in routed and len(before[ends[0]]) == 1
    }
    heads = [node for node in follows if node not in follows.values()]
    chains = []
    for head in heads:
        chain = [head]
        while chain[-1] in follows:
            chain.append(follows[chain[-1]])
        chains.append(chain)
    return [chain for chain in chains if len(chain) > 2]
