"""Judges who ask for more places to read, in whole audits at a real endpoint."""

import asyncio
import json
from typing import Any

import pytest

from courtroom.exhibits.places import NO_FILE
from courtroom.graph.asking import MOST_ASKING, MOST_CHARACTERS
from courtroom.judges.answer_schema import MOST_PLACES
from courtroom.judges.llm import NOT_IN_TIME, LlmBench
from courtroom.judges.prompts import persona_text
from courtroom.models.audit_report import AuditReport
from courtroom.models.case import BenchSettings, Known, Price
from courtroom.models.judge_answer import PERSONAS, AskedPlace
from courtroom.rendering.markdown_report import render_markdown
from courtroom.replay.resynthesis import resynthesise
from courtroom.run_audit import hold_audit
from grading.demo.pdf_writer import Page, make_pdf
from tests.courtroom.judges.loop_clock import advance
from tests.courtroom.judges.questions import make_question
from tests.factories.model_server import model_endpoint
from tests.factories.repositories import Commit, make_repository
from tests.factories.student_project import GRAPH, MAIN, STATE, TOOLS, case_of
from tests.model_endpoint.scripted_judge import (
    citing_items,
    judge_endpoint,
    material_of,
    may_ask,
    opinion,
)

KEY = "AKIA" + "IOSFODNN7EXAMQLE"
FILES = {
    "src/state.py": STATE,
    "src/graph.py": GRAPH,
    "src/tools.py": TOOLS,
    "main.py": MAIN,
    "notes/deploy.sh": f"export REGION=eu\nexport AWS_ACCESS_KEY_ID={KEY}\n",
    "data/rows.txt": "row 0\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return repository_of(tmp_path_factory.mktemp("asking"), FILES)


def repository_of(folder, files):
    path = folder / "work.git"
    make_repository(path, [Commit(f"Add {name}", {name: text}) for name, text in files.items()])
    return path


def audit(repository, endpoint, *, earlier=None, pdf=None, **changes) -> AuditReport:
    fields = {
        "models": dict.fromkeys(PERSONAS, "good"),
        "api_key": "k",
        "base_url": endpoint.base_url,
        "screen": False,
    }
    bench = BenchSettings(**{"kind": "llm", **fields, **changes})

    async def last():
        case = case_of(repository, pdf=pdf)
        events = [e async for e in hold_audit(case, bench=bench, known=earlier)]
        return events[-1].report

    return asyncio.run(last())


def asking(*places, then=citing_items):
    """Return a judge that asks for these places where it may, and then cites as `then` does."""
    return lambda body: opinion(score=None, ask=list(places)) if may_ask(body) else then(body)


def rows_that_asked(report):
    return [row for criterion in report.criteria for row in criterion.opinions if row.asked]


def last_message(endpoint):
    """Return what was read to a judge that asked."""
    texts = [body["messages"][-1]["content"] for body in endpoint.requests]
    return next(text for text in texts if text.startswith("What you asked to read"))


def citing_what_was_read(body):
    """Cite the file that was asked for once it was read, and the items of the material before."""
    return opinion("notes/deploy.sh:1") if len(body["messages"]) == 4 else citing_items(body)


def test_judge_reads_what_it_asks_for_cites_it_and_is_asked_once_more(repository):
    judge = asking("notes/deploy.sh:1-2", "build_graph", then=citing_what_was_read)
    with judge_endpoint(judge) as endpoint:
        report = audit(repository, endpoint)

    rows = rows_that_asked(report)
    assert len(endpoint.requests) == report.usage.calls == 30 + MOST_ASKING
    assert {row.judge for row in rows} == {"TechLead"}
    assert [(p.place, [(r.path, r.line_start) for r in p.locations]) for p in rows[0].asked] == [
        ("notes/deploy.sh:1-2", [("notes/deploy.sh", 1)]),
        ("build_graph", [("src/graph.py", 6)]),
    ]
    evidence = {item.id: item for item in report.evidence}
    (cited,) = rows[0].cited_evidence
    assert evidence[cited].content == "export REGION=eu"
    assert evidence[cited].tags == ("cited",)


def test_cited_lines_of_the_pdf_are_verified_on_their_page(repository, tmp_path):
    lines = ["# Findings", "The judges run in parallel and fan in at the chief justice."]
    pdf = make_pdf(tmp_path / "report.pdf", [Page(lines=lines)])

    def judge(body):
        return opinion("p1:2") if "## p1:" in material_of(body) else citing_items(body)

    with judge_endpoint(judge) as endpoint:
        report = audit(repository, endpoint, pdf=pdf)
    cited = {
        item.content for item in report.evidence if item.location.page and "cited" in item.tags
    }
    assert cited == {lines[1]}
    assert report.errors == ()


def test_judges_ask_in_the_criteria_of_which_most_was_left_out(repository):
    with judge_endpoint(asking("main.py")) as endpoint:
        report = audit(repository, endpoint, exhibit_characters=1000)
    assert len(rows_that_asked(report)) == MOST_ASKING


def test_nobody_may_ask_where_the_setting_forbids_it(repository):
    with judge_endpoint(asking("main.py")) as endpoint:
        report = audit(repository, endpoint, may_ask=False)
    assert (len(endpoint.requests), rows_that_asked(report)) == (30, [])


REFUSED = {
    "../../etc/passwd:1-5": "outside",
    "/etc/passwd": "outside",
    "src/absent.py:1-5": "no such file",
    "no_such_function": "no such file, function",
    "data/rows.txt:30000-40000": "no such lines",
    "src/tools.py; rm -rf /": "no such file",
}


@pytest.fixture(scope="module")
def refused(repository):
    """The places of `REFUSED` as the record holds them, and what was read to a judge instead."""
    rows: dict[str, Any] = {}
    messages, places = "", list(REFUSED)
    assert len(places) == 2 * MOST_PLACES
    for half in (places[:MOST_PLACES], places[MOST_PLACES:]):
        with judge_endpoint(asking(*half)) as endpoint:
            report = audit(repository, endpoint)
            messages += last_message(endpoint)
        rows |= {row.place: row for row in rows_that_asked(report)[0].asked}
    return rows, messages


@pytest.mark.parametrize("place", REFUSED)
def test_place_that_cannot_be_read_is_refused_in_words(refused, place):
    rows, messages = refused
    assert (rows[place].locations, REFUSED[place] in rows[place].refusal) == ((), True)
    assert messages.count("Not read: ") == len(REFUSED)
    assert "root:" not in messages


def test_ten_thousand_lines_are_cut_to_the_room_of_a_judge(tmp_path):
    # Every audit searches all these lines, so no other test has them.
    rows = "".join(f"row {number}\n" for number in range(10_300))
    repository = repository_of(tmp_path, {**FILES, "data/rows.txt": rows})
    with judge_endpoint(asking("data/rows.txt:1-10000", "data/rows.txt:10001-10300")) as endpoint:
        report = audit(repository, endpoint)
        message = last_message(endpoint)
    first, second = rows_that_asked(report)[0].asked
    (place,) = first.locations
    assert (place.line_start, place.line_end) == (1, 400)
    assert "row 399" in message
    assert "row 400\n" not in message
    assert second.locations
    assert len(message) < 2 * MOST_CHARACTERS


def test_secret_in_a_file_that_was_asked_for_reaches_nobody(repository):
    with judge_endpoint(asking("notes/deploy.sh")) as endpoint:
        report = audit(repository, endpoint)
        message = last_message(endpoint)
        sent = json.dumps(endpoint.requests)
    assert "export REGION=eu" in message
    assert KEY not in sent
    assert KEY not in report.model_dump_json()


def test_judge_that_asks_again_instead_of_a_score_fails(repository):
    with judge_endpoint(lambda _: opinion(score=None, ask=["main.py"])) as endpoint:
        report = audit(repository, endpoint)
    rows = [row for criterion in report.criteria for row in criterion.opinions]
    assert {row.failure for row in rows} == {"out_of_schema"}


def test_failure_of_a_judge_that_asked_says_what_it_asked(repository):
    with judge_endpoint(asking("main.py", "nowhere.py", then=lambda _: {})) as endpoint:
        report = audit(repository, endpoint)
    rows = rows_that_asked(report)
    assert len(rows) == MOST_ASKING
    assert {row.failure for row in rows} == {"out_of_schema"}
    assert {
        tuple((place.place, len(place.locations), place.refusal) for place in row.asked)
        for row in rows
    } == {(("main.py", 1, ""), ("nowhere.py", 0, NO_FILE))}
    # The record is the same when it is judged again from the stored report.
    case = case_of(repository)
    assert resynthesise(report, case.rubric, case.constitution).digest == report.digest
    assert "Asked to read `main.py` (Tech Lead): shown" in render_markdown(report)


def test_score_beside_a_place_stands_and_nothing_is_read(repository):
    with judge_endpoint(lambda body: citing_items(body) | {"ask": ["main.py"]}) as endpoint:
        report = audit(repository, endpoint)
    assert (len(endpoint.requests), rows_that_asked(report)) == (30, [])


def test_opinion_of_a_judge_that_asked_is_found_again_with_its_lines(repository):
    with judge_endpoint(asking("notes/deploy.sh", then=citing_what_was_read)) as endpoint:
        bought = audit(repository, endpoint)
        endpoint.requests.clear()
        again = audit(repository, endpoint, earlier=Known(report=bought))
    case = case_of(repository)
    assert (endpoint.requests, again.digest) == ([], bought.digest)
    assert resynthesise(bought, case.rubric, case.constitution).digest == bought.digest


def test_budget_holds_when_judges_ask(repository):
    price = Price(input=1, cached_input=1, output=1)
    with judge_endpoint(asking("main.py")) as endpoint:
        report = audit(
            repository, endpoint, prices={"good": price}, budget_usd=0.006, concurrency=1
        )
    failures = {row.failure for c in report.criteria for row in c.opinions if row.failure}
    assert failures == {"budget"}
    assert 0 < (report.usage.cost_usd or 0) <= 0.006


def test_deadline_covers_both_questions_of_a_judge_that_asks(repository):
    def slow_second(body):
        if may_ask(body):
            return opinion(score=None, ask=["main.py"])
        if len(body["messages"]) == 4:
            endpoint.stopped.wait(10)
        return citing_items(body)

    with judge_endpoint(slow_second) as endpoint:
        report = audit(repository, endpoint, deadline_seconds=5)
    rows = [row for c in report.criteria for row in c.opinions if row.judge == "TechLead"]
    assert sum(row.failure == "timeout" for row in rows) == MOST_ASKING


def test_places_that_were_not_read_in_time_stand_in_the_record(repository):
    async def reading_for_ever(places):
        advance(60)
        await asyncio.Event().wait()

    with judge_endpoint(asking("main.py")) as endpoint:
        settings = {"models": dict.fromkeys(PERSONAS, "good"), "base_url": endpoint.base_url}
        bench = LlmBench(BenchSettings(kind="llm", api_key="k", deadline_seconds=30, **settings))
        question = make_question("Defense", met=["a"]).model_copy(update={"may_ask": True})

        async def answer():
            (reply,) = await bench.answer([question], reading_for_ever)
            await bench.close()
            return reply.opinion

        failure = asyncio.run(answer())
    assert (failure.failure, failure.asked) == (
        "timeout",
        (AskedPlace(place="main.py", refusal=NOT_IN_TIME),),
    )


def test_one_call_for_all_criteria_asks_and_is_answered_together(repository):
    def judge(body):
        form = body["response_format"]["json_schema"]["schema"]["properties"]
        if "score" in form:
            return citing_items(body)
        texts = {m["content"].split(":")[0]: m["content"] for m in body["messages"]}
        return {
            id_: opinion(score=None, ask=["main.py"])
            if "ask" in part["properties"]
            else citing_items({"messages": [{}, {"content": texts[f"# Criterion {id_}"]}]})
            for id_, part in form.items()
        }

    with judge_endpoint(judge) as endpoint:
        report = audit(repository, endpoint, batch="per_judge")
    assert len(endpoint.requests) == 4
    assert len(rows_that_asked(report)) == MOST_ASKING
    assert {row.failure for c in report.criteria for row in c.opinions} == {None}


def test_system_message_holds_no_character_of_a_submission(repository):
    with model_endpoint() as endpoint:
        audit(repository, endpoint, debate=True)
    messages = [message for body in endpoint.requests for message in body["messages"]]
    systems = {m["content"] for m in messages if m["role"] == "system"}
    assert systems == {persona_text("rules")}
