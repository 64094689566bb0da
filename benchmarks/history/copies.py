"""Which copies of the course make the history: institutions, cohorts and their age."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

# Courses of one institution that run at the same time, and the days of a term.
AT_ONCE, TERM_DAYS = 3, 91
# Students take so many courses of their institution, one after the other.
COURSES_OF_A_STUDENT = 2


@dataclass(frozen=True, slots=True)
class Copy:
    """One course. `cohort`, `institution` and `class_` (of students) count over the whole site;
    `age` is in terms, 0 for a course that runs now. Keys grow with `serial`, the oldest first.
    """

    cohort: int
    institution: int
    class_: int
    age: int
    opens_institution: bool
    opens_class: bool
    serial: int = 0


def copies_of(cohorts: int) -> list[Copy]:
    """Return so many courses: the largest institution has a third, the next ones ever fewer."""
    oldest_first = sorted(_courses(cohorts), key=lambda copy: (-copy.age, copy.institution))
    return [replace(copy, serial=serial) for serial, copy in enumerate(oldest_first)]


def _courses(cohorts: int) -> Iterator[Copy]:
    cohort = institution = classes = 0
    largest = max(AT_ONCE, cohorts // 3)
    while cohort < cohorts:
        size = min(max(1, largest // (institution + 1)), cohorts - cohort)
        for place in range(size):
            opens_class = place % COURSES_OF_A_STUDENT == 0
            classes += opens_class
            yield Copy(
                cohort=cohort,
                institution=institution,
                class_=classes - 1,
                age=place // AT_ONCE,
                opens_institution=place == 0,
                opens_class=opens_class,
            )
            cohort += 1
        institution += 1
