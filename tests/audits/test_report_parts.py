"""Parts of a report: what a student wrote is text, and a name that is missing is an error."""

import pytest
from django.template import Context, Template
from jinja2 import UndefinedError

from grading.engine.report import Check, parse_report
from grading.report_pages.check_weights import weighted_checks
from grading.report_pages.checks_and_evidence import OUTCOMES, CheckView, EvidencePresenter
from grading.report_pages.criterion import criterion_views
from tests.factories.example_report import report_json

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


@pytest.mark.parametrize(
    ("has_reservation", "mark"),
    [(True, 'warn">met with a reservation'), (False, 'good">met')],
)
def test_check_that_is_met_with_a_reservation_says_so(has_reservation: bool, mark: str) -> None:
    report = parse_report(report_json(criteria=1))
    check = Check(goal="It holds", met=True, has_reservation=has_reservation)
    view = EvidencePresenter(report).check(check)
    part = rendered('{% report_part "check" view %}', view=view)
    assert f'<span class="chip {mark}</span>' in " ".join(part.split())
    (row,) = weighted_checks([check], lambda _: False)
    assert row.outcome == mark.partition(">")[2]


def test_search_without_a_match_is_not_marked_as_met() -> None:
    document = report_json(criteria=1)
    document["evidence"][0].update(found=False, content="Looked for a shell.", location={})
    report = parse_report(document)
    check = Check(goal="No shell", met=True, evidence=(report.evidence[0].id,))
    document["criteria"][0]["checks"] = [check.model_dump(), Check(goal="A", met=True).model_dump()]
    assert criterion_views(parse_report(document))[0].tally == "1 met, 1 no match"
    presenter = EvidencePresenter(report)
    part = rendered('{% report_part "check" view %}', view=presenter.check(check))
    assert '<span class="chip">no match</span>' in " ".join(part.split())
    (row,) = weighted_checks([check], presenter.is_vain_search)
    assert row.outcome == "no match"


def test_missing_value_of_a_part_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        rendered('{% report_part "track" criterion.track %}')


def test_unknown_part_is_an_error() -> None:
    with pytest.raises(AttributeError):
        rendered('{% report_part "wall" check %}')
