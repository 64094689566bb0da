"""Facts of what the work shows of itself: its audits, the scores and the evidence it claims."""

from __future__ import annotations

from pydantic import Field

from courtroom.models.fact_model import FactModel, Place


class AuditScore(FactModel):
    """Score that an audit gives a criterion, which it names so."""

    name: str
    score: float
    maximum: float | None


class OwnAudit(FactModel):
    """An audit in the repository, as far as it could be read.

    `about` says where it lies: among the audits of oneself, of peers, by peers, or elsewhere; one that
    names another work is of a peer.
    `repository`, `commit`, `date` and `overall`, the overall score, are as it names them; `maximum`
    is null where it names none. `opinions` are the arguments of judges as printed: `repeated` of
    them are by a judge who was heard on the same criterion before, `failed` report the failure of a
    judge. `remarks` are sentences on how the audit fits itself and the repository that README
    names. `cited_commits` are the commit ids in its text, without the one that it audited.
    `received_as` are paths of the same file among the audits by peers. `scores` are those of its
    criteria. `is_older`: a newer one of the same work is there. `unlike_code` says why the code of the
    audited commit could not have written it, where that shows.
    """

    path: str
    about: str
    repository: str | None
    commit: str | None
    date: str | None
    overall: str | None
    score: float | None
    maximum: float | None
    criteria: int
    opinions: int
    failed: int
    cited_commits: tuple[str, ...] = ()
    repeated: int = 0
    received_as: tuple[str, ...] = ()
    scores: tuple[AuditScore, ...] = ()
    remarks: tuple[str, ...] = ()
    is_older: bool = Field(False, exclude_if=lambda is_older: not is_older)
    unlike_code: str = Field("", exclude_if=lambda unlike_code: not unlike_code)


class EarlierAudit(FactModel):
    """Version of an own audit that is no more.

    `commit` is the id of the commit that wrote it, `next_commit` of that which changed or removed it.
    `overall` is its overall score as written, `edited_to` that of the next version where no opinion
    changed.
    """

    path: str
    commit: str
    next_commit: str
    overall: str
    score: float | None
    maximum: float | None
    edited_to: str = ""


class ShownFact(FactModel):
    """A fact in one sentence, with the places that show it."""

    text: str
    places: tuple[Place, ...]


class ClaimedScore(FactModel):
    """An overall score of the work's own audit that a document or a page of the report names.

    `agrees`: a committed audit gives it, as far as it is rounded. Null where no committed audit
    of this work gives an overall score, or not all could be read.
    """

    text: str
    score: float
    maximum: float
    path: str | None = None
    line: int | None = None
    page: int | None = None
    agrees: bool | None = None
