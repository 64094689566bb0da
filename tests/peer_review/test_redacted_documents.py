"""Whole reports without their people: still reports, whoever the people are and whatever they are called."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from courtroom import AuditReport, render_markdown
from courtroom.models.audit_report import Screening
from courtroom.models.evidence import CITED_TAG, INTEGRITY_TAG, Location, evidence
from grading.peer_review.redaction import (
    WITHHELD,
    Identity,
    Person,
    redacted,
    redacted_file,
    redacted_report,
    without_scores,
)
from tests.tenancy.identifiable_students import (
    AUDITEE,
    squeezed,
    treacherous_commits,
    treacherous_report,
)

ZEPHYRIN = Person(
    names=(AUDITEE.name, AUDITEE.nick),
    addresses=(AUDITEE.email, "owl@nest.example"),
    handles=(AUDITEE.login, AUDITEE.number, AUDITEE.owner),
    things=(AUDITEE.repository, AUDITEE.pdf, AUDITEE.group),
    owner_group="z",
)
# Whom a careless redaction would take for words of the report itself.
NAMESAKES = Person(
    names=(
        "History Facts",
        "Prosecutor Judge",
        "Linear Verdict",
        "Commit Count",
        "Typed Dict",
        "Git Evidence",
        "High Met",
    ),
    handles=("weighted_average", "TechLead", "graph_shape", "state_class"),
    owner_group="n",
)


def edition() -> dict[str, Any]:
    return redacted_report(treacherous_report(), Identity((ZEPHYRIN, NAMESAKES)))


def test_the_edition_is_a_report_of_the_same_shape_even_for_people_with_the_names_of_its_words() -> (
    None
):
    report = AuditReport.model_validate(edition())
    whole = AuditReport.model_validate(treacherous_report())
    assert [c.id for c in report.criteria] == [c.id for c in whole.criteria]
    assert [(e.id, e.check, e.goal, e.found) for e in report.evidence] == [
        (e.id, e.check, e.goal, e.found) for e in whole.evidence
    ]
    assert [c.final_score for c in report.criteria] == [c.final_score for c in whole.criteria]
    assert (report.facts.commit_count, report.facts.unknown) == (
        whole.facts.commit_count,
        whole.facts.unknown,
    )


def test_nobody_and_no_commit_is_in_it_nor_in_its_markdown() -> None:
    for text in (json.dumps(edition()), render_markdown(AuditReport.model_validate(edition()))):
        assert [
            tell for tell in AUDITEE.tells() if tell != str(AUDITEE.key) and tell in squeezed(text)
        ] == []
        assert [commit for commit in treacherous_commits() if commit in text] == []
        assert "https://" not in text


def test_times_are_told_to_the_day_and_authors_not_at_all() -> None:
    history = edition()["facts"]["history"]
    assert (history["first_at"], history["authors"]) == ("2026-01-05", [])
    assert {stage["commit"] for stage in history["stages"]} == {WITHHELD}


def test_what_stands_on_the_title_page_is_withheld_and_the_other_pages_stay() -> None:
    content = {
        row["location"]["page"]: row["content"]
        for row in edition()["evidence"]
        if row["location"]["page"]
    }
    assert content == {
        1: WITHHELD,
        2: f"{WITHHELD} explains: Metacognition means src/{WITHHELD}/{WITHHELD}_graph.py judges itself.",
    }


def test_key_of_the_screening_and_quotations_of_page_one_and_commits_are_withheld() -> None:
    quotations: list[tuple[dict[str, Any], str]] = [
        ({"page": 1}, "Written for my graders."),
        ({"commit": "1234567" * 5}, "1234567  x"),
    ]
    flags = [
        evidence(
            detective="DocAnalyst",
            check=INTEGRITY_TAG,
            goal="g",
            found=True,
            content=text,
            location=Location(**place),
            rationale=f"This passage speaks: “{text}”.",
        ).model_dump(mode="json")
        for place, text in quotations
    ]
    screening = Screening(model="m", key="ab" * 32, characters=9).model_dump()
    document = treacherous_report() | {"screening": screening, "evidence": flags}
    report = redacted_report(document, Identity((ZEPHYRIN,)))
    AuditReport.model_validate(report)
    assert (report["screening"]["key"], report["screening"]["characters"]) == (WITHHELD, 9)
    assert {row["rationale"] for row in report["evidence"]} == {
        f"This passage speaks: “{WITHHELD}”."
    }


def test_nothing_that_argues_about_a_score_is_left_without_scores() -> None:
    report = without_scores(treacherous_report())
    AuditReport.model_validate(report)
    emptied = [
        [c[key] for key in ("final_score", "points", "dissent", "rules", "opinions")]
        for c in report["criteria"]
    ]
    assert emptied == [[None, None, None, [], []]] * len(report["criteria"])
    whole = treacherous_report()
    assert all("steps" in source for source in (whole, *whole["criteria"]))
    assert not any("steps" in source for source in (report, *report["criteria"]))
    assert [c["checks"] for c in report["criteria"]] == [
        c["checks"] for c in treacherous_report()["criteria"]
    ]


@pytest.mark.parametrize("status", ["verdict", "needs_review", "degraded"])
def test_what_an_audit_ended_in_is_not_told_without_scores(status: str) -> None:
    report = treacherous_report()
    ended = {
        "criteria": [c | {"needs_review": status != "verdict"} for c in report["criteria"]],
        "status": status,
    }
    edition = without_scores(report | ended)
    outline = (edition["status"], {c["needs_review"] for c in edition["criteria"]})
    assert outline == ("verdict", {False})


def test_what_judges_cite_and_ask_for_gives_nobody_away() -> None:
    report = AuditReport.model_validate(edition())
    assert "1234567" not in json.dumps(edition())
    commit, page, line = report.evidence[-3:]
    assert (page.content, line.content) == (WITHHELD, f"# {WITHHELD}")
    assert commit.content == f"{WITHHELD}  2026-01-05  author 1  +3 -0  By {WITHHELD}"
    asked_place = report.criteria[0].opinions[0].asked[0]
    assert (asked_place.locations[0].commit, asked_place.locations[0].line_start) == (None, 1)


def test_lines_that_only_judges_cite_go_with_their_opinions() -> None:
    whole, silent = (
        AuditReport.model_validate(report)
        for report in (treacherous_report(), without_scores(treacherous_report()))
    )
    cited = {item.id for item in whole.evidence if CITED_TAG in item.tags}
    assert len(cited) == 3
    assert {item.id for item in silent.evidence} == {item.id for item in whole.evidence} - cited
    assert [set(row.evidence) for row in silent.criteria] == [
        set(row.evidence) - cited for row in whole.criteria
    ]


NAMES = (
    "Zéphyrin Ångström",
    "Nguyễn Thị Hạnh",
    "Łukasz Żółć",
    "Øyvind Sæther",
    "\u0130pek Y\u0131ld\u0131z",
    "Dvořák-Núñez Renée",
    "Σωκράτης Παπάς",
)
WAYS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "small": str.lower,
    "capitals": str.upper,
    "without accents": lambda name: "".join(
        char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char)
    ),
    "taken apart": lambda name: unicodedata.normalize("NFD", name),
    "in an address": quote,
    "as an identifier": lambda name: name.replace(" ", "_").replace("-", "_"),
    "in one word": lambda name: name.replace(" ", "").replace("-", ""),
    "backwards": lambda name: ", ".join(reversed(name.split())),
    "with dots": lambda name: ".".join(name.split()),
    "escaped": lambda name: "".join(
        f"\\u{ord(char):04x}" if ord(char) > 127 else char for char in name
    ),
}


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=25, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    around=st.tuples(
        *[st.sampled_from(["", " ", "/", "_", '"', "\n", "(", "0", "“", "%2F", "\\n"])] * 2
    ),
)
def test_a_name_is_found_in_every_way_of_writing_it_wherever_it_stands(
    way: str, name: str, around: tuple[str, str]
) -> None:
    written = WAYS[way](name)
    text = f"x{around[0]} {around[0]}{written}{around[1]} {around[1]}x"
    redacted_text = redacted(text, Identity((Person(names=(name,)),)))
    parts = [
        squeezed(part)
        for part in written.replace("-", " ")
        .replace(".", " ")
        .replace(",", " ")
        .replace("_", " ")
        .split()
    ]
    assert [
        part
        for part in parts
        if len(part) > 2 and part in squeezed(redacted_text.replace(WITHHELD, " "))
    ] == []


def test_a_json_file_with_half_a_character_can_be_sent() -> None:
    text, suffix = redacted_file('{"found": "a\\ud800b"}', Identity((ZEPHYRIN,)))
    assert (text.encode(), suffix) == (b'{\n  "found": "a?b"\n}', ".json")
