"""Whole audits with judges by a model: all at once, under a flaky provider, in a debate, and
without tracing.
"""

import asyncio
import json
import os
import subprocess
import sys

import pytest

from courtroom.models.case import BenchSettings, Known
from courtroom.models.record import PERSONAS
from courtroom.run_audit import hold_audit
from tests.factories.model_server import model_endpoint
from tests.factories.student_project import case_of, student_repository


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return student_repository(tmp_path_factory.mktemp("llm"))


@pytest.fixture
def desk():
    with model_endpoint() as endpoint:
        yield endpoint


def events(repository, desk, model="good", *, known=None, **changes):
    fields = {"models": dict.fromkeys(PERSONAS, model), "api_key": "k", "base_url": desk.base_url}
    bench = BenchSettings(**{"kind": "llm", **fields, **changes})

    async def collect():
        case = case_of(repository)
        return [e async for e in hold_audit(case, bench=bench, known=known)]

    return asyncio.run(collect())


def report(*arguments, **changes):
    return events(*arguments, **changes)[-1].report


def test_under_a_flaky_provider_every_row_is_an_answer_or_a_typed_failure_and_is_paid_for(
    repository, desk
):
    told = events(repository, desk, "flaky", known=None)
    judged = told[-1].report
    rows = [row for criterion in judged.criteria for row in criterion.opinions]
    assert {(row.score, row.failure is None) for row in rows} <= {(4, True), (None, False)}
    assert len(rows) == 30
    for criterion in judged.criteria:
        answers = sum(row.score is not None for row in criterion.opinions)
        assert answers >= 2 or criterion.final_score is None
    assert judged.usage.calls == len(desk.requests) > 30
    assert judged.usage.calls == sum(e.usage.calls for e in told if e.usage)


def test_without_a_quorum_there_is_no_score_whatever_one_judge_says(repository, desk):
    models = dict.fromkeys(PERSONAS, "refusing") | {"Defense": "good"}
    judged = report(repository, desk, models=models)
    assert (judged.status, {c.final_score for c in judged.criteria}) == ("degraded", {None})
    assert judged.usage.calls == len(desk.requests) == 30


def test_all_calls_of_an_audit_are_in_flight_at_once(repository, desk):
    desk.gather = 30
    report(repository, desk)
    assert (len(desk.requests), desk.most) == (30, 30)


def test_concurrency_is_what_the_settings_say(repository, desk):
    desk.gather = 4
    report(repository, desk, concurrency=4)
    assert desk.most == 4


def test_the_prompts_of_an_audit_keep_to_their_characters_and_share_most_of_them(repository, desk):
    report(repository, desk)
    prompts = [[m["content"] for m in request["messages"]] for request in desk.requests]
    sent = sum(len(text) for prompt in prompts for text in prompt)
    assert sent <= 160_000
    assert len({prompt[0] for prompt in prompts}) == 1
    assert len(prompts[0][0]) * len(prompts) >= 0.85 * sent


def test_one_call_of_each_judge_gives_the_same_record(repository, desk):
    one_by_one = report(repository, desk)
    desk.requests.clear()
    together = report(repository, desk, batch="per_judge")
    assert len(desk.requests) == 3

    def scores(judged):
        return [[(row.judge, row.score) for row in c.opinions] for c in judged.criteria]

    assert scores(together) == scores(one_by_one)
    assert together.usage.calls == 3


def test_what_is_known_is_not_bought_again_in_either_batch(repository, desk):
    for batch in ("per_criterion", "per_judge"):
        bought = report(repository, desk, batch=batch)
        desk.requests.clear()
        again = report(repository, desk, batch=batch, known=Known(report=bought))
        assert (len(desk.requests), again.usage.reused, again.digest) == (0, 30, bought.digest)


def test_half_of_the_opinions_known_the_other_half_is_bought(repository, desk):
    opinions = [e.opinion for e in events(repository, desk) if e.opinion]
    desk.requests.clear()
    again = report(repository, desk, known=Known(opinions=tuple(opinions[::2])))
    assert (len(desk.requests), again.usage.reused) == (15, 15)


def test_in_a_debate_each_judge_sees_once_what_the_others_argued(repository, desk):
    judged = report(repository, desk, debate=True)
    second = [m for r in desk.requests[30:] for m in r["messages"] if m["role"] == "user"]
    assert [(o.judge, o.round) for o in judged.criteria[0].opinions] == [
        (p, r) for r in (1, 2) for p in PERSONAS
    ]
    assert len(second) == 30
    assert all("The bench agreed in its last round" in m["content"] for m in second)


def test_the_record_of_an_audit_holds_no_key(repository, desk):
    judged = report(repository, desk, "unauthorised", api_key="sk-very-secret")
    assert "sk-" not in json.dumps(judged.as_json())


@pytest.mark.processes
def test_the_command_line_traces_nothing_unless_the_operator_says_so(repository, desk, tmp_path):
    models = dict.fromkeys(("PROSECUTOR_MODEL", "DEFENSE_MODEL", "TECH_LEAD_MODEL"), "good")
    langsmith = {
        "LANGSMITH_API_KEY": "k",
        "LANGSMITH_ENDPOINT": desk.base_url.replace("/v1", "/traces"),
    }
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("LANGSMITH", "LANGCHAIN"))
    }
    environment |= models | langsmith | {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": desk.base_url}
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
    assert (len(desk.requests), desk.strangers) == (30, 0)
