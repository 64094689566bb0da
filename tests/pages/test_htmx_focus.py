"""htmx puts a new part in the place of an old one, and the focus back on what had it: if that has
an id.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEMPLATES = Path(__file__).parents[2] / "templates"
RENEWED = re.compile(r'hx-trigger="every.*?</(?:section|p)>', re.DOTALL)
PARTS = {
    str(path.relative_to(TEMPLATES)): part
    for path in sorted(TEMPLATES.rglob("*.html"))
    if (part := RENEWED.search(path.read_text()))
}


def test_polling_elements_are_discovered() -> None:
    assert sorted(PARTS) == [
        "audits/_progress.html",
        "audits/benches/_trial.html",
        "bulk/_progress.html",
        "peer_review/feedback.html",
        "peer_review/pairing.html",
        "rubrics/check_trials/trial.html",
    ]


@pytest.mark.parametrize("template", PARTS)
def test_focusable_elements_in_polling_parts_have_ids(template: str) -> None:
    part = PARTS[template][0]
    focusable = re.findall(r"<(?:a|button|input|select|textarea|summary)\b[^>]*>", part)
    assert [tag for tag in focusable if " id=" not in tag and "{% if" not in tag] == []


def test_no_control_is_disabled_while_waiting() -> None:
    """It would lose the focus; a second press is dropped instead (hx-sync)."""
    assert [
        str(path) for path in TEMPLATES.rglob("*.html") if "hx-disabled-elt" in path.read_text()
    ] == []
