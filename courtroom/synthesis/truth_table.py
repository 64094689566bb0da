"""Truth table of a constitution: its decision for every bench of three scores, under chosen flags.

The benches are made up: no evidence of a submission is read, so a rule with a guard on a fact has
no answer here, and those rows need a person.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import get_args

from courtroom.models.audit_report import RuleFired, RuleStep
from courtroom.models.evidence import CheckOutcome, Evidence, evidence
from courtroom.models.facts import establish
from courtroom.models.judge_answer import HEURISTIC, PERSONAS, JudicialOpinion, Persona, Score
from courtroom.models.rubric import Criterion, Rubric
from courtroom.synthesis.apply_rules import decide_criterion
from courtroom.synthesis.chief_justice import contested
from courtroom.synthesis.evidence_weight import SECURITY_TAG, Dossier, dossier_of
from courtroom.synthesis.opinions import answers_on
from courtroom.synthesis.rules import Constitution
from courtroom.synthesis.ruling_context import RulingContext

NO_FACTS = establish({}, {})
PLAIN_ARGUMENT = "There is little here."


@dataclass(frozen=True, slots=True)
class BenchFlags:
    """Circumstances of all benches of a table.

    `confidence` (0..1) is that of the evidence that supports every opinion. The Prosecutor's
    argument is `prosecutor_argument`. The opinion of `unsupported` cites only what speaks against
    the criterion, that of `inventive` also what its judge was not shown.
    """

    architecture: bool = False
    security_evidence: bool = False
    confidence: float = 1.0
    prosecutor_argument: str = PLAIN_ARGUMENT
    unsupported: Persona | None = None
    inventive: Persona | None = None


@dataclass(frozen=True, slots=True)
class TruthRow:
    """Decision on one bench.

    `score` is None where a person decides. A bench that is `reheard` is decided as if the judges
    kept their scores.
    """

    scores: tuple[Score, Score, Score]
    score: int | None
    rules: tuple[RuleFired, ...]
    steps: tuple[RuleStep, ...]
    is_reheard: bool
    has_dissent: bool

    @property
    def decided_by(self) -> str:
        """Return the last rule that set or limited the score; "" where agreement stands."""
        deciding = [rule.rule for rule in self.rules if rule.rule != "dissent_requirement"]
        return deciding[-1] if deciding else ""


def truth_table(constitution: Constitution, flags: BenchFlags) -> tuple[TruthRow, ...]:
    """Return the rows of all 125 benches, in the order of Prosecutor, Defense and Tech Lead.

    Raises RubricRefused (rubric_guard_unavailable) as synthesise does.
    """
    criterion = Criterion(id="criterion", name="Criterion", architecture=flags.architecture)
    scores = get_args(Score)
    dossier = _dossier(flags)
    return tuple(
        _row(constitution, criterion, dossier, flags, bench)
        for bench in product(scores, scores, scores)
    )


def _row(
    constitution: Constitution,
    criterion: Criterion,
    dossier: Dossier,
    flags: BenchFlags,
    scores: tuple[Score, Score, Score],
) -> TruthRow:
    opinions = tuple(_opinions(criterion, dossier, flags, scores))
    rubric = Rubric(id="rubric", name="Rubric", version="1", criteria=(criterion,))
    context = RulingContext(criterion, constitution, answers_on(criterion.id, opinions), dossier)
    ruling = decide_criterion(context)
    return TruthRow(
        scores=scores,
        score=ruling.score,
        rules=ruling.rules,
        steps=ruling.steps,
        is_reheard=bool(contested(rubric, constitution, opinions, 1, dossier)),
        has_dissent=ruling.dissent is not None,
    )


def _opinions(
    criterion: Criterion, dossier: Dossier, flags: BenchFlags, scores: tuple[Score, ...]
) -> Iterator[JudicialOpinion]:
    against = tuple(dossier.only_against)
    for judge, score in zip(PERSONAS, scores, strict=True):
        is_prosecutor = judge == "Prosecutor"
        yield JudicialOpinion(
            judge=judge,
            criterion_id=criterion.id,
            round=1,
            score=score,
            argument=flags.prosecutor_argument if is_prosecutor else PLAIN_ARGUMENT,
            cited_evidence=against if judge == flags.unsupported else tuple(dossier.evidence),
            model=f"{HEURISTIC}table",
            key=judge,
            invented_citations=int(judge == flags.inventive),
        )


def _dossier(flags: BenchFlags) -> Dossier:
    pieces = [_evidence("neutral", flags.confidence), _evidence("unmet", flags.confidence)]
    if flags.security_evidence:
        pieces.append(_evidence("security", flags.confidence, (SECURITY_TAG,)))
    unmet = CheckOutcome(check="unmet", met=False, reason="", evidence=(pieces[1].id,))
    return dossier_of(pieces, (unmet,), NO_FACTS)


def _evidence(check: str, confidence: float, tags: tuple[str, ...] = ()) -> Evidence:
    return evidence(
        detective="RepoInvestigator",
        check=check,
        goal="",
        found=True,
        rationale="Evidence of a truth table.",
        confidence=confidence,
        tags=tags,
    )
