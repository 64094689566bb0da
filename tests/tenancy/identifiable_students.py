"""Two students who give themselves away wherever they can, and how to tell whether something gives them away."""

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
from courtroom.models.evidence import CITED_TAG, Evidence, Location, evidence
from tests.factories.pdfs import Page, make_pdf
from tests.factories.repositories import Commit, make_repository


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
        """Return texts that must not appear anywhere, as `squeezed` writes them."""
        words = (
            self.first,
            *re.split(r"[\s-]", self.last),
            self.login,
            self.number,
            self.owner,
            self.repository,
            self.pdf,
            self.group,
            str(self.key),
            self.nick,
        )
        return [squeezed(word) for word in words]


AUDITOR = Mask(
    "Xanthippe",
    "Quillfeather",
    "xq.fathom",
    "U-771204",
    "inkwell-xq",
    "thornbush-court",
    "xanthippe_thesis.pdf",
    "Narwhals",
    770_100_001,
    "Peer 871",
    "Gloamwright",
)
AUDITEE = Mask(
    "Zéphyrin",
    "Ångström-Okwuosa",
    "zokwu",
    "U-660318",
    "breezy-okapi",
    "zzyzx-tribunal",
    "Okwuosa-Zephyrin.pdf",
    "Jackalopes",
    770_200_002,
    "Peer 135",
    "nightowl_zq",
)


def squeezed(text: str) -> str:
    """Letters and digits alone, without case, accents and escapes: what a curious reader would recognise."""
    plain = unicodedata.normalize("NFKD", unquote(text).casefold())
    return "".join(char for char in plain if char.isalnum())


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
RECEIVED = f"""# Audit of {AUDITEE.name}

## Graph of {AUDITEE.name}

**Score:** 3/5

**Remediation:** {AUDITEE.name} should add an edge to src/okwuosa/zephyrin_graph.py
"""
LOG = f"# Log\n\n2026-01-05 progress: {AUDITEE.name} built the graph. Deferred because {AUDITEE.login} was ill.\n"


@cache
def treacherous_report() -> dict[str, Any]:
    """Return a report on work whose files, commits and pages all carry its author's name."""
    author = f"{AUDITEE.nick} <owl@nest.example>"
    files = {
        "src/okwuosa/zephyrin_graph.py": SOURCE,
        "README.md": f"# {AUDITEE.repository}\n\nBy {AUDITEE.name}, see {AUDITEE.url}.\n",
        "audit/report_bypeer_received/zephyrin_okwuosa_received.md": RECEIVED,
        "audit/report_onself_generated/Zephyrin.md": "Overall: 4/5 Prosecutor src/x.py:3\n",
        "docs/feedback.md": f"- {AUDITEE.name} added an edge to src/okwuosa/zephyrin_graph.py\n",
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
        text = [
            f"{AUDITEE.name} explains: Metacognition means src/okwuosa/zephyrin_graph.py judges itself."
        ]
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
    return _with_citations(report.as_json())


def _with_citations(report: dict[str, Any]) -> dict[str, Any]:
    """Return the report as if a model had cited and asked for what gives its author away."""
    commit = "1234567" + "0" * 33
    line = {"path": f"src/{AUDITEE.login}.py", "line_start": 1, "line_end": 1, "commit": commit}
    rows: list[tuple[dict[str, Any], str]] = [
        ({"commit": commit}, f"1234567  2026-01-05 10:02  author 1  +3 -0  By {AUDITEE.name}"),
        ({"page": 1}, f"By {AUDITEE.name}"),
        (line, f"# {AUDITEE.name}"),
    ]
    cited = [_cited_lines(place, content).model_dump(mode="json") for place, content in rows]
    report["evidence"] += cited

    criterion = report["criteria"][0]
    criterion["evidence"] += [row["id"] for row in cited]
    place = f"/home/{AUDITEE.login}/{AUDITEE.repository}"
    asked_place = {"place": place, "locations": [line], "refusal": f"{AUDITEE.name} is not there."}
    opinion = criterion["opinions"][0]
    opinion |= {"cited_evidence": [row["id"] for row in cited], "asked": [asked_place]}
    return report


def _cited_lines(place: dict[str, Any], content: str) -> Evidence:
    return evidence(
        detective="RepoInvestigator",
        check="git_forensics",
        goal="The history is told",
        found=True,
        content=content,
        location=Location(**place),
        rationale="A judge cites these lines.",
        tags=(CITED_TAG,),
    )


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
    """Return the places of a response that identify somebody."""
    traces = []
    for where, text in everything_said(response):
        letters = squeezed(text)
        traces += [f"{where}: {tell}" for tell in mask.tells() if tell in letters]
        traces += [f"{where}: {tell}" for tell in also or () if tell in text]
    return sorted(set(traces))
