"""Time the page of a report: `python -m benchmarks.report_page [REPORT.json ...]`.

Without names, the reports of all works of the demo are made first, and the largest is taken. A new
empty database gets each report as a student's second attempt, the most expensive page: it is
compared with the first. The yardstick is the page of the assignment, which reads no report.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from auditor_site.localservices.embedded import embedded
from benchmarks.preview import in_turn

# Goal for the first byte; the page is sent whole, so that is its time on the server.
AT_MOST_SECONDS = 0.15


def main() -> None:
    reports = [json.loads(Path(name).read_text()) for name in sys.argv[1:]]
    with embedded(ephemeral=True) as addresses:
        os.environ |= addresses | {"DJANGO_SETTINGS_MODULE": "auditor_site.settings.test"}
        # Django reads its settings when it is imported.
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        for report in reports or [asyncio.run(largest_of_demo())]:
            measure(report)


async def largest_of_demo() -> dict[str, Any]:
    from grading.demo.stories import REPOSITORIES
    from tests.factories.demo_report import demo_report

    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        works = [path.name for path in sorted(REPOSITORIES.iterdir())]
        folders = [Path(name) / work for work in works]
        for folder in folders:
            folder.mkdir()
        pairs = zip(works, folders, strict=True)
        return max([await demo_report(*pair) for pair in pairs], key=size_of)


def size_of(report: dict[str, Any]) -> int:
    return len(json.dumps(report))


def measure(report: dict[str, Any]) -> None:
    from django.test import Client

    audit = second_attempt(report)
    client = Client()
    client.force_login(audit.submission.student.user)
    assignment = audit.submission.assignment
    org = f"/o/{assignment.organization.slug}"
    address = f"{org}/audits/{audit.pk}/"

    folded, unfolded, yardstick = in_turn(
        lambda: client.get(address).content,
        lambda: client.get(address, {"print": "all"}).content,
        lambda: client.get(f"{org}/c/{assignment.cohort.slug}/a/{assignment.slug}/").content,
    )
    kilobytes = size_of(report) / 1000
    print(f"report of {kilobytes:.0f} kB, page of {len(client.get(address).content) / 1000:.0f} kB")
    print(f"  page {1000 * folded:.0f} ms (at most {1000 * AT_MOST_SECONDS:.0f} ms)")
    print(f"  with everything unfolded {1000 * unfolded:.0f} ms")
    print(f"  page of the assignment {1000 * yardstick:.0f} ms: ratio {folded / yardstick:.1f}")


def second_attempt(report: dict[str, Any]) -> Any:
    """Return the audit of a student's second attempt; both attempts have this report."""
    from django_scopes import scope

    from courtroom import AuditReport, shipped_rubric
    from grading import workflow
    from grading.engine import audits as engine_audits
    from tests.factories.people import student
    from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory, claimed

    rubric = shipped_rubric("self_audit")
    assignment = AssignmentFactory.create(
        rubric_version__document=rubric.model_dump(mode="json"),
        rubric_version__digest=rubric.digest,
    )
    verdict = engine_audits.verdict_of(AuditReport.model_validate(report))
    reader = student(assignment.cohort)

    for attempt in (1, 2):
        submission = SubmissionFactory.create(
            assignment=assignment, student=reader, attempt=attempt
        )
        audit = AuditFactory.create(submission=submission)
        with scope(organization=assignment.organization):
            workflow.finish_audit(lease=claimed(audit), verdict=verdict)

    return audit


if __name__ == "__main__":
    main()
