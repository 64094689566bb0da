"""The admin: an organization's staff see their own rows, a superuser all of them (TenantMiddleware)."""

from grading.admin import (
    accounts,
    audits,
    cohorts,
    grades,
    letters,
    model_bench,
    peers,
    queues,
    rubrics,
    submissions,
    tenants,
    webhooks,
)

__all__ = [
    "accounts",
    "audits",
    "cohorts",
    "grades",
    "letters",
    "model_bench",
    "peers",
    "queues",
    "rubrics",
    "submissions",
    "tenants",
    "webhooks",
]
