"""What a report in Markdown says at its end: the scores that people gave in the place of its own."""

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]


def scores_by_hand(told: Json | None) -> str:
    """A section of Markdown; "" where nobody gave a score."""
    given = [row for row in told["criteria"] if row["override_reason"]] if told else []
    if told is None or not given:
        return ""
    rows = [
        f"| {_cell(row['name'])} | {_score(row['verdict_score'])} | {_score(row['score'])} | {_cell(row['override_reason'])} |"
        for row in given
    ]
    head = ["| Criterion | Verdict | Counts | Reason |", "| --- | --- | --- | --- |"]
    overall = f"With them, the overall score is {_score(told['overall_score'])}."
    return "\n".join(["", "## Scores by hand", "", *head, *rows, "", overall, ""])


def _cell(text: str) -> str:
    """On one line, and no markup of its own."""
    line = " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")
    return line.replace("<", "&lt;")


def _score(score: float | None) -> str:
    return "no score" if score is None else f"{score:g} of 5"
