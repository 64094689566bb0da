"""A report while it is being read: criteria that several places speak of, merged under their names."""

from __future__ import annotations

import re
from collections import Counter

from courtroom.models.record import Persona
from courtroom.report_import.draft_items import DraftCriterion, DraftOpinion, is_told_again
from courtroom.report_import.imported_report import (
    About,
    ImportedCriterion,
    ImportedFinding,
    ImportedOpinion,
    ImportedReport,
    ImportedScore,
    Priority,
    ReadingNote,
)
from courtroom.report_import.judge_failures import is_failure
from courtroom.report_import.location_parser import place_in
from courtroom.report_import.name_cleaning import key_of, name_in, short_key_of
from courtroom.report_import.score_parser import excludes, without_score
from courtroom.report_import.vocabulary import NOT_WORDS

# More than any report from practice has; what is beyond is told in a note.
MOST_CRITERIA = 200
MOST_OPINIONS = 40  # of one criterion
MOST_FINDINGS = 1000
MOST_NOTES = 200
LONGEST_TEXT = 20_000
LONGEST_FIELD = 500
LEAST_TOLD = 2
_NO_DISSENT = re.compile(
    r"\W*(?:none|n/a|no (?:significant |major |notable )?(?:dissent|disagreement|conflict))\b",
    re.IGNORECASE,
)


class Draft:
    """What has been read so far. Everything is added through methods that bound it and note what does not fit."""

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
        self.sources: Counter[str] = Counter()
        self._by_key: dict[str, DraftCriterion] = {}
        self._by_short_key: dict[str, list[DraftCriterion]] = {}
        self._notes: list[ReadingNote] = []
        self._found: dict[tuple[int | None, str], int] = {}

    def note(self, line: int | None, message: str) -> None:
        note = ReadingNote(line=line, message=message)
        if len(self._notes) < MOST_NOTES and note not in self._notes:
            self._notes.append(note)

    def known(self, *names: str | None) -> DraftCriterion | None:
        """The criterion of one of these names or ids, in any spelling."""
        return next((found for name in names if name and (found := self._spelled(name))), None)

    def _spelled(self, name: str) -> DraftCriterion | None:
        """By its whole name; what stands in parentheses may be left out by one of the two, not differ."""
        key, short = key_of(name), short_key_of(name)
        if key in self._by_key or key != short:
            return self._by_key.get(key) or self._by_key.get(short)
        found = self._by_short_key.get(short, [])
        return found[0] if len(found) == 1 else None

    def criterion(
        self, name: str, identity: str | None, line: int | None, source: str
    ) -> DraftCriterion | None:
        """The criterion of this name or id, begun where it is new. Null beyond MOST_CRITERIA."""
        criterion = self.known(identity, name)
        if criterion is None and len(self.criteria) >= MOST_CRITERIA:
            self.note(line, f"More than {MOST_CRITERIA} criteria: the rest was not read.")
            return None
        if criterion is None:
            criterion = DraftCriterion(
                name=name_in(name) or name[:LONGEST_FIELD], id=identity, line=line
            )
            self.criteria.append(criterion)
        criterion.sources.add(source)
        criterion.id = criterion.id or identity
        for spelling in filter(None, (name, identity)):
            self._by_key.setdefault(key_of(spelling), criterion)
            shorts = self._by_short_key.setdefault(short_key_of(spelling), [])
            shorts.extend([criterion] if criterion not in shorts else [])
        return criterion

    def give_score(
        self, criterion: DraftCriterion, score: ImportedScore, line: int | None, source: str
    ) -> None:
        """The first score stands; another one that differs is noted. A level alone gives way to a number."""
        if score.level and score.value is None:
            self.give_level(criterion, score.level)
        if criterion.score is None or (criterion.score.value is None and score.value is not None):
            criterion.score, criterion.score_line = score, line
            self.sources[source] += 1
        elif score.value is not None and score.value != criterion.score.value:
            self.note(
                line,
                f"“{criterion.name}” has another score here, {score.written}: {criterion.score.written} stands.",
            )
        elif criterion.score.maximum is None and score.maximum is not None:
            criterion.score = score

    def give_level(self, criterion: DraftCriterion, level: str) -> None:
        criterion.level = criterion.level or without_score(level)[:LONGEST_FIELD] or None
        criterion.excluded = criterion.excluded or excludes(level)

    def opinion(
        self,
        criterion: DraftCriterion,
        judge: Persona | str,
        line: int | None,
        score: ImportedScore | None = None,
        argument: str = "",
    ) -> DraftOpinion:
        """The judge's opinion on the criterion: a new one, or the one that is told again or told on."""
        said = " ".join(argument.split())
        for earlier in criterion.opinions:
            if earlier.judge == judge and is_told_again(earlier, score, said):
                earlier.score = earlier.score or score
                earlier.argument = earlier.argument if len(earlier.argument) >= len(said) else said
                return earlier
        opinion = DraftOpinion(judge=judge, line=line, score=score, argument=said)
        if len(criterion.opinions) < MOST_OPINIONS:
            criterion.opinions.append(opinion)
        else:
            self.note(
                line,
                f"“{criterion.name}” has more than {MOST_OPINIONS} opinions: the rest was not read.",
            )
        return opinion

    def failed(
        self, criterion: DraftCriterion, judge: str, score: ImportedScore | None, line: int | None
    ) -> None:
        """Note that a judge says itself to have failed."""
        beside = f" The score {score.written} beside it is none." if score else ""
        self.note(line, f"“{criterion.name}”: the {judge} gave no opinion but a failure.{beside}")

    def finding(
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
        """One finding, once: the same words about the same criterion are not taken twice."""
        text = " ".join(text.split())[:LONGEST_TEXT]
        index = self.criteria.index(criterion) if criterion else None
        mark = (index, NOT_WORDS.sub(" ", text.lower()))
        if not text:
            return
        if len(self.findings) >= MOST_FINDINGS:
            self.note(source_line, f"More than {MOST_FINDINGS} findings: the rest was not read.")
            return
        if path is None:
            path, found = place_in(text)
            line = line or found
        found_now = ImportedFinding(
            criterion=index,
            text=text,
            path=path,
            line=line or None,
            action=action,
            priority=priority,
            source_line=source_line,
        )
        if mark in self._found:
            before = self.findings[self._found[mark]]
            self.findings[self._found[mark]] = _more_of(before, found_now)
            return
        self._found[mark] = len(self.findings)
        self.findings.append(found_now)

    def finished(self, layout: str) -> ImportedReport:
        """The report as it stands, its failures told apart from its scores."""
        kept = self._without_asides()
        places = {id(criterion): at for at, criterion in enumerate(kept)}
        findings = [
            finding.model_copy(
                update={"criterion": places.get(id(self.criteria[finding.criterion]))}
            )
            if finding.criterion is not None
            else finding
            for finding in self.findings
        ]
        criteria = tuple(self._finished(criterion) for criterion in kept)
        return ImportedReport(
            layout=layout,
            title=_field(self.title),
            repo_url=_field(self.repo_url),
            commit=_field(self.commit),
            date=_field(self.date),
            author=_field(self.author),
            about=self.about,
            overall=self.overall,
            criteria=criteria,
            findings=tuple(findings),
            notes=tuple(sorted(self._notes, key=lambda note: note.line or 0)),
        )

    def _without_asides(self) -> list[DraftCriterion]:
        """Where sections or tables tell of criteria, what stands in a list alone is an aside and no criterion."""
        asides = [criterion for criterion in self.criteria if criterion.sources == {"lists"}]
        if len(self.criteria) - len(asides) < LEAST_TOLD:
            asides = []
        for aside in asides:
            self.note(
                aside.line,
                f"“{aside.name}” stands in a list alone: it is not taken for a criterion.",
            )
        return [c for c in self.criteria if c not in asides and not self._is_abbreviated(c)]

    def _is_abbreviated(self, criterion: DraftCriterion) -> bool:
        """A row such as “Diagram” of the section “Diagram Analysis”, with the same score and nothing else."""
        if criterion.opinions or criterion.score is None or "tables" not in criterion.sources:
            return False
        start = f"{key_of(criterion.name)} "
        longer = [
            c for c in self.criteria if c.opinions and c.score and key_of(c.name).startswith(start)
        ]
        return (
            len(longer) == 1
            and longer[0].score is not None
            and longer[0].score.value == criterion.score.value
        )

    def _finished(self, draft: DraftCriterion) -> ImportedCriterion:
        failed = [opinion for opinion in draft.opinions if is_failure(opinion.argument)]
        for opinion in failed:
            self.failed(draft, str(opinion.judge), opinion.score, opinion.line)
        score = self._standing_score(
            draft, everybody_failed=bool(failed) and len(failed) == len(draft.opinions)
        )
        return ImportedCriterion(
            id=draft.id,
            name=draft.name,
            score=score,
            level=draft.level,
            excluded=draft.excluded,
            opinions=tuple(
                _opinion(opinion, is_failed=opinion in failed) for opinion in draft.opinions
            ),
            dissent=None
            if _NO_DISSENT.match(draft.dissent)
            else draft.dissent[:LONGEST_TEXT].strip() or None,
            remediation=draft.remediation[:LONGEST_TEXT].strip() or None,
            line=draft.line,
        )

    def _standing_score(
        self, draft: DraftCriterion, *, everybody_failed: bool
    ) -> ImportedScore | None:
        if everybody_failed and draft.score:
            self.note(
                draft.score_line,
                f"“{draft.name}”: {draft.score.written} is no score: no judge beside it gave an opinion.",
            )
            return None
        if draft.excluded:
            return ImportedScore(level=draft.level, written=draft.level or "excluded")
        if draft.score is None and draft.level:
            return ImportedScore(level=draft.level, written=draft.level)
        if draft.score is None:
            self.note(draft.line, f"“{draft.name}” has no score that could be read.")
        return draft.score


def _more_of(finding: ImportedFinding, again: ImportedFinding) -> ImportedFinding:
    """A finding that is told twice, with what either telling knows."""
    known = finding.model_dump(exclude_none=True)
    return again.model_copy(update=known)


def _opinion(draft: DraftOpinion, *, is_failed: bool) -> ImportedOpinion:
    return ImportedOpinion(
        judge=draft.judge,
        score=None if is_failed else draft.score,
        argument=draft.argument[:LONGEST_TEXT],
        cited=tuple(dict.fromkeys(draft.cited)),
        line=draft.line,
    )


def _field(text: str | None) -> str | None:
    return (text or "")[:LONGEST_FIELD].strip() or None
