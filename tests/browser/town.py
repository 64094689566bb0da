"""A cohort in which everything happened at least once, beside an assignment in which nothing has."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from grading.engine.stored_sources import pack_sources
from grading.models import AuditContents
from tests.factories.example_report import NAMES, report_json
from tests.factories.grades import (
    AppealFactory,
    BlindGradeFactory,
    BulkItemFactory,
    GradeFactory,
    NoticeFactory,
    OverrideFactory,
)
from tests.factories.peers import (
    CommunicationEntryFactory,
    FeedbackReportFactory,
    FindingFactory,
    FindingResponseFactory,
    FindingSightingFactory,
    PairingFactory,
    RoundMemberFactory,
)
from tests.factories.people import CohortFactory, EnrollmentFactory, everywhere
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    CriterionVerdictFactory,
    RubricVersionFactory,
    SubmissionFactory,
    rubric_document,
)
from tests.tenancy.matrix_rows import ASSIGNMENT, COHORT
from tests.tenancy.world import Institute, World

LONG = "a_name_that_goes_on_" * 6
STATES = ("running", "failed", "done")
# The smallest report whose page has every kind of element that ten criteria have: each further one
# costs a browser as much again. Ten stand in tests/browser/test_look.py.
CRITERIA, PER_CRITERION = 5, 3


class Town(World):
    """The world of the tenant matrix, with more of everything in its first institution."""

    def __init__(self) -> None:
        super().__init__()
        self.cohort = CohortFactory.create(organization=self.here.organization)
        EnrollmentFactory.create(cohort=self.cohort, user=self.here.owner.user)
        version = self.here.assignment.rubric_version
        self.nothing = AssignmentFactory.create(cohort=self.cohort, rubric_version=version)
        enlarge(self.here)
        among_peers(self.here)
        self.code_pages = with_code(self.here)

    def cookies(self, person: str, url: str) -> list[Any]:
        session = self.sessions.get(person)
        return [{"name": "sessionid", "value": session, "url": url}] if session else []

    @staticmethod
    def is_bare(route: str) -> bool:
        """Return whether its address needs no more than a cohort and an assignment."""
        return route.startswith(COHORT) and "<" not in route.removeprefix(COHORT).removeprefix(
            ASSIGNMENT
        )

    def bare_address(self, route: str) -> str:
        return self.address(route, cohort=self.cohort.slug, assignment=self.nothing.slug)


def small_report() -> dict[str, Any]:
    return report_json(criteria=CRITERIA, per_criterion=PER_CRITERION)


def enlarge(institute: Institute) -> None:
    """A report of five criteria, further attempts and classmates in every state, and what people did by hand."""
    audit, submission, student = institute.audit, institute.audit.submission, institute.owner
    with everywhere():
        student.name, audit.report = LONG, small_report()
        student.save(update_fields=["name"])
        audit.save(update_fields=["report"])
    for position, (key, name, score, _) in enumerate(NAMES[1:CRITERIA], 1):
        CriterionVerdictFactory.create(
            audit=audit, position=position, criterion_id=key, name=name, score=score
        )
    for attempt, state in enumerate(STATES, 2):
        again = SubmissionFactory.create(
            assignment=institute.assignment,
            student=student,
            attempt=attempt,
            repo_url=f"https://x.example/{LONG}",
        )
        AuditFactory.create(submission=again, **{state: True})
    for flags in ({}, {"needs_review": True}, {"widest_spread": 4}):
        work = SubmissionFactory.create(assignment=institute.assignment)
        done = AuditFactory.create(submission=work, done=True, report=small_report())
        for position, (key, name, score, _) in enumerate(NAMES[:CRITERIA]):
            CriterionVerdictFactory.create(
                audit=done, position=position, criterion_id=key, name=name, score=score
            )
        GradeFactory.create(audit=done, **flags)
        BulkItemFactory.create(run=institute.bulk_run, submission=work, audit=done)
        BlindGradeFactory.create(submission=work, criterion_id=NAMES[0][0], graded_by=student.user)
    AppealFactory.create(submission=submission, text=f"Look into {LONG}.")
    OverrideFactory.create(submission=submission)
    NoticeFactory.create(organization=institute.organization, user=student.user)
    RubricVersionFactory.create(
        rubric=institute.assignment.rubric_version.rubric,
        number=2,
        draft=True,
        document=rubric_document("tidy"),
    )


def with_code(institute: Institute) -> list[str]:
    """Keep the code of two attempts; return the pages of the later one: its files, one of them."""
    later = AuditFactory.create(
        submission=SubmissionFactory.create(
            assignment=institute.assignment, student=institute.owner, attempt=len(STATES) + 2
        ),
        done=True,
        report=small_report(),
    )
    code = "def build():\n    graph = StateGraph(State)  # <b>bold</b>\n    return graph\n"
    works = {
        institute.audit: {
            "old.py": ("1", "x = 1\n"),
            "graph.py": ("2", code),
            # Cited by the report: the grading queue shows it beside the criteria.
            "src/tools/git_forensics.py": ("5", code * 20),
        },
        later: {f"{LONG}.py": ("3", LONG), "graph.py": ("4", code.replace("State)", f"{LONG})"))},
    }
    for audit, files in works.items():
        with everywhere():
            AuditContents.objects.create(
                organization=institute.organization, audit=audit, sources=pack_sources(files)
            )
    page = reverse("audit-code", args=[institute.organization.slug, later.pk])
    return [page, f"{page}?path=graph.py&first=2"]


def among_peers(institute: Institute) -> None:
    """The round's other members, reports that came and that are owed, findings in several states, words in the log."""
    round_, student = institute.pairing.round, institute.owner
    peers = [
        institute.pairing.auditee,
        EnrollmentFactory.create(cohort=institute.cohort, name=LONG),
    ]
    for number, member in enumerate([student, *peers]):
        RoundMemberFactory.create(round=round_, student=member, alias=f"Peer {481 + number}")
    SubmissionFactory.create(
        assignment=institute.assignment, student=peers[0], resolved_commit="c" * 40
    )
    received = PairingFactory.create(round=round_, auditor=peers[1], auditee=student)
    PairingFactory.create(round=round_, auditor=peers[0], auditee=peers[1])
    first = institute.audit.submission
    feedback = FeedbackReportFactory.create(
        pairing=received, platform=True, submission=first, audit__report=report_json(criteria=3)
    )
    for title in ("A README", LONG, "A parser"):
        finding = FindingFactory.create(first_submission=first, title=title, place=f"src/{LONG}.py")
        FindingSightingFactory.create(finding=finding, audit=None, report=feedback)
        FindingResponseFactory.create(finding=finding, reason=LONG)
    for whose in (student, peers[0]):
        CommunicationEntryFactory.create(
            assignment=institute.assignment, student=whose, text=f"See {LONG}."
        )
