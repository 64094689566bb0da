"""Opinions on the page of a report: cited lines, places asked for, and judges that failed."""

from __future__ import annotations

import re
from typing import Any, get_args

import pytest

from courtroom.models.evidence import CITED_TAG, Evidence, Location, evidence
from courtroom.models.judge_answer import FailureKind
from grading.engine.report import CITED_TAG as SITE_CITED_TAG
from grading.engine.report import parse_report
from grading.models import Assignment, Enrollment
from grading.report_pages.arguments import FAILURES, Argument
from grading.report_pages.checks_and_evidence import CITED_GOAL
from grading.report_pages.criterion import criterion_views
from grading.templatetags.report_tags import report_part
from grading.templatetags.text_tags import markdown
from tests.factories.example_report import COMMIT, REPO_URL, report_json
from tests.factories.graded_work import page_of_audit, signed_in
from tests.factories.work import AuditFactory, SubmissionFactory

Json = dict[str, Any]
HOSTILE = "</code></pre><script>alert(1)</script>"


def cited_lines(content: str, **place: Any) -> Json:
    location = Location(**({"path": "src/graph.py", "line_start": 40, "line_end": 41} | place))
    item: Evidence = evidence(
        detective="RepoInvestigator",
        check="git_forensics",
        goal="A goal",
        found=True,
        content=content,
        location=location,
        rationale="A judge cites these lines from what it was shown.",
        tags=(CITED_TAG,),
    )
    return item.model_dump(mode="json")


def report_with(*items: Json, **opinion: Any) -> Json:
    """Return a report whose first opinion cites these items."""
    document = report_json(criteria=1)
    ids = [item["id"] for item in items]
    document["evidence"] += items
    row = document["criteria"][0]
    row["evidence"] += ids
    row["opinions"][0] |= {"cited_evidence": ids, **opinion}
    return document


def argument_in(document: Json) -> Argument:
    return criterion_views(parse_report(document))[0].arguments[0]


def test_names_in_a_sentence_of_heuristics_are_no_emphasis() -> None:
    words = "src/__init__.py is there."
    for model, text in (("heuristic/13", "`src/__init__.py` is there."), ("m", words)):
        assert argument_in(report_with(argument=words, model=model)).text == text


def page_with(document: Json, assignment: Assignment, reader: Enrollment) -> str:
    submission = SubmissionFactory.create(assignment=assignment, student=reader)
    audit = AuditFactory.create(submission=submission, done=True, report=document)
    return signed_in(reader.user).get(page_of_audit(audit)).content.decode()


def asking(*places: Json) -> str:
    """Return the sentences of the page about what a judge asked to read."""
    argument = argument_in(report_with(asked=list(places)))
    html = report_part("requests", argument)
    return " ".join(re.sub(r"<[^>]*>", "", html).split())


def read(place: str, *spans: tuple[int, int], refusal: str = "") -> Json:
    rows = [
        {"path": "src/graph.py", "line_start": first, "line_end": last, "commit": COMMIT}
        for first, last in spans
    ]
    return {"place": place, "locations": rows, "refusal": refusal}


def test_the_site_knows_cited_lines_by_the_tag_of_the_courtroom() -> None:
    assert SITE_CITED_TAG == CITED_TAG


def test_every_failure_of_a_judge_has_a_sentence() -> None:
    assert set(FAILURES) == set(get_args(FailureKind))


def test_a_failure_that_is_not_known_yet_is_told_by_its_name() -> None:
    failed = report_with(score=None, failure="lost_at_sea", argument="")
    assert argument_in(failed).failure == "Lost at sea."


@pytest.mark.django_db
def test_a_failed_judge_says_why_in_plain_words(assignment: Assignment, ada: Enrollment) -> None:
    failed = report_with(
        score=None,
        failure="unfounded",
        argument="It cites no line.",
        asked=[read("route", (10, 40))],
    )
    page = page_with(failed, assignment, ada)
    assert "Asked to read <code>route</code>" in page
    assert "The argument was too short, or cited nothing that the judge was shown." in page
    assert "unfounded" not in page


@pytest.mark.django_db
def test_cited_lines_stand_numbered_and_escaped_beside_the_argument(
    assignment: Assignment, ada: Enrollment
) -> None:
    page = page_with(report_with(cited_lines(f"def route():\n    {HOSTILE}")), assignment, ada)
    citation = page[page.index('<details class="citation" open>') :].partition("</details>")[0]
    assert "<summary><code>src/graph.py:40-41</code></summary>" in citation
    assert '<span class="no" aria-hidden="true">41</span>' in citation
    assert "<script>" not in page
    assert "alert" in citation


@pytest.mark.django_db
def test_an_id_in_an_argument_leads_to_the_evidence_on_the_page(
    assignment: Assignment, ada: Enrollment
) -> None:
    item = cited_lines("def route():")
    text = f"The router ends the graph (`{item['id']}`); see {item['id']}, not E-00000000."
    page = page_with(report_with(item, argument=text), assignment, ada)
    argument = page[page.index("The router ends") :].partition("</p>")[0]
    assert argument.count(f'href="#{item["id"]}"') == 2
    assert "E-00000000" not in re.findall(r'href="#([^"]*)"', argument)
    assert page.count(f' id="{item["id"]}"') == 1


def test_only_words_that_are_known_become_links_and_none_within_a_link() -> None:
    html = markdown("[E-1 a](https://x.example) E-1 `E-1` xE-1 <b>E-1</b>", {"E-1": "#E-1"})
    assert html.count('href="#E-1"') == 3
    assert '<a href="https://x.example" rel="noopener noreferrer">E-1 a</a>' in html
    assert "<b>" not in html


def test_the_first_lines_are_open_and_the_same_place_is_one_citation() -> None:
    statement = cited_lines(
        "We chose a reducer.", path=None, line_start=None, line_end=None, page=3
    )
    other = cited_lines("Each judge is a node.", path=None, line_start=None, line_end=None, page=3)
    lines, more = cited_lines("def route():"), cited_lines("return END", line_start=60)
    argument = argument_in(report_with(statement, other, lines, more))
    assert [(row.words, row.is_open, len(row.items)) for row in argument.citations] == [
        ("PDF, page 3", False, 2),
        ("src/graph.py:40-41", True, 1),
        ("src/graph.py:60-41", False, 1),
    ]


def test_lines_that_only_judges_cite_are_listed_as_such() -> None:
    view = criterion_views(parse_report(report_with(cited_lines("def route():"))))[0]
    assert [(check.sentence, check.outcome) for check in view.checks][-1] == (CITED_GOAL, "")


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            read("src/graph.py:10-40", (10, 40)),
            "Asked to read src/graph.py:10-40: shown.",
        ),
        (
            read("route", (10, 40), (60, 70)),
            "Asked to read route: shown as src/graph.py:10-40, src/graph.py:60-70.",
        ),
        (
            read("../../etc/passwd", refusal="The path leads outside the repository."),
            "Asked for ../../etc/passwd: not shown. The path leads outside the repository.",
        ),
        (
            read("src/graph.py", (1, 9), refusal="Not read: the room was used up."),
            "Asked to read src/graph.py: shown as src/graph.py:1-9. Not read: the room was used up.",
        ),
    ],
)
def test_a_sentence_says_what_came_of_what_a_judge_asked_for(row: Json, sentence: str) -> None:
    assert asking(row) == sentence


def test_a_place_that_a_judge_names_is_text() -> None:
    place = argument_in(report_with(asked=[read(f"a\n{HOSTILE}\u202e")])).requests[0].place
    assert place == f"a {HOSTILE}[U+202E]"
    assert "<script>" not in asking(read(HOSTILE))


def test_lines_read_to_a_judge_are_linked_at_their_commit() -> None:
    request = argument_in(report_with(asked=[read("route", (10, 40))])).requests[0]
    assert request.locations[0].address == f"{REPO_URL}/blob/{COMMIT}/src/graph.py#L10-L40"


@pytest.mark.django_db
def test_opinions_need_no_query_of_their_own(
    assignment: Assignment, ada: Enrollment, django_assert_max_num_queries: Any
) -> None:
    document = report_with(cited_lines("def route():"), asked=[read("route", (10, 40))])
    submission = SubmissionFactory.create(assignment=assignment, student=ada)
    audit = AuditFactory.create(submission=submission, done=True, report=document)
    client = signed_in(ada.user)
    with django_assert_max_num_queries(15):
        client.get(page_of_audit(audit))
