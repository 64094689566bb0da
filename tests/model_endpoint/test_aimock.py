"""The bench against an endpoint that was not written here: @copilotkit/aimock, in a node process of its own.

`npm ci --prefix tests/model_endpoint/aimock` installs it. Without it, or without node, these tests are skipped; with
REQUIRE_PEERS=1 (CI) they fail.
"""

import asyncio
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from courtroom.judges.llm import LlmBench
from courtroom.models.case import BenchSettings
from courtroom.models.judge_answer import PERSONAS, JudgeFailure
from courtroom.run_audit import hold_audit
from tests.courtroom.judges.questions import make_question
from tests.factories.student_project import case_of, student_repository

PEER = (
    Path(__file__).parent / "aimock" / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
)
ABSENT = "node and `npm ci --prefix tests/model_endpoint/aimock` are needed to speak to aimock."
SCORES = {
    "You are the Prosecutor": 2,
    "You are counsel for the Defense": 4,
    "You are the Tech Lead": 3,
}
REASONING = "What the criterion asks for can be seen in the lines that are cited."
FAILURES = {
    "busy": {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429},
    "out-of-order": {"error": {"message": "out of order", "type": "server_error"}, "status": 500},
    "locked": {"error": {"message": "who are you", "type": "invalid_request_error"}, "status": 401},
    "prose": {"content": "I would give this a four."},
    "generous": {"content": json.dumps({"reasoning": "Great.", "cited_evidence": [], "score": 10})},
}


def fixtures(cited):
    failing = [
        {"match": {"model": model}, "response": answer} for model, answer in FAILURES.items()
    ]
    judging = [
        {
            "match": {"userMessage": words, "responseFormat": "json_schema"},
            "response": {
                "content": json.dumps(
                    {"reasoning": REASONING, "cited_evidence": cited, "score": score}
                )
            },
        }
        for words, score in SCORES.items()
    ]
    return {"fixtures": [*failing, *judging]}


@pytest.fixture(scope="module")
def peer(tmp_path_factory):
    """The address of a running aimock; it cites all evidence of the work, whatever it is asked."""
    node = shutil.which("node")
    if node is None or not PEER.is_file():
        (pytest.fail if os.environ.get("REQUIRE_PEERS") == "1" else pytest.skip)(ABSENT)
    chosen = tmp_path_factory.mktemp("aimock") / "fixtures.json"
    chosen.write_text(json.dumps(fixtures(_cited(tmp_path_factory.mktemp("cited")))))
    command = [str(node), str(PEER), "-p", "0", "-f", str(chosen), "--strict"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout
        address = next(
            match[0] for line in process.stdout if (match := re.search(r"http://127\S+", line))
        )
        yield address
        process.terminate()


def _cited(folder):
    """Return the ids of all evidence: the repository is the same in each folder."""

    async def report():
        return [event async for event in hold_audit(case_of(student_repository(folder)))][-1].report

    return [item.id for item in asyncio.run(report()).evidence]


def journal(peer):
    """Every request that it received."""
    return httpx.get(f"{peer}/__aimock/journal", params={"limit": 1000}).json()


def settings(peer, model="judge", **changes):
    return BenchSettings(
        kind="llm",
        models=dict.fromkeys(PERSONAS, model),
        api_key="key",
        base_url=f"{peer}/v1",
        screen=False,
        **changes,
    )


@pytest.mark.parametrize(
    ("model", "kind", "calls"),
    [
        ("busy", "rate_limited", 3),
        ("out-of-order", "server", 3),
        ("locked", "auth", 1),
        ("prose", "invalid", 2),
        ("generous", "out_of_schema", 2),
    ],
)
def test_its_failures_are_typed(peer, model, kind, calls):
    async def ask():
        bench = LlmBench(settings(peer, model))
        try:
            return (await bench.answer([make_question("Defense", ("a",))]))[0]
        finally:
            await bench.close()

    answer = asyncio.run(ask())
    assert isinstance(answer.opinion, JudgeFailure)
    assert (answer.opinion.failure, answer.usage.calls) == (kind, calls)


def test_a_whole_audit_is_judged_by_it_and_its_journal_holds_no_more_than_was_meant_for_it(
    peer, tmp_path
):
    async def audit():
        case = case_of(student_repository(tmp_path))
        bench = settings(peer, fence_secret="a-fence-secret")
        return [event async for event in hold_audit(case, bench=bench)][-1].report

    before = len(journal(peer))
    judged = asyncio.run(audit())
    calls = journal(peer)[before:]
    scores = {
        (row.judge, row.score) for c in judged.criteria for row in c.opinions if row.round == 1
    }
    assert scores == {("Prosecutor", 2), ("Defense", 4), ("TechLead", 3)}
    assert len(calls) == judged.usage.calls == 30
    assert judged.usage.prompt_tokens > 30_000
    assert "a-fence-secret" not in json.dumps(calls)
