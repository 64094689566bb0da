"""What stands around the calls: the gate, the budget, the warm-up, the batch, the provider's
pauses.
"""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from courtroom.judges.llm import LlmBench
from courtroom.judges.provider_failures import failure_of, retry_after
from courtroom.judges.rate_limit import RateLimitTimeout
from courtroom.models.case import BenchSettings, Price
from courtroom.models.record import PERSONAS, JudgeFailure
from tests.courtroom.judges.briefs import brief
from tests.factories.model_server import model_endpoint

# A prompt of these tests is about 400 tokens: at these prices a call's ceiling is its 1200 tokens
# of answer, 0.0012 dollars, and its bill 0.00002.
PRICE = Price(input=0, cached_input=0, output=1)


@pytest.fixture
def desk():
    with model_endpoint() as endpoint:
        yield endpoint


def hear_all(desk, briefs, *, asks_all_at_once=False, gate=None, model="good", **changes):
    """Every brief in a call of its own, all at once; or all of them asks_all_at_once."""
    fields = {"models": dict.fromkeys(PERSONAS, model), "api_key": "k", "base_url": desk.base_url}
    settings = BenchSettings(**{"kind": "llm", **fields, **changes})

    async def answers():
        bench = LlmBench(settings, gate) if gate else LlmBench(settings)
        try:
            batches = [briefs] if asks_all_at_once else [[one] for one in briefs]
            heard = await asyncio.gather(*(bench.answer(batch) for batch in batches))
            return [answer for batch in heard for answer in batch]
        finally:
            await bench.close()

    return asyncio.run(answers())


def on(name, persona="TechLead"):
    asked = brief(persona, ("a",), ("b",))
    return asked.model_copy(update={"criterion": asked.criterion.model_copy(update={"id": name})})


def kinds(answers):
    return [
        o.opinion.failure if isinstance(o.opinion, JudgeFailure) else "opinion" for o in answers
    ]


class Turnstile:
    """Lets so many in, one after the other; the rest are told to go."""

    def __init__(self, places, seconds=0.0):
        self.places, self.seconds, self.asked = places, seconds, []

    async def acquire(self, tokens):
        self.asked.append(tokens)
        await asyncio.sleep(self.seconds)
        if len(self.asked) > self.places:
            raise RateLimitTimeout("the limit of the key is reached")


def test_who_is_not_admitted_by_the_gate_makes_no_call(desk):
    answers = hear_all(desk, [on("x"), on("y")], gate=Turnstile(0))
    assert (kinds(answers), desk.requests) == (["rate_limited"] * 2, [])
    assert [a.usage.calls for a in answers] == [0, 0]
    assert (
        answers[0].opinion.message == "The rate limit left no room: the limit of the key is reached"
    )


def test_every_call_passes_the_gate_a_retried_one_again(desk):
    gate = Turnstile(5)
    hear_all(desk, [on("x")], gate=gate, model="busy")
    assert (len(gate.asked), len(desk.requests)) == (2, 2)
    assert min(gate.asked) > 1200


def test_waiting_at_the_gate_does_not_count_towards_the_deadline(desk):
    answers = hear_all(desk, [on("x")], gate=Turnstile(1, seconds=0.3), deadline_seconds=0.2)
    assert kinds(answers) == ["opinion"]


def test_a_budget_that_is_too_small_for_one_call_buys_nothing(desk):
    answers = hear_all(desk, [on("x")], prices={"good": PRICE}, budget_usd=0.001)
    assert (kinds(answers), desk.requests) == (["budget"], [])
    assert (
        answers[0].opinion.message
        == "The budget of this audit is spent: $0.0010 left, $0.0012 needed."
    )


def test_a_budget_stops_before_the_next_call_and_is_never_overdrawn(desk):
    names = [f"c{n}" for n in range(6)]
    answers = hear_all(desk, [on(n) for n in names], prices={"good": PRICE}, budget_usd=0.00125)
    bought = [a.usage.cost_usd for a in answers if a.usage.calls]
    assert kinds(answers) == ["opinion"] * 3 + ["budget"] * 3
    assert sum(bought) <= 0.00125


def test_calls_that_fit_only_one_after_the_other_wait_for_each_other(desk):
    answers = hear_all(desk, [on("x"), on("y")], prices={"good": PRICE}, budget_usd=0.0013)
    assert (kinds(answers), desk.most) == (["opinion"] * 2, 1)


def test_a_model_without_a_price_has_no_cost(desk):
    assert [a.usage.cost_usd for a in hear_all(desk, [on("x")])] == [None]


def test_the_warm_up_call_goes_alone_and_then_all_the_others_at_once(desk):
    desk.gather, desk.ahead = 8, 1
    hear_all(desk, [on(f"c{n}") for n in range(8)], warm_up=True)
    assert (len(desk.requests), desk.most) == (8, 7)


def test_a_warm_up_call_that_fails_lets_the_others_go(desk):
    answers = hear_all(desk, [on("x"), on("y")], warm_up=True, model="unauthorised")
    assert kinds(answers) == ["auth", "auth"]


def test_one_call_of_a_judge_answers_all_criteria(desk):
    one_by_one = hear_all(desk, [on("x"), on("y")])
    desk.requests.clear()
    asks_all_at_once = hear_all(desk, [on("x"), on("y")], asks_all_at_once=True)
    assert len(desk.requests) == 1
    assert [a.opinion for a in asks_all_at_once] == [a.opinion for a in one_by_one]
    assert [a.usage.calls for a in asks_all_at_once] == [1, 0]


def test_what_one_call_for_all_left_out_is_asked_for_again_alone(desk):
    answers = hear_all(desk, [on("x"), on("y")], asks_all_at_once=True, model="forgetful")
    again = desk.requests[1]["response_format"]["json_schema"]["schema"]
    assert kinds(answers) == ["out_of_schema", "opinion"]
    assert set(again["properties"]) == {"reasoning", "cited_evidence", "score"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_the_providers_own_pause_is_read_as_it_is_written(headers, seconds):
    assert retry_after(headers) == seconds


def test_a_pause_until_a_date_is_counted_from_now():
    pause = retry_after(
        {"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)}
    )
    assert pause is not None
    assert 85 <= pause <= 90


def test_an_exception_of_an_unknown_library_is_a_failure_by_its_status():
    class Overloaded(Exception):
        status_code = 529

    assert (failure_of(Overloaded("later")).kind, failure_of(KeyError("x")).kind) == (
        "server",
        "invalid",
    )
