"""The verdict as Markdown."""

from pathlib import Path
from typing import Any

from tribunal.state import AgentState, Ruling

OUT = Path("verdict.md")


def insufficient_evidence(state: AgentState) -> dict[str, Any]:
    """No score is better than a score about nothing."""
    lines = ["# No verdict", "", "The repository could not be examined:", ""]
    return {"report": "\n".join([*lines, *(f"- {error}" for error in state.get("errors", []))])}


def render_markdown(rulings: list[Ruling], errors: list[str]) -> str:
    mean = sum(ruling.score for ruling in rulings) / len(rulings) if rulings else 0.0
    lines = ["# Verdict", "", f"Overall: {mean:.1f} of 5 on {len(rulings)} criteria", ""]
    for ruling in rulings:
        lines += [f"## {ruling.criterion_id}: {ruling.score}", ""]
        lines += [f"Rules: {', '.join(ruling.rules)}", ""] if ruling.rules else []
        lines += ["### Dissent", "", ruling.dissent, ""] if ruling.dissent else []
    lines += ["## What went wrong on the way", "", *(f"- {error}" for error in errors)] if errors else []
    return "\n".join(lines) + "\n"


def write_report(state: AgentState) -> dict[str, Any]:
    report = render_markdown(state["rulings"], state.get("errors", []))
    OUT.write_text(report, encoding="utf-8")
    return {"report": report}
