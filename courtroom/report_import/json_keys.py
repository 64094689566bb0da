"""Keys that JSON reports use, and their lookup in any spelling.

The sets hold plain words; `final_score`, `finalScore` and `Final Score` are one key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from courtroom.report_import.name_cleaning import normalize
from courtroom.report_import.vocabulary import phrases

CRITERIA = phrases("""
    criteria, dimensions, criterion breakdown, criteria breakdown, criterion results,
    criteria results, dimension scores, criterion scores, criteria scores, scores, results,
    breakdown, verdicts, dimension results, final scores, score breakdown, rubric scores,
    evaluations, per criterion, criterion verdicts
""")
NAMES = phrases("name, dimension name, criterion name, criterion, dimension, title, category")
IDS = phrases("id, dimension id, criterion id, key")
SCORES = phrases("""
    final score, score, points, earned, value, rating, awarded, points awarded, final verdict,
    verdict, grade, final
""")
MAXIMA = phrases("""
    max, max score, max points, maximum, out of, possible, maximum score, total points
""")
LEVELS = phrases("level, tier, level name, band")
EXCLUDED = phrases("excluded, is excluded, no exchange")
OPINIONS = phrases("""
    opinions, judge opinions, judicial opinions, judges, raw opinions, judge scores, judgements,
    judgments, votes, individual opinions, opinion, judge verdicts
""")
# Beside these keys, an object is a report even without an overall score.
OPINION_LISTS = phrases("raw opinions, judicial opinions, opinions")
JUDGES = phrases("judge, persona, role, judge name, judge role")
ARGUMENTS = phrases("""
    argument, reasoning, rationale, opinion, justification, comment, analysis, text, explanation
""")
CITED = phrases("cited evidence, cited evidence ids, citations, evidence, evidence ids, cited")
FAILURES = phrases("failure, error, is failure, failed, is error, fallback, is fallback")
DISSENT = phrases("dissent, dissent summary, dissenting opinion, conflict, dissent explanation")
PLANS = phrases("""
    remediation, remediation plan, remediations, recommendations, recommendation, actions,
    action items, next steps, suggestions, fixes, improvements, remediation steps
""")
FINDINGS = phrases("""
    findings, key findings, weaknesses, issues, gaps, key risks, risks, critical findings,
    violations, problems
""")
OVERALL = phrases("""
    overall score, overall, total score, final score, aggregate score, average score, total, score
""")
SUMMARIES = phrases("executive summary, summary, verdict, overview")
TITLES = phrases("title, report title")
METADATA = phrases("metadata, meta, report metadata, audit metadata, header, audit, submission")
# What may follow a judge's name in a key, as in `tech_lead_score`.
JUDGE_TOPICS = phrases("opinion, score, argument, verdict")
# An object with one of these was judged, or is a judgement.
RESULTS = SCORES | OPINIONS | LEVELS | frozenset({"judge opinions"})
PATHS = phrases("path, file, file path, location, filename, where")
LINES = phrases("line, line number, line start, lines")
PRIORITIES = phrases("priority, severity, urgency")
ACTIONS = phrases("""
    action, fix, recommendation, change, suggestion, remediation, what to do, solution, task
""")
TEXTS = phrases("""
    finding, issue, problem, text, description, message, title, gap, detail, details, summary,
    weakness
""")


def matching_keys(fields: Mapping[str, Any], names: frozenset[str]) -> list[str]:
    """Return the keys of an object that are among these names, in the object's order."""
    return [key for key in fields if key_words(str(key)) in names]


def first_value(fields: Mapping[str, Any], names: frozenset[str]) -> Any:
    """Return the first value under any of these names that is not empty."""
    values = (fields[key] for key in matching_keys(fields, names))
    return next((value for value in values if value not in (None, "", [], {})), None)


def first_text(fields: Mapping[str, Any], names: frozenset[str]) -> str:
    """Return the first of these values as text; of an object, its name. Empty for any other."""
    value = first_value(fields, names)
    if isinstance(value, dict):
        return first_text(value, NAMES - names)
    return (
        str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    )


def key_words(key: str) -> str:
    """Return a key as plain words: camelCase, snake_case and kebab-case are one."""
    spaced = "".join(
        f" {char}" if char.isupper() and index and key[index - 1].islower() else char
        for index, char in enumerate(key[:80])
    )
    return normalize(spaced)
