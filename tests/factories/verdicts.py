"""Real verdicts, made once per process by the heuristic bench, on as many students as a test asks
for.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from django_scopes import scope

from courtroom import AuditEvent, Case, Rubric, constitution_of, hold_audit
from grading.audits.actions import write_evidence, write_verdicts
from grading.core.enums import RubricState
from grading.engine import audits as engine_audits
from grading.engine.events import OpinionRow, Verdict
from grading.grades.actions import count_verdict
from grading.models import Assignment, Audit, OpinionRecord, RubricVersion, Submission
from tests.factories.people import student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    RubricVersionFactory,
    SubmissionFactory,
    rubric_document,
)


@cache
def _rubric(**weights: float) -> engine_audits.RubricDocument:
    """The small rubric as the courtroom writes it; `weights` of the criteria's checks that look for
    Python.
    """
    document = rubric_document()
    for criterion in document["criteria"]:
        criterion["checks"][1]["weight"] = weights.get(criterion["id"], 1.0)
        criterion["checks"].append(
            {
                "id": f"{criterion['id']}.tests",
                "kind": "file_exists",
                "goal": "Tests",
                "any_of": ["tests/*"],
            }
        )

    return engine_audits.read_rubric(json.dumps(document))


def small_assignment() -> Assignment:
    """Judged under a published version of the small rubric."""
    rubric = _rubric()
    assignment: Assignment = AssignmentFactory.create(
        rubric_version__document=rubric.document, rubric_version__digest=rubric.digest
    )
    return assignment


def next_version(assignment: Assignment, *, draft: bool = False, **weights: float) -> RubricVersion:
    """Another text of the assignment's rubric, by the weights of its checks; superseded, unless a
    draft.
    """
    text, rubric = _rubric(**weights), assignment.rubric_version.rubric
    sealed = {"draft": True} if draft else {"digest": text.digest, "state": RubricState.SUPERSEDED}
    with scope(organization=assignment.organization):
        number = rubric.versions.count() + 1

    version: RubricVersion = RubricVersionFactory.create(
        rubric=rubric, number=number, document=text.document, **sealed
    )
    return version


def judged(assignment: Assignment, **fields: Any) -> Audit:
    """A student of the assignment with a real verdict that counts."""
    submission = SubmissionFactory.create(assignment=assignment, student=student(assignment.cohort))
    verdict, opinions = _verdict()
    audit: Audit = AuditFactory.create(
        submission=submission,
        done=True,
        state=verdict.state,
        report=verdict.report,
        report_digest=verdict.digest,
        overall_score=verdict.overall_score,
        opinions_expected=6,
        **fields,
    )
    whose: dict[str, Any] = {"audit_id": audit.pk, "organization_id": audit.organization_id}

    with scope(organization=audit.organization):
        Submission.objects.filter(pk=submission.pk).update(resolved_commit=verdict.commit)
        write_verdicts(verdict.criteria, **whose)
        write_evidence(verdict.evidence, **whose)
        OpinionRecord.objects.bulk_create(
            OpinionRecord(
                **whose,
                key=opinion.key,
                judge=opinion.judge,
                criterion_id=opinion.criterion_id,
                round=opinion.round,
                score=opinion.score,
                document=opinion.document,
            )
            for opinion in opinions
        )
        count_verdict(audit=audit)

    return audit


@cache
def _verdict() -> tuple[Verdict, tuple[OpinionRow, ...]]:
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "work.git"
        make_repository(
            repository,
            [Commit(files={"README.md": "# Work", "main.py": "print()"}) for _ in range(4)],
        )
        rubric = Rubric.model_validate(_rubric().document)
        case = Case(
            repo_url=str(repository),
            rubric=rubric,
            constitution=constitution_of(rubric),
            allow_local=True,
        )
        events = asyncio.run(_held(case))

    opinions = tuple(
        engine_audits.opinion_row(event) for event in events if event.kind == "opinion"
    )
    report = events[-1].report

    assert report is not None

    return engine_audits.verdict_of(report), opinions


async def _held(case: Case) -> list[AuditEvent]:
    return [event async for event in hold_audit(case)]
