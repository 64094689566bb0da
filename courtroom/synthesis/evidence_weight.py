"""What the evidence says: which piece speaks for or against a criterion, and what an opinion may claim on it.

Only outcomes, tags and confidence are read here; no word of an argument is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import mean
from typing import Any, Protocol

from courtroom.models.record import CheckOutcome, Evidence, JudicialOpinion, Persona
from courtroom.models.rubric import Criterion
from courtroom.synthesis.guard_variables import Variables, facts_in
from courtroom.synthesis.opinions import Opinions
from courtroom.synthesis.score_arithmetic import exact

# A claim leaves the middle of the scale from here on.
HIGH, LOW = 4, 2
SECURITY_TAG = "security"


class StatedFacts(Protocol):
    """The facts of a dossier, or as they stand in a stored report; `unknown` is why one is null."""

    @property
    def unknown(self) -> Mapping[str, str]: ...

    def model_dump(self, *, mode: str, by_alias: bool) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Dossier:
    """All evidence by id, all outcomes by check, which ids speak only for, or only against, and the facts."""

    evidence: Mapping[str, Evidence]
    outcomes: Mapping[str, CheckOutcome]
    only_for: frozenset[str]
    only_against: frozenset[str]
    facts: StatedFacts

    @cached_property
    def asked_facts(self) -> Variables:
        """The facts as guards name them."""
        return facts_in(self.facts.model_dump(mode="json", by_alias=True))

    def exhibits(
        self, criterion: Criterion, opinions: Iterable[JudicialOpinion]
    ) -> tuple[Evidence, ...]:
        """The criterion's evidence: its outcomes' pieces in the order of its checks, then what was cited besides."""
        own = [i for check in criterion.checks for i in self.evidence_of(check.id)]
        cited = sorted(i for opinion in opinions for i in opinion.cited_evidence)
        return tuple(self.evidence[i] for i in dict.fromkeys([*own, *cited]) if i in self.evidence)

    def evidence_of(self, check: str) -> tuple[str, ...]:
        outcome = self.outcomes.get(check)
        return outcome.evidence if outcome else ()


def dossier_of(
    evidence: Iterable[Evidence], outcomes: Iterable[CheckOutcome], facts: StatedFacts
) -> Dossier:
    """A met check's evidence speaks for, an unmet check's against, whatever the check's polarity."""
    by_check = {outcome.check: outcome for outcome in outcomes}
    speaks_for = {
        i for outcome in by_check.values() if outcome.met is True for i in outcome.evidence
    }
    against = {i for outcome in by_check.values() if outcome.met is False for i in outcome.evidence}
    return Dossier(
        evidence={piece.id: piece for piece in evidence},
        outcomes=by_check,
        only_for=frozenset(speaks_for - against),
        only_against=frozenset(against - speaks_for),
        facts=facts,
    )


def contradiction(opinion: JudicialOpinion, dossier: Dossier) -> str:
    """Why this opinion's citations do not support its score, in words; empty when they do.

    Unsupported is an opinion that cites nothing on the record, one of 4 or 5 whose every citation
    belongs to unmet checks, and one of 1 or 2 whose every citation belongs to met checks.
    """
    cited = {i for i in opinion.cited_evidence if i in dossier.evidence}
    if not cited:
        return "cites no evidence"
    if opinion.score >= HIGH and cited <= dossier.only_against:
        return f"cites only what speaks against it ({', '.join(sorted(cited))})"
    if opinion.score <= LOW and cited <= dossier.only_for:
        return f"cites only what speaks for a higher score ({', '.join(sorted(cited))})"
    return ""


def upheld_scores(opinions: Opinions, unsupported: Iterable[Persona]) -> dict[Persona, int]:
    """The scores with every unsupported one drawn to the nearest supported score; empty when none is supported."""
    falls = set(unsupported)
    held = [opinion.score for judge, opinion in opinions.items() if judge not in falls]
    if not held:
        return {}
    return {
        judge: _drawn(opinion.score, min(held), max(held), cites=bool(opinion.cited_evidence))
        if judge in falls
        else opinion.score
        for judge, opinion in opinions.items()
    }


def _drawn(score: int, lowest: int, highest: int, *, cites: bool) -> int:
    """A high claim only falls, a low one only rises; a score that cites nothing may do either."""
    if not cites:
        return min(max(score, lowest), highest)
    return min(score, highest) if score >= HIGH else max(score, lowest)


def security_flaws(
    exhibits: Iterable[Evidence], dossier: Dossier, min_confidence: float
) -> tuple[Evidence, ...]:
    """Found, tagged, sure enough, and not what a met check rests on: a safeguard that was found is no flaw."""
    return tuple(
        piece
        for piece in exhibits
        if piece.found
        and SECURITY_TAG in piece.tags
        and piece.confidence >= min_confidence
        and piece.id not in dossier.only_for
    )


def mean_confidence(exhibits: Iterable[Evidence]) -> Fraction | None:
    """0..1, exact to the digits written, so that the order of the evidence cannot change it."""
    confidences = [exact(piece.confidence) for piece in exhibits]
    return mean(confidences) if confidences else None
