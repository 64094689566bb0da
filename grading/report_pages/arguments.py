"""Arguments of the judges for a page: what each cites, asked to read, or failed at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from grading.engine.report import AskedPlace, Opinion, Report
from grading.report_pages.checks_and_evidence import Citation, EvidencePresenter
from grading.report_pages.judge_marks import JUDGE_BY_ID, Judge
from grading.report_pages.location_links import LinkedLocation, Work, link_location
from grading.report_pages.quotes import reveal_invisible

EVIDENCE_ID = re.compile(r"\bE-[0-9a-f]{8}\b")
# Plain sentences for readers, by kind of failure.
FAILURES = {
    "refusal": "The model refused to judge this.",
    "truncated": "The model's answer was cut short.",
    "filtered": "The provider's filter withheld the answer.",
    "invalid": "The model's answer could not be read.",
    "out_of_schema": "The model's answer did not have the parts that an opinion needs.",
    "unfounded": "The argument was too short, or cited nothing that the judge was shown.",
    "rate_limited": "The model's provider was too busy.",
    "server": "The model's provider failed or could not be reached.",
    "timeout": "The model did not answer in time.",
    "auth": "The model's provider refused the key.",
    "context_length": "The work was longer than the model can read.",
    "budget": "The budget for models was used up.",
    "abstained": "The judge could not know.",
    "internal": "Our own code failed.",
}


@dataclass(frozen=True, slots=True)
class Request:
    """Place that a judge asked to read. Without `locations` it was not shown; `refusal` says why.

    `is_as_named`: the lines are those that the judge named, so they need no second mention.
    """

    place: str
    locations: tuple[LinkedLocation, ...]
    is_as_named: bool
    refusal: str


@dataclass(frozen=True, slots=True)
class Argument:
    """Answer of one judge in one round; exactly one of `score` and `failure` is set.

    `text` is Markdown; `links` has the address on this page of each evidence that it names.
    """

    judge: Judge
    round: int
    score: int | None
    failure: str
    text: str
    links: Mapping[str, str]
    citations: tuple[Citation, ...]
    requests: tuple[Request, ...]


class ArgumentPresenter:
    """Prepares the arguments of one report. A page prints the evidence that a criterion lists."""

    def __init__(self, report: Report, work: Work, evidence: EvidencePresenter) -> None:
        self._work, self._evidence = work, evidence
        listed = {id_ for row in report.criteria for id_ in row.evidence}
        self._printed = listed & report.evidence_by_id.keys()

    def present(self, opinion: Opinion) -> Argument:
        names = set(EVIDENCE_ID.findall(opinion.argument)) & self._printed
        return Argument(
            judge=JUDGE_BY_ID[opinion.judge],
            round=opinion.round,
            score=opinion.score,
            failure=_failure(opinion.failure),
            text=opinion.as_markdown(reveal_invisible(opinion.argument)),
            links={name: f"#{name}" for name in names},
            citations=self._evidence.citations(opinion.cited_evidence),
            requests=tuple(map(self._request, opinion.asked)),
        )

    def _request(self, row: AskedPlace) -> Request:
        name = reveal_invisible(" ".join(row.place.split()))
        locations = tuple(link_location(place, self._work) for place in row.locations)
        return Request(
            place=name,
            locations=locations,
            is_as_named=[location.words for location in locations] == [name],
            refusal=reveal_invisible(row.refusal),
        )


def _failure(kind: str | None) -> str:
    # A newer engine may fail in ways that have no sentence yet.
    return FAILURES.get(kind, f"{kind.replace('_', ' ').capitalize()}.") if kind else ""
