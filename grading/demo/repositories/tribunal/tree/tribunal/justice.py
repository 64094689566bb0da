"""The Chief Justice: rules in plain Python. The same opinions on the same evidence give the same ruling."""

from math import floor
from typing import Any

from tribunal.state import AgentState, Criterion, Evidence, JudicialOpinion, Ruling

WEIGHTS = {"Prosecutor": 1.0, "Defense": 1.0, "TechLead": 2.0}
SECURITY_CAP = 3
WIDE_SPREAD = 2


def spread(opinions: list[JudicialOpinion]) -> int:
    scores = [opinion.score for opinion in opinions]
    return max(scores) - min(scores)


def weighted_score(opinions: list[JudicialOpinion]) -> int:
    total = sum(WEIGHTS[opinion.judge] * opinion.score for opinion in opinions)
    return floor(total / sum(WEIGHTS[opinion.judge] for opinion in opinions) + 0.5)


def apply_fact_supremacy(opinions: list[JudicialOpinion], evidence: dict[str, Evidence]) -> list[JudicialOpinion]:
    """An opinion that praises what the evidence says is not there is overruled."""
    kept = []
    for opinion in opinions:
        cited = [evidence[key] for key in opinion.cited_evidence if key in evidence]
        if opinion.score >= 4 and (not cited or not any(piece.found for piece in cited)):
            continue
        kept.append(opinion)
    return kept or opinions


def re_evaluate(opinions: list[JudicialOpinion], evidence: dict[str, Evidence]) -> list[JudicialOpinion]:
    """A wide spread: read the cited evidence again and let those speak whose citations it bears out best."""

    def support(opinion: JudicialOpinion) -> float:
        cited = [evidence[key] for key in opinion.cited_evidence if key in evidence]
        return sum(piece.confidence for piece in cited if piece.found == (opinion.score >= 3))

    best = max(support(opinion) for opinion in opinions)
    return [opinion for opinion in opinions if support(opinion) == best]


def apply_security_override(score: int, evidence: dict[str, Evidence]) -> int:
    """Confirmed security evidence caps the score, whatever was argued."""
    if any(piece.is_security and piece.found for piece in evidence.values()):
        return min(score, SECURITY_CAP)
    return score


def explain_dissent(opinions: list[JudicialOpinion]) -> str:
    low = min(opinions, key=lambda opinion: opinion.score)
    high = max(opinions, key=lambda opinion: opinion.score)
    return (
        f"{low.judge} gave {low.score} on {', '.join(low.cited_evidence)}: {low.argument} "
        f"{high.judge} gave {high.score} on {', '.join(high.cited_evidence)}: {high.argument}"
    )


def decide(criterion: Criterion, opinions: list[JudicialOpinion], evidence: dict[str, Evidence]) -> Ruling:
    """Facts first, then disagreement, then weight, then caps; every rule that changed something is named."""
    rules, dissent = [], ""
    heard = apply_fact_supremacy(opinions, evidence)
    if len(heard) < len(opinions):
        rules.append("fact_supremacy")
    if spread(opinions) > WIDE_SPREAD:
        rules.append("variance_re_evaluation")
        heard = re_evaluate(heard, evidence)
        dissent = explain_dissent(opinions)
    leads = [opinion for opinion in heard if opinion.judge == "TechLead"]
    if criterion.is_architecture and leads:
        rules.append("functionality_weight")
        score = leads[0].score
    else:
        score = weighted_score(heard)
    capped = apply_security_override(score, evidence)
    if capped < score:
        rules.append("security_override")
    return Ruling(criterion_id=criterion.id, score=capped, rules=rules, dissent=dissent)


def chief_justice(state: AgentState) -> dict[str, Any]:
    evidence = {piece.id: piece for pieces in state["evidences"].values() for piece in pieces}
    rulings = []
    for criterion in state["criteria"]:
        opinions = [opinion for opinion in state["opinions"] if opinion.criterion_id == criterion.id]
        if len(opinions) >= 2:
            rulings.append(decide(criterion, opinions, evidence))
    return {"rulings": rulings}
