"""Waiting: the place in the queue, the time of each step, and the estimate."""

from datetime import datetime, timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone
from django_scopes import scope
from rq import Worker

from grading import workflow
from grading.audits import actions as audit_actions
from grading.audits import wait_times
from grading.audits.presenters.progress import progress_of
from grading.audits.wait_times import Pace, pace_of
from grading.core import fair_turns
from grading.core.enums import AuditState, Bench
from grading.core.fair_turns import position_shown
from grading.models import Audit
from tests.factories.people import everywhere
from tests.factories.work import AssignmentFactory, AuditFactory, claimed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_cache():
    cache.clear()


@pytest.fixture
def workers(monkeypatch):
    """So many workers serve every queue; who registers in the queue's server is rq's own matter."""

    def serve(number: int) -> None:
        class Serving:
            def queue_names(self):
                return ["submissions", "bulk"]

        monkeypatch.setattr(Worker, "all", lambda *_args, **_named: [Serving()] * number)

    serve(2)
    return serve


def ended(assignment, seconds, **fields):
    at = timezone.now()
    return AuditFactory.create(
        done=True,
        submission__assignment=assignment,
        started_at=at - timedelta(seconds=seconds),
        finished_at=at,
        **fields,
    )


def test_the_pace_is_the_median_of_the_last_audits_under_the_same_bench(workers):
    assignment = AssignmentFactory()
    for seconds in (10, 20, 90):
        ended(assignment, seconds)
    ended(AssignmentFactory(cohort=assignment.cohort, bench=Bench.LLM), 600)
    waiting = AuditFactory(submission__assignment=assignment)
    with scope(organization=assignment.organization):
        assert pace_of(waiting) == Pace(seconds=20, of=3, workers=2)


def test_without_a_past_or_without_workers_there_is_no_estimate(workers):
    waiting = AuditFactory()
    with scope(organization=waiting.organization):
        assert pace_of(waiting) is None
        assert progress_of(waiting, 1, None).estimate == ""
    cache.clear()
    ended(waiting.submission.assignment, 10)
    workers(0)
    with scope(organization=waiting.organization):
        assert pace_of(waiting) is None


def test_another_institutions_audits_tell_nothing_of_ours(workers):
    ended(AssignmentFactory(), 10)
    waiting = AuditFactory()
    with scope(organization=waiting.organization):
        assert pace_of(waiting) is None


@pytest.mark.parametrize(("position", "seconds"), [(1, 30), (2, 30), (3, 60), (7, 120)])
def test_workers_take_turns(position, seconds):
    assert Pace(seconds=30, of=5, workers=2).until_report(position) == seconds


def test_the_estimate_says_what_it_is_worked_out_from():
    waiting = AuditFactory()
    progress = progress_of(waiting, 7, Pace(seconds=30, of=5, workers=2))
    assert progress.sentence == "Place 7 in the queue: 6 ahead of you."
    assert progress.estimate == (
        "About 2 min until your report: the last 5 audits here took a median of 30 s, "
        "and 2 workers share the queue."
    )
    next_in_line = progress_of(waiting, 1, Pace(seconds=8.4, of=1, workers=1))
    assert next_in_line.estimate == (
        "About 8 s until your report: the last audit here took 8 s, "
        "and one worker serves the queue."
    )


def test_a_run_that_outlasts_the_others_is_not_promised_anything():
    running = AuditFactory(running=True, started_at=timezone.now() - timedelta(minutes=5))
    progress = progress_of(running, None, Pace(seconds=30, of=5, workers=1))
    assert progress.estimate.startswith("Any moment now, or longer than usual: ")


def test_who_stands_far_behind_asks_less_often():
    waiting = AuditFactory()
    intervals = [progress_of(waiting, place, None).poll_ms for place in (1, 5, 500)]
    assert intervals == [1500, 3100, 10_000]


def test_each_stage_keeps_the_moment_it_first_began_in_this_run():
    audit = AuditFactory()
    lease = claimed(audit)
    with scope(organization=audit.organization):
        for stage in ("context_builder", "repo_investigator", "doc_analyst", "repo_investigator"):
            audit_actions.record_stage(lease=lease, stage=stage)
            if stage == "repo_investigator":
                times = Audit.objects.values_list("stage_times", flat=True).get(pk=audit.pk)
        last = Audit.objects.values_list("stage_times", flat=True).get(pk=audit.pk)
    assert set(last) == {"context_builder", "repo_investigator", "doc_analyst"}
    assert last["repo_investigator"] == times["repo_investigator"]
    assert [datetime.fromisoformat(at).tzinfo is not None for at in last.values()] == [True] * 3


def test_another_run_begins_its_times_anew():
    audit = AuditFactory()
    lease = claimed(audit)
    with scope(organization=audit.organization):
        audit_actions.record_stage(lease=lease, stage="chief_justice")
        audit.refresh_from_db()
        workflow.give_back(audit=audit, code="worker_died", message="It died.")
        assert audit_actions.claim_audit(audit_id=audit.pk, run_attempt=2) is not None
        assert Audit.objects.values_list("stage_times", flat=True).get(pk=audit.pk) == {}


def test_a_step_lasts_until_the_next_one_began():
    at = timezone.now().replace(microsecond=0)
    audit = AuditFactory(
        running=True, started_at=at, queued_at=at - timedelta(seconds=4), stage="prosecutor"
    )
    audit.submission.handed_in_at = at - timedelta(seconds=5)
    audit.stage_times = {
        "repo_investigator": (at + timedelta(seconds=2)).isoformat(),
        "doc_analyst": (at + timedelta(seconds=1)).isoformat(),
        "evidence_aggregator": (at + timedelta(seconds=6)).isoformat(),
        "prosecutor": (at + timedelta(seconds=7)).isoformat(),
    }
    steps = progress_of(audit, None, None).steps
    assert [(step.words, step.seconds) for step in steps] == [
        ("Received", 1.0),
        ("In the queue", 4.0),
        ("Preparing", 1.0),
        ("Detectives collect evidence", 5.0),
        ("Evidence is joined", 1.0),
        ("Judges argue", None),
        ("The Chief Justice decides", None),
    ]


def test_a_course_that_watches_its_queue_asks_for_the_places_once(django_assert_num_queries):
    first, second = AuditFactory(), AuditFactory()
    with django_assert_num_queries(1):
        assert [position_shown(first), position_shown(second), position_shown(first)] == [1, 2, 1]


def test_who_has_just_come_is_not_told_that_they_do_not_wait():
    assert position_shown(AuditFactory()) == 1
    assert position_shown(AuditFactory()) == 2


def test_what_runs_has_no_place_whatever_was_kept():
    audit = AuditFactory()
    assert position_shown(audit) == 1
    audit.state = AuditState.RUNNING
    assert position_shown(audit) is None


def test_without_the_queues_server_places_are_asked_of_the_database(settings):
    audit = AuditFactory()
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }
    with everywhere():
        assert position_shown(audit) == 1
        assert pace_of(audit) is None
    assert (fair_turns.CACHE_SECONDS, wait_times.SAMPLE_SIZE) == (2, 30)
