"""The example client of the documentation does what it says, and so does each of its commands: against a site that runs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django_scopes import scope

from grading.api.tokens.actions import create_token
from grading.core.enums import ApiScope
from grading.models import FindingResponse, Submission
from tests.factories.example_report import report_json
from tests.factories.pdfs import Page, make_pdf
from tests.factories.people import CohortFactory, staff_user, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.webhooks import WebhookFactory
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory

pytestmark = pytest.mark.processes

DOCS = Path(__file__).resolve().parents[2] / "docs"
CLIENT = DOCS / "api_client.py"
MOST_LINES = 40
ABSENT = "the commands of docs/api.md are curl's, and there is none here"


def test_it_is_short_enough_to_be_read() -> None:
    assert len(CLIENT.read_text().splitlines()) <= MOST_LINES


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_it_hands_in_waits_reads_and_answers(live_server, worker, tmp_path) -> None:
    make_repository(tmp_path / "work.git", [Commit("Begin", {"main.py": "print(1)\n"})])
    assignment = AssignmentFactory(cohort=CohortFactory())
    ada = student(assignment.cohort)
    place = f"{ada.organization.slug}/{ada.cohort.slug}/{assignment.slug}"
    done = subprocess.run(
        [sys.executable, str(CLIENT), place, str(tmp_path / "work.git")],
        env=os.environ | {"AUDITOR": live_server.url, "TOKEN": token_of(ada.user)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    printed = done.stdout.splitlines()
    assert printed[0].split()[0] in {"done", "needs_review"}
    assert {line.partition(":")[0] for line in printed[1:3]} == {"Tidy", "Tested"}
    with scope(organization=assignment.organization):
        assert Submission.objects.get().repo_url == str(tmp_path / "work.git")
        answers = FindingResponse.objects.values_list("kind", flat=True)
        assert set(answers) == {"will_fix"}
        assert len(answers) == len(printed) - 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("redis")
def test_each_command_of_the_page_does_what_it_says(live_server, tmp_path) -> None:
    if shutil.which("curl") is None:
        (pytest.fail if os.environ.get("REQUIRE_PEERS") == "1" else pytest.skip)(ABSENT)
    make_repository(tmp_path / "work.git", [Commit("Begin", {"main.py": "print(1)\n"})])
    make_pdf(tmp_path / "report.pdf", [Page(lines=["A report"])])
    cohort = CohortFactory(slug="autumn-2026", organization__slug="northfield")
    assignment = AssignmentFactory(cohort=cohort, slug="auditor")
    ada, teacher = student(cohort), staff_user(cohort.organization)
    submission = SubmissionFactory(assignment=assignment, student=ada)
    audit = AuditFactory(submission=submission, done=True, report=report_json(criteria=1))
    webhook = WebhookFactory(organization=cohort.organization)
    replacements = {
        "AUDITOR=http://127.0.0.1:8000": f"AUDITOR={live_server.url}",
        "AUDIT=…": f"AUDIT={audit.pk}",
        "WEBHOOK=1": f"WEBHOOK={webhook.pk}",
        "https://github.com/me/my-auditor": str(tmp_path / "work.git"),
        "https://hooks.example.org/audits": "http://127.0.0.1:9/told",
    }
    first, second, third = re.findall(r"```sh\n(.*?)```", (DOCS / "api.md").read_text(), re.DOTALL)
    program = "".join(
        [
            "set -e; curl() { command curl --fail-with-body -w '\\n%{http_code}' \"$@\"; }\n",
            first.replace("TOKEN=aa_…", f"TOKEN={token_of(ada.user)}"),
            second,
            third.replace("TOKEN=aa_…", f"TOKEN={token_of(teacher)}"),
        ]
    )
    for words, instead in replacements.items():
        assert words in program
        program = program.replace(words, instead)
    done = subprocess.run(
        ["bash", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.findall(r"^\d{3}$", done.stdout, re.MULTILINE) == [
        "200",
        "200",
        "200",
        "200",
        "201",
        "201",
        "200",
        "200",
        "201",
        "200",
        "200",
    ]
    assert ada.email in (tmp_path / "grades.csv").read_text()


def token_of(user) -> str:
    return create_token(user=user, name="example", scopes=tuple(ApiScope), days=1)[1]
