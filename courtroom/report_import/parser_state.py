"""Who is speaking of what while a report is read: the open criterion, the open judge, and the field that words go to."""

from __future__ import annotations

from typing import Literal

from courtroom.models.record import Persona
from courtroom.report_import.draft_items import DraftCriterion, DraftOpinion
from courtroom.report_import.draft_report import LONGEST_TEXT, Draft
from courtroom.report_import.imported_report import ImportedScore
from courtroom.report_import.markdown_lines import BOLD_HEADING, Line
from courtroom.report_import.plan_parser import Plan
from courtroom.report_import.score_parser import excludes

Field = Literal["", "argument", "cited", "dissent", "remediation"]
MOST_CITED = 50
# A short line may be no more than the remark that its criterion does not count.
LONGEST_REMARK = 60
_CITES = (" Evidence: ", " Cited: ", " Citations: ", " Cited evidence: ", " Cited Evidence: ")


class Scene:
    """What is open takes the words that follow, until something else is opened."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.criterion: DraftCriterion | None = None
        self.depth = 0
        self.bench: tuple[Persona | str, int] | None = None
        self.field: Field = ""
        self.plan: Plan | None = None
        self._opinion: DraftOpinion | None = None
        self._opinion_depth = 0
        self._opinion_headed = False

    @property
    def opinion(self) -> DraftOpinion | None:
        return self._opinion

    def is_above(self, line: Line) -> bool:
        """Whether the open criterion's heading stands over this one."""
        return self.criterion is not None and line.depth > self.depth

    def begin_criterion(
        self,
        line: Line,
        name: str,
        identity: str | None,
        score: ImportedScore | None,
        *,
        source: str = "headings",
    ) -> None:
        """Open the criterion of this name. Under a judge's own heading, its score is that judge's."""
        self.close()
        if self.bench and line.depth <= self.bench[1]:
            self.bench = None
        self.criterion, self.depth = (
            self.draft.criterion(name, identity, line.number, source),
            line.depth,
        )
        if self.criterion and self.bench:
            self.open_opinion(self.bench[0], line, score, "")
        elif self.criterion and score:
            self.draft.give_score(self.criterion, score, line.number, source)

    def begin_bench(self, judge: Persona | str, line: Line) -> None:
        """Open a judge's own part of the report, criterion by criterion."""
        self.close()
        self.bench, self.criterion = (judge, line.depth), None

    def open_opinion(
        self, judge: Persona | str, line: Line, score: ImportedScore | None, argument: str
    ) -> None:
        """Let a judge speak on the open criterion."""
        if self.criterion is None:
            return
        said, cited = cited_in(argument)
        self._opinion = self.draft.opinion(self.criterion, judge, line.number, score, said)
        self._opinion.cited.extend(cited)
        self._opinion_depth, self._opinion_headed = line.depth, line.kind == "heading"
        self.field = "argument"

    def give_score(self, line: Line, score: ImportedScore, *, is_final: bool) -> None:
        """To the judge who is speaking, where the line stands beneath the judge's; else to the criterion."""
        if self.criterion is None:
            return
        opinion, beneath = self._opinion, self._opinion_headed or line.depth > self._opinion_depth
        if opinion and opinion.score is None and not is_final and (beneath or self.criterion.score):
            opinion.score, self.field = score, "argument"
        else:
            self.field = ""
            self.draft.give_score(self.criterion, score, line.number, "headings")

    def take_field(self, field: Field, text: str) -> None:
        self.field = field
        self.append(text)

    def append(self, text: str) -> None:
        """More words for the open field."""
        if not text:
            return
        if self.field == "cited" and self._opinion:
            self._opinion.cited.extend(
                part for each in text.split(", ")[:MOST_CITED] if (part := each.strip(" []`"))
            )
        elif (
            self.field == "argument"
            and self._opinion
            and len(self._opinion.argument) < LONGEST_TEXT
        ):
            said, cited = cited_in(text)
            self._opinion.argument = f"{self._opinion.argument} {said}".strip()
            self._opinion.cited.extend(cited)
        elif (
            self.criterion
            and self.field == "dissent"
            and len(self.criterion.dissent) < LONGEST_TEXT
        ):
            self.criterion.dissent = f"{self.criterion.dissent}\n{text}".strip()
        elif (
            self.criterion
            and self.field == "remediation"
            and len(self.criterion.remediation) < LONGEST_TEXT
        ):
            self.criterion.remediation = f"{self.criterion.remediation}\n{text}".strip()

    def pass_on(self, line: Line) -> None:
        """A line that begins nothing of its own."""
        if self.criterion and len(line.text) < LONGEST_REMARK and excludes(line.text):
            self.criterion.excluded = True
        if self.plan:
            self.plan.line(line)
        if line.kind != "code":
            self.append(line.text)

    def begin_plan(self, *, asks: bool) -> None:
        """What follows are changes (`asks`) or findings, of the open criterion or of the whole report."""
        self._close_plan()
        self.plan = Plan(self.draft, asks=asks, criterion=self.criterion)

    def silence(self) -> None:
        """Nobody is speaking any more, and no field is open."""
        self._close_plan()
        self._opinion, self.field = None, ""

    def interrupt(self) -> None:
        """A bold line of its own: it ends what stood in a list, and belongs to what a heading began."""
        if not self._opinion_headed:
            self.silence()

    def close(self) -> None:
        self.silence()
        self.criterion, self.depth = None, BOLD_HEADING

    def _close_plan(self) -> None:
        if self.plan:
            self.plan.close()
        self.plan = None


def cited_in(argument: str) -> tuple[str, list[str]]:
    """An argument and the evidence that its last sentence cites."""
    at = max(argument.rfind(mark) for mark in _CITES)
    if at < 0:
        return argument, []
    listed = argument[at:].partition(": ")[2]
    cited = [part.strip(" .[]") for part in listed.split(", ")[:MOST_CITED]]
    return argument[:at].strip(), [part for part in cited if part and part != "none"]
