"""Pages of the audited files and of the submitted PDF."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client

from grading.engine.stored_sources import pack_sources
from grading.models import Assignment, Audit, AuditContents, Enrollment
from tests.factories.example_report import COMMIT, REPO_URL, report_json
from tests.factories.graded_work import page_of_audit, signed_in
from tests.factories.people import EnrollmentFactory, everywhere
from tests.factories.work import AuditFactory, SubmissionFactory

pytestmark = pytest.mark.django_db
GRAPH = "".join(f"node_{number} = {number}\n" for number in range(1, 41))
FIRST = {
    "src/graph.py": ("1", GRAPH),
    "README.md": ("2", "# Work\n"),
    "old.py": ("3", "gone = 1\n"),
}
SECOND = {
    "src/graph.py": ("4", GRAPH.replace("node_20 = 20", "node_20 = 'twenty'")),
    "README.md": ("2", "# Work\n"),
    "<b>.py": ("5", "new = 1\n"),
    "picture.png": ("6", None),
}


def attempt(
    assignment: Assignment,
    student: Enrollment,
    number: int,
    files: Mapping[str, tuple[str, str | None]] | None,
    **more: Any,
) -> Audit:
    submission = SubmissionFactory.create(
        assignment=assignment,
        student=student,
        attempt=number,
        repo_url=REPO_URL,
        resolved_commit=COMMIT,
        **more,
    )
    audit = AuditFactory.create(submission=submission, done=True, report=report_json())
    if files is not None:
        with everywhere():
            AuditContents.objects.create(
                organization=audit.organization, audit=audit, sources=pack_sources(files)
            )
    return audit


def with_pdf() -> dict[str, Any]:
    return {
        "pdf": ContentFile(b"%PDF-1.7", name="x.pdf"),
        "pdf_name": "my <report>.pdf",
    }


@pytest.fixture
def client_of_ada(ada: Enrollment) -> Client:
    return signed_in(ada.user)


@pytest.fixture
def second(assignment: Assignment, ada: Enrollment) -> Audit:
    attempt(assignment, ada, 1, FIRST)
    return attempt(assignment, ada, 2, SECOND)


def page(client: Client, audit: Audit, **query: str) -> str:
    answer = client.get(page_of_audit(audit, "audit-code"), query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_files_are_listed_with_those_that_changed_first(
    client_of_ada: Client, second: Audit
) -> None:
    html = page(client_of_ada, second)
    files = re.escape(page_of_audit(second, "audit-code"))
    chip = r'<span class="chip[^"]*">(\w+)</span>'
    rows = re.findall(rf'{chip}\s*<a href="{files}([^"]*)"', html)
    assert rows == [
        ("added", "?path=%3Cb%3E.py"),
        ("removed", "?path=old.py"),
        ("added", "?path=picture.png"),
        ("changed", "?path=src%2Fgraph.py"),
    ]
    assert html.index("Unchanged") < html.index("README.md")
    assert "<b>.py" not in html


def test_cited_lines_stand_beside_those_of_the_attempt_before(
    client_of_ada: Client, second: Audit
) -> None:
    html = page(client_of_ada, second, path="src/graph.py", first="20", last="20")
    numbers = re.findall(r'<td class="no">(\d+)</td>', html)
    assert numbers == [str(number) for number in range(10, 31)]
    (changed,) = re.findall(r'<tr class="changed cited" id="cited">(.*?)</tr>', html, re.DOTALL)
    assert f'href="{REPO_URL}/blob/{COMMIT}/src/graph.py#L20"' in html
    words = re.sub(r"<[^>]*>|\s", "", changed)
    assert unescape(words) == "20node_20=2020node_20='twenty'"


def test_file_without_cited_lines_shows_its_changes_and_an_unchanged_one_its_text(
    client_of_ada: Client, second: Audit
) -> None:
    changed = page(client_of_ada, second, path="src/graph.py")
    assert (changed.count('class="changed"'), changed.count('class="same"')) == (1, 20)
    same = page(client_of_ada, second, path="README.md")
    assert "The file is the same in attempt 1." in same
    assert (same.count('class="same"'), 'class="old"' in same) == (1, False)


def test_added_removed_and_binary_files_say_what_they_are(
    client_of_ada: Client, second: Audit
) -> None:
    assert "Attempt 1 has no such file." in page(client_of_ada, second, path="<b>.py")
    assert "This attempt has no such file" in page(client_of_ada, second, path="old.py")
    assert "text of this file is not kept" in page(client_of_ada, second, path="picture.png")


def test_text_that_only_the_attempt_before_lacks_is_said_of_that_attempt(
    client_of_ada: Client, assignment: Assignment, ada: Enrollment
) -> None:
    attempt(assignment, ada, 1, {"data.txt": ("1", None)})
    audit = attempt(assignment, ada, 2, {"data.txt": ("2", "one\n")})
    words = " ".join(page(client_of_ada, audit, path="data.txt").split())
    assert "text of this file in attempt 1 is not kept" in words


@pytest.mark.parametrize("first", ["0", "41", "-1", "x", "9" * 5000, "²"])
def test_lines_that_the_file_does_not_have_are_ignored(
    client_of_ada: Client, second: Audit, first: str
) -> None:
    html = page(client_of_ada, second, path="src/graph.py", first=first)
    assert "cited" not in html.replace("cited.0", "")


def test_unknown_path_is_not_found(client_of_ada: Client, second: Audit) -> None:
    for path in ("src/none.py", "../../etc/passwd", "/etc/passwd"):
        answer = client_of_ada.get(page_of_audit(second, "audit-code"), {"path": path})
        assert answer.status_code == 404


def test_audit_without_kept_files_names_the_repository(
    client_of_ada: Client, assignment: Assignment, ada: Enrollment
) -> None:
    audit = attempt(assignment, ada, 1, None)
    html = page(client_of_ada, audit, path="src/graph.py", first="3")
    assert "not kept here" in html
    assert REPO_URL in html


def test_first_attempt_is_compared_with_nothing(
    client_of_ada: Client, assignment: Assignment, ada: Enrollment
) -> None:
    audit = attempt(assignment, ada, 1, FIRST)
    assert "Compared" not in page(client_of_ada, audit)
    assert 'class="old"' not in page(client_of_ada, audit, path="src/graph.py", first="3")


def test_work_is_never_compared_with_that_of_somebody_else(
    client_of_ada: Client, assignment: Assignment, ada: Enrollment
) -> None:
    other = EnrollmentFactory.create(cohort=assignment.cohort)
    attempt(assignment, other, 1, FIRST)
    audit = attempt(assignment, ada, 2, SECOND)
    assert "Compared" not in page(client_of_ada, audit)


def test_pdf_is_sent_to_be_shown_here_and_nowhere_else(
    client_of_ada: Client, assignment: Assignment, ada: Enrollment
) -> None:
    audit = attempt(assignment, ada, 1, None, **with_pdf())
    answer: Any = client_of_ada.get(page_of_audit(audit, "audit-pdf-file"))
    assert b"".join(answer.streaming_content) == b"%PDF-1.7"
    headers = answer.headers
    assert headers["Content-Type"] == "application/pdf"
    assert headers["Content-Disposition"].startswith("inline; ")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "SAMEORIGIN"
    policy = headers["Content-Security-Policy"]
    assert ("default-src 'none'" in policy, "frame-ancestors 'self'" in policy) == (True, True)

    viewer = client_of_ada.get(page_of_audit(audit, "audit-pdf"), {"page": "3"})
    html = viewer.content.decode()
    assert f'src="{page_of_audit(audit, "audit-pdf-file")}#page=3"' in html
    assert "my &lt;report&gt;.pdf" in html
    assert "frame-src 'self'" in viewer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in viewer.headers["Content-Security-Policy"]


def test_attempt_without_pdf_says_so(
    client_of_ada: Client, assignment: Assignment, ada: Enrollment
) -> None:
    audit = attempt(assignment, ada, 1, None)
    assert client_of_ada.get(page_of_audit(audit, "audit-pdf-file")).status_code == 404
    viewer = client_of_ada.get(page_of_audit(audit, "audit-pdf"))
    assert "No PDF report was submitted" in viewer.content.decode()


def test_pdf_that_is_gone_or_not_the_submitted_one_is_a_failure_of_the_site(
    client_of_ada: Client, assignment: Assignment, ada: Enrollment
) -> None:
    audit = attempt(assignment, ada, 1, None, **with_pdf())
    name = str(audit.submission.pdf)
    default_storage.delete(name)
    gone = client_of_ada.get(page_of_audit(audit, "audit-pdf-file"))
    default_storage.save(name, ContentFile(b"%PDF-1.7 of another"))
    another = client_of_ada.get(page_of_audit(audit, "audit-pdf-file"))
    assert (gone.status_code, another.status_code) == (500, 500)
    assert "is gone from the store" in gone.text
    assert "not the one that was submitted" in another.text


def test_every_place_of_a_report_leads_to_its_code(client_of_ada: Client, second: Audit) -> None:
    html = client_of_ada.get(page_of_audit(second)).content.decode()
    code = re.escape(page_of_audit(second, "audit-code"))
    places = re.findall(rf'href="{code}\?path=[^"]*" aria-label="Code of ([^"]*)"', html)
    assert {place.partition(":")[0] for place in places} >= {"src/graph.py"}
