"""SARIF of a report: stable identities, right places, and nothing of ours that reads as a result."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from courtroom.models.audit_report import AuditReport
from courtroom.rendering.sarif_report import NO_FILE, file_uri, plain_text, render_sarif
from grading.engine.findings import findings_of_report
from grading.engine.report import parse_report
from tests.courtroom.rendering.hostile_report import PATHS, hostile_report
from tests.factories.findings import flaw, missing, report_of_checks

# What a consumer of SARIF takes for a link or a placeholder.
LINK, PLACEHOLDER = re.compile(r"\]\("), re.compile(r"(?<!\{)(?:\{\{)*\{\d+\}")


def run_of(report: AuditReport) -> dict[str, Any]:
    log = json.loads(render_sarif(report))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    return dict(run)


def report_of(*checks: Any, **fields: Any) -> AuditReport:
    return AuditReport.model_validate(report_of_checks(*checks) | fields)


def places_of(result: dict[str, Any]) -> list[tuple[str, int]]:
    places = [location["physicalLocation"] for location in result["locations"]]
    return [(p["artifactLocation"]["uri"], p["region"]["startLine"]) for p in places]


def test_results_have_the_identities_of_the_sites_findings() -> None:
    document = report_of_checks(flaw(("a.py", 3), ("b.py", 4)), missing())
    results = run_of(AuditReport.model_validate(document))["results"]
    keys = [row["fingerprints"]["automatonAuditorFinding/v1"] for row in results]
    assert keys == [draft.key for draft in findings_of_report(parse_report(document)).there]


def test_identity_stays_when_the_lines_move() -> None:
    before, after = (run_of(report_of(flaw(("a.py", line))))["results"][0] for line in (3, 30))
    assert before["fingerprints"] == after["fingerprints"]
    assert (places_of(before), places_of(after)) == ([("a.py", 3)], [("a.py", 30)])


def test_result_names_its_rule_with_help_and_its_level() -> None:
    run = run_of(report_of(missing("tidy.readme", goal="There is a README")))
    (result,) = run["results"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (result["ruleId"], result["level"]) == ("tidy.readme", "error")
    assert rule["id"] == "tidy.readme"
    assert rule["shortDescription"]["text"] == "Not so: There is a README."
    assert rule["help"]["text"].startswith("What is asked for: There is a README.")


def test_finding_without_a_file_has_the_place_that_code_scanning_accepts() -> None:
    (result,) = run_of(report_of(missing()))["results"]
    assert [(unquote(uri), line) for uri, line in places_of(result)] == [(NO_FILE, 1)]
    assert list(result["partialFingerprints"]) == ["primaryLocationLineHash"]


@pytest.mark.parametrize(("path", "uri"), PATHS.items())
def test_only_a_path_inside_the_repository_becomes_a_uri(path: str, uri: str | None) -> None:
    assert file_uri(path) == uri
    assert uri is None or unquote(uri) == path


@settings(deadline=None)
@given(st.text())
def test_no_path_leads_out_of_the_repository(path: str) -> None:
    uri = file_uri(path)
    assert uri is None or re.fullmatch(r"[\w./~%-]+", uri, re.ASCII)
    assert uri is None or not {"", ".", ".."} & set(uri.split("/"))


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=()) | st.sampled_from("{}[]()01\\")))
def test_no_text_becomes_a_link_a_placeholder_or_a_control_character(text: str) -> None:
    plain = plain_text(text)
    assert not LINK.search(plain)
    assert not PLACEHOLDER.search(plain)
    assert json.loads(json.dumps(plain).encode()) == plain.encode().decode()
    assert all(ord(character) >= 32 for character in plain)


def test_hostile_report_gives_texts_and_places_only() -> None:
    run = run_of(hostile_report())
    places = [places_of(row)[0][0] for row in run["results"] if row["ruleId"].startswith("shell")]
    nowhere = NO_FILE.replace(" ", "%20")
    assert places == [uri or nowhere for uri in PATHS.values()]
    texts = [row["message"]["text"] for row in run["results"]]
    assert not [text for text in texts if LINK.search(text) or "\x00" in text]


def test_what_could_not_be_judged_is_a_notification_and_no_result() -> None:
    run = run_of(hostile_report())
    (invocation,) = run["invocations"]
    notified = Counter(row["descriptor"]["id"] for row in invocation["toolExecutionNotifications"])
    assert invocation["executionSuccessful"] is False
    # Two checks could not be established; one hangs on a root cause, which is a result.
    assert notified == {
        "child_timeout": 1,
        "criterion-not-judged": 1,
        "check-not-established": 2,
    }
    rules = {row["ruleId"] for row in run["results"]}
    assert rules & {"x.open", "x.none", "x.broken", "tidy.readme", "no_graph"} == {"no_graph"}


def test_degraded_report_has_no_results_and_was_not_successful() -> None:
    run = run_of(report_of(missing(), status="degraded"))
    assert (run["results"], run["invocations"][0]["executionSuccessful"]) == ([], False)


def test_repository_and_commit_are_named_unless_it_is_a_path_of_a_machine() -> None:
    (origin,) = run_of(report_of(missing()))["versionControlProvenance"]
    assert origin["repositoryUri"] == "https://git.example.org/student/work"
    assert origin["revisionId"] == "c" * 40
    assert run_of(report_of(missing(), repo_url="/home/me/work"))["versionControlProvenance"] == []
