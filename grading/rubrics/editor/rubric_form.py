"""A rubric as the texts of its form, so that nothing typed is lost, be it valid or not.

The texts are nested like the rubric's JSON: each field is a text, or a list for several choices.
A check also keeps, under `leftovers`, texts that were typed for another kind.
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

# The kind of a new check until a person chooses another.
NEW_CHECK = "file_exists"


def form_texts(document: Any) -> FormTexts:
    """Return the texts of a rubric's JSON, valid or not; keys without a field are left out."""
    layout, rubric = form_layout(), object_of(document)
    return {
        **field_texts(layout.rubric, rubric),
        "criteria": [_criterion(object_of(item)) for item in list_of(rubric.get("criteria"))],
        "constitution": constitution_form.form_texts(rubric.get("constitution", "default")),
    }


def posted_form_texts(posted: QueryDict) -> FormTexts:
    """Return the posted texts. Items keep the order of the page, whatever their names are."""
    layout, tree = form_layout(), posted_tree(posted)
    return {
        **posted_field_texts(layout.rubric, tree),
        "criteria": [_posted_criterion(item) for item in posted_items(tree, "criteria")],
        "constitution": constitution_form.posted_form_texts(object_of(tree.get("constitution"))),
    }


def document_of(texts: FormTexts) -> dict[str, Any]:
    """Return the JSON of the texts; empty fields are left out, so that their defaults hold."""
    layout = form_layout()
    return {
        **field_values(layout.rubric, texts),
        "criteria": [_criterion_document(item) for item in texts["criteria"]],
        "constitution": constitution_form.document_of(texts["constitution"]),
    }


def new_item(listed: str) -> FormTexts:
    """Return an empty criterion, level or check."""
    if listed == "criteria":
        return _criterion({})
    return new_check(NEW_CHECK) if listed == "checks" else field_texts(form_layout().level, {})


def new_check(kind: str) -> FormTexts:
    """Return an empty check of this kind."""
    return _check({"kind": kind})


def _criterion(item: Mapping[str, Any]) -> FormTexts:
    layout = form_layout()
    return {
        **field_texts(layout.criterion, item),
        "judicial_logic": field_texts(layout.logic, object_of(item.get("judicial_logic"))),
        "levels": [
            field_texts(layout.level, object_of(level)) for level in list_of(item.get("levels"))
        ],
        "checks": [_check(object_of(check)) for check in list_of(item.get("checks"))],
    }


def _check(item: Mapping[str, Any]) -> FormTexts:
    kind = str(item.get("kind", ""))
    return {"kind": kind, **field_texts(fields_of(kind), item), "leftovers": {}}


def fields_of(kind: str) -> tuple[Parameter, ...]:
    """Return the fields of a kind of check; an unknown kind has those that all kinds share."""
    checks = form_layout().checks
    return checks.get(kind) or common_fields()


def common_fields() -> tuple[Parameter, ...]:
    """Return the fields that every kind of check has."""
    first, *rest = form_layout().checks.values()
    shared = {p.name for p in first}.intersection(*({p.name for p in fields} for fields in rest))
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
    texts = {"kind": kind, **posted_field_texts(fields_of(kind), tree)}

    leftovers = {name: _leftover(tree, name, texts) for name in tree}
    return texts | {"leftovers": {name: sent for name, sent in leftovers.items() if sent}}


def _leftover(tree: Mapping[str, Any], name: str, texts: FormTexts) -> list[str]:
    """Return posted texts that the kind has no field for, or that are none of its choices."""
    sent = [text for text in posted_list(tree, name) if text]
    if name not in texts:
        return sent
    if isinstance(texts[name], list):
        return [text for text in sent if text not in texts[name]]
    return []


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
