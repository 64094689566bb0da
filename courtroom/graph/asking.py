"""Judges who ask for more places to read: which of them may, and what is read to them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.exhibits.places import read_places
from courtroom.judges.material import Material
from courtroom.judges.opinion import ReadPlace
from courtroom.models.case import Limits
from courtroom.models.errors import ExaminationFailed
from courtroom.models.exhibit import Exhibit
from courtroom.models.judge_answer import Persona
from courtroom.models.rubric import Criterion

# Being asked again costs about a third of a cent at 0.25 dollars per million tokens, and how many
# judges use the offer cannot be known before.
MOST_ASKING = 6
# The Tech Lead's opinion breaks a tie.
ASKING_ORDER: tuple[Persona, ...] = ("TechLead", "Prosecutor", "Defense")
# Characters that are read to one judge.
MOST_CHARACTERS = 12_000
NO_ROOM = f"Not read: {MOST_CHARACTERS:,} characters are read to a judge, and the room was used up."


def judges_who_may_ask(
    criteria: Sequence[Criterion], materials: Mapping[str, Material]
) -> frozenset[tuple[Persona, str]]:
    """Return the judges of an audit, by persona and criterion, who may ask.

    First come the criteria of which most was left out for want of room.
    """
    ids = [criterion.id for criterion in criteria if criterion.id in materials]
    ids.sort(key=lambda id_: -materials[id_].left_out)
    return frozenset([(persona, id_) for persona in ASKING_ORDER for id_ in ids][:MOST_ASKING])


class PlaceReader:
    """Reads places from the snapshot of one audit, in confined child processes."""

    def __init__(self, snapshot: Snapshot, limits: Limits) -> None:
        self._snapshot, self._limits = snapshot, limits

    async def read(self, places: Sequence[str]) -> Sequence[ReadPlace]:
        """Return the places in their order, within the characters that one judge may read."""
        replies = await asyncio.gather(
            *(asyncio.to_thread(self._read_place, place) for place in places)
        )
        left, kept = MOST_CHARACTERS, []
        for reply in replies:
            exhibits = list(_within(reply.exhibits, left))
            left -= sum(len(exhibit.text) for exhibit in exhibits)
            is_cut = len(exhibits) < len(reply.exhibits)
            refusal = " ".join(filter(None, [reply.refusal, NO_ROOM if is_cut else ""]))
            changes = {"exhibits": tuple(exhibits), "refusal": refusal}
            kept.append(reply.model_copy(update=changes))
        return kept

    def _read_place(self, place: str) -> ReadPlace:
        try:
            reply = read_places(self._snapshot, (place,), limits=self._limits)
        except ExaminationFailed as failed:
            return ReadPlace(place=place, refusal=failed.message)
        reasons = " ".join(reason for _, reason in reply.refusals)
        return ReadPlace(place=place, exhibits=reply.exhibits, refusal=reasons)


def _within(exhibits: Sequence[Exhibit], characters: int) -> list[Exhibit]:
    """Return the exhibits as far as they fit; the first that does not is cut after a line."""
    kept: list[Exhibit] = []
    for exhibit in exhibits:
        lines = exhibit.text.split("\n")
        while lines and sum(map(len, lines)) + len(lines) - 1 > characters:
            lines.pop()
        if lines:
            kept.append(_cut(exhibit, lines))
            characters -= len("\n".join(lines))
    return kept


def _cut(exhibit: Exhibit, lines: Sequence[str]) -> Exhibit:
    if len(lines) == exhibit.text.count("\n") + 1:
        return exhibit
    place = exhibit.location
    last = (place.line_start or 1) + len(lines) - 1
    return exhibit.model_copy(
        update={
            "text": "\n".join(lines),
            "location": place.model_copy(update={"line_end": last}),
            "title": f"{exhibit.title}, cut at line {last}",
        }
    )
