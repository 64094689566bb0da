"""Flows of an agent graph that a report writes with arrows."""

import pytest

from courtroom.analysis.diagrams.written_flows import flow_pages

CHAIN = "Flow: START → Builder → (RepoInvestigator || DocAnalyst) → EvidenceAggregator → END"
EDGES = "• Hub → Prosecutor (branch 1)\n- Hub → Defense\n- Hub → TechLead\n• TechLead → END"


@pytest.mark.parametrize(
    ("text", "is_flow"),
    [
        (CHAIN, True),
        (EDGES, True),
        (CHAIN.replace("→", "->"), True),
        (CHAIN.replace("→", "-->"), False),
        ("env setup → models → tools → wiring → judicial layer → Chief Justice → report", False),
        ("Detectives → Judges → Chief Justice", False),
    ],
)
def test_page_that_writes_a_flow_of_agents_with_arrows_is_named(text, is_flow):
    assert flow_pages(["Title", text]) == ((2,) if is_flow else ())
