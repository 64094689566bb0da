"""Findings of verdicts from before findings were kept: they are written down as the others are."""

from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef
from django_scopes import scope

from grading.core.enums import JUDGED_STATES
from grading.findings.actions import record_findings
from grading.models import Audit, Finding, Organization


def record_earlier_findings() -> int:
    """How many audits were gone through, of students at an assignment of whose work nothing was known to be mended.

    Safe to run again, by several at once. Work in which nothing is to be mended is gone through each time.
    """
    recorded = 0
    for organization in Organization.objects.all():
        with scope(organization=organization):
            for key in _unrecorded():
                with transaction.atomic():
                    record_findings(audit=Audit.objects.select_related("submission").get(pk=key))
                recorded += 1
    return recorded


def _unrecorded() -> list[UUID]:
    known = Finding.objects.filter(
        assignment=OuterRef("submission__assignment"), student=OuterRef("submission__student")
    )
    audits = Audit.objects.filter(~Exists(known), state__in=JUDGED_STATES)
    return list(audits.order_by("submission__attempt", "created_at").values_list("pk", flat=True))
