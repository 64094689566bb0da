"""The examiner of pages: a fault of each kind is named, also by a browser that does not draw."""

from __future__ import annotations

import pytest

from tests.browser.examiner import axe, faults_of
from tests.browser.tabs import Chromium

pytestmark = pytest.mark.browser
FAULTY = """<!doctype html><html lang="en"><title>Faulty</title><style>
    body { color: #000; background: #fff; }
    @media (prefers-color-scheme: dark) { p { color: #222; background: #111; } }
    @media (max-width: 400px) { p { width: 500px; } }
</style><main><h1>Faulty</h1><p>Words</p><details><summary>More</summary><img src="data:,"></details>
</main></html>"""


@pytest.mark.parametrize("draws", [True, False])
def test_faults_of_either_theme_of_folded_parts_and_of_a_phone_are_named(
    draws: bool, chromium: Chromium
) -> None:
    source = axe()
    with chromium.open(draws=draws) as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        page.set_content(FAULTY)
        page.evaluate(source)
        faults = faults_of(page)

    assert faults == [
        ("light", ["image-alt", ['<img src="data:,">']]),
        ("dark", ["color-contrast", ["<p>Words</p>"]]),
        "scrolls sideways",
    ]
