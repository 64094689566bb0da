"""Every drawing of the site, made by what draws it on its page."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from grading.core.enums import AuditState
from grading.engine.scores import Marks
from grading.findings.queries import Changes
from grading.grades.agreement.presenters import criteria_views
from grading.grades.agreement.queries import Asked, Scored
from grading.grades.presenters import columns_of, histogram_of, judge_line_of
from grading.grades.statistics import Bin, Cell, CriterionStatistics
from grading.models import Enrollment, PairingRound, RoundMember
from grading.operations.presenters import Stack, over_time_of
from grading.peer_review.exchange.attempt_history import Caught, Fix, Loop, Turn
from grading.peer_review.exchange.presenters import picture_of
from grading.peer_review.rounds.presenters import arrivals_of, grid_of
from grading.peer_review.rounds.queries import STATES, Matrix, MemberRow, Paired, Written
from grading.rubrics.previews import presenters as previews
from grading.rubrics.previews.presenters import Tally
from grading.styles_page.sample_people import (
    AT,
    INSTITUTE,
    LONG,
    NOBODY,
    audit_in,
    findings,
    hand_in,
)
from grading.submissions.queries import Attempt, CriterionOver

MEANS = {"Prosecutor": 1.8, "Defense": 4.2, "TechLead": 3.1}


def drawn() -> dict[str, Any]:
    """By the name under which the page's own template knows it."""
    matrix, turns = _round(), _turns()
    return {
        "histogram": histogram_of(
            [Bin(n / 2, n / 2 + 0.5 if n < 9 else None, n % 5) for n in range(2, 10)]
        ),
        "statistics": [(each, judge_line_of(each), columns_of(each)) for each in _statistics()],
        "heat": _heat(),
        "picture": picture_of(turns),
        "loop": Loop(tuple(turns), Caught((), (), ())),
        "over_the_attempts": _over(turns),
        "over_time": _over_time(),
        "grid": grid_of(matrix),
        "arrivals": arrivals_of(matrix),
        "tally": Tally(40, 38, 9, 6, 3, 2, 1, 4, 2, 1, ()),
        "before_and_after": previews.histogram_of(
            [(_marks(2.4), _marks(3.1)), (_marks(3.6), _marks(3.6))]
        ),
        "dumbbells": [
            previews.dumbbell_of(*pair) for pair in ((2.4, 3.1), (3.6, None), (3.0, 3.0))
        ],
        "agreeing": _agreement(),
    }


def _statistics() -> list[CriterionStatistics]:
    names = ("Git forensics", LONG)
    known = [
        CriterionStatistics(place, name, 36, 2, 3.1, 3.0, 0.9, (4, 7, 12, 9, 4), MEANS, 2.4, 5)
        for place, name in enumerate(names)
    ]
    return [
        *known,
        CriterionStatistics(
            2, "Nobody has a score", 0, 36, None, None, None, (0,) * 5, {}, None, 0
        ),
    ]


def _heat() -> list[tuple[dict[str, Any], list[tuple[str, Cell | None]]]]:
    """A row for each score, one by hand, one left out, one that waits, one that was not judged."""
    cells = [
        *(Cell(0, score, by_hand=score == 4, excluded=False) for score in range(1, 6)),
        Cell(0, None, by_hand=False, excluded=True),
        Cell(0, None, by_hand=False, excluded=False),
        None,
    ]
    return [
        (
            {"student": f"Student {place}", "audit": NOBODY},
            [(each.name, cell) for each in _statistics()],
        )
        for place, cell in enumerate(cells, start=1)
    ]


def _turns() -> list[Turn]:
    """Three attempts: what was found is fixed, some of it comes back; of a fourth nothing may be known yet."""
    seen = tuple(findings())
    told = [
        Changes(still=(), new=seen * 2, back=(), fixed=()),
        Changes(still=seen, new=seen[:1], back=(), fixed=seen),
        Changes(still=seen[:2], new=(), back=seen, fixed=seen[:2]),
        None,
    ]
    return [
        Turn(
            _attempt(number, None if changes is None else 1.6 + number / 2),
            changes,
            _fixes(changes),
        )
        for number, changes in enumerate(told, start=1)
    ]


def _attempt(number: int, score: float | None) -> Attempt:
    return Attempt(hand_in(number), audit_in(AuditState.DONE), "", score)


def _fixes(changes: Changes | None) -> tuple[Fix, ...]:
    return (
        tuple(Fix(each, "4f2a9c1d7e", ("Peer 482",)) for each in changes.fixed) if changes else ()
    )


def _over(turns: list[Turn]) -> list[CriterionOver]:
    scores = ((1, 3, 4, None), (5, 4, None, None))
    return [
        CriterionOver(
            each.name,
            tuple(
                (turn.attempt, Cell(0, score, by_hand=False, excluded=False) if score else None)
                for turn, score in zip(turns, row, strict=True)
            ),
        )
        for each, row in zip(_statistics()[:2], scores, strict=True)
    ]


def _over_time() -> list[tuple[str, tuple[tuple[str, str], ...], Any]]:
    """Whole numbers with failures, shares of a whole, and an empty one."""
    hours = [
        Stack(f"{n:02}:00", f"{n:02}:00: {n % 7}", (float(n % 7), float(n % 3 == 0)))
        for n in range(24)
    ]
    ended = (("good", "with a report"), ("bad", "failed"))
    waited = (("main", "the median"), ("rest", "95 of 100"))
    return [
        (
            "Audits that ended",
            ended,
            over_time_of("Audits that ended", hours, ("good", "bad"), whole=True),
        ),
        (
            "Seconds in the queue",
            waited,
            over_time_of("Seconds in the queue", hours, ("main", "rest")),
        ),
        ("Spent on models", (("main", "spent"),), None),
    ]


def _round() -> Matrix:
    """Six students of whom each audits the next, in every state that a pair can be in; one report came late."""
    states = [*STATES, "done"]
    ends = AT + timedelta(days=7)
    round_ = PairingRound(pk=1, organization=INSTITUTE, number=1, starts_at=AT, ends_at=ends)
    rows = []
    for place, state in enumerate(states):
        at = ends + timedelta(days=1) if place == 5 else AT + timedelta(days=place)
        written = Written(at, None, imported=False) if state in {"done", "read"} else None
        pair = Paired(UUID(int=place), place, (place + 1) % len(states), state, written)
        member = RoundMember(
            student=Enrollment(pk=place, name=f"Student {place + 1}"), student_id=place
        )
        rows.append(MemberRow(member, (pair,), (), 0))
    return Matrix(round_, tuple(rows))


def _marks(score: float) -> Marks:
    return Marks((), score, None, None)


def _agreement() -> Any:
    """Works that one person and the court have scored: far from each other, nearly as one, of two minds."""
    pairs = {
        "Safe tools": ((5, 5), (4, 4), (4, 3), (2, 3), (1, 1)),
        "Theory": ((5, 5), (5, 5), (5, 5), (5, 5), (1, 1)),
        "History": ((4, 4), (4, 4), (4, 4), (2, 3), (2, 3)),
    }
    scored = [
        Scored(UUID(int=work), name, 1, person, court, NOBODY, 0, "Ada Example", "Imogen Hale")
        for name, given in pairs.items()
        for work, (person, court) in enumerate(given, start=1)
    ]
    return criteria_views(
        [*(Asked(name, name) for name in pairs), Asked("none", "Nobody scored it")], scored, {}
    )
