"""The communication log as its owner, a peer and the staff read it, and the table of who exchanged what."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from grading.core.enums import Anonymity, EntryKind, FindingState, ReleasePolicy
from grading.models import CommunicationEntry, Finding
from tests.factories.grades import GradeFactory
from tests.factories.peer_round_work import SCRIPT, Circle, client_of, read
from tests.factories.peers import CommunicationEntryFactory, FindingResponseFactory, PairingFactory
from tests.factories.people import EnrollmentFactory, everywhere, staff_user, student
from tests.factories.work import AuditFactory
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
ENTRY = {
    "path": "audit/proactive_communication.md",
    "line": 3,
    "date": "2026-02-20",
    "kinds": ["blocker"],
}
FILED = {"minmax": {"generated": ["a.md"], "self": [], "received": []}, "deferrals": None}


def wrote(circle: Circle, member: Any, text: str, pairing: Any = None, **fields: Any) -> Any:
    return CommunicationEntryFactory.create(
        assignment=circle.assignment, student=member, text=text, pairing=pairing, **fields
    )


def entries(page: str) -> list[str]:
    listed = re.findall(r"<li class=\"panel.*?</li>", page, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", item).split()) for item in listed]


def sent(person: Any, address: str, **fields: Any) -> Any:
    return client_of(person).post(
        address, {"kind": "progress", "text": "It runs.", "pairing": ""} | fields
    )


def log_of(circle: Circle, member: Any) -> Any:
    with everywhere():
        return list(
            CommunicationEntry.objects.filter(student=member).values_list("kind", "text", "pairing")
        )


def test_an_empty_log_says_so_and_asks_for_an_entry():
    circle = Circle()
    page = read(circle.ada, circle.page("communication"))
    assert "No entries yet." in page
    assert "0</strong> on blockers" in page
    assert faults_of(page) == []


def test_an_entry_is_posted_and_read_by_nobody_else():
    circle = Circle()
    address = circle.page("communication")
    assert sent(circle.ada, address).status_code == 302
    assert log_of(circle, circle.ada) == [("progress", "It runs.", None)]
    (entry,) = entries(read(circle.ada, address))
    assert entry.startswith("Progress ")
    assert entry.endswith("UTC It runs.")
    assert entries(read(circle.bob, address)) == []


def test_what_is_wrong_stands_beside_its_field_and_nothing_typed_is_lost():
    circle = Circle()
    answer = sent(circle.ada, circle.page("communication"), kind="gossip", text="Only this.")
    page = answer.content.decode()
    assert (answer.status_code, "gossip is not one of" in page, "Only this." in page) == (
        200,
        True,
        True,
    )
    assert log_of(circle, circle.ada) == []
    assert faults_of(page) == []


def test_a_pairing_that_is_not_ones_own_is_as_missing_as_one_that_is_not_there():
    circle = Circle()
    address, other_pairing = circle.page("communication"), circle.of(circle.bob)
    assert sent(circle.ada, address, pairing=str(other_pairing.pk)).status_code == 200
    assert log_of(circle, circle.ada) == []
    for value in (other_pairing.pk, "nonsense"):
        assert client_of(circle.ada).get(f"{address}?pairing={value}").status_code == 404


def test_under_a_blind_pairing_each_side_reads_the_other_without_what_tells_who_they_are():
    circle = Circle()
    pairing = circle.of(circle.ada)
    wrote(circle, circle.ada, f"Ada Alpha here, {circle.ada.email}: the clone hangs.", pairing)
    wrote(circle, circle.ada, "For myself.")
    page = read(circle.bob, circle.page("communication"))
    (entry,) = entries(page)
    assert entry.startswith("Progress Peer 481 ")
    assert entry.endswith(": the clone hangs.")
    assert "UTC" not in entry
    assert [word for word in ("Ada", "Alpha", circle.ada.email, "For myself") if word in page] == []


def test_in_an_open_round_both_are_called_by_their_names():
    circle = Circle(Anonymity.OPEN)
    wrote(circle, circle.ada, "Ada Alpha here.", circle.of(circle.ada))
    (entry,) = entries(read(circle.bob, circle.page("communication")))
    assert (entry.startswith("Progress Ada Alpha "), entry.endswith("Ada Alpha here.")) == (
        True,
        True,
    )


def test_one_pairings_messages_are_shown_alone():
    circle = Circle()
    pairing = circle.of(circle.ada)
    wrote(circle, circle.ada, "For myself.")
    wrote(circle, circle.ada, "To Bob.", pairing)
    page = read(circle.ada, f"{circle.page('communication')}?pairing={pairing.pk}")
    (entry,) = entries(page)
    assert "for Peer 482" in entry
    assert f'<option value="{pairing.pk}" selected>' in page
    assert "Messages with Peer 482" in page


def test_a_pairing_that_has_ended_grants_nothing_and_keeps_what_one_wrote():
    circle = Circle()
    pairing = circle.of(circle.ada)
    wrote(circle, circle.ada, "To Bob.", pairing)
    wrote(circle, circle.bob, "To Ada.", pairing)
    with everywhere():
        pairing.ended_at = pairing.created_at
        pairing.save()
    (entry,) = entries(read(circle.ada, circle.page("communication")))
    assert "for a peer of an ended pairing" in entry


def test_staff_choose_a_log_and_read_all_of_it_with_names():
    circle = Circle()
    wrote(circle, circle.ada, "To Bob.", circle.of(circle.ada), kind=EntryKind.DESIGN)
    teacher, address = staff_user(circle.organization), circle.page("communication")
    listed = read(teacher, address)
    assert (f"?student={circle.ada.pk}" in listed, faults_of(listed)) == (True, [])
    page = read(teacher, f"{address}?student={circle.ada.pk}")
    (entry,) = entries(page)
    assert entry.startswith("Design note Ada Alpha for Bob Beta ")
    assert ("Post an entry" in page, faults_of(page)) == (False, [])
    assert sent(teacher, f"{address}?student={circle.ada.pk}").status_code == 404
    assert client_of(teacher).get(f"{address}?student=0").status_code == 404


def test_words_are_never_markup():
    circle = Circle()
    wrote(circle, circle.ada, SCRIPT, circle.of(circle.ada))
    for person in (circle.ada, circle.bob):
        assert "<script>alert" not in read(person, circle.page("communication"))


def audited(circle: Circle, facts: dict[str, Any], member: Any = None) -> Any:
    work = circle.work[(member or circle.ada).pk]
    audit = AuditFactory.create(submission=work, done=True, report={"facts": facts})
    GradeFactory.create(assignment=circle.assignment, student=work.student, audit=audit)
    return audit


def test_the_log_of_the_repository_stands_beside_that_of_the_site():
    circle = Circle(release_policy=ReleasePolicy.PROVISIONAL)
    audited(circle, {"communication_entries": [ENTRY]})
    page = read(circle.ada, circle.page("communication"))
    assert ">audit/proactive_communication.md:3</a></code>" in page
    assert "1 in the repository" in page


def test_what_the_repository_shows_waits_for_the_release():
    circle = Circle(release_policy=ReleasePolicy.AFTER_RELEASE)
    audited(circle, {"communication_entries": [ENTRY]})
    assert "In the repository" not in read(circle.ada, circle.page("communication"))
    filtered_page = f"{circle.page('communication')}?student={circle.ada.pk}"
    assert "In the repository" in read(staff_user(circle.organization), filtered_page)


def queries_of(person: Any, address: str) -> int:
    client = client_of(person)
    client.get(address)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


def test_a_longer_log_costs_no_more_queries():
    circle = Circle()
    address = circle.page("communication")
    wrote(circle, circle.cy, "One.", circle.of(circle.cy))
    before = queries_of(circle.ada, address)
    for number in range(5):
        wrote(circle, circle.cy, f"More {number}.", circle.of(circle.cy))
        wrote(circle, circle.ada, f"Mine {number}.", circle.of(circle.ada))
    assert queries_of(circle.ada, address) == before


# -- who exchanged what ---------------------------------------------------------------------------


def answered(circle: Circle) -> None:
    """Of two findings that Ada received one was deferred; Bob, who gave them, wrote an entry."""
    circle.audited(circle.cy)
    circle.brought(circle.cy)
    with everywhere():
        finding = Finding.objects.filter(student=circle.ada).first()
    FindingResponseFactory.create(finding=finding)
    wrote(circle, circle.cy, "One.")


def row_of(page: str, name: str) -> str:
    (row,) = [row for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL) if name in row]
    return " ".join(re.sub(r"<[^>]+>", " ", row).split())


def test_the_table_tells_each_students_facts():
    circle = Circle()
    answered(circle)
    audited(circle, FILED, circle.bob)
    page = read(staff_user(circle.organization), circle.page("peer-facts"))
    assert (
        row_of(page, "Ada Alpha")
        == "Ada Alpha yes 0 given, 1 received 2 1 1 deferred, 0 contested 0 0 —"
    )
    assert row_of(page, "Bob Beta") == (
        "Bob Beta no 0 given, 0 received in the repository 1 and 0 — — — 0 —"
    )
    assert row_of(page, "Cy Gamma").startswith(
        "Cy Gamma unknown 1 given, 0 received — — — 1 0 of 1 confirmed"
    )
    assert faults_of(page) == []


def test_somebody_of_whom_neither_site_nor_repository_tells_is_not_called_idle():
    circle = Circle()
    page = read(staff_user(circle.organization), circle.page("peer-facts"))
    assert row_of(page, "Ada Alpha").startswith("Ada Alpha unknown 0 given")


def test_a_fixed_finding_is_counted_as_answered():
    circle = Circle()
    circle.audited(circle.cy)
    work = circle.handed_in(circle.ada, attempt=2)
    with everywhere():
        Finding.objects.update(
            state=FindingState.FIXED, fixed_submission=work, fixed_commit="d" * 40
        )
    page = read(staff_user(circle.organization), circle.page("peer-facts"))
    assert row_of(page, "Ada Alpha") == "Ada Alpha yes 0 given, 1 received 1 1 1 0 —"


def test_the_table_as_csv_leaves_empty_what_is_not_known_and_disarms_formulas():
    circle = Circle()
    answered(circle)
    EnrollmentFactory.create(cohort=circle.cohort, name="=cmd()", email="eve@example.org")
    answer = client_of(staff_user(circle.organization)).get(circle.page("peer-facts-csv"))
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    rows = {
        row["email"]: row for row in csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    }
    eve, ada = rows["eve@example.org"], rows[circle.ada.email]
    assert (eve["student"], eve["exchanged"], eve["confirmed"]) == ("'=cmd()", "", "")
    assert (ada["exchanged"], ada["findings_received"], ada["deferred"]) == ("yes", "2", "1")


def test_a_larger_cohort_costs_no_more_queries():
    circle = Circle()
    answered(circle)
    teacher, address = staff_user(circle.organization), circle.page("peer-facts")
    before = queries_of(teacher, address)
    for number in range(4):
        other = student(circle.cohort, name=f"Student {number}")
        PairingFactory.create(round=circle.round, auditor=other, auditee=circle.ada)
        wrote(circle, other, "More.")
    assert queries_of(teacher, address) == before
