"""Processor seconds of each step of an evening: `python -m benchmarks.load --costs FILE`.

Every kind of request is made by forty students, one after the other, while no worker runs. Then a
worker holds their audits, one after the other. What a process uses while nobody asks is measured
apart, and taken off. All of it is divided by the number of students, like
the rows and bytes that they leave.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx
import psycopg

from benchmarks.load.figures import Measurements
from benchmarks.load.processor import OTHERS, Meter
from benchmarks.load.site import Site
from benchmarks.load.students import TOKEN, Browser
from benchmarks.load.submissions import Submissions

STUDENTS = 40
IDLE_SECONDS = 20.0
# An audit that is not over by then never will be.
AUDIT_SECONDS = 120.0
LOOK_SECONDS = 0.5

UNSENT = "SELECT count(*) = 0 FROM grading_notice WHERE sent_at IS NULL"
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename LIKE 'grading%'"

Step = Callable[["Visit"], Awaitable[object]]


@dataclass(slots=True)
class Visit:
    """One student's browser, with the form's token and the audit once there are any."""

    browser: Browser
    course: dict[str, Any]
    person: dict[str, str]
    token: str = ""
    audit: str = ""
    etag: str = ""


@dataclass(slots=True)
class Costs:
    """Processor seconds by program: of one request (a submission with its email), one audit, and of
    each second in which nothing happens.

    `rows` that a student leaves by table, and `bytes`: in the database, in its log of changes (which
    replicas and archives get), and of uploads.
    """

    requests: dict[str, dict[str, float]] = field(default_factory=dict)
    audit: dict[str, float] = field(default_factory=dict)
    idle: dict[str, float] = field(default_factory=dict)
    rows: dict[str, float] = field(default_factory=dict)
    bytes: dict[str, float] = field(default_factory=dict)


def measure_costs(site: Site, submissions: Submissions, file: Path) -> None:
    """Measure a site that was started without workers, and write the costs as JSON."""
    course = site.make_course(STUDENTS, submissions.repositories)
    costs = Costs()
    site.start("reconciler")
    site.settle()
    with Meter(site.processes) as meter:
        time.sleep(IDLE_SECONDS)
    costs.idle = _own(meter.busy)
    before = Stock.of(site, course)
    asyncio.run(_visit(site, course, submissions, costs))
    after = Stock.of(site, course)
    costs.rows = {
        name: (number - before.rows[name]) / STUDENTS
        for name, number in after.rows.items()
        if number > before.rows[name]
    }
    costs.bytes = {
        name: (number - before.bytes[name]) / STUDENTS for name, number in after.bytes.items()
    }
    file.write_text(json.dumps(asdict(costs), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(file.read_text(encoding="utf-8"))


async def _visit(
    site: Site, course: dict[str, Any], submissions: Submissions, costs: Costs
) -> None:
    async with httpx.AsyncClient(base_url=site.address, timeout=60) as client:
        visits = [
            Visit(Browser(client, person, Measurements()), course, person)
            for person in course["people"]
        ]
        for name, path in (("home", "/"), ("cohort", course["cohort"])):
            await _measure(site, visits, costs, name, _page(path))
        await _measure(site, visits, costs, "assignment", _page(course["assignment"]))
        await _measure(site, visits, costs, "form", _form)
        await _submit(site, visits, costs, submissions.report)
        await _measure(site, visits, costs, "waiting", _audit_page(""))
        await _measure(site, visits, costs, "poll", _poll)
        await _measure(site, visits, costs, "unchanged", _poll)
        await _hold_audits(site, course, costs)
        await _measure(site, visits, costs, "ended", _poll)
        for name, path in (("report", ""), ("markdown", "report.md"), ("json", "report.json")):
            await _measure(site, visits, costs, name, _audit_page(path))
        await _measure(site, visits, costs, "attempts", _page(course["assignment"]))


async def _submit(site: Site, visits: list[Visit], costs: Costs, report: bytes) -> None:
    """Measure submissions with the email that follows each, as a worker sends it meanwhile."""
    site.start("letter_worker")
    site.settle()
    submit = _submission(report)
    with site.connected(visits[0].course) as database, Meter(site.processes) as meter:
        for visit in visits:
            await submit(visit)
            # Not many emails in one turn of the worker: on an evening each has its own.
            await _until(database, UNSENT)
    costs.requests["submission"] = {
        name: used / len(visits) for name, used in _own(meter.used).items()
    }


async def _measure(site: Site, visits: list[Visit], costs: Costs, name: str, step: Step) -> None:
    # Once, so that nothing is imported or prepared for the first time while it is measured.
    await step(visits[0])
    begin = time.monotonic()
    with Meter(site.processes) as meter:
        for visit in visits:
            await step(visit)
    costs.requests[name] = _without_idle(meter, costs, time.monotonic() - begin, len(visits))


def _without_idle(meter: Meter, costs: Costs, seconds: float, number: int) -> dict[str, float]:
    return {
        name: max(0.0, used - costs.idle.get(name, 0.0) * seconds) / number
        for name, used in _own(meter.used).items()
    }


def _own(used: dict[str, float]) -> dict[str, float]:
    return {name: seconds for name, seconds in used.items() if name != OTHERS}


@dataclass(frozen=True, slots=True)
class Stock:
    """Rows by table, and bytes, that the site has at a moment."""

    rows: dict[str, int]
    bytes: dict[str, int]

    @classmethod
    def of(cls, site: Site, course: dict[str, Any]) -> Self:
        with site.connected(course) as database:
            tables = [name for (name,) in database.execute(TABLES).fetchall()]
            rows = {
                name: int(_value(database, f"SELECT count(*) FROM {name}"))  # noqa: S608 -- our tables
                for name in tables
            }
            bytes_ = {
                "database": int(_value(database, "SELECT pg_database_size(current_database())")),
                "log of changes": int(
                    _value(database, "SELECT pg_current_wal_insert_lsn() - '0/0'")
                ),
            }
        uploads = sum(path.stat().st_size for path in site.folder.glob("media/**/*.pdf"))
        return cls(rows, bytes_ | {"uploads": uploads})


def _page(path: str) -> Step:
    return lambda visit: _get(visit, path)


def _audit_page(path: str) -> Step:
    return lambda visit: _get(visit, visit.audit + path)


async def _get(visit: Visit, path: str, **headers: str) -> httpx.Response:
    answer = await visit.browser.get(path, **headers)
    if answer is None:
        raise RuntimeError(f"{path} was not answered")
    return answer


async def _form(visit: Visit) -> None:
    form = await _get(visit, visit.course["assignment"] + "submit/")
    token = TOKEN.search(form.content)
    assert token is not None
    visit.token = token[1].decode()


def _submission(report: bytes) -> Step:
    async def submit(visit: Visit) -> None:
        answer = await visit.browser.post(
            visit.course["assignment"] + "submit/",
            "submission",
            visit.token,
            data={"repo_url": visit.person["repository"]},
            files={"pdf": ("report.pdf", report, "application/pdf")},
        )
        if answer is None:
            raise RuntimeError("a submission was refused")
        visit.audit = answer.headers["Location"]

    return submit


async def _poll(visit: Visit) -> None:
    """Poll as the page does; the second time with the tag of the first answer."""
    tag = {"If-None-Match": visit.etag} if visit.etag else {}
    answer = await _get(visit, f"{visit.audit}progress/", **tag)
    visit.etag = answer.headers.get("ETag", visit.etag)


async def _hold_audits(site: Site, course: dict[str, Any], costs: Costs) -> None:
    """Let one worker hold all audits, one after the other; the first one warms it up."""
    with site.connected(course) as database:
        site.start("worker")
        await _until(
            database, "SELECT count(*) > 0 FROM grading_audit WHERE finished_at > '-infinity'"
        )
        with Meter(site.processes) as meter:
            await _until(
                database, "SELECT count(*) = 0 FROM grading_audit WHERE finished_at IS NULL"
            )
        costs.audit = {name: used / (STUDENTS - 1) for name, used in _own(meter.used).items()}


async def _until(database: psycopg.Connection, question: str) -> None:
    deadline = time.monotonic() + AUDIT_SECONDS * STUDENTS
    while not _value(database, question):
        if time.monotonic() > deadline:
            raise RuntimeError(f"never true: {question}")
        await asyncio.sleep(LOOK_SECONDS)


def _value(database: psycopg.Connection, question: str) -> float:
    row = database.execute(question.encode()).fetchone()
    assert row is not None
    return float(row[0])
