"""Weight of the evidence: pieces for and against a criterion, and the scores they support.

Only outcomes, tags and confidence are read here, never the words of an argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import mean
from typing import Any, Protocol

from courtroom.models.evidence import SCREENED_TAG, CheckOutcome, Evidence
from courtroom.models.judge_answer import JudicialOpinion, Persona
from courtroom.models.rubric import Criterion
from courtroom.synthesis.advice.work import Work
from courtroom.synthesis.guard_variables import Variables, fact_variables
from courtroom.synthesis.opinions import Opinions
from courtroom.synthesis.score_arithmetic import exact

# Scores from here on claim that the criterion is met, or is not.
HIGH, LOW = 4, 2
SECURITY_TAG = "security"


class StatedFacts(Protocol):
    """Facts of a dossier or of a stored report; `unknown` says why a fact is null."""

    @property
    def unknown(self) -> Mapping[str, str]: ...

    def model_dump(self, *, mode: str, by_alias: bool) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Dossier:
    """Evidence by id and outcomes by check, with the ids that count only for or only against."""

    evidence: Mapping[str, Evidence]
    outcomes: Mapping[str, CheckOutcome]
    only_for: frozenset[str]
    only_against: frozenset[str]
    facts: StatedFacts

    @cached_property
    def work(self) -> Work:
        """Names and places of the work, for advice."""
        facts = self.facts.model_dump(mode="json", by_alias=True)
        return Work(facts, self.evidence, self.outcomes)

    @cached_property
    def fact_variables(self) -> Variables:
        """Facts under the names that guards use."""
        return fact_variables(self.facts.model_dump(mode="json", by_alias=True))

    def evidence_items(
        self, criterion: Criterion, opinions: Iterable[JudicialOpinion]
    ) -> tuple[Evidence, ...]:
        """Return the criterion's evidence: that of its checks in their order, then other citations."""
        # Checks in rubric order, then sorted ids: the order must not depend on the judges.
        own = [i for check in criterion.checks for i in self.evidence_of(check.id)]
        cited = sorted(i for opinion in opinions for i in opinion.cited_evidence)
        return tuple(self.evidence[i] for i in dict.fromkeys([*own, *cited]) if i in self.evidence)

    def evidence_of(self, check: str) -> tuple[str, ...]:
        outcome = self.outcomes.get(check)
        return outcome.evidence if outcome else ()


def dossier_of(
    evidence: Iterable[Evidence], outcomes: Iterable[CheckOutcome], facts: StatedFacts
) -> Dossier:
    """Return the dossier. Evidence of a met check counts for, of an unmet one against."""
    by_check = {outcome.check: outcome for outcome in outcomes}
    supporting = {
        i for outcome in by_check.values() if outcome.met is True for i in outcome.evidence
    }
    opposing = {
        i for outcome in by_check.values() if outcome.speaks_against for i in outcome.evidence
    }
    return Dossier(
        # Flags of a screening are for a person: no rule reads them.
        evidence={piece.id: piece for piece in evidence if SCREENED_TAG not in piece.tags},
        outcomes=by_check,
        only_for=frozenset(supporting - opposing),
        only_against=frozenset(opposing - supporting),
        facts=facts,
    )


def contradiction_of(opinion: JudicialOpinion, dossier: Dossier) -> str:
    """Return why the citations do not support the score, as a phrase; "" when they do.

    An opinion is unsupported if it cites no evidence of the report, if it gives 4 or 5 and every
    citation belongs to unmet checks, or if it gives 1 or 2 and every one belongs to met checks.
    """
    cited = {i for i in opinion.cited_evidence if i in dossier.evidence}
    lack = lack_of_support(opinion, dossier)
    if lack and (opinion.score >= HIGH or not cited):
        return lack
    if cited and opinion.score <= LOW and cited <= dossier.only_for:
        return f"cites only what speaks for a higher score ({', '.join(sorted(cited))})"
    return ""


def lack_of_support(opinion: JudicialOpinion, dossier: Dossier) -> str:
    """Return why nothing that the opinion cites speaks for a score, as a phrase; "" if some does."""
    # A citation of removed evidence supports nothing.
    cited = {i for i in opinion.cited_evidence if i in dossier.evidence}
    if not cited:
        return "cites no evidence"
    if cited <= dossier.only_against:
        return f"cites only what speaks against it ({', '.join(sorted(cited))})"
    return ""


def upheld_scores(opinions: Opinions, unsupported: Iterable[Persona]) -> dict[Persona, int]:
    """Return the scores, unsupported ones moved to the nearest supported score; {} without any."""
    moved = set(unsupported)
    supported = [opinion.score for judge, opinion in opinions.items() if judge not in moved]
    # Without any supported opinion there is nothing to move to: a person decides.
    if not supported:
        return {}
    return {
        judge: _moved(
            opinion.score,
            min(supported),
            max(supported),
            has_citations=bool(opinion.cited_evidence),
        )
        if judge in moved
        else opinion.score
        for judge, opinion in opinions.items()
    }


def _moved(score: int, lowest: int, highest: int, *, has_citations: bool) -> int:
    """Move a score: a high one only falls, a low one only rises, one without citations does either."""
    if not has_citations:
        return min(max(score, lowest), highest)
    return min(score, highest) if score >= HIGH else max(score, lowest)


def security_flaws(
    items: Iterable[Evidence], dossier: Dossier, min_confidence: float
) -> tuple[Evidence, ...]:
    """Return evidence of flaws: found, tagged, certain enough, and not the basis of a met check."""
    return tuple(
        piece
        for piece in items
        if piece.found
        and SECURITY_TAG in piece.tags
        and piece.confidence >= min_confidence
        and piece.id not in dossier.only_for
    )


def mean_confidence(items: Iterable[Evidence]) -> Fraction | None:
    """Return 0..1 as an exact fraction, so that the order of the evidence cannot change it."""
    confidences = [exact(piece.confidence) for piece in items]
    return mean(confidences) if confidences else None
