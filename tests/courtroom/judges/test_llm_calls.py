"""Limits around the calls: rate limit, budget, warm-up, batch, and the provider's pauses."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from courtroom.judges.llm import LlmBench
from courtroom.judges.provider_failures import failure_of, retry_after
from courtroom.judges.rate_limit import RateLimitTimeout
from courtroom.models.case import BenchSettings, Price
from courtroom.models.judge_answer import PERSONAS, JudgeFailure
from tests.courtroom.judges.loop_clock import advance
from tests.courtroom.judges.questions import make_question
from tests.factories.model_server import model_endpoint

# A prompt of these tests is about 400 tokens: at these prices a call's ceiling is its 1200 tokens
# of answer, 0.0012 dollars, and its bill 0.00002.
PRICE = Price(input=0, cached_input=0, output=1)


@pytest.fixture
def endpoint():
    with model_endpoint() as server:
        yield server


def ask_all(
    endpoint, questions, *, asks_all_at_once=False, rate_limit=None, model="good", **changes
):
    """Ask every question in a call of its own, all in parallel; or all of them in one call."""
    fields = {
        "models": dict.fromkeys(PERSONAS, model),
        "api_key": "k",
        "base_url": endpoint.base_url,
    }
    settings = BenchSettings(**{"kind": "llm", **fields, **changes})

    async def answers():
        bench = LlmBench(settings, rate_limit) if rate_limit else LlmBench(settings)
        try:
            batches = [questions] if asks_all_at_once else [[question] for question in questions]
            answered = await asyncio.gather(*(bench.answer(batch) for batch in batches))
            return [answer for batch in answered for answer in batch]
        finally:
            await bench.close()

    return asyncio.run(answers())


def question_on(name, persona="TechLead"):
    question = make_question(persona, ("a",), ("b",))
    return question.model_copy(
        update={"criterion": question.criterion.model_copy(update={"id": name})}
    )


def outcomes_of(answers):
    return [
        o.opinion.failure if isinstance(o.opinion, JudgeFailure) else "opinion" for o in answers
    ]


class ScriptedRateLimit:
    """Rate limit that admits so many calls, one after the other, and refuses the rest."""

    def __init__(self, admitted, seconds=0.0):
        self.admitted, self.seconds, self.requested = admitted, seconds, []

    async def acquire(self, tokens):
        self.requested.append(tokens)
        advance(self.seconds)
        await asyncio.sleep(0)
        if len(self.requested) > self.admitted:
            raise RateLimitTimeout("the limit of the key is reached")


def test_call_refused_by_the_rate_limit_is_not_made(endpoint):
    answers = ask_all(
        endpoint, [question_on("x"), question_on("y")], rate_limit=ScriptedRateLimit(0)
    )
    assert (outcomes_of(answers), endpoint.requests) == (["rate_limited"] * 2, [])
    assert [a.usage.calls for a in answers] == [0, 0]
    assert (
        answers[0].opinion.message == "The rate limit left no room: the limit of the key is reached"
    )


def test_every_call_and_retry_passes_the_rate_limit(endpoint):
    rate_limit = ScriptedRateLimit(5)
    ask_all(endpoint, [question_on("x")], rate_limit=rate_limit, model="busy")
    assert (len(rate_limit.requested), len(endpoint.requests)) == (2, 2)
    assert min(rate_limit.requested) > 1200


def test_waiting_for_the_rate_limit_does_not_count_towards_the_deadline(endpoint):
    answers = ask_all(
        endpoint,
        [question_on("x")],
        rate_limit=ScriptedRateLimit(1, seconds=60),
        deadline_seconds=30,
    )
    assert outcomes_of(answers) == ["opinion"]


def test_budget_below_one_call_buys_nothing(endpoint):
    answers = ask_all(endpoint, [question_on("x")], prices={"good": PRICE}, budget_usd=0.001)
    assert (outcomes_of(answers), endpoint.requests) == (["budget"], [])
    assert (
        answers[0].opinion.message
        == "The budget of this audit is spent: $0.0010 left, $0.0012 needed."
    )


def test_budget_is_never_overdrawn(endpoint):
    names = [f"c{n}" for n in range(6)]
    answers = ask_all(
        endpoint, [question_on(n) for n in names], prices={"good": PRICE}, budget_usd=0.00125
    )
    bought = [a.usage.cost_usd for a in answers if a.usage.calls]
    assert outcomes_of(answers) == ["opinion"] * 3 + ["budget"] * 3
    assert sum(bought) <= 0.00125


def test_calls_that_fit_the_budget_only_in_turn_wait(endpoint):
    answers = ask_all(
        endpoint, [question_on("x"), question_on("y")], prices={"good": PRICE}, budget_usd=0.0013
    )
    assert (outcomes_of(answers), endpoint.most) == (["opinion"] * 2, 1)


def test_model_without_a_price_has_no_cost(endpoint):
    assert [a.usage.cost_usd for a in ask_all(endpoint, [question_on("x")])] == [None]


def test_warm_up_call_goes_alone_before_all_others(endpoint):
    endpoint.gather, endpoint.ahead = 8, 1
    ask_all(endpoint, [question_on(f"c{n}") for n in range(8)], warm_up=True)
    assert (len(endpoint.requests), endpoint.most) == (8, 7)


def test_failed_warm_up_call_lets_the_others_go(endpoint):
    answers = ask_all(
        endpoint, [question_on("x"), question_on("y")], warm_up=True, model="unauthorised"
    )
    assert outcomes_of(answers) == ["auth", "auth"]


def test_one_call_per_judge_answers_all_criteria(endpoint):
    one_by_one = ask_all(endpoint, [question_on("x"), question_on("y")])
    endpoint.requests.clear()
    asks_all_at_once = ask_all(
        endpoint, [question_on("x"), question_on("y")], asks_all_at_once=True
    )

    assert len(endpoint.requests) == 1
    assert [a.opinion for a in asks_all_at_once] == [a.opinion for a in one_by_one]
    assert [a.usage.calls for a in asks_all_at_once] == [1, 0]


def test_criterion_left_out_of_a_joint_answer_is_asked_again_alone(endpoint):
    answers = ask_all(
        endpoint, [question_on("x"), question_on("y")], asks_all_at_once=True, model="forgetful"
    )
    again = endpoint.requests[1]["response_format"]["json_schema"]["schema"]
    assert outcomes_of(answers) == ["out_of_schema", "opinion"]
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
def test_retry_pause_of_the_provider_is_parsed(headers, seconds):
    assert retry_after(headers) == seconds


def test_retry_date_is_counted_from_now():
    pause = retry_after(
        {"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)}
    )
    assert pause is not None
    assert 85 <= pause <= 90


def test_unknown_exception_is_a_failure_by_its_status():
    class Overloaded(Exception):
        status_code = 529

    assert (failure_of(Overloaded("later")).kind, failure_of(KeyError("x")).kind) == (
        "server",
        "invalid",
    )


def test_models_own_bad_json_is_asked_for_again_although_the_status_is_400():
    class Refused(Exception):
        status_code, code = 400, "json_validate_failed"

    class RefusedRequest(Exception):
        status_code, code = 400, "invalid_request"

    failures = [
        failure_of(error("Failed to generate JSON.")) for error in (Refused, RefusedRequest)
    ]
    assert [failure.is_worth_asking_again for failure in failures] == [True, False]
