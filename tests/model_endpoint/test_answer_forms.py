"""Endpoints that take no schema, or no form at all: opinions all the same, learnt from one refusal."""

import asyncio
import json
from typing import Any

import pytest

from courtroom.judges.answer_forms import ACCEPTED, Dialect, bare_json, form_in_words
from courtroom.judges.budget import total_usage
from courtroom.judges.llm import LlmBench
from courtroom.judges.prompts import Prompt, persona_text
from courtroom.judges.providers import ModelClients, _in_roles
from courtroom.models.case import BenchSettings, Price
from courtroom.models.judge_answer import PERSONAS, JudgeFailure
from courtroom.rendering.markdown_report import render_markdown
from courtroom.run_audit import hold_audit
from tests.courtroom.judges.questions import make_question
from tests.factories.model_server import model_endpoint
from tests.factories.student_project import case_of, student_repository
from tests.model_endpoint.picky_endpoint import (
    ALTERNATING,
    NEITHER,
    OBJECT_REFUSALS,
    SCHEMA_REFUSALS,
    WANTS_COMPLETION_TOKENS,
    WITHOUT_SYSTEM,
    WITHOUT_TEMPERATURE,
    PickyHandler,
)

# So long that the first call is answered or refused before the others, however slow the machine.
HEAD_START = 30.0


@pytest.fixture
def endpoint():
    with model_endpoint(PickyHandler) as server:
        yield server


def settings(endpoint, model, **changes):
    fields = {
        "models": dict.fromkeys(PERSONAS, model),
        "api_key": "key",
        "base_url": endpoint.base_url,
        "screen": False,
    }
    return BenchSettings(**{"kind": "llm", **fields, **changes})


def ask_thirty(endpoint, model, **changes):
    """Ask thirty questions in parallel, each in a call of its own."""
    chosen = settings(endpoint, model, **changes)

    async def answers():
        bench = LlmBench(chosen, clients=ModelClients(chosen, HEAD_START))
        questions = [
            make_question(persona, ("a",), ("b",)) for persona in PERSONAS for _ in range(10)
        ]
        try:
            batches = await asyncio.gather(*(bench.answer([question]) for question in questions))
            return [answer for batch in batches for answer in batch]
        finally:
            await bench.close()

    return asyncio.run(answers())


def audit(endpoint, model, repository):
    async def report():
        bench = settings(endpoint, model)
        return [event async for event in hold_audit(case_of(repository), bench=bench)][-1].report

    return asyncio.run(report())


def scores_of(answers):
    return [None if isinstance(a.opinion, JudgeFailure) else a.opinion.score for a in answers]


@pytest.mark.parametrize("server", sorted(SCHEMA_REFUSALS))
def test_endpoint_without_schemas_gives_thirty_opinions_after_one_refusal(endpoint, server):
    answers = ask_thirty(endpoint, server)
    forms = [request.get("response_format", {}).get("type") for request in endpoint.requests]

    assert scores_of(answers) == [4] * 30
    assert (endpoint.refused, forms) == (1, ["json_schema"] + ["json_object"] * 30)
    assert sum(answer.usage.calls for answer in answers) == 31
    assert {form for a in answers for form in a.usage.answer_forms.items()} == {
        (server, "json_object")
    }


def test_endpoint_without_any_form_gives_thirty_opinions_after_two_refusals(endpoint):
    answers = ask_thirty(endpoint, NEITHER)
    assert scores_of(answers) == [4] * 30
    assert endpoint.refused == 2
    assert [form for a in answers for form in a.usage.answer_forms.values()] == ["text"] * 30


def test_refused_form_costs_nothing_of_a_budget_for_one_call_at_a_time(endpoint):
    price = Price(input=0, cached_input=0, output=1)
    answers = ask_thirty(endpoint, NEITHER, prices={NEITHER: price}, budget_usd=0.002)
    assert scores_of(answers) == [4] * 30
    assert sum(answer.usage.cost_usd for answer in answers) == pytest.approx(30 * 20e-6)


def test_next_audit_of_the_process_asks_in_the_form_that_was_taken(endpoint):
    ask_thirty(endpoint, NEITHER)
    answers = ask_thirty(endpoint, NEITHER)
    assert (scores_of(answers), endpoint.refused) == ([4] * 30, 2)
    assert ACCEPTED[endpoint.base_url, NEITHER].form == "text"


def test_parameters_that_an_endpoint_does_not_know_are_left_out(endpoint):
    answers = ask_thirty(endpoint, "strict")
    last = endpoint.requests[-1]
    assert (scores_of(answers), endpoint.refused) == ([4] * 30, 1)
    assert (last["max_tokens"], "store" in last, last["response_format"]["type"]) == (
        1200,
        False,
        "json_schema",
    )


@pytest.mark.parametrize("model", sorted(WITHOUT_TEMPERATURE))
def test_model_that_takes_no_temperature_gives_thirty_opinions_after_one_refusal(endpoint, model):
    answers = ask_thirty(endpoint, model, temperatures=dict.fromkeys(PERSONAS, 0.3))
    sent = [(body.get("temperature"), body["max_completion_tokens"]) for body in endpoint.requests]
    assert (scores_of(answers), endpoint.refused) == ([4] * 30, 1)
    assert sent == [(0.3, 1200)] + [(None, 1200)] * 30
    assert total_usage([a.usage for a in answers]).refused == {model: ("temperature",)}


@pytest.mark.parametrize("model", sorted(ALTERNATING))
def test_model_whose_roles_alternate_reads_one_message_behind_our_rules(endpoint, model):
    answers = ask_thirty(endpoint, model)
    system, user = endpoint.requests[-1]["messages"]
    assert (scores_of(answers), endpoint.refused) == ([4] * 30, 1)
    assert (system["role"], system["content"]) == ("system", persona_text("rules"))
    assert user["role"] == "user"
    assert user["content"].startswith("# Criterion c: A criterion")
    assert total_usage([a.usage for a in answers]).refused == {model: ("several user messages",)}


@pytest.mark.parametrize("model", sorted(WITHOUT_SYSTEM))
def test_model_without_a_system_role_reads_our_rules_first_in_the_only_message(endpoint, model):
    answers = ask_thirty(endpoint, model)
    (message,) = endpoint.requests[-1]["messages"]
    assert scores_of(answers) == [4] * 30
    # Where a template names only the alternation, one step more is tried.
    assert endpoint.refused == (2 if model == "vllm-mistral-older" else 1)
    assert message["role"] == "user"
    assert message["content"].startswith(persona_text("rules"))
    assert "# Criterion c: A criterion" in message["content"]
    refused = ("several user messages", "system messages")
    assert total_usage([a.usage for a in answers]).refused == {model: refused}


def test_report_says_what_an_endpoint_refused(endpoint, tmp_path):
    report = audit(endpoint, "vllm-gemma", student_repository(tmp_path))
    assert report.usage.refused == {"vllm-gemma": ("several user messages", "system messages")}
    assert "Endpoints refused: vllm-gemma, several user messages, system messages." in (
        render_markdown(report).replace("\\", "")
    )


def test_refusal_of_the_older_limit_does_not_lead_to_it():
    assert Dialect().after_refusal(json.dumps(WANTS_COMPLETION_TOKENS)) == Dialect()


def test_images_stay_between_the_texts_that_are_joined():
    image: dict[str, Any] = {"type": "image_url", "image_url": {"url": "data:,"}}
    prompt: Prompt = [("system", "a"), ("human", "b"), ("human", [image]), ("human", "c")]
    texts = [{"type": "text", "text": text} for text in "abc"]
    assert _in_roles(prompt, "several") == prompt
    assert _in_roles(prompt, "alternating") == [
        ("system", "a"),
        ("human", [texts[1], image, texts[2]]),
    ]
    assert _in_roles(prompt, "user") == [("human", [*texts[:2], image, texts[2]])]


@pytest.mark.parametrize(("model", "form"), [("deepseek", "json_object"), (NEITHER, "text")])
def test_whole_audit_has_thirty_opinions_and_says_in_which_form_it_asked(
    endpoint, tmp_path, model, form
):
    report = audit(endpoint, model, student_repository(tmp_path))
    rows = [row for criterion in report.criteria for row in criterion.opinions]

    assert [row.score for row in rows] == [4] * 30
    assert report.usage.answer_forms == {model: form}
    assert report.usage.calls == len(endpoint.requests)
    assert f"Answers were asked for as: {model}, {form}." in render_markdown(report).replace(
        "\\", ""
    )


@pytest.mark.parametrize(("status", "body"), SCHEMA_REFUSALS.values(), ids=SCHEMA_REFUSALS)
def test_wording_of_a_refused_schema_leads_to_the_next_form(status, body):
    assert Dialect().after_refusal(json.dumps(body)) == Dialect(form="json_object")


@pytest.mark.parametrize("words", [json.dumps(body) for _, body in OBJECT_REFUSALS.values()])
def test_wording_of_a_refused_object_leads_to_plain_text(words):
    before = Dialect(form="json_object")
    assert before.after_refusal(words) == Dialect(form="text")


@pytest.mark.parametrize(
    "words",
    [
        "The model is overloaded, try again later.",
        "There is no such model. Look into our store of models.",
        "This model's maximum context length is 8192 tokens.",
        "The temperature of the GPU is too high.",
        "The system is not supported by this provider.",
    ],
)
def test_other_failures_are_no_refusals_of_the_form(words):
    assert Dialect().after_refusal(words) == Dialect()


def test_schema_is_told_in_words():
    schema = {
        "type": "object",
        "properties": {
            "reasoning": {"type": "string"},
            "cited_evidence": {"type": "array", "items": {"type": "string", "enum": ["E-1"]}},
            "score": {"type": "integer", "enum": [1, 2]},
            "place": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
    }
    assert form_in_words("json_object", schema) == (
        "Answer with one JSON object and nothing before or after it. The JSON object is an object"
        " with exactly these keys, in this order:\n"
        '  - "reasoning": a string\n'
        '  - "cited_evidence": a list, each item one of "E-1"\n'
        '  - "score": one of 1, 2\n'
        '  - "place": a value of this JSON Schema: {"anyOf": [{"type": "string"}, {"type": "null"}]}'
    )
    assert "```json" in form_in_words("text", schema)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ('{"a": "```json\\nx\\n```"}', '{"a": "```json\\nx\\n```"}'),
        ('Well.\n```json\n{"a": 1}\n```\nDone.', '{"a": 1}\n'),
        ('<think>{"a": 0}</think>\n{"a": 1}', '{"a": 1}'),
        ("```\n{}\n```\n```\n{}\n```", "```\n{}\n```\n```\n{}\n```"),
        ("I would say four.", "I would say four."),
    ],
)
def test_only_one_fenced_block_is_taken_for_the_answer(text, bare):
    assert bare_json(text) == bare


def test_dead_endpoint_gives_thirty_errors_that_read_as_one_line(tmp_path):
    bench = BenchSettings(
        kind="llm",
        models=dict.fromkeys(PERSONAS, "any"),
        api_key="key",
        base_url="http://127.0.0.1:9/v1",
        screen=False,
    )

    async def audited():
        case = case_of(student_repository(tmp_path))
        return [event async for event in hold_audit(case, bench=bench)][-1].report

    report = asyncio.run(audited())
    assert {(e.code, e.message) for e in report.errors} == {
        ("judge_server", "The endpoint could not be reached.")
    }
    assert {(e.judge, e.criterion) for e in report.errors} == {
        (persona, criterion.id) for persona in PERSONAS for criterion in report.criteria
    }
    assert len(report.errors) == 30
    appendix = render_markdown(report).partition("### Errors")[2]
    assert appendix.count("could not be reached") == 1
    assert "30 times, on 10 criteria" in appendix


def test_traceback_of_an_endpoint_is_nowhere_in_the_report(endpoint, tmp_path):
    report = audit(endpoint, "tracing", student_repository(tmp_path))
    assert {e.message for e in report.errors} == {"The endpoint failed (HTTP 500)."}
    assert "llama_cpp" not in json.dumps(report.as_json())
    assert "/srv/llm" not in render_markdown(report)
