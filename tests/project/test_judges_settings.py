"""Invalid prices and budgets stop the site at its start, with a sentence."""

from decimal import Decimal

import pytest
from django.core.exceptions import ImproperlyConfigured

from auditor_site.settings.judges import _dollars, _prices


@pytest.mark.parametrize(
    "text",
    [
        "cheap",
        "[1]",
        '{"m": 3}',
        '{"m": {"input": 1, "output": 2}}',
        '{"m": {"input": 1, "cached_input": 1, "output": 2, "bonus": 1}}',
        '{"m": {"input": "a", "cached_input": 1, "output": 2}}',
    ],
)
def test_prices_that_cannot_be_read_are_refused(text):
    with pytest.raises(ImproperlyConfigured, match="MODEL_PRICES must be JSON"):
        _prices(text)


def test_prices_are_dollars_for_a_million_tokens():
    price = {"input": 1.0, "cached_input": 0.1, "output": 4.0}
    assert _prices('{"m": {"input": 1, "cached_input": 0.1, "output": 4}}') == {"m": price}
    assert _prices("") == {}


@pytest.mark.parametrize("text", ["much", "-1", "NaN", "Infinity"])
def test_a_budget_is_an_amount(monkeypatch, text):
    monkeypatch.setenv("AUDIT_BUDGET_USD", text)
    with pytest.raises(
        ImproperlyConfigured, match="AUDIT_BUDGET_USD must be an amount in US dollars"
    ):
        _dollars("AUDIT_BUDGET_USD")


def test_no_budget_is_no_limit_and_nothing_is_a_limit(monkeypatch):
    monkeypatch.delenv("AUDIT_BUDGET_USD", raising=False)
    assert _dollars("AUDIT_BUDGET_USD") is None
    monkeypatch.setenv("AUDIT_BUDGET_USD", "0")
    assert _dollars("AUDIT_BUDGET_USD") == Decimal(0)
