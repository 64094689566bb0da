"""The kind `communication_log`: are there entries in the log, in the repository or on the site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from courtroom.checks.fault_words import matching
from courtroom.checks.from_peer_records import with_site_records
from courtroom.checks.from_sources import finding_at_locations, on_survey
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import number_of
from courtroom.checks.result import Finding
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.survey import Survey
    from courtroom.checks.sources import Sources
    from courtroom.models.project_facts import ExchangeFact
    from courtroom.replay.stored_report import StoredReport


class CommunicationLog(CheckBase):
    """The log has at least `minimum` dated entries, of any kind or about one, in the repository or on the site."""

    kind: Literal["communication_log"] = "communication_log"
    about: Literal["anything", "progress", "blocker", "design"] = "anything"
    minimum: int = Field(default=1, ge=1)


def _detect(check: CommunicationLog, sources: Sources) -> Finding:
    in_repository = on_survey(sources, lambda survey: entries_in_repository(check, survey))
    return with_records(check, in_repository, sources.exchange)


def entries_in_repository(check: CommunicationLog, survey: Survey) -> Finding:
    topic = "" if check.about == "anything" else f" about {check.about}"
    subject = f"an entry of a communication log{topic}"
    return finding_at_locations(check, survey, subject, minimum=check.minimum)


def with_records(
    check: CommunicationLog, in_repository: Finding, exchange: ExchangeFact | None
) -> Finding:
    """The answer of repository and site; without a site, the repository's."""
    if exchange is None:
        return in_repository
    count = getattr(exchange.entries, check.about)
    topic = "" if check.about == "anything" else f" about {check.about}"
    subject = number_of(count, "entry", "entries") + f"{topic} in the communication log"
    return with_site_records(check, in_repository, count, subject, minimum=check.minimum)


def _replay(check: CommunicationLog, report: StoredReport) -> Finding:
    from courtroom.analysis.project.log_locations import communication_locations

    entries = report.fact("communication_entries")
    # The site may still answer where the repository does not.
    if entries is None:
        in_repository = report.unknown("communication_entries")
    else:
        locations = {check.id: tuple(communication_locations(check.about, entries))}
        in_repository = entries_in_repository(check, report.survey(locations))
    return with_records(check, in_repository, report.exchange)


TOPICS = {
    "anything": "",
    "progress": " about progress",
    "blocker": " about a blocker",
    "design": " about design",
}


def _fault(check: CommunicationLog) -> str:
    topic = TOPICS[check.about]
    entries = number_of(check.minimum, "entry", "entries") + topic
    few = f"no entry{topic}" if check.minimum == 1 else f"fewer than {entries}"
    return matching(
        check.is_positive,
        f"The communication log has {few}.",
        f"The communication log has at least {entries}.",
    )


KIND = CheckKind(
    model=CommunicationLog,
    detective="RepoInvestigator",
    detect=_detect,
    search="courtroom.analysis.code_search:find_communication",
    replay=_replay,
    reads_peer_records=True,
    fault=_fault,
    label=Label(
        title="Communication on record",
        about="Entries in the log, of any kind or about one: in the repository or on the site.",
    ),
    concern="effort",
    order=190,
)
