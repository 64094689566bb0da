"""Rules of the verdict."""

from pathlib import Path

from src.schema import AgentState


def chief_justice(state: AgentState) -> dict:
    evidence = {piece.key: piece for pieces in state["evidences"].values() for piece in pieces}
    opinions = state["opinions"]
    scores = {opinion.judge: opinion.score for opinion in opinions}
    # Facts before opinions: praise that cites only what was not found does not count.
    for opinion in opinions:
        cited = [evidence[key] for key in opinion.cited_evidence if key in evidence]
        if opinion.score > 3 and cited and not any(piece.found for piece in cited):
            scores[opinion.judge] = 3
    score = (scores.get("Prosecutor", 3) + scores.get("Defense", 3) + 2 * scores.get("TechLead", 3)) / 4
    lines = ["# Audit report", "", f"**Score: {score:.2f}**", ""]
    if max(scores.values()) - min(scores.values()) > 2:
        lines += ["## Dissent", "", *(f"{o.judge} ({o.score}): {o.argument}" for o in opinions)]
    report = "\n".join(lines)
    Path("audit_report.md").write_text(report, encoding="utf-8")
    return {"report": report}


def degraded_report(state: AgentState) -> dict:
    return {"report": "# Audit report\n\nNot enough evidence:\n\n" + "\n".join(f"- {error}" for error in state["errors"])}
