"""`python -m tests.faults.submit ORGANIZATION ASSIGNMENT STUDENT REPOSITORY`: one hand-in, as the
site takes it.
"""

import sys

import django


def main(organization: str, assignment: str, student: str, repo_url: str) -> None:
    django.setup()
    from django_scopes import scope

    from grading.models import Assignment, Enrollment
    from grading.submissions.actions import create_submission

    with scope(organization=int(organization)):
        work = Assignment.objects.get(pk=assignment)
        by = Enrollment.objects.get(pk=student)

    create_submission(assignment=work, student=by, repo_url=repo_url, by=None)


if __name__ == "__main__":
    main(*sys.argv[1:])
