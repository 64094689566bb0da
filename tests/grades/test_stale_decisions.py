"""Decisions on a page that is out of date: the later state decides."""

from __future__ import annotations

import pytest
from django_scopes import scope

from grading.appeals.decisions import change_score, escalate_appeal, keep_verdict, rejudge_criterion
from grading.core.enums import AppealState, Role
from grading.core.errors import AppealRefused
from grading.engine.rubrics import document_digest
from grading.models import RubricVersion
from grading.rubrics.actions import publish_rubric_version, save_draft
from tests.factories.people import everywhere, staff_user
from tests.factories.released import Released, filed
from tests.factories.work import RubricVersionFactory, rubric_document

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.mark.parametrize(
    ("action", "given"),
    [
        (keep_verdict, {"answer": "It was weighed."}),
        (change_score, {"answer": "Read again.", "score": 1}),
        (rejudge_criterion, {}),
    ],
)
def test_appeal_opened_before_escalation_cannot_be_answered(action, given):
    released = Released()
    owner = staff_user(released.organization, Role.OWNER)
    opened = released.now(filed(released))
    with scope(organization=released.organization):
        escalate_appeal(appeal=released.now(opened), by=owner)
        with pytest.raises(AppealRefused) as refused:
            action(appeal=opened, by=released.teacher, **given)

    assert (refused.value.code, released.now(opened).state) == (
        "appeal_over",
        AppealState.ESCALATED,
    )


def test_last_saved_draft_is_published():
    opened = RubricVersionFactory(draft=True)
    with everywhere():
        saved = save_draft(
            version=RubricVersion.objects.get(pk=opened.pk),
            document=rubric_document("tidy", "neat"),
            why="",
            expected_digest=document_digest(opened.document),
            by=None,
        )
        published = publish_rubric_version(version=opened, by=None)

    assert published.document == saved.document
