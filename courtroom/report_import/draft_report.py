"""Draft of a report while it is parsed: statements from several places, merged by criterion."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from courtroom.models.judge_answer import Persona
from courtroom.report_import.imported_report import (
    About,
    ImportedCriterion,
    ImportedFinding,
    ImportedOpinion,
    ImportedReport,
    ImportedScore,
    ImportNote,
    Priority,
)
from courtroom.report_import.judge_failures import is_failure
from courtroom.report_import.location_parser import parse_location
from courtroom.report_import.name_cleaning import clean_name, name_key, short_name_key
from courtroom.report_import.score_parser import says_excluded, strip_score
from courtroom.report_import.vocabulary import NOT_WORDS

# More than any report from practice has. A note names each bound that was reached.
MOST_CRITERIA = 200
MOST_OPINIONS = 40  # of one criterion
MOST_FINDINGS = 1000
MOST_NOTES = 200
LONGEST_TEXT = 20_000
LONGEST_FIELD = 500
# With fewer criteria outside lists, the lists are where the report has its criteria.
LEAST_OUTSIDE_LISTS = 2
# Two copies of an argument, one of them cut short, agree in so many characters.
SAME_BEGINNING = 60
_NO_DISSENT = re.compile(
    r"\W*(?:none|n/a|no (?:significant |major |notable )?(?:dissent|disagreement|conflict))\b",
    re.IGNORECASE,
)


# Drafts change while they are filled, so they are equal by identity and not by content.
@dataclass(eq=False)
class DraftOpinion:
    """One judge's opinion as far as it was parsed."""

    judge: Persona | str
    line: int | None
    score: ImportedScore | None = None
    argument: str = ""
    cited: list[str] = field(default_factory=list)
    times: int = 1
    is_argued: bool = False
    # The judge was named again: an argument that follows is another one.
    is_again: bool = False

    def note_argument(self) -> None:
        """Note that the text gives this judge an argument, for the first time or another one."""
        self.times += self.is_argued and self.is_again
        self.is_argued, self.is_again = True, False

    def is_quoted_by(self, argument: str) -> bool:
        """Return true for the beginning of the argument, as a dissent quotes it."""
        words = " ".join(argument.split())
        is_cut = words != self.argument and self.argument.startswith(words.rstrip(".\u2026 "))
        return self.is_argued and is_cut

    def is_repeated_by(self, score: ImportedScore | None, argument: str) -> bool:
        """Return true for a repetition, false for a re-hearing, which has another score."""
        if self.score and score:
            return self.score.value == score.value
        return (
            self.argument[:SAME_BEGINNING] == argument[:SAME_BEGINNING]
            or not self.argument
            or not argument
            or score is not None
        )


@dataclass(eq=False)
class DraftCriterion:
    """One criterion as far as it was parsed; `sources` are the layouts that name it."""

    name: str
    id: str | None
    line: int | None
    score: ImportedScore | None = None
    score_line: int | None = None
    level: str | None = None
    excluded: bool = False
    sources: set[str] = field(default_factory=set)
    opinions: list[DraftOpinion] = field(default_factory=list)
    dissent: str = ""
    remediation: str = ""


class DraftReport:
    """Report so far. The methods that add to it keep its bounds and note what does not fit."""

    def __init__(self) -> None:
        self.title: str | None = None
        self.repo_url: str | None = None
        self.commit: str | None = None
        self.date: str | None = None
        self.author: str | None = None
        self.about: About | None = None
        self.overall: ImportedScore | None = None
        self.criteria: list[DraftCriterion] = []
        self.findings: list[ImportedFinding] = []
        # How many scores each layout gave: the most common one names the report's layout.
        self.sources: Counter[str] = Counter()
        self._by_key: dict[str, DraftCriterion] = {}
        self._by_short_key: dict[str, list[DraftCriterion]] = {}
        self._notes: list[ImportNote] = []
        self._finding_positions: dict[tuple[int | None, str], int] = {}

    def add_note(self, line: int | None, message: str) -> None:
        note = ImportNote(line=line, message=message)
        if len(self._notes) < MOST_NOTES and note not in self._notes:
            self._notes.append(note)

    def find_criterion(self, *names: str | None) -> DraftCriterion | None:
        """Return the criterion of one of these names or ids, in any spelling."""
        matches = (self._find_by_name(name) for name in names if name)
        return next((criterion for criterion in matches if criterion), None)

    def _find_by_name(self, name: str) -> DraftCriterion | None:
        """Find by the whole name; words in parentheses may be missing on one side, not differ."""
        key, short_key = name_key(name), short_name_key(name)
        if key in self._by_key or key != short_key:
            return self._by_key.get(key) or self._by_key.get(short_key)

        criteria = self._by_short_key.get(short_key, [])
        return criteria[0] if len(criteria) == 1 else None

    def get_or_add_criterion(
        self, name: str, identity: str | None, line: int | None, source: str
    ) -> DraftCriterion | None:
        """Return the criterion of this name or id, added if it is new.

        Null for a new criterion beyond MOST_CRITERIA.
        """
        criterion = self.find_criterion(identity, name)
        if criterion is None and len(self.criteria) >= MOST_CRITERIA:
            message = f"The report has more than {MOST_CRITERIA} criteria. The rest were not read."
            self.add_note(line, message)
            return None

        if criterion is None:
            label = clean_name(name) or name[:LONGEST_FIELD]
            criterion = DraftCriterion(name=label, id=identity, line=line)
            self.criteria.append(criterion)
        criterion.sources.add(source)
        criterion.id = criterion.id or identity
        self._index(criterion, name, identity)
        return criterion

    def _index(self, criterion: DraftCriterion, *spellings: str | None) -> None:
        for spelling in filter(None, spellings):
            self._by_key.setdefault(name_key(spelling), criterion)
            same_key = self._by_short_key.setdefault(short_name_key(spelling), [])
            if criterion not in same_key:
                same_key.append(criterion)

    def set_score(
        self, criterion: DraftCriterion, score: ImportedScore, line: int | None, source: str
    ) -> None:
        """Set the criterion's score.

        The first number is kept and a different one is noted; a level alone gives way to a number.
        """
        if score.level and score.value is None:
            self.set_level(criterion, score.level)

        current = criterion.score
        if current is None or (current.value is None and score.value is not None):
            criterion.score, criterion.score_line = score, line
            self.sources[source] += 1
        elif score.value is not None and score.value != current.value:
            self.add_note(
                line,
                f"“{criterion.name}” has a different score here, {score.written}. "
                f"The first one, {current.written}, is kept.",
            )
        elif current.maximum is None and score.maximum is not None:
            criterion.score = score

    def set_level(self, criterion: DraftCriterion, level: str) -> None:
        criterion.level = criterion.level or strip_score(level)[:LONGEST_FIELD] or None
        criterion.excluded = criterion.excluded or says_excluded(level)

    def add_opinion(
        self,
        criterion: DraftCriterion,
        judge: Persona | str,
        line: int | None,
        score: ImportedScore | None = None,
        argument: str = "",
    ) -> DraftOpinion:
        """Return the judge's opinion on the criterion: a new one, or the one that is repeated.

        An opinion beyond MOST_OPINIONS is returned too, but not kept.
        """
        argument = " ".join(argument.split())
        for earlier in criterion.opinions:
            if earlier.judge == judge and earlier.is_repeated_by(score, argument):
                earlier.score = earlier.score or score
                earlier.argument = max(earlier.argument, argument, key=len)
                return earlier

        opinion = DraftOpinion(judge=judge, line=line, score=score, argument=argument)
        if len(criterion.opinions) < MOST_OPINIONS:
            criterion.opinions.append(opinion)
        else:
            message = f"“{criterion.name}” has more than {MOST_OPINIONS} opinions."
            self.add_note(line, f"{message} The rest were not read.")
        return opinion

    def note_failure(
        self, criterion: DraftCriterion, judge: str, score: ImportedScore | None, line: int | None
    ) -> None:
        """Note that a judge reports its own failure."""
        message = f"“{criterion.name}”: the {judge} reported a failure instead of an opinion."
        ignored = f" The score {score.written} is not used." if score else ""
        self.add_note(line, message + ignored)

    def add_finding(
        self,
        text: str,
        *,
        criterion: DraftCriterion | None = None,
        path: str | None = None,
        line: int | None = None,
        action: str | None = None,
        priority: Priority | None = None,
        source_line: int | None = None,
    ) -> None:
        """Add a finding; the same words about the same criterion count once."""
        text = " ".join(text.split())[:LONGEST_TEXT]
        if not text:
            return
        if len(self.findings) >= MOST_FINDINGS:
            message = f"The report has more than {MOST_FINDINGS} findings. The rest were not read."
            self.add_note(source_line, message)
            return

        if path is None:
            path, line_in_text = parse_location(text)
            line = line or line_in_text
        index = self.criteria.index(criterion) if criterion else None
        finding = ImportedFinding(
            criterion=index,
            text=text,
            path=path,
            line=line or None,
            action=action,
            priority=priority,
            source_line=source_line,
        )

        key = (index, NOT_WORDS.sub(" ", text.lower()))
        position = self._finding_positions.setdefault(key, len(self.findings))
        if position < len(self.findings):
            self.findings[position] = _merged(self.findings[position], finding)
        else:
            self.findings.append(finding)

    def build(self, layout: str) -> ImportedReport:
        """Return the report as it is, without the scores of judges that failed."""
        kept = self._without_asides()
        # Built first: failures that are noted here belong to the notes below.
        criteria = tuple(self._build_criterion(criterion) for criterion in kept)
        findings = tuple(self._with_new_index(finding, kept) for finding in self.findings)

        return ImportedReport(
            layout=layout,
            title=_short_field(self.title),
            repo_url=_short_field(self.repo_url),
            commit=_short_field(self.commit),
            date=_short_field(self.date),
            author=_short_field(self.author),
            about=self.about,
            overall=self.overall,
            criteria=criteria,
            findings=findings,
            notes=tuple(sorted(self._notes, key=lambda note: note.line or 0)),
        )

    def _with_new_index(
        self, finding: ImportedFinding, kept: list[DraftCriterion]
    ) -> ImportedFinding:
        if finding.criterion is None:
            return finding
        criterion = self.criteria[finding.criterion]
        index = kept.index(criterion) if criterion in kept else None
        return finding.model_copy(update={"criterion": index})

    def _without_asides(self) -> list[DraftCriterion]:
        """Return the criteria without asides and abbreviations.

        Where sections or tables have criteria, a name that appears in a list alone is an aside.
        """
        asides = [criterion for criterion in self.criteria if criterion.sources == {"lists"}]
        if len(self.criteria) - len(asides) < LEAST_OUTSIDE_LISTS:
            asides = []

        for aside in asides:
            message = f"“{aside.name}” appears only in a list, so it is not counted as a criterion."
            self.add_note(aside.line, message)
        return [
            criterion
            for criterion in self.criteria
            if criterion not in asides and not self._is_abbreviation(criterion)
        ]

    def _is_abbreviation(self, criterion: DraftCriterion) -> bool:
        """Return true for a row such as “Diagram” that repeats the score of “Diagram Analysis”."""
        if criterion.opinions or criterion.score is None or "tables" not in criterion.sources:
            return False

        start = f"{name_key(criterion.name)} "
        longer = [
            other.score
            for other in self.criteria
            if other.opinions and other.score and name_key(other.name).startswith(start)
        ]
        return len(longer) == 1 and longer[0].value == criterion.score.value

    def _build_criterion(self, draft: DraftCriterion) -> ImportedCriterion:
        failed = [opinion for opinion in draft.opinions if is_failure(opinion.argument)]
        for opinion in failed:
            self.note_failure(draft, str(opinion.judge), opinion.score, opinion.line)

        all_failed = bool(failed) and len(failed) == len(draft.opinions)
        dissent = "" if _NO_DISSENT.match(draft.dissent) else draft.dissent
        return ImportedCriterion(
            id=draft.id,
            name=draft.name,
            score=self._final_score(draft, all_failed=all_failed),
            level=draft.level,
            excluded=draft.excluded,
            opinions=tuple(
                _build_opinion(opinion, is_failed=opinion in failed) for opinion in draft.opinions
            ),
            dissent=dissent[:LONGEST_TEXT].strip() or None,
            remediation=draft.remediation[:LONGEST_TEXT].strip() or None,
            line=draft.line,
        )

    def _final_score(self, draft: DraftCriterion, *, all_failed: bool) -> ImportedScore | None:
        # A failure is never a score, even where the author's program wrote one beside it.
        if all_failed and draft.score:
            message = f"the score {draft.score.written} is not used, because every judge failed."
            self.add_note(draft.score_line, f"“{draft.name}”: {message}")
            return None

        if draft.excluded:
            return ImportedScore(level=draft.level, written=draft.level or "excluded")
        if draft.score is None and draft.level:
            return ImportedScore(level=draft.level, written=draft.level)
        if draft.score is None:
            self.add_note(draft.line, f"No score could be read for “{draft.name}”.")
        return draft.score


def _merged(finding: ImportedFinding, repeated: ImportedFinding) -> ImportedFinding:
    """Fill the gaps of a finding with the values of its repetition."""
    return repeated.model_copy(update=finding.model_dump(exclude_none=True))


def _build_opinion(draft: DraftOpinion, *, is_failed: bool) -> ImportedOpinion:
    return ImportedOpinion(
        judge=draft.judge,
        score=None if is_failed else draft.score,
        argument=draft.argument[:LONGEST_TEXT],
        cited=tuple(dict.fromkeys(draft.cited)),
        line=draft.line,
        times=draft.times,
    )


def _short_field(text: str | None) -> str | None:
    return (text or "")[:LONGEST_FIELD].strip() or None
