"""One draft on somebody's screen: what was stored, what is typed, and what the pressed button asks for."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import User
from django.http import QueryDict

from grading.core.errors import RubricRefused
from grading.engine import rubrics as engine_rubrics
from grading.engine.rubrics import RubricFault
from grading.models import RubricVersion
from grading.rubrics.actions import draft_rubric_version, save_draft
from grading.rubrics.comparison.rubric_difference import Difference, difference
from grading.rubrics.editor import labels
from grading.rubrics.editor.editor_page import NOTE, page_of
from grading.rubrics.editor.field_errors import Faults, beside
from grading.rubrics.editor.generated_ids import name_the_nameless
from grading.rubrics.editor.item_buttons import moved
from grading.rubrics.editor.posted_values import Sheet
from grading.rubrics.editor.rubric_form import document_of, posted_sheet, sheet_of

LONGEST_NOTE = 300
FORM, JSON = "form", "json"


@dataclass(frozen=True, slots=True)
class Desk:
    """`seen` is the digest of the stored document that the typing began from. In the expert's view `text` is typed,
    else `sheet`. `saved` is the version after a save; `between` what a refused save would have overwritten."""

    version: RubricVersion
    seen: str
    note: str
    sheet: Sheet
    text: str = ""
    view: str = FORM
    faults: Faults | None = None
    lines: tuple[RubricFault, ...] = ()
    look_at: str = ""
    verb: str = ""
    unsaved: bool = False
    refusal: RubricRefused | None = None
    between: Difference | None = None
    saved: RubricVersion | None = None

    def context(self) -> dict[str, Any]:
        """For the template."""
        shown = page_of(self.sheet, self.note, self.faults or {}, look_at=self.look_at)
        marked = marked_lines(self.text, self.lines)
        return {
            **shown,
            "desk": self,
            "marked": marked,
            "to_mend": len(marked) + len(shown["problems"]),
            "focus": self.focus,
        }

    @property
    def focus(self) -> dict[str, str]:
        """Where the keyboard goes on: the same button of what was moved, the first field of what was added."""
        first = {"criteria": "name", "levels": "name", "checks": "goal"}
        listed = self.look_at.rpartition(".")[0].rpartition(".")[2]
        added = f"{self.look_at}.{first.get(listed)}" if self.verb == "add" else ""
        return {"path": self.look_at, "verb": self.verb, "first": added}


def laid_out(version: RubricVersion) -> Desk:
    """The version as it is stored: in the form, or as JSON when the form has no field for what is wrong with it."""
    sheet, faults = sheet_of(version.document), engine_rubrics.rubric_faults(version.document)
    text = json_text(version.document)
    in_the_form = engine_rubrics.rubric_faults(document_of(sheet)) == faults
    return Desk(
        version=version,
        seen=engine_rubrics.document_digest(version.document),
        note=version.note,
        sheet=sheet,
        text=text,
        view=FORM if in_the_form else JSON,
        faults=beside(faults, sheet) if in_the_form else None,
        lines=() if in_the_form else engine_rubrics.read_rubric_text(text)[1],
    )


def taken_up(version: RubricVersion, posted: QueryDict) -> Desk:
    """What was typed, before anything is done with it."""
    view = JSON if "text" in posted else FORM
    text = posted.get("text", "").replace("\r\n", "\n")
    return Desk(
        version=version,
        seen=posted.get("seen", ""),
        note=posted.get("note", ""),
        sheet=posted_sheet(posted) if view == FORM else sheet_of({}),
        text=text,
        view=view,
        unsaved=True,
    )


def obeyed(desk: Desk, order: str, by: User | None) -> Desk:
    """The desk after a button: `save`, `save-unfinished`, `save-beside` (as a new draft), `json`, `form`, `look`, or a move of moves.py."""
    if order in _KEEPING:
        return _kept(desk, order, by)
    if order == "save-unfinished":
        return _kept_unfinished(desk, by)
    if order == "json":
        return replace(desk, view=JSON, text=json_text(document_of(desk.sheet)))
    if order == "form":
        return _as_form(desk)
    verb, _, path = order.partition(" ")
    look_at = moved(desk.sheet, order) if desk.view == FORM else None
    return replace(desk, look_at=look_at or path, verb=verb)


def checked(desk: Desk) -> tuple[Desk, dict[str, Any] | None]:
    """The desk with every fault marked, and the document when there is none."""
    if desk.view == JSON:
        document, lines = engine_rubrics.read_rubric_text(desk.text)
        return replace(
            desk, lines=lines, faults=_note_faults(desk.note)
        ), None if lines else document
    name_the_nameless(desk.sheet)
    document = document_of(desk.sheet)
    faults = engine_rubrics.rubric_faults(document)
    placed = {**beside(faults, desk.sheet), **_note_faults(desk.note)}
    return replace(desk, faults=placed), None if placed else document


def _kept(desk: Desk, order: str, by: User | None) -> Desk:
    desk, document = checked(desk)
    if document is None or desk.faults:
        return desk
    try:
        return replace(desk, saved=_KEEPING[order](desk, document, by))
    except RubricRefused as refused:
        return _refused(desk, refused, document)


def _kept_unfinished(desk: Desk, by: User | None) -> Desk:
    """With its faults, as far as the form can show them again; what it cannot has to be mended first."""
    desk, document = checked(desk)
    if document is None:
        document = _as_the_form_holds_it(desk)
    if document is None or NOTE.name in (desk.faults or {}):
        return desk
    try:
        kept = save_draft(
            version=desk.version,
            document=document,
            why=desk.note,
            seen=desk.seen,
            by=by,
            unfinished=True,
        )
    except RubricRefused as refused:
        return desk if refused.code == "rubric_unusable" else _refused(desk, refused, document)
    return replace(desk, saved=kept)


def _as_the_form_holds_it(desk: Desk) -> dict[str, Any] | None:
    if desk.view == FORM:
        return document_of(desk.sheet)
    document, _lines = engine_rubrics.read_rubric_text(desk.text)
    held = document_of(sheet_of(document))
    same = engine_rubrics.rubric_faults(held) == engine_rubrics.rubric_faults(document)
    return held if same else None


def _save(desk: Desk, document: dict[str, Any], by: User | None) -> RubricVersion:
    return save_draft(version=desk.version, document=document, why=desk.note, seen=desk.seen, by=by)


def _save_beside(desk: Desk, document: dict[str, Any], by: User | None) -> RubricVersion:
    settled = engine_rubrics.settled_rubric(document)
    version = desk.version
    return draft_rubric_version(
        rubric=version.rubric, document=settled, why=desk.note, by=by, based_on=version
    )


_KEEPING = {"save": _save, "save-beside": _save_beside}


def _refused(desk: Desk, refused: RubricRefused, document: dict[str, Any]) -> Desk:
    """Nothing was overwritten. Whoever presses save again has seen what that overwrites."""
    desk.version.refresh_from_db()
    saved = desk.version.document
    typed = (
        document
        if engine_rubrics.rubric_faults(document)
        else engine_rubrics.settled_rubric(document)
    )
    between = difference(saved, typed)
    return replace(
        desk, refusal=refused, between=between, seen=engine_rubrics.document_digest(saved)
    )


def _as_form(desk: Desk) -> Desk:
    """Only JSON without faults: the form has no field for everything that can be wrong in a text."""
    document, lines = engine_rubrics.read_rubric_text(desk.text)
    if lines:
        return replace(desk, lines=lines)
    return replace(desk, view=FORM, sheet=sheet_of(document))


def _note_faults(note: str) -> dict[str, tuple[str, ...]]:
    if len(note) > LONGEST_NOTE:
        return {NOTE.name: (f"At most {LONGEST_NOTE} characters; these are {len(note)}.",)}
    return {NOTE.name: ("The character U+0000 cannot be used.",)} if "\0" in note else {}


def json_text(document: Any) -> str:
    """As the expert reads it."""
    return json.dumps(document, indent=2, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A fault of a text, with the line it stands in. `before` is what stands before the column, to point below it."""

    fault: RubricFault
    where: str
    told: str
    line: str
    before: str | None


def marked_lines(text: str, faults: tuple[RubricFault, ...]) -> list[MarkedLine]:
    """Each fault with its line of the text."""
    lines = text.split("\n")
    return [_marked(fault, lines[(fault.line or 1) - 1]) for fault in faults]


def _marked(fault: RubricFault, line: str) -> MarkedLine:
    return MarkedLine(
        fault=fault,
        where=_showable(".".join(map(str, fault.place))) or "JSON",
        told=labels.sentence_of(fault.kind, fault.message),
        line=line,
        before=line[: fault.column - 1] if fault.column else None,
    )


def _showable(text: str) -> str:
    """JSON can name a key that no page can be encoded with: half a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8")
