"""The forms of a page as a program meets them: what each asks for, where it is sent, and what the
page says of it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from html.parser import HTMLParser

from tests.web_client.page_checks import VOID

Attributes = dict[str, str | None]


@dataclass
class Control:
    """One field; `kind` is an input's type, "select" or "textarea"."""

    kind: str
    name: str
    attributes: Attributes
    value: str = ""
    group: str = ""

    @property
    def is_typed(self) -> bool:
        return self.kind not in {
            "hidden",
            "file",
            "radio",
            "checkbox",
            "select",
            "submit",
            "password",
        }

    @property
    def described_by(self) -> list[str]:
        """Its own words, and those of the group it belongs to."""
        return f"{self.attributes.get('aria-describedby') or ''} {self.group}".split()

    @property
    def is_wrong(self) -> bool:
        return self.attributes.get("aria-invalid") == "true"


@dataclass
class Form:
    """A form that is posted; `action` is empty where it names none."""

    action: str
    controls: list[Control] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    @property
    def hidden(self) -> dict[str, list[str]]:
        found = defaultdict(list)
        for control in self.controls:
            if control.kind == "hidden":
                found[control.name].append(control.value)
        return dict(found)

    @property
    def shown(self) -> list[Control]:
        return [control for control in self.controls if control.kind != "hidden"]


class FormsPage(HTMLParser):
    """`forms` are those that are posted, the way out aside; `texts` is what stands in whatever has
    an id.

    `alerts` counts what is said aloud, and `focused` are the tags that ask for the focus.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.texts: dict[str, str] = {}
        self.alerts = 0
        self.focused: list[str] = []
        self._form: Form | None = None
        self._textarea: Control | None = None
        self._group: str = ""
        self._open: list[tuple[str, str | None]] = []
        self.feed(html)
        self.forms = [form for form in self.forms if not form.action.endswith("/logout/")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag not in VOID:
            self._open.append((tag, found.get("id")))
        if found.get("id"):
            self.texts.setdefault(str(found["id"]), "")
        if found.get("role") == "alert":
            self.alerts += 1
        if "autofocus" in found:
            self.focused.append(tag)
        self._enter(tag, found)

    def _enter(self, tag: str, found: Attributes) -> None:
        if tag == "fieldset":
            self._group = found.get("aria-describedby") or ""
        elif tag == "form":
            self._form = Form(found.get("action") or "") if found.get("method") == "post" else None
            self.forms += [self._form] if self._form else []
        elif self._form and tag == "button":
            self._form.buttons.append((found.get("name") or "", found.get("value") or ""))
        elif self._form and tag in {"input", "select", "textarea"}:
            kind = (found.get("type") or "text") if tag == "input" else tag
            kind = "hidden" if "hidden" in found else kind
            control = Control(
                kind, found.get("name") or "", found, found.get("value") or "", self._group
            )
            self._form.controls.append(control)
            self._textarea = control if tag == "textarea" else None

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        if tag == "fieldset":
            self._group = ""
        if tag == "textarea" and self._textarea:
            self._textarea.value, self._textarea = self._textarea.value.removeprefix("\n"), None
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._textarea:
            self._textarea.value += data
        for _, name in self._open:
            if name:
                self.texts[name] += data
