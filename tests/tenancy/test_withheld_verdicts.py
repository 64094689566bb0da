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

    def gone(self) -> list[list[str]]:
        """What the pages of whose work it is, and of who audited it, call gone."""
        return [
            re.findall(r"\d(?: of \d)? fixed", self._words(each)) for each in (self.ada, self.cy)
        ]

    def _words(self, reader: Any) -> str:
        return re.sub(r"<[^>]+>", "", read(reader, self.page("peers")))

    def letter_to_ada(self) -> str:
        with everywhere():
            remind(round=self.round, by=None)
            return Notice.objects.get(user=self.ada.user).body


def test_what_only_a_withheld_verdict_knows_to_be_gone_is_called_gone_nowhere() -> None:
    circle = Mended()
    assert circle.gone() == [["0 of 1 fixed"], ["0 of 0 fixed"]]
    assert "1 answer to a peer's finding" in circle.letter_to_ada()
    with everywhere():
        Assignment.objects.update(release_policy=ReleasePolicy.PROVISIONAL)
    assert circle.gone() == [["1 of 1 fixed", "1 fixed"], ["0 of 0 fixed", "1 fixed"]]


def test_what_a_later_audit_of_a_peer_no_longer_finds_is_gone_at_once() -> None:
    circle = Mended()
    seen_by_peer = AuditFactory.create(submission=circle.again, kind=AuditKind.PEER, done=True)
    with everywhere():
        FindingSighting.objects.filter(present=False).update(audit=seen_by_peer)
    assert circle.gone() == [["1 of 1 fixed", "1 fixed"], ["0 of 0 fixed", "1 fixed"]]


def test_a_peers_audit_is_told_nothing_of_the_others_exchange() -> None:
    circle = Mended()
    peers = AuditFactory.create(submission=circle.again, kind=AuditKind.PEER)
    own = AuditFactory.create(submission=circle.again)
    with everywhere():
        told = [exchange_fact_of(audit, Known()) for audit in (own, peers)]
    assert [fact and fact.received for fact in told] == [1, None]
