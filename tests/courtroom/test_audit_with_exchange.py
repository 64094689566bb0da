"""A whole audit of a student of whom a site knows what they exchanged with peers."""

import asyncio

import pytest

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.project.feedback_answers import answers_in, may_answer
from courtroom.detectives.repo_investigator import investigate
from courtroom.inputs import RepositoryInputs
from courtroom.models.case import Known
from courtroom.models.errors import ChildFailed
from courtroom.models.facts import NO_SITE
from courtroom.models.project_facts import ExchangeFact
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.run_audit import hold_audit
from tests.factories.student_project import case_of, student_repository

SITE = ExchangeFact(
    generated=1, received=1, findings_received=2, answered=2, fixed=1, fixes_verified=1
)
POINTS = shipped_rubric("points")
LATER = SITE.model_copy(update={"answered": 1})


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return student_repository(tmp_path_factory.mktemp("exchanging"))


def events_of(case, **more):
    async def collect():
        return [event async for event in hold_audit(case, **more)]

    return asyncio.run(collect())


@pytest.fixture(scope="module")
def report(repository):
    return events_of(case_of(repository, rubric=POINTS, exchange=SITE))[-1].report


def checks_of(report):
    return {check.check: check.met for row in report.criteria for check in row.checks}


def test_a_site_that_knows_of_an_exchange_brings_its_criterion_into_the_sums(repository, report):
    alone = events_of(case_of(repository, rubric=POINTS))[-1].report
    excluded = [row.excluded for row in alone.criteria]
    assert (excluded, alone.facts.unknown["exchange"]) == ([False, True, False, False], NO_SITE)
    assert [row.excluded for row in report.criteria] == [False] * 4
    assert report.facts.exchange == SITE


def test_the_checks_of_the_points_rubric_are_answered_by_the_site(report):
    asked = (
        "feedback.exchanged",
        "feedback.received",
        "feedback.answered",
        "feedback.fixed",
        "feedback.deferred_with_reason",
        "communication.any",
        "relevance.generated",
        "relevance.confirmed",
    )
    met = checks_of(report)
    assert [met[name] for name in asked] == [True, True, True, True, False, False, True, None]


def test_the_evidence_says_that_the_site_told_it(report):
    told = [item.content for item in report.evidence if item.check == "feedback.exchanged"]
    assert told == ["The site keeps 1 report on peers and 1 report by peers."]


@pytest.mark.parametrize(("exchange", "spared"), [(SITE, True), (LATER, False), (None, False)])
def test_a_known_report_holds_while_the_site_knows_the_same(repository, report, exchange, spared):
    case = case_of(repository, rubric=POINTS, exchange=exchange)
    events = events_of(case, known=Known(report=report))
    assert ("evidence" not in {event.kind for event in events}) is spared
    assert events[-1].report.facts.exchange == exchange


def test_a_rubric_that_asks_nothing_of_the_exchange_is_spared_and_told_what_is_known_now(
    repository,
):
    asked = POINTS.model_copy(update={"criteria": (_without_feedback(),)})
    before = events_of(case_of(repository, rubric=asked, exchange=SITE))[-1].report
    events = events_of(
        case_of(repository, rubric=asked, exchange=LATER), known=Known(report=before)
    )
    assert "evidence" not in {event.kind for event in events}
    assert events[-1].report.facts.exchange == LATER


def _without_feedback():
    progress = POINTS.criteria[0]
    return progress.model_copy(
        update={"checks": tuple(check for check in progress.checks if check.kind != "feedback_log")}
    )


def test_what_the_site_knows_stays_known_where_the_repository_cannot_be_read(tmp_path):
    failed = ChildFailed("child_killed", "The reading was killed.")
    scene = RepositoryInputs(history=failed, survey=failed, suspicions=failed)
    snapshot = Snapshot(git_dir=tmp_path, commit="0" * 40, ref=None, malformed_objects=False)
    testimony = investigate(scene, snapshot, POINTS.checks, SITE)
    met = {outcome.check: outcome.met for outcome in testimony.outcomes}
    assert (met["feedback.exchanged"], met["progress.own_report"]) == (True, None)
    assert testimony.facts["exchange"] == SITE.model_dump(mode="json", by_alias=True)


@pytest.mark.parametrize(
    ("path", "looked_into"),
    [
        ("README.md", True),
        ("docs/answers.md", True),
        ("audit/notes.md", True),
        ("src/peer_feedback.md", True),
        ("src/notes.md", False),
        ("manual/docs/notes.md", False),
    ],
)
def test_answers_are_looked_for_where_people_write_them(path, looked_into):
    assert may_answer(path) is looked_into


def test_an_answer_says_what_became_of_a_point():
    text = "# Notes\nNo timeout: fixed in 3f2a9c1.\nAddress book\nAddressed the retry.\n"
    assert list(answers_in(text)) == [2, 4]
