"""Helpers for tests of the rubric editor: people, pages and posted form data."""

from __future__ import annotations

import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from grading.engine import rubrics as engine_rubrics
from grading.models import Organization, RubricVersion
from grading.rubrics.actions import draft_rubric_version
from grading.rubrics.editor.rubric_form import form_texts
from tests.factories.people import everywhere, staff_user
from tests.factories.work import RubricFactory, rubric_document
from tests.web_client.page_checks import faults_of


def form_data(texts: dict[str, Any]) -> dict[str, Any]:
    """Return fields by name in the order of the page, without boxes that are not ticked."""
    fields = dict(_flat(texts, ""))
    # The page posts the preset that it showed, to tell a new preset from changed values.
    return {"constitution.was": texts["constitution"]["preset"], **fields}


def _flat(node: Any, path: str) -> Any:
    if isinstance(node, dict):
        for step, value in node.items():
            # Leftovers are hidden fields with the names of the kind that they were typed for.
            below = path if step == "leftovers" else f"{path}.{step}" if path else step
            yield from _flat(value, below)
    elif isinstance(node, list) and any(isinstance(item, dict) for item in node):
        for step, value in enumerate(node):
            yield from _flat(value, f"{path}.{step}")
    elif node not in ("", []) or not _is_box(path):
        yield path, node


def _is_box(path: str) -> bool:
    boxes = {
        "essential",
        "effort",
        "architecture",
        "applies",
        "overrule_unsupported",
        "on_unanimity",
    }
    return path.rpartition(".")[2] in boxes


def teacher(organization: Organization) -> User:
    user = staff_user(organization)
    user.is_staff = True
    user.save()
    return user


def settled(**changes: Any) -> dict[str, Any]:
    return engine_rubrics.settled_rubric(rubric_document() | changes)


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(version: RubricVersion, name: str = "change") -> str:
    return reverse(f"admin:grading_rubricversion_{name}", args=[version.pk])


def posted_form(version: RubricVersion, /, **changes: str) -> dict[str, Any]:
    """Return the data that a browser posts after some fields were changed."""
    return {
        "seen": engine_rubrics.document_digest(version.document),
        "note": version.note,
        "do": "save",
        **form_data(form_texts(version.document)),
        **changes,
    }


def stored(version: RubricVersion) -> RubricVersion:
    with everywhere():
        return RubricVersion.objects.select_related("rubric").get(pk=version.pk)


def field(answer: Any, name: str) -> str:
    """Return the value of a field in a response."""
    match = re.search(rf'<input[^>]*name="{re.escape(name)}"[^>]*value="([^"]*)"', answer.text)
    assert match, name
    return match[1]


def draft_in(organization: Organization, by: User) -> RubricVersion:
    """Create the first draft of a small rubric."""
    rubric = RubricFactory.create(organization=organization)
    with everywhere():
        return draft_rubric_version(rubric=rubric, document=settled(), by=by)


def page_faults(html: str) -> list[str]:
    """Return the faults outside of Django's own drawings and of <template> elements."""
    return [
        fault
        for fault in faults_of(html)
        if "__path__" not in fault and fault != "1 silent drawings"
    ]
