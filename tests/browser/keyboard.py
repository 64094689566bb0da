"""A page that is used with keys alone: no click, no focus but what a key brings about.

Each stop of Tab is asked what whoever sees it needs: does it show that it has the focus, is it in sight, and does it
come after the stop before it for whoever reads from the left and from the top?
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, expect

MOST = 40
LOOK = """isAfter => {
    const look = (node) => {
        const style = getComputedStyle(node);
        const outline = style.outlineStyle === 'none' ? '' : `${style.outlineWidth} ${style.outlineColor}`;
        return [outline, style.boxShadow, style.borderColor, style.backgroundColor, style.textDecorationLine].join();
    };
    const isSeen = (node) => [...node.getClientRects()].some(({left, right, top, bottom}) =>
        [0.5, 0.1, 0.9].some((part) => {
            const hit = document.elementFromPoint(left + (right - left) * part, top + (bottom - top) * part);
            return hit && (node.contains(hit) || hit.contains(node) && hit.matches('label'));
        }));
    const here = document.activeElement, last = window.lastStop, faults = [];
    if (last?.node !== here && last?.node.isConnected && look(last.node) === last.look)
        faults.push(`${last.node.outerHTML.slice(0, 120)} looks with focus as without`);
    const isRound = isAfter && last && here.compareDocumentPosition(last.node) === Node.DOCUMENT_POSITION_FOLLOWING;
    if (here === document.body || isRound) { delete window.lastStop; return [faults, false]; }
    if (!isSeen(here)) faults.push(`${here.outerHTML.slice(0, 120)} has the focus out of sight`);
    const box = here.getBoundingClientRect(), [x, y] = [box.left + scrollX, box.top + scrollY];
    if (isAfter && last && y + box.height <= last.y && x <= last.x)
        faults.push(`${here.outerHTML.slice(0, 120)} comes after what is below it`);
    // A field of several parts, such as a date, shows it at the first of them.
    window.lastStop = {node: here, look: last?.node === here ? last.look : look(here), x, y};
    return [faults, true];
}"""


class Stop(NamedTuple):
    """Return the element with the focus as a screen reader names it, else the page."""

    role: str
    name: str


class Keyboard:
    """Keys pressed on a page. A stop that cannot be seen, or stands out of order, fails."""

    def __init__(self, page: Page) -> None:
        self._page, self._goes_on = page, False
        self._tools = page.context.new_cdp_session(page)

    @property
    def stop(self) -> Stop:
        query = {"expression": "document.activeElement"}
        node: dict[str, Any] = self._tools.send("Runtime.evaluate", query)["result"]
        tree = self._tools.send(
            "Accessibility.getPartialAXTree",
            {"objectId": node["objectId"], "fetchRelatives": False},
        )
        first_node = tree["nodes"][0]
        return Stop(*(str(first_node.get(part, {}).get("value", "")) for part in ("role", "name")))

    def press(self, *keys: str) -> None:
        """Press keys; the next stop need not come after the last one."""
        self._goes_on = False
        for key in keys:
            self._page.keyboard.press(key)

    def type(self, text: str) -> None:
        """In the place of whatever the field holds."""
        self.press("Control+a")
        self._page.keyboard.type(text)

    def _step(self, *, back: bool = False) -> bool:
        """Return whether anything on the page has the focus."""
        # A document that has only begun to arrive has no body, hence nothing with the focus.
        self._page.wait_for_load_state("domcontentloaded")
        self._page.keyboard.press("Shift+Tab" if back else "Tab")
        faults, is_inside = self._page.evaluate(LOOK, self._goes_on and not back)
        self._goes_on = not back
        assert faults == [], (self._page.url, faults)
        return bool(is_inside)

    def tab(self, *, back: bool = False) -> Stop:
        self._step(back=back)
        return self.stop

    def walk_out(self, *, at_most: int = 200) -> None:
        """On to the end of the page, where the browser's own controls begin: nothing keeps the keyboard to itself."""
        assert any(not self._step() for _ in range(at_most)), (
            f"{self._page.url} has no end: {self.stop}"
        )

    def tab_to(
        self, name: str | re.Pattern[str], *, at_most: int = MOST, back: bool = False
    ) -> Stop:
        """Go on until what is called so has the focus."""
        passed = []
        for _ in range(at_most):
            passed.append(self.tab(back=back))
            if (
                name.fullmatch(passed[-1].name)
                if isinstance(name, re.Pattern)
                else passed[-1].name == name
            ):
                return passed[-1]
        pytest.fail(f"{name!r} never had the focus on {self._page.url}; these had: {passed}")

    def follow(
        self, name: str | re.Pattern[str], *, at_most: int = MOST, back: bool = False
    ) -> None:
        """Go to it and press Enter, as on a link, a button or what is folded."""
        self.tab_to(name, at_most=at_most, back=back)
        self.press("Enter")

    def back(self) -> None:
        """Go back as Alt+Left does: a browser without a window takes no such key."""
        self._goes_on = False
        self._page.go_back()

    def skip_to_content(self, words: str = "Skip to content") -> None:
        """The first stop of a page leads past whatever every page begins with."""
        assert self.tab() == Stop("link", words)
        self.press("Enter")
        # The focus moves once the browser has followed the link.
        expect(self._page.get_by_role("main")).to_be_focused()
