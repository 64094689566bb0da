"""Findings of imported reports, recognised by criterion and file."""

from __future__ import annotations

from typing import Any

import pytest

from grading.engine.findings import Draft, key_of
from grading.findings.identity import RecordedFinding
from grading.findings.imported_findings import ReportCriterion, findings_of_reading, word_overlap

TIDY, TESTED = ReportCriterion("tidy", "Tidy"), ReportCriterion("tested", "Tested")


def recorded(check: str, place: str, title: str, criterion: str = "tidy") -> RecordedFinding:
    return RecordedFinding(key_of(criterion, check, place), criterion, check, place, title)


def draft_of(text: str, criterion: int | None = 0, **fields: Any) -> dict[str, Any]:
    blank = {"path": "a.py", "line": None, "priority": None, "source_line": None}
    return {"criterion": criterion, "text": text, "action": text} | blank | fields


def drafts(
    *findings: dict[str, Any], recorded: tuple[RecordedFinding, ...] = ()
) -> tuple[Draft, ...]:
    criteria = [{"id": None, "name": "1. Tidiness"}, {"id": "docs", "name": "Documentation"}]
    return findings_of_reading(
        {"criteria": criteria, "findings": list(findings)}, {0: TIDY}, recorded
    )


@pytest.mark.parametrize("lack", [{"action": None}, {"path": None}, {"path": "./"}])
def test_text_without_a_change_or_a_file_is_no_finding(lack: dict[str, Any]) -> None:
    assert drafts(draft_of("The clone has no deadline.", **lack)) == ()


def test_what_is_new_is_a_finding_of_its_criterion_and_file() -> None:
    [draft] = drafts(
        draft_of("A shell runs.", path="./src/a.py", line=4, action="Use a list.", priority="high")
    )
    assert draft == Draft(
        key=key_of("tidy", "", "src/a.py"),
        criterion_id="tidy",
        criterion_name="Tidy",
        check_id="",
        place="src/a.py",
        title="A shell runs.",
        text="A shell runs.",
        action="Use a list.",
        priority="high",
        lines=(4,),
    )


def test_a_criterion_that_the_rubric_does_not_have_keeps_the_name_it_was_given() -> None:
    [draft] = drafts(draft_of("Draw pictures.", criterion=1))
    assert (draft.criterion_id, draft.criterion_name) == ("docs", "Documentation")
    [nowhere] = drafts(draft_of("Draw pictures.", criterion=None))
    assert (nowhere.criterion_id, nowhere.key) == ("", key_of("", "", "a.py"))


def test_a_change_that_is_repeated_without_its_criterion_is_left_out() -> None:
    drafted = drafts(
        draft_of("Give the clone a deadline, or it hangs."),
        draft_of("Fix: give the clone a deadline", criterion=None, path="b.py"),
        draft_of("Draw the graph.", criterion=None, path="c.py"),
    )
    assert [d.title for d in drafted] == [
        "Give the clone a deadline, or it hangs.",
        "Draw the graph.",
    ]


def test_what_is_said_of_the_same_file_is_one_finding() -> None:
    [draft] = drafts(
        draft_of("A shell runs.", path="a.py", line=9), draft_of("And here.", path="a.py:3", line=3)
    )
    assert (draft.lines, draft.title) == ((3, 9), "A shell runs.")


@pytest.mark.parametrize("path", ["src/a.py", "a.py", "./src/a.py", "work/src/a.py"])
def test_the_known_finding_of_the_criterion_in_the_file_is_the_same(path: str) -> None:
    shell = recorded("tidy.shell", "src/a.py", "Shell commands")
    other = recorded("tested.one", "src/a.py", "Tests", criterion="tested")
    [draft] = drafts(draft_of("Dangerous.", path=path), recorded=(other, shell))
    assert (draft.key, draft.check_id) == (shell.key, "tidy.shell")


def test_another_file_of_the_same_ending_letters_is_another_finding() -> None:
    shell = recorded("tidy.shell", "src/data.py", "Shell commands")
    [draft] = drafts(draft_of("Dangerous.", path="a.py"), recorded=(shell,))
    assert draft.key == key_of("tidy", "", "a.py")


def test_of_several_in_a_file_the_one_whose_words_it_shares() -> None:
    shell, names = (
        recorded("tidy.shell", "a.py", "Shell commands"),
        recorded("tidy.names", "a.py", "Names that tell"),
    )
    first, second = drafts(
        draft_of("It calls the shell.", path="a.py"),
        draft_of("Names tell nothing.", path="a.py"),
        recorded=(shell, names),
    )
    assert (first.key, second.key) == (shell.key, names.key)
    [neither] = drafts(draft_of("Too slow.", path="a.py"), recorded=(shell, names))
    assert neither.key == key_of("tidy", "", "a.py")


def test_who_names_no_criterion_is_understood_by_the_file_alone() -> None:
    shell = recorded("tidy.shell", "a.py", "Shell commands")
    [draft] = drafts(draft_of("Dangerous.", criterion=None, path="a.py"), recorded=(shell,))
    assert draft.key == shell.key
    names = recorded("tidy.names", "a.py", "Names that tell")
    [unsure] = drafts(draft_of("Dangerous.", criterion=None, path="a.py"), recorded=(shell, names))
    assert unsure.key == key_of("", "", "a.py")


def test_likeness_is_the_share_of_the_shorter_texts_telling_words() -> None:
    assert word_overlap("A README", "There is no README.md file") == 1.0
    assert word_overlap("the of and", "the of and") == 0.0
    assert word_overlap("shell commands", "commands of a parser") == 0.5
