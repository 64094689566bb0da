"""A staff thread as its reader sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

from grading.models import StaffNote
from grading.staff_threads.forms import NoteForm
from grading.staff_threads.queries import Colleague, OtherThread, Thread, parts_of


@dataclass(frozen=True, slots=True)
class ShownNote:
    """Note with its author's address, "" for a former member; `parts` mark the mentions."""

    note: StaffNote
    author: str
    parts: Sequence[tuple[str, bool]]
    is_own: bool


@dataclass(frozen=True, slots=True)
class ShownThread:
    """Thread with the form of a new note. `handles` are the colleagues who can be mentioned."""

    thread: Thread
    notes: Sequence[ShownNote]
    others: Sequence[OtherThread]
    handles: Sequence[Colleague]
    form: NoteForm


def shown_thread(thread: Thread, reader: User, form: NoteForm) -> ShownThread:
    colleagues = thread.colleagues
    return ShownThread(
        thread=thread,
        notes=[_shown(note, thread, reader) for note in thread.notes],
        others=thread.others,
        handles=[colleague for key, colleague in colleagues.items() if key != reader.pk],
        form=form,
    )


def _shown(note: StaffNote, thread: Thread, reader: User) -> ShownNote:
    author = thread.colleagues.get(note.author_id or 0)
    is_own = note.author_id == reader.pk and note.withdrawn_at is None
    parts = parts_of(note.text, thread.colleagues)
    return ShownNote(note, author.address if author else "", parts, is_own)
