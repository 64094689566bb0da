"""A student's committed key is a finding; the key itself is shown to nobody."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from courtroom.models.audit_report import AuditReport
from courtroom.rendering.markdown_report import render_markdown
from tests.factories.pdfs import Page, make_pdf
from tests.factories.repositories import Commit, make_repository
from tests.hostile.audits import audited
from tests.hostile.traps import Toll

# Each in the form its provider gives them; nobody's.
SECRETS = {
    "openai": "sk-proj-" + "Zb3dQ6gH9jK2mN5pR8sTvW4yL7uC0eFxA1iO",
    "github": "ghp_" + "Q7b2Zk4dX5fW6gV7hU8iT9jS0kR1lP2mO3nN4",
    "aws": "AKIA" + "Q3ZK7LW2XN4PJ6VT",
    "address": "postgresql://auditor:Zq8vT2mK9wX4@db.internal/auditor",
}
KINDS = ("github", "aws", "address")
PLACES = {
    "a call": lambda secret: Commit(
        "Work", {"src/tools.py": f"import os\n\nos.system('curl -H {secret}')\n"}
    ),
    "an assignment": lambda secret: Commit(
        "Work", {"src/tools.py": f"import os\nAPI_KEY = '{secret}'\n"}
    ),
    "the environment": lambda secret: Commit("Work", {".env": f"API_KEY={secret}\n"}),
    "the README": lambda secret: Commit(
        "Work", {"README.md": f"# Auditor\n\nRun it with `KEY={secret}`\n"}
    ),
    "a message": lambda secret: Commit(f"Use {secret}", {"README.md": "# Auditor\n"}),
    "a log": lambda secret: Commit(
        "Work", {"docs/communication_log.md": f"- 2026-02-20 told them {secret}\n"}
    ),
}


@pytest.mark.parametrize(
    ("kind", "place"),
    [*(("openai", place) for place in PLACES), *((kind, "a call") for kind in KINDS)],
)
def test_a_secret_of_a_repository_is_not_in_its_report(
    kind: str, place: str, tmp_path: Path, record_property
) -> None:
    secret = SECRETS[kind]
    make_repository(
        tmp_path / "x.git", [Commit("Set up", {"a.py": "x = 1\n"}), PLACES[place](secret)]
    )
    (tmp_path / "audit").mkdir()
    pdf = make_pdf(
        tmp_path / "x.pdf", [Page(["# Report", "We clone with os.system in src/tools.py."])]
    )
    report = audited(tmp_path / "x.git", tmp_path / "audit", pdf=pdf, rubric="self_audit")
    written = render_markdown(AuditReport.model_validate(report), date="today")
    leaks = [text for text in (json.dumps(report), written) if secret.partition("@")[0] in text]
    record_property("hostile", asdict(Toll("secrets", 0, 0, unescaped=len(leaks))))
    assert leaks == []
