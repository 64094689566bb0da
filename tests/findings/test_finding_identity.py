"""Identity of findings from report to report: pure functions."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.checks.result import MOST_CLUES
from grading.core.enums import FindingState
from grading.engine.findings import (
    MOST_PLACES_SHOWN,
    Draft,
    ReportFindings,
    findings_of_report,
    key_of,
    normalised_place,
)
from grading.engine.report import parse_report
from grading.findings.finding_state import Lifecycle, Observation, lifecycle_of
from grading.findings.identity import RecordedFinding, gone, recognised
from tests.factories.findings import flaw, met, missing, report_of_checks

SHELL = "tidy.shell"


def findings_in(document: dict[str, Any]) -> ReportFindings:
    return findings_of_report(parse_report(document))


def known_of(*drafts: Draft) -> list[RecordedFinding]:
    return [RecordedFinding(d.key, d.criterion_id, d.check_id, d.place, d.title) for d in drafts]


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("", ""),
        (".", ""),
        ("./src//a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        ("/src/a.py", "src/a.py"),
        ("`src/a.py:41`", "src/a.py"),
        ("src/a.py:41-60", "src/a.py"),
        ("src/a.py#L4-L9", "src/a.py"),
        ("https://github.com/o/r/blob/main/src/a%20b.py#L3", "src/a b.py"),
        ("https://gitlab.com/o/r/-/blob/main/src/a.py", "src/a.py"),
        ("cafe\u0301.py", "caf\u00e9.py"),
        ("no tests at all", "no tests at all"),
    ],
)
def test_a_place_is_the_same_however_it_is_written(written: str, place: str) -> None:
    assert normalised_place(written) == place
    assert key_of("tidy", SHELL, written) == key_of("tidy", SHELL, place)


def test_the_identity_is_criterion_check_and_place() -> None:
    keys = {
        key_of("tidy", SHELL, "a.py"),
        key_of("tested", SHELL, "a.py"),
        key_of("tidy", "", "a.py"),
        key_of("tidy", SHELL, "b.py"),
        key_of("tidy", SHELL, "A.py"),
        key_of("tidyt", "idy.shell", "a.py"),
    }
    assert len(keys) == 6
    assert {len(key) for key in keys} == {64}


def test_older_report_without_a_fault_names_the_finding_by_its_reason() -> None:
    report = report_of_checks(missing())
    del report["criteria"][0]["checks"][0]["fault"]
    [draft] = findings_in(report).there
    assert (draft.title, draft.text) == ("tidy.readme was looked for", "")


def test_what_is_missing_is_one_finding_wherever_it_was_looked_for() -> None:
    findings = findings_in(report_of_checks(missing(places=[("src/b.py", 9), ("src/a.py", 4)])))
    elsewhere = findings_in(report_of_checks(missing(places=[("lib/c.py", 1)])))
    [draft] = findings.there
    assert (draft.place, draft.lines, draft.priority, draft.action) == (
        "src/b.py",
        (9,),
        "high",
        "Mend tidy.readme.",
    )
    assert (draft.title, draft.text) == ("Not so: tidy.readme", "tidy.readme was looked for.")
    assert draft.key == elsewhere.there[0].key == key_of("tidy", "tidy.readme", "")
    assert findings.looked_at == {("tidy", "tidy.readme")}


def test_a_flaw_is_one_finding_in_each_file_whatever_its_lines() -> None:
    findings = findings_in(report_of_checks(flaw(("a.py", 7), ("b.py", 2), ("a.py", 3))))
    assert [(d.place, d.lines, d.key) for d in findings.there] == [
        ("a.py", (3, 7), key_of("tidy", SHELL, "a.py")),
        ("b.py", (2,), key_of("tidy", SHELL, "b.py")),
    ]


def test_what_is_met_not_established_or_left_out_is_no_finding() -> None:
    report = report_of_checks(
        met(),
        missing("tidy.source", met=None),
        missing("tested.one", criterion="tested"),
        excluded=["tested"],
    )
    findings = findings_in(report)
    assert findings.there == ()
    assert findings.looked_at == {("tidy", "tidy.readme")}
    assert findings_in({"schema": "automaton-auditor/report@1"}).there == ()


def test_as_many_flaws_as_are_shown_may_not_be_all() -> None:
    assert MOST_PLACES_SHOWN == MOST_CLUES
    four, three = ([(f"{name}.py", 1) for name in names] for names in ("abcd", "abc"))
    earlier = known_of(*findings_in(report_of_checks(flaw(("z.py", 1)))).there)
    for places, over in ((four, []), (three, [earlier[0].key])):
        findings = findings_in(report_of_checks(flaw(*places)))
        assert gone(findings, earlier, recognised(findings.there, earlier).values()) == over


def test_evidence_that_was_dropped_takes_nothing_away() -> None:
    report = report_of_checks(flaw(("a.py", 1)))
    report["errors"] = [
        {"stage": "EvidenceAggregator", "code": "evidence_unverified", "message": "One."}
    ]
    assert findings_in(report).looked_at == frozenset()


def test_where_a_criterion_has_no_checks_its_remediation_is_taken() -> None:
    report = report_of_checks(missing())
    [criterion] = report["criteria"]
    criterion["checks"] = []
    criterion["remediation"] = [
        dict(criterion["remediation"][0], path=path, line=line, evidence=[], action=action)
        for path, line, action in (
            ("a.py", 4, "Split it."),
            ("a.py", 9, "Name it."),
            (None, None, "Say why!"),
        )
    ]
    findings = findings_in(report)
    assert [(d.title, d.place, d.lines, d.check_id) for d in findings.there] == [
        ("Split it.", "a.py", (4, 9), ""),
        ("Say why!", "", (), ""),
    ]
    assert findings.there[1].key == key_of("tidy", "", "say why")
    assert findings.looked_at == frozenset()


def test_a_file_that_was_moved_takes_its_flaw_along() -> None:
    [before] = findings_in(report_of_checks(flaw(("tools.py", 3)))).there
    moved = findings_in(report_of_checks(flaw(("src/tools.py", 8))))
    assert recognised(moved.there, known_of(before)) == {moved.there[0].key: before.key}
    both = findings_in(report_of_checks(flaw(("src/tools.py", 8), ("lib/tools.py", 8))))
    assert recognised(both.there, known_of(before)) == {}
    again = [RecordedFinding(before.key, "tidy", SHELL, "src/tools.py")]
    third = findings_in(report_of_checks(flaw(("src/tools.py", 1), ("old/tools.py", 1))))
    assert recognised(third.there, again) == {third.there[0].key: before.key}


def test_a_moved_files_name_does_not_steal_from_one_that_stayed() -> None:
    stayed = findings_in(report_of_checks(flaw(("tools.py", 3)))).there
    both = findings_in(report_of_checks(flaw(("tools.py", 3), ("src/tools.py", 8))))
    assert recognised(both.there, known_of(*stayed)) == {stayed[0].key: stayed[0].key}


OPEN, FIXED, REGRESSED = FindingState.OPEN, FindingState.FIXED, FindingState.REGRESSED


@pytest.mark.parametrize(
    ("words", "life"),
    [
        ("1+", Lifecycle(OPEN, 1, 1, None)),
        ("1+ 2+ 3+", Lifecycle(OPEN, 1, 3, None)),
        ("1+ 2-", Lifecycle(FIXED, 1, 1, 2)),
        ("1+ 2- 3-", Lifecycle(FIXED, 1, 1, 2)),
        ("1+ 2- 3+", Lifecycle(REGRESSED, 1, 3, None)),
        ("1+ 2- 3+ 4+", Lifecycle(REGRESSED, 1, 4, None)),
        ("1+ 2- 3+ 4-", Lifecycle(FIXED, 1, 3, 4)),
        ("1- 2+", Lifecycle(OPEN, 2, 2, None)),
        ("1+ 1-", Lifecycle(FIXED, 1, 1, 1)),  # looked at again, it was a mistake
        ("1+ 1- 2+", Lifecycle(OPEN, 1, 2, None)),  # so nothing came back
        ("1- 1+", Lifecycle(OPEN, 1, 1, None)),
        ("3+ 2- 1+", Lifecycle(REGRESSED, 1, 3, None)),  # told out of order
        ("1i+", Lifecycle(OPEN, 1, 1, None)),
        ("1i+ 2i+", Lifecycle(OPEN, 1, 2, None)),
        (
            "1+ 2- 2i+",
            Lifecycle(FIXED, 1, 2, 2),
        ),  # the platform's word stands against an unsigned one
        ("1i+ 2+ 3-", Lifecycle(FIXED, 1, 2, 3)),
        ("1i+ 1- 2+", Lifecycle(OPEN, 1, 2, None)),
    ],
)
def test_a_life_follows_from_the_sightings_in_the_order_of_attempts(
    words: str, life: Lifecycle
) -> None:
    findings = [
        Observation(int(word[0]), word.endswith("+"), imported="i" in word)
        for word in words.split()
    ]
    assert lifecycle_of(findings) == life


def without_report(*checks: str, criterion: str = "tidy", **fields: Any) -> dict[str, Any]:
    """Return a criterion whose checks do not apply because no report was handed in."""
    cause = {"code": "no_report", "sentence": "No PDF report was handed in."}
    rows = [
        {"check": check, "goal": check, "met": None, "reason": "", "evidence": ["E-0"]}
        | {"not_applicable": cause}
        for check in checks
    ]
    return {"id": criterion, "name": criterion, "checks": rows, **fields}


def report_without_report(*criteria: dict[str, Any]) -> dict[str, Any]:
    return report_of_checks(met("tidy.readme")) | {"criteria": list(criteria)}


def test_root_cause_is_one_finding_whatever_hangs_on_it_and_its_checks_are_none() -> None:
    step = {"action": "Hand in the PDF report.", "priority": "high", "evidence": ["E-0"]}
    findings = findings_in(
        report_without_report(
            without_report("a", "b", remediation=[step]), without_report("c", criterion="deep")
        )
    )
    [draft] = findings.there
    assert (draft.criterion_id, draft.check_id, draft.title, draft.action) == (
        "tidy",
        "no_report",
        "No PDF report was handed in",
        "Hand in the PDF report.",
    )
    other = findings_in(report_without_report(without_report("z", criterion="deep")))
    assert draft.key == other.there[0].key
    assert findings.looked_at == frozenset()


def test_root_cause_that_a_check_states_is_no_second_finding() -> None:
    stating = {"check": "s", "goal": "s", "met": False, "evidence": []}
    row = without_report("a")
    row["checks"].append(stating | {"reason": "No PDF report was handed in."})
    assert [draft.check_id for draft in findings_in(report_without_report(row)).there] == ["s"]


@pytest.mark.parametrize(("outcome", "is_gone"), [(True, True), (False, True), (None, False)])
def test_root_cause_is_gone_only_where_every_check_was_answered(
    outcome: bool | None, is_gone: bool
) -> None:
    lacking = findings_in(report_without_report(without_report("a")))
    answered = without_report("a", "b")
    for row, value in zip(answered["checks"], [True, outcome], strict=True):
        row |= {"met": value, "not_applicable": None}
    later = findings_in(report_without_report(answered))
    expected = [lacking.there[0].key] if is_gone else []
    assert gone(later, known_of(*lacking.there), ()) == expected


def test_report_stored_without_root_causes_is_read() -> None:
    assert findings_in(report_of_checks(met("tidy.readme"))).there == ()
