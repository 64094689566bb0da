"""Previews: results under another rubric equal those after its publication."""

import copy

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from grading.core.enums import RubricState
from grading.engine.rubrics import document_digest, settled_rubric
from grading.grades.actions import override_criterion
from grading.models import Audit, CriterionVerdict, Grade
from grading.rubrics.actions import publish_reviewed_draft
from grading.rubrics.previews import cohort_preview
from grading.workflow import resynthesise_audit
from tests.factories.people import staff_user
from tests.factories.preview_works import document, judged_assignment
from tests.factories.work import RubricVersionFactory

pytestmark = pytest.mark.django_db
COLUMNS = (
    "criterion_id",
    "name",
    "score",
    "level",
    "points",
    "max_points",
    "needs_review",
    "excluded",
)


@pytest.fixture
def assignment(judged):
    return judged


@pytest.fixture
def cohort(assignment):
    return assignment.cohort


@pytest.fixture
def teacher(cohort):
    return staff_user(cohort.organization)


def other_points(text):
    text["criteria"][0]["levels"][2]["points"] = 10
    text["criteria"][1]["weight"] = 3


def other_rules(text):
    harsh = {"kind": "weighted_average", "prosecutor": 1, "defense": 0, "tech_lead": 0}
    text["constitution"] = {"id": "harsh", "rules": [harsh]}


def other_checks(text):
    """Change a weight, add a check on facts and one that needs the repository."""
    text["criteria"][1]["checks"][1]["weight"] = 4
    text["criteria"][0]["checks"].append(
        {
            "id": "tidy.eval",
            "kind": "unsafe_call",
            "goal": "No eval",
            "polarity": "negative",
            "any_of": ["eval_exec"],
        }
    )
    text["criteria"][0]["checks"].append(
        {"id": "tidy.tests", "kind": "file_exists", "goal": "Tests", "any_of": ["tests/**"]}
    )


def other_criteria(text):
    """Replace a criterion by one that stored reports cannot answer."""
    unknown = {"id": "new.ci", "kind": "file_exists", "goal": "CI", "any_of": [".ci/**"]}
    text["criteria"][0] = {"id": "new", "name": "New", "max_points": 10, "checks": [unknown]}


CHANGES = (other_points, other_rules, other_checks, other_criteria)


def revised(change):
    """Return the document after `change`."""
    text = copy.deepcopy(document(version="2"))
    change(text)
    return text


def preview(assignment, text, **options):
    return cohort_preview.preview(assignment, text, **options)


def by_person(changes):
    return {str(change.grade.student): change for change in changes}


def test_same_document_changes_nothing(assignment):
    assert [
        (change.is_changed, change.moved, change.distance, change.refusal)
        for change in preview(assignment, document())
    ] == [(False, {}, 0.0, "")] * 3


@pytest.mark.parametrize("change", CHANGES)
def test_results_after_publishing_equal_the_preview(assignment, teacher, change):
    override_criterion(
        submission=Audit.objects.get(submission__student__name="Student 001").submission,
        criterion_id="safe",
        score=2,
        reason="Read by hand.",
        by=teacher,
    )
    draft = RubricVersionFactory(
        rubric=assignment.rubric_version.rubric, number=2, draft=True, document=revised(change)
    )
    changes = preview(assignment, draft.document)
    version = publish_reviewed_draft(
        version=draft, expected_digest=document_digest(draft.document), by=teacher
    )
    for audit in Audit.objects.all():
        resynthesise_audit(audit=audit, rubric_version=version, by=teacher)

    assert {name: previewed(row) for name, row in by_person(changes).items()} == {
        str(grade.student): stored(grade)
        for grade in Grade.objects.select_related("student", "audit")
    }
    assert any(row.is_changed for row in changes)
    # Applied once, the same version changes nothing more.
    assert not any(row.is_changed for row in preview(assignment, version.document))


def previewed(change):
    """Return the previewed rows, and the totals with overrides applied."""
    rows = [tuple(getattr(row, name) for name in COLUMNS) for row in change.verdict.criteria]
    return (
        rows,
        change.after.overall_score,
        change.after.points_earned,
        change.after.points_possible,
    )


def stored(grade):
    rows = CriterionVerdict.objects.filter(audit=grade.audit).order_by("position")
    return (
        list(rows.values_list(*COLUMNS)),
        grade.overall_score,
        grade.points_earned,
        grade.points_possible,
    )


def test_override_stays_before_and_after(assignment, teacher):
    submission = Audit.objects.get(submission__student__name="Student 001").submission
    override_criterion(
        submission=submission, criterion_id="tidy", score=5, reason="It is.", by=teacher
    )
    change = by_person(preview(assignment, revised(other_points)))["Student 001"]

    assert (
        [row.score for row in change.before.criteria]
        == [row.score for row in change.after.criteria]
        == [5, 5]
    )
    assert (change.overridden, list(change.moved)) == ({"tidy"}, [])


def test_check_on_repository_is_open_and_check_on_facts_is_answered(assignment):
    changes = preview(assignment, revised(other_checks))
    assert [dict(change.verdict.open_checks) for change in changes] == [{"tidy": ("Tests",)}] * 3
    assert [change.verdict.reheard for change in changes] == [{"tidy", "safe"}] * 3


def test_criterion_without_any_evidence_needs_review(assignment):
    change = preview(assignment, revised(other_criteria))[0]
    before, after = change.pairs["new"]
    assert (before, after.score, after.needs_review) == (None, None, True)
    assert change.pairs["tidy"][1] is None
    assert (change.after.overall_score, change.distance, change.direction) == (None, 1.0, 0)


def test_verdict_without_any_score_is_refused_with_its_reason(assignment):
    def nothing_known(text):
        other_criteria(text)
        del text["criteria"][1]

    changes = preview(assignment, revised(nothing_known))

    assert {(change.after, change.is_changed, change.refusal[:24]) for change in changes} == {
        (None, False, "nothing could be scored ")
    }


def test_model_opinions_on_another_text_are_outdated_before_and_after_publishing(
    assignment, teacher
):
    audit = Audit.objects.get(submission__student__name="Student 000")
    report = by_models(audit)
    text = revised(lambda text: text["criteria"][0].update(instruction="Look closely."))
    [change] = [row for row in preview(assignment, text) if row.grade.audit_id == audit.pk]

    assert (change.verdict.outdated, change.verdict.reheard, change.is_changed) == (
        {"tidy"},
        set(),
        False,
    )
    version = RubricVersionFactory(
        rubric=assignment.rubric_version.rubric,
        number=2,
        document=text,
        state=RubricState.SUPERSEDED,
        digest=document_digest(settled_rubric(text)),
    )
    resynthesise_audit(audit=audit, rubric_version=version, by=teacher)
    [again] = [row for row in preview(assignment, text) if row.grade.audit_id == audit.pk]
    stored = Audit.objects.get(pk=audit.pk).report
    assert stored is not None
    assert (again.verdict.outdated, stored["judges"]) == (
        {"tidy"},
        report["judges"],
    )


def by_models(audit):
    """Store the audit's report as if models had given all its opinions."""
    for judge in audit.report["judges"].values():
        judge |= {"kind": "llm", "model": "some-model"}
    audit.save()
    return audit.report


def test_unreadable_report_is_refused_and_others_are_previewed(assignment):
    broken = Audit.objects.get(submission__student__name="Student 000")
    Audit.objects.filter(pk=broken.pk).update(report={"schema": "automaton-auditor/report@0"})
    changes = by_person(preview(assignment, revised(other_points)))

    assert {
        name: (change.after is None, bool(change.refusal)) for name, change in changes.items()
    } == {
        "Student 000": (True, True),
        "Student 001": (False, False),
        "Student 002": (False, False),
    }


def test_preview_can_use_the_rules_of_a_preset(assignment):
    text = revised(other_rules)
    assert any(change.is_changed for change in preview(assignment, text))
    assert not any(change.is_changed for change in preview(assignment, text, rules="default"))


def test_preview_only_reads_and_its_queries_do_not_grow(cohort):
    statements = []
    for works in ((0,), (0, 1, 2, 1)):
        assignment = judged_assignment(works=works, cohort=cohort)
        with CaptureQueriesContext(connection) as queries:
            preview(assignment, revised(other_checks))
        statements.append([query["sql"].split()[0] for query in queries])

    # DECLARE is the server-side cursor that reads the reports.
    assert set(statements[0]) <= {"SELECT", "DECLARE"}
    assert statements[0] == statements[1]
