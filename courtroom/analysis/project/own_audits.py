"""Audits that the work wrote and committed: read as evidence of what it does, never as a verdict."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from courtroom.analysis.locations import shown
from courtroom.analysis.project.audit_folders import (
    has_later_number,
    is_archived,
    is_later,
    kind_of,
    moment_of,
    read_once,
    series_of,
)
from courtroom.analysis.project.dissent_opinions import opinions_of
from courtroom.analysis.project.failure_texts import origin_of, words_in
from courtroom.analysis.project.recorded_scores import (
    FILLED,
    LENIENT,
    MARKED,
    around_score,
    fixed_scores,
    has_other_score,
    other_scores,
    placeholder_lines,
    sentence_on_scores,
)
from courtroom.analysis.project.repeated_arguments import (
    repeated_arguments,
    written_arguments,
)
from courtroom.analysis.python.source_files import is_vendored

if TYPE_CHECKING:
    from courtroom.analysis.python.source_files import SourceFile
    from courtroom.report_import.imported_report import (
        ImportedCriterion,
        ImportedOpinion,
        ImportedReport,
        ImportedScore,
    )

LEAST_BYTES = 200
SUFFIXES = frozenset({".md", ".json", ".txt", ".html"})
# Below so many opinions with an argument one argument for all shows nothing.
LEAST_OPINIONS = 3
LEAST_CRITERIA = 2
# From this share of failures on an audit is no judgement of the work as a whole.
FAILED_SHARE = 0.25
MOST_PLACES, MOST_CITED, MOST_ROWS, QUOTED = 8, 50, 50, 120
# Texts of one origin begin alike; what failed may stand behind.
OPENING = 20
# What a provider gives as the cause of a failure, and the characters shown before it.
_CAUSE = re.compile(
    r"\b429\b|rate.?limit|quota|too many requests|api.?key|unauthori[sz]ed|\b401\b|credential",
    re.IGNORECASE,
)
BEFORE_CAUSE = 20
# So much of an argument finds its line again.
SEARCHED = 40
_FOLDER = re.compile(r"audits?|reports?|outputs?|results?|runs?")
_NAME = re.compile(r"audit(?!or)|verdict|(?:^|[_-])opinions?(?:[_-]|$)|grading[_-]20\d\d")
# Documents on how to audit, and what is written about the work by hand.
_NO_OUTPUT = re.compile(
    r"(?:^|[_-])(?:readme|spec|plan|guide|how|run|summary|architecture|interim|final|template"
    r"|rubric|prompts?|schema|config|checklist|tasks|notes|metadata|manifest|improvement"
    r"|video|demo|script|transcript)(?:[_-]|$)"
)
_NO_OUTPUT_FOLDER = re.compile(r"\..*|specs?|docs?|prompts?|templates?|contracts?|configs?|cache")
_ON_PEER = re.compile(r"on[_ -]?peers?|peers?[_ -](?:audit|report|generated|review)")
_DATED_ON_PEER = re.compile(r"peer[_-]grading[_-]20\d\d")
_REPOSITORY = re.compile(r"(?:^|[/:@])([\w.-]+/[\w.-]+?)(?:\.git)?/?$")
DAY_DIGITS = 8
# Where an audit of another work does not belong.
MISPLACED = frozenset({"self", "received"})
# The part of an audit that should hold its criteria, with nothing in it before the next part.
_EMPTY_PART = re.compile(
    r"^#{1,4} [^\n]{0,40}\bcriteri(?:on|a)\b[^\n]{0,40}\n\s*(?=#{1,4} |\Z)"
    r"|\"criteri(?:a|on_\w{1,20})\" ?: ?(?:\[\s*\]|\{\s*\})",
    re.IGNORECASE | re.MULTILINE,
)
COMMIT_ID = re.compile(r"(?<![\w-])(?=[0-9a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,40}(?![\w-])")


@dataclass(frozen=True, slots=True)
class AuditReading:
    """One audit as it was read; `about` is "self", "peer", "received" or "" where nothing says.

    `failure_texts` are those that the work's own code writes for a failed answer.
    """

    path: str
    about: str
    report: ImportedReport
    cited_commits: tuple[str, ...]
    text: str
    failure_texts: tuple[str, ...] = ()

    @property
    def opinions(self) -> list[ImportedOpinion]:
        """The opinions with an argument."""
        from courtroom.report_import.judge_failures import is_filler

        return [opinion for opinion in self._written if not is_filler(opinion.argument)]

    @property
    def fillers(self) -> list[ImportedOpinion]:
        """The opinions with a placeholder in place of an argument."""
        from courtroom.report_import.judge_failures import is_filler

        return [opinion for opinion in self._written if is_filler(opinion.argument)]

    @property
    def failed(self) -> list[ImportedOpinion]:
        """The opinions that report a failure to judge."""
        from courtroom.report_import.judge_failures import is_failure

        return [
            opinion
            for opinion in self.opinions
            if is_failure(opinion.argument)
            or words_in(opinion.argument).startswith(self.failure_texts)
        ]

    @property
    def unlike(self) -> list[ImportedOpinion]:
        """The others, where they record another score than the one in their own text."""
        return [o for o in self.opinions if has_other_score(o) and o not in self.failed]

    @property
    def _written(self) -> list[ImportedOpinion]:
        from courtroom.report_import.judge_failures import is_argued

        opinions = (o for criterion in self.report.criteria for o in opinions_of(criterion))
        return [opinion for opinion in opinions if is_argued(opinion.argument)]

    @property
    def is_written(self) -> bool:
        return len(self._written) >= LEAST_OPINIONS

    @property
    def empty_line(self) -> int | None:
        """The line of the part for the criteria, where the audit has an overall score and none."""
        if self.report.overall is None or self.report.criteria:
            return None
        part = _EMPTY_PART.search(self.text)
        return self.text.count("\n", 0, part.start()) + 1 if part else None

    @property
    def repository(self) -> str | None:
        return repository_name(self.report.repo_url)

    @property
    def is_ours(self) -> bool:
        return self.about != "received"


def placed_by_repository(readings: Sequence[AuditReading]) -> list[AuditReading]:
    """Return the audits; one that names another work and is not among those of peers is of a peer."""
    named = [{"about": r.about, "repository": r.repository} for r in readings]
    own = own_repository(named)
    return [
        replace(reading, about="peer")
        if reading.about in MISPLACED and is_of_another(reading.report, own)
        else reading
        for reading in readings
    ]


def repository_name(url: str | None) -> str | None:
    """Return owner/name in lower case of an address, None for anything else."""
    address = re.sub(r"/(?:tree|blob)/.*$", "", (url or "").strip())
    match = _REPOSITORY.search(address.rstrip("/"))
    return match[1].lower() if match and "/" in address else None


def each_content_once(about: Mapping[str, str], oids: Mapping[str, str]) -> dict[str, str]:
    """Return path to whom it is about, of each content the last path: a name may end in its date.

    One content about two works stays twice: that one of them is misplaced is to be seen.
    """
    placed = {oids[path] for path, whom in about.items() if whom in {"self", "peer"}}
    kept: dict[tuple[str, str], str] = {}
    for path, whom in about.items():
        if whom or oids[path] not in placed:
            kept[oids[path], whom] = path
    return {path: about[path] for path in kept.values()}


def audit_paths(paths: Iterable[str]) -> dict[str, str]:
    """Return path to whom it is about, for the files that look like an audit by their names."""
    candidates = {path: _about(path) for path in paths if _may_be_audit(path)}
    # Where there are too many, those of the work itself are read first.
    order = {"self": 0, "": 1, "peer": 2, "received": 3}
    return dict(sorted(candidates.items(), key=lambda item: (order[item[1]], item[0])))


def _may_be_audit(path: str) -> bool:
    pure = PurePosixPath(path.lower())
    if pure.suffix not in SUFFIXES or pure.name.startswith(".") or is_vendored(path):
        return False
    if any(_NO_OUTPUT_FOLDER.fullmatch(part) for part in pure.parts[:-1]):
        return False
    if kind_of(path) is not None:
        return True
    # In a folder of audits an output may have any name, and be the final one.
    if pure.suffix == ".md" and not {"audit", "audits"}.isdisjoint(pure.parts[:-1]):
        is_document = "report" in pure.stem and "audit" not in pure.stem
        return not _NO_OUTPUT.search(pure.stem if is_document else pure.stem.replace("final", ""))
    is_in_folder = any(_FOLDER.fullmatch(part) for part in pure.parts[:-1])
    has_name = _NAME.search(pure.stem) or (is_in_folder and pure.stem.startswith("report"))
    return bool(has_name) and not _NO_OUTPUT.search(pure.stem)


def _about(path: str) -> str:
    kind = kind_of(path)
    if kind == "generated":
        return "peer" if _ON_PEER.search(path.lower()) else ""
    return kind or ("peer" if _DATED_ON_PEER.search(PurePosixPath(path.lower()).stem) else "")


def read_audits(
    texts: Mapping[str, str], about: Mapping[str, str], failure_texts: tuple[str, ...] = ()
) -> tuple[list[AuditReading], list[str]]:
    """Return the texts that are audits with scores, and the paths that could not be read."""
    readings, unread = [], []
    for path, text in texts.items():
        report = read_once(text, path)
        if report is None:
            unread.append(path)
            continue
        audited = (report.commit or "").lower()
        cited = tuple(
            commit
            for commit in dict.fromkeys(COMMIT_ID.findall(text.lower()))
            if not (audited and commit.startswith(audited[:7]))
        )
        reading = AuditReading(path, about[path], report, cited[:MOST_CITED], text, failure_texts)
        if _is_audit(reading):
            readings.append(reading)
    return readings, unread


def _is_audit(reading: AuditReading) -> bool:
    scored = sum(_has_score(criterion) for criterion in reading.report.criteria)
    # A failed judge's score is none, so that such an audit has no scores.
    failed = len(reading.failed)
    has_overall = reading.report.overall is not None
    if reading.empty_line is not None:
        return True
    return scored >= LEAST_CRITERIA or (scored > 0 and has_overall) or failed >= LEAST_OPINIONS


def _has_score(criterion: ImportedCriterion) -> bool:
    """Return whether the criterion has a score, its own or one of its judges."""
    scores = (criterion.score, *(opinion.score for opinion in criterion.opinions))
    return any(score is not None and score.value is not None for score in scores)


# -- audits without a judgement -------------------------------------------------------------------


def audits_without_judgement(
    readings: Sequence[AuditReading], sources: Iterable[SourceFile] = ()
) -> list[dict[str, Any]]:
    """Return the newest audits without an opinion, or whose opinions fail or repeat, as ShownFact.

    Failures count from a share of FAILED_SHARE on. `sources` is the code, which may itself hold
    the argument.
    """
    code = tuple(sources)
    newest = newest_audits(readings)
    marked = {reading.path: lines for reading in newest if (lines := _marked_lines(reading))}
    rows = (
        (reading, _no_judgement(reading, code))
        for reading in newest
        if reading.is_written and reading.path not in marked
    )
    # Two files of one output, as Markdown and JSON, are one.
    outputs = {
        PurePosixPath(reading.path).with_suffix(""): shown(
            row[0], *((reading.path, line) for line in _lines(reading.text, row[1]))
        )
        for reading, row in rows
        if row
    }
    empty = (shown(_of_no_criterion(r), (r.path, r.empty_line)) for r in newest if r.empty_line)
    template = (
        shown(f"{path} calls {len(lines)} {MARKED}.", *((path, n) for n in lines[:MOST_PLACES]))
        for path, lines in marked.items()
    )
    return [*template, *outputs.values(), *empty]


def _marked_lines(reading: AuditReading) -> list[int]:
    """Return the lines that are called placeholders, where each criterion may have one."""
    lines = placeholder_lines(reading.text)
    return lines if len(lines) >= max(LEAST_CRITERIA, len(reading.report.criteria)) else []


def _of_no_criterion(reading: AuditReading) -> str:
    overall = reading.report.overall
    score = f" of {overall.written}" if overall else ""
    return f"{reading.path} gives an overall score{score} and judges no criterion."


def _lines(text: str, opinions: Sequence[ImportedOpinion]) -> Iterator[int | None]:
    """Yield the lines of the arguments, which may stand below the scores that an audit lists."""
    lines, last = text.splitlines(), 0
    for opinion in opinions[:MOST_PLACES]:
        first = max(opinion.line or 1, last + 1)
        start = opinion.argument.strip()[:SEARCHED].splitlines()[0]
        below = (n for n, line in enumerate(lines[first - 1 :], first) if start in line)
        last = next(below, last)
        yield last if last >= first else opinion.line


def newest_audits(readings: Sequence[AuditReading]) -> list[AuditReading]:
    """Return the work's own audits with opinions, or without criteria, that no later one of the same work replaces."""
    ours = [r for r in readings if r.is_ours and (r.is_written or r.empty_line)]
    own = own_repository([{"about": r.about, "repository": r.repository} for r in ours])
    return [
        reading
        for reading in ours
        if not any(_replaces(r, reading) or _is_later_output(r, reading, own) for r in ours)
    ]


def _is_later_output(later: AuditReading, earlier: AuditReading, own: str | None) -> bool:
    """Return whether the same program wrote the later on another day than one of another work."""
    if own is None or later.about or earlier.about or earlier.repository in (None, own):
        return False
    is_series = series_of(later.path) == series_of(earlier.path) != ""
    folders = {PurePosixPath(reading.path).parent for reading in (later, earlier)}
    days = [_moment(reading)[:DAY_DIGITS] for reading in (later, earlier)]
    return is_series and len(folders) == 1 and days[0] > days[1] > ""


def _replaces(later: AuditReading, earlier: AuditReading) -> bool:
    """Return whether both are of one kind and one work, and dates or names tell which is newer.

    Among those of peers there may be one of another kind, by its repository.
    """
    if later.repository != earlier.repository:
        return False
    if later.about != earlier.about and (later.repository is None or earlier.about != "peer"):
        return False
    folders = {PurePosixPath(reading.path).parent for reading in (later, earlier)}
    # Without a name only audits of oneself in one folder are of one work, and those of a peer that
    # differ by the time in their names.
    is_series = later.about == "self" or series_of(later.path) == series_of(earlier.path) != ""
    if later.repository is None and (not is_series or len(folders) > 1):
        return False
    if later.repository and is_archived(later.path) != is_archived(earlier.path):
        return is_archived(earlier.path)
    new, old = _moment(later), _moment(earlier)
    if not new and not old:
        return len(folders) == 1 and has_later_number(later.path, earlier.path)
    return is_later(new, old)


def _moment(reading: AuditReading) -> str:
    return moment_of(reading.path, reading.report.date)


def _no_judgement(
    reading: AuditReading, code: Sequence[SourceFile]
) -> tuple[str, list[ImportedOpinion]] | None:
    """Return the sentence and the opinions that show it."""
    opinions, fillers = reading.opinions, reading.fillers
    if fillers and len(fillers) >= FAILED_SHARE * (len(opinions) + len(fillers)):
        return f"{filled_places(reading)}.", fillers
    failed = reading.failed
    if len(failed) >= FAILED_SHARE * len(opinions):
        # The first that gives a cause: others may be cut before it.
        first = next((n for n, o in enumerate(failed) if _CAUSE.search(o.argument)), 0)
        argument = failed[first].argument
        is_one_text = len({words_in(opinion.argument)[:OPENING] for opinion in failed}) == 1
        failures = failed_opinions(reading.path, len(failed), len(opinions))
        text = f"{failures}{':' if is_one_text else ', such as'} {_quoted_failure(argument)}"
        if origin := origin_of(argument, code):
            text += f" {'The' if is_one_text else 'This'} text is that of {origin}."
        return text, failed[first:]
    unlike = reading.unlike
    if len(unlike) >= FAILED_SHARE * len(opinions):
        quoted = _quoted(around_score(unlike[0].argument))
        text = f"{other_scores(reading.path, unlike, len(opinions))} for {quoted}"
        return text, unlike
    written = written_arguments(opinions, code)
    heard = [criterion for criterion in reading.report.criteria if criterion.opinions]
    is_same = len({words_in(opinion.argument) for opinion in opinions}) == 1
    if not is_same and len(written) >= max(LEAST_OPINIONS, FAILED_SHARE * len(opinions)):
        return _texts_of_code(reading, written, code), written
    if len(heard) < LEAST_CRITERIA:
        return None
    if not is_same:
        repeated = repeated_arguments(opinions)
        if repeated is None:
            fixed = fixed_scores(reading.report)
            judges = fixed.keys() - LENIENT
            shown_ones = [o for o in opinions if o.judge in judges][:1]
            return (
                (f"{sentence_on_scores(reading.path, fixed)}.", shown_ones) if shown_ones else None
            )
        counts, shown_ones = repeated
        quoted = _quoted(shown_ones[0].argument)
        text = f"Each judge of {reading.path} gives one argument for most criteria ({counts})"
        return f"{text}, such as {quoted}", shown_ones

    argument = opinions[0].argument
    scores = {o.score.written for o in opinions if o.score}
    score = f" and the same score, {next(iter(scores))}" if len(scores) == 1 else ""
    who = f"All {len(opinions)} opinions of {reading.path}, on {len(heard)} criteria,"
    text = f"{who} have the same argument{score}: {_quoted(argument)}"
    if origin := origin_of(argument, code):
        text = f"No judge was heard. {who} have the text of {origin}: {_quoted(argument)}"
    return text, opinions


def _texts_of_code(
    reading: AuditReading, written: Sequence[ImportedOpinion], code: Sequence[SourceFile]
) -> str:
    count, argument = len(reading.opinions), written[0].argument
    of_all = f"All {count}" if len(written) == count else f"{len(written)} of {count}"
    return (
        f"{of_all} arguments of {reading.path} stand ready-made in the code, such as"
        f" {_quoted(argument)}, the text of {origin_of(argument, code)}."
    )


def filled_places(reading: AuditReading) -> str:
    """Return the words on the placeholders that an audit has in place of opinions."""
    fillers, count = reading.fillers, len(reading.opinions) + len(reading.fillers)
    of_all = f"All {count}" if len(fillers) == count else f"{len(fillers)} of {count}"
    verb = "has" if len(fillers) == 1 else "have"
    subject = f"{of_all} opinions of {reading.path} {verb} {FILLED}"
    return f"{subject}, such as {_quoted(fillers[0].argument).removesuffix('.')}"


def failed_opinions(path: str, failed: int, opinions: int) -> str:
    """Return the words on the opinions of an audit that are none."""
    count = f"All {opinions}" if failed == opinions else f"{failed} of {opinions}"
    verb = "reports" if failed == 1 else "report"
    return f"{count} opinions of {path} {verb} a failure in place of a judgement"


def _quoted_failure(argument: str) -> str:
    """Quote the beginning, and the cause that a provider gives where it stands behind it."""
    words = words_in(argument)
    cause, half = _CAUSE.search(words), QUOTED // 2
    if cause is None or cause.end() <= QUOTED:
        return _quoted(argument)
    begin = cause.start() - BEFORE_CAUSE
    behind = "…" if begin + half < len(words) else ""
    return f"“{words[:half]}… {words[begin : begin + half].strip()}{behind}”"


def _quoted(text: str) -> str:
    words = words_in(text)
    return f"“{words[:QUOTED]}…”" if len(words) > QUOTED else f"“{words}”"


# -- outputs that disagree ------------------------------------------------------------------------


def disagreements(readings: Sequence[AuditReading]) -> list[dict[str, Any]]:
    """Return pairs of outputs of one run or commit that give other scores, as ShownFact.

    One run wrote two files of the same name, or of the same repository and moment; two audits of
    the same commit saw the same code. Others may differ because the work has changed.
    """
    rows = []
    for first, second in combinations([r for r in readings if r.is_ours], 2):
        why = _same_subject(first, second)
        difference = _difference(first.report, second.report) if why else None
        if difference is None:
            continue
        name, score, line, other_score, other_line = difference
        rows.append(
            shown(
                f"{first.path} and {second.path} are {why} and differ on {name}: {score} and"
                f" {other_score}.",
                (first.path, line),
                (second.path, other_line),
            )
        )
    return rows[:MOST_ROWS]


def _same_subject(first: AuditReading, second: AuditReading) -> str:
    """Return why both must agree, as a phrase; "" where they need not."""
    one_name = PurePosixPath(first.path).with_suffix("") == PurePosixPath(second.path).with_suffix(
        ""
    )
    if one_name:
        return "two files of one output"
    if first.repository is None or first.repository != second.repository:
        return ""
    commits = [(r.report.commit or "").lower() for r in (first, second)]
    shorter = min(commits, key=len)
    if shorter and all(commit.startswith(shorter) for commit in commits):
        return f"about the same commit, {shorter[:10]},"
    if any(commits) or not first.report.date or first.report.date != second.report.date:
        return ""
    return f"of the same moment, {first.report.date}," if ":" in first.report.date else ""


Difference = tuple[str, str, int | None, str, int | None]


def _difference(first: ImportedReport, second: ImportedReport) -> Difference | None:
    """Return the first criterion, or else the overall score, with other scores in both."""
    from courtroom.report_import.name_cleaning import name_key

    by_name = {name_key(c.id or c.name): c for c in second.criteria}
    by_name |= {name_key(c.name): c for c in second.criteria}
    for criterion in first.criteria:
        other = by_name.get(name_key(criterion.name)) or by_name.get(name_key(criterion.id or ""))
        if other and _differ(criterion.score, other.score):
            assert criterion.score and other.score  # noqa: S101, PT018 -- _differ compared them
            name = f"“{criterion.name[:QUOTED]}”"
            return name, criterion.score.written, criterion.line, other.score.written, other.line
    if _differ(first.overall, second.overall):
        assert first.overall and second.overall  # noqa: S101, PT018 -- _differ compared them
        return "the overall score", first.overall.written, None, second.overall.written, None
    return None


def _differ(first: ImportedScore | None, second: ImportedScore | None) -> bool:
    if first is None or second is None or first.value is None or second.value is None:
        return False
    has_one_scale = first.maximum is None or second.maximum is None
    return (has_one_scale or first.maximum == second.maximum) and first.value != second.value


def own_repository(rows: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the repository that most audits of oneself name, None where none or several do."""
    named = Counter(r["repository"] for r in rows if r["about"] == "self" and r["repository"])
    ranked = named.most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return str(ranked[0][0])


def is_of_another(report: ImportedReport, own: str | None) -> bool:
    """Return whether a report names another work than `own`, which is owner/name.

    A fork has another owner and the same name; a second repository has the same owner.
    """
    named = repository_name(report.repo_url)
    if named is None or own is None:
        return False
    return not set(named.split("/")) & set(own.split("/"))
