"""Parts of a report: what a student wrote is text, and a name that is missing is an error."""

import pytest
from django.template import Context, Template
from jinja2 import UndefinedError

from grading.report_pages.checks_and_evidence import OUTCOMES, CheckView

HOSTILE = '<script>alert("1")</script>'


def rendered(template: str, **context: object) -> str:
    return Template(f"{{% load report_tags %}}{template}").render(Context(context))


def test_words_of_a_student_are_escaped_once() -> None:
    hanging = CheckView("It hangs & waits", OUTCOMES[None], "", ())
    check = CheckView(HOSTILE, OUTCOMES[False], f"{HOSTILE} & more", (), (hanging,))
    part = rendered('{% report_part "check" check %}{% report_part "hanging" check %}', check=check)
    assert "<script" not in part
    assert part.count("&lt;script&gt;") == 2
    assert part.count("&amp;") == 2


def test_missing_value_of_a_part_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        rendered('{% report_part "track" criterion.track %}')


def test_unknown_part_is_an_error() -> None:
    with pytest.raises(AttributeError):
        rendered('{% report_part "wall" check %}')
