"""The example client of the documentation does what it says: against a site that runs, with a worker behind it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django_scopes import scope

from grading.actions.api_tokens import create_token
from grading.enums import ApiScope
from grading.models import FindingResponse, Submission
from tests.factories.people import CohortFactory, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory

CLIENT = Path(__file__).resolve().parents[2] / "docs" / "api_client.py"
MOST_LINES = 40


def test_it_is_short_enough_to_be_read() -> None:
    assert len(CLIENT.read_text().splitlines()) <= MOST_LINES


@pytest.mark.django_db(transaction=True)
def test_it_hands_in_waits_reads_and_answers(live_server, worker, tmp_path) -> None:
    make_repository(tmp_path / "work.git", [Commit("Begin", {"main.py": "print(1)\n"})])
    assignment = AssignmentFactory(cohort=CohortFactory())
    ada = student(assignment.cohort)
    token = create_token(user=ada.user, name="example", scopes=tuple(ApiScope), days=1)[1]
    place = f"{ada.organization.slug}/{ada.cohort.slug}/{assignment.slug}"
    done = subprocess.run(
        [sys.executable, str(CLIENT), place, str(tmp_path / "work.git")],
        env=os.environ | {"AUDITOR": live_server.url, "TOKEN": token},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert told[0].split()[0] in {"done", "needs_review"}
    assert {line.partition(":")[0] for line in told[1:3]} == {"Tidy", "Tested"}
    with scope(organization=assignment.organization):
        assert Submission.objects.get().repo_url == str(tmp_path / "work.git")
        answers = FindingResponse.objects.values_list("kind", flat=True)
        assert set(answers) == {"will_fix"}
        assert len(answers) == len(told) - 3
