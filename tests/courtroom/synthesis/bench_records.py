"""Small records for the Chief Justice's tests: a criterion, its evidence and three opinions."""

from courtroom.checks.file_exists import FileExists
from courtroom.checks.registry import Check
from courtroom.checks.unsafe_call import UnsafeCallCheck
from courtroom.models.audit_report import CriterionResult
from courtroom.models.evidence import CheckOutcome, Evidence, Location, evidence
from courtroom.models.facts import Facts, establish
from courtroom.models.judge_answer import PERSONAS, JudgeFailure, JudicialOpinion
from courtroom.models.rubric import Criterion, Level, Rubric
from courtroom.synthesis.chief_justice import Verdict, synthesise
from courtroom.synthesis.constitutions import preset
from courtroom.synthesis.evidence_weight import dossier_of
from courtroom.synthesis.rules import Constitution

NOTHING_KNOWN: Facts = establish({}, {})
NOTHING_FOUND = dossier_of((), (), NOTHING_KNOWN)


def check(name="tests", **changes) -> Check:
    return FileExists(
        **{"id": name, "goal": f"There is {name}", "any_of": (f"{name}/**",)} | changes
    )


def unsafe(name="no_shell", **changes) -> Check:
    fields = {"id": name, "goal": "No shell is used", "polarity": "negative", "tags": ("security",)}
    return UnsafeCallCheck(**fields | changes)


def criterion(name="quality", *checks: Check, **changes) -> Criterion:
    return Criterion(**{"id": name, "name": name.title(), "checks": checks} | changes)


def rubric(*criteria: Criterion) -> Rubric:
    return Rubric(
        id="course",
        name="Course",
        version="1",
        criteria=criteria or (criterion("quality", check()),),
    )


def piece(name="tests", line=1, **changes) -> Evidence:
    """Evidence of the check `name`; a different line is a different piece."""
    fields = {
        "detective": "RepoInvestigator",
        "check": name,
        "goal": f"There is {name}",
        "found": True,
        "content": "import pytest",
        "location": Location(path=f"{name}.py", line_start=line, line_end=line, commit="c0ffee00"),
        "rationale": f"{name} line {line}",
    }

    return evidence(**fields | changes)


def outcome(name="tests", met: bool | None = True, *pieces: Evidence) -> CheckOutcome:
    return CheckOutcome(check=name, met=met, reason="looked", evidence=tuple(p.id for p in pieces))


def opinion(
    judge, score, *pieces: Evidence, on="quality", round_number=1, argument="Because."
) -> JudicialOpinion:
    return JudicialOpinion(
        judge=judge,
        criterion_id=on,
        round=round_number,
        score=score,
        argument=argument,
        cited_evidence=tuple(p.id for p in pieces),
        model="heuristic/scripted",
        key=f"{judge}-{on}-{round_number}",
    )


def failure(judge, kind="timeout", *, on="quality", round_number=1) -> JudgeFailure:
    return JudgeFailure(
        judge=judge,
        criterion_id=on,
        round=round_number,
        failure=kind,
        message="no answer in time",
        model="heuristic/scripted",
        key=f"{judge}-{on}-{round_number}",
    )


def bench(scores, *pieces: Evidence, on="quality", round_number=1) -> list[JudicialOpinion]:
    """Prosecutor, Defense and Tech Lead, all citing the same pieces."""
    return [
        opinion(judge, score, *pieces, on=on, round_number=round_number)
        for judge, score in zip(PERSONAS, scores, strict=True)
    ]


def verdict(
    constitution: Constitution | str,
    opinions,
    *,
    evidence=(),
    outcomes=(),
    rubric_=None,
    facts=NOTHING_KNOWN,
) -> Verdict:
    return synthesise(
        rubric=rubric_ or rubric(),
        constitution=preset(constitution) if isinstance(constitution, str) else constitution,
        evidence=tuple(evidence),
        outcomes=tuple(outcomes),
        facts=facts,
        opinions=tuple(opinions),
    )


def result(constitution: Constitution | str, scores, **case) -> CriterionResult:
    """Judge one criterion on one neutral piece of evidence that every judge cites.

    `case` overrides the arguments of verdict.
    """
    neutral = piece()
    case = {"evidence": (neutral,)} | case
    return verdict(constitution, bench(scores, neutral), **case).criteria[0]


def levels(maximum: float, *names: str) -> tuple[Level, ...]:
    """Four levels worth 100, 60, 20 and 0 % of the maximum."""
    shares = (1.0, 0.6, 0.2, 0.0)
    return tuple(
        Level(id=name.lower().replace(" ", "_"), name=name, points=maximum * share)
        for name, share in zip(names, shares, strict=True)
    )
