"""Whole audits with model judges: in parallel, with a flaky provider, in a debate, and without
tracing.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from courtroom.models.case import BenchSettings, Known
from courtroom.models.judge_answer import PERSONAS
from courtroom.run_audit import hold_audit
from tests.factories.model_server import model_endpoint
from tests.factories.pdfs import Page, make_pdf
from tests.factories.student_project import case_of, student_repository


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return student_repository(tmp_path_factory.mktemp("llm"))


@pytest.fixture
def endpoint():
    with model_endpoint() as server:
        yield server


def events(repository, endpoint, model="good", *, earlier=None, pdf=None, **changes):
    fields = {
        "models": dict.fromkeys(PERSONAS, model),
        "api_key": "k",
        "base_url": endpoint.base_url,
        "screen": False,
    }
    bench = BenchSettings(**{"kind": "llm", **fields, **changes})

    async def collect():
        case = case_of(repository, pdf=pdf)
        return [e async for e in hold_audit(case, bench=bench, known=earlier)]

    return asyncio.run(collect())


def report(*arguments, **changes):
    return events(*arguments, **changes)[-1].report


def test_flaky_provider_gives_an_answer_or_typed_failure_in_every_row_and_all_calls_count(
    repository, endpoint
):
    audit_events = events(repository, endpoint, "flaky", earlier=None)
    judged = audit_events[-1].report
    rows = [row for criterion in judged.criteria for row in criterion.opinions]

    assert {(row.score, row.failure is None) for row in rows} <= {(4, True), (None, False)}
    assert len(rows) == 30

    for criterion in judged.criteria:
        answers = sum(row.score is not None for row in criterion.opinions)
        assert answers >= 2 or criterion.final_score is None

    assert judged.usage.calls == len(endpoint.requests) > 30
    assert judged.usage.calls == sum(e.usage.calls for e in audit_events if e.usage)


def test_no_quorum_means_no_score(repository, endpoint):
    models = dict.fromkeys(PERSONAS, "refusing") | {"Defense": "good"}
    judged = report(repository, endpoint, models=models)
    assert (judged.status, {c.final_score for c in judged.criteria}) == ("degraded", {None})
    assert judged.usage.calls == len(endpoint.requests) == 30


def test_all_calls_of_an_audit_are_in_flight_at_once(repository, endpoint):
    endpoint.gather = 30
    report(repository, endpoint)
    assert (len(endpoint.requests), endpoint.most) == (30, 30)


def test_concurrency_setting_limits_the_calls_in_flight(repository, endpoint):
    endpoint.gather = 4
    report(repository, endpoint, concurrency=4)
    assert endpoint.most == 4


def test_three_judges_of_a_criterion_get_the_same_bytes_within_their_room(repository, endpoint):
    report(repository, endpoint, exhibit_characters=3000)
    prompts = [[m["content"] for m in request["messages"]] for request in endpoint.requests]
    materials = Counter((rules, material) for rules, material, _ in prompts)
    assert (len(materials), set(materials.values())) == (10, {3})
    assert max(len(material) for _, material in materials) < 3000 + 4000


def test_exhibits_are_read_whole_where_there_is_room(repository, endpoint):
    report(repository, endpoint)
    texts = [request["messages"][1]["content"] for request in endpoint.requests]
    (state,) = {text for text in texts if text.startswith("# Criterion state_management_rigor:")}
    assert "19     evidences: Annotated[dict, operator.ior]" in state


def test_temperature_of_a_persona_is_sent_and_part_of_the_key(repository, endpoint):
    plain = report(repository, endpoint)
    assert not any("temperature" in request for request in endpoint.requests)
    endpoint.requests.clear()
    warm = report(repository, endpoint, temperatures={"Defense": 0.7})
    sent = {
        (request["messages"][2]["content"][:24], request.get("temperature"))
        for request in endpoint.requests
    }
    assert {temperature for persona, temperature in sent if "counsel" in persona} == {0.7}
    assert {temperature for persona, temperature in sent if "counsel" not in persona} == {None}
    keys = [[row.key for row in judged.criteria[0].opinions] for judged in (plain, warm)]
    assert [a == b for a, b in zip(*keys, strict=True)] == [True, False, True]


def test_one_call_per_judge_gives_the_same_record(repository, endpoint):
    one_by_one = report(repository, endpoint)
    endpoint.requests.clear()
    together = report(repository, endpoint, batch="per_judge")

    assert len(endpoint.requests) == 3

    def scores(judged):
        return [[(row.judge, row.score) for row in c.opinions] for c in judged.criteria]

    assert scores(together) == scores(one_by_one)
    assert together.usage.calls == 3


def test_known_opinions_are_not_bought_again_in_either_batch(repository, endpoint):
    for batch in ("per_criterion", "per_judge"):
        bought = report(repository, endpoint, batch=batch)
        endpoint.requests.clear()
        again = report(repository, endpoint, batch=batch, earlier=Known(report=bought))
        assert (len(endpoint.requests), again.usage.reused, again.digest) == (0, 30, bought.digest)


def test_missing_half_of_the_opinions_is_bought(repository, endpoint):
    opinions = [e.opinion for e in events(repository, endpoint) if e.opinion]
    endpoint.requests.clear()
    again = report(repository, endpoint, earlier=Known(opinions=tuple(opinions[::2])))
    assert (len(endpoint.requests), again.usage.reused) == (15, 15)


def test_evidence_of_a_heuristic_report_gets_the_passages_that_models_read(
    repository, endpoint, tmp_path
):
    pdf = tmp_path / "report.pdf"
    pages = [
        "The detectives write evidence into one state, which reducers join without a loss.",
        "Metacognition: the swarm evaluates its own evaluation, judge by judge.",
        "Weather, travel and food fill the last page.",
    ]
    make_pdf(pdf, [Page([text]) for text in pages])
    fresh = report(repository, endpoint, pdf=pdf)
    heuristic = report(repository, endpoint, pdf=pdf, kind="heuristic")
    reused = report(repository, endpoint, pdf=pdf, earlier=Known(report=heuristic))
    assert reused.digest == fresh.digest
    assert any(item.check.startswith("passages:") for item in reused.evidence)


def test_debate_shows_each_judge_the_other_arguments_once(repository, endpoint):
    judged = report(repository, endpoint, debate=True)
    second = [r["messages"][-1] for r in endpoint.requests[30:]]
    assert [(o.judge, o.round) for o in judged.criteria[0].opinions] == [
        (p, r) for r in (1, 2) for p in PERSONAS
    ]
    assert len(second) == 30
    assert all("The bench agreed in its last round" in m["content"] for m in second)


def test_record_of_an_audit_holds_no_api_key(repository, endpoint):
    judged = report(repository, endpoint, "unauthorised", api_key="sk-very-secret")
    assert "sk-" not in json.dumps(judged.as_json())


@pytest.mark.processes
def test_command_line_traces_nothing_by_default(repository, endpoint, tmp_path):
    models = dict.fromkeys(("PROSECUTOR_MODEL", "DEFENSE_MODEL", "TECH_LEAD_MODEL"), "good")
    langsmith = {
        "LANGSMITH_API_KEY": "k",
        "LANGSMITH_ENDPOINT": endpoint.base_url.replace("/v1", "/traces"),
    }
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("LANGSMITH", "LANGCHAIN"))
    }
    environment |= models | langsmith
    environment |= {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": endpoint.base_url}
    arguments = [
        repository,
        "--allow-local",
        "--quiet",
        "--judges",
        "llm",
        "--markdown",
        tmp_path / "m.md",
    ]
    command = [sys.executable, "-m", "courtroom", *map(str, arguments)]
    subprocess.run(command, env=environment, check=False, capture_output=True)

    # Thirty judges, and the screening.
    assert (len(endpoint.requests), endpoint.strangers) == (31, 0)
