"""Answers of a model at a real endpoint: an opinion or a typed failure, with its cost."""

import asyncio
import ssl
from unittest import mock

import pytest
from langchain_openai import ChatOpenAI

from courtroom.judges import providers
from courtroom.judges.bench import ReusingBench
from courtroom.judges.langchain_clients import LangchainClient
from courtroom.judges.llm import LlmBench
from courtroom.judges.providers import ModelClients
from courtroom.models.audit_report import Usage
from courtroom.models.case import BenchSettings, Known, Price
from courtroom.models.errors import InputRefused
from courtroom.models.judge_answer import PERSONAS, JudgeFailure, JudicialOpinion
from tests.courtroom.judges.questions import make_evidence, make_question
from tests.factories.model_server import REASONING, model_endpoint

PRICE = Price(input=1, cached_input=0.1, output=10)


@pytest.fixture(scope="module")
def endpoint():
    with model_endpoint() as server:
        yield server


def settings(endpoint, model, **changes):
    fields = {
        "models": dict.fromkeys(PERSONAS, model),
        "api_key": "test-key",
        "base_url": endpoint.base_url,
    }
    return BenchSettings(**{"kind": "llm", **fields, **changes})


def ask_bench(bench, question):
    async def answer():
        try:
            return (await bench.answer([question]))[0]
        finally:
            await bench.close()

    return asyncio.run(answer())


def ask(endpoint, model, **changes):
    return ask_bench(
        LlmBench(settings(endpoint, model, **changes)), make_question("TechLead", ("a",), ("b",))
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"models": {"TechLead": "m"}}, "No model is set for: Prosecutor, Defense"),
        ({"models": dict.fromkeys(PERSONAS, "m")}, "OPENAI_API_KEY"),
        (
            {"models": dict.fromkeys(PERSONAS, "anthropic:m")},
            "pip install langchain-anthropic",
        ),
        (
            {"models": dict.fromkeys(PERSONAS, "m"), "api_key": "k", "budget_usd": 1},
            "price .* set for: m",
        ),
    ],
)
def test_incomplete_bench_settings_are_refused_before_any_call(fields, words):
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
        ("bad-request", "invalid", 3),
        ("unknown", "invalid", 1),
        ("out-of-range", "out_of_schema", 2),
        ("curt", "unfounded", 2),
        ("silent", "unfounded", 2),
        ("extra-key", "out_of_schema", 2),
        ("busy-now", "rate_limited", 3),
        ("busy-for-long", "rate_limited", 1),
        ("broken", "server", 3),
        ("unauthorised", "auth", 1),
        ("too-long", "context_length", 1),
        ("out-of-quota", "budget", 1),
    ],
)
def test_bad_answer_is_a_typed_failure_whose_calls_are_counted(endpoint, model, kind, calls):
    endpoint.seen.clear()
    answer = ask(endpoint, model)

    assert isinstance(answer.opinion, JudgeFailure)
    assert (answer.opinion.failure, answer.usage.calls, endpoint.seen[model]) == (
        kind,
        calls,
        calls,
    )


def test_unreachable_endpoint_is_a_server_failure(endpoint, monkeypatch):
    # A pause beyond the deadline is not begun.
    monkeypatch.setattr("courtroom.judges.provider_call.FIRST_PAUSE_SECONDS", 60)
    answer = ask(endpoint, "good", base_url="http://127.0.0.1:9/v1", deadline_seconds=30).opinion
    assert isinstance(answer, JudgeFailure)
    assert (answer.failure, answer.message) == (
        "server",
        "The endpoint could not be reached.",
    )


def test_good_answer_is_an_opinion_with_the_providers_usage(endpoint):
    answer = ask(endpoint, "good")
    assert isinstance(answer.opinion, JudicialOpinion)
    assert (answer.opinion.score, answer.opinion.model) == (4, "good")
    assert answer.usage == Usage(
        calls=1,
        prompt_tokens=100,
        cached_tokens=64,
        completion_tokens=20,
        answer_forms={"good": "json_schema"},
    )


def test_tokens_of_unusable_answers_are_counted(endpoint):
    answer = ask(endpoint, "truncated", prices={"truncated": PRICE})
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (200, 40)
    assert answer.usage.cost_usd == pytest.approx(2 * (36 * 1 + 64 * 0.1 + 20 * 10) / 1e6)


def test_answer_in_a_code_fence_is_parsed(endpoint):
    assert ask(endpoint, "fenced").usage.calls == 1


def test_truncated_answer_is_retried_with_twice_the_limit(endpoint):
    answer = ask(endpoint, "terse")
    assert isinstance(answer.opinion, JudicialOpinion)
    assert answer.usage.calls == 2


def test_malformed_answer_is_retried_with_the_error(endpoint):
    endpoint.requests.clear()
    ask(endpoint, "out-of-range")
    assert endpoint.requests[1]["messages"][3]["content"].startswith(
        "Your last answer could not be used: score: Input should be 1, 2, 3, 4 or 5"
    )


def test_api_key_never_reaches_the_record(endpoint):
    answer = ask(endpoint, "unauthorised").opinion
    assert isinstance(answer, JudgeFailure)
    assert answer.message == "The endpoint refused the API key."


def test_invented_citation_is_removed_and_counted(endpoint):
    answer = ask(endpoint, "inventive").opinion
    assert isinstance(answer, JudicialOpinion)
    assert (len(answer.cited_evidence), answer.invented_citations) == (2, 1)


def test_short_label_becomes_the_evidence_id_of_the_report(endpoint):
    answer = ask(endpoint, "good").opinion
    assert isinstance(answer, JudicialOpinion)
    assert set(answer.cited_evidence) == {make_evidence("a").id, make_evidence("b", found=False).id}


def test_lone_surrogate_in_an_argument_is_replaced(endpoint):
    answer = ask(endpoint, "half-a-pair").opinion
    assert isinstance(answer, JudicialOpinion)
    assert answer.argument == f"{REASONING} ?."


def test_busy_endpoint_is_retried_by_one_layer_only(endpoint):
    endpoint.seen.clear()
    assert isinstance(ask(endpoint, "busy").opinion, JudicialOpinion)
    assert endpoint.seen["busy"] == 2


def test_deadline_covers_a_slow_body(endpoint):
    answer = ask(endpoint, "dripping", deadline_seconds=1.5)
    assert isinstance(answer.opinion, JudgeFailure)
    assert (answer.opinion.failure, answer.usage.calls) == ("timeout", 1)


def test_known_answer_is_not_bought_again(endpoint):
    question = make_question("Defense", ("a",), ("b",))
    bought = ask_bench(LlmBench(settings(endpoint, "good")), question).opinion
    endpoint.requests.clear()
    again = ask_bench(
        ReusingBench(LlmBench(settings(endpoint, "good")), Known(opinions=(bought,))), question
    )
    assert (again.opinion, again.usage, endpoint.requests) == (bought, Usage(reused=1), [])


def test_model_of_another_provider_uses_its_own_structured_output(endpoint):
    class OtherProvider(ModelClients):
        def client_for(self, model):
            options = {"base_url": endpoint.base_url, "api_key": "k", "max_retries": 0}
            return LangchainClient(
                lambda limit: ChatOpenAI(model=model, max_tokens=limit, **options)
            )

    bench_settings = settings(endpoint, "good")
    answer = ask_bench(
        LlmBench(bench_settings, clients=OtherProvider(bench_settings)),
        make_question("TechLead", ("a",)),
    )

    assert isinstance(answer.opinion, JudicialOpinion)
    assert answer.usage.prompt_tokens == 100


def test_certificate_authorities_are_read_once_for_models_at_several_addresses(monkeypatch):
    providers._unused_client.cache_clear()
    providers._trusted_certificates.cache_clear()
    read = mock.Mock(wraps=ssl.create_default_context)
    monkeypatch.setattr(ssl, "create_default_context", read)
    for address in ("https://models.example/v1", "https://others.example/v1"):
        models = dict.fromkeys(PERSONAS, "good")
        chosen = BenchSettings(kind="llm", models=models, api_key="k", base_url=address)
        ModelClients(chosen).client_for("good")
    assert read.call_count == 1
