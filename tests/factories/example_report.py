"""Example report as the courtroom makes it: ten criteria, thirty opinions, real quotes."""

from __future__ import annotations

import json
from functools import cache
from itertools import count
from typing import Any

from courtroom.models.audit_report import (
    AuditReport,
    ConstitutionReference,
    CriterionCheck,
    CriterionResult,
    Integrity,
    JudgeReference,
    OpinionRow,
    RecordedError,
    Remediation,
    RubricReference,
    RuleFired,
    RuleStep,
    Status,
    Usage,
)
from courtroom.models.evidence import Evidence, Location, evidence
from courtroom.models.facts import ConditionalEdge, GraphFact, establish
from courtroom.models.judge_answer import PERSONAS, Persona

COMMIT = "4f2a9c1d7e0b35a86c1f9d2e4b7a60c3d8e5f412"
REPO_URL = "https://github.com/example-student/automaton"
NAMES = (
    ("git_forensics", "Git forensics", 5, (4, 5, 5)),
    ("state_management", "State management rigour", 4, (3, 5, 4)),
    ("graph_orchestration", "Graph orchestration", 4, (4, 4, 4)),
    ("safe_tools", "Safe tool engineering", 3, (1, 4, 3)),
    ("structured_output", "Structured output enforcement", 2, (2, 3, 2)),
    ("judicial_nuance", "Judicial nuance and dialectics", 3, (2, 4, 3)),
    ("chief_justice", "Chief Justice synthesis engine", 3, (3, 3, 3)),
    ("theory", "Theoretical depth of the report", 4, (4, 5, 4)),
    ("report_accuracy", "Report accuracy", 1, (1, 2, 1)),
    ("diagrams", "Architectural diagram analysis", 3, (2, 5, 3)),
)
SOURCE = '''def clone(url: str) -> Path:
    """Clone the repository to audit."""
    target = Path(tempfile.mkdtemp())
    os.system(f"git clone {url} {target}")  # <script>alert("quoted")</script>
    return target'''
ARGUMENT = (
    "The tool reaches for the shell where it need not: "
    "the address goes into the command **unchecked**, so a "
    "repository named `x; rm -rf ~` is a command of its own. What stands beside it is careful "
    "work, and does not "
    "repair this."
)
GRAPH = GraphFact(
    path="src/graph.py",
    state_graph_line=41,
    nodes=(
        "repo_investigator",
        "doc_analyst",
        "vision_inspector",
        "aggregator",
        "prosecutor",
        "defense",
        "tech_lead",
        "chief_justice",
    ),
    edges=(
        ("START", "repo_investigator"),
        ("START", "doc_analyst"),
        ("START", "vision_inspector"),
        ("repo_investigator", "aggregator"),
        ("doc_analyst", "aggregator"),
        ("vision_inspector", "aggregator"),
        ("aggregator", "prosecutor"),
        ("aggregator", "defense"),
        ("aggregator", "tech_lead"),
        ("prosecutor", "chief_justice"),
        ("defense", "chief_justice"),
        ("tech_lead", "chief_justice"),
        ("chief_justice", "END"),
    ),
    conditional=(
        ConditionalEdge(from_="aggregator", to=("degraded_report",)),
        ConditionalEdge(from_="degraded_report", to=("END",)),
    ),
)


def report_json(
    *, status: Status = "verdict", criteria: int = 10, per_criterion: int = 4
) -> dict[str, Any]:
    """An `automaton-auditor/report@1` with this many criteria and pieces of evidence for each.

    Each call returns an object of its own, which the test may change.
    """
    document: dict[str, Any] = json.loads(_text_of_report(status, criteria, per_criterion))
    return document


@cache
def _text_of_report(status: Status, criteria: int, per_criterion: int) -> str:
    """Return it as text: making the report takes ten times as long as reading it."""
    numbers = count(1)
    evidence = {name[0]: _evidence(name[0], per_criterion, numbers) for name in NAMES[:criteria]}
    results = [_criterion(*name, evidence[name[0]]) for name in NAMES[:criteria]]
    if status == "needs_review":
        results[0] = results[0].model_copy(update={"final_score": None, "needs_review": True})

    judged = [] if status == "degraded" else results
    report = AuditReport(
        repo_url=REPO_URL,
        commit=COMMIT,
        ref="main",
        pdf_sha256="ab" * 32,
        rubric=RubricReference(id="self-audit", version="3", digest="cd" * 32),
        constitution=ConstitutionReference(id="default", digest="ef" * 32),
        judges={
            persona: JudgeReference(kind="heuristic", model="heuristic", prompt_digest="01" * 32)
            for persona in PERSONAS
        },
        status=status,
        overall_score=3.2 if status == "verdict" else None,
        points=None,
        criteria=tuple(judged),
        evidence=tuple(row for rows in evidence.values() for row in rows),
        facts=establish({"commit_count": 14, "graph": GRAPH}, {}),
        integrity=Integrity(),
        errors=(
            RecordedError(
                stage="vision_inspector",
                code="child_timeout",
                message="The drawings on page 4 took longer than 90 s to read.",
            ),
        ),
        usage=Usage(),
        timings={},
    )
    return json.dumps(report.sealed().as_json())


def _evidence(check: str, number: int, numbers: count[int]) -> list[Evidence]:
    rows = [
        evidence(
            detective="RepoInvestigator",
            check=check,
            goal="A clone without a shell",
            found=True,
            content=SOURCE,
            location=Location(
                path=f"src/tools/{check}.py",
                line_start=(line := 10 * next(numbers)),
                line_end=line + 4,
                commit=COMMIT,
            ),
            rationale="os.system is called with text that came from outside.",
            tags=("security",),
        )
        for _ in range(number - 1)
    ]

    absent = evidence(
        detective="DocAnalyst",
        check=f"{check}.pdf",
        goal="The report explains the choice",
        found=False,
        content="Looked for “metacognition” on 9 pages.",
        rationale="The words do not occur.",
        confidence=0.85,
    )

    return [*rows, absent]


def _criterion(
    key: str, name: str, final: int, scores: tuple[int, int, int], rows: list[Evidence]
) -> CriterionResult:
    given = ", ".join(f"{judge} {score}" for judge, score in zip(PERSONAS, scores, strict=True))
    return CriterionResult(
        id=key,
        name=name,
        final_score=final,
        resolution=("weighted_average",),
        rules=(
            RuleFired(
                rule="weighted_average",
                before=None,
                after=float(final),
                why="Tech Lead counts twice.",
            ),
        ),
        steps=(
            RuleStep(rule="judges", fired=True, input="the judges' scores", output=given),
            RuleStep(
                rule="security_override",
                fired=False,
                input="no confirmed security evidence",
                output=f"no cap, {final} stays",
            ),
        ),
        rationale=(
            "The clone is isolated, but one call goes through the shell, "
            f"and the three judges come to {final}."
        ),
        dissent="The Prosecutor holds the call unsafe; "
        "the Defense answers that the address was checked."
        if max(scores) - min(scores) >= 2
        else None,
        opinions=tuple(_opinion(*pair, rows) for pair in zip(PERSONAS, scores, strict=True)),
        checks=(
            CriterionCheck(
                check=key,
                kind="unsafe_call",
                goal="No call goes through a shell",
                fault="A call goes through a shell",
                met=False,
                reason="os.system in src/tools.",
                weight=2,
                evidence=(rows[0].id,),
            ),
            CriterionCheck(
                check=f"{key}.pdf",
                kind="pdf_concept",
                goal="The report explains the choice",
                fault="The report does not explain the choice",
                met=None,
                reason="The PDF has no text layer.",
                weight=1,
                evidence=(rows[-1].id,),
            ),
        ),
        evidence=tuple(row.id for row in rows),
        remediation=(
            Remediation(
                path=f"src/tools/{key}.py",
                line=13,
                action="Call git with a list of arguments instead of a shell line.",
                snippet=(
                    'subprocess.run(["git", "clone", "--", url, str(target)], '
                    "check=True, timeout=120)"
                ),
                priority="high" if final < 3 else "medium",
                evidence=(rows[0].id,),
                criterion_id=key,
            ),
        ),
    )


def _opinion(judge: Persona, score: int, rows: list[Evidence]) -> OpinionRow:
    return OpinionRow(
        judge=judge,
        round=1,
        score=score,
        argument=ARGUMENT,
        cited_evidence=tuple(row.id for row in rows[:3]),
        model="heuristic",
        key=f"{judge}-{rows[0].id}",
        failure=None,
    )
