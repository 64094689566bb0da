"""Findings that received reports state, and the answers to them: what names one and what was done.

An answer is a passage of a document about feedback, or a commit that mentions it. Naming means the
finding's criterion, its file, or more than half of its words. A plan and a mere "addressed" say
nothing of what was done; a reason for leaving a finding undone does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from courtroom.analysis.project.deferrals import REASON, deferrals_in
from courtroom.analysis.project.own_audits import COMMIT_ID
from courtroom.models.errors import ExaminationFailed

if TYPE_CHECKING:
    from courtroom.analysis.git.history import History
    from courtroom.report_import.imported_report import ImportedCriterion, ImportedReport

Row = Mapping[str, Any]
# Two texts are about the same finding if they share more than this part of the shorter one's words,
# and a summary with this part of a finding's words repeats it, as grading/findings has it.
SAME_SHARE, REPEATED_SHARE = 0.5, 0.8
# One shared word is chance.
LEAST_SHARED = 2
# Each passage is compared with each finding, and the findings of a report with one another.
MOST_PASSAGES, MOST_FINDINGS = 2000, 200
LONGEST_TEXT = 300
_FOLDERS = re.compile(r"audits?|docs?|feedback|reports?|reviews?")
_NAME = re.compile(r"feedback|respon|answer|readme|changelog|changes|report|minmax")
_ANSWERS = re.compile(r"feedback|respon|answer")
_ABOUT_FEEDBACK = re.compile(
    r"\b(?:feedback|min ?max|peers?|respon(?:se|ses|ded)|answers?|answered|reviewers?|received)\b",
    re.IGNORECASE,
)
_ABOUT_OTHERS = re.compile(
    r"\baudit(?:s|ed|ing)?(?: of| on)? (?:the |our |my |a |an )?peer|\bon[ _-]?peer|\boutgoing\b"
    r"|\bgenerated\b",
    re.IGNORECASE,
)
_DEEDS = (
    r"(?:added|adopted|changed|clarified|corrected|created|documented|enforced|enhanced|ensured"
    r"|expanded|extended|fixed|hardened|implemented|improved|introduced|merged|migrated|moved"
    r"|pinned|refactored|removed|renamed|replaced|resolved|restored|rewrote|rewritten|simplified"
    r"|strengthened|switched|updated|upgraded|wired|wrapped|(?:we|i) (?:confirmed|verified))"
)
_DONE = re.compile(rf"\b{_DEEDS}\b", re.IGNORECASE)
_PLANNED = re.compile(
    r"\b(?:will|shall|to|should|must|can|could|would|may|might|cannot|needs?|not|never|yet)"
    rf" (?:be )?(?:yet )?{_DEEDS}\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"]{0,200}\"|“[^”]{0,200}”")
_CONTESTED = re.compile(
    r"\b(?:disagree|contest(?:ed)?|false positive|does not apply)\b", re.IGNORECASE
)
_REASON = re.compile(rf"\b{REASON}\b", re.IGNORECASE)
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_BEGINS = re.compile(r"\s*(?:[-*+•]\s|\d{1,3}[.)]\s|\|)")
_PARTS = re.compile(r"\||:\s|\*\*")
# Function words and labels say nothing about the subject of a text.
_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by for from has have in is it its no not of on or our that the this"
        " to was we with action finding fix gap issue problem recommendation remediation",
    )
)
# Words for feedback itself stand in names of criteria, and say nothing about a finding's subject.
_FEEDBACK_WORDS = frozenset(
    ("audit", "docs", "feedback", "generated", "peer", "received", "report", "review")
)


@dataclass(frozen=True, slots=True)
class Passage:
    """List item, row of a table or paragraph; `line` is its first, 1-based."""

    line: int
    headings: tuple[str, ...]
    text: str


# -- findings ------------------------------------------------------------------------------------


def findings_owed(path: str, report: ImportedReport) -> list[dict[str, Any]]:
    """Return what a received report asks for, as fields of models.project_facts.ReceivedFinding.

    Each criterion and file counts once. A criterion with full marks asks for nothing, and a summary
    repeats what its criteria have.
    """
    findings = report.findings[:MOST_FINDINGS]
    named = [_words(f.text[:LONGEST_TEXT]) for f in findings if f.criterion is not None]
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for finding in findings:
        criterion = None if finding.criterion is None else report.criteria[finding.criterion]
        words = _words(finding.text[:LONGEST_TEXT])
        if criterion is None:
            is_new = not any(len(words & other) >= REPEATED_SHARE * len(words) for other in named)
            is_owed = bool(finding.path or finding.action) and is_new
        else:
            is_owed = not _asks_nothing(criterion)
        if is_owed:
            name = criterion.name if criterion else " ".join(sorted(words))
            row = {
                "path": path,
                "line": finding.source_line,
                "text": finding.text[:LONGEST_TEXT],
                "criterion": criterion.name if criterion else None,
                "file": finding.path,
            }
            rows.setdefault((name, finding.path or ""), row)
    return list(rows.values())


def _asks_nothing(criterion: ImportedCriterion) -> bool:
    score = criterion.score
    return criterion.excluded or (
        score is not None
        and score.value is not None
        and score.maximum is not None
        and score.value >= score.maximum
    )


# -- answers -------------------------------------------------------------------------------------


def may_answer(path: str) -> bool:
    """Return whether the file's name or topmost folder suggests answers to feedback."""
    pure = PurePosixPath(path.lower())
    return bool(
        _NAME.search(pure.stem) or (len(pure.parts) > 1 and _FOLDERS.fullmatch(pure.parts[0]))
    )


def answers_in(
    documents: Iterable[tuple[str, str]], findings: Sequence[Row]
) -> Iterator[dict[str, Any]]:
    """Yield the passages of documents, as (path, text), that answer findings.

    The rows have fields of models.project_facts.WrittenAnswer.
    """
    if not findings:
        return
    passages = (
        (path, passage) for path, text in documents for passage in _answering_passages(path, text)
    )
    for path, passage in islice(passages, MOST_PASSAGES):
        answered = [n for n, row in enumerate(findings) if _names(row, passage.text)]
        if answered:
            yield {"path": path, "line": passage.line, "findings": answered}


def _answering_passages(path: str, text: str) -> Iterator[Passage]:
    is_answer_file = _ANSWERS.search(PurePosixPath(path.lower()).stem) is not None
    for passage in _passages(text):
        if (is_answer_file or _is_about_feedback(passage)) and _says_what_was_done(passage.text):
            yield passage


def with_commits(facts: Row, history: History | ExaminationFailed | None) -> dict[str, Any]:
    """Return the facts of a survey with the answers of commit messages in `written_answers`."""
    answers, findings = facts.get("written_answers"), facts.get("received_findings")
    if answers is None or not findings or history is None or isinstance(history, ExaminationFailed):
        return dict(facts)
    return {**facts, "written_answers": [*answers, *answers_in_commits(findings, history)]}


def answers_in_commits(findings: Sequence[Row], history: History) -> list[dict[str, Any]]:
    """Return the commits that mention feedback and name a finding; a commit is what was done."""
    changes = [commit for commit in history.commits if len(commit.parents) < 2]
    commits = [commit for commit in changes if _ABOUT_FEEDBACK.search(commit.subject)]
    rows = []
    for commit in commits[:MOST_PASSAGES]:
        answered = [n for n, row in enumerate(findings) if _names(row, commit.subject)]
        if answered:
            text = commit.subject[:LONGEST_TEXT]
            rows.append({"commit": commit.sha, "text": text, "findings": answered})
    return rows


def _passages(text: str) -> Iterator[Passage]:
    headings: list[tuple[int, str]] = []
    first, lines = 0, list[str]()
    is_code = False
    for number, line in enumerate([*re.split(r"\r\n|\r|\n", text), ""], start=1):
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        heading = None if is_code else _HEADING.match(line)
        if lines and (heading or not line.strip() or _BEGINS.match(line)):
            yield Passage(first, tuple(words for _, words in headings), " ".join(lines))
            lines = []
        if heading:
            level = len(heading[1])
            headings = [row for row in headings if row[0] < level] + [(level, heading[2])]
        elif line.strip() and not is_code:
            first = first if lines else number
            lines.append(line.strip())


def _is_about_feedback(passage: Passage) -> bool:
    own = passage.headings[-1] if passage.headings else ""
    if _ABOUT_OTHERS.search(own):
        return False
    return any(_ABOUT_FEEDBACK.search(text) for text in (*passage.headings, passage.text))


def _says_what_was_done(text: str) -> bool:
    own_words = _PLANNED.sub("", _QUOTED.sub("", text))
    if _DONE.search(own_words) or COMMIT_ID.search(text):
        return True
    is_contested = _CONTESTED.search(text) and _REASON.search(text)
    return bool(is_contested) or any(True for _ in deferrals_in(text))


def _names(finding: Row, text: str) -> bool:
    own = _words(finding["text"]) - _FEEDBACK_WORDS
    file, criterion = finding["file"], _words(finding["criterion"] or "")
    words = _words(text)
    shared = len(words & own)
    is_file_named = bool(file) and PurePosixPath(file).name.lower() in text.lower()
    if is_file_named and shared >= LEAST_SHARED:
        return True
    # A criterion of one word, such as Security, is named by chance.
    if len(criterion) >= LEAST_SHARED and criterion <= words:
        return not file or is_file_named or shared >= LEAST_SHARED
    parts = (_words(part) - _FEEDBACK_WORDS for part in (text, *_PARTS.split(text)))
    return any(_overlap(part, own) for part in parts)


def _overlap(words: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(words & other)
    return shared >= LEAST_SHARED and shared > SAME_SHARE * min(len(words), len(other))


def _words(text: str) -> frozenset[str]:
    words = "".join(c if c.isalnum() else " " for c in text.casefold()).split()
    return frozenset(words) - _STOP_WORDS
