"""Committed secrets by kind and line, and their redaction. Every value here is made up."""

from __future__ import annotations

import pytest

from courtroom.analysis.git.snapshot import Snapshot, read_lines
from courtroom.analysis.security.committed_secrets import (
    Secret,
    is_environment_file,
    redacted,
    secrets_in,
)
from courtroom.models.evidence import Location, evidence
from courtroom.models.facts import establish
from tests.factories.repositories import Commit, make_repository

# Put together here, so that no scanner takes this file for a leak.
AWS = "AKIA" + "Q7ZMN2PXKT5WLB3R"
GITHUB = "ghp_" + "k3Jd82LmQpX7vRt5YwZa91BcNe64UoHs0GfI"
PROVIDER = "sk-" + "proj-9fK2mQ7xLr4Tz8Vb1Nw6Yd3HcPs5Jg0e"
RANDOM = "q9Zr4Lm2Xv7Tb1Kd8Wp5Nc3"
BODY = (
    "MIIEpAIBAAKCAQEA7bq9mQ4vR8zX2tL5kN1wY6dH3cP0sJ7g\n"
    "f9K2mQ7xLr4Tz8Vb1Nw6Yd3HcPs5Jg0eA1bC2dE3fG4hI5j"
)
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----\n"
PLACEHOLDERS = [
    'API_KEY = "your-api-key-goes-here-123"',
    "OPENAI_API_KEY=sk-your-key-here-0000000000000",
    'key = "AKIAIOSFODNN7EXAMPLE"',
    'password = "correct horse battery staple 1"',
    'token = os.environ["GITHUB_TOKEN_2"]',
    "postgres://user:password@db.example.org/x",
    "postgres://app:q9Zr4Lm2Xv@localhost:5432/x",
    'SECRET_KEY = "settings.production.secret.key1"',
    'PREFIX = "-----BEGIN RSA PRIVATE KEY-----"',
    "sha512-Zk3vQ7xLr4Tz8Vb1Nw6Yd3HcPs5Jg0eA1bC2dE3fG4hI5jK6lM7nO8pQ9rS0t",
]


@pytest.mark.parametrize("line", PLACEHOLDERS)
def test_a_placeholder_is_no_secret(line):
    assert (secrets_in(line), redacted(line)) == ([], line)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (f'client = boto("{AWS}")', "AWS access key"),
        (f"git clone https://{GITHUB}@example.org", "GitHub token"),
        (f"key: {PROVIDER}", "model provider's key"),
        (f"DB_PASSWORD = '{RANDOM}'", "value of a telling name"),
        (f'{{"apiKey": "{RANDOM}"}}', "value of a telling name"),
        (f"url = postgres://app:{RANDOM}@db.example.org/x", "password in an address"),
    ],
)
def test_a_secret_is_located_by_line_and_kind_and_redacted(line, kind):
    text = f"first = 1\n{line}\n"
    assert secrets_in(text) == [Secret(kind, 2)]
    redacted_text = redacted(text)
    assert f"[redacted: {kind}]" in redacted_text
    assert not any(value in redacted_text for value in (AWS, GITHUB, PROVIDER, RANDOM))
    assert redacted(redacted_text) == redacted_text


def test_a_private_key_is_redacted_and_later_lines_keep_their_numbers():
    redacted_text = redacted(f"a\n{KEY}z\n")

    assert redacted_text.split("\n") == [
        "a",
        "-----BEGIN RSA PRIVATE KEY-----",
        "[redacted: private key]",
        "",
        "-----END RSA PRIVATE KEY-----",
        "z",
        "",
    ]


def test_values_are_secrets_in_an_environment_file_and_not_in_its_example():
    text = "DEBUG=1\nexport SERVICE_TOKEN=plainwords77\nDB_PASSWORD=\n"
    assert secrets_in(text, ".env.production") == [Secret("value in an environment file", 2)]
    assert secrets_in(text, "README.md") == []
    names = [".env", "a/.env.local", "prod.env", ".env.example", ".env.sample", "env.py"]
    assert [is_environment_file(name) for name in names] == [True, True, True, False, False, False]


def test_quotes_evidence_and_facts_never_contain_a_secret(tmp_path):
    text = f"x = 1\n{KEY}KEY = '{PROVIDER}'\n"
    commit = make_repository(tmp_path / "r.git", [Commit(files={"a.py": text})])
    snapshot = Snapshot(tmp_path / "r.git", commit, None, malformed_objects=False)
    (middle, last) = read_lines(snapshot, [("a.py", 3, 4), ("a.py", 6, 6)])

    assert (middle, last) == (
        "[redacted: private key]\n",
        "KEY = '[redacted: model provider's key]'",
    )
    item = evidence(
        detective="RepoInvestigator",
        check="c",
        goal="g",
        found=True,
        rationale=f"says {PROVIDER}",
        content=f"Use {AWS}",
        location=Location(commit=commit),
    )
    assert (item.content, item.rationale) == (
        "Use [redacted: AWS access key]",
        "says [redacted: model provider's key]",
    )
    facts = establish({"deferrals": [{"path": "a.md", "line": 1, "text": f"later, {GITHUB}"}]}, {})
    assert facts.deferrals is not None
    assert facts.deferrals[0].text == "later, [redacted: GitHub token]"
