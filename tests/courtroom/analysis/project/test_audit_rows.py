"""The fact on one committed audit: its judges, and what does not fit in it."""

from __future__ import annotations

import pytest

from courtroom.analysis.project.audit_rows import audit_row, audit_rows, cloned_repository
from tests.courtroom.analysis.project.test_own_audits import ERROR, PEER, SELF, audit, read, rows


def remarks(text: str, own: str | None = "ada/auditor") -> list[str]:
    (reading,) = read({SELF: text})
    return audit_row(reading, own)["remarks"]


def test_an_audit_that_prints_each_judge_twice_has_twice_the_opinions():
    (row,) = rows({SELF: audit(*(f"Part {n}." for n in range(6)), ERROR)})
    assert (row["opinions"], row["repeated"]) == (6, 0)
    printed = "".join(
        f"- **{judge}** (Score: 3):\n  - Argument: It is wired {way}.\n"
        for way in ("well", "badly")
        for judge in ("Prosecutor", "Defense", "Tech Lead")
    )
    text = (
        audit().partition("\n## State")[0] + f"\n## State Management\n\n**Score:** 3/5\n\n{printed}"
    )
    (row,) = rows({SELF: text})
    assert (row["opinions"], row["repeated"]) == (9, 3)


def test_scores_listed_before_the_arguments_are_no_opinions_of_their_own():
    listed = "".join(f"- **{judge} Score:** 3/5\n" for judge in ("Prosecutor", "Defense"))
    argued = "".join(f"{judge} (3/5): It is wired.\n" for judge in ("Prosecutor", "Defense"))
    parts = [
        f"\n### {name} Management\n**Final Score:** 3/5\n{listed}\n> [!WARNING] Note\n> A warning.\n{argued}"
        for name in ("Graph", "State")
    ]
    (row,) = rows({SELF: f"# Audit Report\n{''.join(parts)}"})
    assert (row["opinions"], row["repeated"]) == (4, 0)


def test_heading_of_a_judge_with_a_status_is_no_opinion_beside_those_of_its_list():
    parts = [
        f"\n### {judge}_{key}\n\n**Score**: 3.0/5\n**Status**: \u2705 PASSED\n\n**Findings**:\n"
        + f"- [{judge.upper()}] Score 3/5: The {key} of the {judge} is wired.\n" * 2
        for judge in ("prosecutor", "defense")
        for key in ("git", "state")
    ]
    (row,) = rows({SELF: f"# Audit Report\n\n**Overall Score**: 3/5\n{''.join(parts)}"})
    assert (row["opinions"], row["repeated"]) == (8, 4)


def test_a_quotation_in_a_dissent_and_a_heading_in_an_opinion_are_no_opinions():
    text = audit().replace(
        "- **Prosecutor** (Score: 3): The graph of part 3 is wired.\n",
        "- **Prosecutor** (Score: 3): The graph of part 3 is wired.\n\n"
        "**PROSECUTOR POSITION:**\n\nIt should be 3.\n\n",
    )
    quoted = (
        "\n> **Dissent:** The panel was divided:\n"
        "  \u2022 Defense (score=3): The graph of part 4\n"
        "  \u2022 Tech Lead (score=3): The graph of par...\n"
    )
    (row,) = rows({SELF: text + quoted})
    assert (row["opinions"], row["repeated"]) == (6, 0)


def test_judge_that_only_the_dissent_quotes_is_heard():
    lines = [line for line in audit().splitlines() if not line.startswith("- **Defense")]
    dissent = (
        "\n**Dissent:** The Prosecutor (score 3) argued: The graph of part 3 is. Defense scored 3/5"
        " emphasizing: Rate limit hit. A fallback was used.. Its spread is 2.\n"
    )
    (row,) = rows({SELF: "\n".join(lines) + dissent})
    assert (row["opinions"], row["repeated"], row["failed"]) == (5, 0, 1)


def test_audits_that_a_newer_one_replaces_are_older():
    texts = {SELF.replace("a.md", f"a_2026022{day}.md"): audit() for day in (7, 8)}
    received = "audit/report_bypeer_received/a.md"
    about = [(row["path"][-5:], row["is_older"]) for row in audit_rows(read(texts))]
    assert about == [("27.md", True), ("28.md", False)]
    assert [row["is_older"] for row in audit_rows(read({received: audit()}))] == [False]


def test_an_audit_of_another_repository_than_readme_names_is_told():
    assert remarks(audit()) == remarks(audit(url=PEER), own=None) == []
    assert remarks(audit(url=PEER)) == [
        f"{SELF} names bo/other-work as audited, and README names ada/auditor."
    ]


@pytest.mark.parametrize(("overall", "is_told"), [("3.4", False), ("3.6", True)])
def test_an_overall_score_far_from_the_mean_is_told(overall, is_told):
    mean_remark = [f"{SELF} gives {overall}/5.0 overall, and the mean of its 2 scores is 3."]
    assert remarks(audit(overall=overall)) == (mean_remark if is_told else [])


def test_a_judge_with_one_score_for_many_criteria_is_told():
    names = ("Graph", "State", "Safety", "Nuance", "Diagram")
    head, tail = "# Audit Report\n\n**Overall Score:** 3.0/5.0\n", ""
    for number, name in enumerate(names):
        tail += (
            f"\n## {name} Management\n\n**Score:** 3/5\n\n- **Prosecutor** (Score: 1): No {name}.\n"
        )
        tail += f"- **Defense** (Score: {number + 1}): Some {name}.\n"
    assert remarks(head + tail) == [
        f"{SELF} has only one score by Prosecutor (1 for all 5 criteria)."
    ]
    # A criterion that the judge did not score is none of them.
    tail += "\n## Report Accuracy\n\n**Score:** 3/5\n\n- **Defense** (Score: 5): Some accuracy.\n"
    absence = f"{SELF} lacks the opinion of Prosecutor on “Report Accuracy”."
    assert remarks(head + tail) == [
        absence,
        f"{SELF} has only one score by Prosecutor (1 for 5 of 6 criteria).",
    ]
    tail += "\n## Theory\n\n**Score:** 3/5\n\n- **Defense** (Score: 4): Some theory.\n"
    assert remarks(head + tail)[0] == (
        f"{SELF} lacks 2 of 14 opinions, as that of Prosecutor on “Report Accuracy”."
    )


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("git clone https://github.com/Ada/Auditor.git\ncd auditor", "ada/auditor"),
        ("`git clone git@github.com:ada/auditor`", "ada/auditor"),
        ("git clone https://github.com/your-name/auditor", None),
        ("git clone https://github.com/a/b\ngit clone https://github.com/c/d", None),
        ("See https://github.com/ada/auditor.", None),
    ],
)
def test_the_repository_that_readme_says_to_clone(text, own):
    assert cloned_repository(text) == own
