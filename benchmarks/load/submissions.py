"""Submissions of the virtual students: repositories on a local git server, and a report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.material import report, repository
from tests.factories.git_server import serve_repositories

# Students share them, as forks of a starter project would look alike.
REPOSITORIES = 10
FILES, PAGES = 20, 10


@dataclass(frozen=True, slots=True)
class Submissions:
    """`repositories` are addresses; `report` is a PDF."""

    repositories: list[str]
    report: bytes


@contextmanager
def serve_submissions(folder: Path) -> Iterator[Submissions]:
    """Serve repositories of 20 to 29 Python files, and yield them with a report of ten pages."""
    repositories = folder / "repositories"
    repositories.mkdir()
    names = [repository(repositories, files=FILES + n).name for n in range(REPOSITORIES)]
    pdf = report(folder, pages=PAGES).read_bytes()
    with serve_repositories(repositories) as server:
        yield Submissions([f"{server.url}/{name}" for name in names], pdf)
