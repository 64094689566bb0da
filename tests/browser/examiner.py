"""axe-core, which says what is wrong with a page for those who cannot see it, or not well.

`npm ci --prefix tests/browser/axe` installs it. Without it these tests are skipped; with REQUIRE_BROWSER=1 (CI) they
fail.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).parent / "axe" / "node_modules" / "axe-core" / "axe.min.js"
ABSENT = "`npm ci --prefix tests/browser/axe` is needed to examine pages."
# What violates a rule has the impact of the rule, so no mild rule needs to run.
GRAVE = """async options => {
    const mild = axe._audit.rules.filter(rule => !['serious', 'critical'].includes(rule.impact));
    const rules = Object.fromEntries(mild.map(rule => [rule.id, {enabled: false}]));
    const found = await axe.run(document, {
        resultTypes: ['violations'], ...options, rules: {...rules, ...options.rules},
    });
    return found.violations
        .filter(each => ['serious', 'critical'].includes(each.impact))
        .map(each => [each.id, each.nodes.map(node => node.html.slice(0, 200)).slice(0, 3)]);
}"""
NARROW_ONLY = {"runOnly": {"type": "rule", "values": ["scrollable-region-focusable"]}}
COLOURS_ONLY = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
# Colours that change slowly would be seen on their way from one theme to the other.
AT_ONCE = """
const still = new CSSStyleSheet(); still.replaceSync('* { transition: none !important; }');
document.adoptedStyleSheets = [still];"""
UNFOLD = "document.querySelectorAll('details').forEach(fold => fold.open = true)"
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def axe() -> str:
    """Its source, to be put into each page."""
    if not AXE.is_file():
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)(ABSENT)
    return AXE.read_text() + AT_ONCE


def faults_of(page: Page, *, but: Iterable[str] = ()) -> list[Any]:
    """What is grave about the page that is open, unfolded: in either theme, and where it is as narrow as a small phone.

    `but` are axe's rules that are not asked.
    """
    page.evaluate(UNFOLD)
    light = page.evaluate(GRAVE, {"rules": {rule: {"enabled": False} for rule in but}})
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(GRAVE, COLOURS_ONLY)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 320, "height": 640})
    narrow = [
        *page.evaluate(GRAVE, NARROW_ONLY),
        *(["scrolls sideways"] if page.evaluate(TOO_WIDE) else []),
    ]
    page.set_viewport_size({"width": 1280, "height": 800})
    return [*(("light", fault) for fault in light), *(("dark", fault) for fault in dark), *narrow]
