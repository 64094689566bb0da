"""Virtual students: the requests of a browser, in a person's order and at the page's pace."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import httpx

from benchmarks.load.clock import Clock
from benchmarks.load.figures import Measurements

# A student gives up after a quarter of an hour.
MAX_WAIT_SECONDS = 900.0
# A browser waits longer than any proxy before the site.
ANSWER_SECONDS = 120.0
# Between two pages.
READING_SECONDS = (1.0, 4.0)
# The page itself says how often it polls.
POLL = re.compile(rb'hx-trigger="every (\d+)ms')
TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="([^"]+)"')
ETAG = re.compile(rb'If-None-Match&quot;: &quot;(.*?)&quot;|"If-None-Match": "(.*?)"\}')
# Refusals on a form, and the one after which a student sends it again.
REFUSAL = re.compile(r'class="errorlist[^>]*>(?:<li>)?(.*?)</', re.DOTALL)
COME_AGAIN, TRIES = "Try again in a few seconds", 20
REAL_TIME = Clock()
# As the proxy of production sets it.
SECURE = {"X-Forwarded-Proto": "https"}


class Browser:
    """One student's browser. A request that fails is recorded in words."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        person: dict[str, str],
        measurements: Measurements,
        clock: Clock = REAL_TIME,
    ) -> None:
        self.clock = clock
        self._client, self._measurements = client, measurements
        self._cookies = {"sessionid": person["session"]}
        self._address = person["address"]

    async def get(self, path: str, kind: str = "page", **headers: str) -> httpx.Response | None:
        return await self._request("GET", path, kind, headers=headers)

    async def post(self, path: str, kind: str, token: str, **options: Any) -> httpx.Response | None:
        options["data"] = options.get("data", {}) | {"csrfmiddlewaretoken": token}
        return await self._request("POST", path, kind, **options)

    async def _request(
        self, method: str, path: str, kind: str, **options: Any
    ) -> httpx.Response | None:
        host = self._client.base_url
        headers = (
            SECURE
            | {
                "X-Forwarded-For": self._address,
                "Referer": f"https://{host.host}:{host.port}{path}",
                "Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()),
            }
            | options.pop("headers", {})
        )
        begin = self.clock.now()
        self._measurements.open += 1

        try:
            answer = await self._client.request(method, path, headers=headers, **options)
        except httpx.HTTPError as error:
            self._measurements.failures.append(f"{kind}: {type(error).__name__}")
            return None
        finally:
            self._measurements.open -= 1

        self._measurements.note(kind, self.clock.now() - begin)
        if answer.status_code >= HTTPStatus.BAD_REQUEST:
            self._measurements.failures.append(
                f"{kind}: {answer.status_code} {re.sub(r'[0-9a-f-]{36}', '…', path)}"
            )
            return None

        for name, value in answer.cookies.items():
            self._cookies[name] = value

        return answer


async def run_evening(
    address: str,
    course: dict[str, Any],
    report: bytes,
    measurements: Measurements,
    *,
    within: float,
    clock: Clock = REAL_TIME,
) -> None:
    """Let every student come at a random moment within `within` seconds, until their report is
    read.
    """
    begin = clock.now()
    # Shorter than the server keeps a connection, so that no request meets a closing one.
    limits = httpx.Limits(
        max_connections=None, max_keepalive_connections=100, keepalive_expiry=clock.real(1.0)
    )
    chance = random.Random(len(course["people"]))  # noqa: S311 -- the same at every run

    timeout = clock.real(ANSWER_SECONDS)
    async with httpx.AsyncClient(base_url=address, timeout=timeout, limits=limits) as client:
        await asyncio.gather(
            *(
                _student(
                    Browser(client, person, measurements, clock),
                    course,
                    person,
                    report,
                    measurements,
                    chance.uniform(0, within),
                )
                for person in course["people"]
            )
        )

    measurements.seconds = clock.now() - begin


async def _student(
    browser: Browser,
    course: dict[str, Any],
    person: dict[str, str],
    report: bytes,
    measurements: Measurements,
    wait: float,
) -> None:
    await browser.clock.sleep(wait)
    for path in ("/", course["cohort"], course["assignment"]):
        await browser.get(path)
        await _pause_to_read(browser.clock)

    audit = await _submit(
        browser, course["assignment"] + "submit/", person["repository"], report, measurements
    )
    if audit is None:
        measurements.failures.append("submission: no audit to watch")
        return

    measurements.submitted += 1
    measurements.last_submission = browser.clock.now()
    if not await _watch(browser, audit):
        measurements.failures.append("no report within 15 minutes")
        return

    measurements.ended += 1
    answers = [await browser.get(audit), await browser.get(audit + "report.md", "download")]
    answers += [
        await browser.get(audit + "report.json", "download"),
        await browser.get(course["assignment"]),
    ]
    measurements.read += all(answer is not None for answer in answers)
    measurements.last_read = browser.clock.now()


async def _submit(
    browser: Browser, path: str, repository: str, report: bytes, measurements: Measurements
) -> str | None:
    """Submit, and return the path of the audit that the site redirects to."""
    for _ in range(TRIES):
        form = await browser.get(path)
        token = TOKEN.search(form.content) if form else None
        if token is None:
            return None

        await _pause_to_read(browser.clock)
        fields = {
            "data": {"repo_url": repository},
            "files": {"pdf": ("report.pdf", report, "application/pdf")},
        }
        answer = await browser.post(path, "submission", token[1].decode(), **fields)
        if answer is None:
            return None
        if answer.status_code == HTTPStatus.FOUND:
            return answer.headers["Location"]
        if COME_AGAIN not in answer.text:
            measurements.failures.append(f"submission: {', '.join(REFUSAL.findall(answer.text))}")
            return None
        measurements.asked_again += 1
    return None


async def _watch(browser: Browser, audit: str) -> bool:
    """Poll as the page does; return True once the report is there."""
    page = await browser.get(audit)
    begin = browser.clock.now()
    etag, pause = "", _poll_seconds(page.content if page else b"") or 0.0

    while pause and browser.clock.now() - begin < MAX_WAIT_SECONDS:
        await browser.clock.sleep(pause)
        answer = await browser.get(
            f"{audit}progress/", "progress", **({"If-None-Match": etag} if etag else {})
        )
        if answer is None:
            return False
        etag = answer.headers.get("ETag", etag)
        if "HX-Refresh" in answer.headers:
            return True
        pause = _poll_seconds(answer.content) or pause

    return page is not None and not pause


def _poll_seconds(content: bytes) -> float | None:
    match = POLL.search(content)
    return int(match[1]) / 1000 if match else None


async def _pause_to_read(clock: Clock) -> None:
    await clock.sleep(random.uniform(*READING_SECONDS))  # noqa: S311 -- people differ


async def sign_ins(address: str, course: dict[str, Any]) -> list[float]:
    """Return the seconds of each sign-in, one person after the other."""
    seconds: list[float] = []
    async with httpx.AsyncClient(base_url=address, timeout=30) as client:
        for person in course["people"]:
            measurements = Measurements()
            browser = Browser(client, person | {"session": ""}, measurements)
            page = await browser.get("/accounts/login/")
            token = TOKEN.search(page.content) if page else None
            fields = {"data": {"login": person["email"], "password": person["password"]}}
            await browser.post(
                "/accounts/login/", "sign-in", token[1].decode() if token else "", **fields
            )
            seconds += _without_failures(measurements.times["sign-in"], measurements.failures)

    return seconds


def _without_failures(seconds: Sequence[float], failures: Sequence[str]) -> Sequence[float]:
    if failures:
        raise RuntimeError(f"signing in failed: {failures[0]}")
    return seconds
