"""The borders of the design, held by machine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]
# An environment of its own: requirements/lint.in says why.
LINT_IMPORTS = str(Path(sys.prefix) / "lint" / "bin" / "lint-imports")
HEAVY = (
    "langgraph",
    "langchain",
    "langchain_core",
    "langchain_openai",
    "openai",
    "courtroom.graph.wiring",
    # Sends spans. Its SDK is imported by redis and langsmith wherever it is installed.
    "opentelemetry.exporter",
)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False
    )


def test_the_web_process_never_pays_for_the_engine() -> None:
    ask = (
        "import sys, auditor_site.wsgi, django.urls; django.urls.get_resolver().url_patterns;"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = run(sys.executable, "-c", ask)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr


def test_the_import_contracts_hold() -> None:
    done = run(LINT_IMPORTS, "--no-cache")
    assert done.returncode == 0, done.stdout


def test_the_offline_bench_never_pays_for_a_provider_or_a_collector() -> None:
    unused = ("openai", "bm25s", "opentelemetry.exporter")
    ask = (
        "import sys, courtroom.cli, courtroom.graph.wiring;"
        f"print([name for name in {unused!r} if name in sys.modules])"
    )
    done = run(sys.executable, "-c", ask)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr
