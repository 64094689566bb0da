"""Students whose work was really audited by the heuristic bench: what previews are held against."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from courtroom import Rubric, constitution_of
from courtroom.models.case import Case
from courtroom.run_audit import hold_audit
from grading import workflow
from grading.engine import audits as engine_audits
from grading.models import Assignment, Audit
from tests.factories.people import student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    RubricVersionFactory,
    SubmissionFactory,
    claimed,
)

UNSAFE = 'import os\n\n\ndef clone(url):\n    os.system("git clone " + url)\n'
WORKS = (
    (Commit("Set up", {"README.md": "# Work\n"}), Commit("Clone", {"src/clone.py": UNSAFE})),
    (Commit("All", {"src/clone.py": "def clone(url):\n    return url\n"}),),
    tuple(
        Commit(f"Step {n}", {"README.md": f"# Step {n}\n", f"src/m{n}.py": "X = 1\n"})
        for n in range(5)
    ),
)
LEVELS = [
    {"id": "full", "name": "Full", "points": 40},
    {"id": "some", "name": "Some", "points": 20},
    {"id": "none", "name": "None", "points": 0},
]


def document(*, version: str = "1") -> dict[str, Any]:
    """Two criteria: one with points that rests on facts and files, one without that rests on facts
    alone.
    """
    return {
        "id": "kept",
        "name": "Kept",
        "version": version,
        "criteria": [
            {
                "id": "tidy",
                "name": "Tidy",
                "max_points": 40,
                "levels": copy.deepcopy(LEVELS),
                "checks": [
                    {
                        "id": "tidy.readme",
                        "kind": "file_exists",
                        "goal": "A README",
                        "any_of": ["README*"],
                    },
                    {
                        "id": "tidy.steps",
                        "kind": "commit_history",
                        "goal": "Steps",
                        "aspect": "more_than",
                    },
                    {
                        "id": "tidy.bulk",
                        "kind": "commit_history",
                        "goal": "No bulk",
                        "aspect": "not_bulk",
                    },
                ],
            },
            {
                "id": "safe",
                "name": "Safe",
                "max_points": 60,
                "checks": [
                    {
                        "id": "safe.shell",
                        "kind": "unsafe_call",
                        "goal": "No shell",
                        "polarity": "negative",
                        "any_of": ["os_system"],
                    },
                    {
                        "id": "safe.source",
                        "kind": "file_exists",
                        "goal": "Source",
                        "any_of": ["src/*.py"],
                    },
                ],
            },
        ],
    }


@cache
def report_of(work: int) -> dict[str, Any]:
    """The report on one of the WORKS, held once for all tests."""
    rubric = Rubric.model_validate(document())

    async def held(repository: Path) -> Any:
        case = Case(
            repo_url=str(repository),
            rubric=rubric,
            constitution=constitution_of(rubric),
            allow_local=True,
        )
        return [event async for event in hold_audit(case)][-1].report

    with TemporaryDirectory(prefix="preview-") as folder:
        repository = Path(folder) / "work.git"
        make_repository(repository, WORKS[work])
        report: dict[str, Any] = asyncio.run(held(repository)).as_json()

    return report


def judged_assignment(works: Sequence[int] = (0, 1, 2), **fields: Any) -> Assignment:
    """An assignment under document(), with one student for each of these WORKS, audited."""
    rubric = Rubric.model_validate(document())
    fields.setdefault("rubric_version", None)
    if fields["rubric_version"] is None:
        made = {"document": rubric.model_dump(mode="json"), "digest": rubric.digest}
        organization = fields["cohort"].organization
        fields["rubric_version"] = RubricVersionFactory.create(
            rubric__organization=organization, **made
        )

    assignment: Assignment = AssignmentFactory.create(**fields)
    for place, work in enumerate(works):
        judged(assignment, work, name=f"Student {place:03d}")

    return assignment


def judged(assignment: Assignment, work: int, **person: Any) -> Audit:
    """A hand-in of a new student's whose audit ended with the report on this work."""
    from courtroom import AuditReport

    enrolled = student(assignment.cohort, **person)
    submission = SubmissionFactory.create(assignment=assignment, student=enrolled)
    audit: Audit = AuditFactory.create(submission=submission)
    report = AuditReport.model_validate(copy.deepcopy(report_of(work)))
    workflow.finish_audit(lease=claimed(audit), verdict=engine_audits.verdict_of(report))
    audit.refresh_from_db()
    return audit
