"""Time the pages of the grading queue: `python -m benchmarks.grading_queue [STUDENTS]`.

Each student's work has a report of ten criteria. The yardstick is the page of one report.
"""

from __future__ import annotations

import os
import sys

from auditor_site.localservices.embedded import embedded
from benchmarks.preview import in_turn

# Goal for the server's time of each page.
AT_MOST_SECONDS = 0.2


def main() -> None:
    students = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with embedded(ephemeral=True) as addresses:
        os.environ |= addresses | {"DJANGO_SETTINGS_MODULE": "auditor_site.settings.test"}
        # Django reads its settings when it is imported.
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        measure(students)


def measure(students: int) -> None:
    from django.test import Client

    from tests.grading_queue.work import Course

    course = Course(students=students, criteria=10)
    client = Client()
    client.force_login(course.anna)
    submission = course.audits[students // 2].submission
    org = f"/o/{course.organization.slug}"
    queue = f"{org}/c/{course.assignment.cohort.slug}/a/{course.assignment.slug}/queue/"
    pages = {
        "one report, the yardstick": f"{org}/audits/{course.audits[students // 2].pk}/",
        "overview": queue,
        "one student": f"{queue}{submission.student_id}/",
        "one criterion": f"{queue}3/{submission.student_id}/",
    }
    times = in_turn(
        *(lambda address=address: client.get(address).content for address in pages.values())
    )
    yardstick = times[0]
    for name, seconds in zip(pages, times, strict=True):
        print(f"{name}: {1000 * seconds:.0f} ms, ratio {seconds / yardstick:.2f}")
    print(f"at most {1000 * AT_MOST_SECONDS:.0f} ms, {students} students, ten criteria each")


if __name__ == "__main__":
    main()
