"""State of the parser: the open criterion, the current judge, and the open text field."""

from __future__ import annotations

from typing import Literal

from courtroom.models.judge_answer import Persona
from courtroom.report_import.draft_report import (
    LONGEST_TEXT,
    DraftCriterion,
    DraftOpinion,
    DraftReport,
)
from courtroom.report_import.imported_report import ImportedScore
from courtroom.report_import.line_statements import parse_statement, score_and_argument
from courtroom.report_import.markdown_lines import BOLD_HEADING, Kind, Line
from courtroom.report_import.plan_parser import PlanParser
from courtroom.report_import.score_parser import says_excluded

Field = Literal["", "argument", "cited", "dissent", "remediation"]
MOST_CITED = 50
# A short line may be no more than the remark that its criterion does not count.
LONGEST_REMARK = 60
_CITATION_MARKS = (
    " Evidence: ",
    " Cited: ",
    " Citations: ",
    " Cited evidence: ",
    " Cited Evidence: ",
)


class ParserState:
    """Open parts of the report; each takes the lines that follow until another part opens.

    `judge_part` is a judge's own part of the report, with the depth of its heading.
    """

    def __init__(self, draft: DraftReport) -> None:
        self.draft = draft
        self.criterion: DraftCriterion | None = None
        self.depth = 0
        self.judge_part: tuple[Persona | str, int] | None = None
        self.field: Field = ""
        self.plan: PlanParser | None = None
        self._opinion: DraftOpinion | None = None
        self._opinion_depth = 0
        self._opinion_kind: Kind = "blank"

    @property
    def opinion(self) -> DraftOpinion | None:
        return self._opinion

    @property
    def _opinion_has_heading(self) -> bool:
        return self._opinion_kind == "heading"

    def is_quoted(self, line: Line) -> bool:
        """Return true for a line of the evidence that the open opinion, a scored item, cites.

        Cited code goes on over lines of another form than the list of opinions has.
        """
        is_cited = self.field == "cited" and self._opinion is not None and self._opinion.score
        has_own_form = line.kind == "item" and line.depth == self._opinion_depth
        return bool(is_cited) and self._opinion_kind == "item" and not has_own_form

    def is_above(self, line: Line) -> bool:
        """Return true for a line beneath the open criterion's heading."""
        return self.criterion is not None and line.depth > self.depth

    def open_criterion(
        self,
        line: Line,
        name: str,
        identity: str | None,
        score: ImportedScore | None,
        *,
        source: str = "headings",
    ) -> None:
        """Open the criterion of this name. In a judge's own part, its score is that judge's."""
        self.close()
        if self.judge_part and line.depth <= self.judge_part[1]:
            self.judge_part = None

        self.criterion = self.draft.get_or_add_criterion(name, identity, line.number, source)
        self.depth = line.depth
        if self.criterion and self.judge_part:
            self.open_opinion(self.judge_part[0], line, score, "")
        elif self.criterion and score:
            self.draft.set_score(self.criterion, score, line.number, source)

    def open_judge_part(self, judge: Persona | str, line: Line) -> None:
        """Open a judge's own part of the report, criterion by criterion."""
        self.close()
        self.judge_part, self.criterion = (judge, line.depth), None

    def open_opinion(
        self, judge: Persona | str, line: Line, score: ImportedScore | None, argument: str
    ) -> None:
        """Open a judge's opinion on the open criterion; nothing without one."""
        if self.criterion is None:
            return

        argument, cited = split_citations(argument)
        known = list(self.criterion.opinions)
        self._opinion = self.draft.add_opinion(self.criterion, judge, line.number, score, argument)
        # Without a score a judge's name may head a part of the opinion that is open.
        is_given = score is not None or line.kind == "item"
        self._opinion.is_again = self._opinion in known and is_given
        if argument and not self._opinion.is_quoted_by(argument):
            self._opinion.note_argument()
        self._opinion.cited.extend(cited)
        self._opinion_depth, self._opinion_kind = line.depth, line.kind
        self.field = "argument"

    def set_score(self, line: Line, score: ImportedScore, *, is_final: bool) -> None:
        """Set the current judge's score, else the criterion's.

        A score is the judge's if the judge has none yet and the line is beneath the judge's, or
        the criterion has its own.
        """
        if self.criterion is None:
            return

        opinion = self._opinion
        is_beneath = self._opinion_has_heading or line.depth > self._opinion_depth
        is_missing = opinion is not None and opinion.score is None and not is_final
        if opinion and is_missing and (is_beneath or self.criterion.score):
            opinion.score, self.field = score, "argument"
        else:
            self.field = ""
            self.draft.set_score(self.criterion, score, line.number, "headings")

    def open_field(self, field: Field, text: str) -> None:
        self.field = field
        if self._opinion and field == "argument" and text:
            self._opinion.note_argument()
        self.append(text)

    def append(self, text: str) -> None:
        """Add words to the open field."""
        if not text:
            return
        if self._opinion and self.field in ("argument", "cited"):
            self._append_to_opinion(self._opinion, text)
        elif self.criterion and self.field == "dissent":
            self.criterion.dissent = _extended(self.criterion.dissent, text)
        elif self.criterion and self.field == "remediation":
            self.criterion.remediation = _extended(self.criterion.remediation, text)

    def _append_to_opinion(self, opinion: DraftOpinion, text: str) -> None:
        if self.field == "cited":
            parts = (part.strip(" []`") for part in text.split(", ")[:MOST_CITED])
            opinion.cited.extend(part for part in parts if part)
        elif len(opinion.argument) < LONGEST_TEXT:
            argument, cited = split_citations(text)
            # Words below a line of scores may be anyone's.
            if self._opinion_has_heading:
                opinion.note_argument()
            opinion.argument = f"{opinion.argument} {argument}".strip()
            opinion.cited.extend(cited)

    def continue_with(self, line: Line) -> None:
        """Add a line that opens nothing to the open parts."""
        is_remark = len(line.text) < LONGEST_REMARK and says_excluded(line.text)
        if self.criterion and is_remark:
            self.criterion.excluded = True
        if self.plan:
            self.plan.parse_line(line)
        if line.kind != "code":
            self.append(line.text)

    def open_plan(self, *, is_plan: bool) -> None:
        """Open a list of changes (`is_plan`) or findings.

        It belongs to the open criterion, else to the whole report.
        """
        self._close_plan()
        self.plan = PlanParser(self.draft, is_plan=is_plan, criterion=self.criterion)

    def close_opinion(self) -> None:
        """Close the current judge, the open field and the open plan."""
        self._close_plan()
        self._opinion, self.field = None, ""

    def close_list(self) -> None:
        """Close an opinion that a list began; one that a heading began goes on.

        For a bold line in between: it ends a list, but belongs to the heading's part.
        """
        if not self._opinion_has_heading:
            self.close_opinion()

    def close(self) -> None:
        """Close the criterion with all its parts."""
        if self.criterion and not self.criterion.opinions:
            self._add_opinions_of_dissent(self.criterion)
        self.close_opinion()
        self.criterion, self.depth = None, BOLD_HEADING

    def _add_opinions_of_dissent(self, criterion: DraftCriterion) -> None:
        """Add the judges' scores of a dissent that is the only place to give them."""
        statements = [parse_statement(line) for line in criterion.dissent.split("\n")]
        rows = [(row.judge, *score_and_argument(row)) for row in statements]
        opinions = [(judge, score, words) for judge, score, words in rows if judge and score]
        if len(opinions) > 1:
            for judge, score, words in opinions:
                self.draft.add_opinion(criterion, judge, criterion.line, score, words)

    def _close_plan(self) -> None:
        if self.plan:
            self.plan.close()
        self.plan = None


def _extended(text: str, line: str) -> str:
    return f"{text}\n{line}".strip() if len(text) < LONGEST_TEXT else text


def split_citations(argument: str) -> tuple[str, list[str]]:
    """Split an argument from the evidence that its last sentence cites."""
    position = max(argument.rfind(mark) for mark in _CITATION_MARKS)
    if position < 0:
        return argument, []

    cited_text = argument[position:].partition(": ")[2]
    parts = [part.strip(" .[]") for part in cited_text.split(", ")[:MOST_CITED]]
    return argument[:position].strip(), [part for part in parts if part and part != "none"]
