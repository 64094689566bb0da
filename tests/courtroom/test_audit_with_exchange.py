"""Whole audits of a student whose peer exchange a site records."""

import asyncio

import pytest

from courtroom.analysis.git.snapshot import Snapshot
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


def test_recorded_exchange_brings_its_criterion_into_the_sums(repository, report):
    alone = events_of(case_of(repository, rubric=POINTS))[-1].report
    excluded = [row.excluded for row in alone.criteria]
    assert (excluded, alone.facts.unknown["exchange"]) == ([False, True, False, False], NO_SITE)
    assert [row.excluded for row in report.criteria] == [False] * 4
    assert report.facts.exchange == SITE


def test_points_rubric_checks_are_answered_by_the_site(report):
    checks = (
        "feedback.received",
        "feedback.some_answered",
        "feedback.answered",
        "feedback.fixed",
        "communication.any",
        "relevance.generated",
        "relevance.confirmed",
    )
    met = checks_of(report)

    assert [met[name] for name in checks] == [True, True, True, True, False, True, None]


def test_evidence_names_the_site_as_its_source(report):
    contents = [item.content for item in report.evidence if item.check == "feedback.received"]
    assert contents == ["The site keeps 1 report by peers."]


@pytest.mark.parametrize(("exchange", "is_reused"), [(SITE, True), (LATER, False), (None, False)])
def test_known_report_is_reused_while_the_exchange_is_the_same(
    repository, report, exchange, is_reused
):
    case = case_of(repository, rubric=POINTS, exchange=exchange)
    events = events_of(case, known=Known(report=report))
    assert ("evidence" not in {event.kind for event in events}) is is_reused
    assert events[-1].report.facts.exchange == exchange


def test_rubric_without_exchange_reuses_the_report_and_gets_the_present_exchange(
    repository,
):
    rubric = POINTS.model_copy(update={"criteria": (_without_feedback(),)})
    before = events_of(case_of(repository, rubric=rubric, exchange=SITE))[-1].report
    events = events_of(
        case_of(repository, rubric=rubric, exchange=LATER), known=Known(report=before)
    )
    assert "evidence" not in {event.kind for event in events}
    assert events[-1].report.facts.exchange == LATER


def _without_feedback():
    progress = POINTS.criteria[0]
    return progress.model_copy(
        update={"checks": tuple(check for check in progress.checks if check.kind != "feedback_log")}
    )


def test_exchange_is_kept_when_the_repository_cannot_be_read(tmp_path):
    failed = ChildFailed("child_killed", "The reading was killed.")
    inputs = RepositoryInputs(history=failed, survey=failed, suspicions=failed)
    snapshot = Snapshot(git_dir=tmp_path, commit="0" * 40, ref=None, malformed_objects=False)
    result = investigate(inputs, snapshot, POINTS.checks, SITE)
    met = {outcome.check: outcome.met for outcome in result.outcomes}
    assert (met["feedback.received"], met["progress.own_report"]) == (True, None)
    assert result.facts["exchange"] == SITE.model_dump(mode="json", by_alias=True)
