"""Parts that a README calls still to come, and that the code has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from courtroom.analysis.project.stale_readme import stale_lines

GRAPH = {
    "nodes": ["detective", "prosecutor", "chief_justice"],
    "edges": [["detective", "prosecutor"], ["prosecutor", "chief_justice"]],
    "edge_paths": ["src/graph.py", "src/graph.py"],
    "edge_lines": [7, 8],
    "conditional": [],
}
FACTS = {"graph": GRAPH, "structured_output_calls": [{"by_judge": True}]}
PATHS = ("README.md", "src/judges.py")
LEADS = "and the graph leads there (src/graph.py:{})"
RESERVED = "Judges and Chief Justice are reserved for the final submission."


def sentences(readme: str, facts: Mapping[str, Any]) -> list[str]:
    faults = list(stale_lines("README.md", readme, facts, PATHS))
    assert {fault.kind for fault in faults} <= {"stale_readme"}
    return [fault.sentence for fault in faults]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "- **Chief Justice**: planned",
            f"the README says of the Chief Justice “Chief Justice: planned”, {LEADS.format(8)}",
        ),
        (
            RESERVED,
            f"the README says of the judges “{RESERVED}”, {LEADS.format(7)}",
        ),
        (
            "`a.py` - Placeholder judge nodes",
            "the README says of the judges “a.py - Placeholder judge nodes”, and they ask a model",
        ),
        ("Judges are planned if there is time.", ""),
        ("The judges weigh what is planned.", ""),
        ("A planned report: judges read it.", ""),
    ],
)
def test_part_that_is_there_is_not_still_to_come(line: str, sentence: str):
    assert sentences(f"# Court\n\n{line}\n{line}\n", FACTS) == ([sentence] if sentence else [])
    assert sentences(line, {"graph": None, "structured_output_calls": [{"by_judge": False}]}) == []


def test_files_under_a_heading_of_what_comes_are_there():
    readme = "## What is coming\n\n- `src/judges.py` - three\n- `src/justice.py`\n\n## Use\n- src/judges.py"
    sentence = "the README calls src/judges.py still to come, and the repository has it"
    assert sentences(readme, FACTS) == [sentence]
    assert sentences(readme.replace("coming", "there"), FACTS) == []
