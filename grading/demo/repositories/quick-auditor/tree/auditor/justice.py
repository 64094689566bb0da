from auditor.state import AuditState


def chief_justice(state: AuditState) -> dict:
    opinions = state["opinions"]
    weights = {"TechLead": 2}
    total = sum(weights.get(o.judge, 1) * o.score for o in opinions)
    score = total / sum(weights.get(o.judge, 1) for o in opinions)
    report = f"# Audit\n\nScore: {score:.1f}\n\n"
    report += "\n".join(f"- {o.judge}: {o.score} ({o.argument})" for o in opinions)
    with open("audit.md", "w") as out:
        out.write(report)
    return {"report": report}
