"""Overall scores of the work's own audit that its documents name, compared with its audits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.text_windows import word_start

MOST_CLAIMS = 20
BEFORE, AFTER = 120, 60
USUAL_MAXIMA = (5, 10, 20, 25, 100)
SMALLEST_DIFFERENCE = 0.05
# Two scores of one share differ by their rounding.
SAME_SHARE = 0.01
_SCORE = re.compile(
    r"(?<![\d./])(\d{1,3}(?:\.\d{1,2})?)\*{0,2} ?(?:/|out of) ?(5|10|20|25|100)(?:\.0{1,2})?"
    r"(?![\d/]|\.\d)"
)
_SELF_AUDIT = re.compile(r"\bself[- \u2010\u2011]?audit", re.IGNORECASE)
_OVERALL = re.compile(
    r"\bself[- \u2010\u2011]?audit|\boverall\b|\baggregate\b|\btotal score\b", re.IGNORECASE
)
_SCORED = re.compile(
    r"scor|verdict|outcome|result|rating|\bgrade|achiev|award|yield|assessment", re.IGNORECASE
)
# What is said of others, of one criterion or judge, of another time, or of what should be.
_OTHER = re.compile(
    r"\bpeers?\b|received|their|\bcriteri\w*|dimension|target|goal|\baim|expect|should|would|could"
    r"|initial|earlier|previous|prior|before|first|interim|baseline|improv|increas|\bfrom\b|\brun 1"
    r"|example|e\.g|\bif\b|\bcaps?\b|capped|threshold|minimum|maximum|at least|at most|below|above"
    r"|prosecut|defen[sc]e|tech ?lead|\brange|scale|formula|weight|average of|per[- ]",
    re.IGNORECASE,
)
# A label that says by itself whose score follows, whatever stands before it on the page.
_SCORE_LABEL = re.compile(
    r"\bself[- \u2010\u2011]?audit(?: \w{1,20}){0,2}: ?(?:the )?(?:overall|aggregate|total)"
    r"(?: \w{1,20})?:? ?$",
    re.IGNORECASE,
)
# The score of the work as it is, in the sentence after one on the self-audit.
_FINAL = re.compile(
    r"\bself[- \u2010\u2011]?audit\b(?P<rest>[^.!?|\n]{0,150})\. "
    r"(?P<subject>(?:The|Our) (?:final|current) (?:implementation|submission|system|version)"
    r" (?:achieve|reache|score)[ds] )(?=\d)",
    re.IGNORECASE,
)
# A row of a table, or a line of two columns: nothing stands in it but the name and the score.
_TOTAL_ROW = re.compile(
    r"(?:final )?(?:(?P<own>(?:overall )?self[- \u2010\u2011]audit)|overall|total)"
    r"(?: (?:overall|score|grade|rating|result|summary)){0,2} ?[:=]? (?=\d)",
    re.IGNORECASE,
)
_TABLE_CELL = re.compile(
    r"(?P<own>self[- \u2010\u2011]audit )?(?:overall|aggregate|total) (?:score|grade|rating|result)"
    r"|(?P<alone>self[- \u2010\u2011]audit) (?:score|grade|rating|result)",
    re.IGNORECASE,
)
# The first cell of such a row, with a remark, and the column of the last of several moments.
_TOTAL_CELL = re.compile(r"(?:overall|total)(?: score)?(?: \([^()]{1,60}\))?", re.IGNORECASE)
_LAST_MOMENT = re.compile(r"\b(?:run|round|final|after|now|latest|current)\b", re.IGNORECASE)
_SELF_TABLE = "Table of the self-audit: "
_HEADING = re.compile(r"#{1,6} ")
_MARKS = re.compile(r"[|*_`#●•]")
# A link, of which the words are read and a file's name is not.
_LINK = re.compile(r"\[(?:([^\[\]/.]{1,80})|[^\[\]]{1,300})\]\([^()\s]{1,300}\)")
_PEERS = re.compile(r"\bpeer|received", re.IGNORECASE)
# Characters before a row without the word in which the table says that it is of the self-audit.
CONTEXT = 1500
_CAPITAL = re.compile(r"\s[A-Z]")
# "3/5 (60/100) - below the target of 4/5" names one score.
_SAME_SHARE = re.compile(r"\*{0,2} ?\((\d{1,3}(?:\.\d{1,2})?) ?(?:/ ?(5|10|20|25|100)|%)\)\*{0,2}")
_COMPARED = re.compile(r" ?[\u2013\u2014-] (?:\w+ )?(?:below|above|under|over|short of) ")
_SENTENCE_END = re.compile(r"[.!?;] |[|\n]")


def claims_in_document(path: str, text: str) -> Iterator[dict[str, Any]]:
    """Yield the claims of a document, as fields of models.output_facts.ClaimedScore.

    A fence holds samples of output, and a README shows them elsewhere too, so that its claims must
    name the self-audit.
    """
    stem = PurePosixPath(path).stem.lower()
    # What the work was worth at an earlier time is no claim of today.
    if "interim" in stem:
        return
    is_readme = stem.startswith("readme")
    shown = _without_fences(text)
    # A row that is also a sentence is one claim.
    parts = (claims_in, final_scores_in, rows_in, columns_in, totals_in)
    claims = chain.from_iterable(claims(shown) for claims in parts)
    for line, claim in sorted(dict(claims).items()):
        if not is_readme or _SELF_AUDIT.search(claim["text"]):
            yield {**claim, "path": path, "line": line}


def _without_fences(text: str) -> str:
    """Return the text with empty lines in place of those in fences."""
    is_inside = False
    lines = []
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith(("```", "~~~"))
        lines.append("" if is_fence or is_inside else line)
        is_inside = is_inside != is_fence
    return "\n".join(lines)


def claims_in(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the 1-based line, and text, score and maximum of each overall score that is named."""
    for match in _SCORE.finditer(text):
        start = word_start(text, match.start() - BEFORE, match.start())
        before = _SENTENCE_END.split(text[start : match.start()])[-1]
        before = label[0] if (label := _SCORE_LABEL.search(before)) else before
        # On a page the next heading may follow without a stop.
        value, maximum = float(match[1]), float(match[2])
        after = _without_repetition(text[match.end() : match.end() + AFTER], value / maximum)
        after = _CAPITAL.split(_SENTENCE_END.split(after)[0])[0]
        if value > maximum or not (_OVERALL.search(before) and _SCORED.search(before)):
            continue
        # "3/5 to 4/5" and "3/5 -> 4/5" name two moments.
        if _OTHER.search(f"{before} {after}") or _SCORE.search(before) or _SCORE.search(after):
            continue
        passage = " ".join(f"{before}{match[0]}".replace("*", "").split())
        line = text.count("\n", 0, match.start()) + 1
        yield line, {"text": passage, "score": value, "maximum": maximum}


def final_scores_in(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the same, and `is_own`, of the final work, where the sentence before is on its audit."""
    for match in _FINAL.finditer(text):
        score = _SCORE.match(text, match.end())
        if score and float(score[1]) <= float(score[2]) and not _PEERS.search(match["rest"]):
            claim: dict[str, Any] = {"text": f"{match['subject']}{score[0]}".replace("*", "")}
            claim |= {"score": float(score[1]), "maximum": float(score[2]), "is_own": True}
            yield text.count("\n", 0, score.start()) + 1, claim


def _without_repetition(after: str, share: float) -> str:
    """Return the text after a score without the same share in brackets and a comparison."""
    match = _SAME_SHARE.match(after)
    if match and abs(float(match[1]) / float(match[2] or 100) - share) < SAME_SHARE:
        after = after[match.end() :]
    return "" if _COMPARED.match(after) else after


def rows_in(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the same, and `is_own`, of rows that hold an overall score and its name alone.

    A row without the word is of the self-audit where that alone is named before it, no peer's.
    """
    start = 0
    for number, line in enumerate(text.split("\n"), start=1):
        before, start = text[max(start - CONTEXT, 0) : start], start + len(line) + 1
        row = " ".join(_MARKS.sub(" ", _LINK.sub(r"\1", line)).split())
        label = _TOTAL_ROW.match(row)
        score = _SCORE.match(row, label.end()) if label else None
        if label is None or score is None or float(score[1]) > float(score[2]):
            continue
        # A remark in brackets may follow.
        if row[score.end() :].strip()[:1] not in ("", "("):
            continue
        if label["own"] or (_SELF_AUDIT.search(before) and not _PEERS.search(before)):
            claim = {"text": row, "score": float(score[1]), "maximum": float(score[2])}
            yield number, {**claim, "is_own": True}


def columns_in(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the same of tables with a column of overall scores: of moments in a row the last.

    The column or the heading above must name the self-audit.
    """
    heading, column, is_own = "", -1, False
    last: tuple[int, dict[str, Any]] | None = None
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        cells = _cells(line)
        if line.lstrip()[:1] != "|":
            heading = line if _HEADING.match(line) else heading
            if last and is_own:
                yield last
            column, last = -1, None
        elif column < 0:
            named = [_TABLE_CELL.fullmatch(cell) for cell in cells]
            column = next((n for n, name in enumerate(named) if name), len(cells))
            name = named[column] if column < len(cells) else None
            is_labelled = bool(name and (name["own"] or name["alone"]))
            is_own = is_labelled or bool(_SELF_AUDIT.search(heading) and not _PEERS.search(heading))
        elif column < len(cells) and (score := _SCORE.fullmatch(cells[column])):
            row = f"{_SELF_TABLE}{cells[0]}, {score[0]}"
            claim = {"text": row, "score": float(score[1]), "maximum": float(score[2])}
            if not _PEERS.search(row) and float(score[1]) <= float(score[2]):
                last = number, {**claim, "is_own": True}


def totals_in(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the same of tables whose last rows are overall scores of several moments."""
    start, head = 0, list[str]()
    for number, line in enumerate(text.split("\n"), start=1):
        before, start = text[max(start - CONTEXT, 0) : start], start + len(line) + 1
        cells = _cells(line) if line.lstrip()[:1] == "|" else []
        head = (head or cells) if cells else []
        scores = [(n, score) for n, cell in enumerate(cells) if (score := _SCORE.fullmatch(cell))]
        is_total = len(scores) > 1 and len(head) == len(cells) and _TOTAL_CELL.fullmatch(cells[0])
        if not is_total or not _SELF_AUDIT.search(before) or _PEERS.search(before):
            continue
        column, score = scores[-1]
        if _LAST_MOMENT.search(head[column]) and float(score[1]) <= float(score[2]):
            claim = {"text": f"{cells[0]}, {head[column]}: {score[0]}", "is_own": True}
            yield number, {**claim, "score": float(score[1]), "maximum": float(score[2])}


def _cells(line: str) -> list[str]:
    return [" ".join(_MARKS.sub(" ", cell).split()) for cell in line.strip().strip("|").split("|")]


def claims_on_pages(pages: Sequence[str]) -> list[dict[str, Any]]:
    """Return the claims of a report's pages, as fields of models.output_facts.ClaimedScore."""
    rows = {
        (page, claim["score"], claim["maximum"]): {**claim, "page": page}
        for page, text in enumerate(pages, start=1)
        # A page may have a word on each line.
        for joined in [" ".join(text.split())]
        for _, claim in chain(rows_in(text), claims_in(joined), final_scores_in(joined))
    }
    return list(rows.values())[:MOST_CLAIMS]


def held_claims(
    claims: Sequence[Mapping[str, Any]], audits: Sequence[Mapping[str, Any]] | None, *, is_all: bool
) -> list[dict[str, Any]]:
    """Return the claims with `agrees`; `audits` are the fact own_audits, all with `is_all`."""
    return [
        {name: value for name, value in claim.items() if name != "is_own"}
        | {"agrees": _agrees(claim, audits or (), is_all=is_all)}
        for claim in claims
    ]


def _agrees(
    claim: Mapping[str, Any], audits: Sequence[Mapping[str, Any]], *, is_all: bool
) -> bool | None:
    ours = [audit for audit in audits if audit["about"] in ("self", "")]
    # What peers gave the work, or it gave them, is no self-audit.
    is_own = claim.get("is_own") or _SELF_AUDIT.search(claim["text"]) is not None
    if any(gives(audit, claim) for audit in (ours if is_own else audits)):
        return True
    has_scores = bool(ours) and all(audit["score"] is not None for audit in ours)
    return False if has_scores and is_all else None


def gives(audit: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    """Return whether an audit's overall score is the claimed one, as far as it is rounded."""
    if audit["score"] is None:
        return False
    # Half of the last digit that is written: 3.6 stands for 3.55 to 3.65.
    tolerance = max(0.5 * 10 ** -_decimals(claim), SMALLEST_DIFFERENCE) + 1e-9
    return bool(distance(audit, claim) <= tolerance)


def distance(audit: Mapping[str, Any], claim: Mapping[str, Any]) -> float:
    """Return how far the claimed score is from an audit's, in points of the claim's scale."""
    # An audit that names no maximum may mean any of them.
    maxima = (audit["maximum"],) if audit["maximum"] else USUAL_MAXIMA
    shares = (audit["score"] / maximum for maximum in maxima)
    return float(min(abs(share * claim["maximum"] - claim["score"]) for share in shares))


def _decimals(claim: Mapping[str, Any]) -> int:
    """Return the decimals of a claimed score as it is written: one in "4.0/5", none in "4/5"."""
    written = (match[1] for match in _SCORE.finditer(claim["text"]))
    score = next((text for text in written if float(text) == claim["score"]), "")
    return len((score or f"{claim['score']:g}").partition(".")[2])
