"""Scores per criterion in a report's lists of audits, and in the committed audits."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.listed_scores import differing_scores

NAMES = ("Wiring of Parts", "Safe Tools", "Depth of Theory", "Plain Verdicts")


def _audit(*scores: int, about: str = "self", path: str = "audit/self/a.md") -> dict[str, Any]:
    rows = [
        {"name": name, "score": float(score), "maximum": 5.0}
        for name, score in zip(NAMES, scores, strict=True)
    ]
    return {"path": path, "about": about, "scores": rows, "remarks": ()}


def _of(*lines: str, heading: str = "4. Self-Audit Results") -> PdfReading:
    return PdfReading(pages=("Text.", "\n".join((heading, *lines))))


LISTED = (
    "Wiring of 4/5 It holds. Safe Tools (`safe`) \u2013 Final Score: 2",
    "Depth of Theory",
    "3 / 5",
    "Plain Verdicts: 5/5",
)


def test_scores_that_no_self_audit_has_are_named_beside_the_nearest_one() -> None:
    own_audits = [_audit(1, 1, 1, 1), _audit(4, 3, 3, 5, path="audit/self/b.md")]
    assert differing_scores(_of(*LISTED), own_audits) == (
        "Of 4 scores per criterion that were read in the report's list of its self-audit on page 2, 1 is not as in"
        " audit/self/b.md, the committed self-audit that, as it now stands, is nearest to them: Safe Tools 2, not 3."
    )
    assert differing_scores(_of(*LISTED), [*own_audits, _audit(4, 2, 3, 5)]) == ""
    assert differing_scores(_of(*LISTED), own_audits[:1]).endswith(
        "Depth of Theory 3, not 1; and 1 more."
    )


def test_number_of_things_in_the_next_column_is_no_second_score() -> None:
    listed = _of(
        "Wiring of", "4 9 nodes in layers", "Safe Tools 3", "3/4 paths verified", *LISTED[1:]
    )
    assert " 4 scores per criterion " in differing_scores(listed, [_audit(4, 2, 3, 5)])
    judges = _of("Wiring of 4 3 5", "Safe Tools 3 2/5 and 4/5", *LISTED[1:])
    assert differing_scores(judges, [_audit(1, 1, 1, 1)]) == ""


def test_name_that_is_cut_short_in_brackets_has_its_score() -> None:
    audit = _audit(3, 2, 3, 5)
    audit["scores"][0]["name"] = "Wiring of Parts (Cross-Reference)"
    listed = _of("Wiring of Parts (Cross-Ref.) 4/5", "Safe Tools 2/5", *LISTED[1:])
    assert differing_scores(listed, [audit]).endswith(
        ": Wiring of Parts (Cross-Reference) 4, not 3."
    )


def test_list_over_a_page_break_has_both_pages_and_an_audit_of_another_work_is_called_so() -> None:
    first, *following = LISTED
    pages = (f"Self-Audit Results\n{first}", "\n".join(following))
    remark = "audit/self/a.md names bo/work as audited, and README names ada/work."
    audit = _audit(4, 3, 3, 5) | {"remarks": (remark, "It gives 4/5 overall.")}
    assert differing_scores(PdfReading(pages=pages), [audit]) == (
        "Of 4 scores per criterion that were read in the report's list of its self-audit on pages 1 and 2, 1 is not as"
        f" in audit/self/a.md, the committed self-audit that, as it now stands, is nearest to them: Safe Tools 2, not 3. {remark}"
    )


def test_list_with_a_page_for_each_score_is_read_to_its_end() -> None:
    first_score, *further_scores = (
        "Wiring of 4/5",
        "Safe Tools 2/5",
        "Depth of Theory 3/5",
        "Plain Verdicts 5",
    )
    reading = PdfReading(pages=(f"Self-Audit Results\n{first_score}", *further_scores))
    assert differing_scores(reading, [_audit(4, 3, 3, 5)]).startswith(
        "Of 4 scores per criterion that were read in the report's list of its self-audit on pages 1 to 4, 1 is not as"
    )


@pytest.mark.parametrize(
    ("reading", "audits"),
    [
        (_of(*LISTED, heading="4. What peers found"), [_audit(1, 1, 1, 1)]),
        (_of(*LISTED, heading="4. Initial Self-Audit Results"), [_audit(1, 1, 1, 1)]),
        (_of("Peer audit", *LISTED), [_audit(1, 1, 1, 1)]),
        (_of("Our first run gave these scores:", *LISTED), [_audit(1, 1, 1, 1)]),
        (_of(*LISTED, heading="Self-Audit and Peer Scores"), [_audit(1, 1, 1, 1)]),
        (_of(*LISTED), [_audit(1, 1, 1, 1, about="peer")]),
        (_of(*LISTED[:1]), [_audit(1, 1, 1, 1)]),
        (
            _of(*LISTED[:1], "Depth of Theory 2\u20133", "Plain Verdicts 4/5 5/5"),
            [_audit(1, 1, 1, 1)],
        ),
    ],
)
def test_scores_of_others_ranges_and_rows_of_judges_are_not_compared(
    reading: PdfReading, audits: list[dict[str, Any]]
) -> None:
    assert differing_scores(reading, audits) == ""


def _table(*scores: object) -> list[str]:
    return [f"{name} {score} It holds." for name, score in zip(NAMES, scores, strict=True)]


def test_list_of_peers_is_read_with_its_own_heading() -> None:
    reading = _of(*_table(4, 3, 3, 5), "5. Peer Audit Results", *_table(2, 2, 1, 1))
    own, peer = _audit(4, 3, 3, 5), _audit(2, 2, 1, 1, about="received", path="audit/by/c.md")
    assert differing_scores(reading, [own, peer]) == ""

    assert differing_scores(reading, [own, _audit(2, 2, 4, 1, about="peer", path="p.md")]) == (
        "Of 4 scores per criterion that were read in the report's list of an audit among peers on page 2, 1 is not"
        " as in p.md, the committed audit of a peer that, as it now stands, is nearest to them: Depth of Theory 1, not 4."
    )


def test_two_lists_under_a_heading_are_not_mixed() -> None:
    before, now = _table(1, 1, 2, 1), _table(4, 3, 3, 5)
    assert differing_scores(_of(*before, "Now:", *now), [_audit(4, 3, 3, 5)]) == ""

    # A criterion that the second list leaves out is not taken from the first one.
    assert differing_scores(_of(*before, "Now:", *now[:3]), [_audit(4, 3, 3, 5)]) == ""
    assert differing_scores(_of(*before, "Now:", *now), [_audit(4, 3, 3, 4)]).endswith(
        "nearest to them: Plain Verdicts 5, not 4."
    )


def test_rounded_scores_are_those_of_the_audit() -> None:
    audit = _audit(4, 3, 3, 5)
    for row, score in zip(audit["scores"], (4.25, 2.75, 3.5, 4.5), strict=True):
        row["score"] = score
    assert differing_scores(_of(*_table(4, 3, 4, 5)), [audit]) == ""
    assert differing_scores(_of(*_table("4.0", 3, 4, 5)), [audit]).endswith(
        "Wiring of Parts 4, not 4.25."
    )


@pytest.mark.parametrize("row", ["{} 2 5 4 4", "{} 2 → 4", "{} 2/5 to 4/5", "{} 2/5 4/5"])
def test_rows_with_scores_of_several_judges_or_times_are_not_compared(row: str) -> None:
    reading = _of(*map(row.format, NAMES))
    assert differing_scores(reading, [_audit(4, 4, 4, 4)]) == ""


def test_table_whose_first_scores_are_a_judges_is_not_compared() -> None:
    rows = _table("1/5 Weak.", "1/5 Weak.", "1/5 Weak.", "1/5 Weak.")
    for head, is_compared in (("Prosecutor Defense Final", False), ("Final Prosecutor", True)):
        reading = _of(f"Criterion {head}", *rows)
        assert bool(differing_scores(reading, [_audit(4, 4, 4, 4)])) is is_compared


def test_two_lists_of_the_self_audit_that_differ_are_named() -> None:
    reading = _of(*_table(4, 3, 3, 5), "9. Self-Audit Breakdown", *_table(4, 3, 4, 5))
    assert differing_scores(reading, [_audit(4, 3, 3, 5), _audit(4, 3, 4, 5)]) == (
        "The report lists two scores of its self-audit for 1 of 4 criteria, on page 2:"
        " Depth of Theory 3 and 4."
    )
    same = _of(*_table(4, 3, 3, 5), "9. Self-Audit Breakdown", *_table(4, 3, 3, 5))
    assert differing_scores(same, [_audit(4, 3, 3, 5)]) == ""


def test_hostile_list_takes_no_time() -> None:
    name = " ".join(["a"] * 60)
    audit = _audit(1, 1, 1, 1) | {"scores": [{"name": name, "score": 1.0, "maximum": 5.0}] * 50}
    lines = ["Self-Audit Results", "a " * 5000] * 400
    assert differing_scores(PdfReading(pages=("\n".join(lines),)), [audit] * 40) == ""
