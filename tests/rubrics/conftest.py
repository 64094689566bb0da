"""Assignment with judged works, which the tests of previews, trials and publications share."""

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest
from django_scopes import scope

from grading.models import Assignment
from tests.factories.people import CohortFactory
from tests.factories.preview_works import WORKS, judged_assignment


@pytest.fixture(scope="module")
def kept_assignment(kept: Path, request: pytest.FixtureRequest) -> Assignment:
    """Verdicts made once per module, which may name the works in JUDGED: they take long."""
    cohort = CohortFactory.create()
    works = getattr(request.module, "JUDGED", tuple(range(len(WORKS))))
    with scope(organization=cohort.organization):
        return judged_assignment(works=works, cohort=cohort)


@pytest.fixture
def judged(kept_assignment: Assignment, db: None, kept_uploads: None) -> Iterator[Assignment]:
    """Return a copy of the kept assignment, which a test may change."""
    with scope(organization=kept_assignment.organization):
        yield deepcopy(kept_assignment)
