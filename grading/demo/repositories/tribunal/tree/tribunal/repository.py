"""Reading a stranger's repository: cloned into a temporary directory, never run."""

import ast
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

ALLOWED_HOSTS = {"github.com", "gitlab.com", "codeberg.org"}
CLONE_SECONDS = 120
PARALLEL_CALLS = {"add_edge", "add_conditional_edges"}


class CloneFailed(Exception):
    """The repository could not be had; the text is fit to be shown to its author."""


def validate_repo_url(repo_url: str) -> None:
    """Only https addresses at hosts we know, so that git never sees an option, a file or a private machine."""
    parts = urlsplit(repo_url)
    if parts.scheme != "https" or parts.hostname not in ALLOWED_HOSTS:
        raise CloneFailed(f"{repo_url!r} is not an https address at one of {', '.join(sorted(ALLOWED_HOSTS))}")
    if parts.username or parts.password:
        raise CloneFailed("an address with a password in it is not accepted")


@contextmanager
def cloned(repo_url: str) -> Iterator[Path]:
    """The working tree of a full clone; it is gone when the block ends."""
    validate_repo_url(repo_url)
    with tempfile.TemporaryDirectory(prefix="tribunal-") as folder:
        target = Path(folder) / "repository"
        try:
            subprocess.run(
                ["git", "clone", "--quiet", "--no-recurse-submodules", "--", repo_url, str(target)],
                check=True,
                capture_output=True,
                text=True,
                timeout=CLONE_SECONDS,
                env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
            )
        except subprocess.TimeoutExpired as error:
            raise CloneFailed(f"cloning took longer than {CLONE_SECONDS} seconds") from error
        except subprocess.CalledProcessError as error:
            raise CloneFailed(f"git could not clone: {error.stderr.strip()[-300:]}") from error
        yield target


def read_history(tree: Path) -> list[tuple[str, str, str]]:
    """Every commit as (hash, date, subject), oldest first."""
    done = subprocess.run(
        ["git", "-C", str(tree), "log", "--reverse", "--format=%h%x09%aI%x09%s"],
        check=True,
        capture_output=True,
        text=True,
        timeout=30,
    )
    rows = (line.split("\t", 2) for line in done.stdout.splitlines())
    return [(sha, date, subject) for sha, date, subject in rows]


def parse_sources(tree: Path) -> dict[str, ast.Module]:
    """The syntax tree of each Python file that can be parsed, by its path in the repository."""
    parsed = {}
    for path in sorted(tree.rglob("*.py")):
        try:
            parsed[path.relative_to(tree).as_posix()] = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError, ValueError):
            continue
    return parsed


def find_graph(sources: dict[str, ast.Module]) -> tuple[str, int, int] | None:
    """Where a StateGraph is made, as (path, line, number of edges), or None."""
    for path, module in sources.items():
        calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
        made = [call for call in calls if getattr(call.func, "id", "") == "StateGraph"]
        edges = [call for call in calls if getattr(call.func, "attr", "") in PARALLEL_CALLS]
        if made:
            return path, made[0].lineno, len(edges)
    return None


def find_shell_calls(sources: dict[str, ast.Module]) -> list[tuple[str, int]]:
    """Calls that hand text to a shell: the function named system, and the keyword shell set to true."""
    found = []
    for path, module in sources.items():
        for node in ast.walk(module):
            if not isinstance(node, ast.Call):
                continue
            through_keyword = any(k.arg == "shell" and getattr(k.value, "value", False) for k in node.keywords)
            if through_keyword or getattr(node.func, "attr", "") == "system":
                found.append((path, node.lineno))
    return found
