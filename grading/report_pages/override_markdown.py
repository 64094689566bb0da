"""Last section of a Markdown report: scores that people gave instead of the verdict."""

from grading.engine.released_verdict import ReleasedCriterion, ReleasedVerdict


def override_markdown(released: ReleasedVerdict | None) -> str:
    """Return a section of Markdown; "" where nobody gave a score."""
    given = [row for row in released.criteria if row.override_reason] if released else []
    if released is None or not given:
        return ""

    rows = map(_row, given)
    head = ["| Criterion | Verdict | Counts | Reason |", "| --- | --- | --- | --- |"]
    overall = f"With them, the overall score is {_score(released.overall_score)}."
    return "\n".join(["", "## Score overrides", "", *head, *rows, "", overall, ""])


def _row(row: ReleasedCriterion) -> str:
    scores = f"{_score(row.verdict_score)} | {_score(row.score)}"
    return f"| {_cell(row.name)} | {scores} | {_cell(row.override_reason or '')} |"


def _cell(text: str) -> str:
    """Return the text on one line, with Markdown and HTML escaped."""
    # A line end would end the row of the table, and a pipe the cell.
    line = " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")
    return line.replace("<", "&lt;")


def _score(score: float | None) -> str:
    return "no score" if score is None else f"{score:g} of 5"
