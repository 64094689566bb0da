"""The verdict: an average in which the tech lead counts twice."""

from pathlib import Path

from court.state import CourtState


def weight(judge: str) -> int:
    return 2 if judge == "TechLead" else 1


def chief_justice(state: CourtState) -> dict:
    lines = ["# Verdict", ""]
    for criterion in sorted({o.criterion_id for o in state["opinions"]}):
        heard = [o for o in state["opinions"] if o.criterion_id == criterion]
        total = sum(weight(o.judge) * o.score for o in heard)
        score = round(total / sum(weight(o.judge) for o in heard))
        lines.append(f"## {criterion}: {score}")
        scores = [o.score for o in heard]
        if max(scores) - min(scores) > 2:
            dissent = "; ".join(f"{o.judge} gave {o.score} because {o.argument}" for o in heard)
            lines.append(f"Dissent: {dissent}")
        remediation = min(heard, key=lambda o: o.score).argument
        lines.append(f"Remediation: {remediation}")
    verdict = "\n".join(lines)
    Path("verdict.md").write_text(verdict)
    return {"verdict": verdict}
