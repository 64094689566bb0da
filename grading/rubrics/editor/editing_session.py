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
from grading.rubrics.editor.field_errors import FieldErrors, errors_by_field
from grading.rubrics.editor.generated_ids import fill_empty_ids
from grading.rubrics.editor.item_buttons import apply_item_button
from grading.rubrics.editor.posted_values import FormTexts
from grading.rubrics.editor.rubric_form import document_of, form_texts, posted_form_texts

MAX_NOTE_LENGTH = 300
FORM, JSON = "form", "json"


@dataclass(frozen=True, slots=True)
class EditingSession:
    """`seen` is the digest of the stored document that the typing began from. In the expert's view `text` is typed,
    else `texts`. `saved` is the version after a save; `between` what a refused save would have overwritten."""

    version: RubricVersion
    seen: str
    note: str
    texts: FormTexts
    text: str = ""
    view: str = FORM
    faults: FieldErrors | None = None
    lines: tuple[RubricFault, ...] = ()
    open_path: str = ""
    verb: str = ""
    unsaved: bool = False
    refusal: RubricRefused | None = None
    between: Difference | None = None
    saved: RubricVersion | None = None

    def context(self) -> dict[str, Any]:
        """For the template."""
        shown = page_of(self.texts, self.note, self.faults or {}, open_path=self.open_path)
        marked = marked_lines(self.text, self.lines)
        return {
            **shown,
            "session": self,
            "marked": marked,
            "to_mend": len(marked) + len(shown["problems"]),
            "focus": self.focus,
        }

    @property
    def focus(self) -> dict[str, str]:
        """Where the keyboard goes on: the same button of what was moved, the first field of what was added."""
        first = {"criteria": "name", "levels": "name", "checks": "goal"}
        listed = self.open_path.rpartition(".")[0].rpartition(".")[2]
        added = f"{self.open_path}.{first.get(listed)}" if self.verb == "add" else ""
        return {"path": self.open_path, "verb": self.verb, "first": added}


def open_session(version: RubricVersion) -> EditingSession:
    """The version as it is stored: in the form, or as JSON when the form has no field for what is wrong with it."""
    texts, faults = form_texts(version.document), engine_rubrics.rubric_faults(version.document)
    text = json_text(version.document)
    in_the_form = engine_rubrics.rubric_faults(document_of(texts)) == faults
    return EditingSession(
        version=version,
        seen=engine_rubrics.document_digest(version.document),
        note=version.note,
        texts=texts,
        text=text,
        view=FORM if in_the_form else JSON,
        faults=errors_by_field(faults, texts) if in_the_form else None,
        lines=() if in_the_form else engine_rubrics.read_rubric_text(text)[1],
    )


def posted_session(version: RubricVersion, posted: QueryDict) -> EditingSession:
    """What was typed, before anything is done with it."""
    view = JSON if "text" in posted else FORM
    text = posted.get("text", "").replace("\r\n", "\n")
    return EditingSession(
        version=version,
        seen=posted.get("seen", ""),
        note=posted.get("note", ""),
        texts=posted_form_texts(posted) if view == FORM else form_texts({}),
        text=text,
        view=view,
        unsaved=True,
    )


def press_button(session: EditingSession, button: str, by: User | None) -> EditingSession:
    """The session after a button: `save`, `save-unfinished`, `save-beside` (as a new draft), `json`, `form`, `look`, or a move of moves.py."""
    if button in SAVE_BUTTONS:
        return _saved(session, button, by)
    if button == "save-unfinished":
        return _saved_unfinished(session, by)
    if button == "json":
        return replace(session, view=JSON, text=json_text(document_of(session.texts)))
    if button == "form":
        return _as_form(session)
    verb, _, path = button.partition(" ")
    open_path = apply_item_button(session.texts, button) if session.view == FORM else None
    return replace(session, open_path=open_path or path, verb=verb)


def validated(session: EditingSession) -> tuple[EditingSession, dict[str, Any] | None]:
    """The session with every fault marked, and the document when there is none."""
    if session.view == JSON:
        document, lines = engine_rubrics.read_rubric_text(session.text)
        return replace(
            session, lines=lines, faults=_note_faults(session.note)
        ), None if lines else document
    fill_empty_ids(session.texts)
    document = document_of(session.texts)
    faults = engine_rubrics.rubric_faults(document)
    placed = {**errors_by_field(faults, session.texts), **_note_faults(session.note)}
    return replace(session, faults=placed), None if placed else document


def _saved(session: EditingSession, button: str, by: User | None) -> EditingSession:
    session, document = validated(session)
    if document is None or session.faults:
        return session
    try:
        return replace(session, saved=SAVE_BUTTONS[button](session, document, by))
    except RubricRefused as refused:
        return _refused(session, refused, document)


def _saved_unfinished(session: EditingSession, by: User | None) -> EditingSession:
    """With its faults, as far as the form can show them again; what it cannot has to be mended first."""
    session, document = validated(session)
    if document is None:
        document = _document_of_form(session)
    if document is None or NOTE.name in (session.faults or {}):
        return session
    try:
        kept = save_draft(
            version=session.version,
            document=document,
            why=session.note,
            seen=session.seen,
            by=by,
            unfinished=True,
        )
    except RubricRefused as refused:
        return (
            session if refused.code == "rubric_unusable" else _refused(session, refused, document)
        )
    return replace(session, saved=kept)


def _document_of_form(session: EditingSession) -> dict[str, Any] | None:
    if session.view == FORM:
        return document_of(session.texts)
    document, _lines = engine_rubrics.read_rubric_text(session.text)
    held = document_of(form_texts(document))
    same = engine_rubrics.rubric_faults(held) == engine_rubrics.rubric_faults(document)
    return held if same else None


def _save(session: EditingSession, document: dict[str, Any], by: User | None) -> RubricVersion:
    return save_draft(
        version=session.version, document=document, why=session.note, seen=session.seen, by=by
    )


def _save_beside(
    session: EditingSession, document: dict[str, Any], by: User | None
) -> RubricVersion:
    settled = engine_rubrics.settled_rubric(document)
    version = session.version
    return draft_rubric_version(
        rubric=version.rubric, document=settled, why=session.note, by=by, based_on=version
    )


SAVE_BUTTONS = {"save": _save, "save-beside": _save_beside}


def _refused(
    session: EditingSession, refused: RubricRefused, document: dict[str, Any]
) -> EditingSession:
    """Nothing was overwritten. Whoever presses save again has seen what that overwrites."""
    session.version.refresh_from_db()
    saved = session.version.document
    typed = (
        document
        if engine_rubrics.rubric_faults(document)
        else engine_rubrics.settled_rubric(document)
    )
    between = difference(saved, typed)
    return replace(
        session, refusal=refused, between=between, seen=engine_rubrics.document_digest(saved)
    )


def _as_form(session: EditingSession) -> EditingSession:
    """Only JSON without faults: the form has no field for everything that can be wrong in a text."""
    document, lines = engine_rubrics.read_rubric_text(session.text)
    if lines:
        return replace(session, lines=lines)
    return replace(session, view=FORM, texts=form_texts(document))


def _note_faults(note: str) -> dict[str, tuple[str, ...]]:
    if len(note) > MAX_NOTE_LENGTH:
        return {NOTE.name: (f"At most {MAX_NOTE_LENGTH} characters; these are {len(note)}.",)}
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
        told=labels.error_sentence(fault.kind, fault.message),
        line=line,
        before=line[: fault.column - 1] if fault.column else None,
    )


def _showable(text: str) -> str:
    """JSON can name a key that no page can be encoded with: half a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8")
