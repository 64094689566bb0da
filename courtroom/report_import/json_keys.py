"""The keys that JSON reports use, and how to look for them whatever their spelling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from courtroom.report_import.name_cleaning import plain_key

CRITERIA = frozenset(
    {
        "criteria",
        "dimensions",
        "criterion breakdown",
        "criteria breakdown",
        "criterion results",
        "criteria results",
        "dimension scores",
        "criterion scores",
        "criteria scores",
        "scores",
        "results",
        "breakdown",
        "verdicts",
        "dimension results",
        "final scores",
        "score breakdown",
        "rubric scores",
        "evaluations",
        "per criterion",
        "criterion verdicts",
    }
)
NAMES = frozenset(
    {"name", "dimension name", "criterion name", "criterion", "dimension", "title", "category"}
)
IDS = frozenset({"id", "dimension id", "criterion id", "key"})
SCORES = frozenset(
    {
        "final score",
        "score",
        "points",
        "earned",
        "value",
        "rating",
        "awarded",
        "points awarded",
        "final verdict",
        "verdict",
        "grade",
        "final",
    }
)
MAXIMA = frozenset(
    {
        "max",
        "max score",
        "max points",
        "maximum",
        "out of",
        "possible",
        "maximum score",
        "total points",
    }
)
LEVELS = frozenset({"level", "tier", "level name", "band"})
EXCLUDED = frozenset({"excluded", "is excluded", "no exchange"})
OPINIONS = frozenset(
    {
        "opinions",
        "judge opinions",
        "judicial opinions",
        "judges",
        "raw opinions",
        "judge scores",
        "judgements",
        "judgments",
        "votes",
        "individual opinions",
        "opinion",
        "judge verdicts",
    }
)
OPINION_LISTS = frozenset({"raw opinions", "judicial opinions", "opinions"})
JUDGES = frozenset({"judge", "persona", "role", "judge name", "judge role"})
ARGUMENTS = frozenset(
    {
        "argument",
        "reasoning",
        "rationale",
        "opinion",
        "justification",
        "comment",
        "analysis",
        "text",
        "explanation",
    }
)
CITED = frozenset(
    {"cited evidence", "cited evidence ids", "citations", "evidence", "evidence ids", "cited"}
)
FAILURES = frozenset(
    {"failure", "error", "is failure", "failed", "is error", "fallback", "is fallback"}
)
DISSENT = frozenset(
    {"dissent", "dissent summary", "dissenting opinion", "conflict", "dissent explanation"}
)
PLANS = frozenset(
    {
        "remediation",
        "remediation plan",
        "remediations",
        "recommendations",
        "recommendation",
        "actions",
        "action items",
        "next steps",
        "suggestions",
        "fixes",
        "improvements",
        "remediation steps",
    }
)
FINDINGS = frozenset(
    {
        "findings",
        "key findings",
        "weaknesses",
        "issues",
        "gaps",
        "key risks",
        "risks",
        "critical findings",
        "violations",
        "problems",
    }
)
OVERALL = frozenset(
    {
        "overall score",
        "overall",
        "total score",
        "final score",
        "aggregate score",
        "average score",
        "total",
        "score",
    }
)
SUMMARIES = frozenset({"executive summary", "summary", "verdict", "overview"})
TITLES = frozenset({"title", "report title"})
METADATA = frozenset(
    {"metadata", "meta", "report metadata", "audit metadata", "header", "audit", "submission"}
)
OF_JUDGES = frozenset({"opinion", "score", "argument", "verdict"})
TOLD = SCORES | OPINIONS | LEVELS | frozenset({"judge opinions"})
PATHS = frozenset({"path", "file", "file path", "location", "filename", "where"})
LINES = frozenset({"line", "line number", "line start", "lines"})
PRIORITIES = frozenset({"priority", "severity", "urgency"})
ACTIONS = frozenset(
    {
        "action",
        "fix",
        "recommendation",
        "change",
        "suggestion",
        "remediation",
        "what to do",
        "solution",
        "task",
    }
)
TEXTS = frozenset(
    {
        "finding",
        "issue",
        "problem",
        "text",
        "description",
        "message",
        "title",
        "gap",
        "detail",
        "details",
        "summary",
        "weakness",
    }
)


def held(fields: Mapping[str, Any], known: frozenset[str]) -> list[str]:
    """The keys of an object that are among these, in the object's order; camelCase and snake_case are one."""
    return [key for key in fields if spelled(str(key)) in known]


def first(fields: Mapping[str, Any], known: frozenset[str]) -> Any:
    """The first value under any of these keys that is not empty."""
    return next(
        (fields[key] for key in held(fields, known) if fields[key] not in (None, "", [], {})), None
    )


def text(fields: Mapping[str, Any], known: frozenset[str]) -> str:
    """The first of these that is words or a number; of an object, its name."""
    said = first(fields, known)
    if isinstance(said, dict):
        return text(said, NAMES - known)
    return str(said).strip() if isinstance(said, str | int) and not isinstance(said, bool) else ""


def spelled(key: str) -> str:
    """A key as plain words: camelCase, snake_case and kebab-case are one."""
    spaced = "".join(
        f" {char}" if char.isupper() and at and key[at - 1].islower() else char
        for at, char in enumerate(key[:80])
    )
    return plain_key(spaced)
