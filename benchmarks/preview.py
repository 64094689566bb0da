"""Time the preview of a rubric draft over 200 stored audits: `python -m benchmarks.preview`.

A new empty database gets one report of the heuristic bench, 200 times. The draft changes the weight
of every check, so the heuristic judges answer everything again: the most expensive case.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from copy import deepcopy
from statistics import median
from time import perf_counter
from typing import Any

from auditor_site.localservices.embedded import embedded
from benchmarks.resynthesis import REPORTS, stored_report

# Odd, so that the median is a run.
RUNS = 5
# Goal for the whole page.
AT_MOST_SECONDS = 3.0


def main() -> None:
    text = asyncio.run(stored_report())
    with embedded(ephemeral=True) as addresses:
        os.environ |= addresses | {"DJANGO_SETTINGS_MODULE": "auditor_site.settings.test"}
        # Django reads its settings when it is imported.
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        measure(text)


def measure(text: str) -> None:
    from django.test import Client
    from django_scopes import scope

    from grading.rubrics.previews.cohort_preview import preview
    from grading.rubrics.previews.queries import counting_grades, reports_of
    from tests.factories.people import staff_user

    assignment, draft = make_assignment(json.loads(text))
    client = Client()
    client.force_login(staff_user(assignment.organization))
    place = f"/o/{assignment.organization.slug}/c/{assignment.cohort.slug}/a/{assignment.slug}"

    with scope(organization=assignment.organization):
        audits = [grade.audit_id for grade in counting_grades(assignment)]
        reading, previewing, page = in_turn(
            lambda: sum(1 for _ in reports_of(audits)),
            lambda: preview(assignment, draft.document),
            lambda: client.get(f"{place}/preview/{draft.pk}/").content,
        )

    kilobytes = len(text) / 1000
    print(f"{REPORTS} reports of ten criteria, {kilobytes:.0f} kB each, {RUNS} runs, medians")
    print(f"  read from the database {reading:.2f} s")
    print(f"  previewed {previewing:.2f} s: ratio {previewing / reading:.1f}")
    print(
        f"  the whole page {page:.2f} s: ratio {page / reading:.1f} (at most {AT_MOST_SECONDS} s)"
    )


def make_assignment(report: dict[str, Any]) -> tuple[Any, Any]:
    """Return an assignment whose students all have this report, and a draft with other weights."""
    from django_scopes import scope

    from courtroom import AuditReport, shipped_rubric
    from grading import workflow
    from grading.engine import audits as engine_audits
    from tests.factories.people import student
    from tests.factories.work import (
        AssignmentFactory,
        AuditFactory,
        RubricVersionFactory,
        SubmissionFactory,
        claimed,
    )

    rubric, verdict = (
        shipped_rubric("self_audit"),
        engine_audits.verdict_of(AuditReport.model_validate(report)),
    )
    text = rubric.model_dump(mode="json")
    assignment = AssignmentFactory.create(
        rubric_version__document=text, rubric_version__digest=rubric.digest
    )

    for _ in range(REPORTS):
        submission = SubmissionFactory.create(
            assignment=assignment, student=student(assignment.cohort)
        )
        lease = claimed(AuditFactory.create(submission=submission))
        with scope(organization=assignment.organization):
            workflow.finish_audit(lease=lease, verdict=verdict)

    other = deepcopy(text)

    for criterion in other["criteria"]:
        for check in criterion["checks"]:
            # Another weight makes every opinion of the heuristic judges outdated.
            check["weight"] += 1

    fields = {
        "rubric": assignment.rubric_version.rubric,
        "number": 2,
        "draft": True,
        "document": other,
    }

    return assignment, RubricVersionFactory.create(**fields)


def in_turn(*tasks: Callable[[], object]) -> list[float]:
    """Return the median seconds of each task, run A B C A B C ... after one warm-up of each."""
    for task in tasks:
        task()

    seconds: list[list[float]] = [[] for _ in tasks]

    for _ in range(RUNS):
        for times, task in zip(seconds, tasks, strict=True):
            begin = perf_counter()
            task()
            times.append(perf_counter() - begin)

    return [median(times) for times in seconds]


if __name__ == "__main__":
    main()
