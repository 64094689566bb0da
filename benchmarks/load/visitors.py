"""Virtual students: what a browser would ask for, in a person's order and at the page's own pace."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Sequence
from http import HTTPStatus
from time import perf_counter
from typing import Any

import httpx

from benchmarks.load.figures import Seen

PATIENCE_SECONDS = 900.0
READING_SECONDS = (1.0, 4.0)
POLL = re.compile(rb'hx-trigger="every (\d+)ms')
TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="([^"]+)"')
ETAG = re.compile(rb'If-None-Match&quot;: &quot;(.*?)&quot;|"If-None-Match": "(.*?)"\}')
SECURE = {"X-Forwarded-Proto": "https"}


class Visitor:
    """One student's browser. A request that does not end as it should is a failure, said in words."""

    def __init__(self, client: httpx.AsyncClient, person: dict[str, str], seen: Seen) -> None:
        self._client, self._seen = client, seen
        self._cookies = {"sessionid": person["session"]}
        self._address = person["address"]

    async def get(self, path: str, kind: str = "page", **headers: str) -> httpx.Response | None:
        return await self._ask("GET", path, kind, headers=headers)

    async def post(self, path: str, kind: str, token: str, **sent: Any) -> httpx.Response | None:
        sent["data"] = sent.get("data", {}) | {"csrfmiddlewaretoken": token}
        return await self._ask("POST", path, kind, **sent)

    async def _ask(self, method: str, path: str, kind: str, **sent: Any) -> httpx.Response | None:
        headers = (
            SECURE
            | {
                "X-Forwarded-For": self._address,
                "Referer": f"https://{self._client.base_url.host}:{self._client.base_url.port}{path}",
                "Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()),
            }
            | sent.pop("headers", {})
        )
        begin = perf_counter()
        self._seen.open += 1
        try:
            answer = await self._client.request(method, path, headers=headers, **sent)
        except httpx.HTTPError as error:
            self._seen.failures.append(f"{kind}: {type(error).__name__}")
            return None
        finally:
            self._seen.open -= 1
        self._seen.note(kind, perf_counter() - begin)
        if answer.status_code >= HTTPStatus.BAD_REQUEST:
            self._seen.failures.append(
                f"{kind}: {answer.status_code} {re.sub(r'[0-9a-f-]{36}', '…', path)}"
            )
            return None
        for name, value in answer.cookies.items():
            self._cookies[name] = value
        return answer


async def evening(
    address: str, town: dict[str, Any], report: bytes, seen: Seen, *, within: float
) -> None:
    """Everybody comes at a moment of their own within so many seconds, and stays until their report
    is read.
    """
    begin = perf_counter()
    # Shorter than the server keeps a connection: a proxy does not send on one that is just being
    # closed either.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=1.0)
    chance = random.Random(len(town["people"]))  # noqa: S311 -- the same evening at every run
    async with httpx.AsyncClient(base_url=address, timeout=30, limits=limits) as client:
        await asyncio.gather(
            *(
                _student(
                    Visitor(client, person, seen),
                    town,
                    person,
                    report,
                    seen,
                    chance.uniform(0, within),
                )
                for person in town["people"]
            )
        )
    seen.seconds = perf_counter() - begin


async def _student(
    visitor: Visitor,
    town: dict[str, Any],
    person: dict[str, str],
    report: bytes,
    seen: Seen,
    wait: float,
) -> None:
    await asyncio.sleep(wait)
    for path in ("/", town["cohort"], town["assignment"]):
        await visitor.get(path)
        await _read()
    audit = await _hand_in(visitor, town["assignment"] + "submit/", person["repository"], report)
    if audit is None:
        seen.failures.append("submission: no audit to watch")
        return
    seen.handed_in += 1
    if not await _watch(visitor, audit):
        seen.failures.append("no report within 15 minutes")
        return
    seen.ended += 1
    answers = [await visitor.get(audit), await visitor.get(audit + "report.md", "download")]
    answers += [
        await visitor.get(audit + "report.json", "download"),
        await visitor.get(town["assignment"]),
    ]
    seen.read += all(answer is not None for answer in answers)


async def _hand_in(visitor: Visitor, path: str, repository: str, report: bytes) -> str | None:
    """The path of the audit that the site leads to."""
    form = await visitor.get(path)
    token = TOKEN.search(form.content) if form else None
    if token is None:
        return None
    await _read()
    sent = {
        "data": {"repo_url": repository},
        "files": {"pdf": ("report.pdf", report, "application/pdf")},
    }
    answer = await visitor.post(path, "submission", token[1].decode(), **sent)
    moved = answer is not None and answer.status_code == HTTPStatus.FOUND
    return answer.headers["Location"] if answer is not None and moved else None


async def _watch(visitor: Visitor, audit: str) -> bool:
    """Poll as the page asks to; True once the report is there."""
    page = await visitor.get(audit)
    begin = perf_counter()
    etag, pause = "", _pause(page.content if page else b"") or 0.0
    while pause and perf_counter() - begin < PATIENCE_SECONDS:
        await asyncio.sleep(pause)
        answer = await visitor.get(
            f"{audit}progress/", "progress", **({"If-None-Match": etag} if etag else {})
        )
        if answer is None:
            return False
        etag = answer.headers.get("ETag", etag)
        if "HX-Refresh" in answer.headers:
            return True
        pause = _pause(answer.content) or pause
    return page is not None and not pause


def _pause(content: bytes) -> float | None:
    found = POLL.search(content)
    return int(found[1]) / 1000 if found else None


async def _read() -> None:
    await asyncio.sleep(random.uniform(*READING_SECONDS))  # noqa: S311 -- people differ


async def sign_ins(address: str, town: dict[str, Any]) -> list[float]:
    """Seconds of signing in, one person after the other."""
    taken: list[float] = []
    async with httpx.AsyncClient(base_url=address, timeout=30) as client:
        for person in town["people"]:
            seen = Seen()
            visitor = Visitor(client, person | {"session": ""}, seen)
            page = await visitor.get("/accounts/login/")
            token = TOKEN.search(page.content) if page else None
            sent = {"data": {"login": person["email"], "password": person["password"]}}
            await visitor.post(
                "/accounts/login/", "sign-in", token[1].decode() if token else "", **sent
            )
            taken += _succeeded(seen.taken["sign-in"], seen.failures)
    return taken


def _succeeded(seconds: Sequence[float], failures: Sequence[str]) -> Sequence[float]:
    if failures:
        raise RuntimeError(f"signing in failed: {failures[0]}")
    return seconds
