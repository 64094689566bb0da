"""Answers of a model at a real endpoint: every one is an opinion or a typed failure, and its cost
is counted.
"""

import asyncio

import pytest
from langchain_openai import ChatOpenAI

from courtroom.judges.bench import ReusingBench
from courtroom.judges.llm import LlmBench
from courtroom.judges.providers import LangchainClient, ModelClients
from courtroom.models.case import BenchSettings, Known, Price
from courtroom.models.errors import InputRefused
from courtroom.models.record import PERSONAS, JudgeFailure, JudicialOpinion, Usage
from tests.courtroom.judges.briefs import brief, seen
from tests.factories.model_server import model_endpoint

PRICE = Price(input=1, cached_input=0.1, output=10)


@pytest.fixture(scope="module")
def desk():
    with model_endpoint() as endpoint:
        yield endpoint


def settings(desk, model, **changes):
    fields = {
        "models": dict.fromkeys(PERSONAS, model),
        "api_key": "test-key",
        "base_url": desk.base_url,
    }
    return BenchSettings(**{"kind": "llm", **fields, **changes})


def ask_bench(bench, question):
    async def answer():
        try:
            return (await bench.answer([question]))[0]
        finally:
            await bench.close()

    return asyncio.run(answer())


def ask(desk, model, **changes):
    return ask_bench(LlmBench(settings(desk, model, **changes)), brief("TechLead", ("a",), ("b",)))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"models": {"TechLead": "m"}}, "No model is set for: Prosecutor, Defense"),
        ({"models": dict.fromkeys(PERSONAS, "m")}, "OPENAI_API_KEY"),
        (
            {"models": dict.fromkeys(PERSONAS, "anthropic:m")},
            "pip install langchain and its anthropic package",
        ),
        (
            {"models": dict.fromkeys(PERSONAS, "m"), "api_key": "k", "budget_usd": 1},
            "price .* set for: m",
        ),
    ],
)
def test_what_the_bench_lacks_is_said_before_anything_is_bought(fields, words):
    with pytest.raises(InputRefused, match=words):
        LlmBench(BenchSettings(kind="llm", **fields))


@pytest.mark.parametrize(
    ("model", "kind", "calls"),
    [
        ("refusing", "refusal", 1),
        ("truncated", "truncated", 2),
        ("answer-filtered", "filtered", 1),
        ("prompt-filtered", "filtered", 1),
        ("malformed", "invalid", 2),
        ("page", "invalid", 2),
        ("empty-choices", "invalid", 2),
        ("bad-request", "invalid", 1),
        ("unknown", "invalid", 1),
        ("out-of-range", "out_of_schema", 2),
        ("extra-key", "out_of_schema", 2),
        ("busy-now", "rate_limited", 3),
        ("busy-for-long", "rate_limited", 1),
        ("broken", "server", 3),
        ("unauthorised", "auth", 1),
        ("too-long", "context_length", 1),
        ("out-of-quota", "budget", 1),
    ],
)
def test_every_bad_answer_is_a_typed_failure_whose_calls_are_counted(desk, model, kind, calls):
    desk.seen.clear()
    answer = ask(desk, model)
    assert isinstance(answer.opinion, JudgeFailure)
    assert (answer.opinion.failure, answer.usage.calls, desk.seen[model]) == (kind, calls, calls)


def test_an_endpoint_that_cannot_be_reached_is_a_failure_of_the_server(desk):
    answer = ask(desk, "good", base_url="http://127.0.0.1:9/v1", deadline_seconds=0.4).opinion
    assert isinstance(answer, JudgeFailure)
    assert (answer.failure, answer.message) == (
        "server",
        "OpenAIConnectionError: Connection error.",
    )


def test_a_good_answer_is_an_opinion_with_the_providers_own_usage(desk):
    answer = ask(desk, "good")
    assert isinstance(answer.opinion, JudicialOpinion)
    assert (answer.opinion.score, answer.opinion.model) == (4, "good")
    assert answer.usage == Usage(calls=1, prompt_tokens=100, cached_tokens=64, completion_tokens=20)


def test_what_was_bought_for_an_answer_of_no_use_is_counted(desk):
    answer = ask(desk, "truncated", prices={"truncated": PRICE})
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (200, 40)
    assert answer.usage.cost_usd == pytest.approx(2 * (36 * 1 + 64 * 0.1 + 20 * 10) / 1e6)


def test_an_answer_in_a_code_fence_is_read(desk):
    assert ask(desk, "fenced").usage.calls == 1


def test_an_answer_cut_short_gets_twice_the_room(desk):
    answer = ask(desk, "terse")
    assert isinstance(answer.opinion, JudicialOpinion)
    assert answer.usage.calls == 2


def test_a_malformed_answer_is_asked_for_again_with_what_was_wrong(desk):
    desk.requests.clear()
    ask(desk, "out-of-range")
    assert desk.requests[1]["messages"][2]["content"].startswith(
        "Your last answer could not be used: score: Input should be 1, 2, 3, 4 or 5"
    )


def test_no_part_of_a_key_reaches_the_record(desk):
    answer = ask(desk, "unauthorised").opinion
    assert isinstance(answer, JudgeFailure)
    assert answer.message == "The endpoint refused the API key."


def test_an_invented_citation_is_removed_and_counted(desk):
    answer = ask(desk, "inventive").opinion
    assert isinstance(answer, JudicialOpinion)
    assert (len(answer.cited_evidence), answer.invented_citations) == (2, 1)


def test_a_citation_by_its_short_label_becomes_the_id_that_stands_in_the_report(desk):
    answer = ask(desk, "good").opinion
    assert isinstance(answer, JudicialOpinion)
    assert set(answer.cited_evidence) == {seen("a").id, seen("b", found=False).id}


def test_half_a_surrogate_pair_in_an_argument_does_not_reach_the_record(desk):
    answer = ask(desk, "half-a-pair").opinion
    assert isinstance(answer, JudicialOpinion)
    assert answer.argument == "Because ?."


def test_a_busy_endpoint_is_asked_again_by_the_one_layer_that_retries(desk):
    desk.seen.clear()
    assert isinstance(ask(desk, "busy").opinion, JudicialOpinion)
    assert desk.seen["busy"] == 2


def test_one_deadline_spans_a_body_that_drips(desk):
    answer = ask(desk, "dripping", deadline_seconds=0.4)
    assert isinstance(answer.opinion, JudgeFailure)
    assert (answer.opinion.failure, answer.usage.calls) == ("timeout", 1)


def test_a_known_answer_is_not_bought_again(desk):
    question = brief("Defense", ("a",), ("b",))
    bought = ask_bench(LlmBench(settings(desk, "good")), question).opinion
    desk.requests.clear()
    again = ask_bench(
        ReusingBench(LlmBench(settings(desk, "good")), Known(opinions=(bought,))), question
    )
    assert (again.opinion, again.usage, desk.requests) == (bought, Usage(reused=1), [])


def test_a_model_of_another_provider_answers_through_its_own_structured_output(desk):
    class OtherProvider(ModelClients):
        def client_for(self, model):
            endpoint = {"base_url": desk.base_url, "api_key": "k", "max_retries": 0}
            return LangchainClient(
                lambda room: ChatOpenAI(model=model, max_tokens=room, **endpoint)
            )

    chosen = settings(desk, "good")
    answer = ask_bench(LlmBench(chosen, clients=OtherProvider(chosen)), brief("TechLead", ("a",)))
    assert isinstance(answer.opinion, JudicialOpinion)
    assert answer.usage.prompt_tokens == 100
