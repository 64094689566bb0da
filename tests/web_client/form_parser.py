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
        values = defaultdict(list)
        for control in self.controls:
            if control.kind == "hidden":
                values[control.name].append(control.value)
        return dict(values)

    @property
    def visible(self) -> list[Control]:
        return [control for control in self.controls if control.kind != "hidden"]


class FormsPage(HTMLParser):
    """Parser of a page: `forms` are its posted forms except sign-out, `texts` the texts by id.

    `alerts` counts alerts; `focused` are the tags with autofocus.
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
        attributes = dict(attrs)
        if tag not in VOID:
            self._open.append((tag, attributes.get("id")))
        if attributes.get("id"):
            self.texts.setdefault(str(attributes["id"]), "")
        if attributes.get("role") == "alert":
            self.alerts += 1
        if "autofocus" in attributes:
            self.focused.append(tag)

        self._enter(tag, attributes)

    def _enter(self, tag: str, attributes: Attributes) -> None:
        if tag == "fieldset":
            self._group = attributes.get("aria-describedby") or ""
        elif tag == "form":
            self._form = (
                Form(attributes.get("action") or "") if attributes.get("method") == "post" else None
            )
            self.forms += [self._form] if self._form else []
        elif self._form and tag == "button":
            self._form.buttons.append((attributes.get("name") or "", attributes.get("value") or ""))
        elif self._form and tag in {"input", "select", "textarea"}:
            kind = (attributes.get("type") or "text") if tag == "input" else tag
            kind = "hidden" if "hidden" in attributes else kind
            control = Control(
                kind,
                attributes.get("name") or "",
                attributes,
                attributes.get("value") or "",
                self._group,
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
