"""Other rules on verdicts that stand: what changes, what is kept, and what is never changed behind
anybody's back.
"""

from typing import Any

import pytest

from grading.core.enums import AuditKind, AuditState
from grading.core.errors import InputRefused, RenewalRefused
from grading.grades.actions import override_criterion
from grading.grades.releases import release_grades
from grading.models import Activity, Audit, CriterionVerdict, Grade, OpinionRecord, SupersededReport
from grading.workflow import resynthesise_audit
from tests.factories.people import everywhere, staff_user
from tests.factories.verdicts import judged, next_version, small_assignment
from tests.factories.work import AuditFactory, RubricVersionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def now(audit: Audit) -> Any:
    return Audit.objects.get(pk=audit.pk)


def scores(audit: Audit) -> list[tuple[str, int | None]]:
    return list(CriterionVerdict.objects.filter(audit=audit).values_list("criterion_id", "score"))


def refusal(audit: Audit, version: Any) -> str:
    with everywhere(), pytest.raises((RenewalRefused, InputRefused)) as refused:
        resynthesise_audit(audit=audit, rubric_version=version, by=None)
    return refused.value.code


def test_resynthesis_without_verdict_or_version_is_refused():
    assignment = small_assignment()
    audit, heavier = judged(assignment), next_version(assignment, tidy=20.0)
    draft = next_version(assignment, draft=True)
    waiting = AuditFactory(submission__assignment=assignment)
    peer = AuditFactory(submission__assignment=assignment, done=True, kind=AuditKind.PEER)
    assert refusal(audit, draft) == "rubric_draft"
    assert refusal(waiting, heavier) == "verdict_missing"
    assert refusal(peer, heavier) == "verdict_missing"
    with everywhere():
        Audit.objects.filter(pk=audit.pk).update(report={"schema": "older"})
    assert refusal(audit, heavier) == "record_unreadable"
    with everywhere():
        assert not SupersededReport.objects.exists()


def test_resynthesis_replaces_verdict_and_keeps_old_report():
    assignment = small_assignment()
    audit, heavier = judged(assignment), next_version(assignment, tidy=20.0)
    with everywhere():
        before = scores(audit)
        assert resynthesise_audit(audit=audit, rubric_version=heavier, by=None)
        current, old = now(audit), SupersededReport.objects.get()
        assert (old.audit, old.digest, old.rubric_version) == (
            audit,
            audit.report_digest,
            audit.rubric_version,
        )
        assert old.report == audit.report
        assert (current.rubric_version, current.version) == (heavier, audit.version + 1)
        assert current.report_digest == current.report["digest"] != audit.report_digest
        assert (
            scores(audit)
            == [(c["id"], c["final_score"]) for c in current.report["criteria"]]
            != before
        )
        assert Grade.objects.get().overall_score == current.overall_score
        keys = set(OpinionRecord.objects.filter(audit=audit).values_list("key", flat=True))
        assert keys == {o["key"] for c in current.report["criteria"] for o in c["opinions"]}
        detail = Activity.objects.get(verb="audit.resynthesised").detail

    assert (detail["score_before"], detail["score"]) == (audit.overall_score, current.overall_score)


def test_resynthesis_back_restores_verdict_and_keeps_each_report_once():
    assignment = small_assignment()
    audit, heavier = judged(assignment), next_version(assignment, tidy=20.0)
    with everywhere():
        before = scores(audit)
        for version in (heavier, assignment.rubric_version, heavier, assignment.rubric_version):
            assert resynthesise_audit(audit=audit, rubric_version=version, by=None)
        assert scores(audit) == before
        assert SupersededReport.objects.count() == 3


def test_same_rules_write_nothing():
    audit = judged(small_assignment())
    with everywhere():
        logged = Activity.objects.count()
        assert not resynthesise_audit(audit=audit, rubric_version=audit.rubric_version, by=None)
        assert (now(audit).version, Activity.objects.count()) == (audit.version, logged)


def test_released_grade_stays_and_is_marked_changed():
    assignment = small_assignment()
    audit, heavier = judged(assignment), next_version(assignment, tidy=20.0)
    teacher = staff_user(assignment.organization)
    with everywhere():
        release_grades(assignment=assignment, grades=[Grade.objects.get()], by=teacher)
        released_before: Any = Grade.objects.get().released
        resynthesise_audit(audit=audit, rubric_version=heavier, by=teacher)
        grade = Grade.objects.get()
        assert (grade.released, grade.changed) == (released_before, True)
        assert SupersededReport.objects.get().digest == released_before["digest"]


def test_override_stays_after_resynthesis():
    assignment = small_assignment()
    audit, heavier = judged(assignment), next_version(assignment, tidy=20.0)
    teacher = staff_user(assignment.organization)
    with everywhere():
        override_criterion(
            submission=audit.submission,
            criterion_id="tidy",
            score=5,
            reason="Seen by hand.",
            by=teacher,
        )
        resynthesise_audit(audit=audit, rubric_version=heavier, by=teacher)
        grade = Grade.objects.get()
        verdicts = dict(scores(audit))

    assert (grade.overridden, grade.overall_score) == (1, (5 + (verdicts["tested"] or 0)) / 2)


def test_resynthesis_without_scores_is_refused():
    audit = judged(small_assignment())
    elsewhere = RubricVersionFactory(
        rubric=audit.rubric_version.rubric,
        number=2,
        state="superseded",
        document=audit.rubric_version.document | {"criteria": [{"id": "new", "name": "New"}]},
    )
    assert refusal(audit, elsewhere) == "nothing_scored"

    with everywhere():
        assert (now(audit).report_digest, now(audit).state) == (
            audit.report_digest,
            AuditState.DONE,
        )
