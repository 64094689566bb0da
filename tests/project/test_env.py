"""Environment variables are read in one place; a bad value is refused with the variable's name."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from auditor_site import addresses, env
from auditor_site.settings import derived
from tests.services import own_database

ROOT = Path(env.__file__).resolve().parents[1]
NOT_OURS = {
    "DJANGO_SETTINGS_MODULE",
    "LANGSMITH_TRACING",
    "LANGCHAIN_TRACING_V2",
    "OPENBLAS_NUM_THREADS",
    "PATH",
}


@pytest.mark.parametrize("value", ["maybe", "2", "tru"])
def test_flag_that_is_neither_yes_nor_no_is_refused(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("ALLOW_LOCAL_REPOSITORIES", value)
    with pytest.raises(
        ImproperlyConfigured, match=f"ALLOW_LOCAL_REPOSITORIES must be true or false, not '{value}'"
    ):
        env.flag("ALLOW_LOCAL_REPOSITORIES")


@pytest.mark.parametrize("value", ["0", "65", "-1", "two", "1.5", "²"])
def test_number_outside_its_bounds_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("AUDIT_WORKERS", value)
    with pytest.raises(
        ImproperlyConfigured, match="AUDIT_WORKERS must be a whole number from 1 to 64"
    ):
        env.number("AUDIT_WORKERS", least=1, most=64)


def test_word_outside_the_choices_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGES", "oracle")
    with pytest.raises(
        ImproperlyConfigured, match="JUDGES must be one of heuristic, llm, not 'oracle'"
    ):
        env.choice("JUDGES", {"llm", "heuristic"})


def test_secret_given_twice_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a")
    monkeypatch.setenv("OPENAI_API_KEY_FILE", str(tmp_path / "key"))
    with pytest.raises(
        ImproperlyConfigured, match="OPENAI_API_KEY and OPENAI_API_KEY_FILE are both set"
    ):
        env.secret("OPENAI_API_KEY")


def test_secret_with_a_missing_file_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY_FILE", str(tmp_path / "key"))
    with pytest.raises(ImproperlyConfigured, match="OPENAI_API_KEY_FILE cannot be read"):
        env.secret("OPENAI_API_KEY")


@pytest.mark.parametrize("content", ["", " \n"])
def test_empty_required_secret_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str
) -> None:
    (tmp_path / "key").write_text(content)
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "key"))
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY is required here: signs sessions"):
        env.required("SECRET_KEY")


def test_undeclared_variable_cannot_be_read() -> None:
    with pytest.raises(KeyError):
        env.text("UNDECLARED")


def test_values_are_read_in_their_types(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from a file\n")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    given = {
        "OPENAI_API_KEY_FILE": str(tmp_path / "key"),
        "ALLOWED_HOSTS": "a.example, b.example,",
        "JUDGES": "llm",
    }
    for name, value in (given | {"PORT": " 8001 ", "ALLOW_LOCAL_REPOSITORIES": "On"}).items():
        monkeypatch.setenv(name, value)

    assert env.secret("OPENAI_API_KEY") == "from a file"
    assert env.words("ALLOWED_HOSTS") == ["a.example", "b.example"]
    assert env.choice("JUDGES", {"llm", "heuristic"}) == "llm"
    assert env.number("PORT", least=1, most=65535) == 8001
    assert env.flag("ALLOW_LOCAL_REPOSITORIES") is True


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("mysql://u@h/d", "must start with postgresql://"),
        ("sqlite:///db", "must start with postgresql://"),
        ("postgresql://u@h", "names no database"),
        ("postgresql://u@h/d?timeout=3", "unknown options: timeout"),
        ("postgresql://u@h:port/d", "has no valid port"),
        ("postgresql://[::1/d", "is not an address"),
        ("postgresql://u@h/d?sslrootcert=/ca.crt", "needs sslmode=verify-full"),
        ("postgresql://u@h/d?sslmode=require&sslrootcert=/ca.crt", "needs sslmode=verify-full"),
    ],
)
def test_invalid_database_address_is_refused(url: str, sentence: str) -> None:
    with pytest.raises(
        ImproperlyConfigured, match=f"DATABASE_URL .*{sentence}|DATABASE_URL {sentence}"
    ):
        addresses.database(url)


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("postgresql://u:p%40ss@db.example:6432/name?sslmode=require", "db.example", "6432"),
        ("postgres://u:p%40ss@/name?host=/Run/pg&port=5433", "/Run/pg", "5433"),
        ("postgres://u:p%40ss@%2FRun%2Fpg:5433/name", "/Run/pg", "5433"),
        ("postgres://u:p%40ss@[::1]:5433/name", "::1", "5433"),
        ("postgres://u:p%40ss@db/name", "db", ""),
    ],
)
def test_database_address_is_parsed(url: str, host: str, port: str) -> None:
    read = addresses.database(url)
    assert {key: read[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")} == {
        "NAME": "name",
        "USER": "u",
        "PASSWORD": "p@ss",
        "HOST": host,
        "PORT": port,
    }


@pytest.mark.parametrize(
    "url",
    [
        "http://h",
        "redis://",
        "unix://",
        "redis://h:port",
        "localhost:6379",
        "redis://h?ssl_ca_certs=/ca.crt",
        "rediss://h?ssl_cert_reqs=none",
        "rediss://h?ssl_check_hostname=false",
    ],
)
def test_invalid_queue_address_is_refused(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="REDIS_URL"):
        addresses.redis(url)


@pytest.mark.parametrize(
    "url", ["redis://h:6379/1", "rediss://u:p@h?ssl_ca_certs=/ca.crt", "unix:///run/v.sock?db=2"]
)
def test_valid_queue_address_is_unchanged(url: str) -> None:
    assert addresses.redis(url) == url


@pytest.mark.parametrize("url", ["smtp://", "http://mail", "mail.example", "smtp://h:port"])
def test_invalid_email_address_is_refused(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL"):
        addresses.email(url)


def test_email_address_is_parsed() -> None:
    assert addresses.email("smtp+tls://user:p%2Fw@mail.example") == {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": "mail.example",
        "EMAIL_PORT": 587,
        "EMAIL_HOST_USER": "user",
        "EMAIL_HOST_PASSWORD": "p/w",
        "EMAIL_USE_SSL": False,
        "EMAIL_USE_TLS": True,
        "EMAIL_TIMEOUT": 10,
    }


@pytest.mark.parametrize(
    "url", ["collector:4318", "grpc://c:4317", "https://", "https://key:secret@c.example/otel"]
)
def test_invalid_collector_address_is_refused_without_its_secret(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="OTEL_EXPORTER_OTLP_ENDPOINT must") as refused:
        addresses.collector(url)
    assert "secret" not in str(refused.value)


def test_collector_address_keeps_its_path() -> None:
    assert addresses.collector("https://c.example/api/public/otel/") == (
        "https://c.example/api/public/otel"
    )


@pytest.mark.parametrize("url", ["audits.example", "ftp://h", "https://h/path", "https://"])
def test_site_address_must_be_an_origin(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="SITE_URL must be like"):
        addresses.origin(url)


def test_test_processes_have_separate_queues() -> None:
    assert own_database("redis://h:6379/0", 0) == "redis://h:6379/1"
    assert own_database("unix:///run/v.sock?db=0", 3) == "unix:///run/v.sock?db=4"
    assert {own_database("redis://h", worker) for worker in range(15)} == {
        f"redis://h/{n}" for n in range(1, 16)
    }


def test_generated_secret_is_kept_and_private(tmp_path: Path) -> None:
    path = tmp_path / "var" / "secret-key"
    made = derived.kept_secret(path)
    assert derived.kept_secret(path) == made
    assert (path.stat().st_mode & 0o777, [file.name for file in path.parent.iterdir()]) == (
        0o600,
        ["secret-key"],
    )


@pytest.mark.parametrize("missing", ["SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL"])
@pytest.mark.processes
def test_production_refuses_to_start_without(missing: str) -> None:
    given = {
        "SECRET_KEY": "x",
        "ALLOWED_HOSTS": "audits.example",
        "DATABASE_URL": "postgresql://u@h/d",
        "REDIS_URL": "redis://h",
    }
    environment = {name: value for name, value in os.environ.items() if name not in given}
    done = subprocess.run(
        [sys.executable, "-c", "import auditor_site.settings.production"],
        env=environment | {name: value for name, value in given.items() if name != missing},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        f"django.core.exceptions.ImproperlyConfigured: {missing} is required here: "
    )


def test_every_variable_read_is_declared() -> None:
    declared = {variable.name for variable in env.VARIABLES} | {
        f"{v.name}_FILE" for v in env.VARIABLES if v.secret
    }
    read = {
        name
        for folder in ("auditor_site", "courtroom", "grading")
        for name in variables_read_below(ROOT / folder)
    }

    assert read - declared - NOT_OURS == set()


@pytest.mark.processes
def test_links_in_emails_use_the_served_port() -> None:
    given = {
        "PORT": "8431",
        "SECRET_KEY": "x",
        "DATABASE_URL": "postgresql://u@h/d",
        "REDIS_URL": "redis://h",
    }
    environment = {name: value for name, value in os.environ.items() if name != "SITE_URL"}
    done = subprocess.run(
        [sys.executable, "-c", "from auditor_site.settings import local; print(local.SITE_URL)"],
        env=environment | given,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout == "http://127.0.0.1:8431\n", done.stderr


def variables_read_below(folder: Path) -> set[str]:
    """Names in os.environ["X"], os.environ.get("X"), os.environ.setdefault("X") and os.getenv("X")."""
    texts = [path.read_text() for path in folder.rglob("*.py")]
    # Parsing all modules takes seconds, and few read the environment.
    readers = [text for text in texts if "environ" in text or "getenv" in text]
    nodes = (node for text in readers for node in ast.walk(ast.parse(text)))
    return {name for node in nodes if (name := _variable_read(node))}


def _variable_read(node: ast.AST) -> str | None:
    match node:
        case ast.Subscript(
            value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name))
        ):
            return name
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(attr="environ")),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return name
        case ast.Call(func=ast.Attribute(attr="getenv"), args=[ast.Constant(value=str(name)), *_]):
            return name

    return None


def test_table_of_the_readme_matches_the_declarations() -> None:
    lines = (ROOT / "README.md").read_text().splitlines()
    first = lines.index("| variable | default | meaning |") + 2
    rows = [
        f"| `{v.name}` | {f'`{v.default}`' if v.default else ''} | {v.meaning} |"
        for v in env.VARIABLES
    ]
    assert lines[first : first + len(rows) + 1] == [*rows, ""]
