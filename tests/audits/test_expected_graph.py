"""Expected graph of the rubric: no more of it than its checks require."""

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
    graph = expected_graph_of(report(**dict.fromkeys(aspects, True)), rubric(*aspects))
    assert graph is not None
    return graph


@pytest.mark.parametrize(
    ("aspects", "words"),
    [
        (["judges_parallel"], "START, then a judge in parallel with another judge, then END."),
        (
            ["fan_in_before_judges"],
            (
                "START, then a detective in parallel with another detective, "
                "then the joined evidence, "
                "then the judges, then END."
            ),
        ),
        (
            ["conditional_error_route"],
            (
                "START, then a step that may fail, then END. A conditional route "
                "leads from a step that may fail to a failure report."
            ),
        ),
        (
            [*SHAPE, "conditional_error_route"],
            (
                "START, then a detective in parallel with another detective, "
                "then the joined evidence, "
                "then a judge in parallel with another judge, then the verdict, then END. "
                "A conditional route leads "
                "from the joined evidence to a failure report."
            ),
        ),
    ],
)
def test_only_required_parts_are_drawn(aspects: list[str], words: str) -> None:
    graph = expected(*aspects)
    assert graph.words == words
    assert graph.drawing is not None
    names = set(re.split(r", then | in parallel with |\. A .*? to |\.", words)) - {""}
    assert {node.name for node in graph.drawing.nodes} == names


def test_rubric_without_a_shape_expects_no_graph() -> None:
    assert expected_graph_of(report(exists=True), rubric("exists")) is None
    assert expected_graph_of(report(), rubric(*SHAPE)) is None  # not checked in this report
    assert (
        expected_graph_of(
            report(judges_parallel=True), rubric("judges_parallel", polarity="negative")
        )
        is None
    )


def test_part_has_the_outcome_of_its_check() -> None:
    graph = expected_graph_of(
        report(judges_parallel=False, exists=True, fan_in_before_justice=None),
        rubric("exists", *SHAPE),
    )
    assert graph is not None
    assert graph.parts == (
        RequiredPart("A graph", True, "So: True."),
        RequiredPart("Judges run in parallel", False, "So: False."),
        RequiredPart("Opinions are joined before the verdict", None, "So: None."),
    )


@pytest.mark.django_db
@pytest.mark.parametrize(("digest", "count"), [("d" * 64, 1), ("e" * 64, 0)])
def test_report_shows_the_graph_of_its_own_rubric_only(digest: str, count: int) -> None:
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
        count,
        count,
    )
    assert (
        html.count('aria-label="START, then a judge in parallel with another judge, then END."')
        == count
    )
