"""The words that reports are made of: judges, labels, sections, and what is left of a name without its ornament."""

from __future__ import annotations

import re
from typing import Literal

from courtroom.models.record import Persona

Section = Literal[
    "summary", "breakdown", "opinions", "dissent", "plan", "findings", "evidence", "other"
]

NOT_WORDS = re.compile(r"[\W_]+")
PARENTHESIS = re.compile(r"[(\[][^()\[\]]{0,200}[)\]]")
NUMBERING = re.compile(
    r"[\W_]*(?:(?:criterion|criteria|dimension|category|rubric|section|item)(?:[\W_]{1,3}(?:\d{1,3}|[ivx]{1,4})\b|\s?:)"
    r"|(?:c|d|q)?\d{1,2}(?:\.\d{1,2})?(?![/\d]))[\W_]{1,4}(?=\w)",
    re.IGNORECASE,
)
STATUS = re.compile(
    r"[\W_]*\[?\b(?:pass(?:ed)?|fail(?:ed)?|warn(?:ing)?|partial|ok)\b\]?[\W_]+", re.IGNORECASE
)
ID = re.compile(
    r"[(\[`]\s*(?:id\s*[:=]?\s*)?`?([a-z0-9]+(?:[_-][a-z0-9]+)*)`?\s*[)\]`]", re.IGNORECASE
)

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
    r"(?: (?:attorney|counsel|judge|lawyer|agent|persona))?(?: s)?(?: (?:hearing|round) \d{1,2})?(?: (?P<rest>.*))?"
)
OTHER_JUDGE = re.compile(r"judge (?:no )?(?:\d{1,2}|[a-z])")
OF_A_JUDGE = frozenset(
    [
        "opinion",
        "opinions",
        "argument",
        "argues",
        "argued",
        "says",
        "view",
        "verdict",
        "score",
        "rating",
        "assessment",
        "statement",
        "perspective",
        "position",
        "reasoning",
        "lens",
        "case",
        "final",
        "points",
        "s",
    ]
)

SCORES = frozenset(
    {
        "score",
        "rating",
        "verdict",
        "grade",
        "points",
        "points awarded",
        "score awarded",
        "assigned score",
        "criterion score",
        "dimension score",
        "judge score",
        "marks",
        "awarded",
    }
)
FINAL_SCORES = frozenset(
    {
        "final score",
        "final verdict",
        "verdict score",
        "final rating",
        "final grade",
        "final points",
        "final",
        "consensus score",
        "synthesized score",
        "synthesised score",
        "chief justice",
        "chief justice score",
        "chief justice verdict",
        "final ruling",
        "ruling",
        "resolved score",
        "weighted score",
        "result",
        "final verdict score",
        "synthesis score",
        "adjudicated score",
    }
)
OVERALL = re.compile(
    r"(?:overall|total|aggregate|aggregated|consolidated|average|mean|cumulative|composite|combined|global|grand total)"
    r"(?: (?:final|assessment|audit|compliance|weighted|mean|average|stakeholder|aggregate|project|report|quality|rubric|numeric|system))*"
    r"(?: (?:score|points|rating|grade|result|verdict|mark|marks|total|assessment))?(?: points)?"
)
LEVELS = frozenset({"level", "tier", "performance level", "band", "achieved level"})
ARGUMENTS = frozenset(
    [
        "argument",
        "arguments",
        "reasoning",
        "rationale",
        "opinion",
        "justification",
        "analysis",
        "comment",
        "comments",
        "assessment",
        "statement",
        "explanation",
        "summary",
        "reason",
    ]
)
CITED = frozenset(
    {
        "cited evidence",
        "evidence",
        "citations",
        "citation",
        "cited",
        "cites",
        "evidence cited",
        "references",
        "evidence ids",
        "cited artifacts",
        "supporting evidence",
        "evidence references",
    }
)
CRITERIA = frozenset({"criterion", "dimension", "criterion name", "dimension name", "rubric item"})
# What a list counts out of a number without being a criterion.
NO_CRITERION = re.compile(
    r"\b(?:criteria|dimensions?|judges?|confidence|coverage|tests?|files?|commits?|passed|progress|variance|evidence|both)\b"
)
IDS = frozenset({"id", "criterion id", "dimension id", "key"})
ACTIONS = frozenset(
    {
        "action",
        "required action",
        "recommended action",
        "fix",
        "how to fix",
        "suggested fix",
        "change",
        "recommendation",
        "deliverable",
        "solution",
        "what to do",
        "remediation",
        "task",
        "suggestion",
    }
)
PLACES = frozenset(
    {"file", "path", "location", "where", "file path", "files", "affected file", "target file"}
)
LINES = frozenset({"line", "lines", "line number"})
PRIORITIES = frozenset({"priority", "severity", "urgency", "impact"})
PRIORITY: dict[str, Literal["high", "medium", "low"]] = {
    "critical": "high",
    "high": "high",
    "urgent": "high",
    "blocker": "high",
    "major": "high",
    "p0": "high",
    "p1": "high",
    "medium": "medium",
    "moderate": "medium",
    "normal": "medium",
    "p2": "medium",
    "low": "low",
    "minor": "low",
    "optional": "low",
    "nice to have": "low",
    "p3": "low",
}
REPOSITORY = re.compile(
    r"(?:target |source |audited |peer |github |git )?(?:repo|repository)(?: (?:url|under audit|audited|link|path|name|target))?"
    r"|target|audit target|subject|target url"
)
COMMIT = re.compile(
    r"(?:git |audited |head )?(?:commit|sha|revision)(?: (?:hash|sha|id|audited|under audit))?|head"
)
DATE = re.compile(
    r"(?:audit |report |evaluation |generated |creation )?(?:date|timestamp|time)|generated(?: (?:at|on))?|audited on|created(?: at)?|date of audit"
)
AUTHOR = re.compile(
    r"(?:peer )?auditor(?: name| agent)?|audited by|authors?|prepared by|reviewer|reviewed by|submitted by|generated by|written by|evaluator"
)
_DISSENT = re.compile(
    r"(?:judicial |majority |minority |recorded )?dissent(?:ing)?(?: (?:summary|opinion|note|notes|recorded|explanation|detected|rules))*"
    r"|judicial dissent rules|conflict(?: (?:summary|resolution))?|disagreement|judicial conflict(?: \w+)?"
)
_REMEDIATION = re.compile(
    r"(?:file level |required |suggested |recommended |detailed |specific |prioriti[sz]ed |actionable )*"
    r"(?:remediations?|recommendations?|required actions?|recommended actions?|action items?|next steps?|action|fix(?:es)?|how to fix"
    r"|suggested fix(?:es)?|improvements?|suggestions?|corrective actions?|action plan|improvement plan|areas for improvement|roadmap|to do|todo)"
    r"(?: (?:plan|steps?|action|actions|instructions|items|roadmap|summary|guidance|for improvement|by file))*"
)
_FINDINGS = re.compile(
    r"(?:key |critical |main |major |minor |open |top |identified |security |forensic |remaining |notable )*"
    r"(?:findings?|weakness(?:es)?|issues?|gaps?|problems?|violations?|risks?|concerns?|failures?|flaws?|defects?|vulnerabilities)"
    r"(?: (?:found|identified|and risks|detected|and gaps))?"
)
_SUMMARY = re.compile(
    r"(?:executive |audit |overall |final )?(?:summary|overview|conclusion|abstract)"
)
_BREAKDOWN = re.compile(
    r"(?:detailed |per |full |complete |judicial |rubric |score |scoring |final |the )*"
    r"(?:criteria|criterion|criterions|dimensions?|rubric|scores?|scorecard|score card|results?|evaluation|verdicts?|breakdown)"
    r"(?: (?:breakdown|evaluation|results?|scores?|detail|details|summary|analysis|overview|table|assessment|assessments|verdicts?|fulfillment|review|by criterion|by dimension))*"
)
_OPINIONS = re.compile(
    r"(?:the |raw |all |individual |three )*(?:judge|judges|judicial|judiciary|bench|dialectical bench|court)?(?: s)?"
    r" ?(?:opinions?|judges|bench|panel|verdicts|arguments|deliberations?|debate)(?: (?:and \w+|summary|table|breakdown|by judge))*"
)
_EVIDENCE = re.compile(
    r"(?:\w+ )?(?:evidence|sources|citations)(?: (?:\w+|and \w+)){0,2}|detective (?:findings|reports?|evidence)"
)
_OTHER = re.compile(
    r"appendix.*|.*metadata|methodology|introduction|usage|errors?|statistics|table of contents|contents|limitations|strengths?|background"
    r"|notes?|disclaimer|references|glossary|timeline|configuration|environment|architecture.{0,20}|.*fields|legend|scale|scoring scale"
)
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
