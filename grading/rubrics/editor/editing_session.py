"""One draft on one screen: the stored document, the typed texts, and the effect of a button."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import User
from django.http import QueryDict

from grading.core.errors import RubricRefused
from grading.engine import rubrics as engine_rubrics
from grading.engine.rubrics import RubricFault
from grading.engine.rule_tables import rules_faults
from grading.models import RubricVersion
from grading.rubrics.actions import draft_rubric_version, save_draft
from grading.rubrics.check_trials.typed_checks import STORED, TRY
from grading.rubrics.comparison.rubric_difference import Difference, difference
from grading.rubrics.editor import constitution_form, labels
from grading.rubrics.editor.editor_page import NOTE, page_of
from grading.rubrics.editor.field_errors import FieldErrors, errors_by_field
from grading.rubrics.editor.generated_ids import fill_empty_ids
from grading.rubrics.editor.item_buttons import apply_item_button
from grading.rubrics.editor.posted_values import FormTexts
from grading.rubrics.editor.rubric_form import document_of, form_texts, posted_form_texts

# The column RubricVersion.note holds no more.
MAX_NOTE_LENGTH = 300
# The button that shows the decisions of the typed rules.
DECISIONS = "decisions"
# The button that saves the draft and leads to the page that publishes it.
SAVE_AND_PUBLISH = "save-publish"
# The two views of a draft.
FORM, JSON = "form", "json"


@dataclass(frozen=True, slots=True)
class EditingSession:
    """State of the editor's page for one request.

    `digest` is that of the stored document from which the typing began. In the JSON view `text`
    is typed, else `texts`. `saved` is the version after a save; `between` is the difference that
    a refused save would have overwritten.
    """

    version: RubricVersion
    digest: str
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
        """Return the context of the template."""
        page = page_of(self.texts, self.note, self.faults or {}, open_path=self.open_path)
        marked = marked_lines(self.text, self.lines)
        return {
            **page,
            "session": self,
            "marked": marked,
            "problem_count": len(marked) + len(page["problems"]),
            "focus": self.focus,
        }

    @property
    def focus(self) -> dict[str, str]:
        """Keyboard focus: the same button of a moved item, or the first field of a new one."""
        first_fields = {"criteria": "name", "levels": "name", "checks": "goal"}
        listed = self.open_path.rpartition(".")[0].rpartition(".")[2]
        first = f"{self.open_path}.{first_fields.get(listed)}" if self.verb == "add" else ""
        return {"path": self.open_path, "verb": self.verb, "first": first}


def open_session(version: RubricVersion) -> EditingSession:
    """Return a session of the stored version, as JSON if the form cannot hold all its faults."""
    texts, faults = form_texts(version.document), engine_rubrics.rubric_faults(version.document)
    text = json_text(version.document)

    # A fault in a key that the form has no field for disappears on the way through the form.
    fits_form = engine_rubrics.rubric_faults(document_of(texts)) == faults

    return EditingSession(
        version=version,
        digest=engine_rubrics.document_digest(version.document),
        note=version.note,
        texts=texts,
        text=text,
        view=FORM if fits_form else JSON,
        faults=errors_by_field(faults, texts) if fits_form else None,
        lines=() if fits_form else engine_rubrics.read_rubric_text(text)[1],
    )


def posted_session(version: RubricVersion, posted: QueryDict) -> EditingSession:
    """Return a session of the typed texts, before any button is applied."""
    view = JSON if "text" in posted else FORM
    text = posted.get("text", "").replace("\r\n", "\n")

    return EditingSession(
        version=version,
        digest=posted.get("seen", ""),
        note=posted.get("note", ""),
        texts=posted_form_texts(posted) if view == FORM else form_texts({}),
        text=text,
        view=view,
        unsaved=True,
    )


def trial_session(version: RubricVersion, posted: QueryDict) -> EditingSession:
    """Return the session whose checks are tried: as stored on a read-only page, else as typed."""
    is_stored = STORED in posted and posted.get("do", "").startswith(TRY)
    return open_session(version) if is_stored else posted_session(version, posted)


def press_button(session: EditingSession, button: str, by: User | None) -> EditingSession:
    """Return the session after a button.

    Buttons are `save`, `save-publish`, `save-unfinished`, `save-beside` (as a new draft), `json`, `form`, `look`,
    `decisions` (of the rules as typed), and those of item_buttons.
    """
    if button in SAVE_BUTTONS:
        return _saved(session, button, by)
    if button == "save-unfinished":
        return _saved_unfinished(session, by)
    if button == "json":
        return replace(session, view=JSON, text=json_text(document_of(session.texts)))
    if button == "form":
        return _as_form(session)
    if button == DECISIONS:
        return _with_faults_of_rules(session)

    # Items move only in the form; the JSON view has no item buttons.
    verb, _, path = button.partition(" ")
    open_path = apply_item_button(session.texts, button) if session.view == FORM else None
    return replace(session, open_path=open_path or path, verb=verb)


def validated(session: EditingSession) -> tuple[EditingSession, dict[str, Any] | None]:
    """Return the session with every fault marked, and the document if it has none."""
    if session.view == JSON:
        document, lines = engine_rubrics.read_rubric_text(session.text)
        marked = replace(session, lines=lines, faults=_note_faults(session.note))
        return marked, None if lines else document

    # Ids are filled before validation: an empty id is no error of the person.
    fill_empty_ids(session.texts)
    document = document_of(session.texts)
    faults = engine_rubrics.rubric_faults(document)
    placed = {**errors_by_field(faults, session.texts), **_note_faults(session.note)}
    return replace(session, faults=placed), None if placed else document


def _with_faults_of_rules(session: EditingSession) -> EditingSession:
    """Mark the faults of the typed rules only: nobody asked to save."""
    if session.view == JSON:
        return replace(session, lines=engine_rubrics.read_rubric_text(session.text)[1])
    faults = rules_faults(constitution_form.document_of(session.texts["constitution"]))
    return replace(session, faults=errors_by_field(faults, session.texts))


def _saved(session: EditingSession, button: str, by: User | None) -> EditingSession:
    session, document = validated(session)
    if document is None or session.faults:
        return session
    try:
        return replace(session, saved=SAVE_BUTTONS[button](session, document, by))
    except RubricRefused as refused:
        return _refused(session, refused, document)


def _saved_unfinished(session: EditingSession, by: User | None) -> EditingSession:
    """Save the draft with its faults, if the form can show them again; else change nothing."""
    session, document = validated(session)
    if document is None:
        document = _document_of_form(session)
    if document is None or NOTE.name in (session.faults or {}):
        return session
    try:
        saved = save_draft(
            version=session.version,
            document=document,
            why=session.note,
            expected_digest=session.digest,
            by=by,
            unfinished=True,
        )
    except RubricRefused as refused:
        # Faults that no database can store already stand beside their fields.
        if refused.code == "rubric_unusable":
            return session
        return _refused(session, refused, document)
    return replace(session, saved=saved)


def _document_of_form(session: EditingSession) -> dict[str, Any] | None:
    if session.view == FORM:
        return document_of(session.texts)

    document, _lines = engine_rubrics.read_rubric_text(session.text)
    from_form = document_of(form_texts(document))
    is_same = engine_rubrics.rubric_faults(from_form) == engine_rubrics.rubric_faults(document)
    return from_form if is_same else None


def _save(session: EditingSession, document: dict[str, Any], by: User | None) -> RubricVersion:
    return save_draft(
        version=session.version,
        document=document,
        why=session.note,
        expected_digest=session.digest,
        by=by,
    )


def _save_beside(
    session: EditingSession, document: dict[str, Any], by: User | None
) -> RubricVersion:
    # The version may be published by now: its own draft can no longer take the document.
    settled = engine_rubrics.settled_rubric(document)
    version = session.version
    return draft_rubric_version(
        rubric=version.rubric, document=settled, why=session.note, by=by, based_on=version
    )


SAVE_BUTTONS = {"save": _save, SAVE_AND_PUBLISH: _save, "save-beside": _save_beside}


def _refused(
    session: EditingSession, refused: RubricRefused, document: dict[str, Any]
) -> EditingSession:
    """Return the session with the refusal and the difference to the stored document.

    Its digest is the stored document's: pressing save again overwrites what is now visible.
    """
    session.version.refresh_from_db()
    saved = session.version.document
    # Defaults are spelled out where possible, so that only typed changes differ.
    typed = (
        document
        if engine_rubrics.rubric_faults(document)
        else engine_rubrics.settled_rubric(document)
    )
    between = difference(saved, typed)

    return replace(
        session, refusal=refused, between=between, digest=engine_rubrics.document_digest(saved)
    )


def _as_form(session: EditingSession) -> EditingSession:
    """Show valid JSON as a form. Invalid JSON stays: the form has no field for every fault."""
    document, lines = engine_rubrics.read_rubric_text(session.text)
    if lines:
        return replace(session, lines=lines)
    return replace(session, view=FORM, texts=form_texts(document))


def _note_faults(note: str) -> dict[str, tuple[str, ...]]:
    if len(note) > MAX_NOTE_LENGTH:
        sentence = f"The limit is {MAX_NOTE_LENGTH} characters; this text has {len(note)}."
        return {NOTE.name: (sentence,)}

    # PostgreSQL stores no NUL in a text.
    return {NOTE.name: ("The character U+0000 cannot be used.",)} if "\0" in note else {}


def json_text(document: Any) -> str:
    """Return the document as indented JSON."""
    return json.dumps(document, indent=2, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """Fault of a JSON text with its line.

    `before` is the part of the line before the faulty column; the page points below that column.
    """

    fault: RubricFault
    where: str
    message: str
    line: str
    before: str | None


def marked_lines(text: str, faults: tuple[RubricFault, ...]) -> list[MarkedLine]:
    """Return each fault with its line of the text."""
    lines = text.split("\n")
    return [_marked(fault, lines[(fault.line or 1) - 1]) for fault in faults]


def _marked(fault: RubricFault, line: str) -> MarkedLine:
    return MarkedLine(
        fault=fault,
        where=_encodable(".".join(map(str, fault.place))) or "JSON",
        message=labels.error_sentence(fault.kind, fault.message),
        line=line,
        before=line[: fault.column - 1] if fault.column else None,
    )


def _encodable(text: str) -> str:
    """Replace characters that UTF-8 cannot encode: JSON keys can hold half a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8")
