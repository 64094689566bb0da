"""Find the flow of an agent graph that a report writes as text, with arrows between names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from courtroom.analysis.langgraph.node_roles import role_by_name

# "DocAnalyst) → EvidenceAggregator"; the longer arrows are those of diagrams in a text language.
_STEP = re.compile(
    r"(?P<source>\w{2,60})\)? {0,3}(?:\u2192|->|\u27f6|\u279c) {0,3}(?=\(?(?P<target>\w{2,60}))"
)
# Fewer steps, or fewer names of agents in them, are no flow of a graph.
_FEWEST_STEPS, _FEWEST_AGENTS = 4, 3
_AGENTS = ("detective", "judge", "justice")


def flow_pages(pages: Sequence[str]) -> tuple[int, ...]:
    """Return the 1-based pages that write the flow of an agent graph with arrows."""
    return tuple(page for page, text in enumerate(pages, start=1) if _writes_flow(text))


def _writes_flow(text: str) -> bool:
    steps = [(match["source"], match["target"]) for match in _STEP.finditer(text)]
    names = {name.lower(): name for step in steps for name in step}
    agents = [n for low, n in names.items() if "aggregat" in low or role_by_name(n) in _AGENTS]
    return len(steps) >= _FEWEST_STEPS and len(agents) >= _FEWEST_AGENTS
