"""The administration's pages, to who runs the site: axe-core finds nothing grave in either theme
that can be mended here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django_rq.models import Dashboard

from grading.core.admin_tenancy import MachineMadeAdmin
from grading.models import Audit, Organization, RubricVersion
from tests.browser.examiner import axe, faults_of
from tests.browser.tabs import Chromium, session_of
from tests.factories.institutes import institute
from tests.factories.people import UserFactory, everywhere
from tests.factories.work import RubricVersionFactory
from tests.tenancy.test_administration import page, pages_of_a_row, row_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]
WINDOW: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
# What Django brings along and this site cannot mend: the rule, and why.
DJANGOS_OWN = {
    "aria-input-field-name": "select2, which completes a user's name: its box names itself after what is chosen in it",
}
OWN_FORMS = [
    model
    for model, desk in admin.site._registry.items()
    if model._meta.app_label == "grading" and not isinstance(desk, MachineMadeAdmin)
]


def pages(organization: Organization, client: Client) -> Iterator[str]:
    """Every form and page of its own; of lists, histories and what is only read one each: these are
    all alike.
    """
    yield from (
        "/admin/",
        "/admin/grading/",
        page(Dashboard, "changelist"),
        page(RubricVersion, "changelist"),
    )
    draft = RubricVersionFactory.create(rubric__organization=organization, draft=True)
    page_addresses = [
        *pages_of(RubricVersion, draft),
        *pages_of(Audit, row_of(Audit, organization)),
    ]
    for model in OWN_FORMS:
        forms = [page(model, "add"), *pages_of(model, row_of(model, organization))]
        page_addresses += [address for address in forms if "/history/" not in address]
    for address in dict.fromkeys(page_addresses):
        answer = client.get(address)
        if answer.status_code == 200 and "html" in answer.headers["Content-Type"]:
            yield address


def pages_of(model: type[Model], row: Model) -> list[str]:
    return [page(model, name, row.pk) for name in pages_of_a_row(model)]


def test_administration_pages_pass_axe_in_both_themes(live_server: Any, chromium: Chromium) -> None:
    source, organization, client = axe(), institute(word="Hellerau"), Client()
    operator = UserFactory.create(is_staff=True, is_superuser=True)
    client.force_login(operator)
    with everywhere():
        addresses = list(pages(organization, client))
    session, faults = session_of(operator, live_server.url), {}
    with chromium.open(draws=False) as browser:
        context = browser.new_context(base_url=live_server.url, **WINDOW)
        context.add_cookies([session])
        context.add_init_script(source)
        window = context.new_page()
        for address in addresses:
            window.goto(address)
            if faults_here := faults_of(window, but=DJANGOS_OWN):
                faults[address] = faults_here
    assert faults == {}
