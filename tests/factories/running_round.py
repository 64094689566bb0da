"""A round of peers that runs, as its teacher looks at it."""

from __future__ import annotations

import re
from typing import Any

from django.urls import reverse

from tests.factories.graded_work import signed_in
from tests.factories.people import staff_user
from tests.factories.rounds import Round
from tests.web_client.page_checks import faults_of


def words_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


class Running(Round):
    """A round whose teacher looks at its pages."""

    def __init__(self, students: int = 5, **more: Any) -> None:
        super().__init__(students, **more)
        self.teacher = signed_in(staff_user(self.assignment.organization))

    def page(self, name: str = "round") -> str:
        assignment = self.assignment
        return reverse(
            name, args=[assignment.organization.slug, assignment.cohort.slug, assignment.slug, 1]
        )

    def read(self, name: str = "round", **query: Any) -> str:
        answer = self.teacher.get(self.page(name), query)
        html = answer.content.decode()
        assert (answer.status_code, faults_of(html)) == (200, [])
        return html
