"""What the virtual students hand in: a few generated repositories behind a git server on loopback,
and a report.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.material import report, repository
from tests.factories.git_server import serve_repositories

REPOSITORIES = 10
FILES, PAGES = 20, 10


@dataclass(frozen=True, slots=True)
class Material:
    """`repositories` are addresses; `report` is a PDF."""

    repositories: list[str]
    report: bytes


@contextmanager
def hand_ins(folder: Path) -> Iterator[Material]:
    """Repositories of 20 to 29 Python files and one report of ten pages, served while the block
    runs.
    """
    served = folder / "repositories"
    served.mkdir()
    names = [repository(served, files=FILES + n).name for n in range(REPOSITORIES)]
    pdf = report(folder, pages=PAGES).read_bytes()
    with serve_repositories(served) as server:
        yield Material([f"{server.url}/{name}" for name in names], pdf)
