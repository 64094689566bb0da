"""A person switches their second factor on in a browser: every step fits a phone, and nothing is complained of."""

from __future__ import annotations

import time
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import Locator

from tests.browser.examiner import TOO_WIDE
from tests.browser.tabs import Chromium, tab
from tests.factories.people import PASSWORD, UserFactory

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("empty_cache"),
]
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 800}, "color_scheme": "dark"}


def fits(landmark: Locator) -> bool:
    """Wait for a landmark; return whether its page needs no sideways scrolling."""
    landmark.wait_for()
    return not landmark.page.evaluate(TOO_WIDE)


def test_a_second_factor_is_switched_on_in_a_browser(live_server: Any, chromium: Chromium) -> None:
    email, is_fitting = UserFactory.create().email, []
    with chromium.open() as browser, tab(browser, live_server.url, **PHONE) as page:
        page.goto("/accounts/login/")
        page.get_by_label("Email").fill(email)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign In").click()
        page.goto("/accounts/email/")
        page.get_by_role("link", name="Two-factor authentication").click()
        activate = page.get_by_role("link", name="Activate")
        is_fitting.append(fits(activate))
        activate.click()
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Confirm").click()
        secret = page.get_by_label("Authenticator secret")
        is_fitting.append(fits(secret))
        page.get_by_label("Authenticator code").fill(
            format_hotp_value(hotp_value(secret.input_value(), int(time.time()) // 30))
        )
        page.get_by_role("button", name="Activate").click()
        is_fitting.append(fits(page.get_by_label("Unused codes")))
    assert is_fitting == [True, True, True]
    assert set(Authenticator.objects.values_list("type", flat=True)) == {"totp", "recovery_codes"}
