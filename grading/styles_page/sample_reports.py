"""A report in each state that one can end in: judged with a dissent, waiting for a person, not judged."""

from __future__ import annotations

from typing import Any

from grading.audits.presenters.judge_marks import JUDGES
from grading.audits.presenters.report_page import ReportPage, read_report
from grading.styles_page.sample_people import hand_in

Json = dict[str, Any]
SOURCE = '''def clone(url: str) -> Path:
    """Clone the repository to audit."""
    target = Path(tempfile.mkdtemp())
    os.system(f"git clone {url} {target}")  # nobody looks at the address
    return target'''
ARGUMENT = "The address goes into the command **unchecked**: a repository named `x; rm -rf ~` is a command of its own."
GRAPH: Json = {
    "path": "src/graph.py",
    "state_graph_line": 41,
    "edges": [
        ["START", "code"],
        ["START", "paper"],
        ["code", "joined"],
        ["paper", "joined"],
        ["joined", "END"],
    ],
    "conditional": [{"from": "joined", "to": ["failed"], "line": 60}],
    "unresolved": ["add_node in a loop over names that are not in the source"],
}
ASKED = ("exists", "detectives_parallel", "fan_in_before_judges")
RUBRIC: Json = {
    "criteria": [
        {
            "id": "tools",
            "checks": [
                {"id": aspect, "kind": "graph_topology", "aspect": aspect, "goal": aspect}
                for aspect in ASKED
            ],
        }
    ]
}


def report_in(status: str) -> ReportPage:
    """`status` as in the report JSON: verdict, needs_review or degraded."""
    return read_report(_document(status), rubric=RUBRIC)


def _document(status: str) -> Json:
    evidence = [_evidence("E-0000a1f2", found=True), _evidence("E-0000b3c4", found=False)]
    criteria = [
        _criterion("tools", "Safe tools", 3, (1, 5, 3)),
        _criterion("theory", "Theory", 5, (5, 4, 5)),
    ]
    if status == "needs_review":
        criteria[0] |= {"final_score": None, "needs_review": True}
    work = hand_in(1)
    return {
        "repo_url": work.repo_url,
        "commit": work.resolved_commit,
        "ref": "main",
        "pdf_sha256": None,
        "rubric": {"id": "self-audit", "version": "3", "digest": "cd" * 32},
        "constitution": {"id": "default", "digest": "ef" * 32},
        "judges": {judge.id: {"kind": "heuristic", "model": "heuristic"} for judge in JUDGES},
        "status": status,
        "overall_score": 4.0 if status == "verdict" else None,
        "points": None,
        "criteria": [] if status == "degraded" else criteria,
        "evidence": evidence,
        "facts": {"graph": GRAPH, "unknown": {"pdf_terms": "no report was handed in"}},
        "integrity": {"suspected": status == "needs_review", "spans": []},
        "errors": _errors(status),
        "usage": {"calls": 0},
        "digest": "ab" * 32,
    }


def _errors(status: str) -> list[Json]:
    told = {
        "stage": "vision_inspector",
        "code": "child_timeout",
        "message": "The drawings took longer than 90 s.",
    }
    return [] if status == "verdict" else [told]


def _evidence(key: str, *, found: bool) -> Json:
    place = {
        "path": "src/tools/clone.py",
        "line_start": 10,
        "line_end": 14,
        "page": None,
        "commit": "4f2a9c1d",
    }
    return {
        "id": key,
        "detective": "RepoInvestigator" if found else "DocAnalyst",
        "goal": "A clone without a shell" if found else "The report explains the choice",
        "found": found,
        "content": SOURCE if found else "Looked for “metacognition” on 9 pages.",
        "location": place if found else dict.fromkeys(place),
        "rationale": "A shell is given text from outside." if found else "The words do not occur.",
        "confidence": 1.0 if found else 0.85,
        "tags": ["security"] if found else [],
    }


def _criterion(key: str, name: str, score: int, scores: tuple[int, int, int]) -> Json:
    met = (False, None) if score < 5 else (True, True)
    return {
        "id": key,
        "name": name,
        "final_score": score,
        "level": "",
        "points": None,
        "max_points": None,
        "needs_review": False,
        "excluded": False,
        "rationale": f"The clone is isolated, one call is not: the three judges come to {score}.",
        "rules": [
            {
                "rule": "security_override",
                "before": 4.0,
                "after": float(score),
                "why": "Evidence is tagged security.",
            }
        ],
        "dissent": "The Prosecutor holds the call unsafe; the Defense answers that it was checked."
        if score < 5
        else None,
        "opinions": [_opinion(*each) for each in zip(JUDGES, scores, strict=True)],
        "checks": [
            *(_check(f"{key}-{place}", each) for place, each in enumerate(met)),
            *_graph_checks(key),
        ],
        "evidence": ["E-0000a1f2", "E-0000b3c4"],
        "remediation": [_task()] if score < 5 else [],
    }


def _opinion(judge: Any, score: int) -> Json:
    return {
        "judge": judge.id,
        "round": 1,
        "score": score,
        "failure": None,
        "argument": ARGUMENT,
        "cited_evidence": ["E-0000a1f2", "E-0000b3c4"],
    }


def _check(key: str, met: bool | None) -> Json:
    reason = {
        True: "Nothing is missing.",
        False: "os.system in src/tools.",
        None: "The PDF has no text layer.",
    }[met]
    evidence = ["E-0000b3c4"] if met is None else ["E-0000a1f2"]
    return {
        "check": key,
        "goal": "No call goes through a shell",
        "met": met,
        "reason": reason,
        "evidence": evidence,
    }


def _graph_checks(key: str) -> list[Json]:
    """What the expected graph is drawn from; one of each outcome."""
    if key != "tools":
        return []
    met = zip(ASKED, (True, False, None), strict=True)
    return [_check(aspect, outcome) | {"evidence": []} for aspect, outcome in met]


def _task() -> Json:
    return {
        "path": "src/tools/clone.py",
        "line": 13,
        "action": "Call git with a list of arguments instead of a shell line.",
        "snippet": 'subprocess.run(["git", "clone", "--", url, str(target)], check=True, timeout=120)',
        "priority": "high",
    }
