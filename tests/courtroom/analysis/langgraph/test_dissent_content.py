"""Content of a dissent: arguments, scores alone, or fixed words."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.dissent_content import read_dissent_content
from tests.courtroom.sources import layers_of, symbols_of


def content_of(code: str) -> tuple[str | None, list[int]] | None:
    _, layers = layers_of(symbols_of({"src/justice.py": code}))
    reading = read_dissent_content(layers.justice)
    return (reading.content, [line for _, line in reading.places]) if reading else None


def verdict(*lines: str) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return (
        "def chief_justice(state, p, d, model):\n"
        f"    variance = abs(p.score - d.score)\n{body}\n"
        "    return {'final_report': Result(score=3, dissent_summary=dissent)}\n"
    )


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("dissent = f'{variance} apart: {p.score} and {d.score}'",), "scores"),
        (("dissent = 'The judges disagreed.' if variance > 2 else None",), "fixed"),
        (("dissent = f'P: {p.argument[:80]}, D: {d.argument}'",), "arguments"),
        (("dissent = 'P: ' + str(p.argument) + ' D: ' + d.rationale",), "arguments"),
        (("dissent = f'{p.score}: {evidence.rationale}'",), "scores"),
        (
            ("dissent = str(p.score) + getattr(ev, 'rationale', '') + item_evidence['reason']",),
            "scores",
        ),
        (("reason = p['argument']", "dissent = 'It is %s' % reason"), "arguments"),
        (
            (
                "parts = []",
                "for o in state['opinions']:",
                "    parts.append(f'{o.judge}: {o.score}')",
                "dissent = '; '.join(parts)",
            ),
            "scores",
        ),
        (
            (
                "dissent = ''",
                "for o in state['opinions']:",
                "    dissent += f'{o.judge}: {o.argument}'",
            ),
            "arguments",
        ),
        (
            (
                "parts = ['They differ.']",
                "parts.insert(0, f'Prosecutor: {p.argument}')",
                "dissent = ' '.join(parts)",
            ),
            "arguments",
        ),
        (("dissent = f'{p} against {d}'",), None),
        (("dissent = worded(model, p, d)",), None),
        (
            (
                "if 'security' in p.argument:",
                "    dissent = f'Security: {p.argument}'",
                "elif variance > 2:",
                "    dissent = f'{p.score} against {d.score}'",
            ),
            "scores",
        ),
    ],
)
def test_dissent_is_followed_to_the_values_of_its_text(lines, expected):
    content = content_of(verdict(*lines))
    assert content is not None
    assert content[0] == expected


def test_judge_that_is_quoted_in_a_note_on_security_alone_is_shown_there():
    code = verdict(
        "reason = None",
        "if 'security' in p.argument:",
        "    reason = p.argument[:150]",
        "if security_reason:",
        "    dissent = f'Security: {reason}'",
        "elif variance > 2:",
        "    dissent = f'{p.score} against {d.score}'",
    )
    _, layers = layers_of(symbols_of({"src/justice.py": code}))
    reading = read_dissent_content(layers.justice)
    assert reading is not None
    assert (reading.content, [line for _, line in reading.notes]) == ("scores", [7])

    _, layers = layers_of(symbols_of({"src/justice.py": code.replace("{reason}", "capped")}))
    reading = read_dissent_content(layers.justice)
    assert reading is not None
    assert reading.notes == []


def test_function_that_makes_the_dissent_is_followed_to_its_part_of_a_pair():
    code = verdict("score, dissent, plan = resolve(p, d)") + (
        "def resolve(p, d):\n"
        "    dissent = f'{p.score} against {d.score}'\n"
        "    return p.score, dissent, d.argument\n"
    )
    assert content_of(code) == ("scores", [6, 4])


@pytest.mark.parametrize(
    ("rows", "iterable", "expected"),
    [
        ("rows = []\nrows.append((p.judge, p.score, p.argument))", "rows", "scores"),
        ("rows = [(o.judge, o.argument) for o in state['opinions']]", "sorted(rows)", "scores"),
        ("rows: list = [('Prosecutor', p.argument)]", "rows[:2]", "fixed"),
        ("", "[('Prosecutor', p.argument), ('Defense', d.argument)]", "fixed"),
        ("rows = [(p.argument, p.judge)]", "rows", "arguments"),
        ("rows = [(p.judge, p.score)]\nrows += state['opinion_arguments']", "rows", "arguments"),
        ("d.append((p.judge, p.argument))\nd = d + p.arguments", "d", "arguments"),
    ],
)
def test_name_that_a_loop_takes_from_rows_has_its_own_place_of_them(rows, iterable, expected):
    loop = f"for name, score in {iterable}:"
    lines = (*rows.split("\n"), "parts = []", loop, "    parts.append(f'{name} differs')")
    content = content_of(verdict(*lines, "dissent = '; '.join(parts)"))
    assert content is not None
    assert content[0] == expected


def test_branch_with_the_arguments_is_the_place_of_a_conditional_dissent():
    code = verdict(
        "dissent = (",
        "    f'Nothing from {d.name}.'",
        "    if not state['opinions']",
        "    else told(p, d)",
        ")",
    ) + ("def told(p, d):\n    return f'{p.argument} against {d.argument}'\n")
    assert content_of(code) == ("arguments", [10])


def test_opinions_below_a_heading_on_dissent_belong_to_it_until_the_next_heading():
    code = (
        "def chief_justice(state):\n"
        "    lines = []\n"
        "    lines.append('## Dissent')\n"
        "    for o in state['opinions']:\n"
        "        lines.append(f'- {o.judge}: {o.score}')\n"
        "    lines.append('## Opinions')\n"
        "    for o in state['opinions']:\n"
        "        lines.append(f'- {o.argument}')\n"
        "    return {'final_report': '\\n'.join(lines)}\n"
    )
    assert content_of(code) == ("scores", [5])


def test_dissent_that_is_only_for_a_model_is_left_open():
    code = (
        "def chief_justice(state, model):\n"
        "    variance = max(state['scores']) - min(state['scores'])\n"
        "    dissent = f'{variance} apart'\n"
        "    return {'final_report': model.invoke(f'Explain {dissent}')}\n"
    )
    assert content_of(code) == (None, [3])


def test_text_that_is_added_to_a_dissent_of_unknown_origin_is_left_open():
    code = (
        "def chief_justice(state, model):\n"
        "    report = model.invoke(state['opinions'])\n"
        "    report.dissent_summary += ' [capped]'\n"
        "    return {'final_report': report}\n"
    )
    assert content_of(code) == (None, [3])


def test_code_without_a_dissent_has_no_content_of_one():
    rule = "def chief_justice(state):\n    return {'rules': {'dissent_requirement': 'Explain.'}}\n"
    assert content_of(rule) is None
