"""The sheet: a rubric as the texts that stand in its form, so that nothing typed is lost, be it right or wrong.

It is nested as the rubric's JSON is; every field of a model is in it, as text (a list for several choices). A check
also keeps, under `leftovers`, what was typed for another kind. The constitution is constitution.py's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import QueryDict

from grading.rubrics.editor import constitution_form
from grading.rubrics.editor.parameter_fields import Parameter, blueprint
from grading.rubrics.editor.posted_values import (
    Sheet,
    items_of,
    leaf_of,
    list_of,
    object_of,
    posted_texts,
    sent_as,
    texts,
    tree_of,
    values,
)

NEW_CHECK = "file_exists"


def sheet_of(document: Any) -> Sheet:
    """A rubric's JSON, even a wrong one, as far as the form has a field for it."""
    plan, given = blueprint(), object_of(document)
    return {
        **texts(plan.rubric, given),
        "criteria": [_criterion(object_of(item)) for item in list_of(given.get("criteria"))],
        "constitution": constitution_form.sheet_of(given.get("constitution", "default")),
    }


def posted_sheet(posted: QueryDict) -> Sheet:
    """What was sent. Items of a list come in the order in which they stand on the page, whatever they are called."""
    plan, tree = blueprint(), tree_of(posted)
    return {
        **posted_texts(plan.rubric, tree),
        "criteria": [_posted_criterion(item) for item in items_of(tree, "criteria")],
        "constitution": constitution_form.posted_sheet(object_of(tree.get("constitution"))),
    }


def document_of(sheet: Sheet) -> dict[str, Any]:
    """The JSON that the texts stand for; what is left empty is left out, so that its default holds."""
    plan = blueprint()
    return {
        **values(plan.rubric, sheet),
        "criteria": [_criterion_document(item) for item in sheet["criteria"]],
        "constitution": constitution_form.document_of(sheet["constitution"]),
    }


def new_item(listed: str) -> Sheet:
    """An empty criterion, level or check."""
    if listed == "criteria":
        return _criterion({})
    return new_check(NEW_CHECK) if listed == "checks" else texts(blueprint().level, {})


def new_check(kind: str) -> Sheet:
    """An empty check of this kind."""
    return _check({"kind": kind})


def _criterion(given: Mapping[str, Any]) -> Sheet:
    plan = blueprint()
    return {
        **texts(plan.criterion, given),
        "judicial_logic": texts(plan.logic, object_of(given.get("judicial_logic"))),
        "levels": [texts(plan.level, object_of(item)) for item in list_of(given.get("levels"))],
        "checks": [_check(object_of(item)) for item in list_of(given.get("checks"))],
    }


def _check(given: Mapping[str, Any]) -> Sheet:
    kind = str(given.get("kind", ""))
    return {"kind": kind, **texts(fields_of(kind), given), "leftovers": {}}


def fields_of(kind: str) -> tuple[Parameter, ...]:
    """A kind that nobody knows has what all kinds have."""
    checks = blueprint().checks
    return checks.get(kind) or common_fields()


def common_fields() -> tuple[Parameter, ...]:
    """What every kind of check has."""
    first, *others = blueprint().checks.values()
    shared = {p.name for p in first}.intersection(*({p.name for p in other} for other in others))
    return tuple(p for p in first if p.name in shared)


def _posted_criterion(tree: Mapping[str, Any]) -> Sheet:
    plan = blueprint()
    return {
        **posted_texts(plan.criterion, tree),
        "judicial_logic": posted_texts(plan.logic, object_of(tree.get("judicial_logic"))),
        "levels": [posted_texts(plan.level, item) for item in items_of(tree, "levels")],
        "checks": [_posted_check(item) for item in items_of(tree, "checks")],
    }


def _posted_check(tree: Mapping[str, Any]) -> Sheet:
    kind = leaf_of(tree, "kind")
    fields = fields_of(kind)
    texts_now = {"kind": kind, **posted_texts(fields, tree)}
    return texts_now | {
        "leftovers": {name: left for name in tree if (left := _left_over(tree, name, texts_now))}
    }


def _left_over(tree: Mapping[str, Any], name: str, now: Sheet) -> list[str]:
    """What was sent under a name that the kind has no field for, or has a choice for that it is none of."""
    sent = [text for text in sent_as(tree, name) if text]
    if name not in now:
        return sent
    return [text for text in sent if text not in now[name]] if isinstance(now[name], list) else []


def _criterion_document(sheet: Sheet) -> dict[str, Any]:
    plan = blueprint()
    return {
        **values(plan.criterion, sheet),
        "judicial_logic": values(plan.logic, sheet["judicial_logic"]),
        "levels": [values(plan.level, item) for item in sheet["levels"]],
        "checks": [
            {"kind": item["kind"], **values(fields_of(item["kind"]), item)}
            for item in sheet["checks"]
        ],
    }
