"""Refused texts, and hostile ones: only a report or one of our own errors comes out."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from courtroom import CourtroomError, InputRefused, read_report
from courtroom.report_import.imported_report import ImportedReport
from courtroom.report_import.read_report import MOST_LINES
from courtroom.report_import.text_cleaning import MOST_BYTES
from tests.courtroom.report_import.report_values import notes, scores

# Far above the time on a laptop (0.2 to 1.6 s), far below that of a pattern that backtracks.
SECONDS = 60


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        ("", "report_empty", "The report is empty."),
        (" \n\u200b\ufeff\n", "report_empty", "The report is empty."),
        (
            "# Audit\0",
            "report_no_text",
            "The file is not text. Upload the report as Markdown or JSON.",
        ),
        (
            "%PDF-1.7\n1 0 obj",
            "report_no_text",
            "A PDF cannot be imported. Upload the Markdown or JSON that it was made from.",
        ),
        (
            "PK\x03\x04word/document.xml",
            "report_no_text",
            "An archive or a Word file cannot be imported. Upload Markdown or JSON.",
        ),
        (
            "a" * (MOST_BYTES + 1),
            "report_too_large",
            "The report is larger than 2 MB. Upload the report alone, without its raw evidence.",
        ),
        (
            "ä" * (MOST_BYTES // 2 + 1),
            "report_too_large",
            "The report is larger than 2 MB. Upload the report alone, without its raw evidence.",
        ),
        (
            f"[{'[],' * 200_001}1]",
            "report_too_large",
            (
                "The report has more than 200000 JSON values. "
                "Upload the report alone, without its raw evidence."
            ),
        ),
    ],
)
def test_text_that_is_no_report_is_refused_with_its_reason(
    text: str, code: str, sentence: str
) -> None:
    with pytest.raises(InputRefused) as refused:
        read_report(text, name="report.json" if text.startswith("[") else "")
    assert (refused.value.code, refused.value.message) == (code, sentence)


def test_text_without_an_audit_is_read_with_a_note() -> None:
    report = read_report("Dear diary,\n\nnothing happened at 4/5 today.\n")
    assert report == ImportedReport(
        layout="unrecognised",
        notes=({"line": None, "message": "No criterion with a score was found."},),
    )


def test_criteria_and_lines_beyond_the_bounds_are_noted() -> None:
    text = "\n".join(f"### Criterion number {index}\nScore: 3/5" for index in range(300))
    report = read_report(f"{text}\n" + "\n" * MOST_LINES)

    assert len(report.criteria) == 200
    assert notes(report)[0] == (
        401,
        "The report has more than 200 criteria. The rest were not read.",
    )
    assert notes(report)[-1] == (MOST_LINES, f"Only the first {MOST_LINES} lines were read.")


def test_score_above_its_maximum_is_kept_and_has_no_share() -> None:
    report = read_report("### Judicial Nuance\nScore: 7/5\n")
    assert scores(report) == {"Judicial Nuance": (7, 5)}
    assert report.criteria[0].score is not None
    assert report.criteria[0].score.share is None


HOSTILE = (
    "<!--",
    "&lt;",
    "<td>a",
    "<",
    "[](",
    "**a",
    "_a ",
    "| a | 1/5 ",
    "|-",
    "Score: ",
    "(",
    "1/",
    "★",
    "\\",
    "a/",
    "key ",
    "no error ",
    "### A: 1/5\n",
    "- a: 1/5\n",
    "Prosecutor: 1\n",
    "```\n",
    "> ",
    '{"a":',
    "failed to ",
)


@pytest.mark.hostile
@pytest.mark.parametrize("unit", HOSTILE, ids=[repr(unit) for unit in HOSTILE])
def test_hostile_text_is_read_in_linear_time(unit: str) -> None:
    """Uses a twentieth of the largest size; a time that grows as the square would still show."""
    text = (unit * MOST_BYTES)[: MOST_BYTES // 20]
    began = time.process_time()
    try:
        read_report(f"# Audit\n{text}")
    except CourtroomError as error:
        assert error.code.startswith("report_")  # noqa: PT017 -- it may be refused or read

    assert time.process_time() - began < SECONDS / 20


def test_invisible_characters_do_not_come_back_through_escapes() -> None:
    name = json.dumps("Git\0 \ud800Fo\u200brensics")
    assert scores(read_report(f'{{"criteria": [{{"name": {name}, "score": 4}}]}}')) == {
        "Git Forensics": (4, None)
    }
    assert scores(read_report("### Git &#x200b;Fo&#8203;rensics&#0;: 4/5\n")) == {
        "Git Forensics": (4, 5)
    }


def test_endlessly_repeated_word_does_not_exhaust_the_stack() -> None:
    assert read_report("### Git: 3/5\n- " + "Judge: " * 100_000).criteria[0].opinions == ()


def test_digits_that_are_no_numbers_are_ignored() -> None:
    text = (
        "### Git: 3/5\n\n## Plan of Remediation\n\n"
        "## Remediation Plan\n- **Line**: \u00b2\u00b2\n  Mend it.\n\n"
    )
    table = "| Criterion | Score (/\u00b2) |\n|---|---|\n| Tests | 4 |\n"
    assert scores(read_report(text + table)) == {"Git": (3, 5), "Tests": (4, None)}


WORDS = st.sampled_from(
    [
        "#",
        "##",
        "###",
        "-",
        "*",
        "|",
        "**",
        "`",
        "```",
        "Score:",
        "4/5",
        "35%",
        "Final",
        "Prosecutor",
        "Defense",
        "TechLead",
        "(Score:",
        "2)",
        "Overall",
        "Remediation",
        "Plan",
        "Dissent:",
        "Level:",
        "Criterion",
        "1.",
        "<b>",
        "</b>",
        "<tr>",
        "<td>",
        "---",
        "Judge",
        "Argument",
        "No",
        "Exchange",
        "src/a.py:3",
        "https://e.org/x",
        "E-1",
        "⭐⭐☆",
        "N/A",
        "\\|",
        "&amp;",
        '{"',
        "[",
        "]",
    ]
) | st.sampled_from(
    [
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "\u200b",
        "\t",
        "\ud800",
        "\x0b",
        "\u00b2",
        "Judge:",
        "&#x200b;",
        "\U0001d7d2",
        "\u0664",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "criteria",
                    "score",
                    "final_score",
                    "judge",
                    "opinions",
                    "name",
                    "id",
                    "remediation",
                    "findings",
                    "line",
                    "path",
                    "priority",
                    "max_points",
                    "level",
                    "schema",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


def expect_a_report_or_our_own_error(text: str, name: str) -> None:
    try:
        report = read_report(text, name=name)
    except CourtroomError as error:
        assert error.code.startswith("report_")  # noqa: PT017 -- either is right
    else:
        assert ImportedReport.model_validate_json(report.model_dump_json()) == report


@given(st.lists(WORDS, max_size=60).map(" ".join))
@settings(max_examples=150, deadline=None)
def test_any_markdown_is_read_or_refused(text: str) -> None:
    expect_a_report_or_our_own_error(text, "report.md")


@given(st.text(max_size=200))
@settings(max_examples=80, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    expect_a_report_or_our_own_error(text, "")


@given(JSON.map(json.dumps))
@settings(max_examples=150, deadline=None)
def test_any_json_is_read_or_refused(text: str) -> None:
    expect_a_report_or_our_own_error(text, "report.json")


@given(
    JSON.map(
        lambda value: json.dumps(
            {"schema": "automaton-auditor/report@1", "criteria": [value], "judges": value}
        )
    )
)
@settings(max_examples=80, deadline=None)
def test_json_that_claims_our_own_schema_is_read_or_refused(text: str) -> None:
    expect_a_report_or_our_own_error(text, "report.json")
