"""The API keeps to its schema: the committed text is what the code says, and whatever is asked, the answer is in it."""

import json
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from django.test import Client
from django_scopes import scope
from drf_spectacular.generators import SchemaGenerator

from grading.api.schema_endpoint import public_schema
from grading.api.tokens.actions import create_token
from grading.core.enums import ApiScope
from grading.models import (
    Audit,
    FeedbackReport,
    Finding,
    Organization,
    Pairing,
    Rubric,
    RubricVersion,
    Submission,
    Webhook,
    WebhookDelivery,
)
from tests.factories.example_report import report_json
from tests.factories.institutes import institute
from tests.factories.people import UserFactory

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "grading" / "api" / "schema.json"
# An environment of its own: requirements/lint.in says why.
SCHEMATHESIS = str(Path(sys.prefix) / "lint" / "bin" / "schemathesis")
HOW = (
    "--phases",
    "examples,coverage,fuzzing",
    "--max-examples",
    "6",
    "--seed",
    "7",
    "--workers",
    "2",
    "--suppress-health-check",
    "all",
    "--generation-database",
    "none",
    "--no-color",
)

# What is well-formed may still be refused: a repository that is not there, a reason that is missing.
REFUSABLE = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 401, 403, 404, 409, 415, 422, 429]
"""


def test_the_committed_schema_is_what_the_code_says() -> None:
    """After a change: manage.py spectacular --format openapi-json --file grading/api/schema.json"""
    generated = SchemaGenerator().get_schema(request=None, public=True)
    assert json.loads(SCHEMA.read_text()) == json.loads(json.dumps(generated, default=str))


def test_schema_is_made_once_and_is_the_same_for_whoever_asks(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    public_schema.cache_clear()
    made = mock.Mock(wraps=SchemaGenerator().get_schema)
    monkeypatch.setattr(SchemaGenerator, "get_schema", made)
    answers = [client.get(f"/api/v1/schema/{words}") for words in ("", "?version=2", "?lang=de")]
    public_schema.cache_clear()

    assert [answer.json() for answer in answers] == 3 * [json.loads(SCHEMA.read_text())]
    assert made.call_count == 1


def test_every_address_and_scope_is_documented() -> None:
    documented = (ROOT / "docs" / "api.md").read_text()
    addresses = [
        f"{method.upper()} {path.removeprefix('/api/v1/')}"
        for path, methods in json.loads(SCHEMA.read_text())["paths"].items()
        for method in methods
    ]
    assert [address for address in addresses if f"`{address}`" not in documented] == []
    assert [scope.value for scope in ApiScope if f"`{scope.value}`" not in documented] == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.processes
def test_whatever_is_asked_the_answer_is_in_the_schema(live_server, tmp_path) -> None:
    owner = UserFactory()
    organization = institute(owner)
    text = create_token(user=owner, name="schemathesis", scopes=tuple(ApiScope), days=1)[1]
    configured = f"[parameters]\n{_places(organization)}{REFUSABLE}"
    (tmp_path / "schemathesis.toml").write_text(configured)
    done = subprocess.run(
        [
            SCHEMATHESIS,
            "--config-file",
            tmp_path / "schemathesis.toml",
            "run",
            f"{live_server.url}/api/v1/schema/",
            "--header",
            f"Authorization: Bearer {text}",
            *HOW,
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    failures = done.stdout.partition("FAILURES")[2].partition("WARNINGS")[0]
    assert done.returncode == 0, failures or done.stdout[-3000:]


def _places(organization: Organization) -> str:
    """Return values of address parameters for which objects exist."""
    with scope(organization=organization):
        Audit.objects.update(report=report_json(criteria=2))
        values = {
            "org": organization.slug,
            "cohort": "same",
            "assignment": "same",
            "submission_id": Submission.objects.get().pk,
            "audit_id": Audit.objects.get().pk,
            "finding_id": Finding.objects.get().pk,
            "pairing_id": Pairing.objects.get().pk,
            "report_id": FeedbackReport.objects.get().pk,
            "rubric": Rubric.objects.get().slug,
            "version_id": RubricVersion.objects.get().pk,
            "webhook_id": Webhook.objects.get().pk,
            "delivery_id": WebhookDelivery.objects.get().pk,
        }
    return "".join(f'"path.{name}" = "{value}"\n' for name, value in values.items())
