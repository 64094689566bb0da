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
DEEP = "sk-" + "4f8a1c7e57dc4cb198bc60d2e93fa71b"
SIGNED = "sk-" + "q9Zr4Lm2Xv7Tb1Kd8Wp5T3Blbk" + "FJc3Hs6Jf0Gy2Ue9Ra4Mi7Kn5Vd"
SLACK = "xoxb-" + "248163264128-512102420484-k3Jd82LmQpX7vRt5YwZa91Bc"
STRIPE = "sk_live_" + "k3Jd82LmQpX7vRt5YwZa91Bc"
LAB = "glpat-" + "k3Jd82LmQpX7vRt5YwZa"
TAVILY = "tvly-" + "k3Jd82LmQpX7vRt5YwZa91Bc"
JWT = (
    "eyJ"
    "hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
    ".eyJ"
    "zdWIiOiI3NzM0MSIsInJvbGUiOiJhZG0ifQ"
    ".k3Jd82LmQpX7vRt5YwZa91BcNe64UoHs0GfIxW2p"
)
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
    assert [(secret.kind, secret.line) for secret in secrets_in(text)] == [(kind, 2)]
    redacted_text = redacted(text)
    assert f"[redacted: {kind}]" in redacted_text
    assert not any(value in redacted_text for value in (AWS, GITHUB, PROVIDER, RANDOM))
    assert redacted(redacted_text) == redacted_text


ACCUSED = [
    ("src/a.py", f'client = boto("{AWS}")'),
    ("README.md", f"export OPENAI_API_KEY={PROVIDER}"),
    ("test_model.py", f'client = Client(api_key="{DEEP}")'),
    ("tests/test_model.py", f'client = Client(api_key="{SIGNED}")'),
    ("src/a.py", f"git clone https://{GITHUB}@github.com/a/b"),
    ("src/a.py", "https://hooks.slack.com " + SLACK),
    ("src/a.py", f'stripe = "{STRIPE}"'),
    ("src/a.py", f'token = "{LAB}"'),
    ("src/a.py", f'search = "{TAVILY}"'),
    ("src/a.py", f"DB_PASSWORD = '{RANDOM}'"),
    ("config.json", f'{{"clientSecret": "{RANDOM}"}}'),
    ("src/a.py", f"DB = 'postgres://app:{RANDOM}@db-7.eu.acme-cloud.net:5432/x'"),
    ("src/a.py", f'bearer = "{JWT}"'),
    ("deploy/id_rsa", KEY),
    (".env", f"SERVICE_TOKEN={RANDOM}"),
]
POSSIBLE = [
    ("src/a.py", 'SSH = re.compile(r"(?:ssh://)?(?:[^@/:]+:(?:[^@]+)@)([\\w.-]+):(.+)")'),
    ("src/a.py", 'URL = re.compile(r"https?://[\\w.-]+:[\\w.-]+@[\\w.-]+")'),
    ("docker-compose.yml", f"DATABASE_URL: postgres://app:{RANDOM}@db:5432/x"),
    ("src/a.py", f"postgres://app:{RANDOM}@db.example.org/x"),
    ("src/a.py", f"postgres://username:{RANDOM}@db.acme-cloud.net/x"),
    ("README.md", f"postgres://app:{RANDOM}@db.acme-cloud.net/x"),
    ("tests/certs/server.key", KEY),
    ("docs/deploy.rst", f"SECRET_KEY = '{RANDOM}'"),
    ("docs_src/tutorial.py", f"SECRET_KEY = '{RANDOM}'"),
    ("tests/test_login.py", f'token = "{JWT}"'),
    ("tests/test_scanner.py", f'line = "{GITHUB}"'),
    ("src/a.py", f'SUPABASE_PUBLIC_API_KEY = "{JWT}"'),
    ("src/a.py", f'PROJECT_API_KEY = "phc_{RANDOM}"'),
    (".secrets.baseline", f'"hashed_secret": "{RANDOM}"'),
    ("src/a.py", 'cache_key = "7f2k9d0s8a3m5n1b6v4c"'),
    ("src/a.py", 'api_token = "claude-3-5-sonnet-20241022"'),
    (".env", "MAX_TOKENS_PER_DAY=10000000"),
    (".env", "SECRET_KEY_FILE=/run/keys/app1"),
]


@pytest.mark.parametrize(
    "value",
    [
        "sk-...",
        "your-key-here-00000000",
        "changeme-changeme-4Kq9",
        "<token-of-the-service-7>",
        "xxxxxxxxxxxxxxxxxxxx1",
        "${SERVICE_TOKEN_V2_NAME}",
        "AKIAIOSFODNN7EXAMPLE",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ],
)
@pytest.mark.parametrize("path", ["src/a.py", ".env"])
def test_a_placeholder_of_documentation_is_accused_of_nothing(path, value):
    texts = (f'API_TOKEN="{value}"', f"API_TOKEN={value}", f"https://app:{value}@api.example.com/")
    assert not any(secrets_in(text, path) for text in texts)


@pytest.mark.parametrize(("path", "text"), ACCUSED)
def test_a_secret_of_every_kind_is_certain_and_redacted(path, text):
    assert [secret.is_certain for secret in secrets_in(text, path)] == [True]
    assert "[redacted: " in redacted(text, path)


@pytest.mark.parametrize(("path", "text"), POSSIBLE)
def test_an_example_a_pattern_or_a_key_of_tests_is_accused_of_nothing(path, text):
    assert not any(secret.is_certain for secret in secrets_in(text, path))


@pytest.mark.parametrize(("path", "text"), [row for row in POSSIBLE if RANDOM in row[1]])
def test_what_only_might_be_a_secret_is_redacted(path, text):
    assert RANDOM not in redacted(text, path)


def test_the_certain_secret_of_a_line_with_two_is_the_one_that_counts():
    line = f"postgres://app:{RANDOM}@db/x and {PROVIDER}"
    assert secrets_in(line, "a.py") == [Secret("model provider's key", 1)]


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
