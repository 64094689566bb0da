"""Vocabulary of reports: judges, labels, sections, and the ornament around names.

The words come from several hundred reports of students' auditors.
"""

from __future__ import annotations

import re
from typing import Literal

from courtroom.models.judge_answer import Persona

Section = Literal[
    "summary", "breakdown", "opinions", "dissent", "plan", "findings", "evidence", "other"
]


def phrases(text: str) -> frozenset[str]:
    """Return the phrases of a text that commas separate."""
    return frozenset(" ".join(phrase.split()) for phrase in text.split(","))


# -- Ornament around names ------------------------------------------------------------------------

NOT_WORDS = re.compile(r"[\W_]+")
PARENTHESIS = re.compile(r"[(\[][^()\[\]]{0,200}[)\]]")
# As in: `Criterion 3:`, `IV.`, `C2 -`; but not the score `3/5`.
NUMBERING = re.compile(
    r"[\W_]*(?:(?:criterion|criteria|dimension|category|rubric|section|item)"
    r"(?:[\W_]{1,3}(?:\d{1,3}|[ivx]{1,4})\b|\s?:)"
    r"|(?:c|d|q)?\d{1,2}(?:\.\d{1,2})?(?![/\d]))[\W_]{1,4}(?=\w)",
    re.IGNORECASE,
)
STATUS = re.compile(
    r"[\W_]*+\b(?:pass(?:ed)?|fail(?:ed)?|warn(?:ing)?|partial|ok)\b[\W_]++",
    re.IGNORECASE,
)
ID = re.compile(
    r"[(\[`]\s*+(?:id\s*+(?:[:=]\s*+)?)?`?([a-z0-9]+(?:[_-][a-z0-9]+)*)`?\s*[)\]`]", re.IGNORECASE
)

# -- Judges ---------------------------------------------------------------------------------------

# Without blanks.
JUDGE_NAMES: dict[str, Persona] = {
    "prosecutor": "Prosecutor",
    "prosecution": "Prosecutor",
    "defense": "Defense",
    "defence": "Defense",
    "defender": "Defense",
    "techlead": "TechLead",
    "technicallead": "TechLead",
}
JUDGE = re.compile(
    r"(?:the |judge )?(prosecutor|prosecution|defen[sc]e|defender|tech(?:nical)? ?lead)"
    r"(?: (?:attorney|counsel|judge|lawyer|agent|persona))?(?: s)?"
    r"(?: (?:hearing|round) \d{1,2})?(?: (?P<rest>.*))?"
)
OTHER_JUDGE = re.compile(r"judge (?:no )?(?:\d{1,2}|[a-z])")
# Words behind a judge's name that add nothing to it.
JUDGE_SUFFIXES = phrases("""
    opinion, opinions, argument, argues, argued, says, view, verdict, score, rating, assessment,
    statement, perspective, position, reasoning, lens, case, final, points, s
""")

# -- Labels of values -----------------------------------------------------------------------------

SCORES = phrases("""
    score, rating, verdict, grade, points, points awarded, score awarded, assigned score,
    criterion score, dimension score, item score, judge score, marks, awarded
""")
FINAL_SCORES = phrases("""
    final score, final verdict, verdict score, final rating, final grade, final points, final,
    consensus score, synthesized score, synthesised score, chief justice, chief justice score,
    chief justice verdict, final ruling, ruling, resolved score, weighted score, result,
    final verdict score, verdict final score, synthesis score, adjudicated score
""")
OVERALL = re.compile(
    r"(?:overall|total|aggregate|aggregated|consolidated|average|mean|cumulative|composite"
    r"|combined|global|grand total)"
    r"(?: (?:final|assessment|audit|compliance|weighted|mean|average|stakeholder|aggregate"
    r"|project|report|quality|rubric|numeric|system))*"
    r"(?: (?:score|points|rating|grade|result|verdict|mark|marks|total|assessment))?(?: points)?"
)
LEVELS = phrases("level, tier, performance level, band, achieved level")
ARGUMENTS = phrases("""
    argument, arguments, reasoning, rationale, opinion, justification, analysis, comment, comments,
    assessment, statement, explanation, summary, reason
""")
CITED = phrases("""
    cited evidence, evidence, citations, citation, cited, cites, evidence cited, references,
    evidence ids, cited artifacts, supporting evidence, evidence references
""")
CRITERIA = phrases("criterion, dimension, criterion name, dimension name, rubric item")
# Counts out of a number in a list that are not scores of a criterion, as in `Tests: 12/12`.
NO_CRITERION = re.compile(
    r"\b(?:criteria|dimensions?|judges?|confidence|coverage|tests?|files?|commits?|passed|progress"
    r"|variance|evidence|both)\b"
)
IDS = phrases("id, criterion id, dimension id, key")

# -- Labels of changes ----------------------------------------------------------------------------

ACTIONS = phrases("""
    action, required action, recommended action, fix, how to fix, suggested fix, change,
    recommendation, deliverable, solution, what to do, remediation, task, suggestion
""")
# Verbs that open a request. Not “keep”, which praises, nor “see” and “verify”, which point elsewhere.
CHANGE_VERBS = phrases("""
    add, adjust, adopt, align, annotate, apply, assign, attach, avoid, bind, bring, build, call,
    choose, cite, clarify, clean, close, collect, combine, compute, configure, connect,
    consolidate, construct, convert, correct, create, declare, decouple, deduplicate, define,
    delegate, delete, demonstrate, deploy, derive, describe, detect, differentiate, disable,
    discard, discuss, distinguish, do, don't, draw, drop, eliminate, embed, emit, enable,
    encapsulate, encode, encourage, enforce, ensure, escape, establish, exclude, expand, explain,
    expose, extend, externalize, extract, fill, finish, fix, flatten, follow, generate, give,
    guard, handle, harden, ignore, implement, improve, include, increase, inherit, initialize,
    inject, insert, install, integrate, introduce, invert, invoke, isolate, join, make, map,
    merge, migrate, modify, modularize, move, narrow, normalise, normalize, obtain, optimize,
    parallelize, parameterize, parametrize, parse, pass, persist, populate, prefer, prevent,
    propagate, protect, provide, prune, publish, raise, read, recompute, redact, redraw, refactor,
    regenerate, register, reject, relax, remediate, remove, rename, reorder, reorganize, repair,
    replace, require, rerun, resolve, restrict, restructure, return, reuse, revoke, reword,
    rework, rewrite, run, sanitise, sanitize, save, secure, select, send, separate, serialize,
    sharpen, shorten, simplify, sort, specify, split, standardise, standardize, stop, store,
    strengthen, substitute, swap, synchronize, teach, throw, tighten, truncate, turn, unblock,
    undo, unify, update, upgrade, use, validate, visualise, visualize, weigh, widen, wire, wrap,
    write
""")
# These are nouns too: a request goes on with a determiner or a path: “Test the reducer”.
CHANGE_VERBS_AND_NOUNS = phrases("""
    answer, attribute, break, bump, cap, capture, cast, catch, change, clone, commit, complete,
    cut, decrease, design, document, duplicate, edit, feed, filter, format, group, import, label,
    lift, limit, link, load, lock, log, lower, mark, mention, mock, monitor, name, open, order,
    override, pin, place, post, pull, push, put, quote, record, reduce, reference, report, reset,
    retry, route, scope, set, ship, show, skip, state, supply, support, surface, switch, test,
    throttle, tie, track, trim, try, wait, warn
""")
DETERMINERS = phrases("a, an, the, this, that, these, all, any, both, each, every, its, your")
ADVERBS = phrases(
    "please, also, then, next, finally, first, second, third, instead, explicitly, and"
)
PREPOSITIONS = phrases("in, at, within, inside, for, under, to, from")
PATHS = phrases("file, path, location, where, file path, files, affected file, target file")
LINES = phrases("line, lines, line number")
PRIORITIES = phrases("priority, severity, urgency, impact")
PRIORITY_BY_WORD: dict[str, Literal["high", "medium", "low"]] = {
    **dict.fromkeys(("critical", "high", "urgent", "blocker", "major", "p0", "p1"), "high"),
    **dict.fromkeys(("medium", "moderate", "normal", "p2"), "medium"),
    **dict.fromkeys(("low", "minor", "optional", "nice to have", "p3"), "low"),
}

# -- Labels of the report itself ------------------------------------------------------------------

REPOSITORY = re.compile(
    r"(?:target |source |audited |peer |github |git )?(?:repo|repository)"
    r"(?: (?:url|under audit|audited|link|path|name|target))?"
    r"|target|audit target|subject|target url"
)
COMMIT = re.compile(
    r"(?:git |audited |head )?(?:commit|sha|revision)"
    r"(?: (?:hash|sha|id|audited|under audit))?|head"
)
DATE = re.compile(
    r"(?:audit |report |evaluation |generated |creation )?(?:date|timestamp|time)"
    r"|generated(?: (?:at|on))?|audited on|created(?: at)?|date of audit"
)
AUTHOR = re.compile(
    r"(?:peer )?auditor(?: name| agent)?|audited by|authors?|prepared by|reviewer|reviewed by"
    r"|submitted by|generated by|written by|evaluator"
)

# -- Sections -------------------------------------------------------------------------------------

_DISSENT = re.compile(
    r"(?:judicial |majority |minority |recorded )?dissent(?:ing)?"
    r"(?: (?:summary|opinion|note|notes|recorded|explanation|detected|rules))*"
    r"|judicial dissent rules|conflict(?: (?:summary|resolution))?|disagreement"
    r"|judicial conflict(?: \w+)?"
)
_REMEDIATION = re.compile(
    r"(?:file level |required |suggested |recommended |detailed |specific |prioriti[sz]ed "
    r"|actionable )*"
    r"(?:remediations?|recommendations?|required actions?|recommended actions?|action items?"
    r"|next steps?|action|fix(?:es)?|how to fix"
    r"|suggested fix(?:es)?|improvements?|suggestions?|corrective actions?|action plan"
    r"|improvement plan|areas for improvement|roadmap|to do|todo)"
    r"(?: (?:plan|steps?|action|actions|instructions|items|roadmap|summary|guidance"
    r"|for improvement|by file))*"
)
_FINDINGS = re.compile(
    r"(?:key |critical |main |major |minor |open |top |identified |security |forensic |remaining "
    r"|notable )*"
    r"(?:findings?|weakness(?:es)?|issues?|gaps?|problems?|violations?|risks?|concerns?|failures?"
    r"|flaws?|defects?|vulnerabilities)"
    r"(?: (?:found|identified|and risks|detected|and gaps))?"
)
_SUMMARY = re.compile(
    r"(?:executive |audit |overall |final )?(?:summary|overview|conclusion|abstract)"
)
_BREAKDOWN = re.compile(
    r"(?:detailed |per |full |complete |judicial |rubric |score |scoring |final |the ){0,8}"
    r"(?:criteria|criterion|criterions|dimensions?|rubric|scores?|scorecard|score card|results?"
    r"|evaluation|verdicts?|breakdown)"
    r"(?: (?:breakdown|evaluation|results?|scores?|detail|details|summary|analysis|overview|table"
    r"|assessment|assessments|verdicts?|fulfillment|review|by criterion|by dimension))*"
)
_OPINIONS = re.compile(
    r"(?:the |raw |all |individual |three |per )*"
    r"(?:judge|judges|judicial|judiciary|bench|dialectical bench|court)?(?: s)?"
    r" ?(?:opinions?|judges|bench|panel|verdicts|arguments|deliberations?|debate)"
    r"(?: (?:and \w+|summary|table|breakdown|by judge))*"
)
_EVIDENCE = re.compile(
    r"(?:\w+ )?(?:evidence|sources|citations)(?: (?:\w+|and \w+)){0,2}"
    r"|detective (?:findings|reports?|evidence)"
)
_OTHER = re.compile(
    r"appendix.*|.*metadata|methodology|introduction|usage|errors?|statistics|table of contents"
    r"|contents|limitations|strengths?|background"
    r"|notes?|disclaimer|references|glossary|timeline|configuration|environment"
    r"|architecture.{0,20}|.*fields|legend|scale|scoring scale"
)
# The first pattern that fits decides: the specific ones come before the broad ones.
SECTIONS: tuple[tuple[Section, re.Pattern[str]], ...] = (
    ("dissent", _DISSENT),
    ("plan", _REMEDIATION),
    ("findings", _FINDINGS),
    ("summary", _SUMMARY),
    ("opinions", _OPINIONS),
    ("breakdown", _BREAKDOWN),
    ("evidence", _EVIDENCE),
    ("other", _OTHER),
)
