"""JUnit XML of a report: each outcome of a check, and XML that every parser reads."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from courtroom.models.audit_report import AuditReport
from courtroom.rendering.junit_report import render_junit
from tests.courtroom.rendering.hostile_report import hostile_report
from tests.factories.findings import flaw, met, missing, report_of_checks

COUNTS = ("tests", "failures", "errors", "skipped")


def tree_of(report: AuditReport) -> ET.Element:
    return ET.fromstring(render_junit(report).encode())  # noqa: S314 -- our own bytes


def outcomes(report: AuditReport) -> list[tuple[str | None, str]]:
    """Return the name of each test case with what it came to."""
    cases = tree_of(report).iter("testcase")
    return [(case.get("name"), case[0].tag if len(case) else "passed") for case in cases]


def report_of(*checks: object, **changes: object) -> AuditReport:
    report = AuditReport.model_validate(report_of_checks(*checks))  # type: ignore[arg-type]
    return report.model_copy(update=changes)


def test_met_check_passes_and_unmet_check_fails_with_its_places() -> None:
    report = report_of(met(), flaw(("a.py", 3), ("b.py", 4), goal="No shell"))
    assert outcomes(report) == [
        ("A score was reached", "passed"),
        ("tidy.readme", "passed"),
        ("No shell", "failure"),
    ]
    failure = tree_of(report).find(".//failure")
    assert failure is not None
    assert failure.get("message") == "Not so: No shell. tidy.shell was looked for."
    assert (failure.text or "").splitlines()[:2] == ["a.py:3", "Mend tidy.shell."]


def test_what_could_not_be_judged_neither_passes_nor_fails() -> None:
    root = tree_of(hostile_report())
    tidy, other = root.findall("testsuite")
    assert other.find("testcase/error") is not None
    skipped, errors = tidy.findall("testcase/skipped"), tidy.findall("testcase/error")
    # Not established and not applicable; a reader of ours that failed.
    assert (len(skipped), len(errors)) == (2, 1)
    causes = [row.get("type") for row in tidy.findall("testcase/failure")]
    assert causes.count("no_graph") == 1


def test_report_without_a_criterion_is_an_error_with_its_reasons() -> None:
    report = hostile_report(criteria=(), status="degraded")
    assert outcomes(report) == [("A score was reached", "error")]
    assert "child_timeout" in (tree_of(report).findtext("testsuite/system-err") or "")


def test_excluded_criterion_is_skipped() -> None:
    report = AuditReport.model_validate(report_of_checks(missing(), excluded=["tidy"]))
    assert outcomes(report) == [("A score was reached", "skipped")]


def test_counts_are_those_of_the_test_cases() -> None:
    root = tree_of(hostile_report())
    for element, cases in ((root, list(root.iter("testcase"))), *((s, list(s)) for s in root)):
        tags = [case[0].tag for case in cases if case.tag == "testcase" and len(case)]
        tests = sum(case.tag == "testcase" for case in cases)
        counted = [tests, *map(tags.count, ("failure", "error", "skipped"))]
        assert [element.get(name) for name in COUNTS] == [str(count) for count in counted]


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_no_text_makes_xml_that_cannot_be_read(text: str) -> None:
    report = hostile_report()
    criterion = report.criteria[1].model_copy(update={"name": text, "rationale": text})
    suites = tree_of(report.model_copy(update={"criteria": (criterion,)}))
    assert [suite.tag for suite in suites] == ["testsuite"]
