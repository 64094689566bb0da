"""One line of a report at a time: a judge's word, a label and its value, a criterion in a list, or more of what is open."""

from __future__ import annotations

from courtroom.report_import import header_facts, vocabulary
from courtroom.report_import.criterion_headings import names_criterion
from courtroom.report_import.draft_report import Draft
from courtroom.report_import.markdown_lines import BOLD_HEADING, Line
from courtroom.report_import.name_cleaning import is_overall, key_of, section_in
from courtroom.report_import.parser_state import Scene
from courtroom.report_import.score_parser import excludes, score_in
from courtroom.report_import.statements import (
    Statement,
    bench_in,
    judge_and_score,
    segments_of,
    statement_in,
    title_in,
)

LONGEST_ITEM_NAME = 90
LONGEST_LEVEL_WORDS = 4


class LineReader:
    """`section` is the part of the report that a heading has begun."""

    def __init__(self, draft: Draft) -> None:
        self._draft, self._scene = draft, Scene(draft)
        self._section: vocabulary.Section | None = None
        self._section_depth = 0
        self._last_item = -1

    def _begin_section(self, line: Line, section: vocabulary.Section) -> None:
        scene = self._scene
        scene.silence()
        if scene.criterion and section in ("evidence", "other"):
            self._section = "other"  # as any unknown heading
            return
        if not scene.is_above(line):
            scene.close()
            scene.bench = scene.bench if scene.bench and line.depth > scene.bench[1] else None
        self._section, self._section_depth = section, line.depth
        if section in ("plan", "findings"):
            scene.begin_plan(asks=section == "plan")
        if scene.criterion and section == "dissent":
            scene.field = "dissent"
        if scene.criterion and section == "plan":
            scene.field = "remediation"
        title = title_in(line.text)
        if section == "summary" and title.score and self._draft.overall is None:
            self._draft.overall = title.score

    def _statement(self, line: Line) -> None:
        statement, scene = statement_in(line.text), self._scene
        if self._section == "dissent" and scene.field == "dissent" and not _ends_dissent(statement):
            scene.append(line.text)
        elif scene.plan and scene.criterion is None and not is_overall(statement.key):
            scene.plan.line(line)
        elif not (
            self._judge_line(line, statement)
            or self._labelled(line, statement)
            or self._criterion_item(line, statement)
        ):
            scene.pass_on(line)

    def _judge_line(self, line: Line, statement: Statement) -> bool:
        judge, scene = statement.judge, self._scene
        is_said = (
            statement.is_split
            or statement.score
            or (line.kind == "item" and len(line.text) <= LONGEST_ITEM_NAME)
        )
        if judge is None or scene.criterion is None or not is_said or self._section == "plan":
            return False
        if said := bench_in(line.text):
            for each, its_score in said:
                scene.open_opinion(each, line, its_score, "")
            return True
        score, argument = judge_and_score(statement)
        if scene.field in ("dissent", "remediation") and (line.kind != "item" or score is None):
            return False
        if self._section == "other":
            self._section = "opinions"
        scene.open_opinion(judge, line, None if self._section == "findings" else score, argument)
        return True

    def _labelled(self, line: Line, statement: Statement) -> bool:
        """A line that is a label and its value; whose, is told by its words and by what is open."""
        key, scene = statement.key, self._scene
        if not (statement.is_split or statement.score) or statement.judge or statement.is_code:
            return False
        if self._is_scored(line, statement, key):
            return True
        if scene.opinion and key in vocabulary.ARGUMENTS:
            scene.take_field("argument", statement.rest)
            return True
        if scene.opinion and key in vocabulary.CITED:
            scene.take_field("cited", statement.rest)
            return True
        if (
            key in vocabulary.CRITERIA
            and key_of(statement.rest)
            and not is_overall(key_of(statement.rest))
        ):
            title = title_in(statement.rest)
            scene.begin_criterion(
                Line(line.number, "heading", BOLD_HEADING, ""), title.name, title.id, title.score
            )
            self._section = "breakdown"
            return True
        if scene.criterion is None or self._section == "other":
            return header_facts.take_label(self._draft, key, statement.rest) or self._begins_plan(
                line, statement
            )
        return self._is_of_criterion(line, statement)

    def _begins_plan(self, line: Line, statement: Statement) -> bool:
        """Where nothing is marked as a heading: `Recommendations:` and the changes beneath."""
        section = section_in(statement.head)
        if section != "plan" or not statement.is_split:
            return False
        self._begin_section(Line(line.number, "heading", 1, statement.head), section)
        if statement.rest:
            self._scene.pass_on(Line(line.number, "text", 0, statement.rest))
        return True

    def _is_scored(self, line: Line, statement: Statement, key: str) -> bool:
        said = statement.rest if statement.score is None else statement.score.written
        if is_overall(key):
            return self._overall(key, said)
        if key in vocabulary.LEVELS and self._scene.criterion:
            self._levelled(line, statement.rest)
        elif key in vocabulary.SCORES or key in vocabulary.FINAL_SCORES:
            self._scored(line, statement, said)
        else:
            return False
        return True

    def _overall(self, key: str, said: str) -> bool:
        """Within a criterion only a number is the whole report's; words are an assessment of the criterion."""
        score, criterion = score_in(said), self._scene.criterion
        if criterion and (score is None or score.value is None):
            return False
        header_facts.give_overall(self._draft, score)
        if criterion and criterion.score and "overall" in key:
            self._scene.close()
        return True

    def _levelled(self, line: Line, said: str) -> None:
        level, *others = segments_of(said) or [""]
        if self._scene.criterion and level:
            self._draft.give_level(self._scene.criterion, level)
        for other in others:
            self._labelled(line, statement_in(other))

    def _scored(self, line: Line, statement: Statement, said: str) -> None:
        score = statement.score or score_in(said)
        is_final = statement.key in vocabulary.FINAL_SCORES
        criterion = self._scene.criterion
        if criterion is None:
            if score and self._section != "other" and (score.value is not None or is_final):
                header_facts.give_overall(self._draft, score, is_sure=False)
            return
        if excludes(said):
            criterion.excluded = True
        if self._section == "other" or score is None:
            return
        if score.value is not None or len(said.split()) <= LONGEST_LEVEL_WORDS:
            self._scene.give_score(line, score, is_final=is_final)

    def _is_of_criterion(self, line: Line, statement: Statement) -> bool:
        """Dissent, remediation or findings that a label begins within a criterion; or its id."""
        scene = self._scene
        if statement.key in vocabulary.IDS and scene.criterion:
            scene.criterion.id = scene.criterion.id or statement.rest[:LONGEST_ITEM_NAME]
            return True
        section = section_in(statement.head)
        if section not in ("dissent", "plan", "findings", "evidence"):
            return False
        scene.silence()
        self._section = "breakdown"
        if section in ("plan", "findings"):
            scene.begin_plan(asks=section == "plan")
        scene.field = (
            "dissent" if section == "dissent" else "remediation" if section == "plan" else ""
        )
        if statement.rest:
            scene.pass_on(Line(line.number, "text", 0, statement.rest))
        return True

    def _criterion_item(self, line: Line, statement: Statement) -> bool:
        """A list of criteria with their scores: `[PASS] Git Forensic Analysis: 4/5`."""
        known = self._draft.known(statement.head)
        title, scene = title_in(line.text), self._scene
        score = title.score
        if (
            score is None
            or score.value is None
            or statement.judge
            or len(title.name) > LONGEST_ITEM_NAME
        ):
            return False
        follows = line.number == self._last_item + 1
        if known is None and (
            line.kind != "item" or not names_criterion(title, self._section, follows=follows)
        ):
            return False
        if scene.criterion or not key_of(title.name):
            return False
        self._last_item = line.number
        criterion = self._draft.criterion(title.name, title.id, line.number, "lists")
        if criterion and scene.bench:
            judge = scene.bench[0]
            scene.begin_criterion(
                Line(line.number, "item", BOLD_HEADING, ""),
                title.name,
                title.id,
                None,
                source="lists",
            )
            scene.open_opinion(judge, line, score, "")
        elif criterion:
            self._draft.give_score(criterion, score, line.number, "lists")
        return True


def _ends_dissent(statement: Statement) -> bool:
    return statement.is_split and (
        section_in(statement.head) in ("plan", "opinions")
        or statement.key in vocabulary.FINAL_SCORES
    )
