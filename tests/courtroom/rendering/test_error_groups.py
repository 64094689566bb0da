"""Errors with one cause are one line with a count, in the Markdown report and for the page."""

from courtroom.models.audit_report import AuditReport, RecordedError
from courtroom.models.judge_answer import PERSONAS
from courtroom.rendering.error_groups import group_errors
from courtroom.rendering.markdown_report import render_markdown
from tests.factories.example_report import report_json

UNREACHED = "The endpoint could not be reached."


def failed(judge, criterion, message=UNREACHED, code="judge_server"):
    return RecordedError(
        stage=judge.lower(), code=code, message=message, judge=judge, criterion=criterion
    )


def lines(errors):
    return [(g.stages, g.code, g.message, g.extent) for g in group_errors(errors)]


def test_thirty_failures_of_one_cause_are_one_group():
    errors = [failed(judge, f"c{n}") for n in range(10) for judge in PERSONAS]
    assert lines(errors) == [
        (
            ("prosecutor", "defense", "techlead"),
            "judge_server",
            UNREACHED,
            "30 times, on 10 criteria",
        )
    ]


def test_other_causes_are_groups_of_their_own_in_the_order_of_their_first_errors():
    late = failed("Defense", "b", "No answer within 60 s.", "judge_timeout")
    detective = RecordedError(stage="DocAnalyst", code="pdf_unread", message="Not read.")
    assert lines([detective, failed("Defense", "a"), late, failed("Defense", "b")]) == [
        (("DocAnalyst",), "pdf_unread", "Not read.", ""),
        (("defense",), "judge_server", UNREACHED, "2 times, on a, b"),
        (("defense",), "judge_timeout", "No answer within 60 s.", "on b"),
    ]


def test_sums_and_seconds_do_not_part_a_cause():
    errors = [failed("Defense", "a", f"${n}.50 left.", "judge_budget") for n in range(3)]
    assert [group.count for group in group_errors(errors)] == [3]


def test_errors_of_two_stages_without_a_judge_stay_apart():
    errors = [RecordedError(stage=s, code="node_failed", message="M.") for s in ("a", "b")]
    assert [group.stages for group in group_errors(errors)] == [("a",), ("b",)]


def test_markdown_report_shows_one_line_with_the_count():
    errors = tuple(failed(judge, f"c{n}") for n in range(10) for judge in PERSONAS)
    report = AuditReport.model_validate(report_json(status="degraded"))
    text = render_markdown(report.model_copy(update={"errors": errors}))
    assert text.count(UNREACHED) == 1
    assert f"(30 times, on 10 criteria): {UNREACHED}" in text
