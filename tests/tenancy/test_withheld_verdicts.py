"""Before a release nothing of a withheld verdict is told by a count, a letter or a peer's report."""

from __future__ import annotations

import re
from typing import Any

import pytest

from courtroom import Known
from grading.core.enums import AuditKind, FindingState, ReleasePolicy
from grading.engine.audits import exchange_fact_of
from grading.models import Assignment, Finding, FindingSighting, Notice
from grading.peer_review.rounds.reminders import remind
from tests.factories.peer_round_work import Circle, read
from tests.factories.people import everywhere
from tests.factories.work import AuditFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


class Mended(Circle):
    """Cy has audited Ada and found one thing; only the audit of Ada's next attempt knows that it is gone."""

    def __init__(self, **assignment: Any) -> None:
        super().__init__(release_policy=ReleasePolicy.AFTER_RELEASE, **assignment)
        self.audited(self.cy)
        self.again = self.handed_in(self.ada, attempt=2)
        verdict = AuditFactory.create(submission=self.again, done=True)
        with everywhere():
            finding = Finding.objects.get(student=self.ada)
            FindingSighting.objects.create(
                organization=self.organization,
                finding=finding,
                submission=self.again,
                audit=verdict,
                present=False,
            )
            Finding.objects.update(state=FindingState.FIXED, fixed_submission=self.again)

    def fixed_counts(self) -> list[list[str]]:
        """Counts of fixed findings on the pages of the owner and of the auditor."""
        return [
            re.findall(r"\d(?: of \d)? fixed", self._text(reader)) for reader in (self.ada, self.cy)
        ]

    def _text(self, reader: Any) -> str:
        return " ".join(re.sub(r"<[^>]+>", "", read(reader, self.page("peers"))).split())

    def email_to_ada(self) -> str:
        with everywhere():
            remind(round=self.round, by=None)
            return Notice.objects.get(user=self.ada.user).body


def test_finding_fixed_only_in_a_withheld_verdict_is_not_shown_as_fixed() -> None:
    circle = Mended()
    assert circle.fixed_counts() == [["0 of 1 fixed"], ["0 of 0 fixed"]]
    assert "1 answer to a peer's finding" in circle.email_to_ada()
    with everywhere():
        Assignment.objects.update(release_policy=ReleasePolicy.PROVISIONAL)
    assert circle.fixed_counts() == [["1 of 1 fixed", "1 fixed"], ["0 of 0 fixed", "1 fixed"]]


def test_finding_missing_in_a_later_peer_audit_is_shown_as_fixed() -> None:
    circle = Mended()
    seen_by_peer = AuditFactory.create(submission=circle.again, kind=AuditKind.PEER, done=True)
    with everywhere():
        FindingSighting.objects.filter(present=False).update(audit=seen_by_peer)
    assert circle.fixed_counts() == [["1 of 1 fixed", "1 fixed"], ["0 of 0 fixed", "1 fixed"]]


def test_peer_audit_gets_no_exchange_facts() -> None:
    circle = Mended()
    peers = AuditFactory.create(submission=circle.again, kind=AuditKind.PEER)
    own = AuditFactory.create(submission=circle.again)
    with everywhere():
        facts = [exchange_fact_of(audit, Known()) for audit in (own, peers)]
    assert [fact and fact.received for fact in facts] == [1, None]
