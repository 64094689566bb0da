"""A check tried on a stored report: answered by facts, open with a reason, or needing an audit."""

import asyncio
import json

import pytest
from pydantic import TypeAdapter

from courtroom.checks.registry import Check
from courtroom.models.facts import establish
from courtroom.replay.stored_checks import try_check
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.run_audit import hold_audit
from tests.factories.student_project import case_of, student_repository

CHECK = TypeAdapter(Check)
RUBRIC = shipped_rubric("self_audit")


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    async def final_report():
        case = case_of(student_repository(tmp_path_factory.mktemp("stored")))
        return [event async for event in hold_audit(case)][-1].report

    return json.loads(json.dumps(asyncio.run(final_report()).as_json()))


PARTED_HISTORY = {
    "first_at": "2026-01-01T09:00:00+00:00",
    "last_at": "2026-01-02T09:00:00+00:00",
    "days": 2,
    "busiest_hour": 5,
    "weak_messages": 0,
    "stages": [],
    "largest_run": 0.6,
}


def make_check(kind, **fields):
    return CHECK.validate_python({"id": "tried", "goal": "It holds", "kind": kind, **fields})


def stored_report(*, pdf="0" * 64, reasons=None, **facts):
    """A stored report of these facts alone."""
    document = establish(facts, reasons or {}).model_dump(mode="json", by_alias=True)
    return {"facts": document, "commit": "c0ffee", "pdf_sha256": pdf}


def tried_result(document, kind, **fields):
    trial = try_check(make_check(kind, **fields), document)
    return trial.outcome.met, len(trial.evidence), trial.needs_submission


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("file_exists", {"any_of": ["README.md"]}),
        ("text_contains", {"any_of": ["word"]}),
        ("python_class", {"any_of": ["State"]}),
        ("python_call", {"any_of": ["os.system"]}),
        ("python_import", {"any_of": ["os"]}),
        ("code_pattern", {"language": "python", "pattern": "print($A)"}),
        ("commit_history", {"aspect": "messages"}),
        ("pdf_concept", {"term": "No term of the facts"}),
        ("pdf_paths", {"aspect": "claims_hold"}),
    ],
)
def test_check_on_the_submission_needs_a_new_audit(kind, fields):
    assert tried_result(stored_report(pdf_terms={}), kind, **fields) == (None, 0, True)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("reducer", {}),
        ("graph_topology", {"aspect": "exists"}),
        ("sandboxed_clone", {"aspect": "timeout"}),
        ("unsafe_call", {}),
        ("structured_output", {"aspect": "called"}),
        ("persona_overlap", {"aspect": "exist"}),
        ("failing_code", {"part": "judges"}),
        ("synthesis_rules", {"aspect": "dissent"}),
        ("commit_history", {"aspect": "not_bulk"}),
        ("feedback_log", {"aspect": "exchanged"}),
        ("communication_log", {}),
        ("pdf_concept", {"term": "Metacognition"}),
        ("pdf_paths", {"aspect": "claims_any"}),
        ("pdf_paths", {"aspect": "none_hallucinated"}),
        ("pdf_paths", {"aspect": "names_exist"}),
        ("diagram", {"aspect": "present"}),
    ],
)
def test_unestablished_fact_leaves_its_check_open(kind, fields):
    assert tried_result(stored_report(), kind, **fields) == (None, 0, False)


LOGS = {"generated": ["audit/on_peer.md"], "self": [], "received": []}
ENTRY = {"path": "log.md", "line": 3, "date": "2026-02-01", "kinds": ["blocker"]}
IN_A_COMMIT = {"commit": "beef", "text": "Later, because of time"}


@pytest.mark.parametrize(
    ("facts", "kind", "fields", "expected"),
    [
        ({"bulk_upload": False}, "commit_history", {"aspect": "not_bulk"}, (True, 1)),
        ({"bulk_upload": True}, "commit_history", {"aspect": "not_bulk"}, (False, 1)),
        (
            {"bulk_upload": False, "history": PARTED_HISTORY},
            "commit_history",
            {"aspect": "not_bulk"},
            (False, 1),
        ),
        ({"minmax": LOGS, "file_count": 3}, "feedback_log", {"aspect": "exchanged"}, (True, 1)),
        ({"minmax": LOGS, "file_count": 3}, "feedback_log", {"aspect": "received"}, (False, 1)),
        ({"deferrals": [IN_A_COMMIT]}, "feedback_log", {"aspect": "deferred"}, (True, 1)),
        ({"communication_entries": [ENTRY]}, "communication_log", {"about": "blocker"}, (True, 1)),
        (
            {"communication_entries": [ENTRY], "file_count": 3},
            "communication_log",
            {"minimum": 2},
            (False, 1),
        ),
        (
            {"pdf_terms": {"Metacognition": "mentioned"}},
            "pdf_concept",
            {"term": "Metacognition"},
            (False, 1),
        ),
        ({"pdf_claimed_paths": []}, "pdf_paths", {"aspect": "claims_any"}, (False, 1)),
        ({"pdf_claimed_paths": ["a.py"]}, "pdf_paths", {"aspect": "claims_any"}, (True, 1)),
        (
            {"pdf_code_names": ["a_name"], "pdf_missing_names": ["a_name"]},
            "pdf_paths",
            {"aspect": "names_exist"},
            (False, 1),
        ),
        ({"pdf_diagram": "linear"}, "diagram", {"aspect": "present"}, (True, 1)),
        ({"pdf_diagram": "linear"}, "diagram", {"aspect": "parallel"}, (False, 1)),
        ({"pdf_diagram": "linear"}, "diagram", {"aspect": "similar"}, (False, 1)),
        ({"pdf_diagram": "accurate"}, "diagram", {"aspect": "similar"}, (True, 1)),
        ({"pdf_diagram": "parallel_shown"}, "diagram", {"aspect": "similar"}, (None, 0)),
        ({"pdf_diagram": "parallel_shown"}, "diagram", {"aspect": "parallel"}, (None, 0)),
        ({"pdf_diagram": "accurate"}, "diagram", {"aspect": "picture"}, (None, 0)),
        ({"pdf_diagram": "none"}, "diagram", {"aspect": "present"}, (False, 1)),
    ],
)
def test_facts_answer_and_show_their_evidence(facts, kind, fields, expected):
    assert tried_result(stored_report(**facts), kind, **fields) == (*expected, False)


@pytest.mark.parametrize(("maximum", "met"), [(0, False), (1, True)])
def test_other_limit_of_missing_files_is_compared_with_the_facts(maximum, met):
    facts = stored_report(pdf_claimed_paths=["a.py", "b.py"], pdf_hallucinated_paths=["b.py"])
    assert tried_result(facts, "pdf_paths", aspect="none_hallucinated", maximum=maximum) == (
        met,
        1,
        False,
    )


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("diagram", {"aspect": "present"}),
        ("pdf_concept", {"term": "x"}),
        ("pdf_paths", {"aspect": "claims_any"}),
    ],
)
def test_missing_pdf_meets_nothing(kind, fields):
    assert tried_result(stored_report(pdf=None), kind, **fields) == (False, 1, False)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [("diagram", {"aspect": "present"}), ("pdf_concept", {"term": "Metacognition"})],
)
def test_report_without_a_character_is_not_judged(kind, fields):
    unread = stored_report(
        pdf_pages=2,
        pdf_characters=0,
        pdf_images=0,
        pdf_diagram="none",
        pdf_terms={"Metacognition": "absent"},
    )
    trial = try_check(make_check(kind, **fields), unread)
    assert (trial.outcome.met, trial.outcome.has_failed) == (None, True)
    assert trial.outcome.reason.startswith("The report could not be read: its 2 pages gave")


def test_checks_answered_by_facts_have_the_outcome_of_the_audit(audited):
    stored = {row["check"]: row["met"] for c in audited["criteria"] for row in c["checks"]}
    tried = {check.id: try_check(check, audited) for check in RUBRIC.checks}
    answered = {name: trial for name, trial in tried.items() if not trial.needs_submission}
    assert {name: trial.outcome.met for name, trial in answered.items()} == {
        n: stored[n] for n in answered
    }
    assert len(answered) > len(stored) / 2


def test_locations_are_those_of_the_audited_commit(audited):
    check = make_check("unsafe_call", polarity="negative", tags=["security"], any_of=["os_system"])
    piece = try_check(check, audited).evidence[0]
    place = piece.location
    assert (place.path, place.line_start, place.commit) == ("src/tools.py", 5, audited["commit"])
    assert (piece.found, piece.content, piece.tags) == (True, None, ("security",))


def test_stored_report_tells_what_does_not_apply():
    document = stored_report(pdf=None, pdf_pages=0)
    trial = try_check(make_check("pdf_concept", term="Metacognition"), document)
    cause = trial.outcome.not_applicable
    assert cause is not None
    assert (trial.outcome.met, cause.code) == (None, "no_report")
    assert [piece.check for piece in trial.evidence] == ["no_report"]


def test_stored_report_without_the_fact_on_judges_leaves_the_check_unmet():
    document = stored_report(structured_output_calls=[], structured_output_retry=False)
    del document["facts"]["plain_judges"]
    outcome = try_check(make_check("structured_output", aspect="retry"), document).outcome
    assert (outcome.met, outcome.not_applicable) == (False, None)
