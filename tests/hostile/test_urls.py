"""Hostile addresses: each refused with its own code, before any name is looked up or anything is
connected to.
"""

from __future__ import annotations

from dataclasses import asdict

import pytest

from courtroom.analysis.git.repository_addresses import Resolver, check_url
from courtroom.models.errors import UrlRefused
from tests.hostile.traps import Toll
from tests.hostile.urls import HOSTILE, PRIVATE_ANSWERS

EACH = [(code, url) for code, urls in HOSTILE.items() for url in urls]


def code_of(url: str, resolve: Resolver) -> str:
    with pytest.raises(UrlRefused) as refused:
        check_url(url, allow_local=False, resolve=resolve)
    assert refused.value.message.endswith(".")
    return refused.value.code


def never(host: str) -> tuple[str, ...]:
    raise AssertionError(host)


@pytest.fixture(autouse=True)
def _counted(record_property) -> None:
    record_property("hostile", asdict(Toll("addresses", 0, 0)))


@pytest.mark.parametrize(("code", "url"), EACH, ids=[ascii(url)[1:60] for _, url in EACH])
def test_a_hostile_address_is_refused_without_asking_for_its_name(code: str, url: str) -> None:
    assert code_of(url, never) == code


@pytest.mark.parametrize("answer", PRIVATE_ANSWERS, ids=" ".join)
def test_a_name_with_one_private_address_is_refused(answer: tuple[str, ...]) -> None:
    assert code_of("https://evil.example/a", lambda _: answer) == "url_private_address"


def test_a_name_that_answers_otherwise_the_second_time_is_asked_once() -> None:
    answers = iter((("140.82.121.3",), ("127.0.0.1",)))
    checked = check_url(
        "https://evil.example/a", allow_local=False, resolve=lambda _: next(answers)
    )
    assert checked.pin == "evil.example:443:140.82.121.3"


def test_there_are_as_many_as_promised() -> None:
    assert (len(EACH) >= 80, len(EACH)) == (True, len(set(EACH)))
