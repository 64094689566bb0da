"""Beside the graph that was found stands the one the rubric asks for: no more of it than its checks say."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse

from grading.engine.report import Report, parse_report
from grading.report_pages.expected_graph import ExpectedGraph, RequiredPart, expected_graph_of
from tests.factories.example_report import report_json
from tests.factories.graded_work import signed_in
from tests.factories.people import staff_user
from tests.factories.work import AuditFactory, RubricVersionFactory
from tests.web_client.page_checks import faults_of

SHAPE = ("detectives_parallel", "fan_in_before_judges", "judges_parallel", "fan_in_before_justice")


def rubric(*aspects: str, **fields: Any) -> dict[str, Any]:
    checks = [
        {"id": f"graph.{aspect}", "kind": "graph_topology", "aspect": aspect, **fields}
        for aspect in aspects
    ]
    return {
        "id": "r",
        "criteria": [{"id": "a"}, {"id": "graph", "checks": [{"id": "x", "kind": "no"}, *checks]}],
    }


def report(**met: bool | None) -> Report:
    rows = [
        {"check": f"graph.{aspect}", "met": value, "reason": f"So: {value}."}
        for aspect, value in met.items()
    ]
    return parse_report({"criteria": [{"id": "graph", "checks": rows}]})


def expected(*aspects: str) -> ExpectedGraph:
    found = expected_graph_of(report(**dict.fromkeys(aspects, True)), rubric(*aspects))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("aspects", "words"),
    [
        (["judges_parallel"], "START, then a judge beside another judge, then END."),
        (
            ["fan_in_before_judges"],
            (
                "START, then a detective beside another detective, then the joined evidence, "
                "then the judges, then END."
            ),
        ),
        (
            ["conditional_error_route"],
            (
                "START, then a step that may fail, then END. From a step that may fail a "
                "conditional route to the report of a failure."
            ),
        ),
        (
            [*SHAPE, "conditional_error_route"],
            (
                "START, then a detective beside another detective, then the joined evidence, "
                "then a judge beside another judge, then the verdict, then END. From the joined evidence a conditional route to "
                "the report of a failure."
            ),
        ),
    ],
)
def test_what_is_asked_for_is_drawn_and_nothing_else(aspects: list[str], words: str) -> None:
    found = expected(*aspects)
    assert found.words == words
    assert found.drawing is not None
    said = set(re.split(r", then | beside |\. From .*? route to |\.", words)) - {""}
    assert {node.name for node in found.drawing.nodes} == said


def test_nothing_is_expected_where_no_shape_is_asked_for() -> None:
    assert expected_graph_of(report(exists=True), rubric("exists")) is None
    assert expected_graph_of(report(), rubric(*SHAPE)) is None  # not looked for in this report
    assert (
        expected_graph_of(
            report(judges_parallel=True), rubric("judges_parallel", polarity="negative")
        )
        is None
    )


def test_each_part_says_what_was_found_of_it() -> None:
    found = expected_graph_of(
        report(judges_parallel=False, exists=True, fan_in_before_justice=None),
        rubric("exists", *SHAPE),
    )
    assert found is not None
    assert found.asked == (
        RequiredPart("A graph", True, "So: True."),
        RequiredPart("Judges side by side", False, "So: False."),
        RequiredPart("Their opinions joined before the verdict", None, "So: None."),
    )


@pytest.mark.django_db
@pytest.mark.parametrize(("digest", "shown"), [("d" * 64, 1), ("e" * 64, 0)])
def test_the_report_shows_it_only_under_the_rubric_it_was_made_under(
    digest: str, shown: int
) -> None:
    document = report_json(criteria=1) | {}
    document["criteria"][0]["checks"][0]["check"] = "graph.judges_parallel"
    document["rubric"]["digest"] = "d" * 64
    version = RubricVersionFactory.create(document=rubric("judges_parallel"), digest=digest)
    audit = AuditFactory.create(
        done=True,
        report=document,
        rubric_version=version,
        organization=version.organization,
        submission__assignment__cohort__organization=version.organization,
    )
    client = signed_in(staff_user(version.organization))
    html = client.get(reverse("audit", args=[version.organization.slug, audit.pk])).content.decode()
    assert faults_of(html) == []
    assert (html.count('id="expected-heading"'), html.count('id="expected-arrow"')) == (
        shown,
        shown,
    )
    assert html.count('aria-label="START, then a judge beside another judge, then END."') == shown
