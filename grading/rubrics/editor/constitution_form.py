"""Constitution in the editor's form: a preset by its name, or the rubric's own rules.

Moving a slider of a preset turns it into own rules; choosing another preset takes over its values.
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

# The value of the preset field for rules that belong to the rubric itself.
OWN = "own"
# End of the id of rules that began as a preset.
CHANGED = "-changed"


def form_texts(constitution: Any) -> dict[str, Any]:
    """Return the texts of a constitution: a preset's name, or an object with rules.

    `preset` is the preset's name or `own`. Rules in force come first, in their order.
    """
    if isinstance(constitution, dict):
        return _texts_of(preset_behind(constitution) or OWN, constitution)

    presets = engine_rubrics.preset_constitutions()
    return _texts_of(str(constitution), presets.get(str(constitution), presets["default"]))


def posted_form_texts(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Return the posted texts. `was` is the preset that was chosen when the page was made."""
    chosen, previous = posted_text(tree, "preset"), posted_text(tree, "was")
    presets = engine_rubrics.preset_constitutions()
    if chosen in presets and chosen != previous:
        return form_texts(chosen)

    # Any change to a preset's values makes the rules the rubric's own.
    sent = {"preset": chosen, **_posted_fields(tree)}
    if chosen in presets and not engine_rubrics.has_rules_of(chosen, _own_document(sent)):
        return sent | {"preset": OWN, "id": f"{chosen}{CHANGED}"}
    # Own rules must not carry the name of a preset: reports would name the wrong rules.
    if chosen == OWN != previous and sent["id"] in presets:
        return sent | {"id": f"{sent['id']}{CHANGED}"}
    return sent


def document_of(texts: Mapping[str, Any]) -> Any:
    """Return a preset's name, or the constitution with the rules in force."""
    if texts["preset"] != OWN:
        return texts["preset"]
    own = _own_document(texts)
    return preset_behind(own) or own


def preset_behind(constitution: Mapping[str, Any]) -> str | None:
    """Return the preset whose rules these are, if the id is the preset's or was made from it.

    A person's own id is kept: reports name the rules by it.
    """
    name = str(constitution.get("id", "")).removesuffix(CHANGED)
    is_preset = name in engine_rubrics.preset_constitutions()
    return name if is_preset and engine_rubrics.has_rules_of(name, constitution) else None


def rules_in_force(texts: Mapping[str, Any]) -> list[str]:
    """Return the kinds of the rules, in the document's order."""
    return [kind for kind, rule in texts["rules"].items() if rule["applies"]]


def flat_texts(texts: Mapping[str, Any]) -> dict[str, str]:
    """Return each field's text by its name on the page."""
    layout = form_layout()
    top = {f"constitution.{p.name}": texts[p.name] for p in layout.constitution}
    return top | {
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


def _texts_of(preset: str, constitution: Mapping[str, Any]) -> dict[str, Any]:
    layout = form_layout()
    in_force = {
        str(rule["kind"]): rule
        for rule in map(object_of, list_of(constitution.get("rules")))
        if "kind" in rule
    }
    # The order of rules is part of the document: those in force keep theirs.
    kinds = [
        *(kind for kind in in_force if kind in layout.rules),
        *(kind for kind in layout.rules if kind not in in_force),
    ]

    return {
        "preset": preset,
        **field_texts(layout.constitution, constitution),
        "rules": {
            kind: {
                "applies": "on" if kind in in_force else "",
                **_rule_texts(kind, in_force.get(kind)),
            }
            for kind in kinds
        },
    }


def _rule_texts(kind: str, rule: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a rule's texts; a rule that is not in force shows its defaults."""
    fields = form_layout().rules[kind]
    return field_texts(fields, rule) if rule is not None else {p.name: p.default for p in fields}


def _posted_fields(tree: Mapping[str, Any]) -> dict[str, Any]:
    layout, sent = form_layout(), object_of(tree.get("rules"))
    # Each rule posts a hidden field, so the order of names is the order of the page.
    kinds = [
        *(kind for kind in sent if kind in layout.rules),
        *(kind for kind in layout.rules if kind not in sent),
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
