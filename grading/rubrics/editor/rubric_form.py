"""The texts: a rubric as the texts that stand in its form, so that nothing typed is lost, be it right or wrong.

It is nested as the rubric's JSON is; every field of a model is in it, as text (a list for several choices). A check
also keeps, under `leftovers`, what was typed for another kind. The constitution is constitution.py's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import QueryDict

from grading.rubrics.editor import constitution_form
from grading.rubrics.editor.parameter_fields import Parameter, form_layout
from grading.rubrics.editor.posted_values import (
    FormTexts,
    field_texts,
    field_values,
    list_of,
    object_of,
    posted_field_texts,
    posted_items,
    posted_list,
    posted_text,
    posted_tree,
)

NEW_CHECK = "file_exists"


def form_texts(document: Any) -> FormTexts:
    """A rubric's JSON, even a wrong one, as far as the form has a field for it."""
    layout, given = form_layout(), object_of(document)
    return {
        **field_texts(layout.rubric, given),
        "criteria": [_criterion(object_of(item)) for item in list_of(given.get("criteria"))],
        "constitution": constitution_form.form_texts(given.get("constitution", "default")),
    }


def posted_form_texts(posted: QueryDict) -> FormTexts:
    """What was sent. Items of a list come in the order in which they stand on the page, whatever they are called."""
    layout, tree = form_layout(), posted_tree(posted)
    return {
        **posted_field_texts(layout.rubric, tree),
        "criteria": [_posted_criterion(item) for item in posted_items(tree, "criteria")],
        "constitution": constitution_form.posted_form_texts(object_of(tree.get("constitution"))),
    }


def document_of(texts: FormTexts) -> dict[str, Any]:
    """The JSON that the texts stand for; what is left empty is left out, so that its default holds."""
    layout = form_layout()
    return {
        **field_values(layout.rubric, texts),
        "criteria": [_criterion_document(item) for item in texts["criteria"]],
        "constitution": constitution_form.document_of(texts["constitution"]),
    }


def new_item(listed: str) -> FormTexts:
    """An empty criterion, level or check."""
    if listed == "criteria":
        return _criterion({})
    return new_check(NEW_CHECK) if listed == "checks" else field_texts(form_layout().level, {})


def new_check(kind: str) -> FormTexts:
    """An empty check of this kind."""
    return _check({"kind": kind})


def _criterion(given: Mapping[str, Any]) -> FormTexts:
    layout = form_layout()
    return {
        **field_texts(layout.criterion, given),
        "judicial_logic": field_texts(layout.logic, object_of(given.get("judicial_logic"))),
        "levels": [
            field_texts(layout.level, object_of(item)) for item in list_of(given.get("levels"))
        ],
        "checks": [_check(object_of(item)) for item in list_of(given.get("checks"))],
    }


def _check(given: Mapping[str, Any]) -> FormTexts:
    kind = str(given.get("kind", ""))
    return {"kind": kind, **field_texts(fields_of(kind), given), "leftovers": {}}


def fields_of(kind: str) -> tuple[Parameter, ...]:
    """A kind that nobody knows has what all kinds have."""
    checks = form_layout().checks
    return checks.get(kind) or common_fields()


def common_fields() -> tuple[Parameter, ...]:
    """What every kind of check has."""
    first, *others = form_layout().checks.values()
    shared = {p.name for p in first}.intersection(*({p.name for p in other} for other in others))
    return tuple(p for p in first if p.name in shared)


def _posted_criterion(tree: Mapping[str, Any]) -> FormTexts:
    layout = form_layout()
    return {
        **posted_field_texts(layout.criterion, tree),
        "judicial_logic": posted_field_texts(layout.logic, object_of(tree.get("judicial_logic"))),
        "levels": [posted_field_texts(layout.level, item) for item in posted_items(tree, "levels")],
        "checks": [_posted_check(item) for item in posted_items(tree, "checks")],
    }


def _posted_check(tree: Mapping[str, Any]) -> FormTexts:
    kind = posted_text(tree, "kind")
    fields = fields_of(kind)
    texts_now = {"kind": kind, **posted_field_texts(fields, tree)}
    return texts_now | {
        "leftovers": {name: left for name in tree if (left := _left_over(tree, name, texts_now))}
    }


def _left_over(tree: Mapping[str, Any], name: str, now: FormTexts) -> list[str]:
    """What was sent under a name that the kind has no field for, or has a choice for that it is none of."""
    sent = [text for text in posted_list(tree, name) if text]
    if name not in now:
        return sent
    return [text for text in sent if text not in now[name]] if isinstance(now[name], list) else []


def _criterion_document(texts: FormTexts) -> dict[str, Any]:
    layout = form_layout()
    return {
        **field_values(layout.criterion, texts),
        "judicial_logic": field_values(layout.logic, texts["judicial_logic"]),
        "levels": [field_values(layout.level, item) for item in texts["levels"]],
        "checks": [
            {"kind": item["kind"], **field_values(fields_of(item["kind"]), item)}
            for item in texts["checks"]
        ],
    }
