"""Two students who give themselves away wherever they can, and a pairing between them."""

from __future__ import annotations

import asyncio
import io
import json
import re
import tempfile
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from courtroom import AuditEvent, Case, constitution_of, hold_audit, shipped_rubric
from grading.actions.feedback_imports import import_feedback
from grading.actions.findings import record_findings
from grading.enums import Anonymity, AuditKind
from grading.models import Audit, Enrollment, Finding, Pairing, Submission
from tests.factories.pdfs import Page, make_pdf
from tests.factories.peers import (
    CommunicationEntryFactory,
    FeedbackReportFactory,
    FindingResponseFactory,
    PairingFactory,
    PairingRoundFactory,
    RoundMemberFactory,
)
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    MembershipFactory,
    UserFactory,
    everywhere,
)
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory, AuditFactory, RubricVersionFactory, SubmissionFactory
from tests.site.report_example import report_json


@dataclass(frozen=True, slots=True)
class Mask:
    """`owner` and `repository` are those of their address; `key` is in the database what nobody else's row has."""

    first: str
    last: str
    login: str
    number: str
    owner: str
    repository: str
    pdf: str
    group: str
    key: int
    alias: str
    nick: str  # what they call themselves in git, and nowhere that a roster knows

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def email(self) -> str:
        return f"{self.login}@campus.example"

    @property
    def url(self) -> str:
        return f"https://github.com/{self.owner}/{self.repository}"

    def tells(self) -> list[str]:
        """What must not stand anywhere, as `told` writes it."""
        words = (
            self.first, *re.split(r"[\s-]", self.last), self.login, self.number, self.owner, self.repository,
            self.pdf, self.group, str(self.key), self.nick,
        )  # fmt: skip
        return [told(word) for word in words]


AUDITOR = Mask(
    "Xanthippe", "Quillfeather", "xq.fathom", "U-771204", "inkwell-xq", "thornbush-court", "xanthippe_thesis.pdf",
    "Narwhals", 770_100_001, "Peer 871", "Gloamwright",
)  # fmt: skip
AUDITEE = Mask(
    "Zéphyrin", "Ångström-Okwuosa", "zokwu", "U-660318", "breezy-okapi", "zzyzx-tribunal", "Okwuosa-Zephyrin.pdf",
    "Jackalopes", 770_200_002, "Peer 135", "nightowl_zq",
)  # fmt: skip


def told(text: str) -> str:
    """Letters and digits alone, without case, accents and escapes: what a curious reader would recognise."""
    plain = unicodedata.normalize("NFKD", unquote(text).casefold())
    return "".join(char for char in plain if char.isalnum())


class Masquerade:
    """A round with both in it. Xanthippe audits Zéphyrin: by the courtroom, and with a report of her own."""

    def __init__(self, anonymity: Anonymity) -> None:
        self.version = RubricVersionFactory.create(
            document=shipped_rubric("self_audit").model_dump(mode="json")
        )
        cohort = CohortFactory.create(organization=self.version.organization)
        self.assignment = AssignmentFactory.create(cohort=cohort, rubric_version=self.version)
        self.auditor, self.auditee = self._student(AUDITOR), self._student(AUDITEE)
        self.round = PairingRoundFactory.create(assignment=self.assignment, anonymity=anonymity, number=1)
        for mask, enrolled in ((AUDITOR, self.auditor), (AUDITEE, self.auditee)):
            RoundMemberFactory.create(round=self.round, student=enrolled, alias=mask.alias)
        self.pairing: Pairing = PairingFactory.create(
            round=self.round, auditor=self.auditor, auditee=self.auditee
        )
        self.work, self.own = self._work(AUDITEE, self.auditee), self._work(AUDITOR, self.auditor)
        self.audit = self._audited(self.work, AuditKind.SELF, treacherous_report())
        self.own_audit = self._audited(self.own, AuditKind.SELF, signed_by(AUDITOR, report_json(criteria=1)))
        self.peer_audit = self._audited(self.work, AuditKind.PEER, treacherous_report())
        self.platform = FeedbackReportFactory.create(
            pairing=self.pairing, platform=True, submission=self.work, audit=self.peer_audit
        )
        with everywhere():
            self.uploaded = import_feedback(
                assignment=self.assignment, direction="generated", brought_by=self.auditor, text=written_report(),
                name="audit_by_Xanthippe_Quillfeather.md", origin="upload", by=self.auditor.user,
                pairing=self.pairing,
            )  # fmt: skip
            self.received = import_feedback(
                assignment=self.assignment, direction="received", brought_by=self.auditee,
                text=json.dumps({"repository": AUDITEE.url, "criteria": [{"name": "State", "score": "3/5"}]}),
                name="a.json", origin="audit/report_bypeer_received/a.json", by=self.auditee.user,
            )  # fmt: skip
            for audit in (self.audit, self.peer_audit):
                record_findings(audit=audit)
        self._answers_and_messages()

    def _student(self, mask: Mask) -> Enrollment:
        user = UserFactory.create(
            pk=mask.key, username=mask.login, email=mask.email, first_name=mask.first, last_name=mask.last
        )
        MembershipFactory.create(organization=self.assignment.organization, user=user)
        enrolled: Enrollment = EnrollmentFactory.create(
            pk=mask.key, cohort=self.assignment.cohort, user=user, email=mask.email, name=mask.name,
            student_number=mask.number, group=mask.group,
        )  # fmt: skip
        return enrolled

    def _work(self, mask: Mask, whose: Enrollment) -> Submission:
        work: Submission = SubmissionFactory.create(
            assignment=self.assignment, student=whose, repo_url=mask.url, pdf_name=mask.pdf,
            resolved_commit=treacherous_report()["commit"] if mask is AUDITEE else "ad" * 20, handed_in_by=whose.user,
        )  # fmt: skip
        return work

    def _audited(self, work: Submission, kind: AuditKind, document: dict[str, Any]) -> Audit:
        document = document | {"repo_url": work.repo_url}
        audit: Audit = AuditFactory.create(
            submission=work, kind=kind, done=True, report=document, report_digest=document["digest"],
            overall_score=document["overall_score"],
        )  # fmt: skip
        return audit

    def _answers_and_messages(self) -> None:
        with everywhere():
            self.findings = list(Finding.objects.order_by("pk")[:2])
        for finding in self.findings:
            FindingResponseFactory.create(finding=finding, reason=f"{AUDITEE.name} ({AUDITEE.email}) will.")
        for mask, whose in ((AUDITOR, self.auditor), (AUDITEE, self.auditee)):
            CommunicationEntryFactory.create(
                assignment=self.assignment, student=whose, pairing=self.pairing,
                text=f"I am {mask.name}, {mask.number}: see {mask.url}, or write to {mask.email}.",
            )  # fmt: skip


def signed_by(mask: Mask, report: dict[str, Any]) -> dict[str, Any]:
    """A report on work whose commits they signed."""
    history = {
        "first_at": "2026-01-05", "last_at": "2026-01-06", "days": 2, "busiest_hour": 1, "weak_messages": 0, "stages": [],
        "authors": [{"name": mask.nick, "email": "x@nest.example"}],
    }  # fmt: skip
    unknown = {name: why for name, why in report["facts"]["unknown"].items() if name != "history"}
    return report | {"facts": report["facts"] | {"history": history, "unknown": unknown}}


def written_report() -> str:
    """As her own auditor wrote it, of which she is proud."""
    return (
        f"# Audit of a peer by {AUDITOR.name}\n\n**Auditor:** {AUDITOR.name} <{AUDITOR.email}>\n"
        f"**Generated by:** {AUDITOR.url}\n**Group:** {AUDITOR.group}\n\n"
        "## Criterion Breakdown\n\n### State management: 3/5\n\n"
        f"Found by {AUDITOR.login} in `/home/xanthippe/peers/graph.py:12`; compare {AUDITOR.url}/blob/main/x.py.\n\n"
        "## Remediation Plan\n\n"
        f"- src/graph.py:12 Use a reducer, as {AUDITOR.nick} does in {AUDITOR.repository} of {AUDITOR.first.upper()} ({AUDITOR.number}).\n"
    )


SOURCE = f'''"""Graph of {AUDITEE.name}, {AUDITEE.email}.

Author: Zéphyrin O. <{AUDITEE.owner}@users.noreply.github.com>
"""
import operator, os, subprocess
from typing import Annotated, TypedDict
from langgraph.graph import END, START, StateGraph

class ZephyrinState(TypedDict):
    evidences: Annotated[dict, operator.ior]
    okwuosa_notes: Annotated[list, operator.add]

def clone(url="{AUDITEE.url}.git"):
    os.system("git clone " + url)  # {AUDITEE.login}, {AUDITEE.number}
    subprocess.run("echo {AUDITEE.name} {AUDITEE.nick}", shell=True)

def build():
    graph = StateGraph(ZephyrinState)
    graph.add_node("zephyrin_detective", clone)
    graph.add_node("chief_justice", clone)
    graph.add_edge(START, "zephyrin_detective")
    graph.add_edge("zephyrin_detective", "chief_justice")
    graph.add_edge("chief_justice", END)
    return graph.compile()
'''
LOG = f"# Log\n\n2026-01-05 progress: {AUDITEE.name} built the graph. Deferred because {AUDITEE.login} was ill.\n"


@cache
def treacherous_report() -> dict[str, Any]:
    """What the courtroom says of Zéphyrin's work, who signed every file, folder, commit and page of it."""
    author = f"{AUDITEE.nick} <owl@nest.example>"
    files = {
        "src/okwuosa/zephyrin_graph.py": SOURCE,
        "README.md": f"# {AUDITEE.repository}\n\nBy {AUDITEE.name}, see {AUDITEE.url}.\n",
        "audit/report_bypeer_received/zephyrin_okwuosa_received.md": f"Overall Score: 3/5 for {AUDITEE.name}, line 3\n",
        "audit/report_onself_generated/Zephyrin.md": "Overall: 4/5 Prosecutor src/x.py:3\n",
        "audit/proactive_communication.md": LOG,
    }
    commits = [
        Commit(f"Merge pull request #{n} from {AUDITEE.owner}/x", {path: text}, author=author)
        for n, (path, text) in enumerate(files.items())
    ]
    with tempfile.TemporaryDirectory() as folder:
        repository, pdf = Path(folder) / "work.git", Path(folder) / "report.pdf"
        make_repository(repository, commits)
        title = [
            "# Automaton Auditor",
            f"By {AUDITEE.name}, {AUDITEE.number}",
            "Dialectical Synthesis of three judges.",
        ]
        text = [f"{AUDITEE.name} explains: Metacognition means src/okwuosa/zephyrin_graph.py judges itself."]
        make_pdf(pdf, [Page(title), Page(text)])
        rubric = shipped_rubric("self_audit")
        case = Case(
            repo_url=str(repository),
            pdf=pdf,
            rubric=rubric,
            constitution=constitution_of(rubric),
            allow_local=True,
        )
        report = asyncio.run(_held(case))[-1].report
    assert report is not None
    return report.as_json()


async def _held(case: Case) -> list[AuditEvent]:
    return [event async for event in hold_audit(case)]


def everything_said(response: Any) -> Iterator[tuple[str, str]]:
    """(where, text) of whatever a response tells: its headers, its body, and each file's name and text in an archive."""
    yield "headers", json.dumps(dict(response.headers))
    body = b"".join(response.streaming_content) if response.streaming else response.content
    if body[:2] != b"PK":
        yield "body", body.decode()
        return
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        for entry in archive.infolist():
            yield "name in the archive", entry.filename
            yield entry.filename, archive.read(entry).decode()


def treacherous_commits() -> list[str]:
    """The beginnings of their names, by which any of them is found in a public place."""
    commits = re.findall(r"\b[0-9a-f]{40}\b", json.dumps(treacherous_report()))
    return sorted({commit[:8] for commit in commits})


def told_of(mask: Mask, response: Any, *, also: list[str] | None = None) -> list[str]:
    """Where a response tells who somebody is, and by what."""
    found = []
    for where, text in everything_said(response):
        letters = told(text)
        found += [f"{where}: {tell}" for tell in mask.tells() if tell in letters]
        found += [f"{where}: {tell}" for tell in also or () if tell in text]
    return sorted(set(found))
