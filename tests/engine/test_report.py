"""Typed reports: what is stored is read whole, older and redacted editions too, and nothing else."""

from __future__ import annotations

import sys
from subprocess import run
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from courtroom.models import audit_report as courtroom_report
from courtroom.models import evidence, project_facts
from courtroom.models import facts as courtroom_facts
from grading.core.errors import ReportUnreadable
from grading.engine import report as typed
from grading.engine import report_facts as typed_facts
from grading.engine.report import parse_report, without_opinions
from grading.peer_review.redaction import Identity, Person, redacted_report, without_scores
from tests.factories.example_report import COMMIT, REPO_URL, report_json

# The courtroom's record that each of the site's reads, field by field.
RECORDS: dict[type[BaseModel], type[BaseModel]] = {
    typed.Report: courtroom_report.AuditReport,
    typed.Criterion: courtroom_report.CriterionResult,
    typed.Opinion: courtroom_report.OpinionRow,
    typed.Check: courtroom_report.CriterionCheck,
    typed.FiredRule: courtroom_report.RuleFired,
    typed.Remediation: courtroom_report.Remediation,
    typed.Evidence: evidence.Evidence,
    typed.Location: evidence.Location,
    typed.RecordedError: courtroom_report.RecordedError,
    typed.Integrity: courtroom_report.Integrity,
    typed.Usage: courtroom_report.Usage,
    typed.Points: courtroom_report.Points,
    typed.RubricReference: courtroom_report.RubricReference,
    typed.ConstitutionReference: courtroom_report.ConstitutionReference,
    typed.JudgeReference: courtroom_report.JudgeReference,
    typed_facts.Facts: courtroom_facts.Facts,
    typed_facts.MainGraph: courtroom_facts.GraphFact,
    typed_facts.Subgraph: courtroom_facts.Subgraph,
    typed_facts.Route: courtroom_facts.ConditionalEdge,
    typed_facts.History: project_facts.HistoryFact,
    typed_facts.CommitAuthor: project_facts.CommitAuthor,
    typed_facts.AuditFiles: project_facts.MinMaxFact,
    typed_facts.LogEntry: project_facts.LogEntry,
}


def keys_of(model: type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def kept_of(parsed: Any, document: Any) -> Any:
    """Return what is in the document of all that was parsed: the same, if nothing was changed."""
    if isinstance(parsed, dict) and isinstance(document, dict):
        return {key: kept_of(value, document[key]) for key, value in parsed.items()}
    if isinstance(parsed, list) and isinstance(document, list):
        return [kept_of(*pair) for pair in zip(parsed, document, strict=True)]
    return document


@pytest.mark.parametrize("status", ["verdict", "needs_review", "degraded"])
def test_everything_parsed_is_as_it_was_stored(status: courtroom_report.Status) -> None:
    document = report_json(status=status)
    parsed = parse_report(document).model_dump(mode="json", by_alias=True)
    assert parsed == kept_of(parsed, document)


@pytest.mark.parametrize("model", RECORDS, ids=lambda model: model.__name__)
def test_a_record_reads_keys_that_the_courtroom_writes(model: type[BaseModel]) -> None:
    assert keys_of(model) <= keys_of(RECORDS[model])


def test_records_of_a_report_cannot_be_changed() -> None:
    report = parse_report(report_json(criteria=1))
    with pytest.raises(ValidationError):
        setattr(report, "status", "degraded")  # noqa: B010 -- mypy knows that it is frozen
    with pytest.raises(ValidationError):
        setattr(report.criteria[0], "final_score", 5)  # noqa: B010


def test_evidence_is_found_by_its_id_and_unknown_ids_are_left_out() -> None:
    report = parse_report(report_json(criteria=1))
    criterion = report.criterion("git_forensics")
    assert criterion is not None
    ids = [*reversed(criterion.evidence), "E-unknown"]
    assert [piece.id for piece in report.evidence_of(ids)] == ids[:-1]
    assert report.criterion("unknown") is None


def test_keys_of_a_newer_report_are_ignored() -> None:
    document = report_json(criteria=1)
    newer = document | {"seal": "gold", "facts": document["facts"] | {"weather": "fair"}}
    newer["criteria"] = [row | {"mood": "good"} for row in document["criteria"]]
    assert parse_report(newer) == parse_report(document)


def test_a_report_that_lacks_its_parts_has_none_and_is_no_verdict() -> None:
    report = parse_report({"schema": "automaton-auditor/report@1"})
    assert (report.criteria, report.evidence, report.errors) == ((), (), ())
    assert (report.facts.graph, report.commit_authors) == (None, ())
    assert report.audit_files == typed_facts.AuditFiles()
    assert (report.status, report.overall_score) == ("degraded", None)
    assert parse_report({"facts": None}) == report


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"status": "passed"}, "status"),
        ({"criteria": {}}, "criteria"),
        ({"criteria": [{"name": "Git"}]}, "criteria.0.id"),
        ({"criteria": [{"id": "git", "final_score": "four"}]}, "criteria.0.final_score"),
        ({"evidence": ["E-00000001"]}, "evidence.0"),
        ({"facts": {"graph": {"path": "a.py"}}}, "facts.graph.state_graph_line"),
    ],
)
def test_a_part_of_another_form_is_one_clear_error(change: dict[str, Any], place: str) -> None:
    with pytest.raises(ReportUnreadable) as refused:
        parse_report(report_json(criteria=1) | change)
    assert (refused.value.code, refused.value.place) == ("report_unreadable", place)
    assert f"cannot be read at “{place}”" in refused.value.sentence


def test_what_is_no_object_is_no_report() -> None:
    with pytest.raises(ReportUnreadable, match="the whole"):
        parse_report([])  # type: ignore[arg-type]  # -- what a broken record could hold


def test_an_edition_without_scores_has_none() -> None:
    report = parse_report(without_scores(report_json(status="needs_review")))
    assert {row.final_score for row in report.criteria} == {None}
    assert {row.opinions for row in report.criteria} == {()}
    assert (report.status, report.overall_score, report.points) == ("verdict", None, None)


def test_a_redacted_edition_is_a_report_without_places_in_public() -> None:
    identity = Identity((Person(names=("Ada Lovelace",)),))
    document = report_json(criteria=1)
    report = parse_report(redacted_report(document, identity))
    assert REPO_URL not in report.repo_url
    assert COMMIT not in f"{report.commit}"
    assert {piece.location.commit for piece in report.evidence} == {None}
    assert [row.id for row in report.criteria] == ["git_forensics"]
    assert report.facts.graph == parse_report(document).facts.graph


def test_opinions_are_taken_out_of_the_criteria_that_are_judged_again() -> None:
    document = report_json(criteria=2)
    single = parse_report(without_opinions(document, ["git_forensics"]))
    none = parse_report(without_opinions(document))
    assert [bool(row.opinions) for row in single.criteria] == [False, True]
    assert [bool(row.opinions) for row in none.criteria] == [False, False]
    assert document == report_json(criteria=2)


def test_importing_it_loads_nothing_of_the_courtroom() -> None:
    script = (
        "import sys; import grading.engine.report; "
        "print([name for name in sys.modules if name.startswith(('courtroom', 'langgraph'))])"
    )
    result = run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_an_edition_without_scores_does_not_tell_which_judge_failed() -> None:
    document = report_json(status="needs_review")
    of_judge = {"stage": "defense", "code": "judge_server", "message": "M.", "judge": "Defense"}
    edition = without_scores(document | {"errors": [*document["errors"], of_judge]})
    assert edition["errors"] == document["errors"]
