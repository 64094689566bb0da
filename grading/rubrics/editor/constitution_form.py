"""The rules on the texts: a preset by its name, or rules of one's own. Their fields are always there.

Whoever moves a slider of a preset has made rules of their own by that; whoever chooses another preset gets its values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grading.engine import rubrics as engine_rubrics
from grading.rubrics.editor.parameter_fields import form_layout
from grading.rubrics.editor.posted_values import (
    field_texts,
    field_values,
    list_of,
    object_of,
    posted_field_texts,
    posted_text,
)

OWN = "own"


def form_texts(given: Any) -> dict[str, Any]:
    """`preset` is a preset's name or `own`; the rules in force come first, in their order, then the others."""
    if isinstance(given, dict):
        return _filled(OWN, given)
    presets = engine_rubrics.preset_constitutions()
    return _filled(str(given), presets.get(str(given), presets["default"]))


def posted_form_texts(tree: Mapping[str, Any]) -> dict[str, Any]:
    """What was sent. `was` is what had been chosen when the page was made."""
    chosen, was = posted_text(tree, "preset"), posted_text(tree, "was")
    presets = engine_rubrics.preset_constitutions()
    if chosen in presets and chosen != was:
        return form_texts(chosen)
    sent = {"preset": chosen, **_posted_fields(tree)}
    if chosen in presets and _own_document(sent) != _own_document(form_texts(chosen)):
        return sent | {"preset": OWN, "id": f"{chosen}-changed"}
    if chosen == OWN != was and sent["id"] in presets:
        return sent | {"id": f"{sent['id']}-changed"}
    return sent


def document_of(texts: Mapping[str, Any]) -> Any:
    """A preset's name, or the rules in force."""
    return _own_document(texts) if texts["preset"] == OWN else texts["preset"]


def rules_in_force(texts: Mapping[str, Any]) -> list[str]:
    """Their kinds, in the order in which the document lists them."""
    return [kind for kind, rule in texts["rules"].items() if rule["applies"]]


def flat_texts(texts: Mapping[str, Any]) -> dict[str, str]:
    """Each field's text by its name on the page."""
    layout = form_layout()
    own = {f"constitution.{p.name}": texts[p.name] for p in layout.constitution}
    return own | {
        f"constitution.rules.{kind}.{name}": text
        for kind, rule in texts["rules"].items()
        for name, text in rule.items()
    }


def _own_document(texts: Mapping[str, Any]) -> dict[str, Any]:
    layout = form_layout()
    rules = texts["rules"]
    return {
        **field_values(layout.constitution, texts),
        "rules": [
            {"kind": kind, **field_values(layout.rules[kind], rules[kind])}
            for kind in rules_in_force(texts)
        ],
    }


def _filled(preset: str, given: Mapping[str, Any]) -> dict[str, Any]:
    layout = form_layout()
    in_force = {
        str(rule["kind"]): rule
        for rule in map(object_of, list_of(given.get("rules")))
        if "kind" in rule
    }
    kinds = [
        *(kind for kind in in_force if kind in layout.rules),
        *(k for k in layout.rules if k not in in_force),
    ]
    return {
        "preset": preset,
        **field_texts(layout.constitution, given),
        "rules": {
            kind: {
                "applies": "on" if kind in in_force else "",
                **_rule_texts(kind, in_force.get(kind)),
            }
            for kind in kinds
        },
    }


def _rule_texts(kind: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """A rule that is not in force shows what it would do by default."""
    fields = form_layout().rules[kind]
    return field_texts(fields, given) if given is not None else {p.name: p.default for p in fields}


def _posted_fields(tree: Mapping[str, Any]) -> dict[str, Any]:
    layout, sent = form_layout(), object_of(tree.get("rules"))
    kinds = [
        *(kind for kind in sent if kind in layout.rules),
        *(k for k in layout.rules if k not in sent),
    ]
    return {
        **posted_field_texts(layout.constitution, tree),
        "rules": {
            kind: {
                "applies": posted_text(object_of(sent.get(kind)), "applies"),
                **posted_field_texts(layout.rules[kind], object_of(sent.get(kind))),
            }
            for kind in kinds
        },
    }
