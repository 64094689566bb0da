"""Groups of opinions in which no two judges meet."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.lone_groups import lone_groups
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import symbols_of

JUDGES = """
def prosecutor(criterion):
    return Opinion(opinion_id=f"prosecutor_{criterion}_{number()}", score=1)


def defense(criterion):
    return Opinion(opinion_id=f"defense_{criterion}_{number()}", score=5)
"""
GROUPING = """
def chief_justice(opinions):
    groups = {}
    for opinion in opinions:
        parts = opinion.opinion_id.split("_")
        key = f"{parts[0]}_{parts[1]}"
        groups[key].append(opinion)
    return groups
"""
KEY = 'f"{parts[0]}_{parts[1]}"'


def lines_of(judges: str = JUDGES, grouping: str = GROUPING) -> list[int]:
    symbols = symbols_of({"judges.py": judges, "justice.py": grouping})
    (entry,) = symbols.functions_by_name["chief_justice"]
    return [line for _, line in lone_groups(symbols, [FunctionRef(*entry)])]


@pytest.mark.parametrize("key", [KEY, "parts[0]", '"_".join(parts[:2])', "(parts[1], parts[0])"])
def test_key_with_the_part_of_an_id_that_names_the_judge_keeps_judges_apart(key: str) -> None:
    assert lines_of(grouping=GROUPING.replace(KEY, key)) == [6]


@pytest.mark.parametrize(
    "append",
    [
        'groups.setdefault(opinion.opinion_id.split("_")[0], []).append(opinion)',
        'groups[opinion.opinion_id.split("_")[0]].append(opinion)',
    ],
)
def test_id_may_be_cut_where_it_is_the_key(append: str) -> None:
    assert lines_of(grouping=GROUPING.replace("groups[key].append(opinion)", append)) == [7]


@pytest.mark.parametrize("key", ["parts[1]", '"_".join(parts[1:-1])', "opinion.criterion_id"])
def test_key_without_the_judge_brings_judges_together(key: str) -> None:
    assert lines_of(grouping=GROUPING.replace(KEY, key)) == []


@pytest.mark.parametrize(
    ("id_of_one", "lines"),
    [
        ('f"{judge}_{criterion}"', [6]),
        ('f"{self.persona}_{criterion}"', [6]),
        ('f"{criterion}_{judge}"', []),
        ('f"opinion_{judge}_{criterion}"', []),
        ('f"{judge}-{criterion}"', []),
        ("str(uuid4())", []),
    ],
)
def test_every_id_that_the_code_makes_has_to_begin_with_the_judge(id_of_one, lines) -> None:
    judges = JUDGES.replace('f"defense_{criterion}_{number()}"', id_of_one)
    assert lines_of(judges) == lines


def test_ids_that_no_code_makes_tell_nothing() -> None:
    assert lines_of("RUBRIC = 1\n") == []
