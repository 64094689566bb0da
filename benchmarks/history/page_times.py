"""Processor time of each page on the server, and the work of its queries.

Time is that of this process and of its PostgreSQL process, not the clock's: others may use the
machine. The least of a few runs counts, after one that warms the caches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from time import process_time
from typing import Any

from django.conf import settings
from django.db import connection
from django.test import Client

from benchmarks.history.addresses import PageAddress, addresses
from benchmarks.history.comparison import PageTime, store

RUNS = 4
NANOSECONDS = 1e9
METRICS_TOKEN = "of-this-benchmark"  # noqa: S105 -- no secret
TIME = re.compile(r"^(?:Planning|Execution) Time: ([\d.]+) ms")
BLOCKS = re.compile(r"(?:hit|read)=(\d+)")


def measure_pages(folder: Path, only: str) -> None:
    """Measure the pages with this word in their person and route, and print each."""
    settings.METRICS_TOKEN = METRICS_TOKEN
    rows = [
        _measured(address) for address in addresses() if only in f"{address.person} {address.page}"
    ]
    if not only:
        store(folder, rows)
    for row in sorted(rows, key=lambda row: -row.database):
        print(
            f"{1000 * row.database:8.1f} ms in PostgreSQL, {1000 * row.python:7.1f} in Python, "
            f"{row.queries:3} queries, {row.blocks:7} blocks  {row.person} {row.page}"
        )


def _measured(address: PageAddress) -> PageTime:
    client = _signed_in(address)
    _get(client, address.path)
    with _planned() as plans:
        _get(client, address.path)
    times = [_run(lambda: _get(client, address.path)) for _ in range(RUNS)]
    return PageTime(
        address.person,
        address.page,
        python=min(python for python, _ in times),
        database=min(database for _, database in times),
        queries=len(plans),
        blocks=sum(plan.blocks for plan in plans),
    )


def _signed_in(address: PageAddress) -> Client:
    # The page of metrics has no other reader; for the API a session will do.
    is_scrape = address.path == "/metrics"
    client = Client(headers={"authorization": f"Bearer {METRICS_TOKEN}"} if is_scrape else {})
    client.force_login(address.reader, backend="grading.core.sign_in_backends.PasswordBackend")
    return client


def _get(client: Client, path: str) -> None:
    answer = client.get(path)
    if answer.status_code != HTTPStatus.OK:
        raise RuntimeError(f"{path} answered {answer.status_code}")
    # A download streams.
    b"".join(answer) if answer.streaming else answer.content


def _run(task: Callable[[], None]) -> tuple[float, float]:
    connection.ensure_connection()
    process = connection.connection.info.backend_pid
    before, database = process_time(), _used(process)
    task()
    return process_time() - before, _used(process) - database


def _used(process: int) -> float:
    """Return the seconds that a process has used."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / NANOSECONDS


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan of one query, as PostgreSQL writes it."""

    query: str
    lines: tuple[str, ...]

    @property
    def milliseconds(self) -> float:
        return sum(float(TIME.findall(line)[0]) for line in self.lines if TIME.match(line))

    @property
    def blocks(self) -> int:
        """Blocks of 8 kB that were read, or found in PostgreSQL's memory."""
        line = next((line for line in self.lines if "Buffers: shared" in line), "")
        return sum(map(int, BLOCKS.findall(line)))


@contextmanager
def _planned() -> Iterator[list[Plan]]:
    """Explain every SELECT of the block, and yield the plans."""
    plans: list[Plan] = []

    def explain(execute: Any, query: str, params: Any, many: bool, context: Any) -> Any:
        if query.lstrip("( ").startswith("SELECT"):
            # Not by the query's own cursor, which may be one on the server.
            with connection.connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS) {query}", params)
                plans.append(Plan(query, tuple(line for (line,) in cursor.fetchall())))
        return execute(query, params, many, context)

    with connection.execute_wrapper(explain):
        yield plans


def explain_page(word: str, *, at_least: float) -> None:
    """Print the plans of a page's queries that take so many milliseconds."""
    for address in addresses():
        if word in f"{address.person} {address.page}":
            print(f"== {address.person} {address.page}")
            _explain(address, at_least)


def _explain(address: PageAddress, at_least: float) -> None:
    client = _signed_in(address)
    _get(client, address.path)
    with _planned() as plans:
        _get(client, address.path)
    print(f"{len(plans)} queries, {sum(plan.milliseconds for plan in plans):.1f} ms")
    for plan in plans:
        if plan.milliseconds >= at_least:
            print(f"-- {plan.milliseconds:.1f} ms, {plan.blocks} blocks\n{plan.query}")
            print("\n".join(plan.lines))
